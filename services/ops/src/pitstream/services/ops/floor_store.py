"""The rows of the floor in PostgreSQL."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import fields
from typing import Any

from pitstream.services.ops.on_floor import TableRow
from pitstream.services.ops.told import Connection

_JSON = ("paytables", "policies", "suspended", "seats")
_COLUMNS = tuple(one.name for one in fields(TableRow))


async def rows_of(conn: Connection, tables: Sequence[str]) -> dict[str, TableRow]:
    """The rows of these tables, locked in one order, new ones among them."""
    found = await conn.fetch(_LOCKED, list(tables))
    return {row["table_id"]: row_of(row) for row in found}


def row_of(row: Any) -> TableRow:
    """A row as it is known here."""
    known = {name: json.loads(row[name]) if name in _JSON and row[name] is not None else row[name] for name in _COLUMNS}
    return TableRow(**{**known, "ends_us": tuple(known["ends_us"])})


async def write(conn: Connection, rows: Iterable[TableRow]) -> None:
    """Each row as it stands now."""
    values = [
        tuple(
            json.dumps(value) if name in _JSON and value is not None else value
            for name, value in ((name, getattr(row, name)) for name in _COLUMNS)
        )
        for row in sorted(rows, key=lambda row: row.table_id)
    ]
    await conn.executemany(_UPSERT, values)


_LOCKED = f"SELECT {', '.join(_COLUMNS)} FROM floor WHERE table_id = ANY($1) ORDER BY table_id FOR UPDATE"  # noqa: S608
_UPSERT = f"""
INSERT INTO floor ({", ".join(_COLUMNS)}) VALUES ({", ".join(f"${n}" for n, _ in enumerate(_COLUMNS, 1))})
ON CONFLICT ON CONSTRAINT floor_once DO UPDATE SET
{", ".join(f"{name} = excluded.{name}" for name in _COLUMNS[1:])}
"""  # noqa: S608

"""Things in PostgreSQL, and what changed last."""

import json
from collections.abc import Iterable, Sequence
from typing import Any

from pitstream.events import Recorded
from pitstream.services.ops.things import Key, Thing, after, keys_of
from pitstream.services.ops.told import Connection


async def tell(conn: Connection, batch: Sequence[Recorded]) -> list[Key]:
    """Bring the things that a batch is about up to it; which they are."""
    asked = sorted({key for recorded in batch for key in keys_of(recorded.event)})
    if not asked:
        return []
    rows = await conn.fetch(_KNOWN, [kind for kind, _ in asked], [name for _, name in asked])
    known: dict[Key, Thing] = {(row["kind"], row["id"]): thing_of(row) for row in rows}
    for recorded in batch:
        known |= {thing.key: thing for thing in after(known, recorded)}
    things = [known[key] for key in asked]
    columns: list[list[Any]] = [
        [thing.kind for thing in things],
        [thing.id for thing in things],
        [thing.status for thing in things],
        [thing.table for thing in things],
        [thing.network for thing in things],
        [thing.account for thing in things],
        [thing.first_us for thing in things],
        [thing.last_us for thing in things],
        [json.dumps(thing.state) for thing in things],
    ]
    await conn.execute(_WRITE, *columns)
    return asked


async def touch(conn: Connection, keys: Iterable[Key]) -> None:
    """Say that these changed in this transaction."""
    asked = sorted(set(keys))
    if asked:
        await conn.execute(_TOUCH, [kind for kind, _ in asked], [name for _, name in asked])


def thing_of(row: Any) -> Thing:
    """A row of ``things``."""
    return Thing(
        kind=row["kind"],
        id=row["id"],
        status=row["status"],
        first_us=row["first_us"],
        last_us=row["last_us"],
        table=row["table_id"],
        network=row["network"],
        account=row["account"],
        state=json.loads(row["state"]),
    )


COLUMNS = "kind, id, status, table_id, network, account, first_us, last_us, state"
_KNOWN = f"""
SELECT {COLUMNS} FROM things JOIN unnest($1::text[], $2::text[]) AS asked (kind, id) USING (kind, id)
ORDER BY kind, id FOR UPDATE OF things
"""  # noqa: S608
_WRITE = f"""
INSERT INTO things ({COLUMNS})
SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[],
                     $8::bigint[], $9::jsonb[])
ON CONFLICT ON CONSTRAINT things_once DO UPDATE
SET status = excluded.status, last_us = excluded.last_us, state = excluded.state
"""  # noqa: S608
_TOUCH = """
INSERT INTO touched (kind, id, changed)
SELECT kind, id, pg_current_xact_id()::text::bigint FROM unnest($1::text[], $2::text[]) AS asked (kind, id)
ON CONFLICT ON CONSTRAINT touched_once DO UPDATE SET changed = excluded.changed
"""

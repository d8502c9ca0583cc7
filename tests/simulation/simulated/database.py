"""A PostgreSQL of the simulation's own, that keeps nothing safe and is therefore quick, and databases emptied in place.

Every seed begins with the same bytes: tables are truncated to new files, identities begin at 1, and what the migrations
put there is put back. The server does not vacuum by itself, so that nothing happens that no seed asked for.
"""

import shutil
import signal
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import asyncpg

from pitstream.runtime.migrate import Migrations, migrate, read_migrations
from pitstream.runtime.rights import ensure_role
from pitstream.stack import postgres, process

_SETTINGS: Mapping[str, str | int] = {
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "wal_level": "minimal",
    "max_wal_senders": 0,
    "checkpoint_timeout": "1h",
    "max_wal_size": "4GB",
    "jit": "off",
}
_READY_S = 120


@contextmanager
def server() -> Iterator[str]:
    """Its address, without a database's name. It ends with the block, and its files with it."""
    home = Path(tempfile.mkdtemp(prefix="pitstream-simulation-"))
    home.chmod(0o755)
    asked = postgres.Postgres(port=process.free_ports(1)[0], synced=False)
    try:
        started = postgres.start(asked, home, _SETTINGS)
        if not process.wait_until(started.is_ready, _READY_S):
            raise RuntimeError(
                f"the simulation's PostgreSQL is not ready after {_READY_S} s: {postgres.why(asked, home)}"
            )
        yield started.address.rpartition("/")[0]
    finally:
        process.stop(process.marked(asked.mark(home)), sig=signal.SIGINT, grace_s=10)
        postgres.remove(home)
        shutil.rmtree(home, ignore_errors=True)


@dataclass(frozen=True)
class Database:
    """One database with the schemas of some services, all migrated."""

    address: str
    admin: asyncpg.Connection
    roles: Mapping[str, str]
    _tables: Sequence[str]
    _planted: Mapping[str, Sequence[asyncpg.Record]]

    @classmethod
    async def create(cls, server_address: str, name: str, services: Mapping[str, Migrations]) -> "Database":
        """A new database; one of the same name that was there is gone."""
        first = await asyncpg.connect(f"{server_address}/pitstream")
        try:
            await first.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            await first.execute(f"CREATE DATABASE {name}")
        finally:
            await first.close()
        admin = await asyncpg.connect(f"{server_address}/{name}")
        roles = {}
        runtime = read_migrations("runtime", _runtime_migrations())
        for service, folder in services.items():
            roles[service] = await ensure_role(admin, service)
            await migrate(admin, service, runtime + read_migrations(service, folder), roles[service])
        # What refuses a TRUNCATE refuses it to us too; the triggers that refuse edits stay.
        for row in await admin.fetch(_REFUSES_TRUNCATE, list(services)):
            await admin.execute(f"DROP TRIGGER {row['trigger']} ON {row['table']}; {row['again']}")
        tables = [row["table"] for row in await admin.fetch(_TABLES, list(services))]
        planted = {table: await admin.fetch(f"SELECT * FROM {table}") for table in tables}
        return cls(
            f"{server_address}/{name}", admin, roles, tables, {table: rows for table, rows in planted.items() if rows}
        )

    async def empty(self) -> None:
        """As it was created."""
        used = [row["table"] for row in await self.admin.fetch(_USED, list(self.roles))]
        async with self.admin.transaction():
            if used:
                await self.admin.execute(f"TRUNCATE {', '.join(used)} RESTART IDENTITY CASCADE")
            for table, rows in self._planted.items():
                schema, _, name = table.replace('"', "").partition(".")
                await self.admin.copy_records_to_table(
                    name, schema_name=schema, columns=list(rows[0].keys()), records=[tuple(row) for row in rows]
                )

    async def close(self) -> None:
        await self.admin.close()


def _runtime_migrations() -> Any:
    from importlib.resources import files

    return files("pitstream.runtime") / "migrations"


_TABLES = """
SELECT format('%I.%I', nspname, relname) AS table FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
WHERE relkind = 'r' AND nspname = ANY($1) AND relname <> 'schema_migrations' ORDER BY 1
"""
_USED = _TABLES.replace("ORDER BY", "AND pg_relation_size(pg_class.oid) > 0 ORDER BY")
# Made again without TRUNCATE among their events (bit 32).
_REFUSES_TRUNCATE = """
SELECT quote_ident(t.tgname) AS trigger, t.tgrelid::regclass::text AS table,
       CASE WHEN t.tgtype & 24 = 0 THEN '' ELSE replace(pg_get_triggerdef(t.oid), ' OR TRUNCATE', '') END AS again
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT t.tgisinternal AND t.tgtype & 32 <> 0 AND n.nspname = ANY($1)
"""

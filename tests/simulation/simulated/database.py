"""A PostgreSQL of the simulation's own, that keeps nothing safe and is therefore quick, and databases emptied in place.
A seed is thousands of short statements: they go over a Unix socket, on connections that seeds leave to each other.

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
_LOCK_WAIT_MS = 40


@contextmanager
def server() -> Iterator[str]:
    """The address of its first database. It ends with the block, and its files with it."""
    home = Path(tempfile.mkdtemp(prefix="pitstream-simulation-"))
    home.chmod(0o755)
    sockets = home / "sockets"
    sockets.mkdir()
    sockets.chmod(0o777)  # root's server runs as another user
    who = home / "pg_hba.conf"
    who.write_text(f"local all {postgres.USER} trust\n")
    asked = postgres.Postgres(port=process.free_ports(1)[0], synced=False)
    try:
        ways_in = {"unix_socket_directories": str(sockets), "hba_file": str(who)}
        started = postgres.start(asked, home, {**_SETTINGS, **ways_in})
        if not process.wait_until(started.is_ready, _READY_S):
            raise RuntimeError(
                f"the simulation's PostgreSQL is not ready after {_READY_S} s: {postgres.why(asked, home)}"
            )
        yield f"postgresql://{postgres.USER}@/{postgres.DATABASE}?host={sockets}&port={started.port}"
    finally:
        process.stop(process.marked(asked.mark(home)), sig=signal.SIGINT, grace_s=10)
        postgres.remove(home)
        shutil.rmtree(home, ignore_errors=True)


@dataclass(frozen=True)
class Database:
    """One database with the schemas of some services, all migrated."""

    server_address: str
    name: str
    admin: asyncpg.Connection
    roles: Mapping[str, str]
    _planted: Mapping[str, Sequence[asyncpg.Record]]
    _spare: Mapping[str, list[asyncpg.Connection]]

    @classmethod
    async def create(cls, server_address: str, name: str, services: Mapping[str, Migrations]) -> "Database":
        """A new database; one of the same name that was there is gone."""
        first = await asyncpg.connect(server_address)
        try:
            await first.execute(f"DROP DATABASE IF EXISTS {name} WITH (FORCE)")
            await first.execute(f"CREATE DATABASE {name}")
        finally:
            await first.close()
        admin = await asyncpg.connect(server_address, database=name)
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
        planted = {table: rows for table, rows in planted.items() if rows}
        return cls(server_address, name, admin, roles, planted, {service: [] for service in services})

    @property
    def address(self) -> str:
        """For who opens a connection of their own."""
        return self.server_address.replace("/pitstream?", f"/{self.name}?")

    async def empty(self) -> None:
        """As it was created."""
        used = [row["table"] for row in await self.admin.fetch(_USED, list(self.roles))]
        # A number that was taken for a row that never was is taken all the same.
        for row in await self.admin.fetch(_COUNTED, list(self.roles)):
            await self.admin.execute(f"ALTER SEQUENCE {row['sequence']} RESTART")
        for connections in self._spare.values():
            for connection in connections:
                # A plan that was made for another seed's tables may give rows in another order.
                await connection.execute("DISCARD PLANS")
        async with self.admin.transaction():
            if used:
                await self.admin.execute(f"TRUNCATE {', '.join(used)} RESTART IDENTITY CASCADE")
            for table, rows in self._planted.items():
                schema, _, name = table.replace('"', "").partition(".")
                await self.admin.copy_records_to_table(
                    name, schema_name=schema, columns=list(rows[0].keys()), records=[tuple(row) for row in rows]
                )

    async def take(self, service: str) -> asyncpg.Connection:
        """A connection in the service's role; one that was given back, with its prepared statements, where there is."""
        if self._spare[service]:
            return self._spare[service].pop()
        return await asyncpg.connect(
            self.server_address,
            database=self.name,
            server_settings={
                "role": self.roles[service],
                "search_path": service,
                "lock_timeout": str(_LOCK_WAIT_MS),
                "plan_cache_mode": "force_generic_plan",
            },
        )

    def give(self, service: str, connection: asyncpg.Connection) -> None:
        """A connection that is in the middle of something is of no use to anybody else."""
        if connection.is_in_transaction():
            connection.terminate()
        else:
            self._spare[service].append(connection)

    async def close(self) -> None:
        for connections in self._spare.values():
            for connection in connections:
                await connection.close()
        await self.admin.close()


def _runtime_migrations() -> Any:
    from importlib.resources import files

    return files("pitstream.runtime") / "migrations"


_TABLES = """
SELECT format('%I.%I', nspname, relname) AS table FROM pg_class JOIN pg_namespace n ON n.oid = relnamespace
WHERE relkind = 'r' AND nspname = ANY($1) AND relname <> 'schema_migrations' ORDER BY 1
"""
_USED = _TABLES.replace("ORDER BY", "AND pg_relation_size(pg_class.oid) > 0 ORDER BY")
_COUNTED = """
SELECT format('%I.%I', schemaname, sequencename) AS sequence FROM pg_sequences
WHERE schemaname = ANY($1) AND last_value IS NOT NULL ORDER BY 1
"""
# Made again without TRUNCATE among their events (bit 32).
_REFUSES_TRUNCATE = """
SELECT quote_ident(t.tgname) AS trigger, t.tgrelid::regclass::text AS table,
       CASE WHEN t.tgtype & 24 = 0 THEN '' ELSE replace(pg_get_triggerdef(t.oid), ' OR TRUNCATE', '') END AS again
FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE NOT t.tgisinternal AND t.tgtype & 32 <> 0 AND n.nspname = ANY($1)
"""

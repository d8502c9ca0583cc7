"""Migrations: numbered SQL files, forward only, each applied once, none ever changed."""

import hashlib
from collections.abc import Sequence
from importlib.resources.abc import Traversable
from pathlib import Path

import asyncpg

from pitstream.runtime.rights import grant

Migrations = Path | Traversable
"""A folder of ``NNNN_what_it_does.sql`` files; line 1 of each says why, after ``--``."""


class MigrationError(Exception):
    """The files and the database do not agree, or a file does not say why it is there."""


def read_migrations(owner: str, folder: Migrations) -> list[tuple[str, str]]:
    """(name, SQL) of the folder's files in their order; names begin with the owner, so that two folders share a table.

    Raises MigrationError for a gap in the numbers or a file whose first line is no comment.
    """
    files = sorted((file for file in folder.iterdir() if file.name.endswith(".sql")), key=lambda file: file.name)
    found = []
    for number, file in enumerate(files, start=1):
        sql = file.read_text(encoding="utf-8")
        if not file.name.startswith(f"{number:04}_"):
            raise MigrationError(f"{owner}/{file.name}: expected a name that starts with {number:04}_")
        if len(sql.split("\n", 1)[0].removeprefix("--").strip()) < 10 or not sql.startswith("--"):
            raise MigrationError(f"{owner}/{file.name}: line 1 must say why, after '--'")
        found.append((f"{owner}/{file.name}", sql))
    return found


async def migrate(
    connection: asyncpg.Connection, schema: str, migrations: Sequence[tuple[str, str]], role: str
) -> list[str]:
    """Bring ``schema`` up to the last of ``migrations``, with the rights of ``role`` there; the names applied now.

    Instances that start together wait for each other here. Raises MigrationError when a file that was applied before
    has changed, or is missing.
    """
    async with connection.transaction():
        await connection.execute("SELECT pg_advisory_xact_lock(hashtextextended($1, 0))", f"{schema}/migrations")
        await connection.execute(f'CREATE SCHEMA IF NOT EXISTS "{schema}"')
        await connection.execute(f'SET LOCAL search_path TO "{schema}"')
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations (name text PRIMARY KEY, sha256 text NOT NULL)"
        )
        before = {
            row["name"]: row["sha256"] for row in await connection.fetch("SELECT name, sha256 FROM schema_migrations")
        }
        missing = sorted(before.keys() - {name for name, _ in migrations})
        if missing:
            raise MigrationError(f"schema {schema}: applied before, but not among the files: {', '.join(missing)}")
        applied = []
        for name, sql in migrations:
            sha256 = hashlib.sha256(sql.encode()).hexdigest()
            if name not in before:
                await connection.execute(sql)
                await connection.execute("INSERT INTO schema_migrations (name, sha256) VALUES ($1, $2)", name, sha256)
                applied.append(name)
            elif before[name] != sha256:
                raise MigrationError(
                    f"schema {schema}: {name} was applied as sha256 {before[name]} and is now {sha256}; "
                    "an applied migration never changes, write a further one"
                )
        if applied or not await connection.fetchval("SELECT has_schema_privilege($1, $2, 'USAGE')", role, schema):
            await grant(connection, schema, role)
        return applied

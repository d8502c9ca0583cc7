"""What a service may do in its own schema, by the database's rights: a role without the rights that triggers refuse.

One address serves two roles. Migrations run as the login that the address names, which owns the schema; everything else
runs as the role ``<login>_<service>``, which can change no table's definition, and can edit nothing that is kept for
ever. The rights follow from the schema itself, so that they cannot be forgotten for a new table: what a statement-level
trigger refuses to everybody (``refuse_change``, ``refuse_edit``) the role has no right to. Where a trigger lets only
other triggers through, the role may lock rows, by the right to update their key, and the owner's triggers do the rest.
"""

import asyncpg

_TRIES = 5


class RightsError(Exception):
    """The login can neither become the service's role nor make it."""


async def ensure_role(connection: asyncpg.Connection, service: str) -> str:
    """The service's role, made if it is missing; the login may become it. Raises RightsError."""
    login: str = await connection.fetchval("SELECT session_user")
    role = f"{login}_{service}"
    for _ in range(_TRIES):
        try:
            async with connection.transaction():
                if not await connection.fetchval("SELECT EXISTS (SELECT FROM pg_roles WHERE rolname = $1)", role):
                    await connection.execute(f'CREATE ROLE "{role}" NOLOGIN')
                if not await _may_become(connection, role):
                    await connection.execute(f'GRANT "{role}" TO "{login}"')
            return role
        except asyncpg.InsufficientPrivilegeError as error:
            raise RightsError(
                f"{login} may not make the role of the {service} service ({error}); let somebody who may do it once: "
                f'CREATE ROLE "{role}" NOLOGIN; GRANT "{role}" TO "{login}";'
            ) from error
        except (asyncpg.DuplicateObjectError, asyncpg.UniqueViolationError, asyncpg.InternalServerError):
            # Roles belong to the whole cluster: another service, or another database's, made it at the same moment.
            continue
    raise RightsError(f"{role}: was made and unmade by others, {_TRIES} times")


async def _may_become(connection: asyncpg.Connection, role: str) -> bool:
    try:
        async with connection.transaction():
            await connection.execute(f'SET LOCAL ROLE "{role}"')
            await connection.execute("SET LOCAL ROLE NONE")
    except asyncpg.InsufficientPrivilegeError:
        return False
    return True


async def grant(connection: asyncpg.Connection, schema: str, role: str) -> None:
    """Give ``role`` its rights in ``schema`` as the schema stands, and take away any other that it had there."""
    await connection.execute(f'GRANT USAGE ON SCHEMA "{schema}" TO "{role}"')
    for row in await connection.fetch(_TABLES, schema):
        rights = ["SELECT"]
        if row["is_table"]:
            rights.append("INSERT")
            if row["locks_only"]:
                keys = ", ".join(f'"{column}"' for column in row["keys"])
                rights.append(f"UPDATE ({keys})")
            elif not row["no_update"]:
                rights.append("UPDATE")
            if not row["no_delete"]:
                rights.append("DELETE")
        table = f'"{schema}"."{row["name"]}"'
        await connection.execute(
            f'REVOKE ALL ON {table} FROM "{role}"; GRANT {", ".join(rights)} ON {table} TO "{role}"'
        )


# tgtype's bits: 1 for each row, 2 before, 8 delete, 16 update. A trigger with a condition refuses only some.
_TABLES = """
SELECT c.relname AS name, c.relkind IN ('r', 'p') AND c.relname <> 'schema_migrations' AS is_table,
       coalesce(bool_or(t.tgtype & 16 <> 0 AND t.tgqual IS NULL), false) AS no_update,
       coalesce(bool_or(t.tgtype & 16 <> 0 AND t.tgqual IS NOT NULL), false) AS locks_only,
       coalesce(bool_or(t.tgtype & 8 <> 0 AND t.tgqual IS NULL), false) AS no_delete,
       (SELECT array_agg(a.attname::text) FROM pg_index i
        JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
        WHERE i.indrelid = c.oid AND i.indisprimary) AS keys
FROM pg_class c
LEFT JOIN (
    SELECT tgrelid, tgtype, tgqual FROM pg_trigger JOIN pg_proc p ON p.oid = tgfoid
    WHERE p.proname IN ('refuse_change', 'refuse_edit') AND tgtype & 3 = 2
) AS t ON t.tgrelid = c.oid
WHERE c.relnamespace = $1::regnamespace AND c.relkind IN ('r', 'p', 'v', 'm')
GROUP BY c.oid, c.relname, c.relkind ORDER BY c.relname
"""

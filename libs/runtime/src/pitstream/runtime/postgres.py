"""A connection to PostgreSQL, or why there is none, in words that name the setting.

TLS is said in the address, as libpq has it: ``?sslmode=verify-full&sslrootcert=/path/ca.crt``; what the address leaves
out may stand in libpq's own variables (``PGSSLMODE``, ``PGSSLROOTCERT``, ``PGPASSFILE``). All pools and connections
take the same address, so they all have it.
"""

import ssl
from typing import Any

import asyncpg

_OF_ANOTHER_HOST = {62, 64}
"""OpenSSL's numbers for a certificate that is for another name, or another address."""


class PostgresRefusedError(ConnectionError):
    """There is no connection. The text names the setting and says why, and never has the address and its password."""


async def connected(postgres: str, **options: Any) -> asyncpg.Connection:
    """A connection; ``options`` as asyncpg takes them. Raises PostgresRefusedError."""
    try:
        return await asyncpg.connect(postgres, **options)
    except (OSError, asyncpg.PostgresError, asyncpg.InterfaceError) as error:
        raise PostgresRefusedError(f"PITSTREAM_POSTGRES: {reason(error)}") from error
    except ValueError:
        # Not chained: whoever leaves a "/" in a password as it is finds half of it in the error's text.
        raise PostgresRefusedError(
            "PITSTREAM_POSTGRES: is no address; allowed: postgresql://user:password@host:port/database, with %-codes "
            "for what would part it"
        ) from None


def reason(error: Exception) -> str:
    """What is wrong, by the part of the address that may mend it."""
    match error:
        case ssl.SSLCertVerificationError(verify_code=code) if code in _OF_ANOTHER_HOST:
            return f"sslmode=verify-full: the server's certificate is for another host: {error.verify_message}"
        case ssl.SSLCertVerificationError():
            return f"sslrootcert: does not vouch for the server's certificate: {error.verify_message}"
        case asyncpg.InvalidPasswordError() | asyncpg.InvalidAuthorizationSpecificationError():
            hint = "; the server wants TLS: sslmode=verify-full" if "no encryption" in str(error) else ""
            return f"the server does not let us in: {error}{hint}"
        case asyncpg.ClientConfigurationError() | asyncpg.PostgresError() | asyncpg.InterfaceError():
            return str(error)
        case _ if "rejected SSL upgrade" in str(error):
            return f"sslmode: the server has no TLS: {error}"
        case _:
            return f"nothing answers there: {error or type(error).__name__}"

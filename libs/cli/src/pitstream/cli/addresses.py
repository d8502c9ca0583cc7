"""Where the services are, and with which keys: what `pitstream up` wrote down, or the environment says."""

import os
from collections.abc import Mapping
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitstream.cli.credentials import Keys, find_keys

SERVICES = ("table", "settlement", "progressive", "wallet", "ops")
OPTIONAL = ("ops",)
"""What nobody else needs."""
FILE = "addresses.json"


class UnknownAddressError(Exception):
    """Nobody said where a service is."""


class Addresses(BaseModel):
    """Each service's base URL, without a slash at the end; and the keys to call with, which are never written out."""

    model_config = ConfigDict(frozen=True, extra="forbid", arbitrary_types_allowed=True)

    table: str
    settlement: str
    progressive: str
    wallet: str
    ops: str = ""
    """"" where nobody said it: no other service needs it."""
    keys: Keys = Field(default_factory=Keys, exclude=True, repr=False)

    def of(self, service: str) -> str:
        """The base URL of ``service``, one of ``SERVICES``."""
        url: str = getattr(self, service)
        return url

    @property
    def known(self) -> tuple[str, ...]:
        """The services whose address is known."""
        return tuple(service for service in SERVICES if self.of(service))


def variable(service: str) -> str:
    """The environment variable that says where a service is.

    >>> variable("table")
    'PITSTREAM_TABLE_URL'
    """
    return f"PITSTREAM_{service.upper()}_URL"


def find(home: Path, environ: Mapping[str, str] = os.environ) -> Addresses:
    """The services' addresses: each from its variable where that is set, else from the file in the stack's home.

    Raises UnknownAddressError when neither says it, KeysError where keys are named that cannot be read.
    """
    known: dict[str, str] = {}
    try:
        known = Addresses.model_validate_json((home / FILE).read_bytes()).model_dump()
    except FileNotFoundError:
        pass
    except ValidationError as fault:
        raise UnknownAddressError(f"{home / FILE} is not what `pitstream services up` writes: {fault}") from fault
    known |= {service: url.rstrip("/") for service in SERVICES if (url := environ.get(variable(service)))}
    missing = [variable(service) for service in SERVICES if service not in known and service not in OPTIONAL]
    if missing:
        raise UnknownAddressError(
            f"{', '.join(missing)}: not set, and no services were started here; run `pitstream up`, or set them"
        )
    return Addresses(**known, keys=find_keys(home, environ))

"""Settings of the wallet."""

import ipaddress
from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import AliasChoices, Field, field_validator
from pydantic_settings import SettingsConfigDict

from pitstream.accounting.properties import read_properties
from pitstream.games.paytables import with_property_s
from pitstream.runtime import ServiceSettings


class WalletSettings(ServiceSettings):
    """``PITSTREAM_WALLET_…``, and the addresses that all services share."""

    model_config = SettingsConfigDict(env_prefix="PITSTREAM_WALLET_")

    service: ClassVar[str] = "wallet"
    port: int = 8084
    webhook_networks: str = ""
    """Networks, with commas between, into which webhooks may go beside public addresses: ``10.1.0.0/16``. They may also
    be reached by plain http."""
    webhook_timeout_ms: Annotated[int, Field(ge=100, le=60_000)] = 10_000
    """How long a subscriber may take to answer a webhook."""
    webhook_pause_ms: Annotated[int, Field(ge=10, le=3_600_000)] = 2_000
    """Pause after a webhook's first failed attempt; each further one is three times as long, up to 4 hours."""
    webhook_attempts_max: Annotated[int, Field(ge=1, le=100)] = 12
    """Attempts after which a webhook's delivery is given up, until somebody sends it again."""

    properties: Path | None = None
    """File of the properties' time zones, day rolls and shifts, as TOML; without it every property has Pennsylvania's
    clocks, a day that begins at 6:00 and three shifts."""

    paytables: Annotated[Path | None, Field(validation_alias=AliasChoices("PITSTREAM_PAYTABLES"))] = None
    """A property's own file of paytables, beside the bundled ones; the same for every service that reads it. Here for
    their edges: a table's theoretical win."""

    @field_validator("paytables", mode="before")
    @classmethod
    def _are_paytables(cls, file: Path | str | None) -> Path | None:
        with_property_s(file)
        return Path(file) if file else None

    @field_validator("properties")
    @classmethod
    def _can_be_read(cls, file: Path | None) -> Path | None:
        read_properties(file)
        return file

    @field_validator("webhook_networks")
    @classmethod
    def _are_networks(cls, networks: str) -> str:
        networks_in(networks)
        return networks


def networks_in(text: str) -> tuple[ipaddress.IPv4Network | ipaddress.IPv6Network, ...]:
    """The networks that a setting names. Raises ValueError for what is none.

    >>> networks_in("127.0.0.0/8, ::1/128")
    (IPv4Network('127.0.0.0/8'), IPv6Network('::1/128'))
    """
    return tuple(ipaddress.ip_network(part.strip()) for part in text.split(",") if part.strip())

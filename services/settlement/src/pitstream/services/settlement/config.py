"""Settings of the settlement service."""

from typing import Annotated, ClassVar

from pydantic import AliasChoices, Field
from pydantic_settings import SettingsConfigDict

from pitstream.games.paytables import PropertyPaytables, bundled
from pitstream.runtime import ServiceSettings


class SettlementSettings(ServiceSettings):
    """``PITSTREAM_SETTLEMENT_…``, and the addresses that all services share."""

    model_config = SettingsConfigDict(env_prefix="PITSTREAM_SETTLEMENT_")

    service: ClassVar[str] = "settlement"
    port: int = 8082
    paytables: Annotated[
        PropertyPaytables,
        Field(default_factory=bundled, validate_default=False, validation_alias=AliasChoices("PITSTREAM_PAYTABLES")),
    ]
    """A property's own file of paytables, beside the bundled ones; the same for every service that reads it."""

"""Settings of the table service."""

from typing import Annotated, ClassVar

from pydantic import AliasChoices, Field
from pydantic_settings import SettingsConfigDict

from pitstream.games.paytables import PropertyPaytables, bundled
from pitstream.runtime import ServiceSettings


class TableSettings(ServiceSettings):
    """``PITSTREAM_TABLE_…``, and the addresses that all services share."""

    model_config = SettingsConfigDict(env_prefix="PITSTREAM_TABLE_")

    service: ClassVar[str] = "table"
    port: int = 8081
    paytables: Annotated[
        PropertyPaytables,
        Field(default_factory=bundled, validate_default=False, validation_alias=AliasChoices("PITSTREAM_PAYTABLES")),
    ]
    """A property's own file of paytables, beside the bundled ones; the same for every service that reads it."""
    network_silence_s: Annotated[int, Field(ge=1, le=86_400)] = 120
    """How long a network may leave a table's progressive wagers unanswered before the table takes no more of them."""

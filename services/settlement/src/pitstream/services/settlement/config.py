"""Settings of the settlement service."""

from typing import ClassVar

from pydantic_settings import SettingsConfigDict

from pitstream.runtime import ServiceSettings


class SettlementSettings(ServiceSettings):
    """``PITSTREAM_SETTLEMENT_…``, and the addresses that all services share."""

    model_config = SettingsConfigDict(env_prefix="PITSTREAM_SETTLEMENT_")

    service: ClassVar[str] = "settlement"
    port: int = 8082

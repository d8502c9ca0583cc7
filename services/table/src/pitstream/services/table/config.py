"""Settings of the table service."""

from typing import ClassVar

from pydantic_settings import SettingsConfigDict

from pitstream.runtime import ServiceSettings


class TableSettings(ServiceSettings):
    """``PITSTREAM_TABLE_…``, and the addresses that all services share."""

    model_config = SettingsConfigDict(env_prefix="PITSTREAM_TABLE_")

    service: ClassVar[str] = "table"
    port: int = 8081

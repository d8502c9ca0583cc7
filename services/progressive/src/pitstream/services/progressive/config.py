"""Settings of the progressive service."""

from typing import ClassVar

from pydantic_settings import SettingsConfigDict

from pitstream.runtime import ServiceSettings


class ProgressiveSettings(ServiceSettings):
    """``PITSTREAM_PROGRESSIVE_…``, and the addresses that all services share."""

    model_config = SettingsConfigDict(env_prefix="PITSTREAM_PROGRESSIVE_")

    service: ClassVar[str] = "progressive"
    port: int = 8083

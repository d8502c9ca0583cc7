"""Settings of the wallet."""

from typing import ClassVar

from pydantic_settings import SettingsConfigDict

from pitstream.runtime import ServiceSettings


class WalletSettings(ServiceSettings):
    """``PITSTREAM_WALLET_…``, and the addresses that all services share."""

    model_config = SettingsConfigDict(env_prefix="PITSTREAM_WALLET_")

    service: ClassVar[str] = "wallet"
    port: int = 8084

"""Settings of the ops room."""

from pathlib import Path
from typing import Annotated, ClassVar

from pydantic import AliasChoices, Field, SecretStr, field_validator
from pydantic_settings import SettingsConfigDict

from pitstream.games.paytables import with_property_s
from pitstream.runtime import ServiceSettings


class OpsSettings(ServiceSettings):
    """``PITSTREAM_OPS_…``, and the addresses that all services share."""

    model_config = SettingsConfigDict(env_prefix="PITSTREAM_OPS_")

    service: ClassVar[str] = "ops"
    port: int = 8085
    table_url: Annotated[str, Field(validation_alias=AliasChoices("PITSTREAM_TABLE_URL"))] = "http://127.0.0.1:8081"
    """Base URL of the table service: what a person does in the ops room is asked there, in that person's name."""
    settlement_url: Annotated[str, Field(validation_alias=AliasChoices("PITSTREAM_SETTLEMENT_URL"))] = (
        "http://127.0.0.1:8082"
    )
    """The same of the settlement service."""
    progressive_url: Annotated[str, Field(validation_alias=AliasChoices("PITSTREAM_PROGRESSIVE_URL"))] = (
        "http://127.0.0.1:8083"
    )
    """The same of the progressive service."""
    wallet_url: Annotated[str, Field(validation_alias=AliasChoices("PITSTREAM_WALLET_URL"))] = "http://127.0.0.1:8084"
    """The same of the wallet."""
    public_url: str = ""
    """Where browsers find the ops room, when something stands before it: ``https://ops.acme.example``. With ``https``
    its cookie goes over https alone."""
    session_key: Path | None = None
    """PEM file of the private key (Ed25519) that signs who has logged in with a password; its public half is named by
    ``[sessions]`` in the access file. Without it nobody logs in with a password."""
    session_hours: Annotated[int, Field(ge=1, le=24)] = 10
    """Hours until somebody who logged in with a password must do so again."""
    oidc_issuer: str = ""
    """Issuer of an OpenID Connect provider whose people log in here; the access file must name it too. Without it
    nobody logs in there."""
    oidc_client_id: str = ""
    """The ops room's client id there."""
    oidc_client_secret: SecretStr = SecretStr("")
    """Its secret; empty for a public client. The code is proven with PKCE either way."""
    oidc_name: str = "single sign-on"
    """What the login page calls the provider."""
    trace_url: Annotated[str, Field(pattern=r"^(https?://\S*\{trace_id\}\S*)?$")] = ""
    """Where a trace is looked at, with ``{trace_id}`` in its place: ``https://traces.acme.example/trace/{trace_id}``. A
    round's page links to its own there; without it the page shows the id."""
    properties: Path | None = None
    """File of the properties' time zones, day rolls and shifts, as TOML, the wallet's own; without it every property
    has Pennsylvania's clocks."""

    paytables: Annotated[Path | None, Field(validation_alias=AliasChoices("PITSTREAM_PAYTABLES"))] = None
    """A property's own file of paytables, beside the bundled ones; the same for every service that reads it. Here for
    their edges: the theoretical win."""

    @field_validator("paytables", mode="before")
    @classmethod
    def _are_paytables(cls, file: Path | str | None) -> Path | None:
        with_property_s(file)
        return Path(file) if file else None

    @property
    def is_https(self) -> bool:
        return self.public_url.startswith("https://")

    @property
    def cookie(self) -> str:
        """Name of the session's cookie; with https one that no other host can set."""
        return "__Host-pitstream-session" if self.is_https else "pitstream-session"

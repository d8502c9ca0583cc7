"""How every Kafka client of a process is let in at the brokers: the one place that makes its connection's arguments.

Read from the environment where a client is made and not handed from call to call, so that no client, in whichever child
process, can be opened without it; and read again each time, so that an exchanged password or certificate is used.
"""

import ssl
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

from aiokafka.conn import collect_hosts, create_conn  # type: ignore[import-untyped]
from aiokafka.errors import (  # type: ignore[import-untyped]
    AuthenticationFailedError,
    IllegalSaslStateError,
    KafkaConnectionError,
    KafkaError,
    SaslAuthenticationFailed,
    UnsupportedSaslMechanismError,
)
from aiokafka.protocol.metadata import MetadataRequest  # type: ignore[import-untyped]
from pydantic import ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from pitstream.runtime.secret import NoKeyError, read_key

_PREFIX = "PITSTREAM_KAFKA_"
_REFUSED_MS = 5_000
_OF_ANOTHER_HOST = {62, 64}
"""OpenSSL's numbers for a certificate that is for another name, or another address."""
_EXPIRED = 10


class KafkaRefusedError(ConnectionError):
    """The brokers do not let us in, or the settings say nothing that could. The text names the setting."""


class KafkaSecurity(BaseSettings):
    """``PITSTREAM_KAFKA_…``: the same names for every service and for the command ``pitstream``."""

    model_config = SettingsConfigDict(
        env_prefix=_PREFIX,
        frozen=True,
        extra="ignore",
        env_ignore_empty=True,
        use_attribute_docstrings=True,
        hide_input_in_errors=True,
    )

    security: Literal["plaintext", "ssl", "sasl_plaintext", "sasl_ssl"] = "plaintext"
    """How to speak to Kafka: ``plaintext``, ``ssl``, ``sasl_plaintext`` or ``sasl_ssl``. With ``ssl`` the broker's
    certificate and its host name are always checked."""
    ca: Path | None = None
    """PEM file of who vouches for the brokers' certificates; without it those whom the machine trusts."""
    client_certificate: Path | None = None
    """PEM file of our own certificate, with the chain behind it, for brokers that ask for one (mutual TLS)."""
    client_key: Path | None = None
    """PEM file of its private key, not encrypted."""
    mechanism: Literal["SCRAM-SHA-512", "SCRAM-SHA-256", "PLAIN"] = "SCRAM-SHA-512"
    """How a password is proven with ``sasl_…``."""
    user: str = ""
    """User with ``sasl_…``. One for each service lets the broker hold each to its own topic."""
    password: str = ""
    """Where the password is: ``file:/path`` or ``env:NAME``, never the password itself."""

    @property
    def is_tls(self) -> bool:
        return self.security in ("ssl", "sasl_ssl")

    @property
    def is_sasl(self) -> bool:
        return self.security.startswith("sasl_")

    def arguments(self) -> dict[str, Any]:
        """What every aiokafka client takes. Raises KafkaRefusedError, with every fault of the settings."""
        if faults := list(self._faults()):
            raise KafkaRefusedError("; ".join(faults))
        found: dict[str, Any] = {"security_protocol": self.security.upper()}
        if self.is_tls:
            found["ssl_context"] = self._context()
        if self.is_sasl:
            found["sasl_mechanism"] = self.mechanism
            found["sasl_plain_username"] = self.user
            found["sasl_plain_password"] = self._password()
        return found

    def _faults(self) -> Iterator[str]:
        # A setting that says nothing is a fault: whoever names a user and forgets the rest must not go on in clear.
        for name in ("ca", "client_certificate", "client_key"):
            if getattr(self, name) is not None and not self.is_tls:
                yield self._idle(name, "ssl, sasl_ssl")
        for name in ("user", "password"):
            if getattr(self, name) and not self.is_sasl:
                yield self._idle(name, "sasl_ssl, sasl_plaintext")
        if (self.client_certificate is None) != (self.client_key is None):
            yield f"{_PREFIX}CLIENT_CERTIFICATE and {_PREFIX}CLIENT_KEY: allowed: both, or neither"
        elif self.is_tls:
            try:
                self._context()
            except KafkaRefusedError as error:
                yield str(error)
        if self.is_sasl:
            yield from self._faults_of_sasl()

    def _idle(self, name: str, allowed: str) -> str:
        return f"{_PREFIX}{name.upper()}: says nothing with {_PREFIX}SECURITY={self.security}; allowed: {allowed}"

    def _faults_of_sasl(self) -> Iterator[str]:
        if not self.user:
            yield f"{_PREFIX}USER: was not set; {self.security} needs it"
        if self.security == "sasl_plaintext" and self.mechanism == "PLAIN":
            yield f"{_PREFIX}MECHANISM: was PLAIN, which sends the password in clear; allowed: SCRAM-SHA-512"
        try:
            self._password()
        except NoKeyError as error:
            yield f"{_PREFIX}PASSWORD: {error}"

    def _password(self) -> str:
        return read_key(self.password).decode()

    def _context(self) -> ssl.SSLContext:
        try:
            context = ssl.create_default_context(cafile=self.ca)
        except OSError as error:
            raise KafkaRefusedError(f"{_PREFIX}CA: was {self.ca}; holds no certificates: {error}") from error
        if self.client_certificate is not None and self.client_key is not None:
            try:
                # Without a passphrase at hand OpenSSL would ask for one on the terminal.
                context.load_cert_chain(self.client_certificate, self.client_key, password="")
            except (OSError, ValueError) as error:
                raise KafkaRefusedError(
                    f"{_PREFIX}CLIENT_CERTIFICATE and {_PREFIX}CLIENT_KEY: were {self.client_certificate} and "
                    f"{self.client_key}; no certificate with its key can be read there: {error}"
                ) from error
        return context


def security() -> KafkaSecurity:
    """As the environment has it. Raises KafkaRefusedError."""
    try:
        return KafkaSecurity()
    except ValidationError as faults:
        told = (f"{_PREFIX}{str(fault['loc'][0]).upper()}: {fault['msg']}" for fault in faults.errors())
        raise KafkaRefusedError("; ".join(told)) from None


def connection(kafka: str) -> dict[str, Any]:
    """What every client connects with, ``bootstrap_servers`` included. Raises KafkaRefusedError."""
    return {"bootstrap_servers": kafka, **security().arguments()}


@asynccontextmanager
async def explained(kafka: str) -> AsyncIterator[None]:
    """Where no broker lets a client in, says why: aiokafka tells it to its log alone. Raises KafkaRefusedError."""
    try:
        yield
    except (AuthenticationFailedError, KafkaConnectionError) as error:
        raise KafkaRefusedError(await why_refused(kafka)) from error


async def why_refused(kafka: str) -> str:
    """Try each broker once; what the first that refuses refuses us for."""
    told = security()
    arguments = told.arguments()
    for host, port, _ in collect_hosts(kafka):
        try:
            tried = await create_conn(host, port, request_timeout_ms=_REFUSED_MS, **arguments)
            try:
                # What a listener that asks for a user says nothing to, though it took the connection.
                await tried.send(MetadataRequest([]))
            finally:
                tried.close()
        except (KafkaError, OSError, TimeoutError) as error:
            return reason(error, f"{host}:{port}", told)
    return f"PITSTREAM_KAFKA: was {kafka}; no broker answered there a moment ago"


def reason(error: BaseException, broker: str, told: KafkaSecurity) -> str:
    """What is wrong, by the setting that may mend it."""
    match error:
        case ssl.SSLCertVerificationError(verify_code=code) if code in _OF_ANOTHER_HOST:
            return f"PITSTREAM_KAFKA: was {broker}; its certificate is for another host: {error.verify_message}"
        case ssl.SSLCertVerificationError(verify_code=code) if code == _EXPIRED:
            return f"PITSTREAM_KAFKA: was {broker}; its certificate has expired"
        case ssl.SSLCertVerificationError():
            whose = told.ca or "not set, so those whom this machine trusts"
            return f"{_PREFIX}CA: was {whose}; does not vouch for the certificate of {broker}: {error.verify_message}"
        case UnsupportedSaslMechanismError():
            return f"{_PREFIX}MECHANISM: was {told.mechanism}; {broker} has another"
        case IllegalSaslStateError():
            return f"{_PREFIX}SECURITY: was {told.security}; {broker} asks for no user there"
        case AuthenticationFailedError() | SaslAuthenticationFailed():
            return f"{_PREFIX}USER and {_PREFIX}PASSWORD: {broker} does not let {told.user!r} in with them"
        case ConnectionRefusedError() | TimeoutError():
            return f"PITSTREAM_KAFKA: was {broker}; nothing answers there"
        case ssl.SSLError() | ConnectionError() | KafkaConnectionError():
            hint = ", or asks for a client certificate" if told.is_tls and told.client_certificate is None else ""
            return f"{_PREFIX}SECURITY: was {told.security}; {broker} speaks otherwise{hint}: {error}"
        case _:
            return f"PITSTREAM_KAFKA: was {broker}: {error!r}"

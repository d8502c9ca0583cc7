"""Each setting of a service, its unit and its default. All faults are reported at once, at start."""

from pathlib import Path
from typing import Annotated, ClassVar, Literal, Self

from pydantic import AliasChoices, Field, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict

from pitstream.runtime.access_file import LoadedAccess
from pitstream.runtime.kafka_security import KafkaRefusedError, security
from pitstream.runtime.signing import KeyFileError, private_key

TOPIC_SOURCES = {
    "rounds.v1": "table",
    "settlements.v1": "settlement",
    "progressives.v1": "progressive",
    "wallet.v1": "wallet",
}
"""Which service writes which topic; an event from any other is not believed."""

DEAD_LETTERS_TOPIC = "dead-letters.v1"


def group_of(service: str, topic: str) -> str:
    """The consumer group in which all instances of a service read a topic."""
    return f"pitstream.{service}.{topic}"


class ServiceSettings(BaseSettings):
    """What every service is told. A service subclasses it with its own name, prefix and port::

        class TableSettings(ServiceSettings):
            service: ClassVar[str] = "table"
            model_config = SettingsConfigDict(env_prefix="PITSTREAM_TABLE_")
            port: Port = 7101

    ``PITSTREAM_KAFKA``, ``PITSTREAM_POSTGRES`` and ``PITSTREAM_ACCESS`` are shared by all services; the rest has the
    service's prefix.
    OpenTelemetry is set by its own standard variables (``OTEL_EXPORTER_OTLP_ENDPOINT`` turns the exporter on).
    """

    model_config = SettingsConfigDict(
        frozen=True,
        extra="ignore",
        populate_by_name=True,
        use_attribute_docstrings=True,
        # What was given where something else is wrong may be a password.
        hide_input_in_errors=True,
    )

    service: ClassVar[str]
    """The service's name: its PostgreSQL schema, its consumer groups' prefix, the ``source`` of its events."""

    kafka: Annotated[str, Field(min_length=1, validation_alias=AliasChoices("PITSTREAM_KAFKA"))]
    """Bootstrap addresses, ``host:port`` with commas between. How to be let in there: ``PITSTREAM_KAFKA_SECURITY``."""
    postgres: Annotated[str, Field(min_length=1, validation_alias=AliasChoices("PITSTREAM_POSTGRES"))]
    """``postgresql://user:password@host:port/database``; the service keeps to its own schema there. With TLS:
    ``?sslmode=verify-full&sslrootcert=/path/ca.crt``."""
    access: Annotated[LoadedAccess, Field(validation_alias=AliasChoices("PITSTREAM_ACCESS"))]
    """The access file: which credentials there are, and for whom. Read again when it changes."""
    host: str = "127.0.0.1"
    """Address to listen on; ``0.0.0.0`` in a container."""
    port: Annotated[int, Field(ge=0, le=65535)] = 0
    """0 takes a free one and logs it."""
    partitions: Annotated[int, Field(ge=1, le=1024)] = 6
    """Of each topic, when this service is the one that creates it."""
    replication: Annotated[int, Field(ge=0, le=9)] = 0
    """Copies of each topic; 0 takes one for each broker that answers, 3 at most."""
    pool_max: Annotated[int, Field(ge=2, le=200)] = 10
    """PostgreSQL connections of one process, beside the relay's own."""
    batch_max: Annotated[int, Field(ge=1, le=10_000)] = 500
    """Records in one polled batch, which is one transaction."""
    collect_ms: Annotated[int, Field(ge=0, le=5000)] = 100
    """How long the broker may collect records of a topic that nobody waits for, so that a transaction holds more."""
    start_wait_s: Annotated[int, Field(ge=1)] = 60
    """How long to wait for Kafka and PostgreSQL at start."""
    watchdog_s: Annotated[int, Field(ge=5)] = 60
    """No progress for this long while there is work ends the process, so that it is started afresh."""
    ready_lag_max: Annotated[int, Field(ge=0)] = 10_000
    """Records that a consumer may be behind and the service still be called ready."""
    body_max_bytes: Annotated[int, Field(ge=1024, le=64 * 1024 * 1024)] = 2 * 1024 * 1024
    """A request's body; a larger one is answered with 413."""
    rate_per_s: Annotated[int, Field(ge=1, le=1_000_000)] = 1000
    """Requests of one credential that one process answers each second, on average; more are answered with 429."""
    rate_burst: Annotated[int, Field(ge=1, le=1_000_000)] = 2000
    """Requests of one credential that may come at once, after a pause."""
    failures_burst: Annotated[int, Field(ge=1, le=10_000)] = 20
    """Failed credentials of one address that are answered one after the other; then one every ``failure_pause_s``."""
    failure_pause_s: Annotated[int, Field(ge=1, le=3600)] = 5
    """Seconds until an address that used up its failed credentials may try another one."""
    checkpoint_key: str = ""
    """Where the private key is that signs checkpoints of the service's streams: ``file:/path`` or ``env:NAME``. Without
    one no checkpoints are taken."""
    checkpoint_dir: Path | None = None
    """Folder that checkpoints are kept in, below ``checkpoints/<topic>``."""
    checkpoint_every_s: Annotated[int, Field(ge=1, le=86_400)] = 3600
    """How often to take one, when something happened since the last."""
    log_level: Literal["debug", "info", "warning", "error"] = "info"
    """From which level upwards to log."""

    @field_validator("kafka")
    @classmethod
    def _lets_us_in(cls, kafka: str) -> str:
        try:
            security().arguments()
        except KafkaRefusedError as error:
            raise ValueError(str(error)) from error
        return kafka

    @model_validator(mode="after")
    def _checkpoints_can_be_signed(self) -> Self:
        if bool(self.checkpoint_key) != (self.checkpoint_dir is not None):
            raise ValueError("checkpoint_key and checkpoint_dir: allowed: both, or neither")
        if self.checkpoint_key:
            try:
                private_key(self.checkpoint_key)
            except KeyFileError as error:
                raise ValueError(f"checkpoint_key: {error}") from error
        return self

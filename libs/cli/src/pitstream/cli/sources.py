"""Where a command reads events from: the event stores, the Kafka topics, or an archive's folder."""

import os
from pathlib import Path
from typing import Annotated, Final

import typer

from pitstream.archive import ArchiveSource, KafkaSource, Source, StoreSource
from pitstream.cli.options import UnusableError
from pitstream.stack import stack

POSTGRES: Final = "PITSTREAM_POSTGRES"
KAFKA: Final = "PITSTREAM_KAFKA"

SourceName = Annotated[
    str,
    typer.Option(
        "--source", help="Where from: `store` (the event stores), `kafka` (the topics), or an archive's folder."
    ),
]


def source_of(where: str, *, name: str, data_dir: Path | None) -> Source:
    """The source that ``--source`` names; open it with ``async with``. Raises UnusableError, and SourceError when it is
    opened and cannot be read."""
    match where:
        case "store":
            return StoreSource(postgres_of(name=name, data_dir=data_dir))
        case "kafka":
            return KafkaSource(kafka_of(name=name, data_dir=data_dir))
        case _ if Path(where).is_dir():
            return ArchiveSource(Path(where))
        case _:
            raise UnusableError(f"source: was {where!r}; allowed: store, kafka, or the folder of an archive")


def postgres_of(*, name: str, data_dir: Path | None) -> str:
    """The database's address: PITSTREAM_POSTGRES, else the embedded stack's. Raises UnusableError."""
    return _address(POSTGRES, stack.status(name=name, data_dir=data_dir).postgres)


def kafka_of(*, name: str, data_dir: Path | None) -> str:
    """The brokers' addresses: PITSTREAM_KAFKA, else the embedded stack's. Raises UnusableError."""
    return _address(KAFKA, stack.status(name=name, data_dir=data_dir).kafka)


def _address(variable: str, embedded: str | None) -> str:
    if address := os.environ.get(variable) or embedded:
        return address
    raise UnusableError(f"{variable}: not set, and no stack was started here; run `pitstream up`, or set it")

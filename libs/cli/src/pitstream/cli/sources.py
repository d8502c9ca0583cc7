"""Where a command reads events from: the event stores, the Kafka topics, or an archive's folder."""

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Final

import typer

from pitstream.archive import ArchiveSource, KafkaSource, Source, SourceError, StoreSource
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


@asynccontextmanager
async def opened(where: str, *, name: str, data_dir: Path | None) -> AsyncIterator[Source]:
    """The source that ``--source`` names, open for the length of the block. Raises UnusableError, also when it turns
    out in the block that it cannot be read."""
    try:
        async with _source(where, name, data_dir) as source:
            yield source
    except SourceError as error:
        raise UnusableError(str(error)) from error


def _source(where: str, name: str, data_dir: Path | None) -> Source:
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
    return _address(POSTGRES, lambda: stack.status(name=name, data_dir=data_dir).postgres)


def kafka_of(*, name: str, data_dir: Path | None) -> str:
    """The brokers' addresses: PITSTREAM_KAFKA, else the embedded stack's. Raises UnusableError."""
    return _address(KAFKA, lambda: stack.status(name=name, data_dir=data_dir).kafka)


def _address(variable: str, embedded: Callable[[], str | None]) -> str:
    if address := os.environ.get(variable) or embedded():
        return address
    raise UnusableError(f"{variable}: not set, and no stack was started here; run `pitstream up`, or set it")

"""Every event with its exact bytes, from wherever it is kept: the services' event stores, the Kafka topics, or a signed
archive of files. Each of the three is enough to rebuild any round, network or account.

Every source is a ``Source``: ``async with StoreSource(postgres) as source`` (or ``KafkaSource(kafka)``), then
``events`` of a topic and ``stream`` of one. ``Stored`` is an event as it lies there; ``fault_of`` and ``chained`` say
whether it is as it was written.
"""

from pitstream.archive.files import ArchiveSource
from pitstream.archive.kafka import KafkaSource
from pitstream.archive.store import StoreSource
from pitstream.archive.stored import (
    TOPICS,
    WHOLE,
    Fault,
    Shard,
    Source,
    SourceError,
    Stored,
    chained,
    fault_of,
    partition_of,
    stored_from,
    topic_of,
)

__all__ = [
    "TOPICS",
    "WHOLE",
    "ArchiveSource",
    "Fault",
    "KafkaSource",
    "Shard",
    "Source",
    "SourceError",
    "StoreSource",
    "Stored",
    "chained",
    "fault_of",
    "partition_of",
    "stored_from",
    "topic_of",
]

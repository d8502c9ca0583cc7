"""An archive's files as a source. Nothing is checked here but that they can be read: ``verify`` proves them."""

from collections.abc import AsyncIterator, Collection, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.compute as pc  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from pitstream.archive.manifest import Part, read_parts
from pitstream.archive.rows import Row, stored_of
from pitstream.archive.stored import WHOLE, Shard, SourceError, Stored

_ROWS_AT_ONCE: Final = 1000
_WHAT_IS_STORED: Final = [
    "topic", "key", "sequence", "stream", "version", "event_id", "type", "recorded_at", "hash", "envelope",
]  # fmt: skip


class ArchiveSource:
    """Reads every part of a folder that ``pitstream archive`` wrote, one after the other; or one part alone."""

    name = "archive"

    def __init__(self, directory: Path) -> None:
        self._directory = directory
        self.parts: list[Part] = []
        """Once it is open: its parts, the oldest first."""

    async def __aenter__(self) -> Self:
        """Raises SourceError where there is no archive, or a manifest cannot be read."""
        self.parts = read_parts(self._directory)
        if not self.parts:
            raise SourceError(f"{self._directory}: holds no archive; `pitstream archive` writes one")
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Files are open only while they are read."""

    async def events(
        self, topic: str, *, shard: Shard = WHOLE, keys: Collection[str] | None = None
    ) -> AsyncIterator[Stored]:
        """As every source; part after part, in each one key after the other."""
        for part in self.parts:
            for entry in part.manifest.files_of(topic):
                for row, number in rows_of(part.folder / entry.path, keys=keys, columns=_WHAT_IS_STORED):
                    stored = stored_of(row, f"{part.folder.name}/{entry.path} row {number}")
                    if shard.has(stored.key):
                        yield stored

    async def stream(self, topic: str, key: str, stream: str) -> list[Stored]:
        """As every source; of each file only the groups of rows that may hold the key are read."""
        found: list[Stored] = []
        for part in self.parts:
            for entry in part.manifest.files_of(topic):
                where = f"{part.folder.name}/{entry.path} row"
                rows = rows_of(part.folder / entry.path, keys=[key], stream=stream, columns=_WHAT_IS_STORED)
                found += (stored_of(row, f"{where} {number}") for row, number in rows)
        return sorted(found, key=lambda stored: stored.version)


def rows_of(
    file: Path,
    *,
    keys: Collection[str] | None = None,
    stream: str | None = None,
    columns: list[str] | None = None,
) -> Iterator[tuple[Row, int]]:
    """A Parquet file's rows with their numbers from 0, of some keys or one stream alone, a thousand at a time;
    ``recorded_at`` as microseconds. Raises SourceError when the file cannot be read or is not one of an archive."""
    try:
        with pq.ParquetFile(file, page_checksum_verification=True) as opened:
            first = 0
            for group in range(opened.num_row_groups):
                count = opened.metadata.row_group(group).num_rows
                if keys is None or _may_hold(opened.metadata.row_group(group), keys):
                    yield from _rows(opened, group, first, keys, stream, columns)
                first += count
    except (OSError, pa.ArrowException, KeyError) as error:
        raise SourceError(f"{file}: cannot be read: {error}") from error


def _rows(
    opened: Any, group: int, first: int, keys: Collection[str] | None, stream: str | None, columns: list[str] | None
) -> Iterator[tuple[Row, int]]:
    for batch in opened.iter_batches(batch_size=_ROWS_AT_ONCE, row_groups=[group], columns=columns):
        table = pa.Table.from_batches([batch])
        numbers: Iterable[int] = range(first, first + len(table))
        first += len(table)
        if keys is not None or stream is not None:
            wanted = (
                pc.is_in(table["key"], pa.array(sorted(keys or ())))
                if stream is None
                else pc.equal(table["stream"], stream)
            )
            numbers = pc.indices_nonzero(wanted).to_pylist()
            table, numbers = table.filter(wanted), [first - len(batch) + number for number in numbers]
        if "recorded_at" in table.column_names:
            place = table.column_names.index("recorded_at")
            table = table.set_column(place, "recorded_at", table["recorded_at"].cast(pa.int64()))
        yield from zip(table.to_pylist(), numbers, strict=True)


def _may_hold(group: Any, keys: Collection[str]) -> bool:
    """May the group of rows hold one of the keys? It says the lowest and the highest of its own."""
    for place in range(group.num_columns):
        column = group.column(place)
        if column.path_in_schema == "key" and column.is_stats_set and column.statistics.has_min_max:
            low, high = column.statistics.min, column.statistics.max
            return any(low <= key <= high for key in keys)
    return True

"""What can still be read of a Parquet file that is not as it was written: group by group, column by column."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa  # type: ignore[import-untyped]
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from pitstream.archive.rows import Row
from pitstream.archive.stored import SourceError


class Group(NamedTuple):
    """The rows of one group. A column that cannot be read is not in them."""

    first: int
    rows: list[Row]
    unreadable: tuple[str, ...]
    size: int
    """How many rows the group says it has."""


def groups_of(file: Path, schema: Any) -> Iterator[Group]:
    """Every group of the file as far as it can be read, whatever its checksums say. Raises SourceError when not even
    its list of groups can."""
    try:
        with pq.ParquetFile(file) as opened:
            if opened.schema_arrow.names != schema.names:
                raise SourceError(f"columns: were {opened.schema_arrow.names}; must be {schema.names}")
            first = 0
            for group in range(opened.num_row_groups):
                count = opened.metadata.row_group(group).num_rows
                yield _group(opened, group, first, count, schema)
                first += count
    except (OSError, pa.ArrowException, KeyError, ValueError, OverflowError) as error:
        raise SourceError(str(error)) from error


def _group(opened: Any, group: int, first: int, count: int, schema: Any) -> Group:
    columns: dict[str, list[Any]] = {}
    for name in schema.names:
        try:
            column = opened.read_row_group(group, columns=[name])[name]
            if name == "recorded_at":
                column = column.cast(pa.int64())
            values = column.to_pylist()
        except (OSError, pa.ArrowException, KeyError, ValueError, OverflowError):
            continue
        if len(values) == count:
            columns[name] = values
    rows = [dict(zip(columns, values, strict=True)) for values in zip(*columns.values(), strict=True)]
    return Group(first, rows, tuple(name for name in schema.names if name not in columns), count)

"""Parts that several processes or machines left: put together once every share is there, and each once."""

from collections.abc import Iterator, Sequence
from pathlib import Path

from pitstream.audit.judge import Report, judge
from pitstream.audit.part import Read, read_of


class PartsError(ValueError):
    """These parts are not one audit; the text names each file and what is wrong with it."""


def combine(files: Sequence[Path], *, complete: bool = False) -> Report:
    """What the parts in ``files`` come to together. Raises PartsError where they are not all shares of one audit, each
    given once: a share that is missing could hold the only fault, one that is given twice would count twice."""
    reads = [(file, read_of(file)) for file in files]
    faults = [f"{file}: was not read to its end, or is no part of an audit" for file, read in reads if read is None]
    known = [(file, read) for file, read in reads if read is not None]
    faults += _faults(known)
    if faults or not known:
        raise PartsError("; ".join(faults) or "was nothing; allowed: the parts of an audit")
    return judge(files, "parts", scope=known[0][1].scope, complete=complete)


def _faults(reads: Sequence[tuple[Path, Read]]) -> Iterator[str]:
    if not reads:
        return
    first, (shard, scope) = reads[0]
    by_number: dict[int, Path] = {}
    for file, read in reads:
        if read.shard.of != shard.of:
            yield f"{file}: is one of {read.shard.of} shares; {first} is one of {shard.of}"
        elif read.scope != scope:
            yield f"{file}: was asked about {read.scope}; {first} about {scope}"
        elif (other := by_number.setdefault(read.shard.number, file)) is not file:
            yield f"{file}: is share {read.shard.number}, as {other} is; allowed: each share once"
    missing = sorted(set(range(shard.of)) - {read.shard.number for _, read in reads})
    if missing:
        yield f"was without share {', '.join(map(str, missing))}; allowed: all {shard.of} shares, 0 to {shard.of - 1}"

"""What one share of the keys was found to be: findings, and what must agree with other shares, on disk.

An event of one topic owes something to another: a finished round its settlement, a settlement its postings, a winning
line its hit. Whoever reads the one writes down what is ``owed``, whoever reads the other what is ``told``, each under a
kind and a name; in the end both are joined. That is how keys are read one by one, on several machines, in memory that
does not grow: a part is an SQLite file, and parts are put together in any order.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterable, Iterator
from contextlib import closing
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

from pitstream.archive import Shard, Stored
from pitstream.audit.findings import Finding, difference
from pitstream.audit.scope import Scope
from pitstream.events import event_id_text

_AT_ONCE: Final = 2_000
FINDINGS_MAX: Final = 10_000
"""Findings that one part keeps; further ones are counted."""

_SCHEMA: Final = """
CREATE TABLE IF NOT EXISTS findings (
    topic TEXT, stream TEXT, version INTEGER, at INTEGER, finding TEXT
);
CREATE TABLE IF NOT EXISTS owed (
    kind TEXT, name TEXT, lane TEXT, at INTEGER, digest BLOB, content BLOB, may INTEGER, event TEXT
);
CREATE TABLE IF NOT EXISTS told (
    kind TEXT, name TEXT, lane TEXT, at INTEGER, digest BLOB, content BLOB, event TEXT
);
CREATE TABLE IF NOT EXISTS sums (
    account TEXT PRIMARY KEY, debits INTEGER NOT NULL, credits INTEGER NOT NULL, pending INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS legs (account TEXT, at INTEGER, place TEXT, amount INTEGER);
CREATE TABLE IF NOT EXISTS drifts (account TEXT, at INTEGER, version INTEGER, drift INTEGER, event TEXT);
CREATE TABLE IF NOT EXISTS counts (what TEXT PRIMARY KEY, number INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS read_to_its_end (
    share INTEGER NOT NULL, of_shares INTEGER NOT NULL, table_id TEXT, day TEXT
);
"""
SETTLEMENT: Final = "settlement"
"""The kind whose names are rounds: what is owed under it stands in a stream of the round's own."""
TABLES: Final = ("findings", "owed", "told", "legs", "drifts")


class Place(NamedTuple):
    """An event by its name, as findings have it."""

    topic: str
    stream: str
    version: int
    event_id: str
    where: str

    @classmethod
    def of(cls, stored: Stored) -> Self:
        return cls(stored.topic, stored.stream, stored.version, stored.event_id, stored.where)


class Read(NamedTuple):
    """What a part is of: which share of how many, and the rounds that were asked about."""

    shard: Shard
    scope: Scope


def read_of(path: Path) -> Read | None:
    """What the part in this file is of; None where it is no part, or was not read to its end."""
    try:
        with closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as db:
            rows = db.execute("SELECT share, of_shares, table_id, day FROM read_to_its_end").fetchall()
    except sqlite3.DatabaseError:
        return None
    return Read(Shard(*rows[0][:2]), Scope(*rows[0][2:])) if len(rows) == 1 else None


class Part:
    """Written by one reader; ``finish`` when it has come to the end of its share, and ``close`` in any case."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._db = sqlite3.connect(path)
        self._db.executescript(_SCHEMA)
        # It is made anew after a crash, so nothing waits for the disk.
        self._db.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = MEMORY; PRAGMA cache_size = -16000;")
        self._rows: dict[str, list[tuple[Any, ...]]] = {name: [] for name in TABLES}
        self._sums: dict[str, list[int]] = {}
        self._counts: dict[str, int] = {}
        self._found = 0

    def report(self, finding: Finding, at: int = 0) -> None:
        """Something is not as it must be. ``at``: when the event was recorded, so that the first can be told."""
        self.count("findings")
        self._found += 1
        if self._found <= FINDINGS_MAX:
            told = json.dumps([getattr(finding, name) for name in Finding.__slots__])
            self._add("findings", (finding.topic, finding.stream, finding.version, at, told))

    def owe(self, kind: str, name: str, lane: str, by: Stored, content: object, *, may: bool = False) -> None:
        """``by`` makes it necessary (``may``: allowed) that ``content`` is told once under ``name``. ``lane``: what is
        told in the order of time within it, so that what is still on its way can be told from what is missing."""
        digest, packed = _packed(content)
        row = (kind, name, lane, by.recorded_at_us, digest, packed, int(may), json.dumps(Place.of(by)))
        self._add("owed", row)

    def tell(self, kind: str, name: str, lane: str, by: Stored, content: object) -> None:
        """``by`` says ``content`` under ``name``."""
        digest, packed = _packed(content)
        self._add("told", (kind, name, lane, by.recorded_at_us, digest, packed, json.dumps(Place.of(by))))

    def move(self, account: str, *, debits: int = 0, credits: int = 0, pending: int = 0) -> None:  # noqa: A002
        """What an account's sums grow by, minor units."""
        sums = self._sums.setdefault(account, [0, 0, 0])
        sums[0] += debits
        sums[1] += credits
        sums[2] += pending
        if len(self._sums) >= _AT_ONCE:
            self._flush_sums()

    def leg(self, account: str, by: Stored, amount: int) -> None:
        """``by``, of another account's stream, left ``amount`` more on this account."""
        self._add("legs", (account, by.recorded_at_us, f"{by.stream}#{by.version:012}", amount))

    def drift(self, account: str, by: Stored, drift: int) -> None:
        """By how much the balance that ``by`` tells differs from what the account's own stream makes."""
        self._add("drifts", (account, by.recorded_at_us, by.version, drift, json.dumps(Place.of(by))))

    def count(self, what: str, number: int = 1) -> None:
        self._counts[what] = self._counts.get(what, 0) + number

    def finish(self, shard: Shard, scope: Scope) -> None:
        """Every event of the share was judged."""
        self._db.execute("INSERT INTO read_to_its_end VALUES (?, ?, ?, ?)", (*shard, scope.table, scope.day))

    def close(self) -> None:
        """Everything is on disk."""
        for name in TABLES:
            self._flush(name)
        self._flush_sums()
        self._db.executemany(
            "INSERT INTO counts VALUES (?, ?) ON CONFLICT (what) DO UPDATE SET number = number + excluded.number",
            self._counts.items(),
        )
        self._db.commit()
        self._db.close()

    def _add(self, table: str, row: tuple[Any, ...]) -> None:
        rows = self._rows[table]
        rows.append(row)
        if len(rows) >= _AT_ONCE:
            self._flush(table)

    def _flush(self, table: str) -> None:
        rows = self._rows[table]
        if rows:
            marks = ", ".join("?" * len(rows[0]))
            self._db.executemany(f"INSERT INTO {table} VALUES ({marks})", rows)  # noqa: S608
            self._db.commit()
            rows.clear()

    def _flush_sums(self) -> None:
        rows = [(account, *map(str, sums)) for account, sums in self._sums.items()]
        self._db.executemany(_ADD_SUMS, rows)
        self._db.commit()
        self._sums.clear()


_ADD_SUMS: Final = """
INSERT INTO sums VALUES (?, CAST(? AS INTEGER), CAST(? AS INTEGER), CAST(? AS INTEGER)) ON CONFLICT (account) DO UPDATE
SET debits = debits + excluded.debits, credits = credits + excluded.credits, pending = pending + excluded.pending
"""


def _packed(content: object) -> tuple[bytes, bytes]:
    text = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    return blake2b(text, digest_size=16).digest(), zlib.compress(text, 1)


def unpacked(packed: bytes) -> Any:
    return json.loads(zlib.decompress(packed))


class Whole:
    """All parts put together; findings of agreement are made here. ``with`` removes nothing: parts stay as they are."""

    def __init__(self, parts: Iterable[Path], path: Path) -> None:
        self._db = sqlite3.connect(path)
        self._db.executescript(_SCHEMA)
        self._db.executescript("PRAGMA synchronous = OFF; PRAGMA journal_mode = OFF; PRAGMA cache_size = -64000;")
        for part in parts:
            self._db.execute("ATTACH ? AS part", (str(part),))
            for name in TABLES:
                self._db.execute(f"INSERT INTO {name} SELECT * FROM part.{name}")  # noqa: S608
            self._db.execute(
                "INSERT INTO sums SELECT * FROM part.sums WHERE true ON CONFLICT (account) DO UPDATE SET"
                " debits = debits + excluded.debits, credits = credits + excluded.credits,"
                " pending = pending + excluded.pending"
            )
            self._db.execute(
                "INSERT INTO counts SELECT * FROM part.counts WHERE true"
                " ON CONFLICT (what) DO UPDATE SET number = number + excluded.number"
            )
            self._db.commit()
            self._db.execute("DETACH part")
        self._db.executescript(
            "CREATE INDEX owed_by_name ON owed (kind, name); CREATE INDEX told_by_name ON told (kind, name);"
            "CREATE INDEX legs_of ON legs (account, at, place); CREATE INDEX drifts_of ON drifts (account, version);"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._db.close()

    def counts(self) -> dict[str, int]:
        return dict(self._db.execute("SELECT what, number FROM counts ORDER BY what"))

    def sums(self) -> Iterator[tuple[str, int, int, int]]:
        """Account, debits, credits, pending: by account."""
        yield from self._db.execute("SELECT account, debits, credits, pending FROM sums ORDER BY account")

    def findings(self) -> Iterator[tuple[int, Finding]]:
        """Those of the parts, by the time at which their events were recorded."""
        for at, told in self._db.execute("SELECT at, finding FROM findings ORDER BY at, topic, stream, version"):
            yield at, Finding(*json.loads(told))

    def disagreements(self, *, complete: bool, scoped: bool) -> Iterator[tuple[int, Finding]]:
        """Where what is owed and what is told are not the same. ``complete``: nothing is on its way any more.
        ``scoped``: only a part of what there is was asked about, so that what nobody owes may be owed elsewhere."""
        for kind, name in self._db.execute(_UNEQUAL):
            yield from self._unequal(kind, name, complete=complete, scoped=scoped)

    def under_way(self) -> int:
        """How much is owed that is not told, and is not missing either: it is on its way."""
        found: int = self._db.execute(_UNDER_WAY).fetchone()[0]
        return found

    def _unequal(self, kind: str, name: str, *, complete: bool, scoped: bool) -> Iterator[tuple[int, Finding]]:
        owed = self._db.execute(
            "SELECT lane, at, digest, content, may, event FROM owed WHERE (kind, name) = (?, ?) ORDER BY at",
            (kind, name),
        ).fetchall()
        told = self._db.execute(
            "SELECT lane, at, digest, content, event FROM told WHERE (kind, name) = (?, ?) ORDER BY at",
            (kind, name),
        ).fetchall()
        # What is equal on both sides is done with, one for one.
        for one in list(owed):
            same = next((other for other in told if other[2] == one[2]), None)
            if same is not None:
                owed.remove(one)
                told.remove(same)
        owed = [one for one in owed if not one[4]]
        for one, other in zip(owed, told, strict=False):
            where, recorded, right = difference(unpacked(other[3]), unpacked(one[3]))
            by = Place(*json.loads(one[5]))
            message = f"{kind} {name}: {where} is not what follows from {by.stream} version {by.version}"
            yield other[1], _finding(kind, Place(*json.loads(other[4])), message, recorded, right)
        for lane, at, _, content, _, event in owed[len(told) :]:
            if complete or self._later("told", kind, lane, at):
                by = Place(*json.loads(event))
                message = f"{kind} {name} follows from {by.stream} version {by.version}, and is not there"
                yield at, _finding(kind, _missing(kind, name, by), message, "nothing", json.dumps(unpacked(content)))
        for lane, at, _, content, event in told[len(owed) :]:
            if not scoped and (complete or self._later("owed", kind, lane, at)):
                message = f"{kind} {name}: follows from no event, or is told more than once"
                place = Place(*json.loads(event))
                yield at, _finding(kind, place, message, json.dumps(unpacked(content)), "nothing")

    def _later(self, table: str, kind: str, lane: str, at: int) -> bool:
        query = f"SELECT 1 FROM {table} WHERE (kind, lane) = (?, ?) AND at > ? LIMIT 1"  # noqa: S608
        self._db.execute(f"CREATE INDEX IF NOT EXISTS {table}_by_lane ON {table} (kind, lane, at)")
        return self._db.execute(query, (kind, lane, at)).fetchone() is not None

    def told_twice(self, kind: str) -> Iterator[tuple[int, Finding]]:
        """What may be told once only, whatever is owed."""
        for name, at, event in self._db.execute(
            "SELECT name, max(at), event FROM told WHERE kind = ? GROUP BY name HAVING count(*) > 1", (kind,)
        ):
            yield at, _finding(kind, Place(*json.loads(event)), f"{kind} {name} is told more than once")

    def drifting(self) -> Iterator[tuple[int, Finding]]:
        """Balances that are told and that no order of the account's movements makes: each is what the account's own
        stream makes of it, and what other streams had moved by then, which is a beginning of all that they moved."""
        for (account,) in self._db.execute("SELECT DISTINCT account FROM drifts ORDER BY account").fetchall():
            legs = self._db.execute("SELECT amount FROM legs WHERE account = ? ORDER BY at, place", (account,))
            moved = 0
            for at, drift, event in self._db.execute(
                "SELECT at, drift, event FROM drifts WHERE account = ? ORDER BY version", (account,)
            ):
                while moved != drift and (leg := legs.fetchone()) is not None:
                    moved += leg[0]
                if moved != drift:
                    message = f"balance_after of {account} is off by {drift - moved}: no transfer explains it"
                    yield at, _finding("balance", Place(*json.loads(event)), message, drift, moved)
                    break


def _finding(check: str, at: Place, message: str, recorded: object = "", right: object = "") -> Finding:
    return Finding(
        check, at.topic, at.stream, at.version, at.event_id, at.where, message, str(recorded)[:500], str(right)[:500]
    )


def _missing(kind: str, name: str, by: Place) -> Place:
    """What is missing, where its name is known; else what it follows from."""
    if kind != SETTLEMENT:
        return by
    stream = f"settlement/{name}"
    return Place("settlements.v1", stream, 1, event_id_text(stream, 1), by.where)


_UNEQUAL: Final = """
SELECT DISTINCT kind, name FROM (
    SELECT kind, name, digest, 1 - may AS must, may, 0 AS told FROM owed
    UNION ALL SELECT kind, name, digest, 0, 0, 1 FROM told WHERE kind <> 'transfer'
) GROUP BY kind, name, digest
HAVING sum(told) > sum(must) + sum(may) OR sum(told) < sum(must)
"""
_UNDER_WAY: Final = """
SELECT count(*) FROM owed
WHERE may = 0 AND NOT EXISTS (SELECT 1 FROM told WHERE (told.kind, told.name) = (owed.kind, owed.name))
"""

"""Everybody's books of one gaming day side by side, and every difference in them, with its cause.

The books are kept in a temporary SQLite file that nobody else sees, so a day of any size takes little memory. What is
compared, and in which order, stands in ``causes.sql``.
"""

import re
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from importlib.resources import files
from typing import Any, Final, Self

from pitstream.cli.statement_file import StatementLine, Unreadable
from pitstream.events.ids import operator_of

_CAUSE: Final = re.compile(r"^-- between ([a-z -]+): ([a-z ]+)\n", re.MULTILINE)
WITH_OPERATOR: Final = "operator and ledger"


@dataclass(frozen=True, slots=True)
class Difference:
    """One difference. ``between``: whose books; ``cause``: in few words; ``says``: what each of them has."""

    between: str
    cause: str
    what: str
    currency: str
    says: str

    def as_json(self) -> dict[str, str]:
        return asdict(self)


def causes() -> list[tuple[str, str, str]]:
    """Between whom, which cause, and the query that finds it, in order."""
    _, *parts = _CAUSE.split(_text("causes.sql"))
    return list(zip(parts[::3], parts[1::3], parts[2::3], strict=True))


def _text(name: str) -> str:
    return (files("pitstream.cli") / name).read_text(encoding="utf-8")


class Compared:
    """The books of one day. Fill them, then ask for ``differences``; use it with ``with``."""

    def __init__(self) -> None:
        # The empty name: a file of its own in the system's folder for such, gone with the connection.
        self._books = sqlite3.connect("")
        self._books.executescript(_text("books.sql"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._books.close()

    def add(self, table: str, rows: Iterable[Sequence[Any]]) -> None:
        """Rows of one of the tables of ``books.sql``, with all their columns in order. What is ours is known once."""
        for row in rows:
            marks = ", ".join("?" * len(row))
            self._books.execute(f"INSERT OR IGNORE INTO {table} VALUES ({marks})", tuple(row))  # noqa: S608  # names of this module

    def add_statement(self, lines: Iterable[StatementLine | Unreadable]) -> None:
        for one in lines:
            if isinstance(one, Unreadable):
                self.add("unreadable", [(one.line, one.says)])
            else:
                row = (one.line, one.transaction_id, one.reference, one.player, one.currency, one.way, one.amount)
                self.add("theirs", [row])

    def operators_of_statement(self) -> list[str]:
        """Whose players the operator's lines are of."""
        rows = self._books.execute("SELECT DISTINCT player FROM theirs")
        return sorted({operator_of(player) for (player,) in rows})

    def not_ours_yet(self, operator: str, at_once: int) -> Iterator[list[str]]:
        """Ids that the operator's lines name and that are not among ours, some at a time."""
        rows = self._books.execute(
            "SELECT id, player FROM theirs UNION SELECT reference, player FROM theirs WHERE way = 'rollback'"
            " EXCEPT SELECT id, player FROM ours"
        )
        some: list[str] = []
        for one, player in rows:
            if operator_of(player) == operator:
                some.append(one)
            if len(some) == at_once:
                yield some
                some = []
        if some:
            yield some

    def has_round(self, table: str, round_no: int) -> bool:
        """Whether the round is one of the day's."""
        found = self._books.execute("SELECT 1 FROM rounds WHERE (table_id, round_no) = (?, ?)", (table, round_no))
        return found.fetchone() is not None

    def is_settled(self, table: str, round_no: int, seat: int, player: str) -> bool:
        """Whether the seat is settled for that player."""
        query = "SELECT 1 FROM settled WHERE (table_id, round_no, seat, player) = (?, ?, ?, ?)"
        return self._books.execute(query, (table, round_no, seat, player)).fetchone() is not None

    def count(self, table: str) -> int:
        """How many rows a table has."""
        count: int = self._books.execute(f"SELECT count(*) FROM {table}").fetchone()[0]  # noqa: S608
        return count

    def open_items(self) -> list[str]:
        """What is not decided yet, and so no difference: one sentence each."""
        waiting = self._books.execute(
            "SELECT DISTINCT kind || ' ' || id || ' of ' || table_id || '/' || round_no || ' is ' || status"
            " FROM decided WHERE status NOT IN ('paid', 'refused') ORDER BY 1"
        )
        unclosed = self._books.execute(
            "SELECT 'the day of table ' || table_id || ' in ' || currency || ' is not closed'"
            " FROM counted WHERE state <> 'closed' ORDER BY 1"
        )
        return [text for (text,) in [*waiting, *unclosed]]

    def differences(self, *, with_operator: bool) -> Iterator[Difference]:
        """Every difference, cause by cause."""
        for between, cause, query in causes():
            if with_operator or between != WITH_OPERATOR:
                for what, currency, says in self._books.execute(query):
                    yield Difference(between, cause, what, currency, says)

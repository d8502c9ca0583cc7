"""The operator's books in SQLite: players' balances, every transaction's answer for ever, tombstones.

Check, movement and answer are one database transaction. The same transaction gets the same answer under any number of
request ids; a rollback of a transaction that never came leaves a tombstone, which refuses it when it comes late.
"""

import csv
import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal, TextIO

UnknownRollback = Literal["success", "not_found", "parent_failed"]
STATEMENT_FIELDS = ("transaction_id", "reference", "player", "currency", "kind", "amount", "at")

_SCHEMA = """
CREATE TABLE IF NOT EXISTS players (
    player TEXT PRIMARY KEY, currency TEXT NOT NULL, balance INTEGER NOT NULL CHECK (balance >= 0),
    opening INTEGER NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS transactions (
    transaction_id TEXT PRIMARY KEY, verb TEXT NOT NULL, content TEXT NOT NULL,
    code TEXT NOT NULL, message TEXT NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS rolled_back (transaction_id TEXT PRIMARY KEY) STRICT;
CREATE TABLE IF NOT EXISTS booked (
    position INTEGER PRIMARY KEY, transaction_id TEXT NOT NULL UNIQUE, reference TEXT NOT NULL, player TEXT NOT NULL,
    currency TEXT NOT NULL, kind TEXT NOT NULL, amount INTEGER NOT NULL CHECK (amount > 0), at TEXT NOT NULL
) STRICT;
"""


@dataclass(frozen=True, slots=True)
class Asked:
    """What a debit, credit or rollback asks for. ``reference``: the debit that the others refer to, or ""."""

    transaction_id: str
    reference: str
    player: str
    currency: str
    amount: int

    @property
    def content(self) -> str:
        """The same for the same effect."""
        return "\n".join((self.reference, self.player, self.currency, str(self.amount)))


@dataclass(frozen=True, slots=True)
class Verdict:
    """``code`` is "" where it was done. ``balance``: minor units, None for a player that is not known."""

    code: str
    message: str
    balance: int | None


class _RefusedError(Exception):
    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


class Books:
    """One file of books. Not shared between threads."""

    def __init__(self, file: Path, *, unknown_rollback: UnknownRollback = "not_found", opening: int = 0) -> None:
        """``opening``: minor units that a player who was never seen is given, as a guest with a voucher would be; 0
        refuses unknown players."""
        self._unknown_rollback = unknown_rollback
        self._opening = opening
        self._db = sqlite3.connect(file, isolation_level=None)
        # Written ahead and handed to the system at each commit: it is there after the process was killed.
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.execute("PRAGMA synchronous=NORMAL")
        self._db.executescript(_SCHEMA)

    def close(self) -> None:
        self._db.close()

    def open_player(self, player: str, currency: str, opening: int) -> int:
        """Open a player with a balance, minor units, unless it is there; its balance now."""
        self._db.execute(
            "INSERT INTO players (player, currency, balance, opening) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING",
            (player, currency, opening, opening),
        )
        balance = self.balance(player)
        if balance is None:
            raise RuntimeError(f"{player}: was opened and is gone")
        return balance

    def balance(self, player: str) -> int | None:
        """Minor units; None for a player that is not known."""
        row = self._db.execute("SELECT balance FROM players WHERE player = ?", (player,)).fetchone()
        return None if row is None else int(row[0])

    def players(self) -> list[tuple[str, str, int, int]]:
        """(player, currency, opening, balance) of every player, by name."""
        return list(self._db.execute("SELECT player, currency, opening, balance FROM players ORDER BY player"))

    def carry_out(self, verb: Literal["debit", "credit", "rollback"], asked: Asked) -> Verdict:
        """Do it, once for ever; what was said the first time, every further time."""
        self._db.execute("BEGIN IMMEDIATE")
        try:
            verdict = self._decide(verb, asked)
        except BaseException:
            self._db.execute("ROLLBACK")
            raise
        self._db.execute("COMMIT")
        return verdict

    def _decide(self, verb: Literal["debit", "credit", "rollback"], asked: Asked) -> Verdict:
        known = self._db.execute(
            "SELECT verb, content, code, message FROM transactions WHERE transaction_id = ?", (asked.transaction_id,)
        ).fetchone()
        if known is not None:
            if known[:2] != (verb, asked.content):
                return Verdict("transaction_id_reused", "it came before with other content", self.balance(asked.player))
            return Verdict(known[2], known[3], self.balance(asked.player))
        code = message = ""
        try:
            {"debit": self._debit, "credit": self._credit, "rollback": self._roll_back}[verb](asked)
        except _RefusedError as refused:
            code, message = refused.code, refused.message
        self._db.execute(
            "INSERT INTO transactions (transaction_id, verb, content, code, message) VALUES (?, ?, ?, ?, ?)",
            (asked.transaction_id, verb, asked.content, code, message),
        )
        return Verdict(code, message, self.balance(asked.player))

    def _debit(self, asked: Asked) -> None:
        if self._is_rolled_back(asked.transaction_id):
            raise _RefusedError("rolled_back", "its rollback came before it")
        balance = self._funds_of(asked)
        if balance < asked.amount:
            raise _RefusedError("insufficient_funds", f"was {asked.amount}; available: {balance}")
        self._book("debit", asked, asked.player, -asked.amount)

    def _credit(self, asked: Asked) -> None:
        self._funds_of(asked)
        self._book("credit", asked, asked.player, asked.amount)

    def _roll_back(self, asked: Asked) -> None:
        debit = self._db.execute(
            "SELECT code FROM transactions WHERE transaction_id = ? AND verb = 'debit'", (asked.reference,)
        ).fetchone()
        done_before = self._is_rolled_back(asked.reference)
        # The tombstone: whatever is answered below, this debit never moves anything from here on.
        self._db.execute("INSERT INTO rolled_back VALUES (?) ON CONFLICT DO NOTHING", (asked.reference,))
        if debit is None or debit[0]:
            if self._unknown_rollback == "parent_failed":
                raise _RefusedError("parent_failed", "the transaction to be rolled back never took anything")
            if self._unknown_rollback == "not_found":
                raise _RefusedError("transaction_not_found", "there is no transaction to be rolled back")
            return
        if not done_before:
            player, amount = self._db.execute(
                "SELECT player, amount FROM booked WHERE transaction_id = ?", (asked.reference,)
            ).fetchone()
            taken = Asked(asked.transaction_id, asked.reference, player, asked.currency, amount)
            self._book("rollback", taken, player, amount)

    def _is_rolled_back(self, transaction_id: str) -> bool:
        found = self._db.execute("SELECT 1 FROM rolled_back WHERE transaction_id = ?", (transaction_id,))
        return found.fetchone() is not None

    def _funds_of(self, asked: Asked) -> int:
        if self._opening:
            self.open_player(asked.player, asked.currency, self._opening)
        row = self._db.execute("SELECT currency, balance FROM players WHERE player = ?", (asked.player,)).fetchone()
        if row is None:
            raise _RefusedError("unknown_player", f"was {asked.player!r}")
        if row[0] != asked.currency:
            raise _RefusedError("wrong_currency", f"was {asked.currency}; the player's money is {row[0]}")
        return int(row[1])

    def _book(self, kind: str, asked: Asked, player: str, change: int) -> None:
        self._db.execute("UPDATE players SET balance = balance + ? WHERE player = ?", (change, player))
        self._db.execute(
            "INSERT INTO booked (transaction_id, reference, player, currency, kind, amount, at)"
            " VALUES (?, ?, ?, ?, ?, ?, ?)",
            (
                asked.transaction_id,
                asked.reference,
                player,
                asked.currency,
                kind,
                abs(change),
                datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
            ),
        )

    def statement(self) -> Iterator[tuple[str, ...]]:
        """Every movement of money, in the order booked: the fields of ``STATEMENT_FIELDS``."""
        for row in self._db.execute(
            "SELECT transaction_id, reference, player, currency, kind, amount, at FROM booked ORDER BY position"
        ):
            yield tuple(str(field) for field in row)


def write_statement(books: Books, file: TextIO) -> None:
    """The statement as CSV, header first."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(STATEMENT_FIELDS)
    writer.writerows(books.statement())

"""An operator's statement file, as docs/reconciliation.md has it: read line by line, however large it is."""

import csv
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final, Literal
from uuid import UUID

from pitstream.events.model import INT64_MAX

FIELDS: Final = ("transaction_id", "reference", "player", "currency", "kind", "amount", "at")
WAYS: Final = {"deposit": "in", "debit": "in", "withdrawal": "out", "credit": "out", "rollback": "rollback"}
"""What each kind is, seen from the game account."""
_FIELD_MAX: Final = 200
_PLAYER: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:-]{0,63}")
_CURRENCY: Final = re.compile(r"[A-Z]{3}")
_AMOUNT: Final = re.compile(r"[1-9][0-9]{0,18}")


@dataclass(frozen=True, slots=True)
class StatementLine:
    """One movement, as the operator booked it."""

    line: int
    transaction_id: str
    reference: str
    player: str
    currency: str
    way: Literal["in", "out", "rollback"]
    amount: int
    at: str


@dataclass(frozen=True, slots=True)
class Unreadable:
    """A line that says nothing that could be compared."""

    line: int
    says: str


class StatementFileError(Exception):
    """The file is no statement at all."""


def read_statement(lines: Iterable[str]) -> Iterator[StatementLine | Unreadable]:
    """The movements in the lines of a statement file, the first of which names its fields.

    >>> header = "transaction_id,reference,player,currency,kind,amount,at"
    >>> row = "4f0c3a52-1f0f-5e0e-9a3b-0f1c7f5f6a10,,acme:p001,USD,debit,25.00,2026-03-28T21:04:11Z"
    >>> list(read_statement([header, row]))
    [Unreadable(line=2, says="amount: was '25.00'; allowed: digits, minor units above 0")]

    Raises StatementFileError when a field is missing.
    """
    numbered = enumerate(lines, start=1)
    try:
        header = _fields(next(numbered)[1])
    except (StopIteration, csv.Error) as empty:
        raise StatementFileError(f"line 1: was empty; allowed: a header with {', '.join(FIELDS)}") from empty
    names = [name.strip().removeprefix("\ufeff") for name in header]
    if sorted(names) != sorted(FIELDS):
        raise StatementFileError(f"line 1: was {', '.join(names)[:_FIELD_MAX]!r}; allowed: {', '.join(FIELDS)}")
    for number, line in numbered:
        try:
            row = _fields(line)
        except csv.Error as error:
            yield Unreadable(number, f"was no line of CSV: {error}")
            continue
        if row:
            yield _line(number, names, row)


def _fields(line: str) -> list[str]:
    """A line's fields. None has a line end in it: a quote that is never closed must not take the lines behind it."""
    return next(csv.reader([line], strict=True), [])


def _line(number: int, names: list[str], row: list[str]) -> StatementLine | Unreadable:
    if len(row) != len(names):
        return Unreadable(number, f"was {len(row)} fields; allowed: {len(names)}")
    said = dict(zip(names, row, strict=True))
    transaction_id = _uuid(said["transaction_id"])
    reference = _uuid(said["reference"]) if said["reference"] else ""
    faults = [
        None if transaction_id else ("transaction_id", "a UUID"),
        None if reference is not None and (reference or said["kind"] != "rollback") else ("reference", "a UUID"),
        None if _PLAYER.fullmatch(said["player"]) else ("player", "a player's id"),
        None if _CURRENCY.fullmatch(said["currency"]) else ("currency", "three capital letters"),
        None if said["kind"] in WAYS else ("kind", ", ".join(WAYS)),
        None if _is_amount(said["amount"]) else ("amount", "digits, minor units above 0"),
        None if _is_moment(said["at"]) else ("at", "a moment with its offset, such as 2026-03-28T21:04:11Z"),
    ]
    for fault in faults:
        if fault is not None:
            field, allowed = fault
            return Unreadable(number, f"{field}: was {said[field][:_FIELD_MAX]!r}; allowed: {allowed}")
    return StatementLine(
        line=number,
        transaction_id=str(transaction_id),
        reference=str(reference),
        player=said["player"],
        currency=said["currency"],
        way=WAYS[said["kind"]],  # type: ignore[arg-type]  # the words of WAYS
        amount=int(said["amount"]),
        at=said["at"],
    )


def _uuid(text: str) -> str | None:
    try:
        return str(UUID(text))
    except ValueError:
        return None


def _is_amount(text: str) -> bool:
    return bool(_AMOUNT.fullmatch(text)) and int(text) <= INT64_MAX


def _is_moment(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False

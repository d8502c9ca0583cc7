"""Named invariants: what must hold in a service's schema at every moment, as SQL that returns what breaks it.

Each service ships its own beside its code, in files named ``invariants*.sql``; those that hold in every service's
schema ship with the runtime. A file is a list of::

    -- invariant: every_meter_is_what_its_events_say
    -- A sentence or two that say what must hold, for the person who reads the audit.
    SELECT ... the rows that break it, with the columns that name them ...;

A query runs in a read-only transaction on one snapshot of the schema, which is its search path. No row: it holds.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

SERVICES: Final = ("table", "settlement", "progressive", "wallet")
_BEGINNING: Final = re.compile(r"^-- invariant: ([a-z0-9_]+)[ \t]*\n((?:--.*\n)+)", re.MULTILINE)


class InvariantError(ValueError):
    """A file of invariants is not as this module says: the file, what was found, what is allowed."""


@dataclass(frozen=True, slots=True)
class Invariant:
    """One of them; ``sql`` returns the rows that break it."""

    name: str
    says: str
    sql: str


def invariants_of(service: str) -> list[Invariant]:
    """Every invariant of a service's schema, those of every schema first.

    Raises InvariantError for a file that is not of the form above, or a name that comes twice; ModuleNotFoundError when
    the service is not installed here.
    """
    found: dict[str, Invariant] = {}
    for package in ("pitstream.runtime", f"pitstream.services.{service}"):
        for file in sorted(files(package).iterdir(), key=lambda file: file.name):
            if file.name.startswith("invariants") and file.name.endswith(".sql"):
                for one in parse(file.read_text(encoding="utf-8"), f"{package}/{file.name}"):
                    if one.name in found:
                        raise InvariantError(f"{package}/{file.name}: {one.name} comes twice; allowed: once a service")
                    found[one.name] = one
    return list(found.values())


def parse(text: str, where: str) -> Iterator[Invariant]:
    """The invariants in a file's text. Raises InvariantError.

    >>> [one] = parse("-- invariant: no_gap\\n-- Numbers follow.\\n-- Always.\\nSELECT 1 WHERE false;\\n", "a.sql")
    >>> one.name, one.says, one.sql
    ('no_gap', 'Numbers follow. Always.', 'SELECT 1 WHERE false')
    """
    beginnings = list(_BEGINNING.finditer(text))
    ends = [one.start() for one in beginnings[1:]] + [len(text)]
    if not beginnings:
        raise InvariantError(
            f'{where}: was without "-- invariant: a_name" and a sentence below it; allowed: at least one'
        )
    for beginning, end in zip(beginnings, ends, strict=True):
        says = " ".join(line.removeprefix("--").strip() for line in beginning[2].splitlines())
        # Everything up to the next beginning, less the comments that may stand between two of them.
        sql = (
            re.sub(r"(?:^\s*(?:--.*)?\n?)+\Z", "", text[beginning.end() : end], flags=re.MULTILINE).strip().rstrip(";")
        )
        if not sql or ";" in sql:
            raise InvariantError(f"{where}: {beginning[1]}: was {sql.count(';') + bool(sql)} queries; allowed: one")
        yield Invariant(beginning[1], says, sql)

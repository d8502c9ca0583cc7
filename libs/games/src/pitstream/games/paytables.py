"""Paytables: data with a source and the days they are in force, checked as a whole when read.

``paytables.toml`` beside this module holds those of the three games; its head explains the notation. A property adds
its own in a file of the same form. A paytable whose content changes keeps its id: ``[[game.wager.ID]]`` once for each
period, and no day in two of them.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from importlib.resources import files
from itertools import accumulate, chain
from pathlib import Path
from types import MappingProxyType
from typing import Annotated, cast

from pydantic import PlainValidator

from pitstream.events.model import ID_PATTERN
from pitstream.events.refusal import shown
from pitstream.games.game import Game
from pitstream.games.hands import Rows
from pitstream.games.odds import PUSH, MeterShare, Odds, Prize
from pitstream.games.paytable import Basis, Paytable, Standing
from pitstream.games.registry import GAMES

ODDS_MAX = 9_000
"""With ``record.AMOUNT_MAX`` no prize leaves a 64-bit integer."""

_Name = tuple[str, str, str]
# Game, wager, id.
_KEYS = frozenset({"basis", "standing", "source", "from", "to", "pays"})
# Prizes beside ``pays`` -> the wagers that may have them.
_EXTRA_PRIZES = {"dealer_pays": "five_card", "envy": "progressive", "lucky": "five_card", "magic": "five_card"}


class PaytableError(ValueError):
    """A file of paytables is wrong: its line, what was found, what is allowed."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        """From 1."""
        self.reason = reason
        """What was found, what is allowed."""


class Paytables:
    """Checked paytables: those of one file, or a property's beside the bundled ones."""

    def __init__(self, text: str, *, beside: "Paytables | None" = None) -> None:
        """Read TOML ``text`` and add it to those of ``beside``, which it may not define anew.

        Raises ``PaytableError`` for the first fault.
        """
        self.periods: dict[_Name, tuple[Paytable, ...]] = dict(beside.periods) if beside else {}
        """(game, wager, id) -> the paytable's periods, in the order of their days."""
        for name, periods in _read(text):
            if name in self.periods:
                # Read last, so that whatever else is wrong there is said first.
                raise PaytableError(
                    _line_of(text, *name), f"{'.'.join(name)} is one of the bundled paytables; rename it"
                )
            self.periods[name] = periods

    def __iter__(self) -> Iterator[Paytable]:
        """Every paytable, its periods one after the other."""
        return chain.from_iterable(self.periods.values())

    def named(self, game: str, wager: str, paytable: str, gaming_day: str | None = None) -> Paytable:
        """As ``get``. Raises ``KeyError`` when there is no such paytable for that wager."""
        periods = self.periods[game, wager, paytable]
        if gaming_day is not None and len(periods) > 1:
            return next((table for table in periods if table.in_force(gaming_day)), periods[-1])
        return periods[-1]

    def get(self, game: str, wager: str, paytable: str, gaming_day: str | None = None) -> Paytable | None:
        """The paytable as it is in force on that day; its last period when there is none, or no day is asked about."""
        known = (game, wager, paytable) in self.periods
        return self.named(game, wager, paytable, gaming_day) if known else None

    def ids(self, game: str, wager: str) -> tuple[str, ...]:
        """The paytables of a wager, for messages and lists."""
        return tuple(name[2] for name in self.periods if name[:2] == (game, wager))


@cache
def bundled() -> Paytables:
    """The project's own paytables."""
    return Paytables(files("pitstream.games").joinpath("paytables.toml").read_text(encoding="utf-8"))


class PaytableFileError(ValueError):
    """A property's file cannot be used: which file, and why."""


def with_property_s(file: str | Path | None) -> Paytables:
    """The bundled paytables and, beside them, those of a property's file; None or an empty name: there is no such file.

    Raises ``PaytableFileError``: the file, its line and a reason.
    """
    if not file:
        return bundled()
    try:
        return Paytables(Path(file).read_bytes().decode("utf-8"), beside=bundled())
    except OSError as error:
        raise PaytableFileError(f"{file}: {error.strerror or error}; allowed: a readable file of paytables") from error
    except UnicodeDecodeError as error:
        line = error.object[: error.start].count(b"\n") + 1
        raise PaytableFileError(f"{file}: line {line}: was not UTF-8; allowed: TOML, which is UTF-8") from error
    except PaytableError as error:
        raise PaytableFileError(f"{file}: {error}") from error


PropertyPaytables = Annotated[Paytables, PlainValidator(with_property_s)]
"""A service's setting: the name of a property's file, read once at start."""


def _read(text: str) -> Iterator[tuple[_Name, tuple[Paytable, ...]]]:
    for game_name, wagers in _parsed(text).items():
        if game_name not in GAMES:
            raise PaytableError(_line_of(text, game_name), f"game was {game_name!r}; allowed: {', '.join(GAMES)}")
        game = GAMES[game_name]
        for wager, tables in _table(wagers, text, game_name).items():
            if wager not in game.with_paytable:
                reason = f"wager was {wager!r}; allowed for {game_name}: {', '.join(game.with_paytable)}"
                raise PaytableError(_line_of(text, game_name, wager), reason)
            for id_, raw in _table(tables, text, game_name, wager).items():
                yield (game_name, wager, id_), _periods(game, wager, id_, raw, text)


def _parsed(text: str) -> dict[str, object]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"at line (\d+)", str(error))
        raise PaytableError(int(at[1]) if at else text.count("\n") + 1, f"not TOML: {error}") from None
    except ValueError:
        # The parser leaves it to int, which reads no more than a few thousand digits.
        digits = re.search(r"[0-9_]{4000}", text)
        at_digits = 1 + text.count("\n", 0, digits.start() if digits else 0)
        raise PaytableError(at_digits, "a number was too long; allowed: what 64 bits hold") from None
    except RecursionError:
        depths = list(
            accumulate(len(re.findall(r"[\[{]", line)) - len(re.findall(r"[\]}]", line)) for line in text.split("\n"))
        )
        raise PaytableError(1 + depths.index(max(depths)), "was nested too deeply") from None


def _periods(game: Game, wager: str, id_: str, raw: object, text: str) -> tuple[Paytable, ...]:
    """The one table of that name, or its periods in the order of their days."""
    name = (game.name, wager, id_)
    listed = raw if isinstance(raw, list) and raw else [raw]
    read: list[Paytable] = []
    for at, one in enumerate(listed):
        try:
            table = _paytable(game, wager, id_, _table(one, text, *name, nth=at))
        except _FaultError as fault:
            raise PaytableError(_line_of(text, *name, key=fault.key, nth=at), f"{'.'.join(name)}: {fault}") from None
        for other in read:
            if _overlap(table, other):
                reason = f"{table.name}: in force {table.days}, and {other.days} too; allowed: no day in two periods"
                raise PaytableError(_line_of(text, *name, key="from", nth=at), reason)
        read.append(table)
    return tuple(sorted(read, key=lambda table: table.valid_from or ""))


def _overlap(one: Paytable, other: Paytable) -> bool:
    def begins_in_time(first: Paytable, second: Paytable) -> bool:
        return first.valid_from is None or second.valid_to is None or first.valid_from <= second.valid_to

    return begins_in_time(one, other) and begins_in_time(other, one)


class _FaultError(ValueError):
    def __init__(self, key: str, reason: str) -> None:
        super().__init__(reason)
        self.key = key


def _table(value: object, text: str, *names: str, nth: int = 0) -> dict[str, object]:
    if not isinstance(value, dict):
        line = _line_of(text, *names, nth=nth)
        raise PaytableError(line, f"{'.'.join(names)} was {shown(value)}; allowed: a table [game.wager.ID]")
    return cast("dict[str, object]", value)


def _line_of(text: str, *names: str, key: str = "", nth: int = 0) -> int:
    """Where the ``nth`` table of these names begins, or its ``key`` where it has one: tomllib does not say."""
    parts = r"\s*\.\s*".join(rf"""["']?{re.escape(name)}["']?""" for name in names)
    header = re.compile(rf"\s*\[\[?\s*{parts}\s*[].]")
    lines = text.split("\n")
    starts = [at for at, line in enumerate(lines) if header.match(line)]
    if not starts:
        return 1
    start = starts[min(nth, len(starts) - 1)]
    for at in range(start + 1, len(lines)):
        if lines[at].lstrip().startswith("["):
            break
        if key and re.match(rf"\s*{re.escape(key)}\s*=", lines[at]):
            return at + 1
    return start + 1


def _paytable(game: Game, wager: str, id_: str, raw: Mapping[str, object]) -> Paytable:
    if not re.fullmatch(ID_PATTERN, id_):
        raise _FaultError("", f"id was {id_!r}; allowed: letters, digits and . _ : - (at most 64)")
    extras = {key for key, owner in _EXTRA_PRIZES.items() if owner == wager}
    for key in raw:
        if key not in _KEYS | extras:
            raise _FaultError(key, f"key was {key!r}; allowed: {', '.join(sorted(_KEYS | extras))}")
    basis = _one_of(raw, "basis", ("to 1", "for 1"))
    rows = game.rows_of(wager)
    pays = {row: _prize(prize, basis, f"pays.{row}") for row, prize in _rows(raw, "pays", (*rows, "any")).items()}
    if not pays:
        raise _FaultError("pays", "pays was missing or empty; allowed: at least one row")
    _require_reach(game, wager, pays)
    valid_from, valid_to = _day(raw, "from"), _day(raw, "to")
    if valid_from is not None and valid_to is not None and valid_from > valid_to:
        raise _FaultError("from", f"from was {valid_from}, after to = {valid_to}")
    content = {**raw, **{key: day for key, day in (("from", valid_from), ("to", valid_to)) if day is not None}}
    return Paytable(
        game=game.name,
        wager=wager,
        id=id_,
        basis=cast("Basis", basis),
        standing=cast("Standing", _one_of(raw, "standing", ("regulation", "published", "house"))),
        source=_text(raw, "source"),
        valid_from=valid_from,
        valid_to=valid_to,
        pays=MappingProxyType(pays),
        dealer_pays=MappingProxyType(
            {row: _prize(prize, basis, f"dealer_pays.{row}") for row, prize in _rows(raw, "dealer_pays", rows).items()}
        ),
        envy=MappingProxyType({row: _times(times, f"envy.{row}") for row, times in _rows(raw, "envy", rows).items()}),
        lucky=MappingProxyType(
            {row: _times(times, f"lucky.{row}") for row, times in _rows(raw, "lucky", rows).items()}
        ),
        magic=_times(raw["magic"], "magic") if "magic" in raw else 0,
        # Last: what is not read above may be nothing that JSON has.
        sha256=_sha256({"game": game.name, "wager": wager, "id": id_, **content}),
    )


def _sha256(content: Mapping[str, object]) -> str:
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()


def _rows(raw: Mapping[str, object], key: str, allowed: Rows) -> Mapping[str, object]:
    rows = raw.get(key, {})
    if not isinstance(rows, dict):
        raise _FaultError(key, f"{key} was {shown(rows)}; allowed: a table of rows")
    for row in rows:
        if row not in allowed:
            raise _FaultError(key, f"{key}: row was {row!r}; allowed: {', '.join(allowed)}")
    ranked = sorted(rows, key=allowed.index)
    if list(rows) != ranked:
        raise _FaultError(key, f"{key}: rows were {', '.join(rows)}; allowed: best rank first, {', '.join(ranked)}")
    return rows


def _require_reach(game: Game, wager: str, pays: Mapping[str, Prize]) -> None:
    lowest = game.must_reach.get(wager)
    if lowest is None or "any" in pays:
        return
    rows = game.rows_of(wager)
    # A royal flush without a row of its own fits the straight flush row; a pair's lower row holds the higher pairs too.
    needed = () if lowest == "any" else rows[1 : rows.index(lowest) + 1]
    missing = [row for row in needed if row not in pays and not row.startswith("pair")]
    if lowest not in pays or missing:
        raise _FaultError("pays", f"pays leaves out {', '.join(missing) or lowest}, a hand that wins {wager}")


def _prize(prize: object, basis: str, where: str) -> Prize:
    match prize:
        case "push" if basis == "to 1":
            return PUSH
        case {"meter": str(meter), "percent": int(percent), **rest} if (
            not rest and re.fullmatch(ID_PATTERN, meter) and not isinstance(percent, bool) and 1 <= percent <= 100
        ):
            return MeterShare(meter, percent)
        case [int(times), int(per)] if _small(times) and _small(per):
            return Odds(times, per)
        case int(times) if _small(times):
            return Odds(times)
    allowed = (
        f'n or [n, m] with 1 <= n, m <= {ODDS_MAX}, "push" in a table "to 1", {{ meter = "...", percent = 1..100 }}'
    )
    raise _FaultError(where.split(".")[0], f"{where} was {shown(prize)}; allowed: {allowed}")


def _times(value: object, where: str) -> int:
    if isinstance(value, int) and _small(value):
        return value
    raise _FaultError(where.split(".")[0], f"{where} was {shown(value)}; allowed: a whole number from 1 to {ODDS_MAX}")


def _small(value: int) -> bool:
    return not isinstance(value, bool) and 1 <= value <= ODDS_MAX


def _one_of(raw: Mapping[str, object], key: str, allowed: tuple[str, ...]) -> str:
    value = raw.get(key)
    if value not in allowed:
        raise _FaultError(key, f"{key} was {shown(value)}; allowed: {', '.join(allowed)}")
    return value


def _text(raw: Mapping[str, object], key: str) -> str:
    value = raw.get(key)
    if not isinstance(value, str) or not value.strip():
        raise _FaultError(key, f"{key} was {shown(value)}; allowed: where the figures come from, in words")
    return value


def _day(raw: Mapping[str, object], key: str) -> str | None:
    value = raw.get(key)
    if value is None:
        return None
    # A date-time is a date too for Python; a gaming day has no hour.
    if type(value) is not date:
        raise _FaultError(key, f"{key} was {shown(value)}; allowed: a date, 2024-03-23")
    return value.isoformat()

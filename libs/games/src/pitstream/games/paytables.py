"""Paytables: data with a source and the days they are in force, checked as a whole when read.

``paytables.toml`` beside this module holds those of the three games; its head explains the notation.
"""

import hashlib
import json
import re
import tomllib
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import cast

from pitstream.events.model import ID_PATTERN
from pitstream.games.game import Game
from pitstream.games.hands import FIVE_CARD_ROWS, THREE_CARD_ROWS, TWO_CARD_ROWS, Rows
from pitstream.games.odds import PUSH, MeterShare, Odds, Prize
from pitstream.games.paytable import Basis, Paytable, Standing
from pitstream.games.registry import GAMES

ODDS_MAX = 9_000
"""With ``record.AMOUNT_MAX`` no prize leaves a 64-bit integer."""

_KEYS = frozenset({"basis", "standing", "source", "from", "to", "pays"})
# Prizes beside ``pays`` -> the wagers that may have them.
_EXTRA_PRIZES = {"dealer_pays": "five_card", "envy": "progressive", "lucky": "five_card", "magic": "five_card"}
_THREE_CARD_WAGERS = {
    ("flop_poker", "three_card_bonus"),
    ("raise_it_up_stud", "pair_plus"),
    ("raise_it_up_stud", "progressive"),
}
# The lowest hand that wins the wager: a table that says nothing about a winning hand could not be settled.
_MUST_REACH = {
    ("ultimate_texas_holdem", "ante"): "any",
    ("ultimate_texas_holdem", "blind"): "any",
    ("ultimate_texas_holdem", "play"): "any",
    ("flop_poker", "ante"): "any",
    ("flop_poker", "flop"): "pair_jacks_or_better",
    ("raise_it_up_stud", "ante"): "any",
    ("raise_it_up_stud", "blind"): "any",
    ("raise_it_up_stud", "play"): "pair_tens_or_better",
}


class PaytableError(ValueError):
    """A file of paytables is wrong: its line, what was found, what is allowed."""

    def __init__(self, line: int, reason: str) -> None:
        super().__init__(f"line {line}: {reason}")
        self.line = line
        self.reason = reason


class Paytables:
    """A checked file of paytables."""

    def __init__(self, text: str) -> None:
        """Read TOML ``text``. Raises ``PaytableError`` for the first fault."""
        self._tables: Mapping[tuple[str, str, str], Paytable] = {
            (table.game, table.wager, table.id): table for table in _read(text)
        }

    def __iter__(self) -> Iterator[Paytable]:
        return iter(self._tables.values())

    def named(self, game: str, wager: str, paytable: str) -> Paytable:
        """Raises ``KeyError`` when there is no such paytable for that wager."""
        return self._tables[game, wager, paytable]

    def get(self, game: str, wager: str, paytable: str) -> Paytable | None:
        return self._tables.get((game, wager, paytable))

    def ids(self, game: str, wager: str) -> tuple[str, ...]:
        """The paytables of a wager, for messages and lists."""
        return tuple(table.id for table in self if (table.game, table.wager) == (game, wager))


@cache
def bundled() -> Paytables:
    """The project's own paytables."""
    return Paytables(files("pitstream.games").joinpath("paytables.toml").read_text(encoding="utf-8"))


def _read(text: str) -> Iterator[Paytable]:
    try:
        parsed = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        at = re.search(r"at line (\d+)", str(error))
        raise PaytableError(int(at[1]) if at else text.count("\n") + 1, f"not TOML: {error}") from None
    for game_name, wagers in parsed.items():
        if game_name not in GAMES:
            raise PaytableError(_line_of(text, game_name), f"game was {game_name!r}; allowed: {', '.join(GAMES)}")
        game = GAMES[game_name]
        offered = [wager for wager in game.wagers if wager not in game.without_paytable]
        for wager, tables in _table(wagers, text, game_name).items():
            if wager not in offered:
                reason = f"wager was {wager!r}; allowed for {game_name}: {', '.join(offered)}"
                raise PaytableError(_line_of(text, game_name, wager), reason)
            for id_, raw in _table(tables, text, game_name, wager).items():
                try:
                    yield _paytable(game, wager, id_, _table(raw, text, game_name, wager, id_))
                except _FaultError as fault:
                    line = _line_of(text, game_name, wager, id_, fault.key)
                    raise PaytableError(line, f"{game_name}.{wager}.{id_}: {fault}") from None


class _FaultError(ValueError):
    def __init__(self, key: str, reason: str) -> None:
        super().__init__(reason)
        self.key = key


def _table(value: object, text: str, *names: str) -> dict[str, object]:
    if not isinstance(value, dict):
        raise PaytableError(
            _line_of(text, *names), f"{'.'.join(names)} was {value!r}; allowed: a table [game.wager.ID]"
        )
    return cast("dict[str, object]", value)


def _line_of(text: str, *names: str) -> int:
    """Where the table of these names begins, or its key when the last name is one: tomllib does not say."""
    header = [name for name in names if name][:3]
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line.startswith(f"[{'.'.join(header)}")), 0)
    if len(names) == 4:
        for at in range(start + 1, len(lines)):
            if lines[at].startswith("["):
                break
            if re.match(rf"{re.escape(names[3])}\s*=", lines[at]):
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
    rows = _rows_of(game, wager)
    pays = {row: _prize(prize, basis, f"pays.{row}") for row, prize in _rows(raw, "pays", (*rows, "any")).items()}
    if not pays:
        raise _FaultError("pays", "pays was missing or empty; allowed: at least one row")
    _require_reach(game, wager, pays)
    valid_from, valid_to = _day(raw, "from"), _day(raw, "to")
    if valid_from is not None and valid_to is not None and valid_from > valid_to:
        raise _FaultError("from", f"from was {valid_from}, after to = {valid_to}")
    content = {**raw, **{key: day for key, day in (("from", valid_from), ("to", valid_to)) if day is not None}}
    canonical = json.dumps({"game": game.name, "wager": wager, "id": id_, **content}, sort_keys=True)
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
        sha256=hashlib.sha256(canonical.encode()).hexdigest(),
    )


def _rows_of(game: Game, wager: str) -> Rows:
    if wager == "ultimate_pairs":
        return TWO_CARD_ROWS
    return THREE_CARD_ROWS if (game.name, wager) in _THREE_CARD_WAGERS else FIVE_CARD_ROWS


def _rows(raw: Mapping[str, object], key: str, allowed: Rows) -> Mapping[str, object]:
    rows = raw.get(key, {})
    if not isinstance(rows, dict):
        raise _FaultError(key, f"{key} was {rows!r}; allowed: a table of rows")
    for row in rows:
        if row not in allowed:
            raise _FaultError(key, f"{key}: row was {row!r}; allowed: {', '.join(allowed)}")
    ranked = sorted(rows, key=allowed.index)
    if list(rows) != ranked:
        raise _FaultError(key, f"{key}: rows were {', '.join(rows)}; allowed: best rank first, {', '.join(ranked)}")
    return rows


def _require_reach(game: Game, wager: str, pays: Mapping[str, Prize]) -> None:
    lowest = _MUST_REACH.get((game.name, wager))
    if lowest is None or "any" in pays:
        return
    # A royal flush without a row of its own fits the straight flush row.
    needed = () if lowest == "any" else FIVE_CARD_ROWS[1 : FIVE_CARD_ROWS.index(lowest) + 1]
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
    raise _FaultError(where.split(".")[0], f"{where} was {prize!r}; allowed: {allowed}")


def _times(value: object, where: str) -> int:
    if isinstance(value, int) and _small(value):
        return value
    raise _FaultError(where.split(".")[0], f"{where} was {value!r}; allowed: a whole number from 1 to {ODDS_MAX}")


def _small(value: int) -> bool:
    return not isinstance(value, bool) and 1 <= value <= ODDS_MAX


def _one_of(raw: Mapping[str, object], key: str, allowed: tuple[str, ...]) -> str:
    value = raw.get(key)
    if value not in allowed:
        raise _FaultError(key, f"{key} was {value!r}; allowed: {', '.join(allowed)}")
    return value


def _text(raw: Mapping[str, object], key: str) -> str:
    value = raw.get(key)
    if not isinstance(value, str) or not value.strip():
        raise _FaultError(key, f"{key} was {value!r}; allowed: where the figures come from, in words")
    return value


def _day(raw: Mapping[str, object], key: str) -> str | None:
    value = raw.get(key)
    if value is None:
        return None
    # A date-time is a date too for Python; a gaming day has no hour.
    if type(value) is not date:
        raise _FaultError(key, f"{key} was {value!r}; allowed: a date, 2024-03-23")
    return value.isoformat()

"""The round record: one complete round as one JSON line, with nothing derived.

``read_record`` checks everything that settlement takes for granted. A record has at most one error: the first fault
found, under a code that never changes.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any, Final

from pitstream.games.game import CARDS, FinishedRound, Game, Option, Seat
from pitstream.games.paytables import Paytables, bundled
from pitstream.games.record_json import RecordError, fault, id_of, mapping_at, parse_line, require_fields, text_at
from pitstream.games.registry import GAMES, game_named

__all__ = ["AMOUNT_MAX", "SCHEMA", "Record", "RecordError", "read_record", "record_of"]

SCHEMA: Final = "pitstream.round/1"
AMOUNT_MAX: Final = 10**15
"""Largest stake and meter, minor units: no prize at any odds a paytable may have leaves a 64-bit integer."""

_REQUIRED = frozenset({"schema", "id", "table", "game", "gaming_day", "currency", "paytables", "cards", "seats"})
_FIELDS = _REQUIRED | {"options", "meters", "seeds", "void"}
_CARD_LISTS = ("dealer", "community", "burned", "bonus")
_SEAT_REQUIRED = frozenset({"seat", "player", "cards", "wagers", "decisions"})
_SEAT_FIELDS = _SEAT_REQUIRED | {"forfeited"}
_CARD_WORDS = 'a rank 23456789TJQKA and a suit cdhs ("Td")'


@dataclass(frozen=True, slots=True)
class Record:
    """A round as its record tells it, ready to be settled."""

    id: str
    table: str
    round: FinishedRound
    meters: Mapping[str, int]
    """Minor units just before the round's payouts."""
    seeds: Mapping[str, int]


def read_record(line: bytes, paytables: Paytables | None = None) -> Record:
    """The record on one line of UTF-8 JSON. Raises ``RecordError``."""
    raw = parse_line(line)
    try:
        return _record(raw, paytables or bundled())
    except RecordError as error:
        error.id = id_of(raw)
        raise


def record_of(
    finished: FinishedRound,
    *,
    id_: str,
    table: str,
    meters: Mapping[str, int] | None = None,
    seeds: Mapping[str, int] | None = None,
) -> dict[str, Any]:
    """The round record of a round: JSON types, fields in the format's order, what is empty or a default left out."""
    cards = {
        "dealer": list(finished.dealer),
        "community": list(finished.community),
        "burned": list(finished.burned),
        "bonus": list(finished.bonus),
    }
    record: dict[str, Any] = {
        "schema": SCHEMA,
        "id": id_,
        "table": table,
        "game": finished.game,
        "gaming_day": finished.gaming_day,
        "currency": finished.currency,
        "paytables": dict(finished.paytables),
        "options": {
            name: _option_value(value)
            for name, value in finished.options.items()
            if value != game_named(finished.game).policies.get(name)
        },
        "cards": {name: listed for name, listed in cards.items() if listed or name == "community"},
        "seats": [
            {
                "seat": seat.seat,
                "player": seat.player,
                "cards": list(seat.cards),
                "wagers": dict(seat.wagers),
                "decisions": list(seat.decisions),
                **({} if seat.forfeited is None else {"forfeited": seat.forfeited}),
            }
            for seat in sorted(finished.seats, key=lambda seat: seat.seat)
        ],
    }
    if meters:
        record["meters"] = dict(meters)
    if seeds:
        record["seeds"] = dict(seeds)
    if finished.void is not None:
        record["void"] = finished.void
    return record


def _option_value(text: str) -> bool | int | str:
    """The JSON value of an option: ``_option_text`` the other way round."""
    if text in ("true", "false"):
        return text == "true"
    return int(text) if text.isdecimal() else text


def _record(raw: dict[str, Any], paytables: Paytables) -> Record:
    require_fields(raw, _REQUIRED, _FIELDS, "")
    if raw["schema"] != SCHEMA:
        raise fault("invalid_json", "schema", raw["schema"], SCHEMA)
    id_, table = text_at(raw["id"], "id"), text_at(raw["table"], "table")
    name = raw["game"]
    if not isinstance(name, str) or name not in GAMES:
        raise fault("unknown_game", "game", name, ", ".join(GAMES))
    game = GAMES[name]
    gaming_day, currency = _gaming_day(raw["gaming_day"]), _currency(raw["currency"])
    void = text_at(raw["void"], "void") if "void" in raw else None
    options = _options(game, raw.get("options", {}))
    cards = _community_cards(game, raw["cards"], void)
    seats = _seats(raw["seats"])
    _no_card_twice(cards, seats)
    if void is None:
        _card_counts(game, cards, seats)
    chosen = _paytables(game, raw["paytables"], gaming_day, paytables)
    _wagers(game, seats, chosen)
    for at, seat in enumerate(seats):
        _decisions(game, seat, f"seats[{at}].decisions", may_stop_early=void is not None or seat.forfeited is not None)
    finished = FinishedRound(
        game=game.name,
        gaming_day=gaming_day,
        currency=currency,
        paytables=chosen,
        options=options,
        dealer=cards["dealer"],
        community=cards["community"],
        burned=cards["burned"],
        bonus=cards["bonus"],
        seats=seats,
        void=void,
    )
    return Record(id_, table, finished, _amounts(raw, "meters"), _amounts(raw, "seeds"))


def _gaming_day(value: object) -> str:
    if isinstance(value, str) and re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", value):
        try:
            date.fromisoformat(value)
        except ValueError:
            pass
        else:
            return value
    raise fault("invalid_json", "gaming_day", value, "a day of the calendar, YYYY-MM-DD")


def _currency(value: object) -> str:
    if not isinstance(value, str) or not re.fullmatch(r"[A-Z]{3}", value):
        raise fault("invalid_json", "currency", value, "three capital letters (ISO 4217)")
    return value


def _options(game: Game, value: object) -> dict[str, str]:
    """As text, every policy in force. An option of another game is checked alike and left out: it decides nothing."""
    options: dict[str, str] = dict(game.policies)
    for name, chosen in mapping_at(value, "options").items():
        path = f"options.{name}"
        owner = next((each for each in (game, *GAMES.values()) if name in each.options), None)
        if owner is None:
            known = dict.fromkeys(name for each in GAMES.values() for name in each.options)
            raise RecordError("invalid_json", path, f"unknown option; allowed: {', '.join(known)}")
        text = _option_text(owner.options[name], chosen, path)
        if owner is game:
            options[name] = text
    return options


def _option_text(option: Option, value: object, path: str) -> str:
    for text in option.values:
        allowed = _option_value(text)
        if type(value) is type(allowed) and value == allowed:
            return text
    if option.values == CARDS:
        raise fault("unknown_card", path, value, _CARD_WORDS)
    raise fault(
        "invalid_json", path, value, ", ".join(json.dumps(_option_value(text)) for text in sorted(option.values))
    )


def _cards(value: object, path: str) -> tuple[str, ...]:
    if not isinstance(value, list):
        raise fault("invalid_json", path, value, "a list of cards")
    try:
        known = CARDS.issuperset(value)
    except TypeError:  # a list or an object among them
        known = False
    if not known:
        at = next(at for at, card in enumerate(value) if not isinstance(card, str) or card not in CARDS)
        raise fault("unknown_card", f"{path}[{at}]", value[at], _CARD_WORDS)
    return tuple(value)


def _community_cards(game: Game, value: object, void: str | None) -> dict[str, tuple[str, ...]]:
    """Every list of ``cards``; an optional one that is absent is empty."""
    raw = mapping_at(value, "cards")
    required = {"dealer", "community"} if game.dealer_cards else {"community"}
    # A round may be void before any of these was dealt.
    require_fields(raw, required if void is None else set(), set(_CARD_LISTS), "cards.")
    cards = {name: _cards(raw[name], f"cards.{name}") if name in raw else () for name in _CARD_LISTS}
    if void is None and "burned" in raw and len(cards["burned"]) != game.burn_cards:
        raise _wrong_count("cards.burned", cards["burned"], f"{game.burn_cards}, or no field when none are reported")
    return cards


def _seats(value: object) -> tuple[Seat, ...]:
    if not isinstance(value, list) or not value:
        raise fault("invalid_json", "seats", value, "a list of at least one seat")
    seats: list[Seat] = []
    for at, listed in enumerate(value):
        path = f"seats[{at}]"
        raw = mapping_at(listed, path)
        require_fields(raw, _SEAT_REQUIRED, _SEAT_FIELDS, f"{path}.")
        number, decisions = raw["seat"], raw["decisions"]
        if type(number) is not int or not 1 <= number <= 7:
            raise fault("invalid_json", f"{path}.seat", number, "a seat number 1 to 7")
        if seats and number <= seats[-1].seat:
            raise fault("invalid_json", f"{path}.seat", number, f"above {seats[-1].seat}: seats in order, each once")
        if not isinstance(decisions, list):
            raise fault("invalid_json", f"{path}.decisions", decisions, "a list of words")
        seats.append(
            Seat(
                seat=number,
                player=text_at(raw["player"], f"{path}.player"),
                cards=_cards(raw["cards"], f"{path}.cards"),
                wagers=mapping_at(raw["wagers"], f"{path}.wagers"),
                decisions=tuple(decisions),
                forfeited=text_at(raw["forfeited"], f"{path}.forfeited") if "forfeited" in raw else None,
            )
        )
    return tuple(seats)


def _no_card_twice(cards: dict[str, tuple[str, ...]], seats: tuple[Seat, ...]) -> None:
    everything = [card for some in cards.values() for card in some]
    for seat in seats:
        everything += seat.cards
    if len(set(everything)) == len(everything):
        return
    listed = [(f"cards.{name}", cards[name]) for name in _CARD_LISTS]
    listed += [(f"seats[{at}].cards", seat.cards) for at, seat in enumerate(seats)]
    first: dict[str, str] = {}
    for path, some in listed:
        for at, card in enumerate(some):
            place = f"{path}[{at}]"
            if card in first:
                raise RecordError("duplicate_card", place, f"was {card}, which lies at {first[card]} too")
            first[card] = place


def _wrong_count(path: str, found: tuple[str, ...], allowed: str) -> RecordError:
    return RecordError("wrong_card_count", path, f"was {len(found)} cards; allowed: {allowed}")


def _card_counts(game: Game, cards: dict[str, tuple[str, ...]], seats: tuple[Seat, ...]) -> None:
    for name, count in (("dealer", game.dealer_cards), ("community", game.community_cards)):
        if len(cards[name]) != count:
            raise _wrong_count(f"cards.{name}", cards[name], str(count))
    bonus_wanted = any(game.bonus_wager in seat.wagers for seat in seats)
    if len(cards["bonus"]) != game.bonus_cards and (cards["bonus"] or bonus_wanted):
        raise _wrong_count(
            "cards.bonus", cards["bonus"], f"{game.bonus_cards}, dealt when anyone bet {game.bonus_wager}"
        )
    for at, seat in enumerate(seats):
        if len(seat.cards) != game.hole_cards:
            raise _wrong_count(f"seats[{at}].cards", seat.cards, str(game.hole_cards))


def _paytables(game: Game, value: object, gaming_day: str, paytables: Paytables) -> dict[str, str]:
    chosen = mapping_at(value, "paytables")
    for wager in game.must_have_paytable:
        if wager not in chosen:
            allowed = ", ".join(paytables.ids(game.name, wager))
            raise RecordError("unknown_paytable", f"paytables.{wager}", f"was missing; allowed: {allowed}")
    for wager, id_ in chosen.items():
        found = paytables.get(game.name, wager, id_, gaming_day) if isinstance(id_, str) else None
        if found is None:
            allowed = ", ".join(paytables.ids(game.name, wager)) or f"none, {game.name} has no paytable for {wager}"
            raise fault("unknown_paytable", f"paytables.{wager}", id_, allowed)
        if not found.in_force(gaming_day):
            message = f"was {id_}, in force {found.days}; the gaming day is {gaming_day}"
            raise RecordError("paytable_not_in_effect", f"paytables.{wager}", message)
    return chosen


def _wagers(game: Game, seats: tuple[Seat, ...], paytables: dict[str, str]) -> None:
    before_deal = game.placed_before_deal
    for at, seat in enumerate(seats):
        path = f"seats[{at}].wagers"
        for wager, stake in seat.wagers.items():
            if wager not in before_deal:
                allowed = ", ".join(before_deal)
                raise RecordError(
                    "unknown_wager", f"{path}.{wager}", f"was {wager!r}; placed before the deal: {allowed}"
                )
            if wager not in paytables and wager not in game.without_paytable:
                raise RecordError(
                    "unknown_wager", f"{path}.{wager}", f"was {wager!r}; the table has no paytable for it"
                )
            if type(stake) is not int or not 1 <= stake <= AMOUNT_MAX:
                raise fault(
                    "invalid_stake", f"{path}.{wager}", stake, f"a whole number of minor units from 1 to {AMOUNT_MAX}"
                )
        for wager in game.required:
            if wager not in seat.wagers:
                raise RecordError("missing_wager", f"{path}.{wager}", f"was missing; {game.name} requires it")
        for wager in game.equal_to_ante:
            if seat.wagers[wager] != seat.wagers["ante"]:
                raise fault(
                    "invalid_stake", f"{path}.{wager}", seat.wagers[wager], f"{seat.wagers['ante']}, equal to the Ante"
                )
        for wager in game.same_for_all:
            first = seats[0].wagers[wager]
            if seat.wagers[wager] != first:
                raise fault("invalid_stake", f"{path}.{wager}", seat.wagers[wager], f"{first}, the same at every seat")


def _decisions(game: Game, seat: Seat, path: str, *, may_stop_early: bool) -> None:
    streets = iter(game.streets)
    asking = next(streets, None)
    for at, choice in enumerate(seat.decisions):
        if asking is None:
            raise fault("illegal_decision", f"{path}[{at}]", choice, "nothing, the seat is not asked again")
        if choice not in asking.choices:
            raise fault("illegal_decision", f"{path}[{at}]", choice, f"{', '.join(asking.choices)} ({asking.name})")
        asking = None if game.ends_with(choice) else next(streets, None)
    if asking is not None and not may_stop_early:
        message = (
            f"ended after {len(seat.decisions)}; the seat must still say {', '.join(asking.choices)} ({asking.name})"
        )
        raise RecordError("illegal_decision", path, message)


def _amounts(raw: dict[str, Any], field: str) -> dict[str, int]:
    amounts = mapping_at(raw.get(field, {}), field)
    for meter, amount in amounts.items():
        if type(amount) is not int or not 0 <= amount <= AMOUNT_MAX:
            raise fault(
                "invalid_json", f"{field}.{meter}", amount, f"a whole number of minor units from 0 to {AMOUNT_MAX}"
            )
    return amounts

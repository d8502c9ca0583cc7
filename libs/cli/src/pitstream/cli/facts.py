"""Facts of a round as a person types them, ``seat3.card2=Th``, made into what the table service takes.

What was recorded is looked up in the round's record, so nobody types it: the service still holds the two together.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from pitstream.cli.options import UnusableError

_FACT: Final = re.compile(r"^(?:seat([1-7])|(dealer|community|burned|bonus))\.([a-z0-9_]+)=(.*)$")
_NUMBERED: Final = re.compile(r"^(card|decision)([1-9][0-9]?)$")
_ALLOWED: Final = (
    "seat3.card2=Th, dealer.card1=Ks, community.card4=2c, burned.card1=Ac, bonus.card2=Js, seat3.trips=0 (minor units; "
    "0: not placed), seat3.decision1=check (empty: not given), seat3.seat=5 (none: nobody was in), seat3.player=p017"
)


def read_facts(typed: Sequence[str], record: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The facts as JSON for the table service; ``record``: the round in force. Raises UnusableError.

    >>> record = {"cards": {"dealer": ["Ks", "2d"]}, "seats": [
    ...     {"seat": 3, "player": "p1", "cards": ["Td", "4c"], "wagers": {"ante": 500}, "decisions": ["check"]}]}
    >>> [fact] = read_facts(["seat3.card1=Th"], record)
    >>> fact["card"]
    {'place': 'seat', 'seat': 3, 'position': 1, 'was': 'Td', 'becomes': 'Th'}
    >>> read_facts(["seat3.trips=500"], record)
    [{'wager': {'seat': 3, 'wager': 'trips', 'was': 0, 'becomes': 500}}]
    """
    return [_fact(one, record) for one in typed]


def _fact(typed: str, record: Mapping[str, Any]) -> dict[str, Any]:
    found = _FACT.match(typed)
    if found is None:
        raise UnusableError(f"--set: was {typed!r}; allowed: {_ALLOWED}")
    seat_no, place, what, becomes = found.groups()
    numbered = _NUMBERED.match(what)
    if place is not None:
        if numbered is None or numbered[1] != "card":
            raise UnusableError(f"--set: was {typed!r}; {place} has cards only: {place}.card1=…")
        cards = record["cards"].get(place, [])
        return {"card": {"place": place, **_card(typed, cards, int(numbered[2]), becomes)}}
    seat = next((one for one in record["seats"] if one["seat"] == int(seat_no)), None)
    if seat is None:
        seats = ", ".join(str(one["seat"]) for one in record["seats"])
        raise UnusableError(f"--set: was {typed!r}; seats of the round: {seats}")
    number = int(seat_no)
    if numbered is not None and numbered[1] == "card":
        card = _card(typed, seat["cards"], int(numbered[2]), becomes)
        return {"card": {"place": "seat", "seat": number, **card}}
    if numbered is not None:
        position = int(numbered[2])
        was = seat["decisions"][position - 1] if position <= len(seat["decisions"]) else ""
        return {"decision": {"seat": number, "position": position, "was": was, "becomes": becomes}}
    if what == "player":
        return {"player": {"seat": number, "was": seat["player"], "becomes": becomes}}
    if what == "seat":
        if becomes == "none":
            return {"at_seat": {"seat": number}}
        if not re.fullmatch("[1-7]", becomes):
            raise UnusableError(f"--set: was {typed!r}; allowed: a seat 1 to 7, or none")
        return {"at_seat": {"seat": number, "becomes": int(becomes)}}
    if not re.fullmatch("[0-9]{1,18}", becomes):
        raise UnusableError(f"--set: was {typed!r}; allowed: whole minor units, 0 where the wager was not placed")
    return {"wager": {"seat": number, "wager": what, "was": seat["wagers"].get(what, 0), "becomes": int(becomes)}}


def _card(typed: str, cards: Sequence[str], position: int, becomes: str) -> dict[str, Any]:
    if position > len(cards):
        raise UnusableError(f"--set: was {typed!r}; {len(cards)} cards lie there: {' '.join(cards) or 'none'}")
    return {"position": position, "was": cards[position - 1], "becomes": becomes}


def told(fact: Mapping[str, Any]) -> str:
    """A fact in words.

    >>> told({"card": {"place": "seat", "seat": 3, "position": 2, "was": "Td", "becomes": "Th"}})
    'seat 3, card 2: Td was Th'
    >>> told({"wager": {"seat": 3, "wager": "trips", "was": 500, "becomes": 0}})
    'seat 3, trips: 500 was not placed'
    """
    [(kind, one)] = fact.items()
    seat = f"seat {one['seat']}" if one.get("seat") else ""
    match kind:
        case "card":
            return f"{seat or one['place']}, card {one['position']}: {one['was']} was {one['becomes']}"
        case "wager":
            becomes = one["becomes"] or "not placed"
            return f"{seat}, {one['wager']}: {one['was'] or 'nothing'} was {becomes}"
        case "decision":
            return f"{seat}, answer {one['position']}: {one['was'] or 'none'} was {one['becomes'] or 'not given'}"
        case "at_seat":
            return f"{seat} was {'seat ' + str(one['becomes']) if one.get('becomes') else 'not in the round'}"
        case _:
            return f"{seat}, player: {one['was']} was {one['becomes']}"

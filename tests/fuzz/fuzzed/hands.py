"""Hands and batches, through the Python API of the Rust evaluator: the right rank, or a typed error, and no panic."""

import json
import random
import re
from array import array
from typing import Any, Final

import numpy as np
from naive_settlement import Rank, best, best_of_three_own_and_two, rank_of

from fuzzed.target import Broken
from pitstream.evaluator import (
    DECK,
    Card,
    CardCountError,
    CardError,
    RepeatedCardError,
    _evaluator,
    best_five,
    best_three_plus_two,
    category,
    deciding_ranks,
    pair_rank,
    rank,
    rank_many,
    rank_three,
    rank_three_plus_two,
    three_category,
)

TEXTS: Final = [str(card) for card in DECK]
FORMS: Final = ("list", "tuple", "text", "spaced", "ids", "mask", "array", "generator", "ids of bytearray")
DTYPES: Final = (
    "uint8",
    "int8",
    "uint16",
    ">u2",
    "int64",
    "float64",
    "bool",
    "S1",
    "U2",
    "object",
    "datetime64[s]",
    "V7",
)
BATCHES: Final = (
    "bytes", "bytes", "flat", "rows", "bytearray", "strided", "backwards", "fortran", "array",
    "dtype", "cube", "scalar", "list", "text",
)  # fmt: skip
OUTS: Final = (
    *("none",) * 8, "right", "right", "short", "wide", "strided", "read-only", "swapped", "column", "list", "the same",
)  # fmt: skip
_SHAPES: Final = re.compile(r"(cards|own|board|own and board|hands|out|cards_per_hand|value)(\[\d+\])*: ")


class Hands:
    """What a caller may give the evaluator."""

    name = "hands"
    outcomes = frozenset({"ranked", "refused", "batch ranked", "batch refused", "value read", "value refused"})

    def close(self) -> None:
        """It holds nothing."""

    def draw(self, chance: random.Random) -> bytes:
        kind = chance.choices(("one", "batch", "value"), weights=(60, 30, 10))[0]
        if kind == "one":
            said: dict[str, Any] = {"ids": _ids(chance), "form": chance.choice(FORMS), "odd": chance.choice(_ODD)}
            said |= {"at": chance.randrange(12), "more": _ids(chance, most=4), "wheel": chance.random() < 0.5}
            if chance.random() < 0.6:
                said["odd"] = ""
        elif kind == "batch":
            said = _batch_drawn(chance)
        else:
            number = chance.choice((chance.randrange(2**17), chance.randrange(-9, 2**34), 2**64, -(2**70)))
            said = {"value": chance.choice((number, number, number, 1.5, None, "9", True, []))}
        return json.dumps({"kind": kind, **said}).encode()

    def feed(self, data: bytes) -> str:
        said = json.loads(data)
        match said["kind"]:
            case "one":
                return _one(said)
            case "batch":
                return _batch(said)
            case _:
                return _value(said["value"])


def _batch_drawn(chance: random.Random) -> dict[str, Any]:
    cards, rows = chance.choice((5, 6, 7, 7, 7)), chance.choice((0, 1, 2, 3, 4, 5, 8, 9, 33, 100))
    ids = [one for _ in range(rows) for one in chance.sample(range(52), cards)]
    for _ in range(chance.choice((0, 0, 1, 2)) if ids else 0):
        ids[chance.randrange(len(ids))] = chance.choice((chance.randrange(52), 52, 63, 64, 128, 255))
    said = chance.choice((cards,) * 18 + (4, 8, 0, -1, 2**70, 5.0, None, "7", True))
    form, out, dtype = chance.choice(BATCHES), chance.choice(OUTS), chance.choice(DTYPES)
    return {"ids": ids, "cards": cards, "cards_said": said, "as": form, "dtype": dtype, "out": out}


_ODD: Final = (
    "",
    "None",
    "float",
    "text",
    "space",
    "half",
    "ten",
    "lower",
    "surrogate",
    "huge",
    "negative",
    "subclass",
    "nested",
    "liar",
    "raises",
)


def _ids(chance: random.Random, most: int = 9) -> list[int]:
    count = chance.choice((3, 3, 5, 5, 6, 7, 7, chance.randrange(most + 1)))
    ids = chance.sample(range(52), count)
    if ids and chance.random() < 0.2:
        ids[chance.randrange(count)] = chance.choice((ids[0], 52, 255, 64))
    return ids


class _Liar(str):
    """Text that says it is something else."""

    __slots__ = ()

    def __eq__(self, _: object) -> bool:
        raise ZeroDivisionError

    __hash__ = str.__hash__

    def __len__(self) -> int:
        return 2**62

    def __repr__(self) -> str:
        return "\ud800"


class _Raises:
    """Nothing can be asked of it."""

    def __getattribute__(self, name: str) -> Any:
        raise ZeroDivisionError(name)

    def __repr__(self) -> str:
        raise ZeroDivisionError

    def __index__(self) -> int:
        raise ZeroDivisionError

    def __buffer__(self, _flags: int) -> memoryview:
        raise ZeroDivisionError


def _given(ids: list[int], form: str, odd: str, at: int) -> Any:
    """The hand in one of its forms; with one odd thing in it, where ``odd`` says so."""
    cards: list[Any] = [DECK[one] if one < 52 else one for one in ids]
    texts = [TEXTS[one] if one < 52 else "1x" for one in ids]
    if odd:
        at = at % (len(cards) + 1)
        thing = _odd_thing(odd)
        if form in ("list", "tuple"):
            cards.insert(at, thing)
        elif form in ("text", "spaced") and issubclass(type(thing), str):
            texts.insert(at, str.__str__(thing))
        else:
            return thing
    match form:
        case "list":
            return cards
        case "tuple":
            return tuple(cards)
        case "text":
            return "".join(texts)
        case "spaced":
            return " ".join(texts)
        case "ids":
            return bytes(ids)
        case "ids of bytearray":
            return bytearray(ids)
        case "mask":
            return sum({1 << one for one in ids})
        case "array":
            return np.array(ids, dtype=np.uint8)
        case _:
            return (card for card in cards)


def _odd_thing(odd: str) -> Any:
    return {
        "None": None, "float": 1.5, "text": "As", "space": "  ", "half": "T", "ten": "10d", "lower": "ts",
        "surrogate": "\ud800", "huge": 1 << 4000, "negative": -1, "subclass": type("Named", (list,), {})(DECK[:5]),
        "nested": [[DECK[0]]], "liar": _Liar("As"), "raises": _Raises(),
    }[odd]  # fmt: skip


def _one(said: dict[str, Any]) -> str:
    ids, more = said["ids"], said["more"]
    hand = _given(ids, said["form"], said["odd"], said["at"])
    if said["form"] == "mask" and not said["odd"]:
        ids = sorted(set(ids))  # a bit is there or is not
    as_given = not said["odd"] and said["form"] in ("list", "tuple", "text", "spaced", "ids", "mask")
    good = as_given and len(set(ids)) == len(ids) and all(one < 52 for one in ids)
    cards = [TEXTS[one] for one in ids if one < 52]
    if said["form"] != "generator":
        for call in (rank, best_five):
            found = _answer(call, hand, may=good and 5 <= len(ids) <= 7, must_not=as_given)
            if found is None or not good:
                continue
            five = found if call is best_five else best_five(hand)
            wanted = best(cards)
            if rank_of(tuple(map(str, five))) != wanted or not set(map(str, five)) <= set(cards):
                raise Broken(f"best_five({cards}) is {five}")
            _is_rank(rank(hand), wanted)
    found = _answer(
        lambda one: rank_three(one, wheel=said["wheel"]), hand, may=good and len(ids) == 3, must_not=as_given
    )
    if found is not None:
        three_category(found)
        deciding_ranks(found)
    others = [TEXTS[one] for one in more if one < 52]
    fits = good and len(ids) == 3 == len({*more} - {*ids}) == len(more) and len(others) == 3
    found = _answer(lambda one: rank_three_plus_two(one, bytes(more)), hand, may=fits, must_not=as_given)
    if found is not None and fits:
        wanted = best_of_three_own_and_two(cards, others)
        _is_rank(found, wanted)
        five = [str(card) for card in best_three_plus_two(hand, bytes(more))]
        if rank_of(tuple(five)) != wanted or not set(cards) <= set(five):
            raise Broken(f"best_three_plus_two({cards}, {others}) is {five}")
    return "ranked" if good and (5 <= len(ids) <= 7 or len(ids) == 3) else "refused"


def _answer(call: Any, hand: Any, *, may: bool, must_not: bool) -> Any:
    """What the call answers; None when it refused in words, as it must where the hand cannot exist."""
    try:
        found = call(hand)
    except (CardError, TypeError) as error:
        if may:
            raise Broken(f"refused: {error}") from error
        if type(error) not in (CardError, CardCountError, RepeatedCardError, TypeError) or not _SHAPES.match(
            str(error)
        ):
            raise Broken(f"says {error!r}") from error
        if len(str(error)) > 400:
            raise Broken(f"says it at length: {len(str(error))}") from error
        return None
    if must_not and not may:
        raise Broken(f"ranked {hand!r} as {found}")
    return found


def _is_rank(value: int, wanted: Rank) -> None:
    """The value is that hand's: its category, and what decides within it."""
    kickers = {8: 1, 9: 1, 4: 1}.get(wanted[0], 5)
    if category(value) != wanted[0] or [one + 2 for one in deciding_ranks(value)] != wanted[1][:kickers]:
        raise Broken(f"{value} is {category(value).name} by {deciding_ranks(value)}; wanted {wanted}")
    if (pair_rank(value) is not None) != (wanted[0] == 1):
        raise Broken(f"{value}: pair_rank")


def _batch(said: dict[str, Any]) -> str:
    cards, ids = said["cards"], said["ids"]
    rows = [ids[at : at + cards] for at in range(0, len(ids), cards)]
    hands, fits = _batch_given(said)
    out = _out_of(said, len(rows), hands)
    may = fits and type(said["cards_said"]) is int and said["cards_said"] == cards
    may = may and said["out"] in ("none", "right", "column")
    exists = all(len(set(row)) == cards and max(row) < 52 for row in rows)
    ended = "batch refused"
    for call in (rank_many, _evaluator.rank_many_scalar):
        before = _content(out)
        try:
            found = call(hands, said["cards_said"]) if out is None else call(hands, said["cards_said"], out)
        except (CardError, TypeError, ValueError) as error:
            if may and exists:
                raise Broken(f"refused: {error}") from error
            if _content(out) != before:
                raise Broken(f"{error}, and out was written") from error
            if not _SHAPES.match(str(error)):
                raise Broken(f"says {error!r}") from error
            if may and (fault := _first_fault(rows)) and str(error) != fault:
                raise Broken(f"says {error}; the first fault is {fault}") from error
            continue
        if not exists:
            raise Broken(f"ranked {rows} as {found.tolist()}")
        if may and np.asarray(found).reshape(-1).tolist() != [rank(bytes(row)) for row in rows]:
            raise Broken(f"ranked {rows} as {found.tolist()}")
        ended = "batch ranked"
    return ended


def _content(out: Any) -> bytes | None:
    return out.tobytes() if isinstance(out, np.ndarray | array) else None


def _first_fault(rows: list[list[int]]) -> str:
    for number, row in enumerate(rows):
        for at, one in enumerate(row):
            if one > 51:
                return f"hands[{number}][{at}]: was {one}; allowed: 0..51"
        seen: set[int] = set()
        for one in row:
            if one in seen:
                return f"hands[{number}]: card {TEXTS[one]} twice"
            seen.add(one)
    return ""


def _batch_given(said: dict[str, Any]) -> tuple[Any, bool]:
    """The batch in a form, and whether it is one that is taken."""
    data, cards = bytes(said["ids"]), said["cards"]
    flat = np.frombuffer(data, dtype=np.uint8)
    rows = flat.reshape(-1, cards)
    match said["as"]:
        case "bytes":
            return data, True
        case "flat":
            return flat, True
        case "rows":
            return rows, True
        case "bytearray":
            return bytearray(data), True
        case "strided":
            return np.repeat(flat, 2)[::2], True
        case "backwards":
            return flat[::-1].copy()[::-1], True
        case "fortran":
            return np.asfortranarray(rows), True
        case "array":
            return array("B", data), True
        case "dtype":
            of_type = np.zeros(len(said["ids"]), dtype=said["dtype"])
            return of_type, said["dtype"] == "uint8" and not said["ids"]
        case "cube":
            return rows.reshape(1, -1, cards), False
        case "scalar":
            return np.array(7, dtype=np.uint8), False
        case "list":
            return [list(row) for row in rows.tolist()], False
        case _:
            return "As" * len(said["ids"]), False


def _out_of(said: dict[str, Any], count: int, hands: Any) -> Any:
    match said["out"]:
        case "none":
            return None
        case "right":
            return np.full(count, 9, dtype=np.uint16)
        case "short":
            return np.full(count + 1, 9, dtype=np.uint16)
        case "wide":
            return np.full(count, 9, dtype=np.uint32)
        case "strided":
            return np.full(2 * count + 2, 9, dtype=np.uint16)[::2]
        case "read-only":
            out = np.full(count, 9, dtype=np.uint16)
            out.flags.writeable = False
            return out
        case "swapped":
            return np.full(count, 9, dtype=">u2")
        case "column":
            return np.full((count, 1), 9, dtype=np.uint16)
        case "the same":
            return hands
        case _:
            return [0] * count


def _value(value: Any) -> str:
    ended = "value refused"
    for call in (category, three_category, deciding_ranks, pair_rank):
        try:
            call(value)
        except (TypeError, ValueError) as error:
            if not _SHAPES.match(str(error)):
                raise Broken(f"says {error!r}") from error
        else:
            ended = "value read"
    for call in (Card, Card.from_id):
        try:
            call(value)
        except (CardError, TypeError):
            continue
    return ended

"""Good round records with one thing made wrong, and the code that the record format's table gives it.

Each ``@fault`` changes a record in place, or returns False where it finds nothing to spoil. Where the format names no
one code, as for a decision that is a number, the codes that may be read from it are listed with a bar between.
"""

import copy
import json
import random
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from naive_settlement import judge
from random_records import DECK, REQUIRED, STREETS, Record, random_record

Spoil = Callable[[random.Random, Record], bool | None]
FAULTS: list[tuple[str, Spoil]] = []

NOT_TEXT: list[Any] = [None, True, False, 7, 1.5, [], ["x"], {}, {"a": 1}]
NOT_A_LIST: list[Any] = [None, True, 0, 1.5, "AsKs", "", {}, {"0": "As"}]
NOT_AN_OBJECT: list[Any] = [None, False, 3, 2.5, "ante", [], [{}], [["ante", 5]]]
NOT_A_WHOLE_NUMBER: list[Any] = [None, True, False, 0.5, 1000.0, 1e3, -1.5, "1000", "", [1000], [], {}, {"a": 1}]
NOT_A_CARD: list[Any] = ["10d", "1x", "as", "AS", "sA", "A", "", " As", "As ", "A\u2660", "XX", "Asd", "0c", "\u00c1s"]
NOT_A_CARD += [None, True, 5, 1.5, [], ["As"], {}, {"a": 1}]


@dataclass(frozen=True)
class Bad:
    """One line with one fault."""

    name: str
    line: bytes
    id: str | None
    codes: frozenset[str]


def fault(codes: str) -> Callable[[Spoil], Spoil]:
    def listed(spoil: Spoil) -> Spoil:
        FAULTS.append((codes, spoil))
        return spoil

    return listed


def a_seat(chance: random.Random, record: Record) -> Record:
    seat: Record = chance.choice(record["seats"])
    return seat


def card_lists(record: Record) -> list[list[Any]]:
    return [*record["cards"].values(), *(seat["cards"] for seat in record["seats"])]


def unseen(chance: random.Random, record: Record) -> str:
    seen = [card for listed in card_lists(record) for card in listed]
    return chance.choice([card for card in DECK if card not in seen])


# The record's own fields ----------------------------------------------------------------------------------------------


@fault("invalid_json")
def a_field_is_missing(chance: random.Random, record: Record) -> None:
    del record[chance.choice(["schema", "table", "gaming_day", "currency", "cards", "seats"])]


@fault("invalid_json")
def the_id_is_missing_or_no_text(chance: random.Random, record: Record) -> None:
    record["id"] = chance.choice(NOT_TEXT)
    if chance.random() < 0.3:
        del record["id"]


@fault("invalid_json")
def the_schema_is_unknown(chance: random.Random, record: Record) -> None:
    record["schema"] = chance.choice(
        ["pitstream.round/2", "pitstream.round/1 ", "Pitstream.Round/1", "", ["pitstream.round/1"], *NOT_TEXT]
    )


@fault("invalid_json")
def a_text_has_another_type(chance: random.Random, record: Record) -> None:
    record[chance.choice(["table", "gaming_day", "currency", "void"])] = chance.choice(NOT_TEXT)


@fault("invalid_json")
def an_object_has_another_type(chance: random.Random, record: Record) -> None:
    record[chance.choice(["paytables", "cards", "options", "meters", "seeds"])] = chance.choice(NOT_AN_OBJECT)


@fault("invalid_json")
def seats_are_no_list_or_none(chance: random.Random, record: Record) -> None:
    record["seats"] = chance.choice([*NOT_A_LIST, []])


@fault("invalid_json")
def the_day_is_not_in_the_calendar(chance: random.Random, record: Record) -> None:
    record["gaming_day"] = chance.choice(
        [
            *("2025-02-30", "2025-02-29", "2025-13-01", "2025-00-10", "2025-04-31", "2025-2-3", "25-02-03", "2025-02"),
            *("03/02/2025", "2025-02-03T00:00:00", "2025-02-03Z", " 2025-02-03", "2025-02-03\n", "", "today", 20250203),
        ]
    )


@fault("invalid_json")
def the_currency_is_no_code(chance: random.Random, record: Record) -> None:
    record["currency"] = chance.choice(["usd", "US", "USDX", "U$D", "", " USD", "840", 840, "dollar"])


@fault("invalid_json")
def an_amount_of_a_meter_is_no_whole_number(chance: random.Random, record: Record) -> None:
    field = chance.choice(["meters", "seeds"])
    record.setdefault(field, {})[chance.choice(["main", "mega", "other"])] = chance.choice(NOT_A_WHOLE_NUMBER)


@fault("unknown_game")
def the_game_is_unknown(chance: random.Random, record: Record) -> None:
    record["game"] = chance.choice(
        [*NOT_TEXT, "", "Flop_Poker", "flop poker", "flop_poker ", "blackjack", ["flop_poker"], {"flop_poker": 1}]
    )


@fault("invalid_json")
def the_lucky_position_is_none(chance: random.Random, record: Record) -> bool | None:
    if record["game"] != "ultimate_texas_holdem":
        return False
    lucky = chance.choice([0, 8, -1, 10**30, "1", "Dealer", "dealer ", "", 1.0, 2.5, True, False, None, [1], {}])
    record.setdefault("options", {})["lucky"] = lucky
    return None


@fault("invalid_json")
def the_wheel_is_neither_true_nor_false(chance: random.Random, record: Record) -> bool | None:
    if record["game"] == "ultimate_texas_holdem":
        return False
    record.setdefault("options", {})["three_card_wheel"] = chance.choice([0, 1, None, "false", "true", "", [], {}, 1.0])
    return None


# Seats ----------------------------------------------------------------------------------------------------------------


@fault("invalid_json")
def a_seat_is_no_object(chance: random.Random, record: Record) -> None:
    record["seats"][chance.randrange(len(record["seats"]))] = chance.choice(NOT_AN_OBJECT)


@fault("invalid_json")
def a_seat_s_field_is_missing(chance: random.Random, record: Record) -> None:
    del a_seat(chance, record)[chance.choice(["seat", "player", "cards", "decisions"])]


@fault("invalid_json")
def a_seat_s_number_is_out_of_range(chance: random.Random, record: Record) -> None:
    a_seat(chance, record)["seat"] = chance.choice(
        [0, 8, -1, 10**30, "1", "", 1.0, 3.5, True, False, None, [1], {"a": 1}]
    )


@fault("invalid_json")
def seats_are_not_in_order_each_once(chance: random.Random, record: Record) -> bool | None:
    seats = record["seats"]
    if len(seats) < 2:
        return False
    at = chance.randrange(1, len(seats))
    if chance.random() < 0.5:
        seats[at]["seat"] = seats[at - 1]["seat"]
    else:
        seats[at - 1 : at + 1] = [seats[at], seats[at - 1]]
    return None


@fault("invalid_json")
def a_seat_s_text_has_another_type(chance: random.Random, record: Record) -> None:
    a_seat(chance, record)[chance.choice(["player", "forfeited"])] = chance.choice(NOT_TEXT)


@fault("invalid_json")
def a_seat_s_list_or_object_has_another_type(chance: random.Random, record: Record) -> None:
    field = chance.choice(["cards", "decisions", "wagers"])
    a_seat(chance, record)[field] = chance.choice(NOT_AN_OBJECT if field == "wagers" else NOT_A_LIST)


# Cards ----------------------------------------------------------------------------------------------------------------


@fault("invalid_json")
def the_community_cards_are_no_list(chance: random.Random, record: Record) -> None:
    record["cards"][chance.choice(list(record["cards"]))] = chance.choice(NOT_A_LIST)


@fault("unknown_card")
def a_card_is_unknown(chance: random.Random, record: Record) -> None:
    listed = chance.choice([listed for listed in card_lists(record) if listed] or [record["seats"][0]["cards"]])
    if listed:
        listed[chance.randrange(len(listed))] = chance.choice(NOT_A_CARD)
    else:
        listed.append(chance.choice(NOT_A_CARD))


@fault("unknown_card")
def the_magic_card_is_unknown(chance: random.Random, record: Record) -> bool | None:
    if record["game"] != "ultimate_texas_holdem":
        return False
    record.setdefault("options", {})["magic_card"] = chance.choice(NOT_A_CARD)
    return None


@fault("duplicate_card")
def a_card_lies_in_two_places(chance: random.Random, record: Record) -> bool | None:
    places = [(listed, at) for listed in card_lists(record) for at in range(len(listed))]
    if len(places) < 2:
        return False
    (one, at), (other, there) = chance.sample(places, 2)
    one[at] = other[there]
    return None


@fault("wrong_card_count")
def a_list_has_too_few_or_too_many_cards(chance: random.Random, record: Record) -> bool | None:
    if "void" in record:
        return False
    listed = chance.choice(card_lists(record))
    if chance.random() < 0.5:
        del listed[chance.randrange(len(listed)) if chance.random() < 0.7 else slice(None)]
    else:
        listed.append(unseen(chance, record))
    if listed is record["cards"].get("bonus") and not listed and not bonus_is_needed(record):
        return False  # bonus cards that nobody bet on, listed as none
    return None


def bonus_is_needed(record: Record) -> bool:
    return any("six_card" in seat["wagers"] for seat in record["seats"])


@fault("wrong_card_count")
def cards_lie_where_the_game_has_none(chance: random.Random, record: Record) -> bool | None:
    lists = {"flop_poker": ["dealer", "bonus"], "raise_it_up_stud": ["dealer", "bonus", "burned"]}.get(record["game"])
    if lists is None or "void" in record:
        return False
    record["cards"][chance.choice(lists)] = [unseen(chance, record)]
    return None


@fault("wrong_card_count")
def nobody_dealt_the_bonus_cards(chance: random.Random, record: Record) -> bool | None:
    if record["game"] != "ultimate_texas_holdem" or "void" in record or not bonus_is_needed(record):
        return False
    del record["cards"]["bonus"]
    return None


# Wagers and decisions -------------------------------------------------------------------------------------------------


@fault("unknown_wager")
def a_wager_is_not_of_this_game_or_not_yet(chance: random.Random, record: Record) -> None:
    foreign = {"blind", "trips"} if record["game"] == "flop_poker" else {"pot", "three_card_bonus"}
    names = ["insurance", "ANTE", "ante ", "", "play", "flop", *foreign]
    a_seat(chance, record)["wagers"][chance.choice(names)] = chance.randint(1, 500)


@fault("unknown_wager")
def a_wager_is_not_offered(chance: random.Random, record: Record) -> bool | None:
    offered = {wager for seat in record["seats"] for wager in seat["wagers"]} & record["paytables"].keys()
    side_bets = sorted(offered - set(REQUIRED[record["game"]]))
    if not side_bets:
        return False
    del record["paytables"][chance.choice(side_bets)]
    return None


@fault("invalid_stake")
def a_stake_is_no_whole_number_above_0(chance: random.Random, record: Record) -> None:
    wagers = a_seat(chance, record)["wagers"]
    wagers[chance.choice(list(wagers))] = chance.choice([*NOT_A_WHOLE_NUMBER, 0, -1, -1000, -(10**30)])


@fault("invalid_stake")
def a_blind_is_not_the_ante_or_pots_differ(chance: random.Random, record: Record) -> bool | None:
    wagers = a_seat(chance, record)["wagers"]
    if "blind" in wagers:
        wagers["blind"] += 1
    elif len(record["seats"]) > 1:
        wagers["pot"] += 1
    else:
        return False
    return None


@fault("missing_wager")
def a_required_wager_is_missing(chance: random.Random, record: Record) -> None:
    wagers = a_seat(chance, record)["wagers"]
    del wagers[chance.choice([wager for wager in ("ante", "blind", "pot") if wager in wagers])]


@fault("missing_wager")
def a_seat_has_no_wager_at_all(chance: random.Random, record: Record) -> None:
    a_seat(chance, record)["wagers"] = {}


def asked(record: Record, said: list[str]) -> tuple[str, ...]:
    """The words allowed after those said; none when the player is not asked again."""
    streets = STREETS[record["game"]]
    return streets[len(said)] if len(said) < len(streets) and all(word == "check" for word in said) else ()


@fault("illegal_decision")
def a_word_may_not_be_said(chance: random.Random, record: Record) -> bool | None:
    said = a_seat(chance, record)["decisions"]
    if not said:
        return False
    at = chance.randrange(len(said))
    words = ["check", "1x", "2x", "3x", "4x", "5x", "flop", "fold", "Fold", "", "raise", "1X", "check "]
    said[at] = chance.choice([word for word in words if word not in asked(record, said[:at])])
    del said[at + 1 :]
    return None


@fault("illegal_decision")
def a_word_is_too_many(chance: random.Random, record: Record) -> bool | None:
    said = a_seat(chance, record)["decisions"]
    if asked(record, said):
        return False
    said.append(chance.choice(["check", "1x", "fold", "flop", said[-1]]))
    return None


@fault("illegal_decision")
def a_word_is_too_few(chance: random.Random, record: Record) -> bool | None:
    seat = a_seat(chance, record)
    if "void" in record or "forfeited" in seat:
        return False
    seat["decisions"].pop()
    return None


@fault("illegal_decision|invalid_json")
def a_decision_is_no_text(chance: random.Random, record: Record) -> bool | None:
    said = a_seat(chance, record)["decisions"]
    if not said:
        return False
    said[chance.randrange(len(said))] = chance.choice([*NOT_TEXT, ["fold"]])
    return None


# Paytables and meters -------------------------------------------------------------------------------------------------


@fault("unknown_paytable")
def an_id_is_unknown_for_the_wager(chance: random.Random, record: Record) -> None:
    wager = chance.choice(list(record["paytables"]))
    record["paytables"][wager] = chance.choice(["Z", "", "a", " A", "published-9", "sister-B", "house-1 "])


@fault("unknown_paytable")
def a_required_wager_has_no_id(chance: random.Random, record: Record) -> None:
    del record["paytables"][chance.choice(REQUIRED[record["game"]])]


@fault("unknown_paytable")
def the_pot_has_an_id(_: random.Random, record: Record) -> bool | None:
    if record["game"] != "flop_poker":
        return False
    record["paytables"]["pot"] = "A"
    return None


@fault("unknown_paytable|invalid_json")
def an_id_is_no_text(chance: random.Random, record: Record) -> None:
    record["paytables"][chance.choice(list(record["paytables"]))] = chance.choice([*NOT_TEXT, ["A"]])


@fault("unknown_paytable|unknown_wager")
def a_wager_that_does_not_exist_has_an_id(chance: random.Random, record: Record) -> None:
    record["paytables"][chance.choice(["insurance", "", "ANTE"])] = "A"


@fault("paytable_not_in_effect")
def a_paytable_is_out_of_force(chance: random.Random, record: Record) -> bool | None:
    if record["game"] != "ultimate_texas_holdem":
        return False
    wager, name = chance.choice([("bad_beat", "C"), *(("play_the_board", each) for each in "ABC")])
    record["paytables"][wager] = name
    record["gaming_day"] = chance.choice(["2024-03-22", "2026-03-23", "1999-12-31", "2024-02-29", "2040-01-01"])
    return None


@fault("missing_meter")
def a_meter_that_is_won_is_missing(_: random.Random, record: Record) -> bool | None:
    lines = [line for seat in judge(record)["seats"] for line in seat["lines"]]
    won = [line["share"]["meter"] for line in lines if "share" in line]
    if not won:
        return False
    del record["meters"][won[0]]
    return None


# Lines that are no record at all --------------------------------------------------------------------------------------


def broken_lines(chance: random.Random, line: bytes) -> list[tuple[str, bytes]]:
    """Lines of which not even the id can be read: each is invalid_json, with null for the id."""
    return [
        ("cut off", line[: chance.randrange(1, len(line))]),
        ("a comma before the end", line[:-1] + b",}"),
        ("a comma in a list", line.replace(b"]", b",]", 1)),
        ("a missing comma", line.replace(b", ", b" ", 1)),
        ("single quotes", line.replace(b'"', b"'")),
        ("something after it", line + chance.choice([b"x", b"}", b"{}", b" " + line, b",", b"\x00"])),
        ("something before it", chance.choice([b"x", b",", b"[", b"\x00", b"\xff\xfe"]) + line),
        ("a list around it", b"[" + line + b"]"),
        ("NaN", line.replace(b'"currency"', b'"meters": {"main": NaN}, "currency"')),
        ("infinity", line.replace(b'"currency"', b'"seeds": {"main": -Infinity}, "currency"')),
        ("a number with a leading zero", line.replace(b'"currency"', b'"seeds": {"main": 007}, "currency"')),
        ("a comment", line[:-1] + b"} // good"),
        ("not UTF-8", line.replace(b'"table": "', b'"table": "\xff', 1)),
        ("half a character", line.replace(b'"table": "', b'"table": "\xe2\x99', 1)),
        ("UTF-16", line.decode().encode("utf-16-le").replace(b"\n", b"")),
        ("a control character", line.replace(b'"table": "', b'"table": "\x07', 1)),
        ("a bad escape", line.replace(b'"table": "', b'"table": "\\x41', 1)),
        ("nested without end", b'{"id": "deep", "void": ' + b"[" * 200_000),
        ("nested deeply and closed", b'{"id": ' + b"[" * 200_000 + b"]" * 200_000 + b"}"),
        *((f"only {text}", text.encode()) for text in ("null", "true", "7", '"r1"', "[]", "{}", "nothing", "{", "}")),
    ]


def bad_records(seed: str, each: int) -> list[Bad]:
    """Every kind of fault `each` times, on records that settle without it."""
    chance = random.Random(seed)
    found = []
    number = 0
    for codes, spoil in FAULTS:
        left = each
        while left:
            number += 1
            record = random_record(f"{seed}-{number}")
            if "error" in judge(record):
                continue
            spoilt = copy.deepcopy(record)
            if spoil(chance, spoilt) is False:
                continue
            left -= 1
            id_ = spoilt.get("id")
            line = json.dumps(spoilt, ensure_ascii=chance.random() < 0.5).encode()
            found.append(Bad(spoil.__name__, line, id_ if isinstance(id_, str) else None, frozenset(codes.split("|"))))
    for name, line in broken_lines(chance, json.dumps(random_record(f"{seed}-broken")).encode()):
        found.append(Bad(name, line, None, frozenset({"invalid_json"})))
    return found

"""Method: small rounds with their whole scripts. The end-to-end tests play every kind of round for real."""

from dataclasses import replace

import pytest

from pitstream.cli.script import Script, Step, script_of
from pitstream.games.game import FinishedRound, Seat

UTH = FinishedRound(
    game="ultimate_texas_holdem",
    gaming_day="2025-05-03",
    currency="USD",
    paytables={"ante": "A", "blind": "A", "play": "A"},
    options={},
    dealer=("3c", "5d"),
    community=("9h", "Ah", "Kh", "Ts", "7h"),
    burned=("Ac", "Jc"),
    bonus=(),
    seats=(
        Seat(1, "p1", ("4d", "Ks"), {"ante": 1500, "blind": 1500}, ("check", "2x")),
        Seat(3, "p2", ("2d", "8c"), {"ante": 500, "blind": 500}, ("check", "check", "fold")),
    ),
)
WAGERS = (
    Step("wagers/1", "wagers", {"seat": 1, "player": "p1", "stakes": {"ante": 1500, "blind": 1500}}),
    Step("wagers/3", "wagers", {"seat": 3, "player": "p2", "stakes": {"ante": 500, "blind": 500}}),
)
DEAL = Step(
    "deal",
    "deal",
    {"hands": [{"seat": 1, "cards": ["4d", "Ks"]}, {"seat": 3, "cards": ["2d", "8c"]}], "dealer": ["3c", "5d"]},
)
FLOP = Step("community/flop", "community", {"cards": ["9h", "Ah", "Kh"], "burned": ["Ac"]})
RIVER = Step("community/river", "community", {"cards": ["Ts", "7h"], "burned": ["Jc"]})
FINISH = Step("finish", "finish")


def says(street: str, seat: int, choice: str) -> Step:
    return Step(f"decisions/{street}/{seat}", "decisions", {"seat": seat, "choice": choice})


def void(reason: str) -> Step:
    return Step("void", "void", {"reason": reason}, by="floorperson")


def in_turn(*steps: Step) -> Script:
    return Script((WAGERS, *((step,) for step in steps)))


def test_wagers_go_side_by_side_and_all_that_follows_in_turn():
    assert script_of(UTH) == in_turn(
        DEAL,
        says("pre_flop", 1, "check"),
        says("pre_flop", 3, "check"),
        FLOP,
        says("flop", 1, "2x"),
        says("flop", 3, "check"),
        RIVER,
        says("river", 3, "fold"),
        FINISH,
    )


def test_the_board_is_completed_when_nobody_is_left_to_ask():
    all_in = replace(UTH, seats=tuple(replace(seat, decisions=("4x",)) for seat in UTH.seats))
    assert script_of(all_in) == in_turn(DEAL, says("pre_flop", 1, "4x"), says("pre_flop", 3, "4x"), FLOP, RIVER, FINISH)


def test_a_seat_is_forfeited_where_its_answers_end():
    told = replace(UTH.seats[1], decisions=("check",), forfeited="told a card")
    forfeit = Step("forfeit/3", "forfeit", {"seat": 3, "reason": "told a card"}, by="floorperson")
    assert script_of(replace(UTH, seats=(UTH.seats[0], told))) == in_turn(
        DEAL,
        says("pre_flop", 1, "check"),
        says("pre_flop", 3, "check"),
        FLOP,
        says("flop", 1, "2x"),
        forfeit,
        RIVER,
        FINISH,
    )


def test_a_seat_with_all_its_answers_is_forfeited_last():
    told = replace(UTH.seats[0], forfeited="told a card")
    forfeit = Step("forfeit/1", "forfeit", {"seat": 1, "reason": "told a card"}, by="floorperson")
    assert script_of(replace(UTH, seats=(told, UTH.seats[1]))).groups[-2:] == ((forfeit,), (FINISH,))


def test_burn_cards_are_reported_only_when_the_device_saw_them_all():
    bodies = [step.body for group in script_of(replace(UTH, burned=())).groups for step in group]
    assert {"cards": ["9h", "Ah", "Kh"]} in bodies
    assert {"cards": ["Ts", "7h"]} in bodies


def test_bonus_cards_are_dealt_when_the_board_is_complete():
    bonus = Step("bonus", "bonus", {"cards": ["2h", "2c", "2s", "3d"]})
    played = replace(UTH, bonus=("2h", "2c", "2s", "3d"))
    assert script_of(played).groups[-3:] == ((says("river", 3, "fold"),), (bonus,), (FINISH,))


@pytest.mark.parametrize(
    ("changes", "played", "left_out"),
    [
        pytest.param({}, 8, None, id="a whole round"),
        pytest.param({"community": ("9h", "Ah", "Kh")}, 6, "seat 3 answered fold out of turn", id="no river"),
        pytest.param({"community": (), "burned": ()}, 3, "seat 1 answered 2x out of turn", id="no flop"),
        pytest.param({"dealer": ("3c",)}, 0, "the dealer holds 1 cards", id="the dealer short of a card"),
        pytest.param({"community": (*UTH.community, "2h")}, 8, "1 more community cards", id="a card too many"),
        pytest.param(
            {"seats": (replace(UTH.seats[0], cards=("4d",)), UTH.seats[1])}, 0, "seat 1 holds 1 cards", id="a seat"
        ),
        pytest.param(
            {"seats": tuple(replace(seat, decisions=()) for seat in UTH.seats), "community": ()}, 1, None, id="dealt"
        ),
    ],
)
def test_a_void_round_is_played_as_far_as_it_went(changes, played, left_out):
    script = script_of(replace(UTH, void="misdeal", **changes))
    whole = script_of(UTH).groups
    assert script == Script((*whole[: 1 + played], (void("misdeal"),)), left_out)


def test_every_command_of_a_round_has_its_own_name():
    names = [step.name for group in script_of(UTH).groups for step in group]
    assert len(names) == len(set(names))

"""Method: a round is played command by command; its bytes are compared with those that are written down here, and its
hash with that of the same round when one thing about it is another."""

import json

from round_play import FLOORPERSON, Table, betting, deal, play_record, round_opened
from test_round_any_play import stored

from pitstream.games.canonical import state_bytes, state_hash
from pitstream.games.commands import AnswerDecision, FinishRound, RevealCommunity, SetCardAside, VoidRound
from pitstream.games.round import Betting, NoRound, Play, evolve_all, evolve_stored


def asked() -> Table:
    """Flop Poker: seat 2 is asked."""
    table = betting("flop_poker")
    table.bet(2, ante=500, pot=500, three_card_bonus=100)
    table.do(deal({2: "Js 7h 2c"}))
    return table


def test_the_bytes_of_a_round_in_play_are_these():
    assert json.loads(state_bytes(asked().state)) == {
        "schema": "pitstream.round-state/1",
        "stage": "asking",
        "stop": 0,
        "seat": 2,
        "opened": {
            "table": "t1",
            "round_no": 1,
            "round_id": "r1",
            "game": "flop_poker",
            "gaming_day": "2025-05-03",
            "currency": "USD",
            "paytables": [
                {"wager": "ante", "paytable": "A", "sha256": ""},
                {"wager": "flop", "paytable": "NJ", "sha256": ""},
                {"wager": "three_card_bonus", "paytable": "NJ", "sha256": ""},
            ],
            "options": {
                "three_card_wheel": "true",
                "odd_pot_units": "from_dealers_left",
                "forfeited_seat": "loses_all",
                "void_round": "returns_all",
            },
            "network": "n1",
            "previous_round_hash": "",
            "rules_version": "1",
            "evaluator": "e1",
        },
        "seats": [
            {
                "seat": 2,
                "player": "p2",
                "wagers": [["three_card_bonus", 100], ["ante", 500], ["pot", 500]],
                "stands": True,
                "bundles": 1,
                "cards": ["Js", "7h", "2c"],
                "decisions": [],
                "forfeited": None,
                "left": None,
            }
        ],
        "dealer": [],
        "community": [],
        "burned": [],
        "bonus": [],
        "set_aside": [],
        "withdrawn": [],
    }


def test_the_hash_of_a_round_is_the_same_for_ever():
    """Written down once: a hash that is kept beside an archive must be found again by every later version."""
    opened = round_opened("flop_poker").model_copy(update={"options": {"three_card_wheel": "true"}})
    assert state_hash(NoRound()).hex() == "46814a59d202c3298dc6326691c0ef5541b538f21f3818e4f496c41cf46e2566"
    assert state_hash(Betting(Play(opened))).hex() == "709701b4b1ed84be6899205e2501ea2c9eef5d6e7c06fb6f46c68432d142118a"


def test_every_step_changes_the_hash_and_the_stored_bytes_make_the_same():
    table = asked()
    table.answer(2, "flop")
    table.do(SetCardAside(card="5d", reason="face up in the deck", floorperson=FLOORPERSON))
    table.do(RevealCommunity(cards=("Jd", "9s", "4h"), burned=("2d",)), FinishRound())
    data = stored(table.events)
    hashes = [state_hash(evolve_all(table.events[:n])) for n in range(len(table.events) + 1)]
    # That the wager of an answer was placed says nothing new: the answer did.
    (said,) = (n for n, event in enumerate(table.events) if type(event).__name__ == "DecisionMade")
    assert [n for n in range(1, len(hashes)) if hashes[n] == hashes[n - 1]] == [said + 2]
    assert [state_hash(evolve_stored(data[:n])) for n in range(len(data) + 1)] == hashes


def test_two_rounds_that_differ_in_one_thing_have_two_hashes():
    def void(reason: str) -> bytes:
        table = asked()
        table.do(VoidRound(reason=reason, floorperson=FLOORPERSON))
        return state_hash(table.state)

    def answered(choice: str) -> bytes:
        table = asked()
        table.do(AnswerDecision(seat=2, choice=choice))
        return state_hash(table.state)

    assert len({void("a"), void("b"), answered("flop"), answered("fold"), state_hash(asked().state)}) == 5


def test_every_round_of_an_evening_is_the_same_from_its_bytes_and_from_its_twins(demo_records):
    for record in demo_records:
        events = play_record(record).events
        assert evolve_stored(stored(events)) == evolve_all(events)

"""A table opens for a game on a gaming day, and closes: examples."""

import pytest

from pitstream.events.refusal import Refusal
from pitstream.events.rounds import PaytableChoice, TableClosed, TableOpened
from pitstream.games.commands import CloseTable, NetworkTerms, OpenTable
from pitstream.games.paytables import bundled
from pitstream.games.round import ImpossibleEventError
from pitstream.games.table import Closed, Open, decide, evolve

UTH = {"ante": "A", "blind": "A", "play": "A"}
MAIN = NetworkTerms(currency="USD", meters=("main",))
CLOSE = CloseTable(table="uth-01", reason="end of the gaming day")


def opening(**changed):
    fields = {
        "table": "uth-01",
        "game": "ultimate_texas_holdem",
        "gaming_day": "2025-05-03",
        "currency": "USD",
        "paytables": UTH,
    }
    return OpenTable(**(fields | changed))


def opened(**changed):
    """A table opened with ``opening(**changed)``."""
    (event,) = decide(Closed(), opening(**changed))
    return evolve(Closed(), event)


def choice(wager, paytable, game="ultimate_texas_holdem"):
    return PaytableChoice(wager=wager, paytable=paytable, sha256=bundled().named(game, wager, paytable).sha256)


def test_a_table_opens_with_the_content_of_every_paytable_in_line_order():
    asked = opening(paytables={"trips": "B", "play": "A", "blind": "A", "ante": "A"})
    assert decide(Closed(), asked) == [
        TableOpened(
            table="uth-01",
            game="ultimate_texas_holdem",
            gaming_day="2025-05-03",
            currency="USD",
            paytables=(choice("ante", "A"), choice("blind", "A"), choice("play", "A"), choice("trips", "B")),
            policies={},
            network=None,
        )
    ]


def test_a_table_closes_and_opens_again():
    state = opened()
    assert isinstance(state, Open)
    (closed,) = decide(state, CLOSE)
    assert closed == TableClosed(table="uth-01", reason="end of the gaming day")
    state = evolve(state, closed)
    assert state == Closed("end of the gaming day")
    assert isinstance(decide(state, opening(gaming_day="2025-05-04")), list)


@pytest.mark.parametrize(
    ("changed", "code", "field"),
    [
        pytest.param({"game": "texas_holdem"}, "unknown_game", "game", id="no such game"),
        pytest.param({"gaming_day": "2025-02-30"}, "invalid_gaming_day", "gaming_day", id="30 February"),
        pytest.param({"gaming_day": "20250503"}, "invalid_gaming_day", "gaming_day", id="a day without dashes"),
        pytest.param({"gaming_day": "today"}, "invalid_gaming_day", "gaming_day", id="a word for a day"),
        pytest.param({"paytables": UTH | {"pot": "A"}}, "unknown_wager", "paytables", id="another game's wager"),
        pytest.param({"paytables": {"ante": "A", "play": "A"}}, "unknown_paytable", "paytables", id="no blind"),
        pytest.param({"paytables": {"ante": "A", "blind": "A"}}, "unknown_paytable", "paytables", id="no play"),
        pytest.param({"paytables": UTH | {"trips": "Z"}}, "unknown_paytable", "paytables.trips", id="no Trips Z"),
        pytest.param(
            {"paytables": UTH | {"play_the_board": "A"}, "gaming_day": "2026-03-23"},
            "paytable_not_in_effect",
            "paytables.play_the_board",
            id="653b.4 was temporary",
        ),
        pytest.param(
            {"paytables": UTH | {"progressive": "sister-A"}}, "missing_network", "network", id="a meter of no network"
        ),
        pytest.param(
            {"paytables": UTH | {"five_card": "house-1"}}, "missing_network", "network", id="a meter of no network, too"
        ),
        pytest.param({"network": "n1"}, "unknown_network", "network", id="a network that nobody told of"),
        pytest.param(
            {"network": "n1", "network_terms": MAIN.model_copy(update={"currency": "EUR"})},
            "wrong_currency",
            "currency",
            id="a network that counts in another currency",
        ),
        pytest.param(
            {"network": "n1", "network_terms": MAIN, "paytables": UTH | {"progressive": "sister-C"}},
            "unknown_meter",
            "paytables.progressive",
            id="a paytable that pays shares of meters which the network does not have",
        ),
        pytest.param(
            {"policies": {"three_card_wheel": "true"}}, "invalid_option", "policies", id="another game's policy"
        ),
    ],
)
def test_a_table_does_not_open_with(changed, code, field):
    refusal = decide(Closed(), opening(**changed))
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.field) == (code, field)


@pytest.mark.parametrize("day", ["2024-03-23", "2026-03-22"])
def test_a_temporary_provision_is_in_force_on_its_first_and_last_day(day):
    assert isinstance(opened(paytables=UTH | {"play_the_board": "A"}, gaming_day=day), Open)


def test_a_table_of_flop_poker_needs_no_paytable_for_the_pot_and_keeps_its_policies():
    state = opened(
        game="flop_poker",
        paytables={"ante": "A", "flop": "NJ"},
        policies={"three_card_wheel": "false"},
        network="n1",
        network_terms=MAIN,
    )
    assert state.terms.paytables == (choice("ante", "A", "flop_poker"), choice("flop", "NJ", "flop_poker"))
    assert state.terms.policies == {"three_card_wheel": "false"}
    assert state.terms.network == "n1"


def test_the_refusal_of_an_expired_provision_says_its_days_and_its_source():
    refusal = decide(Closed(), opening(paytables=UTH | {"bad_beat": "C"}, gaming_day="2026-03-23"))
    assert refusal.message == (
        "was 'C' on 2026-03-23; 58 Pa. Code 653b.3 (temporary, 54 Pa.B. 1537) is in force from 2024-03-23 to 2026-03-22"
    )


def test_an_open_table_does_not_open_again():
    refusal = decide(opened(), opening())
    assert (refusal.code, refusal.field) == ("table_already_open", "table")


def test_a_closed_table_does_not_close():
    refusal = decide(Closed(), CLOSE)
    assert (refusal.code, refusal.field) == ("table_not_open", "table")


def test_a_table_does_not_close_while_a_round_is_played():
    refusal = decide(opened(), CLOSE.model_copy(update={"round_in_progress": 7}))
    assert (refusal.code, refusal.field) == ("round_in_progress", "table")


def test_an_event_that_cannot_follow_stops_the_replay():
    with pytest.raises(ImpossibleEventError, match="TableClosed"):
        evolve(Closed(), TableClosed(table="uth-01", reason="again"))

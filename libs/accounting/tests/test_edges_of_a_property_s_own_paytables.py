"""Edges that the file does not have. Method: the terms of opening events, and counts in a process of their own."""

import asyncio
from fractions import Fraction
from pathlib import Path

import pytest

from pitstream.accounting.count import count
from pitstream.accounting.edges import edge_of, exposures, key_of, read, terms_of, told
from pitstream.accounting.wagers import WagerOutcome
from pitstream.events.rounds import PaytableChoice, RoundOpened
from pitstream.games.paytables import Paytables, bundled, with_property_s
from pitstream.odds import inputs, theoretical
from pitstream.runtime.beside import Beside

HARBOUR = """
[flop_poker.flop.harbour]
basis = "to 1"
standing = "house"
source = "rules submission 7"
pays = { straight_flush = 600, four_of_a_kind = 100, full_house = 30, flush = 20, straight = 12, three_of_a_kind = 4,
         two_pair = 2, pair_jacks_or_better = 1 }
""".replace(",\n         ", ", ")


def opened(known: Paytables, paytables: dict[str, str], options: dict[str, str] | None = None) -> RoundOpened:
    chosen = [known.named("flop_poker", wager, name) for wager, name in paytables.items()]
    return RoundOpened(
        table="t",
        round_no=1,
        round_id="r",
        game="flop_poker",
        gaming_day="2026-01-02",
        currency="USD",
        paytables=tuple(PaytableChoice(wager=one.wager, paytable=one.id, sha256=one.sha256) for one in chosen),
        options=options or {},
        rules_version="1",
        evaluator="1",
    )


BUNDLED = {"ante": "A", "flop": "liberal", "three_card_bonus": "NJ"}


def test_a_round_s_terms_name_what_is_not_bundled_and_what_is_not_the_default(harbour: Path) -> None:
    known = with_property_s(harbour)
    assert (
        terms_of(opened(known, BUNDLED, {"three_card_wheel": "true", "odd_pot_units": "from_dealers_left"})) == BUNDLED
    )
    own = BUNDLED | {"flop": "harbour"}
    assert terms_of(opened(known, own, {"three_card_wheel": "false"})) == {
        **own,
        "content:flop": known.named("flop_poker", "flop", "harbour").sha256,
        "policy:three_card_wheel": "false",
    }


def test_the_file_has_no_edge_of_other_content_or_policies(harbour: Path) -> None:
    def mean(wager: str, terms: dict[str, str]) -> Fraction | None:
        found = edge_of("flop_poker", wager, terms)
        return None if found is None else found.mean

    assert mean("ante", BUNDLED) == Fraction(2760479, 50896300)
    assert mean("ante", {**BUNDLED, "content:flop": "00"}) is None
    assert mean("three_card_bonus", BUNDLED) == Fraction(297, 5525)
    # Its own odds are the same; what it has in common with the main game is not.
    assert mean("three_card_bonus", {**BUNDLED, "content:flop": "00"}) is None
    assert mean("three_card_bonus", {**BUNDLED, "policy:three_card_wheel": "false"}) is None


async def test_edges_of_an_own_paytable_and_policy_are_counted_beside(harbour: Path) -> None:
    known = with_property_s(harbour)
    terms = terms_of(opened(known, BUNDLED | {"flop": "harbour"}, {"three_card_wheel": "false"}))
    rows = inputs("flop_poker", {"flop": "harbour"}, known=known, side_bets=True).paytables
    beside = Beside("pitstream.accounting.count", failed="{}")
    assert [edge_of("flop_poker", wager, terms, beside) for wager in ("ante", "three_card_bonus")] == [None, None]
    working = asyncio.create_task(beside.run(str(harbour)))
    assert await beside.all_known(300)
    working.cancel()
    exact = {wager: theoretical("flop_poker", wager, rows, {"three_card_wheel": "false"}) for wager in rows}
    found = {wager: edge_of("flop_poker", wager, terms, beside) for wager in rows}
    assert {wager: (one.mean, one.variance, one.with_main) for wager, one in found.items() if one} == {
        wager: (one.mean, one.variance, one.with_main) for wager, one in exact.items()
    }
    assert exact["three_card_bonus"].mean > Fraction(297, 5525)
    assert exact["three_card_bonus"].with_main


def test_a_paytable_of_other_content_than_the_round_s_has_no_edge(harbour: Path) -> None:
    terms = terms_of(opened(with_property_s(harbour), BUNDLED | {"flop": "harbour"}))
    # The property's file is another by now, or gone.
    changed = Paytables(HARBOUR.replace("600", "700"), beside=bundled())
    for known in (changed, bundled()):
        assert count(key_of("flop_poker", terms), known) == {}
    assert count(key_of("mississippi_stud", {"ante": "x", "content:ante": "00"}), bundled()) == {}


def test_what_has_no_edge_asks_for_no_count() -> None:
    """An award of a game without one, a round whose opening is unknown, a wager that nobody offers."""
    beside = Beside("pitstream.accounting.count", failed="{}")
    for wager, terms in (("envy", {**BUNDLED, "content:flop": "00"}), ("ante", {}), ("insurance", BUNDLED)):
        assert edge_of("flop_poker", wager, terms, beside) is None
    assert asyncio.run(beside.all_known(0.01))


async def test_what_cannot_be_counted_has_no_edge_and_stops_nobody(tmp_path: Path) -> None:
    beside = Beside("pitstream.accounting.count", failed="{}")
    working = asyncio.create_task(beside.run(str(tmp_path / "gone.toml")))
    terms = {**BUNDLED, "policy:three_card_wheel": "false"}
    assert edge_of("flop_poker", "ante", terms, beside) is None
    assert await beside.all_known(300)
    working.cancel()
    assert beside.of(key_of("flop_poker", terms)) == "{}"
    assert edge_of("flop_poker", "ante", terms, beside) is None


def test_an_award_s_edge_is_what_it_costs_of_the_stakes_that_it_hangs_on() -> None:
    """Envy of Raise It Up Stud by hand: 100 for the A-K-Q of spades and 25 for the other three, of 22,100 hands."""
    wagers = ("ante", "blind", "play", "progressive")
    terms = {wager: bundled().ids("raise_it_up_stud", wager)[0] for wager in wagers}
    paid = bundled().named("raise_it_up_stud", "progressive", terms["progressive"]).envy
    envy = edge_of("raise_it_up_stud", "envy", terms)
    assert envy
    assert envy.mean == -Fraction(paid["three_card_royal_spades"] + 3 * paid["three_card_royal"], 22_100)
    # Three hands, two of which bet 500: each stands beside two others.
    sums = WagerOutcome("progressive", 2, 1000, squares=500_000, beside=2000, squares_beside=1_000_000)
    assert exposures("raise_it_up_stud", "progressive", sums) == {
        "envy": WagerOutcome("envy", exposure=2000, squares=1_000_000)
    }
    assert exposures("raise_it_up_stud", "ante", sums) == {}


def test_lucky_and_magic_cost_what_combinatorics_say() -> None:
    """Magic: one of 52 cards is one of the dealer's two, and of the player's two unless folded, 19.18% of the time."""
    five_card = bundled().ids("ultimate_texas_holdem", "five_card")[0]
    terms = {"ante": "A", "blind": "A", "play": "A", "five_card": five_card}
    table = bundled().named("ultimate_texas_holdem", "five_card", five_card)
    magic, lucky = (edge_of("ultimate_texas_holdem", award, terms) for award in ("magic", "lucky"))
    assert magic
    assert lucky
    assert round(float(magic.mean), 6) == round(-table.magic * (4 - 2 * 0.191816) / 52, 6)
    # The dealer's share alone: of 2,598,960 hands 3,744 full houses, 5,108 flushes, 10,200 straights, 54,912 threes.
    paid = [table.lucky[row] for row in ("full_house", "flush", "straight", "three_of_a_kind")]
    dealers = sum(times * hands for times, hands in zip(paid, (3_744, 5_108, 10_200, 54_912), strict=True))
    assert -2 * Fraction(dealers, 8 * 2_598_960) < lucky.mean < -Fraction(dealers, 8 * 2_598_960)


def test_edges_are_told_and_read_without_loss() -> None:
    terms = {"ante": "A", "blind": "A", "play": "A", "progressive": "sister-A", "five_card": "house-1", "six_card": "x"}
    edges = {wager: edge_of("ultimate_texas_holdem", wager, terms) for wager in ("ante", "progressive", "five_card")}
    known = {wager: edge for wager, edge in edges.items() if edge}
    assert len(known) == 3
    assert read(told(known)) == known


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    file = tmp_path / "house.toml"
    file.write_text(HARBOUR)
    return file

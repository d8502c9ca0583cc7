"""Edges that the file does not have. Method: the terms of opening events, and counts in a process of their own."""

import asyncio
from fractions import Fraction
from pathlib import Path

import pytest

from pitstream.events.rounds import PaytableChoice, RoundOpened
from pitstream.games.paytables import Paytables, bundled, with_property_s
from pitstream.odds import inputs, theoretical
from pitstream.services.wallet.accounting.counting import Counting, count
from pitstream.services.wallet.accounting.edges import edge_of, key_of, terms_of

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
    assert edge_of("flop_poker", "ante", BUNDLED) == "2760479/50896300"
    assert edge_of("flop_poker", "ante", {**BUNDLED, "content:flop": "00"}) == ""
    assert edge_of("flop_poker", "three_card_bonus", {**BUNDLED, "content:flop": "00"}) == "297/5525"
    assert edge_of("flop_poker", "three_card_bonus", {**BUNDLED, "policy:three_card_wheel": "false"}) == ""


async def test_edges_of_an_own_paytable_and_policy_are_counted_beside(harbour: Path) -> None:
    known = with_property_s(harbour)
    terms = terms_of(opened(known, BUNDLED | {"flop": "harbour"}, {"three_card_wheel": "false"}))
    rows = inputs("flop_poker", {"flop": "harbour"}, known=known, side_bets=True).paytables
    counting = Counting()
    assert [counting.edge("flop_poker", wager, terms) for wager in ("ante", "three_card_bonus")] == ["", ""]
    working = asyncio.create_task(counting.run(harbour))
    await counting.all_known(120)
    working.cancel()
    exact = {wager: theoretical("flop_poker", wager, rows, {"three_card_wheel": "false"}).mean for wager in rows}
    assert {wager: counting.edge("flop_poker", wager, terms) for wager in rows} == {
        wager: str(edge) for wager, edge in exact.items()
    }
    assert exact["three_card_bonus"] > Fraction(297, 5525)


def test_a_paytable_of_other_content_than_the_round_s_has_no_edge(harbour: Path) -> None:
    terms = terms_of(opened(with_property_s(harbour), BUNDLED | {"flop": "harbour"}))
    # The property's file is another by now, or gone.
    changed = Paytables(HARBOUR.replace("600", "700"), beside=bundled())
    for known in (changed, bundled()):
        assert count(key_of("flop_poker", terms), known) == {}
    assert count(key_of("mississippi_stud", {"ante": "x", "content:ante": "00"}), bundled()) == {}


async def test_an_award_and_a_round_whose_opening_is_unknown_ask_for_no_count() -> None:
    counting = Counting()
    for wager, terms in (("envy", {**BUNDLED, "content:flop": "00"}), ("ante", {}), ("insurance", BUNDLED)):
        assert counting.edge("flop_poker", wager, terms) == ""
    await counting.all_known(0.01)


@pytest.fixture
def harbour(tmp_path: Path) -> Path:
    file = tmp_path / "house.toml"
    file.write_text(HARBOUR)
    return file

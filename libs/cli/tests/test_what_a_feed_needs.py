"""Method: small evenings read whole; the books of results, and where services are found, as tables."""

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from pitstream.cli.addresses import FILE, Addresses, UnknownAddressError, find
from pitstream.cli.evening import MeterTerms, evening_of
from pitstream.cli.feed import record_lines
from pitstream.cli.floor import Network
from pitstream.cli.results import Results, differences, totals_of, unposted, worth_telling
from pitstream.events import ids
from pitstream.events.settlements import Line, RoundSettled, SeatSettlement, Share
from pitstream.games.totals import WagerTotal

RECORD: dict[str, Any] = {
    "schema": "pitstream.round/1",
    "id": "r1",
    "table": "uth-01",
    "game": "ultimate_texas_holdem",
    "gaming_day": "2025-05-03",
    "currency": "USD",
    "paytables": {"ante": "A", "blind": "A", "play": "A", "progressive": "sister-A"},
    "cards": {"dealer": ["3c", "5d"], "community": ["Th", "Jh", "Qh", "2s", "7c"]},
    "seats": [
        {
            "seat": 1,
            "player": "ann",
            "cards": ["Kd", "2c"],
            "wagers": {"ante": 1500, "blind": 1500, "progressive": 100},
            "decisions": ["check", "2x"],
        }
    ],
    "meters": {"main": 900_000},
    "seeds": {"main": 800_000},
}


def lines(*changes: dict[str, Any]) -> list[bytes]:
    return [json.dumps({**RECORD, **change}).encode() for change in changes]


def test_a_game_with_a_progressive_has_a_network_whose_meters_open_at_their_seed():
    meters = ({"meter": "main", "seed": 800_000, "amount": 800_000, "rate": "1/5"},)
    assert evening_of(lines({}), MeterTerms()).networks == (Network("ultimate-texas-holdem", "USD", meters),)


def test_what_the_records_do_not_say_of_meters_comes_from_the_terms():
    terms = MeterTerms(start=5, seed=7, rate=Fraction(1, 4), network_suffix="-b")
    meters = ({"meter": "main", "seed": 7, "amount": 5, "rate": "1/4"},)
    evening = evening_of(lines({"seeds": {}}), terms)
    assert evening.networks == (Network("ultimate-texas-holdem-b", "USD", meters),)
    assert [one.network for one in evening.rounds] == ["ultimate-texas-holdem-b"]


def test_a_second_currency_has_a_network_of_its_own():
    evening = evening_of(lines({}, {"id": "r2", "currency": "EUR"}), MeterTerms())
    assert [(one.network, one.currency) for one in evening.networks] == [
        ("ultimate-texas-holdem", "USD"),
        ("ultimate-texas-holdem-EUR", "EUR"),
    ]


def test_a_table_without_shares_has_no_network():
    evening = evening_of(
        lines(
            {
                "paytables": {"ante": "A", "blind": "A", "play": "A"},
                "seats": [{**RECORD["seats"][0], "wagers": {"ante": 1500, "blind": 1500}}],
            }
        ),
        MeterTerms(),
    )
    assert (evening.networks, evening.rounds[0].network) == ((), None)


def test_players_need_what_they_would_lose_if_they_lost_everything():
    evening = evening_of(lines({}, {"id": "r2"}, {"id": "r3", "currency": "EUR"}), MeterTerms())
    once = 1500 + 1500 + 100 + 2 * 1500
    assert evening.needs == {("ann", "USD"): 2 * once, ("ann", "EUR"): once}


def test_only_a_hand_that_wins_a_share_is_a_barrier():
    royal = {**RECORD["seats"][0], "cards": ["Kh", "Ah"], "decisions": ["4x"]}
    evening = evening_of(lines({}, {"id": "r2", "seats": [royal]}), MeterTerms())
    assert [one.takes_share for one in evening.rounds] == [False, True]


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        pytest.param({"game": "faro"}, "r1: unknown_game: game: was", id="what settlement refuses"),
        pytest.param({"table": "a b"}, "r1: table: was 'a b'", id="a table no service takes"),
        pytest.param(
            {"seats": [{**RECORD["seats"][0], "player": "ann\n"}]}, "r1: player of seat 1: was 'ann\\n'", id="a player"
        ),
        pytest.param(
            {"seats": [{**RECORD["seats"][0], "wagers": {"ante": 10**13, "blind": 10**13}}]},
            "r1: ante of seat 1: was 10000000000000",
            id="a stake no table takes",
        ),
    ],
)
def test_a_record_that_cannot_be_played_is_a_fault_and_the_others_stand(change: dict[str, Any], fault: str):
    evening = evening_of(lines(change, {"id": "good"}), MeterTerms())
    assert [one.id for one in evening.rounds] == ["good"]
    assert [found[: len(fault)] for found in evening.faults] == [fault]


CLAIM = ids.claim_id("uth-01", 7, 1, "progressive")


def settled_with_a_claim() -> RoundSettled:
    share = Share(meter="main", percent=100)
    line = Line(wager="progressive", stake=100, outcome="win", returned=0, won=0, rule="r", share=share)
    return RoundSettled(
        table="uth-01",
        round_no=7,
        round_id="r1",
        game="ultimate_texas_holdem",
        gaming_day="2025-05-03",
        currency="USD",
        void=False,
        seats=(SeatSettlement(seat=1, player="ann", lines=(line,)),),
        order=(1,),
        rules_version="1",
        closed_by="x",
    )


def test_a_claimed_share_counts_with_the_amount_that_was_locked():
    totals = totals_of([settled_with_a_claim()], {CLAIM: 4321})
    assert totals == {"ultimate_texas_holdem": {"progressive": WagerTotal(stake=100, returned=0, won=4321, awards=0)}}


SEAT = {"table": "uth-01", "round_no": 7, "seat": 1, "player": "ann", "net": -100, "kind": "seat"}
HAND_PAY = {**SEAT, "net": 4321, "kind": "hand_pay", "claim_id": CLAIM}


@pytest.mark.parametrize(
    ("postings", "locked", "missing"),
    [
        pytest.param([], 4321, ["uth-01/7 seat 1", f"hand-pay {CLAIM}"], id="nothing posted"),
        pytest.param([SEAT], 4321, [f"hand-pay {CLAIM}"], id="the hand-pay is owed"),
        pytest.param([SEAT, HAND_PAY], 4321, [], id="all posted"),
        pytest.param([SEAT], 0, [], id="a share of nothing is never paid"),
    ],
)
def test_a_round_is_posted_with_every_seat_and_every_share(
    postings: list[dict[str, Any]], locked: int, missing: list[str]
):
    assert unposted([settled_with_a_claim()], postings, {CLAIM: locked}) == missing


def test_a_hand_pay_is_worth_telling_before_any_larger_win():
    assert worth_telling([{**SEAT, "round_no": 1, "net": 10**6}, {**HAND_PAY, "round_no": 2}]) == ("uth-01", 2)
    assert worth_telling([]) is None


def test_every_difference_is_named_with_both_values():
    found = Results(players={"a": 1}, totals={"g": {"w": WagerTotal(stake=1)}}, meters={"g": {"main": 5}}, rounds=2)
    wanted = Results(players={"a": 1}, totals={"g": {"w": WagerTotal(stake=2)}}, meters={}, rounds=2)
    assert differences(found, found) == []
    assert differences(found, wanted) == [
        "meters.g.main: was 5, expected missing",
        "totals.g.w.stake: was 1, expected 2",
    ]


URLS = {"table": "http://a", "settlement": "http://b", "progressive": "http://c", "wallet": "http://d"}


def test_services_are_found_by_their_file_and_each_by_its_own_variable_before_that(tmp_path: Path):
    (tmp_path / FILE).write_text(json.dumps(URLS))
    assert find(tmp_path, {}) == Addresses(**URLS)
    assert find(tmp_path, {"PITSTREAM_WALLET_URL": "http://w/"}) == Addresses(**{**URLS, "wallet": "http://w"})


def test_services_that_nobody_named_are_named_by_what_is_missing(tmp_path: Path):
    with pytest.raises(UnknownAddressError, match="PITSTREAM_PROGRESSIVE_URL, PITSTREAM_WALLET_URL: not set"):
        find(tmp_path, {"PITSTREAM_TABLE_URL": "http://a", "PITSTREAM_SETTLEMENT_URL": "http://b"})


def test_a_carriage_return_within_a_record_ends_no_line_of_a_feed_either(tmp_path: Path):
    file = tmp_path / "rounds.jsonl"
    file.write_bytes(json.dumps(RECORD, indent=1).replace("\n", "\r").encode() + b"\r\n")
    evening = evening_of(record_lines(str(file)), MeterTerms())
    assert ([one.id for one in evening.rounds], evening.faults) == (["r1"], ())

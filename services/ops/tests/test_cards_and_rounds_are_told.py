"""What events mean for the read models, event by event: pure, as a dealer would check it."""

import pytest

from pitstream.events import Recorded, open_envelope, seal
from pitstream.events.disputes import StatementAttached
from pitstream.events.model import Event
from pitstream.events.progressives import (
    ChangeProposed,
    ContributionsReturned,
    HandPayApproved,
    HitLocked,
    HitRefused,
    HitVerified,
    MeterContribution,
    MeterOpening,
    NetworkOpened,
    PolicyChanged,
    WagersContributed,
)
from pitstream.events.remote import (
    RemoteCreditConfirmed,
    RemoteCreditDoubted,
    RemoteCreditRequested,
    RemoteMoveResolved,
    RemoteMoveStopped,
)
from pitstream.services.ops.cards import UnknownCardsError, asked, name, number, numbers
from pitstream.services.ops.of_rounds import change, effective
from pitstream.services.ops.on_floor import pace_of
from pitstream.services.ops.things import Key, Thing, after

CLAIM = "c0000000-0000-5000-8000-000000000001"
MOVE = "a0000000-0000-5000-8000-000000000001"


def told(*events: Event) -> dict[Key, Thing]:
    """The things after these events, a second apart."""
    known: dict[Key, Thing] = {}
    for version, event in enumerate(events, 1):
        known |= {thing.key: thing for thing in after(known, recorded(event, version))}
    return known


def recorded(event: Event, version: int) -> Recorded:
    return open_envelope(
        seal(
            event, stream="s", version=version, source="x", key="k", key_sequence=version,
            recorded_at_us=version * 1_000_000, cause_id="c", actor="a.tanaka", traceparent="", previous_hash=b"",
        )
    )  # fmt: skip


def test_every_card_has_a_number_and_gets_its_name_back():
    every = [rank + suit for rank in "23456789TJQKA" for suit in "cdhs"]
    assert numbers(every) == list(range(52))
    assert [name(number(card)) for card in every] == every


@pytest.mark.parametrize(
    ("text", "cards"),
    [
        ("Ah Kh Qh", ["Ah", "Kh", "Qh"]),
        ("ahkhqh", ["Ah", "Kh", "Qh"]),
        ("10s, 2C", ["Ts", "2c"]),
    ],
)
def test_cards_are_asked_for_as_people_write_them(text: str, cards: list[str]):
    assert asked(text) == numbers(cards)


@pytest.mark.parametrize("text", ["", "A", "1h", "AhAh", "Ax", "Ah Kh Qh Jh Th 9h 8h 7h"])
def test_what_is_no_combination_of_cards_is_refused(text: str):
    with pytest.raises(UnknownCardsError, match="allowed: one to seven cards"):
        asked(text)


@pytest.mark.parametrize(
    ("ends_us", "pace"),
    [((), None), ((5,), None), ((0, 72_000_000), 50), ((0, 30_000_000, 60_000_000), 120)],
)
def test_the_pace_is_told_from_the_ends_of_rounds(ends_us: tuple[int, ...], pace: int | None):
    assert pace_of(ends_us) == pace


def test_a_refused_prize_was_not_paid_unless_a_correction_made_nothing_of_it():
    wagers = {"five_card": [1, 500, 500, 25_000, 250_000, 0, 0, 0]}
    kept = {"p1": ("five_card", 25_000)}
    assert effective(wagers, kept, []) == {"five_card": [1, 500, 500, 0, 250_000, 0, 0, 0]}
    assert effective(wagers, kept, ["p1"]) == wagers


def test_what_was_counted_and_what_is_to_be_counted_differ_by_what_changed():
    before = {"ante": [2, 20, 20, 0, 200, 0, 0, 0], "trips": [1, 5, 5, 0, 25, 10, 0, 0]}
    now = {"ante": [2, 20, 10, 10, 200, 0, 0, 0], "envy": [0, 0, 0, 7, 0, 0, 0, 3]}
    assert change(before, now) == {
        "ante": [0, 0, -10, 10, 0, 0, 0, 0],
        "trips": [-1, -5, -5, 0, -25, -10, 0, 0],
        "envy": [0, 0, 0, 7, 0, 0, 0, 3],
    }
    assert change(now, now) == {}


OPENED = NetworkOpened(
    network="n1",
    currency="USD",
    policy=None,
    meters=(MeterOpening(meter="main", seed=1000, amount=5000, rate_numerator=1, rate_denominator=5, limit=9000),),
)
FED = WagersContributed(
    network="n1", table="t1", round_no=1, stakes=500, currency="USD",
    contributions=(MeterContribution(meter="main", posted=100, amount_after=5100, carry_numerator=0),),
)  # fmt: skip
LOCKED = HitLocked(
    network="n1", claim_id=CLAIM, table="t1", round_no=1, seat=2, player="p1", wager="progressive", meter="main",
    percent=100, amount=5100, meter_before=5100, meter_after=1000, currency="USD", rule="653a.11(k)",
    policy="sequential",
)  # fmt: skip
VERIFIED = HitVerified(network="n1", claim_id=CLAIM, verified_by="d.okafor", checks=("hand", "light"))


def meter_of(things: dict[Key, Thing]) -> tuple[int, int, int]:
    state = things["meter", "n1/main"].state
    return state["amount"], state["overflow"], state["reserve"]


def test_a_meter_stands_where_its_last_event_says():
    back = ContributionsReturned(
        network="n1", table="t1", round_no=1, stakes=500, currency="USD",
        contributions=(
            MeterContribution(meter="main", posted=-100, amount_after=5000, carry_numerator=0, overflow_after=3,
                              reserve_after=-4),
        ),
    )  # fmt: skip
    assert meter_of(told(OPENED)) == (5000, 0, 0)
    assert meter_of(told(OPENED, FED)) == (5100, 0, 0)
    assert meter_of(told(OPENED, FED, LOCKED)) == (1000, 0, 0)
    assert meter_of(told(OPENED, FED, back)) == (5000, 3, -4)


def test_a_hit_goes_from_locked_to_verified_to_paid():
    paid = HandPayApproved(
        network="n1", claim_id=CLAIM, floorperson="f.moreau", player="p1", table="t1", round_no=1, seat=2, meter="main",
        amount=5100, currency="USD", document="form 1",
    )  # fmt: skip
    hits = [told(OPENED, FED, LOCKED, *more)["hit", CLAIM] for more in ([], [VERIFIED], [VERIFIED, paid])]
    assert [(hit.status, hit.table, hit.network, hit.last_us) for hit in hits] == [
        ("locked", "t1", "n1", 3_000_000),
        ("verified", "t1", "n1", 4_000_000),
        ("paid", "t1", "n1", 5_000_000),
    ]
    state = hits[-1].state
    assert (state["verified_by"], state["checks"], state["decided_by"], state["document"], state["amount"]) == (
        "d.okafor",
        ["hand", "light"],
        "f.moreau",
        "form 1",
        5100,
    )


def test_a_refused_hit_puts_its_meter_back():
    refused = HitRefused(
        network="n1", claim_id=CLAIM, refused_by="f.moreau", reason="eight cards", table="t1", round_no=1, seat=2,
        player="p1", meter="main", amount=5100, currency="USD", to_meter=5100, to_house=0, to_others=0,
        seed_to_reserve=0, seed_to_house=1000, overflow_change=0, amount_after=5100, overflow_after=0, reserve_after=0,
        account="handpay/n1/x/USD",
    )  # fmt: skip
    things = told(OPENED, FED, LOCKED, refused)
    assert (things["hit", CLAIM].status, things["hit", CLAIM].state["reason"]) == ("refused", "eight cards")
    assert meter_of(things) == (5100, 0, 0)


def test_a_change_is_proposed_by_one_and_approved_by_another():
    proposal = "d0000000-0000-4000-8000-000000000001"
    asks = ChangeProposed(
        network="n1", proposal_id=proposal, proposed_by="n.lindqvist", reason="as agreed", policy="share"
    )
    done = PolicyChanged(
        network="n1", proposal_id=proposal, proposed_by="n.lindqvist", approved_by="t.boss", policy="share"
    )
    things = told(OPENED, asks, done)
    found = things["change", proposal]
    assert (found.status, found.state["proposed_by"], found.state["decided_by"]) == (
        "approved",
        "n.lindqvist",
        "t.boss",
    )
    assert things["network", "n1"].state["policy"] == "share"


def test_a_statement_on_a_dispute_that_nobody_heard_of_is_told_all_the_same():
    statement = StatementAttached(
        table="t1", round_no=7, number=1, statement=1, said_by="p1", text="it was a flush", taken_by="a.ruiz"
    )
    [thing] = told(statement).values()
    assert [said["text"] for said in thing.state["statements"]] == ["it was a flush"]


def test_a_move_at_an_operators_wallet_is_uncertain_until_somebody_knows():
    asks = RemoteCreditRequested(
        transaction_id=MOVE, operator="acme", account="player/acme:p1/USD", player="acme:p1", currency="USD",
        amount=700, table="acme:t1", round_no=4, game="flop_poker", reference_id="",
    )  # fmt: skip
    doubted = RemoteCreditDoubted(transaction_id=MOVE, reason="no answer")
    booked = RemoteCreditConfirmed(transaction_id=MOVE)
    stopped = RemoteMoveStopped(transaction_id=MOVE, code="no", message="closed account")
    resolved = RemoteMoveResolved(transaction_id=MOVE, resolution="void", by="c.adeyemi", reason="told on the phone")
    statuses = {
        "asked": [asks],
        "doubted": [asks, doubted],
        "booked": [asks, doubted, booked],
        "stopped": [asks, stopped],
        "undone": [asks, stopped, resolved],
    }
    assert {told(*events)["remote", MOVE].status for events in statuses.values()} == statuses.keys()
    assert all(told(*events)["remote", MOVE].status == status for status, events in statuses.items())
    assert told(asks)["remote", MOVE].account == "player/acme:p1/USD"

"""Method: a recorded round is played through the referee alone, its events sealed, and its whole story compared with
`story_of_a_round.txt`. The end-to-end tests tell rounds that real services played."""

import json
from dataclasses import replace
from pathlib import Path

import pytest
from rich.console import Console

from pitstream.cli.script import script_of
from pitstream.cli.story import tell
from pitstream.events import Event, Recorded, ids, open_envelope, seal
from pitstream.events.prizes import PrizeApproved, PrizePosted, PrizeReserved, pending_prizes
from pitstream.events.progressives import HandPayApproved, HitLocked, MeterContribution, WagersContributed
from pitstream.events.settlements import Award, RoundSettled
from pitstream.events.wallet import HandPayPosted, SeatPosted, Transfer
from pitstream.games import referee
from pitstream.games.commands import (
    AnswerDecision,
    AnswerHold,
    DealHands,
    FinishRound,
    NetworkTerms,
    OpenRound,
    PlaceWagers,
    RevealCommunity,
    RoundCommand,
)
from pitstream.games.record import Record, read_record
from pitstream.games.round import AwaitingFunds, Betting, NoRound, Round, evolve
from pitstream.games.settlement import settle
from pitstream.games.table import Closed, OpenTable
from pitstream.games.table import decide as decide_table
from pitstream.story.history import History, nets, record_from

COMMANDS: dict[str, type[RoundCommand]] = {
    "wagers": PlaceWagers,
    "deal": DealHands,
    "decisions": AnswerDecision,
    "community": RevealCommunity,
    "finish": FinishRound,
}
RECORD = {
    "schema": "pitstream.round/1",
    "id": "r1",
    "table": "uth-01",
    "game": "ultimate_texas_holdem",
    "gaming_day": "2025-05-03",
    "currency": "USD",
    "paytables": {"ante": "A", "blind": "A", "play": "A", "trips": "A", "progressive": "sister-A"},
    "cards": {"dealer": ["3c", "5d"], "community": ["Th", "Jh", "Qh", "2s", "7c"], "burned": ["Ac", "Jc"]},
    "seats": [
        {
            "seat": 1,
            "player": "ann",
            "cards": ["Kh", "Ah"],
            "wagers": {"ante": 1500, "blind": 1500, "progressive": 100},
            "decisions": ["4x"],
        },
        {
            "seat": 4,
            "player": "bob",
            "cards": ["2d", "8c"],
            "wagers": {"ante": 500, "blind": 500, "trips": 500},
            "decisions": ["check", "check", "fold"],
        },
    ],
    "meters": {"main": 1_000_020},
    "seeds": {"main": 1_000_000},
}
NETWORK = "ultimate-texas-holdem"


def sealed(stream: str, events: list[Event], source: str) -> tuple[Recorded, ...]:
    recorded: list[Recorded] = []
    for version, event in enumerate(events, start=1):
        data = seal(
            event,
            stream=stream,
            version=version,
            source=source,
            key="k",
            key_sequence=version,
            recorded_at_us=1_746_230_400_000_000 + version,
            cause_id="c",
            actor="a",
            traceparent="",
            previous_hash=recorded[-1].hash if recorded else b"",
        )
        recorded.append(open_envelope(data))
    return tuple(recorded)


def played(record: Record) -> list[Event]:
    """What a table records when the feed's script is carried out and the wallet holds every bundle."""
    opened = decide_table(
        Closed(),
        OpenTable(
            table=record.table,
            game=record.round.game,
            gaming_day=record.round.gaming_day,
            currency=record.round.currency,
            paytables=dict(record.round.paytables),
            network=NETWORK,
            network_terms=NetworkTerms(currency="USD", meters=("main",)),
        ),
    )
    commands: list[RoundCommand] = [
        OpenRound(table=opened[0], round_no=7, round_id=record.id, rules_version="1", evaluator="e" * 12)
    ]
    for group in script_of(record.round).groups:
        commands += [COMMANDS[step.path].model_validate_json(json.dumps(step.body)) for step in group]
    state: Round = NoRound()
    events: list[Event] = []

    def carry_out(command: RoundCommand) -> None:
        nonlocal state
        made = referee.decide(state, command)
        assert isinstance(made, list), made
        for event in made:
            events.append(event)
            state = evolve(state, event)

    for command in commands:
        carry_out(command)
        if isinstance(state, AwaitingFunds):
            carry_out(AnswerHold(seat=state.seat, bundle=2, held=True))
        elif isinstance(state, Betting) and isinstance(command, PlaceWagers):
            carry_out(AnswerHold(seat=command.seat, bundle=1, held=True))
    return events


@pytest.fixture
def record() -> Record:
    return read_record(json.dumps(RECORD).encode())


@pytest.fixture
def history(record: Record) -> History:
    result = settle(record.round)
    settled = RoundSettled(
        table="uth-01",
        round_no=7,
        round_id="r1",
        game=record.round.game,
        gaming_day=record.round.gaming_day,
        currency="USD",
        void=False,
        seats=result.seats,
        order=result.order,
        network=NETWORK,
        rules_version="1",
        closed_by="x",
    )
    claim = ids.claim_id("uth-01", 7, 1, "progressive")
    place = {"table": "uth-01", "round_no": 7, "seat": 1}
    fed = MeterContribution(meter="main", posted=20, amount_after=1_000_020, carry_numerator=0)
    network: list[Event] = [
        WagersContributed(
            network=NETWORK, table="uth-01", round_no=7, stakes=100, contributions=(fed,), currency="USD"
        ),
        HitLocked(
            network=NETWORK,
            claim_id=claim,
            **place,
            player="ann",
            wager="progressive",
            meter="main",
            percent=100,
            amount=1_000_020,
            meter_before=1_000_020,
            meter_after=1_000_000,
            currency="USD",
            rule="653a.11(k)(4)",
            policy="sequential",
        ),
        HandPayApproved(
            network=NETWORK,
            claim_id=claim,
            floorperson="f.moreau",
            player="ann",
            table="uth-01",
            round_no=7,
            seat=1,
            meter="main",
            amount=1_000_020,
            currency="USD",
        ),
    ]
    paid = Transfer(
        transfer_id="t2", debit=f"handpay/{NETWORK}/USD", credit="player/ann/USD", amount=1_000_020, code="hand_pay"
    )
    won = Transfer(transfer_id="t1", debit="table/uth-01/USD", credit="player/ann/USD", amount=756_000, code="blind")
    wallet: list[Event] = [
        SeatPosted(account="player/ann/USD", **place, resolved_holds=(), transfers=(won,), balance_after=1),
        HandPayPosted(
            account="player/ann/USD", network=NETWORK, claim_id=claim, **place, transfer=paid, balance_after=2
        ),
    ]
    return History(
        round=sealed("round/uth-01/7", played(record), "table"),
        settlement=sealed("settlement/uth-01/7", [settled], "settlement"),
        network=sealed(f"progressive/{NETWORK}", network, "progressive"),
        wallet=sealed("account/player/ann/USD", wallet, "wallet"),
        chained=29,
    )


def text_of(history: History, at: int | None = None) -> str:
    console = Console(width=150, no_color=True, force_terminal=False, record=True, file=open("/dev/null", "w"))  # noqa: PTH123, SIM115
    console.print(tell(history, at=at))
    return "\n".join(line.rstrip() for line in console.export_text().splitlines()) + "\n"


def test_the_whole_story_reads_as_it_did(history: History):
    assert text_of(history) == (Path(__file__).parent / "story_of_a_round.txt").read_text()


@pytest.mark.parametrize(
    ("at", "ends_with"),
    [
        pytest.param(1, "After event 1: the round is at stage betting", id="opened"),
        pytest.param(7, "After event 7: seat 1 is asked: check, 3x, 4x", id="dealt"),
        pytest.param(9, "After event 9: the Play Wager of seat 1 waits for the wallet", id="no answer from the wallet"),
        pytest.param(11, "After event 11: 3 cards of the flop are to be revealed", id="everybody answered"),
    ],
)
def test_a_story_stopped_at_an_event_says_what_was_waited_for(history: History, at: int, ends_with: str):
    story = text_of(history, at).strip().splitlines()
    assert story[-1] == ends_with


def test_the_story_stopped_early_does_not_know_later_cards(history: History):
    assert "Q♥" in text_of(history)
    assert "Q♥" not in text_of(history, 11)


def test_nets_are_what_the_wallet_posted(history: History):
    assert nets(history) == {1: 756_000 + 1_000_020}


def test_the_events_make_the_record_again(history: History):
    assert record_from(history) == {**RECORD, "options": {}}


def test_a_broken_chain_is_said_aloud(history: History):
    broken = History(history.round, broken=("round/uth-01/7 version 3 (id): expected version 2",))
    assert text_of(broken).splitlines()[-1] == "CHAIN BROKEN  round/uth-01/7 version 3 (id): expected version 2"


def test_a_prize_is_told_from_its_waiting_to_the_money(history: History):
    """Seat 2 envies the royal flush of seat 1."""
    settled = history.settled
    assert settled is not None
    award = Award(award="envy", amount=300_000, rule="653a.11(k)(5)", for_seat=1, awaits_validation=True)
    seats = (settled.seats[0], settled.seats[1].model_copy(update={"awards": (award,)}), *settled.seats[2:])
    settled = settled.model_copy(update={"seats": seats})
    (pending,) = pending_prizes(settled)
    fields = {name: value for name, value in pending if name != "rule"}
    approved = PrizeApproved(**fields, floorperson="f.moreau", document="W2G 00417")
    player = settled.seats[1].player
    aside = Transfer(
        transfer_id="t8", debit="table/uth-01/USD", credit="payable/uth-01/USD", amount=300_000, code="envy"
    )
    paid = aside.model_copy(update={"debit": aside.credit, "credit": f"player/{player}/USD", "transfer_id": "t9"})
    place = {"prize_id": pending.prize_id, "table": "uth-01", "round_no": 7}
    wallet: list[Event] = [
        PrizeReserved(account=aside.credit, **place, transfers=(aside,)),
        PrizePosted(account=paid.credit, **place, seat=seats[1].seat, transfer=paid, balance_after=3),
    ]
    told = replace(
        history,
        settlement=sealed("settlement/uth-01/7", [settled], "settlement"),
        prizes=sealed("prize/uth-01/7", [pending, approved], "progressive"),
        wallet=sealed(f"account/{paid.credit}", wallet, "wallet"),
    )
    story = " ".join(text_of(told).split())
    seat = seats[1].seat
    assert "Envy paid, 653a.11(k)(5); paid once a floorperson has validated the hand, 653a.11(k)(5)" in story
    assert f"envy waits for a floorperson to validate the hand of seat 1: seat {seat} 3,000.00" in story
    assert "f.moreau validated the hand of seat 1 (W2G 00417): envy is paid" in story
    assert "3,000.00 table/uth-01/USD → payable/uth-01/USD envy" in story
    assert nets(told) == {seat: 300_000}

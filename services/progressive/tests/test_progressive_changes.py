"""What two people change about a network: over real HTTP, on a real PostgreSQL, and as decisions where time matters."""

import uuid
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from pitstream.cli.audit import findings
from pitstream.cli.credentials import STAFF
from pitstream.cli.invariants import invariants_of
from pitstream.cli.testing import BOSS
from pitstream.events import Event
from pitstream.events.model import AMOUNT_MAX
from pitstream.events.progressives import (
    ContributionsReturned,
    Correction,
    HitLocked,
    MeterContribution,
    MeterOpening,
    MeterTerms,
    Rate,
    TransferOrder,
    TransferSent,
    WagersContributed,
)
from pitstream.events.refusal import Refusal
from pitstream.runtime import Role
from pitstream.runtime.access_file import entry_text, new_key
from pitstream.services.progressive.commands import (
    ApproveChange,
    Claim,
    CloseRound,
    Command,
    Contribute,
    OpenNetwork,
    ProposeChange,
    ReceiveTransfer,
)
from pitstream.services.progressive.decisions import decide
from pitstream.services.progressive.evolution import evolve
from pitstream.services.progressive.network import Network, NotOpened, State

Serving = Callable[[], AbstractAsyncContextManager[Any]]
Until = Callable[..., Awaitable[Any]]
MAIN = {"meter": "main", "seed": 1_000, "amount": 5_000, "rate": "1/5", "reserve_rate": "1/100", "limit": 6_000}


async def proposed(client: Any, network: str, **change: Any) -> str:
    """The id of a proposal by the network's operator."""
    body = {"reason": "season", **change}
    status, answer = await client.post(f"/v1/networks/{network}/proposals", body, by="progressive")
    assert status == 201, answer
    return str(answer["proposal_id"])


async def approved(client: Any, network: str, proposal_id: str) -> Any:
    """The network after a second person, who has every role, approved it."""
    status, answer = await client.post(f"/v1/networks/{network}/proposals/{proposal_id}/approve", {})
    assert status == 200, answer
    return answer


async def refusal(client: Any, path: str, body: Any, by: str) -> tuple[int, str]:
    status, answer = await client.post(path, body, by=by)
    return status, answer["code"]


@pytest.mark.stack
async def test_terms_change_by_two_people_and_a_second_approval_is_refused(progressive: Serving) -> None:
    async with progressive() as client:
        await client.post("/v1/networks/wide/open", {"currency": "USD", "meters": [MAIN]})
        proposal = await proposed(
            client, "wide", terms={"meter": "main", "seed": 2_000, "rate": "17/400", "limit": 4_000}
        )
        at = f"/v1/networks/wide/proposals/{proposal}"
        assert await refusal(client, f"{at}/approve", {}, "progressive") == (422, "same_person")
        assert await refusal(client, f"{at}/approve", {}, "floorperson") == (403, "forbidden")
        after = await approved(client, "wide", proposal)
        main = after["meters"][0]
        assert (main["seed"], main["rate"], main["limit"]) == (2_000, "17/400", 4_000)
        assert (main["amount"], main["overflow"], main["carry"]) == (4_000, 1_000, "0/400")
        assert await refusal(client, f"{at}/approve", {}, "every role") == (422, "proposal_already_decided")
        assert await refusal(client, f"{at}/reject", {"reason": "no"}, "progressive") == (
            422,
            "proposal_already_decided",
        )
        status, found = await client.get("/v1/networks/wide/proposals")
        assert (status, [(one["proposed_by"], one["decided_by"], one["status"]) for one in found["proposals"]]) == (
            200,
            [(STAFF["progressive"], BOSS, "approved")],
        )


UNFIT: list[tuple[dict[str, Any], str, str]] = [
    ({}, "invalid_input", "body"),
    ({"policy": "share", "retire": "main"}, "invalid_input", "body"),
    ({"retire": "main"}, "meter_not_empty", "retire"),
    ({"retire": "mega"}, "unknown_meter", "retire"),
    ({"correction": {"meter": "main", "change": -5_001}}, "invalid_change", "correction.change"),
    ({"correction": {"meter": "main", "change": 0}}, "invalid_change", "correction.change"),
    (
        {"transfer": {"meter": "main", "to_network": "wide", "to_meter": "main", "amount": 1}},
        "invalid_change",
        "transfer.to_network",
    ),
    (
        {"transfer": {"meter": "main", "to_network": "other", "to_meter": "main", "amount": 5_001}},
        "invalid_change",
        "transfer.amount",
    ),
    ({"terms": {"meter": "main", "seed": 9_000, "rate": "1/5", "limit": 6_000}}, "invalid_meter", "terms.seed"),
    ({"terms": {"meter": "main", "seed": 1, "rate": "6/5"}}, "invalid_meter", "terms.rate"),
    (
        {"terms": {"meter": "main", "seed": 1, "rate": "4/5", "reserve_rate": "1/4"}},
        "invalid_meter",
        "terms.reserve_rate",
    ),
]


@pytest.mark.stack
async def test_what_could_not_be_approved_is_not_proposed_either(progressive: Serving) -> None:
    async with progressive() as client:
        await client.post("/v1/networks/wide/open", {"currency": "USD", "meters": [MAIN]})
        for body, code, field in UNFIT:
            status, answer = await client.post("/v1/networks/wide/proposals", {"reason": "season", **body})
            assert (status, answer["code"], answer["field"]) == (422, code, field), body
        assert await client.get("/v1/networks/wide/proposals") == (200, {"proposals": []})


@pytest.mark.stack
async def test_a_meter_s_money_moves_to_another_network_once_and_the_empty_meter_retires(
    progressive: Serving, database: str
) -> None:
    async with progressive() as client:
        await client.post("/v1/networks/old/open", {"currency": "USD", "meters": [MAIN]})
        await client.post("/v1/networks/new/open", {"currency": "USD", "meters": [{**MAIN, "limit": 7_000}]})
        everything = {"meter": "main", "to_network": "new", "to_meter": "main", "amount": 5_000}
        nowhere = await proposed(client, "old", transfer={**everything, "to_network": "nowhere"})
        at = f"/v1/networks/old/proposals/{nowhere}"
        assert await refusal(client, f"{at}/approve", {}, "every role") == (422, "unknown_network")
        transfer = await proposed(client, "old", transfer=everything)
        assert (await approved(client, "old", transfer))["meters"][0]["amount"] == 0
        at = f"/v1/networks/old/proposals/{transfer}"
        assert await refusal(client, f"{at}/approve", {}, "every role") == (422, "proposal_already_decided")
        _, new = await client.get("/v1/networks/new")
        assert (new["meters"][0]["amount"], new["meters"][0]["overflow"]) == (7_000, 3_000)
        retired = await approved(client, "old", await proposed(client, "old", retire="main"))
        assert (retired["retired"], retired["meters"][0]["retired"]) == (True, True)
        found = await findings(database, "progressive", invariants_of("progressive"))
        assert [one for one in found if not one.holds] == []


@pytest.mark.stack
async def test_an_unreasonable_contribution_waits_for_a_person_and_holds_nobody_up(
    progressive: Serving, floor: Any, until: Until, database: str
) -> None:
    t1, t2 = floor.tables
    network = f"/v1/networks/{floor.network}"
    guarded = {**MAIN, "limit": None, "contribution_max": 100}

    async def closed(rounds: dict[str, int]) -> Any:
        _, view = await client.get(network)
        return view if view["closed_rounds"] == rounds else None

    async with progressive() as client:
        await client.post(f"{network}/open", {"currency": "USD", "meters": [guarded]})
        await floor.closes_betting(t1, 1, 501)
        await floor.closes_betting(t2, 1, 500)
        await floor.settles(t1, 1, 501)
        await floor.settles(t2, 1, 500)
        await floor.settles(t1, 2, 10)
        view = await until(lambda: closed({t1: 2, t2: 1}))
        assert (view["meters"][0]["amount"], view["questions"]) == (5_102, [f"{t1}/1"])
        question = {"table": t1, "round_no": 1, "meter": "main", "stakes": 501, "would_add": 101, "allowed": 100}
        waiting = {**question, "answer": None, "answered_by": None, "reason": None}
        assert await client.get(f"{network}/questions") == (200, {"questions": [waiting]})
        at = f"{network}/questions/{t1}/1"
        assert await refusal(client, at, {"admitted": True, "reason": "counted"}, "floorperson") == (403, "forbidden")
        status, view = await client.post(at, {"admitted": True, "reason": "counted"}, by="progressive")
        assert (status, view["meters"][0]["amount"], view["meters"][0]["carry"]) == (200, 5_202, "1/5")
        assert await refusal(client, at, {"admitted": False, "reason": "no"}, "progressive") == (
            404,
            "unknown_question",
        )
        answered = {**waiting, "answer": "admitted", "answered_by": STAFF["progressive"], "reason": "counted"}
        assert await client.get(f"{network}/questions", waiting="false") == (200, {"questions": [answered]})
        found = await findings(database, "progressive", invariants_of("progressive"))
        assert [one for one in found if not one.holds] == []


@pytest.mark.stack
async def test_nobody_sends_money_to_a_network_that_they_do_not_see(progressive: Serving, staff: Any) -> None:
    key = new_key()
    with staff.access.open("a") as file:
        file.write("\n" + entry_text("acme-operator", key, [Role.PROGRESSIVE], ["acme"]))
    transfer = {"meter": "main", "to_network": "rival:wide", "to_meter": "main", "amount": 1}
    body = {"reason": "season", "transfer": transfer}
    at = "/v1/networks/acme:wide/proposals"

    async def asks(path: str, body: Any) -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {key}", "Idempotency-Key": uuid.uuid4().hex}
        async with client.session.post(path, json=body, headers=headers) as response:
            return response.status, (await response.json())["code"]

    async with progressive() as client:
        for network in ("acme:wide", "rival:wide"):
            await client.post(f"/v1/networks/{network}/open", {"currency": "USD", "meters": [MAIN]})
        assert await asks(at, body) == (404, "unknown_network")
        _, proposal = await client.post(at, body)
        assert await asks(f"{at}/{proposal['proposal_id']}/approve", {}) == (404, "unknown_network")
        _, rival = await client.get("/v1/networks/rival:wide")
        assert rival["meters"][0]["amount"] == 5_000


# Decisions -----------------------------------------------------------------------------------------------------------


def after(state: State, *commands: Command) -> tuple[Network, list[Event]]:
    """The network after these commands, and the events of the last."""
    events: list[Event] | Any = []
    for command in commands:
        events = decide(state, command)
        assert isinstance(events, list), events
        for event in events:
            state = evolve(state, event)
    assert isinstance(state, Network)
    return state, events


OPEN = OpenNetwork(
    "wide",
    "USD",
    (
        MeterOpening(
            meter="main",
            seed=1_000,
            amount=5_000,
            rate_numerator=1,
            rate_denominator=5,
            reserve_rate=Rate(numerator=1, denominator=100),
        ),
    ),
)


def changed(**terms: Any) -> tuple[Command, Command]:
    """New terms, asked for and approved."""
    new = MeterTerms(meter="main", seed=1_000, **terms)
    return ProposeChange("wide", "c1", "a", "season", terms=new), ApproveChange("wide", "c1", "b")


def test_a_round_declared_void_after_the_rates_changed_takes_back_what_it_gave_at_the_rates_it_gave() -> None:
    bets = Contribute("wide", "t1", 1, "USD", 103)
    later = Contribute("wide", "t2", 1, "USD", 7)
    void = CloseRound("wide", "t1", 1, "USD", 103, True)
    new_rates = changed(rate=Rate(numerator=1, denominator=7), reserve_rate=None)
    voided, events = after(NotOpened(), OPEN, bets, *new_rates, later, void)
    never, _ = after(NotOpened(), OPEN, *new_rates, later)
    assert voided.meters["main"].value == never.meters["main"].value == 5_001
    assert voided.meters["main"].reserve_value == never.meters["main"].reserve_value == 0
    returned = next(event for event in events if isinstance(event, ContributionsReturned))
    assert returned.contributions == (
        MeterContribution(
            meter="main",
            posted=-20,
            amount_after=5_001,
            carry_numerator=0,
            carry_denominator=35,
            reserve_posted=-1,
            reserve_after=0,
            reserve_carry_numerator=0,
            reserve_carry_denominator=100,
        ),
    )


def test_a_change_counts_from_its_own_event_on_and_never_backwards() -> None:
    bets = [Contribute("wide", table, 1, "USD", 100) for table in ("t1", "t2", "t3")]
    propose, approve = changed(rate=Rate(numerator=1, denominator=10))
    network, events = after(NotOpened(), OPEN, bets[0], propose, bets[1], approve, bets[2])
    assert network.meters["main"].value == 5_000 + 20 + 20 + 10
    assert [event.stakes for event in events if isinstance(event, WagersContributed)] == [100]


def test_the_seed_comes_from_the_reserve_as_far_as_it_goes_and_the_house_tops_up() -> None:
    bets = Contribute("wide", "t1", 1, "USD", 50_050)
    claim = Claim("c", 1, "p1", "progressive", "main", 100, "653a.11(k)")
    network, events = after(NotOpened(), OPEN, bets, CloseRound("wide", "t1", 1, "USD", 50_050, False, (claim,)))
    account = next(event.account for event in events if isinstance(event, HitLocked))
    assert account is not None
    assert (account.seed_from_reserve, account.seed_from_house, account.reserve_after) == (500, 500, 0)
    main = network.meters["main"]
    assert (main.amount, main.reserve, main.reserve_carry, main.reserve_carry_denominator) == (1_000, 0, 50, 100)


def test_the_overflow_makes_up_a_meter_that_fell_below_its_limit_at_once() -> None:
    limit = changed(rate=Rate(numerator=1, denominator=5), limit=5_100)
    bets = Contribute("wide", "t1", 1, "USD", 4_000)
    full, _ = after(NotOpened(), OPEN, *limit, bets)
    assert (full.meters["main"].amount, full.meters["main"].overflow) == (5_100, 700)
    tenth = Claim("c", 1, "p1", "progressive", "main", 10, "653a.11(k)")
    won, _ = after(full, CloseRound("wide", "t1", 1, "USD", 4_000, False, (tenth,)))
    assert (won.meters["main"].amount, won.meters["main"].overflow) == (5_100, 190)
    whole = Claim("d", 1, "p1", "progressive", "main", 100, "653a.11(k)")
    again, _ = after(won, CloseRound("wide", "t2", 1, "USD", 0, False, (whole,)))
    assert (again.meters["main"].amount, again.meters["main"].overflow) == (1_190, 0)


def test_a_meter_of_a_network_that_never_rests_retires_once_its_rates_are_0() -> None:
    """Rounds are under way all the time; those that gave the meter nothing do not hold it."""
    bets = [Contribute("wide", table, 1, "USD", 100) for table in ("t1", "t2")]
    empty = ProposeChange(
        "wide",
        "c2",
        "a",
        "end",
        transfer=TransferOrder(meter="main", to_network="new", to_meter="m", amount=5_020, reserve=1),
    )
    retire = ProposeChange("wide", "c3", "a", "end", retire="main")
    no_rates = changed(rate=Rate(numerator=0, denominator=1))
    network, _ = after(NotOpened(), OPEN, bets[0], *no_rates, bets[1], empty, ApproveChange("wide", "c2", "b"))
    held = decide(network, retire)
    assert isinstance(held, Refusal)
    assert (held.code, held.message) == ("meter_in_use", "was 'main'; round t1/1 is under way (1 such)")
    closed = CloseRound("wide", "t1", 1, "USD", 100, False)
    retired, _ = after(network, closed, retire, ApproveChange("wide", "c3", "b"))
    assert retired.retired
    _, late = after(retired, CloseRound("wide", "t2", 1, "USD", 100, True))
    assert [type(event).__name__ for event in late] == ["ContributionsReturned", "RoundClosed"]


def test_no_person_fills_a_meter_so_far_that_wagers_find_no_room_in_64_bits() -> None:
    opened, _ = after(NotOpened(), OPEN)
    most = AMOUNT_MAX - 5_000

    def correction(change: int) -> ProposeChange:
        return ProposeChange(
            "wide", "c1", "a", "slip", correction=Correction(meter="main", part="meter", change=change)
        )

    refused = decide(opened, correction(most + 1))
    assert isinstance(refused, Refusal)
    assert (refused.code, refused.field) == ("invalid_change", "correction.change")
    assert refused.message == f"was {most + 1}; allowed: -5000 to {most} minor units, not 0"
    full, _ = after(opened, correction(most), ApproveChange("wide", "c1", "b"))
    assert full.meters["main"].amount == AMOUNT_MAX
    sent = TransferSent(
        network="old",
        transfer_id="c9",
        proposed_by="a",
        approved_by="b",
        currency="USD",
        meter="main",
        to_network="wide",
        to_meter="main",
        amount=1,
        reserve=0,
        overflow_change=0,
        amount_after=0,
        overflow_after=0,
        reserve_after=0,
    )
    room = decide(full, ReceiveTransfer("wide", sent))
    assert room == Refusal("invalid_change", "transfer.amount", "was 1; main of wide has room for 0 minor units")
    fed, _ = after(full, Contribute("wide", "t1", 1, "USD", AMOUNT_MAX))
    assert fed.meters["main"].amount == AMOUNT_MAX + AMOUNT_MAX // 5

"""Prizes that wait for a floorperson: who decides what, once; and over real HTTP, topics and PostgreSQL."""

import uuid
from functools import reduce
from typing import Any

import pytest

from pitstream.events import Event, ids
from pitstream.events.prizes import PrizeApproved, PrizePayee, PrizePending, PrizeRefused
from pitstream.events.refusal import Refusal
from pitstream.services.progressive.prizes import ApprovePrize, Prizes, RefusePrize, decide, evolve

ENVY = PrizePending(
    prize_id=ids.prize_id("t1", 7, 4, "envy"),
    table="t1",
    round_no=7,
    seat=4,
    prize="envy",
    currency="USD",
    rule="653a.11(k)(5)",
    payees=(PrizePayee(seat=1, player="p1", amount=30_000), PrizePayee(seat=2, player="p2", amount=60_000)),
)
TOLD = {name: value for name, value in ENVY if name != "rule"}
APPROVED = PrizeApproved(**TOLD, floorperson="f.moreau", document="W2G 1")
REFUSED = PrizeRefused(**TOLD, floorperson="f.moreau", reason="six cards", document="")
APPROVE = ApprovePrize(ENVY.prize_id, "f.moreau", "W2G 1")
REFUSE = RefusePrize(ENVY.prize_id, "f.moreau", "six cards")


def after(*events: Event) -> Prizes:
    empty: Prizes = {}
    return reduce(evolve, events, empty)


def test_a_floorperson_validates_a_hand_and_every_payee_of_it_is_named() -> None:
    assert decide(after(ENVY), APPROVE) == [APPROVED]
    assert after(ENVY, APPROVED)[ENVY.prize_id].status == "approved"


def test_a_floorperson_refuses_a_hand_with_a_reason() -> None:
    assert decide(after(ENVY), REFUSE) == [REFUSED]
    assert after(ENVY, REFUSED)[ENVY.prize_id].status == "refused"


@pytest.mark.parametrize(("decided", "word"), [(APPROVED, "approved"), (REFUSED, "refused")])
@pytest.mark.parametrize("command", [APPROVE, REFUSE])
def test_a_prize_is_decided_once(decided: Event, word: str, command: ApprovePrize | RefusePrize) -> None:
    assert decide(after(ENVY, decided), command) == Refusal(
        "prize_already_decided", "prize_id", f"was {ENVY.prize_id!r}; f.moreau has {word} it"
    )


def test_nobody_decides_what_nobody_won() -> None:
    assert decide(after(), APPROVE) == Refusal(
        "unknown_prize", "prize_id", f"was {ENVY.prize_id!r}; no such prize waits or waited"
    )


@pytest.mark.stack
async def test_a_settled_round_s_prizes_wait_and_are_decided_over_http(
    progressive: Any, floor: Any, until: Any
) -> None:
    table = floor.tables[0]
    async with progressive() as client:
        await floor.settles_with_prizes(table, 1, envied=2, envy={1: 500, 3: 1500}, won={2: 50_000})
        envy, five_card = (ids.prize_id(table, 1, 2, prize) for prize in ("envy", "five_card"))

        async def waiting() -> Any:
            _, answer = await client.get("/v1/prizes", table=table, status="pending")
            return answer["prizes"]

        found = await until(waiting)
        assert [(one["prize_id"], one["prize"], one["seat"], one["amount"]) for one in found] == [
            (envy, "envy", 2, 2000),
            (five_card, "five_card", 2, 50_000),
        ]
        assert found[0]["payees"] == [
            {"seat": 1, "player": "p1", "amount": 500},
            {"seat": 3, "player": "p3", "amount": 1500},
        ]
        path = f"/v1/tables/{table}/prizes"
        for role in ("dealer", "cashier", "progressive"):
            status, answer = await client.post(f"{path}/{envy}/approve", {"document": "W2G 1"}, by=role)
            assert (status, answer["code"]) == (403, "forbidden")
        command = str(uuid.uuid4())
        status, approved = await client.post(
            f"{path}/{envy}/approve", {"document": "W2G 1"}, by="floorperson", command_id=command
        )
        assert (status, approved["status"], approved["document"]) == (200, "approved", "W2G 1")
        again = await client.post(f"{path}/{envy}/approve", {"document": "W2G 1"}, by="floorperson", command_id=command)
        assert again == (200, approved)
        status, refused = await client.post(f"{path}/{envy}/refuse", {"reason": "late"}, by="floorperson")
        assert (status, refused["code"]) == (422, "prize_already_decided")
        status, refused = await client.post(f"{path}/{five_card}/refuse", {"reason": "six cards"}, by="floorperson")
        assert (status, refused["status"], refused["reason"]) == (200, "refused", "six cards")
        assert await client.get(f"{path}/{five_card}") == (200, refused)
        assert await waiting() == []
        elsewhere = f"/v1/tables/{floor.tables[1]}/prizes/{envy}"
        status, answer = await client.get(elsewhere)
        assert (status, answer["code"]) == (404, "unknown_prize")

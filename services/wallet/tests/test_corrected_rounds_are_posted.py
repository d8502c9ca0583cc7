"""A corrected round on the ledger as it runs: what is posted once however often it is told, what a closed day keeps,
what a statement shows and what a platform is told. Method: the whole service, facts on its topics.

The days are long past, so that no test depends on the clock."""

import uuid
from typing import Any

import pytest

from pitstream.events.settlements import RoundResettled, RoundSettled
from pitstream.services.wallet.books import Books
from pitstream.services.wallet.ledger import deposit, post, withdraw
from pitstream.services.wallet.webhooks.notices import correction_notices

pytestmark = pytest.mark.stack

DAY = "2026-01-02"
BANKROLL = 10_000


class Table:
    """One table, and a player whose Ante of 1,000 is lost in the first round."""

    def __init__(self, client: Any, floor: Any, say: Any) -> None:
        self.client, self.floor, self.say = client, floor, say
        self.mark = uuid.uuid4().hex[:8]
        self.table, self.player = f"t-{self.mark}", f"acme:{self.mark}"
        self.account = f"player/{self.player}/USD"

    def settled(self, *lines: Any) -> RoundSettled:
        return self.say.settled(self.say.seat(1, self.player, *lines), table=self.table)

    def resettled(self, first: RoundSettled, *lines: Any, was: RoundResettled | None = None) -> RoundResettled:
        return self.say.resettled(first, self.say.seat(1, self.player, *lines), was=was)

    async def has(self, account: str, balance: int, held: int = 0) -> None:
        async def so() -> bool:
            status, told = await self.client.get(f"/v1/accounts/{account}", by="auditor")
            return status == 200 and (told["balance"], told["held"]) == (balance, held)

        await self.say.until(so, wait_s=90)

    async def plays(self) -> RoundSettled:
        path = f"/v1/players/{self.player}/USD/deposits"
        assert (await self.client.post(path, {"amount": BANKROLL}, by="cashier"))[0] == 201
        await self.floor.says(self.say.placed(1, self.player, table=self.table, ante=1_000))
        await self.has(self.account, BANKROLL, held=1_000)
        first = self.settled(self.say.lost("ante", 1_000))
        await self.floor.says(first)
        await self.has(self.account, BANKROLL - 1_000)
        return first

    async def statement(self) -> list[tuple[str, int, int]]:
        _, told = await self.client.get(f"/v1/accounts/{self.account}/statement", by="auditor")
        return [(line["code"], line["amount"], line["balance"]) for line in told["lines"]]


async def test_a_correction_that_is_told_again_and_again_moves_money_once(serving, floor, say):
    async with serving() as client:
        table = Table(client, floor, say)
        first = await table.plays()
        corrected = await floor.says(table.resettled(first, say.won("ante", 1_000, 1_000)))
        await table.has(table.account, BANKROLL + 1_000)
        for _ in range(3):
            await floor.repeats(corrected)
        # What comes after it is posted: so it was heard again before, and passed over.
        await floor.says(say.placed(1, table.player, table=table.table, round_no=2, ante=500))
        marker = say.settled(say.seat(1, table.player, say.lost("ante", 500)), table=table.table, round_no=2)
        await table.has(table.account, BANKROLL + 1_000, held=500)
        await floor.says(marker)
        await table.has(table.account, BANKROLL + 500)
        assert (await client.get("/v1/dead-letters"))[1]["dead_letters"] == []
        assert (await client.get("/v1/ledger/check"))[1]["ok"]


async def test_a_statement_has_what_was_undone_and_what_took_its_place(serving, floor, say):
    async with serving() as client:
        table = Table(client, floor, say)
        first = await table.plays()
        one = table.resettled(first, say.won("ante", 1_000, 1_000))
        await floor.says(one)
        await table.has(table.account, BANKROLL + 1_000)
        await floor.says(table.resettled(first, say.pushed("ante", 1_000), was=one))
        await table.has(table.account, BANKROLL)
        assert await table.statement() == [
            ("deposit", BANKROLL, BANKROLL),
            ("ante", -1_000, BANKROLL - 1_000),
            ("correction", 1_000, BANKROLL),
            ("ante", 1_000, BANKROLL + 1_000),
            ("correction", -1_000, BANKROLL),
        ]
        _, told = await client.get(f"/v1/accounts/{table.account}/statement", by="auditor")
        assert (told["opening_balance"], told["closing_balance"]) == (0, BANKROLL)


async def test_a_closed_day_stays_as_closed_until_two_people_take_the_corrected_round_in(serving, floor, say):
    async with serving() as client:
        table = Table(client, floor, say)
        day = f"/v1/tables/{table.table}/days/{DAY}/USD"
        first = await table.plays()

        async def told() -> Any:
            return (await client.get(day, by="auditor"))[1]

        async def accounted() -> bool:
            return (await told()).get("settled", {}).get("bets") == 1

        await say.until(accounted, wait_s=90)
        status, closed = await client.post(f"{day}/close", {}, by="auditor")
        assert (status, closed["settled"]["win"]) == (200, 1_000)
        await floor.says(table.resettled(first, say.won("ante", 1_000, 1_000)))
        await table.has(table.account, BANKROLL + 1_000)

        async def differs() -> bool:
            return bool((await told())["settled_differs"])

        await say.until(differs, wait_s=90)
        assert (await told())["settled"] == closed["settled"]
        _, listed = await client.get(f"/v1/gaming-days/{DAY}/rounds", by="auditor", table=table.table)
        mine = [one for one in listed["rounds"] if one["table"] == table.table]
        assert [(one["round_no"], one["late"], one["corrected"]) for one in mine] == [(1, True, 1)]

        corrections = f"{day}/corrections"
        assert (await client.post(corrections, {"reason": "round 1 was corrected"}, by="floorperson"))[0] == 201
        status, after = await client.post(f"{corrections}/1/approve", {}, by="auditor")
        assert (status, after["settled"]["win"], after["settled_differs"]) == (200, -1_000, False)
        assert [(one["book"], one["settled"]["win"]) for one in after["fixed"]] == [(1, 1_000), (2, -1_000)]
        _, events = await client.get(f"/v1/accounts/table/{table.table}/USD/events", by="auditor")
        dated = events[-1]["event"]
        assert (dated["gaming_day"], dated["dated"] > DAY, dated["reason"]) == (DAY, True, "round 1 was corrected")


def test_each_owner_is_told_of_its_own_players_seats_that_come_out_otherwise(say):
    players = {1: "acme:p1", 2: "rival:p2", 3: "acme:p3"}
    books = Books()
    for seat, player in players.items():
        deposit(books, player, "USD", 1_000, f"d{seat}")
        post(books, say.placed(seat, player, ante=1_000))
    lost = {seat: say.seat(seat, player, say.lost("ante", 1_000)) for seat, player in players.items()}
    won = {seat: say.seat(seat, player, say.won("ante", 1_000, 1_000)) for seat, player in players.items()}
    first = say.settled(won[1], lost[2], lost[3])
    post(books, first)
    # Seat 1 has spent it; seat 2 wins after all; seat 3 stays.
    withdraw(books, "acme:p1", "USD", 2_000, "w1")
    corrected = say.resettled(first, lost[1], won[2], lost[3])
    posted = post(books, corrected)
    notices = correction_notices(corrected, posted)
    assert correction_notices(corrected, posted) == notices
    assert len({one.notice_id for one in notices}) == 2
    assert [(one.owner, one.kind, one.order_key) for one in notices] == [
        ("acme", "round.corrected", "t1"), ("rival", "round.corrected", "t1"),
    ]  # fmt: skip
    acme, rival = [one.data.model_dump(mode="json") for one in notices]
    assert (acme["correction"], acme["reason"]) == (1, "camera 4")
    seats = [(s["seat"], s["player"], s["net"], s["balance_after"]) for told in (acme, rival) for s in told["seats"]]
    assert seats == [(1, "acme:p1", -2_000, 0), (2, "rival:p2", 2_000, 2_000)]
    assert [line["outcome"] for s in (*acme["seats"], *rival["seats"]) for line in s["lines"]] == ["lose", "win"]
    assert [(one["player"], one["amount"]) for one in acme["owed"]] == [("acme:p1", 2_000)]
    assert rival["owed"] == []


def test_who_has_a_seat_no_longer_is_told_what_goes_back(say):
    books = Books()
    for player in ("acme:p1", "rival:p2"):
        deposit(books, player, "USD", 1_000, f"d-{player}")
    post(books, say.placed(1, "acme:p1", ante=1_000))
    post(books, first := say.settled(say.seat(1, "acme:p1", say.lost("ante", 1_000))))
    corrected = say.resettled(first, say.seat(1, "rival:p2", say.lost("ante", 1_000)))
    told = {one.owner: one.data.seats[0] for one in correction_notices(corrected, post(books, corrected))}
    assert {owner: (seat.player, seat.net, len(seat.lines)) for owner, seat in told.items()} == {
        "acme": ("acme:p1", 1_000, 0),
        "rival": ("rival:p2", -1_000, 1),
    }


@pytest.fixture
def calling(request, monkeypatch):
    """The wallet with webhooks allowed on this machine."""
    monkeypatch.setenv("PITSTREAM_WALLET_WEBHOOK_NETWORKS", "127.0.0.0/8")
    return request.getfixturevalue("serving")


async def test_a_platform_hears_of_the_correction_after_the_round(calling, floor, say):
    async with calling() as client:
        table = Table(client, floor, say)
        # Nobody listens there: what is to be sent is looked at, in its order.
        body = {"owner": "acme", "url": "http://127.0.0.1:9/hooks", "kinds": ["round.settled", "round.corrected"]}
        status, webhook = await client.post("/v1/webhooks", body)
        assert status == 201, webhook
        first = await table.plays()
        await floor.says(table.resettled(first, say.won("ante", 1_000, 1_000)))
        await table.has(table.account, BANKROLL + 1_000)
        _, listed = await client.get(f"/v1/webhooks/{webhook['webhook_id']}/deliveries")
        assert [(one["kind"], one["order_key"]) for one in listed["deliveries"]] == [
            ("round.settled", table.table), ("round.corrected", table.table),
        ]  # fmt: skip

"""Table accounting on the real service: slips by two people, rounds from the topics, the close, what comes after it.

The days are long past, so that no test depends on the clock."""

import asyncio
import uuid
from collections import Counter
from fractions import Fraction
from typing import Any

import pytest

from pitstream.events.prizes import PrizePayee, PrizePending, PrizeRefused
from pitstream.events.rounds import PaytableChoice, RoundOpened
from pitstream.games.paytables import bundled
from pitstream.services.wallet.accounting.answers import TableDayAnswer, TotalsAnswer

pytestmark = pytest.mark.stack

DAY = "2026-01-02"
EDGE = Fraction(50_643_648_973, 2_317_817_502_000)


@pytest.fixture
def table() -> str:
    return f"t-{uuid.uuid4().hex[:8]}"


def choice(wager: str) -> PaytableChoice:
    table = bundled().named("ultimate_texas_holdem", wager, "A")
    return PaytableChoice(wager=wager, paytable=table.id, sha256=table.sha256)


def opened(table: str, round_no: int, day: str = DAY) -> RoundOpened:
    return RoundOpened(
        table=table,
        round_no=round_no,
        round_id=f"r{round_no}",
        game="ultimate_texas_holdem",
        gaming_day=day,
        currency="USD",
        paytables=tuple(choice(wager) for wager in ("ante", "blind", "play")),
        rules_version="1",
        evaluator="1",
    )


class Pit:
    """What people do at one table on one day."""

    def __init__(self, client: Any, table: str, day: str = DAY) -> None:
        self.client = client
        self.path = f"/v1/tables/{table}/days/{day}/USD"

    async def slip(self, kind: str, slip: str, amount: int, first: str, second: str, shift: str = "day") -> Any:
        """A slip with both signatures."""
        pieces = [{"denomination": amount, "pieces": 1}] if amount else []
        body = {"kind": kind, "slip": slip, "pieces": pieces, "shift": shift}
        status, told = await self.client.post(f"{self.path}/slips", body, by=first)
        assert status == 201, told
        status, told = await self.client.post(f"{self.path}/slips/{slip}/sign", {}, by=second)
        assert status == 200, told
        return told

    async def balance(self, account: str) -> int:
        status, told = await self.client.get(f"/v1/accounts/{account}", by="auditor")
        return told["balance"] if status == 200 else 0

    async def day(self) -> Any:
        status, told = await self.client.get(self.path, by="auditor")
        assert status == 200, told
        TableDayAnswer.model_validate(told)
        return told

    async def close(self, command_id: str | None = None) -> Any:
        return await self.client.post(f"{self.path}/close", {}, command_id, by="auditor")


async def play(client, floor, say, table: str, rounds: dict[int, tuple[int, int]], day: str = DAY) -> None:
    """Rounds by number: (stake, won) of one player's Ante; ``won`` below 0 is a loss. Waits until all are accounted."""
    player = f"p-{table}"
    path = f"/v1/players/{player}/USD/deposits"
    assert (await client.post(path, {"amount": 10_000_000}, f"deposit-{table}", by="cashier"))[0] == 201
    for round_no, (stake, won) in rounds.items():
        line = say.won("ante", stake, won) if won >= 0 else say.lost("ante", stake)
        await floor.says(
            opened(table, round_no, day), say.placed(1, player, table=table, round_no=round_no, ante=stake)
        )
        account = f"/v1/accounts/player/{player}/USD"

        async def held(amount: int, account: str = account) -> bool:
            return (await client.get(account, by="auditor"))[1]["held"] == amount

        await say.until(lambda stake=stake: held(stake))
        settled = say.settled(say.seat(1, player, line), table=table, round_no=round_no)
        await floor.says(settled.model_copy(update={"gaming_day": day}))
        await say.until(lambda: held(0))

    async def accounted() -> bool:
        status, told = await client.get(f"/v1/tables/{table}/days/{day}/USD", by="auditor")
        return (
            status == 200
            and told["rounds_in_progress"] == []
            and told["settled"]["bets"] + len(told["late_rounds"]) >= len(rounds)
        )

    await say.until(accounted)


async def test_a_day_of_chips_and_rounds_comes_to_what_both_views_say(serving, floor, say, table):
    async with serving() as client:
        pit = Pit(client, table)
        await pit.slip("opener", "O-1", 500_000, "dealer", "floorperson")
        await pit.slip("fill", "F-1", 100_000, "cashier", "floorperson")
        status, told = await client.post(
            f"{pit.path}/buy-ins", {"player": f"p-{table}", "amount": 30_000, "shift": "day"}, by="dealer"
        )
        assert (status, told) == (201, {"account": f"player/p-{table}/USD", "balance": 30_000, "amount": 30_000})
        await play(client, floor, say, table, {1: (5_000, -1), 2: (5_000, 5_000), 3: (20_000, -1)})
        await pit.slip("credit", "C-1", 50_000, "floorperson", "cashier")
        # Opener + fill - buy-in + what the rounds left - credit: the chips that are on the table.
        await pit.slip("closer", "O-2", 500_000 + 100_000 - 30_000 + 20_000 - 50_000, "floorperson", "dealer")
        await pit.slip("drop", "D-1", 30_000, "cashier", "auditor")
        told = await pit.day()
        assert told["counted"] == {
            "shifts": ["day"], "opener": 500_000, "fills": 100_000, "credits": 50_000, "drop": 30_000,
            "buy_ins": 30_000, "closer": 540_000, "win": 20_000, "hold": "2/3",
        }  # fmt: skip
        assert told["settled"] == {
            "bets": 3, "handle": 30_000, "taken": 25_000, "paid": 5_000, "win": 20_000, "hold_of_handle": "2/3",
            "theoretical_win": str(30_000 * EDGE), "unpriced": 0,
        }  # fmt: skip
        assert told["counted_less_settled"] == 0
        accounts = (f"table/{table}/USD", "cash/local/USD", f"drop/{table}/USD", f"player/p-{table}/USD")
        assert {account: await pit.balance(account) for account in accounts} == dict(
            zip(accounts, (40_000, -20_000, 0, 10_010_000), strict=True)
        )
        assert (await client.get("/v1/ledger/check"))[1]["ok"]

        status, closed = await pit.close("close-1")
        assert (status, closed["state"], closed["counted"], closed["settled"]) == (
            200, "closed", told["counted"], told["settled"],
        )  # fmt: skip
        assert await pit.close("close-1") == (status, closed)
        assert await pit.close() == (status, closed)
        _, refusal = await client.post(
            f"{pit.path}/slips", {"kind": "drop", "slip": "D-2", "pieces": [], "shift": "day"}, by="cashier"
        )
        assert refusal["code"] == "day_closed"


async def test_a_round_that_comes_after_the_close_is_taken_in_by_a_correction_of_two_people(serving, floor, say, table):
    async with serving() as client:
        pit = Pit(client, table)
        await play(client, floor, say, table, {1: (5_000, -1)})
        _, closed = await pit.close()
        await play(client, floor, say, table, {2: (7_000, 7_000)})
        told = await pit.day()
        assert (told["settled"], told["late_rounds"], told["settled_differs"]) == (closed["settled"], [2], True)

        corrections = f"{pit.path}/corrections"
        status, told = await client.post(corrections, {"reason": "a terminal was off line"}, by="floorperson")
        assert (status, told["settled"], told["correction_waiting"]["number"]) == (201, closed["settled"], 1)
        status, told = await client.post(f"{corrections}/1/approve", {}, by="floorperson")
        assert (status, told["code"]) == (422, "same_person")
        status, told = await client.post(f"{corrections}/1/approve", {}, by="auditor")
        assert status == 200
        assert (told["settled"]["win"], told["settled"]["handle"]) == (5_000 - 7_000, 12_000)
        assert (told["late_rounds"], told["settled_differs"]) == ([], False)
        assert [(one["book"], one["settled"]["win"]) for one in told["fixed"]] == [(1, 5_000), (2, -2_000)]
        status, told = await client.post(corrections, {"reason": "again"}, by="auditor")
        assert (status, told["code"]) == (422, "nothing_to_correct")


async def test_a_corrected_fill_moves_its_difference_and_shows_old_and_new(serving, table):
    async with serving() as client:
        pit = Pit(client, table)
        await pit.slip("opener", "O-1", 0, "dealer", "floorperson")
        await pit.slip("fill", "F-1", 90_000, "cashier", "floorperson")
        await pit.slip("closer", "O-2", 100_000, "dealer", "floorperson")
        _, closed = await pit.close()
        assert closed["counted"]["win"] == 10_000
        counts = [{"shift": "day", "figure": "fills", "amount": "100000"}]
        corrections = f"{pit.path}/corrections"
        assert (await client.post(corrections, {"counts": counts, "reason": "misread"}, by="auditor"))[0] == 201
        status, told = await client.post(f"{corrections}/1/approve", {}, by="floorperson")
        assert (status, told["counted"]["win"]) == (200, 0)
        assert [one["counted"]["fills"] for one in told["fixed"]] == [90_000, 100_000]
        assert await pit.balance(f"table/{table}/USD") == 100_000
        status, events = await client.get(f"/v1/accounts/table/{table}/USD/events", by="auditor")
        corrected = events[-1]["event"]
        assert (corrected["reason"], corrected["prepared_by"] != corrected["approved_by"]) == ("misread", True)
        assert (corrected["was"]["counts"][0]["fills"], corrected["becomes"]["counts"][0]["fills"]) == (90_000, 100_000)
        assert (await client.get("/v1/ledger/check"))[1]["ok"]


async def test_a_day_is_not_closed_while_a_round_a_slip_or_a_count_is_missing(serving, floor, say, table):
    async with serving() as client:
        pit = Pit(client, table)
        assert (await pit.close())[1]["code"] == "nothing_to_close"
        assert (await client.get(pit.path, by="auditor"))[0] == 404
        await floor.says(opened(table, 1))

        async def known() -> bool:
            return (await client.get(pit.path, by="auditor"))[0] == 200

        await say.until(known)
        assert (await pit.day())["rounds_in_progress"] == [1]
        assert (await pit.close())[1]["code"] == "rounds_in_progress"
        await floor.says(say.settled(table=table, round_no=1, void=True))

        async def settled() -> bool:
            return (await pit.day())["rounds_in_progress"] == []

        await say.until(settled)
        await pit.slip("opener", "O-1", 100, "dealer", "floorperson")
        assert (await pit.close())[1]["code"] == "closer_missing"
        body = {"kind": "fill", "slip": "F-1", "pieces": [{"denomination": 100, "pieces": 3}], "shift": "day"}
        assert (await client.post(f"{pit.path}/slips", body, by="cashier"))[0] == 201
        assert (await pit.close())[1]["code"] == "slips_waiting"
        _, told = await client.post(f"{pit.path}/slips", {**body, "slip": "O-2", "kind": "closer"}, by="dealer")
        assert told["code"] == "slips_waiting"
        assert (await client.post(f"{pit.path}/slips/F-1/cancel", {"reason": "wrong table"}, by="cashier"))[0] == 200
        _, told = await client.post(f"{pit.path}/slips/F-1/sign", {}, by="floorperson")
        assert told["code"] == "slip_ended"
        _, told = await client.post(f"{pit.path}/slips", body, by="cashier")
        assert told["code"] == "slip_used"
        await pit.slip("closer", "O-2", 100, "dealer", "floorperson")
        _, closed = await client.post(f"/v1/gaming-days/{DAY}/close", {"property": "local"}, by="auditor")
        assert closed == {
            "gaming_day": DAY, "property": "local", "closed": [{"table": table, "currency": "USD"}], "open": [],
        }  # fmt: skip
        assert (await pit.day())["state"] == "closed"


async def test_nobody_signs_for_another_role_or_twice(serving, table):
    async with serving() as client:
        pit = Pit(client, table)
        body = {"kind": "opener", "slip": "O-1", "pieces": [], "shift": "day"}
        _, told = await client.post(f"{pit.path}/slips", body, by="cashier")
        assert told["code"] == "wrong_signature"
        assert (await client.post(f"{pit.path}/slips", body, by="progressive"))[0] == 403
        assert (await client.post(f"{pit.path}/slips", body, by="dealer"))[0] == 201
        for who, code in (("dealer", "same_person"), ("cashier", "wrong_signature"), ("auditor", "wrong_signature")):
            _, told = await client.post(f"{pit.path}/slips/O-1/sign", {}, by=who)
            assert told["code"] == code, who
        status, told = await client.post(f"{pit.path}/slips/O-9/sign", {}, by="floorperson")
        assert (status, told["code"]) == (404, "unknown_slip")
        assert (await client.post(f"{pit.path}/slips/O-1/sign", {}, by="floorperson"))[0] == 200


async def test_tables_are_listed_page_by_page_and_add_up(serving, floor, say):
    async with serving() as client:
        mark = uuid.uuid4().hex[:6]
        tables = [f"{mark}-{index}" for index in range(5)]
        for index, table in enumerate(tables):
            pit = Pit(client, table)
            await pit.slip("opener", f"O-{mark}-{index}", 1_000, "dealer", "floorperson", "swing")
            await pit.slip("closer", f"C-{mark}-{index}", 1_000 + index, "dealer", "floorperson", "swing")
        await play(client, floor, say, tables[0], {1: (5_000, -1)})
        seen, cursor = [], None
        while True:
            query = {"limit": 2, **({"after": cursor} if cursor else {})}
            status, page = await client.get(f"/v1/gaming-days/{DAY}/tables", by="auditor", **query)
            assert status == 200
            seen += [(one["table"], one["counted"]["win"]) for one in page["tables"]]
            cursor = page["next"]
            if cursor is None:
                break
        assert seen == [(table, index) for index, table in enumerate(tables)]
        _, told = await client.get(f"/v1/gaming-days/{DAY}/totals", by="auditor")
        TotalsAnswer.model_validate(told)
        (total,) = told["totals"]
        assert total["counted"] == {
            "win": 10, "drop": 0, "hold": None, "fills": 0, "credits": 0, "tables": 5, "not_counted": 0,
        }  # fmt: skip
        assert (total["day"], total["settled"]["win"]) == (DAY, 5_000)


async def test_one_slip_number_made_out_at_many_tables_at_once_is_used_once(serving, table):
    async with serving() as client:
        body = {"kind": "opener", "slip": f"O-{table}", "pieces": [{"denomination": 100, "pieces": 1}], "shift": "day"}
        paths = [f"/v1/tables/{table}-{number}/days/{DAY}/USD/slips" for number in range(8)]
        answers = await asyncio.gather(*(client.post(path, body) for path in paths))
        told = Counter((status, answer.get("code")) for status, answer in answers)
        assert told == {(201, None): 1, (422, "slip_used"): 7}


@pytest.mark.parametrize("day", ["9999-12-31", "0001-01-01", "1969-12-31"])
async def test_a_day_beyond_the_calendar_is_invalid_input(serving, table, day):
    async with serving() as client:
        for path in (f"gaming-days/{day}/movements?operator=acme", f"tables/{table}/days/{day}/USD"):
            status, refused = await client.get(f"/v1/{path}")
            assert (status, refused["code"], refused["field"]) == (422, "invalid_input", "gaming_day")


async def test_only_players_of_the_table_s_operator_whose_money_is_kept_here_buy_in(serving):
    async with serving() as client:
        operator = f"op{uuid.uuid4().hex[:8]}"
        pit = Pit(client, f"{operator}:t1")
        await pit.slip("opener", "O-1", 1_000, "dealer", "floorperson")
        status, told = await client.post(f"{pit.path}/buy-ins", {"player": "p1", "amount": 5}, by="dealer")
        assert (status, told["code"]) == (404, "unknown_player")
        buy_in = {"player": f"{operator}.strip:p1", "amount": "5", "shift": "day"}
        assert (await client.post(f"{pit.path}/buy-ins", buy_in, by="dealer"))[0] == 201
        _, told = await client.post(f"{pit.path}/buy-ins", {**buy_in, "amount": 10**16}, by="dealer")
        assert told["balance"] == 10**16 + 5, "more than a float can count"
        assert (await pit.day())["counted"]["buy_ins"] == 10**16 + 5


async def test_a_prize_that_is_refused_was_not_paid(serving, floor, say, table):
    async with serving() as client:
        await play(client, floor, say, table, {1: (1_000, 50_000)})
        pit = Pit(client, table)
        assert (await pit.day())["settled"]["win"] == -50_000
        _, closed = await pit.close()
        where = {"prize_id": str(uuid.uuid4()), "table": table, "round_no": 1, "seat": 1, "prize": "ante"}
        payee = PrizePayee(seat=1, player=f"p-{table}", amount=50_000)
        waits = {**where, "currency": "USD", "payees": (payee,)}
        await floor.says(
            PrizePending(**waits, rule=""),
            PrizeRefused(**waits, floorperson="f", reason="wrong cards", document=""),
        )

        async def refused() -> bool:
            return (await pit.day())["settled_differs"]

        await say.until(refused)
        assert (await pit.day())["settled"] == closed["settled"]
        corrections = f"{pit.path}/corrections"
        assert (await client.post(corrections, {"reason": "prize refused"}, by="auditor"))[0] == 201
        _, told = await client.post(f"{corrections}/1/approve", {}, by="floorperson")
        assert (told["settled"]["paid"], told["settled"]["win"]) == (0, 0)

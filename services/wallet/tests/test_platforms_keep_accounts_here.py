"""The API for platforms. Method: real HTTP, PostgreSQL and Kafka; whole answers; pages read while money moves."""

import asyncio
import uuid
from datetime import UTC, datetime, timedelta
from typing import get_args

import pytest

from pitstream.events import ids
from pitstream.events.model import AMOUNT_MAX
from pitstream.events.wallet import AccountKind
from pitstream.runtime import Principal
from pitstream.services.wallet.platform.store import accounts

pytestmark = pytest.mark.stack

BIG = 2**53 + 1


@pytest.fixture
def mark() -> str:
    return uuid.uuid4().hex[:8]


def view(player: str, balance: int, held: int = 0) -> dict:
    return {
        "account": f"player/{player}/USD", "kind": "player", "currency": "USD", "scale": 2,
        "balance": balance, "held": held, "available": balance - held,
    }  # fmt: skip


async def every_page(client, path: str, rows: str, **query) -> list:
    """All rows of a list, page by page."""
    found, after = [], {}
    while True:
        status, page = await client.get(path, **query, **after)
        assert status == 200, page
        found += page[rows]
        if page["next"] is None:
            return found
        after = {"after": page["next"]}


async def test_an_account_is_opened_empty_and_opening_it_again_changes_nothing(serving):
    async with serving() as client:
        opened = (201, view("acme:p1", 0))
        assert await client.post("/v1/players/acme:p1/USD/open", None, "o1") == opened
        assert await client.post("/v1/players/acme:p1/USD/open", None, "o1") == opened
        await client.post("/v1/players/acme:p1/USD/deposits", {"amount": 5})
        assert await client.post("/v1/players/acme:p1/USD/open", None, "o2") == (201, view("acme:p1", 5))
        assert await client.post("/v1/players/acme:p1/USD/open", None, "o1") == opened
        status, refused = await client.post("/v1/players/acme:p1/QQQ/open", None)
        assert (status, refused["code"]) == (422, "unknown_currency")
        _, events = await client.get("/v1/accounts/player/acme:p1/USD/events")
        assert [event["type"].rpartition(".")[2] for event in events] == ["AccountOpened", "FundsMoved"]


async def test_2_to_the_53_and_1_pass_unharmed_through_every_part(serving):
    """In as a number or as digits; out of the API, the events, the database, the statement and the page."""
    async with serving() as client:
        for player, amount in (("acme:p1", BIG), ("acme:p2", str(BIG))):
            account = f"/v1/accounts/player/{player}/USD"
            status, moved = await client.post(f"/v1/players/{player}/USD/deposits", {"amount": amount})
            assert (status, moved["balance"], moved["available"]) == (201, BIG, BIG)
            assert await client.get(account) == (200, view(player, BIG))
            _, events = await client.get(f"{account}/events")
            assert (events[-1]["event"]["transfer"]["amount"], events[-1]["event"]["balance_after"]) == (BIG, BIG)
            _, statement = await client.get(f"{account}/statement")
            assert [(line["amount"], line["balance"]) for line in statement["lines"]] == [(BIG, BIG)]
            assert (statement["opening_balance"], statement["closing_balance"]) == (0, BIG)
            html = {"Accept": "text/html", **client.staff.headers()}
            async with client.session.get(f"{account}/statement", headers=html) as page:
                assert page.content_type == "text/html"
                assert "90,071,992,547,409.93" in await page.text()
            hold = await client.post(f"/v1/players/{player}/USD/holds", {"amount": amount, "purpose": "all of it"})
            assert hold[1]["amount"] == BIG
        assert (await client.get("/v1/ledger/check"))[1]["ok"] is True


WRONG_AMOUNTS = ["1.0", "1e3", "0.5", "9007199254740993.0", "true", "null", '"1.0"', '"1e3"', '""', "0", "-1", '"-1"']
MOVES = {"deposits": "", "withdrawals": "", "transfers": ', "to": "acme:p2"', "holds": ', "purpose": "x"'}


async def test_no_amount_that_a_float_has_touched_is_taken(serving):
    async with serving() as client:
        for path, rest in MOVES.items():
            for amount in [*WRONG_AMOUNTS, str(AMOUNT_MAX + 1)]:
                headers = {"Idempotency-Key": str(uuid.uuid4()), "Content-Type": "application/json"}
                body, url = f'{{"amount": {amount}{rest}}}', f"/v1/players/acme:p1/USD/{path}"
                async with client.session.post(url, data=body, headers=headers | client.staff.headers()) as answer:
                    refused = await answer.json()
                found = (answer.status, refused["code"], refused["field"])
                assert found == (422, "invalid_input", "amount"), (path, amount)
        assert (await client.get("/v1/accounts/player/acme:p1/USD"))[0] == 404


async def test_money_goes_between_players_of_one_operator_and_to_no_other(serving):
    async with serving() as client:
        for player in ("acme:p1", "acme.boardwalk:p2", "rival:p3"):
            await client.post(f"/v1/players/{player}/USD/deposits", {"amount": 1_000})
        path = "/v1/players/acme:p1/USD/transfers"
        sent = await client.post(path, {"to": "acme.boardwalk:p2", "amount": 300}, "t1")
        transfer_id = ids.transfer_id("player/acme:p1/USD", "transfer", "t1")
        assert sent == (201, {**view("acme:p1", 700), "version": 3, "transfer_id": transfer_id})
        assert await client.post(path, {"to": "acme.boardwalk:p2", "amount": 300}, "t1") == sent
        assert (await client.get("/v1/accounts/player/acme.boardwalk:p2/USD"))[1]["balance"] == 1_300
        refusals = {
            ("rival:p3", 1): (404, "unknown_account"),
            ("acme:p9", 1): (404, "unknown_account"),
            ("acme:p1", 1): (422, "same_account"),
            ("acme.boardwalk:p2", 701): (422, "insufficient_funds"),
        }
        found = {asked: await client.post(path, {"to": asked[0], "amount": asked[1]}) for asked in refusals}
        assert {asked: (status, body["code"]) for asked, (status, body) in found.items()} == refusals
        _, theirs = await client.get("/v1/accounts/player/acme.boardwalk:p2/USD/statement")
        assert [(line["code"], line["counter_account"], line["amount"]) for line in theirs["lines"]][-1] == (
            "transfer", "player/acme:p1/USD", 300,
        )  # fmt: skip
        assert (await client.get("/v1/ledger/check"))[1]["ok"] is True


async def test_a_hold_keeps_money_from_everybody_until_it_is_resolved_once(serving, floor, say, mark):
    player = f"acme:{mark}"
    base = f"/v1/players/{player}/USD"
    async with serving() as client:
        await client.post(f"{base}/deposits", {"amount": 1_000})
        status, held = await client.post(f"{base}/holds", {"amount": 600, "purpose": "tournament 7"}, "h1")
        hold = held["hold_id"]
        expected = {
            "hold_id": hold, "account": f"player/{player}/USD", "amount": 600, "purpose": "tournament 7",
            "state": "held", "captured": 0, "placed_at": None, "expires_at": None,
        }  # fmt: skip
        assert (status, held) == (201, expected)
        assert await client.post(f"{base}/holds", {"amount": 600, "purpose": "tournament 7"}, "h1") == (201, held)
        assert (await client.get(f"/v1/accounts/player/{player}/USD"))[1] == view(player, 1_000, held=600)
        for path, more in (("withdrawals", {}), ("holds", {"purpose": "x"})):
            status, refused = await client.post(f"{base}/{path}", {"amount": 401, **more})
            assert (status, refused["code"]) == (422, "insufficient_funds")
        await floor.says(say.placed(1, player, table=f"t-{mark}", ante=401))

        async def declined():
            return (await client.get(f"/v1/accounts/player/{player}/USD/events"))[1][-1]["event"].get("reason")

        assert await say.until(declined) == "insufficient_funds"

        status, refused = await client.post(f"{base}/holds/{hold}/capture", {"amount": 601})
        assert (status, refused["code"]) == (422, "more_than_held")
        captured = await client.post(f"{base}/holds/{hold}/capture", {"amount": 250}, "c1")
        assert captured == (201, {**expected, "state": "captured", "captured": 250})
        assert await client.post(f"{base}/holds/{hold}/capture", {"amount": 250}, "c1") == captured
        assert (await client.get(f"/v1/accounts/player/{player}/USD"))[1] == view(player, 750)
        for path, body in (("capture", {}), ("void", None)):
            status, refused = await client.post(f"{base}/holds/{hold}/{path}", body)
            assert (status, refused["code"]) == (409, "hold_resolved")
        _, second = await client.post(f"{base}/holds", {"amount": 750, "purpose": "y"})
        voided = await client.post(f"{base}/holds/{second['hold_id']}/void", None)
        assert voided == (201, {**second, "state": "voided"})
        assert (await client.get(f"/v1/accounts/player/{player}/USD"))[1] == view(player, 750)
        holds = await every_page(client, f"{base}/holds", "holds", limit=1)
        assert [(one["hold_id"], one["state"]) for one in holds] == [
            (hold, "captured"), (second["hold_id"], "voided"),
        ]  # fmt: skip
        assert await client.get(f"{base}/holds/{hold}") == (200, holds[0])
        assert await every_page(client, f"{base}/holds", "holds", state="voided") == holds[1:]
        assert (await client.get(f"/v1/players/acme:other/USD/holds/{hold}"))[0] == 404
        assert (await client.get("/v1/ledger/check"))[1]["ok"] is True


async def test_a_hold_whose_time_is_over_frees_its_money(serving, say):
    base = "/v1/players/acme:p1/USD"
    async with serving() as client:
        await client.post(f"{base}/deposits", {"amount": 100})
        asked = datetime.now(UTC)
        _, hold = await client.post(f"{base}/holds", {"amount": 100, "purpose": "x", "expires_in_s": 1})
        began = datetime.fromisoformat(hold["expires_at"]) - timedelta(seconds=1)
        assert asked <= began <= datetime.now(UTC)

        async def expired():
            return (await client.get(f"{base}/holds/{hold['hold_id']}"))[1]["state"] == "expired"

        await say.until(expired)
        assert (await client.get("/v1/accounts/player/acme:p1/USD"))[1] == view("acme:p1", 100)
        status, refused = await client.post(f"{base}/holds/{hold['hold_id']}/capture", {})
        assert (status, refused["code"]) == (409, "hold_resolved")
        _, events = await client.get("/v1/accounts/player/acme:p1/USD/events")
        assert events[-1]["event"]["reason"] == "expired"


async def test_twenty_who_resolve_one_hold_at_once_resolve_it_once(serving):
    base = "/v1/players/acme:p1/USD"
    async with serving() as client:
        await client.post(f"{base}/deposits", {"amount": 100})
        _, hold = await client.post(f"{base}/holds", {"amount": 100, "purpose": "x"})
        path = f"{base}/holds/{hold['hold_id']}"
        jobs = [client.post(f"{path}/{('capture', 'void')[n % 2]}", ({}, None)[n % 2]) for n in range(20)]
        answers = await asyncio.gather(*jobs)
        assert sorted(status for status, _ in answers) == [201] + [409] * 19
        (state,) = {body["state"] for status, body in answers if status == 201}
        left = {"captured": 0, "voided": 100}[state]
        assert (await client.get("/v1/accounts/player/acme:p1/USD"))[1] == view("acme:p1", left)


async def test_a_statement_adds_up_on_every_page_while_money_moves(serving):
    """Whatever is written between two pages is in none of them: the first page fixed what the statement is of."""
    base, path = "/v1/players/acme:p1/USD", "/v1/accounts/player/acme:p1/USD/statement"
    async with serving() as client:
        for amount in range(1, 8):
            await client.post(f"{base}/deposits", {"amount": amount * 100})
        await client.post(f"{base}/withdrawals", {"amount": 50})
        pages, after = [], {}
        while not pages or pages[-1]["next"]:
            pages.append((await client.get(path, limit=3, **after))[1])
            after = {"after": pages[-1]["next"]}
            await client.post(f"{base}/deposits", {"amount": 1})
        lines = [line for page in pages for line in page["lines"]]
        assert [line["amount"] for line in lines] == [100, 200, 300, 400, 500, 600, 700, -50]
        assert [line["balance"] for line in lines] == [100, 300, 600, 1_000, 1_500, 2_100, 2_800, 2_750]
        assert {(page["opening_balance"], page["closing_balance"], page["until"]) for page in pages} == {
            (0, 2_750, pages[0]["until"])
        }
        assert [len(page["lines"]) for page in pages] == [3, 3, 2]
        assert {line["code"] for line in lines} == {"deposit", "withdrawal"}
        assert {line["counter_account"] for line in lines} == {ids.operator_lane("acme:p1", "USD")}
        times = [datetime.fromisoformat(line["at"]) for line in lines]
        assert times == sorted(times)

        second, last = lines[2]["at"], lines[6]["at"]
        _, part = await client.get(path, since=second, until=last)
        assert [line["amount"] for line in part["lines"]] == [300, 400, 500, 600]
        assert (part["opening_balance"], part["closing_balance"]) == (300, 2_100)
        _, rest = await client.get(path, since=last, limit=1000)
        assert rest["opening_balance"] == part["closing_balance"]
        assert rest["closing_balance"] == (await client.get("/v1/accounts/player/acme:p1/USD"))[1]["balance"]
        for wrong in ("0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", "2026-01-01T00:00:00", "yesterday"):
            for bound in ("since", "until"):
                status, refused = await client.get(path, **{bound: wrong})
                assert (status, refused["field"]) == (422, bound), wrong
        _, none = await client.get(path, until=lines[0]["at"])
        assert (none["lines"], none["opening_balance"], none["closing_balance"], none["next"]) == ([], 0, 0, None)


async def test_statements_of_an_account_follow_each_other_without_a_gap_whoever_writes(serving):
    """Forty writers at once; pages of one row each, and each line's balance is the last one's plus its amount."""
    async with serving() as client:
        players = [f"acme:p{n}" for n in range(4)]
        await asyncio.gather(*(client.post(f"/v1/players/{p}/USD/deposits", {"amount": 10_000}) for p in players))
        jobs = [
            client.post(
                f"/v1/players/{players[n % 4]}/USD/transfers", {"to": players[(n + 1 + n % 3) % 4], "amount": n}
            )
            for n in range(1, 41)
        ]
        assert {status for status, _ in await asyncio.gather(*jobs)} == {201}
        for player in players:
            lines = await every_page(client, f"/v1/accounts/player/{player}/USD/statement", "lines", limit=1)
            running = 0
            for line in lines:
                running += line["amount"]
                assert line["balance"] == running
            assert (await client.get(f"/v1/accounts/player/{player}/USD"))[1]["balance"] == running


async def test_results_are_told_in_the_order_in_which_they_were_posted(serving, floor, say, mark):
    table, player = f"t-{mark}", f"acme:{mark}"
    async with serving() as client:
        await client.post(f"/v1/players/{player}/USD/deposits", {"amount": 1_000})
        path = f"/v1/accounts/player/{player}/USD/results"
        for no in range(1, 4):
            await floor.says(say.placed(1, player, table=table, round_no=no, ante=100))

            async def held():
                return (await client.get(f"/v1/accounts/player/{player}/USD"))[1]["held"]

            await say.until(held)
            outcome = {1: say.lost("ante", 100), 2: say.pushed("ante", 100), 3: say.won("ante", 100, 100)}[no]
            await floor.says(say.settled(say.seat(1, player, outcome), table=table, round_no=no))

            async def told(no: int = no):
                return len((await client.get(path))[1]["postings"]) == no

            await say.until(told)
        found = await every_page(client, path, "postings", limit=2)
        told_of = {
            "table": table,
            "seat": 1,
            "player": player,
            "currency": "USD",
            "kind": "seat",
            "claim_id": None,
            "correction": None,
        }
        assert found == [{**told_of, "round_no": no, "net": net} for no, net in ((1, -100), (2, 0), (3, 100))]


async def test_accounts_are_listed_by_name_and_by_what_they_are(serving):
    async with serving() as client:
        for player, currency in (("acme:b", "USD"), ("acme:a", "EUR"), ("acme:a", "USD"), ("rival:c", "JPY")):
            await client.post(f"/v1/players/{player}/{currency}/deposits", {"amount": 1})
        every = [one["account"] for one in await every_page(client, "/v1/accounts", "accounts", limit=2)]
        assert every == sorted(every)
        players = await every_page(client, "/v1/accounts", "accounts", kind="player", limit=1)
        assert [one["account"] for one in players] == [
            "player/acme:a/EUR", "player/acme:a/USD", "player/acme:b/USD", "player/rival:c/JPY",
        ]  # fmt: skip
        assert players[3]["scale"] == 0
        usd = await every_page(client, "/v1/accounts", "accounts", kind="player", currency="USD")
        assert [one["account"] for one in usd] == ["player/acme:a/USD", "player/acme:b/USD"]
        status, refused = await client.get("/v1/accounts", kind="bank")
        assert (status, refused["field"]) == (422, "kind")


async def test_a_list_of_accounts_has_what_each_of_them_is_seen_by_and_no_other(store):
    """Every kind of account of every kind of owner: the list's rule in SQL is the one by which a single one is seen."""
    of_tables = (ids.table_account, ids.house_sub_account, ids.payable_account, ids.drop_account, ids.transit_account)
    names = {ids.house_account("USD")}
    for owner in ("acme", "acme.north", "acme2", "local"):
        at = "" if owner == "local" else f"{owner}:"
        names |= {of(f"{at}x1", "USD") for of in of_tables}
        names |= {of(f"{at}x1", "m", "USD") for of in (ids.meter_account, ids.reserve_account, ids.overflow_account)}
        names |= {ids.pot_account(f"{at}x1", 1, "USD"), ids.hit_account(f"{at}x1", "c1", "USD")}
        names |= {of(f"{at}x1", "USD") for of in (ids.player_account, ids.operator_lane, ids.suspense_account)}
        names.add(ids.receivable_account(f"{at}x1", "USD"))
        names |= {ids.cash_account(owner, "USD"), ids.operator_account(ids.operator_of(f"{at}x1"), "USD")}
    assert {name.partition("/")[0] for name in names} == set(get_args(AccountKind))
    rows = [(name, name.partition("/")[0]) for name in names]
    await store.pool.executemany(
        "INSERT INTO accounts (account, kind, currency, scale) VALUES ($1, $2, 'USD', 2)", rows
    )
    for scopes in ({"acme"}, {"acme.north"}, {"acme2"}, {"local"}, {"local", "acme.north"}, set(), {"*"}):
        who = Principal("a", frozenset(), frozenset(scopes))
        found = await accounts(store, who.owner_patterns, kind=None, currency=None, after="", limit=1_000)
        assert {account.account for account in found} == {name for name in names if who.sees_account(name)}


async def test_only_a_list_s_own_cursors_are_taken(serving):
    async with serving() as client:
        for player in ("acme:a", "acme:b"):
            for _ in range(2):
                await client.post(f"/v1/players/{player}/USD/deposits", {"amount": 1})
        statement, other = (f"/v1/accounts/player/{player}/USD/statement" for player in ("acme:a", "acme:b"))
        cursor = (await client.get(statement, limit=1))[1]["next"]
        assert (await client.get(statement, after=cursor))[0] == 200
        wrong = {
            (other, cursor), ("/v1/accounts", cursor), ("/v1/accounts/player/acme:a/USD/results", cursor),
            (statement, "x"), (statement, ""), (statement, cursor[:-3]), (statement, "é"), (statement, "c3RhdGVtZW50"),
        }  # fmt: skip
        for path, after in wrong:
            status, refused = await client.get(path, after=after)
            assert (status, refused["code"], refused["field"]) == (422, "invalid_cursor", "after"), (path, after)

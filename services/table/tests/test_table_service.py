"""The table service over real HTTP, on a real PostgreSQL and real topics; only the wallet is a stand-in."""

import asyncio
import base64
import uuid
from dataclasses import dataclass
from typing import Any

import pytest

from pitstream.evaluator import fingerprint
from pitstream.events import chain_breaks, envelope_hash, open_envelope
from pitstream.events.rounds import RoundOpened, TableOpened
from pitstream.games.round import Finished, evolve_all
from pitstream.games.settlement import RULES_VERSION

pytestmark = pytest.mark.stack

TERMS = {
    "game": "ultimate_texas_holdem",
    "gaming_day": "2025-05-03",
    "currency": "USD",
    "paytables": {"ante": "A", "blind": "A", "play": "A", "trips": "B", "six_card": "published-1"},
}
RULING = {"reason": "what the floorperson saw"}
FLOP = {"cards": ["9h", "Ah", "Kh"], "burned": ["Ac"]}
RIVER = {"cards": ["Ts", "7h"], "burned": ["Jc"]}


@dataclass
class Dealer:
    """A dealer's terminal at one table: what it says, and what it is answered."""

    client: Any
    wallet: Any

    @property
    def path(self) -> str:
        return f"/v1/tables/{self.wallet.table}"

    async def opens_table(self, **changed: Any) -> Any:
        return await self.accepted("/open", {**TERMS, **changed}, status=201)

    async def opens_round(self, round_id: str = "r1", **options: str) -> Any:
        return await self.accepted("/rounds", {"round_id": round_id, "options": options}, status=201)

    async def accepted(self, path: str, body: Any, status: int = 200) -> Any:
        ruling = path.rpartition("/")[2] in ("void", "forfeit", "leave", "set-aside")
        answer = await self.client.post(self.path + path, body, by="floorperson" if ruling else "dealer")
        assert answer[0] == status, answer
        return answer[1]

    async def refused(self, path: str, body: Any) -> tuple[int, str, str]:
        status, answer = await self.client.post(self.path + path, body)
        assert status >= 400, answer
        return status, answer["code"], answer["field"]

    async def bets(self, seat: int, name: str, **stakes: int) -> Any:
        body = {"seat": seat, "player": self.wallet.player(name), "stakes": stakes}
        return await self.accepted("/rounds/1/wagers", body)

    async def sees(self, round_no: int = 1, **query: Any) -> Any:
        status, view = await self.client.get(f"{self.path}/rounds/{round_no}", **query)
        assert status == 200, view
        return view

    async def waits_for_the_wallet(self, round_no: int = 1) -> Any:
        """The round as soon as no wager waits any more."""
        view = await self.sees(round_no)
        async with asyncio.timeout(30):
            while view["waiting_for"]:
                view = await self.sees(round_no, after_version=view["version"], wait_ms=10_000)
        return view

    async def says(self, seat: int, choice: str, round_no: int = 1) -> Any:
        await self.accepted(f"/rounds/{round_no}/decisions", {"seat": seat, "choice": choice})
        return await self.waits_for_the_wallet(round_no)

    async def history(self, path: str) -> Any:
        status, events = await self.client.get(self.path + path)
        assert status == 200, events
        return events


@pytest.fixture
def dealer(client: Any, wallet: Any) -> Dealer:
    return Dealer(client, wallet)


async def test_a_round_is_played_over_http_from_the_first_wager_to_the_last_card(dealer: Dealer) -> None:
    p1, p4 = dealer.wallet.player("p1"), dealer.wallet.player("p4")
    await dealer.opens_table()
    await dealer.opens_round("r00017")
    await asyncio.gather(
        dealer.bets(4, "p4", ante=2500, blind=2500),
        dealer.bets(1, "p1", ante=1000, blind=1000, trips=500, six_card=100),
    )
    view = await dealer.waits_for_the_wallet()
    assert view["version"] == 5
    hands = [{"seat": 1, "cards": ["4d", "Ks"]}, {"seat": 4, "cards": ["2d", "8c"]}]
    view = await dealer.accepted("/rounds/1/deal", {"hands": hands, "dealer": ["3c", "5d"]})
    assert (view["version"], view["stage"], view["dealer"]) == (7, "asking", None)
    assert view["asking"] == {"seat": 1, "choices": ["check", "3x", "4x"]}

    view = await dealer.says(1, "4x")
    assert view["asking"] == {"seat": 4, "choices": ["check", "3x", "4x"]}
    view = await dealer.says(4, "check")
    assert view["awaiting_cards"] == {"street": "flop", "community": 3, "burned": 1}
    await dealer.accepted("/rounds/1/community", FLOP)
    await dealer.says(4, "check")
    await dealer.accepted("/rounds/1/community", RIVER)
    view = await dealer.says(4, "fold")
    assert (view["stage"], view["bonus_is_due"]) == ("showdown", True)
    await dealer.accepted("/rounds/1/bonus", {"cards": ["2c", "2h", "8d", "Js"]})
    view = await dealer.accepted("/rounds/1/finish", {})
    assert view == await dealer.sees()
    assert view == {
        "table": dealer.wallet.table,
        "round_no": 1,
        "round_id": "r00017",
        "game": "ultimate_texas_holdem",
        "gaming_day": "2025-05-03",
        "currency": "USD",
        "options": {
            "folded_progressive": "forfeited",
            "folded_five_card": "dealer_hand_only",
            "folded_envy": "none",
            "five_card_prize": "larger",
            "meter_order": "settling_order",
            "forfeited_seat": "loses_all",
            "void_round": "returns_all",
        },
        "stage": "finished",
        "version": 17,
        "asking": None,
        "waiting_for": [],
        "awaiting_cards": None,
        "bonus_is_due": False,
        "seats": [
            {
                "seat": 1,
                "player": p1,
                "wagers": {"ante": 1000, "blind": 1000, "trips": 500, "six_card": 100},
                "stands": True,
                "play": 4000,
                "cards": ["4d", "Ks"],
                "decisions": ["4x"],
                "forfeited": None,
                "left": None,
            },
            {
                "seat": 4,
                "player": p4,
                "wagers": {"ante": 2500, "blind": 2500},
                "stands": True,
                "play": None,
                "cards": ["2d", "8c"],
                "decisions": ["check", "check", "fold"],
                "forfeited": None,
                "left": None,
            },
        ],
        "community": ["9h", "Ah", "Kh", "Ts", "7h"],
        "burned": ["Ac", "Jc"],
        "bonus": ["2c", "2h", "8d", "Js"],
        "set_aside": [],
        "dealer": ["3c", "5d"],
        "void": None,
    }

    stored = [base64.b64decode(event["envelope"]) for event in await dealer.history("/rounds/1/events")]
    assert chain_breaks(stored) is None
    assert isinstance(evolve_all(open_envelope(data).event for data in stored), Finished)


async def test_each_round_is_bound_to_the_one_before_it_and_found_by_its_callers_id(dealer: Dealer) -> None:
    table = dealer.wallet.table
    await dealer.opens_table(policies={})
    for round_id in ("a", "b", "a"):
        view = await dealer.opens_round(round_id)
        await dealer.accepted(f"/rounds/{view['round_no']}/void", {"reason": "misdeal"})
    histories = [await dealer.history(f"/rounds/{round_no}/events") for round_no in (1, 2, 3)]
    opened = [open_envelope(base64.b64decode(events[0]["envelope"])).event for events in histories]
    last = [envelope_hash(base64.b64decode(events[-1]["envelope"])) for events in histories]
    assert all(isinstance(event, RoundOpened) for event in opened)
    assert [event.previous_round_hash for event in opened] == [b"", last[0], last[1]]
    assert {(event.rules_version, event.evaluator) for event in opened} == {(RULES_VERSION, fingerprint())}
    assert [event["actor"] for event in histories[0]] == ["d.okafor", "f.moreau"]

    assert await dealer.client.get("/v1/rounds", round_id="a") == (
        200,
        [{"table": table, "round_no": 1}, {"table": table, "round_no": 3}],
    )
    assert await dealer.client.get("/v1/rounds", round_id="c") == (200, [])


async def test_a_table_is_open_for_one_game_and_plays_one_round_at_a_time(dealer: Dealer) -> None:
    table = dealer.wallet.table
    assert await dealer.refused("/rounds", {"round_id": "r1"}) == (422, "table_not_open", "table")
    opened = await dealer.opens_table()
    assert opened == {
        "table": table,
        "is_open": True,
        "game": "ultimate_texas_holdem",
        "gaming_day": "2025-05-03",
        "currency": "USD",
        "network": None,
        "last_round_no": 0,
        "round_in_progress": None,
        "version": 1,
        "paytables": TERMS["paytables"],
        "policies": {},
        "progressive_suspended": None,
    }
    assert await dealer.refused("/open", TERMS) == (422, "table_already_open", "table")
    await dealer.opens_round()
    assert await dealer.refused("/rounds", {"round_id": "r2"}) == (422, "round_in_progress", "table")
    assert await dealer.refused("/close", {"reason": "late"}) == (422, "round_in_progress", "table")
    assert await dealer.client.get(dealer.path) == (200, {**opened, "last_round_no": 1, "round_in_progress": 1})
    await dealer.accepted("/rounds/1/void", {"reason": "misdeal"})
    closed = await dealer.accepted("/close", {"reason": "late"})
    assert closed == {**opened, "is_open": False, "last_round_no": 1, "version": 2, "paytables": {}}
    assert await dealer.refused("/close", {"reason": "late"}) == (422, "table_not_open", "table")
    await dealer.opens_table(game="flop_poker", paytables={"ante": "A", "flop": "NJ"})
    view = await dealer.opens_round("r2")
    assert (view["game"], view["round_no"]) == ("flop_poker", 2)

    events = await dealer.history("/events")
    assert [event["type"].rpartition(".")[2] for event in events] == ["TableOpened", "TableClosed", "TableOpened"]
    assert isinstance(open_envelope(base64.b64decode(events[2]["envelope"])).event, TableOpened)
    floor = (await dealer.client.get("/v1/tables"))[1]["tables"]
    assert [(row["table"], row["game"], row["round_in_progress"]) for row in floor] == [(table, "flop_poker", 2)]


async def test_the_same_command_id_gets_the_same_answer_and_does_nothing_twice(dealer: Dealer) -> None:
    await dealer.opens_table()
    first = await dealer.client.post(f"{dealer.path}/rounds", {"round_id": "r1"}, "open-r1")
    assert await dealer.client.post(f"{dealer.path}/rounds", {"round_id": "r1"}, "open-r1") == first
    assert first[1]["round_no"] == 1
    bet = {"seat": 1, "player": dealer.wallet.player("p1"), "stakes": {"ante": 1000, "blind": 1000}}
    placed = await dealer.client.post(f"{dealer.path}/rounds/1/wagers", bet, "bet-1")
    await dealer.waits_for_the_wallet()
    assert await dealer.client.post(f"{dealer.path}/rounds/1/wagers", bet, "bet-1") == placed
    refused = await dealer.client.post(f"{dealer.path}/rounds/1/finish", {}, "finish-1")
    assert refused[0] == 422
    assert await dealer.client.post(f"{dealer.path}/rounds/1/finish", {}, "finish-1") == refused

    other = {**bet, "seat": 2}
    status, answer = await dealer.client.post(f"{dealer.path}/rounds/1/wagers", other, "bet-1")
    assert (status, answer["code"]) == (409, "command_id_reused")
    async with dealer.client.session.post(
        f"{dealer.path}/rounds/1/finish", json={}, headers=dealer.client.staff.headers()
    ) as response:
        assert (response.status, (await response.json())["code"]) == (400, "missing_command_id")
    assert (await dealer.sees())["version"] == 3


async def test_a_player_without_the_money_may_bet_again_or_decide_again(dealer: Dealer) -> None:
    await dealer.opens_table()
    await dealer.opens_round()
    dealer.wallet.broke.add(dealer.wallet.player("p1"))
    await dealer.bets(1, "p1", ante=9000, blind=9000)
    view = await dealer.waits_for_the_wallet()
    assert view["seats"] == []
    dealer.wallet.broke.clear()
    await dealer.bets(1, "p1", ante=1000, blind=1000)
    await dealer.waits_for_the_wallet()
    await dealer.accepted("/rounds/1/deal", {"hands": [{"seat": 1, "cards": ["4d", "Ks"]}], "dealer": ["3c", "5d"]})

    dealer.wallet.broke.add(dealer.wallet.player("p1"))
    view = await dealer.says(1, "4x")
    assert view["asking"] == {"seat": 1, "choices": ["check", "3x", "4x"]}
    assert (view["seats"][0]["decisions"], view["seats"][0]["play"]) == ([], None)
    dealer.wallet.broke.clear()
    view = await dealer.says(1, "3x")
    assert (view["stage"], view["seats"][0]["play"]) == ("awaiting_community", 3000)


async def test_while_the_wallet_is_silent_a_round_waits_and_can_still_be_void(dealer: Dealer, until: Any) -> None:
    await dealer.opens_table()
    await dealer.opens_round()
    await dealer.bets(2, "p2", ante=1000, blind=1000)
    await dealer.waits_for_the_wallet()
    dealer.wallet.answering.clear()
    view = await dealer.bets(1, "p1", ante=1000, blind=1000)
    assert view["waiting_for"] == [{"seat": 1, "bundle": 1}]
    hands = [{"seat": 1, "cards": ["4d", "Ks"]}, {"seat": 2, "cards": ["2d", "8c"]}]
    deal = {"hands": hands, "dealer": ["3c", "5d"]}
    assert await dealer.refused("/rounds/1/deal", deal) == (422, "awaiting_funds", "hands")
    view = await dealer.accepted("/rounds/1/void", {"reason": "wallet out of reach"})
    assert (view["stage"], view["void"]) == ("voided", "wallet out of reach")
    assert [(seat["seat"], seat["stands"]) for seat in view["seats"]] == [(2, True)]

    # The late answer finds no wager that waits for it, and nothing else is held up by it.
    dealer.wallet.answering.set()
    await until(lambda: _answered(dealer.wallet, 2))
    await dealer.opens_round("r2")
    body = {"seat": 1, "player": dealer.wallet.player("p1"), "stakes": {"ante": 1000, "blind": 1000}}
    await dealer.accepted("/rounds/2/wagers", body)
    assert (await dealer.waits_for_the_wallet(2))["seats"][0]["stands"]
    assert (await dealer.sees(1))["version"] == view["version"]


async def _answered(wallet: Any, count: int) -> bool:
    return len(wallet.published) >= count


async def test_an_answer_of_the_wallet_that_comes_twice_changes_nothing(dealer: Dealer) -> None:
    await dealer.opens_table()
    await dealer.opens_round()
    await dealer.bets(1, "p1", ante=1000, blind=1000)
    version = (await dealer.waits_for_the_wallet())["version"]
    for recorded in list(dealer.wallet.published):
        await dealer.wallet.publish(recorded)
    await dealer.bets(2, "p2", ante=1000, blind=1000)
    view = await dealer.waits_for_the_wallet()
    assert view["version"] == version + 2
    assert (await dealer.client.get("/v1/dead-letters"))[1] == {"dead_letters": []}


async def test_of_many_who_want_one_seat_at_once_one_gets_it_and_nobody_loses_a_wager(dealer: Dealer) -> None:
    await dealer.opens_table()
    await dealer.opens_round()

    async def bet(seat: int, name: str) -> int:
        body = {"seat": seat, "player": dealer.wallet.player(name), "stakes": {"ante": 1000, "blind": 1000}}
        status, _ = await dealer.client.post(f"{dealer.path}/rounds/1/wagers", body)
        return int(status)

    answers = await asyncio.gather(*(bet(seat, f"p{seat}{rival}") for seat in range(1, 8) for rival in "abc"))
    assert sorted(answers) == [200] * 7 + [422] * 14
    view = await dealer.waits_for_the_wallet()
    assert [seat["seat"] for seat in view["seats"]] == [1, 2, 3, 4, 5, 6, 7]
    assert (await dealer.sees())["version"] == 1 + 7 * 2


async def test_what_is_wrong_with_a_request_is_said_by_code_and_field(dealer: Dealer) -> None:
    assert await dealer.refused("/rounds/1/finish", {}) == (404, "unknown_round", "round_no")
    assert (await dealer.client.get(dealer.path))[0] == 404
    assert (await dealer.client.get(f"{dealer.path}/events"))[0] == 404
    assert (await dealer.client.get(f"{dealer.path}/rounds/1"))[0] == 404
    assert (await dealer.client.get(f"{dealer.path}/rounds/1/events"))[0] == 404
    await dealer.opens_table()
    await dealer.opens_round()
    bet = {"seat": 1, "player": "p1", "stakes": {"ante": 1000, "blind": 1000}}
    deal = {"hands": [{"seat": 1, "cards": ["4d", "Ks"]}], "dealer": ["3c", "5d"]}
    for path, body, answer in [
        ("/rounds/0/finish", {}, (422, "invalid_input", "round_no")),
        ("/rounds/1/finish", {"now": True}, (422, "invalid_input", "now")),
        ("/rounds/1/finish", [], (422, "invalid_input", "body")),
        ("/rounds/1/wagers", {**bet, "seat": 8}, (422, "invalid_input", "seat")),
        ("/rounds/1/wagers", {**bet, "seat": True}, (422, "invalid_input", "seat")),
        ("/rounds/1/wagers", {**bet, "player": "p 1"}, (422, "invalid_input", "player")),
        ("/rounds/1/wagers", {**bet, "stakes": {"ante": 10.0}}, (422, "invalid_input", "stakes.ante")),
        ("/rounds/1/wagers", {**bet, "stakes": {"ante": "10.0"}}, (422, "invalid_input", "stakes.ante")),
        ("/rounds/1/wagers", {"seat": 1, "player": "p1"}, (422, "invalid_input", "stakes")),
        ("/rounds/1/wagers", {**bet, "stakes": {"ante": 10}}, (422, "missing_wager", "stakes")),
        ("/rounds/1/wagers", {**bet, "stakes": {"ante": 10, "blind": 9}}, (422, "invalid_stake", "stakes.blind")),
        ("/rounds/1/deal", deal, (422, "no_wagers", "hands")),
        ("/rounds/1/deal", {**deal, "dealer": [3]}, (422, "invalid_input", "dealer.0")),
        ("/rounds/1/deal", {**deal, "dealer": "3c5d"}, (422, "invalid_input", "dealer")),
        ("/rounds/1/decisions", {"seat": 1, "choice": "check"}, (422, "not_asked", "seat")),
        ("/rounds/1/community", FLOP, (422, "wrong_stage", "cards")),
        ("/rounds/1/bonus", {"cards": []}, (422, "wrong_stage", "cards")),
        ("/rounds/1/void", {"reason": "misdeal", "floorperson": "f-17"}, (422, "invalid_input", "floorperson")),
        ("/rounds/1/void", {"reason": ""}, (422, "invalid_input", "reason")),
        ("/rounds/1/void", {**RULING, "kind": "bad_luck"}, (422, "invalid_input", "kind")),
        ("/rounds/1/leave", {**RULING, "seat": 1}, (422, "no_wagers", "seat")),
        ("/rounds/1/set-aside", {**RULING, "card": "1x"}, (422, "unknown_card", "card")),
        ("/rounds/1/set-aside", {"card": "Td"}, (422, "invalid_input", "reason")),
        ("/rounds/1/forfeit", {"seat": 1, "reason": "late"}, (422, "no_wagers", "seat")),
        ("/open", {**TERMS, "game": "go_fish"}, (422, "table_already_open", "table")),
        ("/open", {**TERMS, "paytables": []}, (422, "invalid_input", "paytables")),
    ]:
        assert await dealer.refused(path, body) == answer, (path, body)
    assert (await dealer.sees())["version"] == 1


TOO_LONG = b'{"player": "p1", "seat": 1, "stakes": {"ante": 1%s}}' % (b"0" * 5000)
TOO_DEEP = b"[" * 5000
NO_TERMINAL_SENDS = [
    ("/rounds/1/wagers", b""),
    ("/rounds/1/wagers", b"{"),
    ("/rounds/1/wagers", b"\xff\xfe"),
    ("/rounds/1/wagers", b'{"seat": NaN, "player": "p1", "stakes": {}}'),
    ("/rounds/1/wagers", b'{"seat": 1, "player": "p1", "stakes": {"ante": 1e2}}'),
    ("/rounds/1/wagers", b'{"seat": 1, "player": "p1", "stakes": {"ante": 1%s}}' % (b"0" * 400)),
    ("/rounds/1/wagers", TOO_LONG),
    ("/rounds/1/wagers", b'{"seat": 1, "player": "p1", "stakes": {"\\ud800": 1}}'),
    ("/rounds/1/wagers", b'{"seat": 1, "player": "p1", "stakes": {}, "\\ud800": 1}'),
    ("/rounds/1/wagers", TOO_DEEP),
    ("/rounds/1/decisions", b'{"seat": 1, "choice": "\\ud800"}'),
    ("/rounds/1/void", b'{"reason": "\\u0000"}'),
    ("/rounds", b'{"round_id": "\\u0000"}'),
    ("/rounds", b'{"round_id": "r2", "options": {"\\u0000": "\\u0000"}}'),
]


async def test_a_body_that_no_terminal_would_send_is_refused_and_nothing_is_done(dealer: Dealer) -> None:
    await dealer.opens_table()
    await dealer.opens_round()
    answers = {}
    for path, body in NO_TERMINAL_SENDS:
        headers = {"Idempotency-Key": str(uuid.uuid4()), "Content-Type": "application/json"}
        headers |= dealer.client.staff.headers()
        async with dealer.client.session.post(dealer.path + path, data=body, headers=headers) as response:
            answers[path, body[:80]] = response.status, await response.text()
    faults = {key: answer for key, answer in answers.items() if answer[0] != 422 or '"code"' not in answer[1]}
    # These two are too much for any reader of JSON; they never come as far as the service.
    assert {key: answer[0] for key, answer in faults.items()} == {
        ("/rounds/1/wagers", TOO_LONG[:80]): 400,
        ("/rounds/1/wagers", TOO_DEEP[:80]): 400,
    }
    assert (await dealer.sees())["version"] == 1
    assert (await dealer.client.get("/v1/rounds", round_id="\0"))[0] == 422


async def test_a_terminal_that_waits_hears_of_a_change_at_once(dealer: Dealer) -> None:
    await dealer.opens_table()
    await dealer.opens_round()
    waiting = asyncio.create_task(dealer.sees(after_version=1, wait_ms=20_000))
    await asyncio.sleep(0.3)
    await dealer.accepted("/rounds/1/void", {"reason": "misdeal"})
    assert (await asyncio.wait_for(waiting, 2))["version"] == 2
    assert (await dealer.sees(after_version=2, wait_ms=50))["version"] == 2

"""A credential of one operator, or of one property, never sees another's data, at any endpoint of any service.

Method: an evening of ``acme.north`` is played through the running services, so that there is something to see. Then
every operation of every service is asked about it by three who must see nothing. The operations are found by walking
the routes: one that names what it is about in its path is asked for ``acme.north``'s, and must answer as for what was
never there; any other must be told of in ``ELSEWHERE``, or the test fails.
"""

import asyncio
import json
import re
import tempfile
import uuid
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

import aiohttp
import pytest
from yarl import URL

from pitstream.runtime import Role
from pitstream.runtime.access_file import entry_text, new_key
from pitstream.runtime.openapi import Operation, operations

pytestmark = pytest.mark.stack

OWNER = "acme.north"
STRANGERS = {"another operator": "zenith", "another property": "acme.south", "who has no operator": "local"}
DAY = "2025-11-11"
"""A gaming day of nobody else's."""
NAMED = ("table", "network", "player", "account", "operator")
"""What a path may name that belongs to somebody: `pitstream.runtime.access` holds it to the caller's scopes."""


@dataclass(frozen=True)
class Ask:
    """How an operation is asked about ``acme.north``'s data, and what a stranger is answered.

    ``then``: "nothing", an answer without a word of it, though its owner's answer has one; or "unknown", 404.
    ``owner``: whose answer has it.
    """

    then: str
    owner: str = OWNER
    query: dict[str, str] = field(default_factory=dict)
    body: Any = None


ONE_ROUND = {"rounds": [{"table": f"{OWNER}:t1", "round_no": 1}]}
ELSEWHERE = {
    "table tables": Ask("nothing"),
    "table rounds": Ask("nothing", query={"round_id": f"r-{OWNER}:t1"}),
    "table disputes": Ask("nothing"),
    "table corrections": Ask("nothing"),
    "wallet receivables": Ask("nothing"),
    "wallet collect_a_receivable": Ask("unknown", body={}),
    "wallet write_a_receivable_off": Ask("unknown", body={"reason": "none of mine"}),
    "progressive questioned_prizes": Ask("nothing"),
    "settlement settled_rounds": Ask("nothing", body=ONE_ROUND),
    "settlement settled_rounds_of_a_day": Ask("nothing"),
    "settlement totals": Ask("nothing", query={"gaming_day": DAY}),
    "progressive prizes": Ask("nothing"),
    "wallet list_accounts": Ask("nothing", query={"limit": "200"}),
    "wallet postings": Ask("nothing", body=ONE_ROUND),
    "wallet list_webhooks": Ask("nothing", query={"limit": "200"}),
    "wallet list_operators": Ask("nothing", owner="*"),  # an operator is no property's
    "wallet tables_of_a_day": Ask("nothing"),
    "wallet totals_of_a_day": Ask("nothing"),
    "wallet rounds_of_a_day": Ask("nothing"),
    "wallet movements_of_a_day": Ask("unknown", query={"operator": OWNER}),
    "wallet movements_by_id": Ask("unknown", body={"operator": OWNER, "transaction_ids": [str(uuid.UUID(int=1))]}),
    "wallet close_gaming_day": Ask("unknown", body={"property": OWNER}),
    "wallet gaming_day_now": Ask("unknown", query={"property": OWNER}),
    "wallet undo_a_transfer": Ask("unknown", body={"reason": "none of mine"}),
    "wallet create_webhook": Ask(
        "unknown", body={"owner": OWNER, "url": "http://127.0.0.1:9/", "kinds": ["round.settled"]}
    ),
    "wallet webhook_now": Ask("unknown"),
    "wallet rotate_secret": Ask("unknown", body={}),
    "wallet end_webhook": Ask("unknown", body={}),
    "wallet send_test": Ask("unknown", body={}),
    "wallet list_deliveries": Ask("unknown"),
    "wallet redeliver_dead": Ask("unknown", body={}),
    "wallet redeliver_one": Ask("unknown", body={}),
    "ops floor_now": Ask("nothing"),
    "ops search_rounds": Ask("nothing", query={"day": DAY}),
    "ops every_network": Ask("nothing"),
    "ops things_of_a_kind": Ask("nothing"),
    "ops gaming_days": Ask("nothing"),
    "ops money_of_a_day": Ask("nothing", query={"by": "table"}),
    "ops accounts_by_name": Ask("nothing", query={"limit": "200"}),
    "ops live_changes": Ask("nothing"),
}
"""Operations whose path names nothing that belongs to somebody."""


def walked() -> dict[str, Operation]:
    """Every operation that needs a credential, by "service name"."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        access = Path(folder) / "access.toml"
        access.touch()
        for service in ("table", "settlement", "progressive", "wallet", "ops"):
            settings = getattr(import_module(f"pitstream.services.{service}.config"), f"{service.capitalize()}Settings")
            built = import_module(f"pitstream.services.{service}.app").build(
                settings(kafka="k", postgres="p", access=access)
            )
            found |= {f"{service} {one.name}": one for one in operations(built.app) if one.guard is not None}
    # The pages of the ops room are made from what its API says; who looks at them stands in each.
    return {
        name: one
        for name, one in found.items()
        if not name.startswith("ops ") or one.path.startswith(("/v1/", "/actions/"))
    }


OPERATIONS = walked()
EVERYWHERE = [name for name, one in OPERATIONS.items() if one.guard is not None and one.guard.everywhere]
BY_PATH = [name for name, one in OPERATIONS.items() if one.parameters & set(NAMED) and name not in EVERYWHERE]


def test_every_operation_is_covered():
    assert OPERATIONS.keys() - set(EVERYWHERE) - set(BY_PATH) - ELSEWHERE.keys() == set(), "say in ELSEWHERE how"
    assert ELSEWHERE.keys() - OPERATIONS.keys() == set()
    assert len(BY_PATH) > 50


@dataclass
class World:
    """The services, who calls them, and what ``acme.north`` has there, by the name that a path gives it."""

    addresses: Any
    keys: dict[str, str]
    named: dict[str, str]

    async def ask(
        self, key: str, method: str, service: str, path: str, query: Any = None, body: Any = None
    ) -> tuple[int, str]:
        """Status and text; without the name of this one answer."""
        headers = {"Authorization": f"Bearer {self.keys[key]}", "Idempotency-Key": str(uuid.uuid4())}
        async with (
            aiohttp.ClientSession(timeout=aiohttp.ClientTimeout(total=60)) as session,
            session.request(
                method, URL(self.addresses.of(service) + path, encoded=True), params=query, json=body, headers=headers
            ) as answer,
        ):
            streams = answer.content_type == "text/event-stream"
            text = (await answer.content.readany()).decode() if streams else await answer.text()
            return answer.status, re.sub(r"urn:pitstream:request:[0-9a-f]+", "…", text)

    async def has(self, service: str, path: str, body: Any, key: str = OWNER) -> Any:
        status, text = await self.ask(key, "POST", service, path, body=body)
        assert status < 300, (path, text)
        return json.loads(text)

    def path(self, one: Operation, **changed: str) -> str:
        path = one.path
        for name in one.parameters:
            path = path.replace(f"{{{name}}}", {**self.named, **changed}[name])
        return path


async def prepare(world: World) -> None:
    """A round of ``acme.north`` is played to a royal flush whose envy waits for a floorperson, another is corrected,
    and it has one of everything that platforms make."""
    async with asyncio.timeout(30):
        for service in ("table", "progressive", "wallet"):
            while (await world.ask(OWNER, "GET", service, "/v1/dead-letters"))[0] == 401:  # noqa: ASYNC110
                await asyncio.sleep(0.2)  # a service reads its access file again within a second
    player, table, network = f"{OWNER}:p1", f"{OWNER}:t1", f"{OWNER}:n1"
    money = f"/v1/players/{player}/USD"
    deposit = await world.has("wallet", f"{money}/deposits", {"amount": 1_000_000})
    hold = await world.has("wallet", f"{money}/holds", {"amount": 100, "purpose": "a show"})
    hook = {"owner": OWNER, "url": "http://127.0.0.1:9/", "kinds": ["round.settled"]}
    webhook = await world.has("wallet", "/v1/webhooks", hook)
    seamless = {"mode": "seamless", "currency": "USD", "base_url": "https://127.0.0.1:9", "key_ref": "env:NOBODYS"}
    await world.has("wallet", "/v1/operators/acmesea/connect", seamless, key="*")
    meter = {"meter": "main", "seed": 1_000_000, "amount": 1_000_000, "rate": "1/5"}
    await world.has("progressive", f"/v1/networks/{network}/open", {"currency": "USD", "meters": [meter]})
    paytables = {"ante": "A", "blind": "A", "play": "A", "trips": "B", "progressive": "sister-A"}
    terms = {"game": "ultimate_texas_holdem", "gaming_day": DAY, "currency": "USD", "paytables": paytables}
    await world.has("wallet", f"/v1/players/{OWNER}:p2/USD/deposits", {"amount": 1_000_000})
    for each in (table, f"{OWNER}:t2"):
        await play(world, each, {**terms, "network": network})

    async def first(service: str, path: str, what: str) -> Any:
        async with asyncio.timeout(60):
            while not (found := json.loads((await world.ask(OWNER, "GET", service, path))[1])[what]):  # noqa: ASYNC110
                await asyncio.sleep(0.1)
        return found[0]

    prize = await first("progressive", f"/v1/prizes?table={table}", "prizes")
    await correct_a_paid_round(world, f"{OWNER}:t2", player, first)
    dispute = {"text": "The river was another card."}
    await world.has("table", f"/v1/tables/{table}/rounds/1/disputes", dispute)
    delivery = await first("wallet", f"/v1/webhooks/{webhook['webhook_id']}/deliveries", "deliveries")
    world.named |= {
        "table": table,
        "network": network,
        "player": player,
        "account": f"player/{player}/USD",
        "operator": "acmesea",
        "round_no": "1",
        "currency": "USD",
        "gaming_day": DAY,
        "hold_id": hold["hold_id"],
        "transfer_id": deposit["transfer_id"],
        "webhook_id": webhook["webhook_id"],
        "delivery_id": delivery["delivery_id"],
        "prize_id": prize["prize_id"],
        "transaction_id": str(uuid.UUID(int=1)),
        "claim_id": str(uuid.UUID(int=2)),
        "proposal_id": str(uuid.UUID(int=3)),
        "slip": "s1",
        "number": "1",
        "kind": "prize",
        "receivable_id": str(uuid.UUID(int=4)),
    }
    await heard(world, table)


async def play(world: World, table: str, terms: Any) -> None:
    """A table opens and deals a round to a royal flush, with a neighbour who envies it."""
    async with asyncio.timeout(30):
        while (await world.ask(OWNER, "POST", "table", f"/v1/tables/{table}/open", body=terms))[0] == 503:  # noqa: ASYNC110
            await asyncio.sleep(0.2)  # the table service has yet to hear of the network
    await world.has("table", f"/v1/tables/{table}/rounds", {"round_id": f"r-{table}"})
    one_round = f"/v1/tables/{table}/rounds/1"

    async def plays(step: str, body: Any) -> None:
        view = await world.has("table", f"{one_round}/{step}", body)
        while view["waiting_for"]:
            after = {"after_version": view["version"], "wait_ms": 5_000}
            view = json.loads((await world.ask(OWNER, "GET", "table", one_round, query=after))[1])

    stakes = {"ante": 1000, "blind": 1000, "progressive": 500}
    await plays("wagers", {"seat": 1, "player": f"{OWNER}:p1", "stakes": stakes})
    await plays("wagers", {"seat": 2, "player": f"{OWNER}:p2", "stakes": stakes})
    hands = [{"seat": 1, "cards": ["Ah", "Kh"]}, {"seat": 2, "cards": ["4c", "5d"]}]
    await plays("deal", {"hands": hands, "dealer": ["2d", "3s"]})
    await plays("decisions", {"seat": 1, "choice": "4x"})
    await plays("decisions", {"seat": 2, "choice": "4x"})
    await plays("community", {"cards": ["Qh", "Jh", "Th"]})
    await plays("community", {"cards": ["2c", "3d"]})
    await plays("finish", {})


async def correct_a_paid_round(world: World, table: str, player: str, first: Any) -> None:
    """The king was a nine: the envy that was paid is questioned, and the player, who took everything home, owes."""
    envy = await first("progressive", f"/v1/prizes?table={table}", "prizes")
    await world.has("progressive", f"/v1/tables/{table}/prizes/{envy['prize_id']}/approve", {"document": "form 7"})
    await heard(world, table)
    account = f"/v1/players/{player}/USD"
    balance = json.loads((await world.ask(OWNER, "GET", "wallet", f"/v1/accounts/player/{player}/USD"))[1])
    await world.has("wallet", f"{account}/withdrawals", {"amount": balance["available"]})
    king = {"place": "seat", "seat": 1, "position": 2, "was": "Kh", "becomes": "9c"}
    corrections = f"/v1/tables/{table}/rounds/1/corrections"
    await world.has("table", corrections, {"facts": [{"card": king}], "reason": "camera 4"})
    await world.has("table", f"{corrections}/1/confirm", {}, key="*")
    await first("wallet", "/v1/receivables", "receivables")
    await first("progressive", "/v1/questioned-prizes", "prizes")


async def heard(world: World, table: str) -> None:
    """Wait until the ops room has heard of all of it."""
    async with asyncio.timeout(60):
        while True:
            status, told = await world.ask(OWNER, "GET", "ops", f"/v1/rounds/{table}/1")
            if status == 200 and json.loads(told)["posted_us"]:
                return
            await asyncio.sleep(0.2)


@pytest.fixture(scope="module")
def world(questioned: Any) -> World:
    """Everybody has every role, in scopes of their own."""
    keys = {who: new_key() for who in (OWNER, "*", *STRANGERS.values())}
    with (questioned.home / "access.toml").open("a") as file:
        for who, key in keys.items():
            file.write("\n" + entry_text(f"boss.{who}".replace("*", "all"), key, list(Role), [who]))
    made = World(questioned.addresses, keys, {})
    asyncio.run(prepare(made))
    return made


def about(one: Operation) -> str:
    """What of a path's names is asked for under a name that is nobody's."""
    return next(kind for kind in NAMED if kind in one.parameters)


@pytest.mark.parametrize("stranger", STRANGERS.values(), ids=STRANGERS)
async def test_what_a_path_names_is_not_there_for_a_stranger(world: World, stranger: str):
    """No body is sent that would do: what is out of scope is refused before anybody looks at it."""
    faults = []
    for name in BY_PATH:
        service, one = name.split()[0], OPERATIONS[name]
        body = None if one.method == "GET" else {}
        status, text = await world.ask(stranger, one.method, service, world.path(one), body=body)
        nobodys = world.named[about(one)].replace("acme", "acne")
        never = await world.ask(stranger, one.method, service, world.path(one, **{about(one): nobodys}), body=body)
        told = json.loads(text) if status == 404 else {}
        if not told.get("code", "").startswith("unknown_") or (status, text) != (
            never[0],
            never[1].replace("acne", "acme"),
        ):
            faults.append((name, status, text, never))
    assert not faults, "\n".join(map(str, faults))


async def test_what_is_out_of_scope_is_answered_as_what_was_never_there(world: World):
    """By those who see everything, of whom one asks for what is not there: they get the stranger's answer."""
    faults = []
    for name in BY_PATH:
        service, one = name.split()[0], OPERATIONS[name]
        if one.method != "GET":
            continue
        mine = await world.ask("*" if "operator" in one.parameters else OWNER, "GET", service, world.path(one))
        if mine[0] != 200 and not one.parameters & NOT_MADE and name not in NOBODY_PLAYS_THERE:
            faults.append((name, "its owner", *mine))
        nobodys = world.path(one, **{about(one): world.named[about(one)].replace("acme", "acne")})
        answers = [await world.ask(who, "GET", service, nobodys) for who in ("*", "zenith")]
        if answers[0] != answers[1] and name not in TOLD_OTHERWISE:
            faults.append((name, *answers))
    assert not faults, "\n".join(map(str, faults))


NOT_MADE = {"claim_id", "transaction_id", "proposal_id", "slip", "number"}
"""What the prepared evening does not have."""
NOBODY_PLAYS_THERE = {"wallet balance_there"}
TOLD_OTHERWISE = {
    "table dispute",
    "table dispute_events",
    "table correction_events",
    "table stakes_of_a_network",
    "progressive prize",
    "progressive prize_events",
    "wallet list_holds",
    "wallet hold_now",
    "wallet postings_of_a_network",
}
"""Lists of what may be there or not, which are empty for those who may see them, and parts of a thing, which are missed
before the thing is. A stranger is told that the whole is not there, and as the first test shows, the same if it is."""


@pytest.mark.parametrize("stranger", STRANGERS.values(), ids=STRANGERS)
async def test_what_no_path_names_is_left_out_for_a_stranger(world: World, stranger: str):
    faults = []
    for name, ask in ELSEWHERE.items():
        service, one = name.split()[0], OPERATIONS[name]
        asked = (one.method, service, world.path(one), ask.query, ask.body)
        status, text = await world.ask(stranger, *asked)
        if ask.then == "unknown":
            if status != 404 or not json.loads(text)["code"].startswith("unknown_"):
                faults.append((name, status, text))
            continue
        owners = await world.ask(ask.owner, *asked)
        if (status, owners[0]) != (200, 200) or "acme" in text or len(owners[1]) <= len(text):
            faults.append((name, status, text, owners))
    assert not faults, "\n".join(map(str, faults))


@pytest.mark.parametrize("stranger", [OWNER, *STRANGERS.values()])
async def test_what_is_everybodys_takes_a_credential_for_everything(world: World, stranger: str):
    faults = []
    for name in EVERYWHERE:
        one = OPERATIONS[name]
        path = one.path.replace("{dead_letter_id}", "1").replace("{currency}", "USD")
        status, text = await world.ask(stranger, one.method, name.split()[0], path, body={})
        if (status, json.loads(text)["code"]) != (403, "forbidden"):
            faults.append((name, status, text))
    assert not faults, "\n".join(map(str, faults))

"""Method: people at real browsers do what a pit's people do, while rounds are played: a floor is watched, a round is
walked through event by event, a hit is verified by one person and validated by another, a dispute is opened and
decided, a dead letter is tried again. What the page says is laid beside what the service that owns it says."""

import json
import re
import threading
import uuid
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import expect

from pitstream.runtime.principal import Role
from pitstream.services.ops.actions import ACTIONS
from pitstream.story.words import money, signed

pytestmark = [pytest.mark.stack, pytest.mark.browser]

DAY = "2025-10-05"
STUD = "raise-it-up-stud-pages"


def test_the_floor_and_a_felt_change_as_rounds_are_played(
    platform: Any, at_browser: Callable[..., Any], evening: Any, evening_small: list[str], on_day: Any
):
    lines = on_day(evening_small[16:26], "2025-10-06")
    tables = sorted({json.loads(line)["table"] for line in lines})
    with at_browser("floorperson") as guest, at_browser("dealer") as dealer:
        page, felt = guest.see("/"), dealer.see(f"/tables/{tables[0]}")
        before = {table: int(row(page, table, "round_no")) for table in tables}
        shown = felt.locator("ops-panel[src$=felt] .tag").inner_text()
        feed = threading.Thread(target=platform.feed, args=(lines, f"--network-suffix=-{uuid.uuid4().hex[:8]}"))
        feed.start()
        for table in tables:
            played = sum(json.loads(line)["table"] == table for line in lines)
            expect(cell(page, table, "round_no")).to_have_text(str(before[table] + played), timeout=240_000)
        feed.join()
        expect(felt.locator("ops-panel[src$=felt] .tag")).not_to_have_text(shown)
        assert (guest.faults, dealer.faults) == ([], [])


def test_the_slider_tells_every_event_of_a_round(at_browser: Callable[..., Any], evening: Any, owner: Any):
    events = owner("table").get("/v1/tables/uth-02/rounds/1/events")
    last = len(events)
    with at_browser("auditor") as guest:
        page = guest.see("/rounds/uth-02/1")
        stage = page.locator("[data-stage]")
        told = []
        for number in range(last, 0, -1):
            expect(stage).to_have_attribute("data-shows", str(number))
            told.append((page.locator("[data-at]").inner_text(), stage.locator(".caption .tag").inner_text()))
            page.keyboard.press("ArrowLeft")
        kinds = [event["type"].rpartition(".")[2] for event in events]
        assert [at for at, _ in told] == [f"{number} / {last}" for number in range(last, 0, -1)]
        assert [kind.replace(" ", "") for _, kind in told] == [kind.lower() for kind in reversed(kinds)]
        assert page.get_by_text("every hash chain holds").is_visible()
        assert guest.faults == []


def test_what_the_round_page_says_is_what_was_settled(at_browser: Callable[..., Any], evening: Any, owner: Any):
    settled = owner("settlement").get("/v1/rounds/uth-02/1")
    seats = settled["seats"]
    with at_browser("auditor") as guest:
        page = guest.see("/rounds/uth-02/1")
        lines = page.locator(".seat-told tbody tr")
        assert lines.count() == sum(len(seat["lines"]) + len(seat["awards"]) for seat in seats)
        text = page.locator("section[aria-label=Settlement]").inner_text()
        assert {line["rule"] for seat in seats for line in seat["lines"] if line["rule"] not in text} == set()


def test_figures_on_the_pages_are_the_owners_and_the_audit_s(
    platform: Any, at_browser: Callable[..., Any], evening: list[Any], owner: Any
):
    tables = sorted({record["table"] for record in evening})
    with at_browser("auditor") as guest:
        page = guest.see(f"/money?day={DAY}")
        for table in tables:
            counted = owner("wallet").get(f"/v1/tables/{table}/days/{DAY}/USD")["wagers"]
            handle = sum(one["handle"] for one in counted)
            win = sum(one["taken"] - one["paid"] for one in counted)
            shown = page.locator(f'tr[data-row="{table}"]')
            assert shown.locator("[data-figure=handle]").inner_text() == money(handle, "USD"), table
            assert shown.locator("[data-figure=win]").inner_text() == signed(win, "USD"), table
        for network in ("ultimate-texas-holdem-pages", STUD):
            page = guest.see(f"/progressives?network={network}")
            for meter in owner("progressive").get(f"/v1/networks/{network}")["meters"]:
                amount = page.locator(f'[data-meter="{meter["meter"]}"] [data-amount]')
                assert amount.inner_text() == money(meter["amount"], "USD"), network
        page = guest.see("/accounts/player/p001/USD")
        balance = owner("wallet").get("/v1/accounts/player/p001/USD")["balance"]
        assert page.locator("[data-figure=balance]").inner_text() == f"{money(balance, 'USD')} USD"
        assert guest.faults == []
    # And the owners' are what the audit makes of the events alone, every round of that day settled again.
    stores = {"PITSTREAM_POSTGRES": platform.stack.postgres}
    audited = platform.pitstream("audit", "--source", "store", "--day", DAY, "--json", environ=stores)
    assert audited.returncode == 0, audited.stdout + audited.stderr
    assert json.loads(audited.stdout)["rounds_settled_again"] == len(evening)


def test_a_hit_is_verified_by_one_person_and_validated_by_another(
    at_browser: Callable[..., Any], evening: Any, owner: Any
):
    [hit] = owner("progressive").get(f"/v1/networks/{STUD}/hits?status=locked")["hits"]
    with at_browser("dealer") as dealer, at_browser("floorperson") as floor, at_browser("auditor") as auditor:
        watching = auditor.see(f"/progressives?network={STUD}").locator(f'[data-hit="{hit["claim_id"]}"]')
        assert watching.locator("form").count() == 0
        for name in ("Validate", "Refuse"):
            assert dealer.see(f"/progressives?network={STUD}").get_by_role("button", name=name).count() == 0
        at_table = dealer.page.locator(f'[data-hit="{hit["claim_id"]}"]')
        assert at_table.locator(".amount").inner_text() == money(hit["amount"], "USD")
        at_table.get_by_label("The hand is the winning hand").check()
        at_table.get_by_label("The light shows").check()
        at_table.get_by_role("button", name="Verify").click()
        expect(watching.locator(".checks")).to_contain_text("checked by d.okafor", timeout=60_000)

        deciding = floor.see(f"/progressives?network={STUD}").locator(f'[data-hit="{hit["claim_id"]}"]')
        deciding.get_by_label("Document").fill("W-2G 4711")
        deciding.get_by_role("button", name="Validate").click()
        expect(watching.locator(".checks")).to_contain_text("paid by f.moreau", timeout=60_000)
        assert (dealer.faults, floor.faults, auditor.faults) == ([], [], [])
    [now] = [
        one
        for one in owner("progressive").get(f"/v1/networks/{STUD}/hits")["hits"]
        if one["claim_id"] == hit["claim_id"]
    ]
    assert (now["status"], now["verified_by"], now["decided_by"]) == ("paid", "d.okafor", "f.moreau")


def test_a_dispute_is_opened_on_the_round_and_decided(at_browser: Callable[..., Any], evening: Any, owner: Any):
    words = f"The river card was exposed early ({uuid.uuid4().hex[:6]})"
    with at_browser("floorperson") as guest, at_browser("auditor") as auditor:
        watching = auditor.see("/disputes")
        assert auditor.see("/rounds/uth-03/1").get_by_role("button", name="Open dispute").count() == 0
        watching = auditor.see("/disputes")
        page = guest.see("/rounds/uth-03/1")
        page.get_by_role("button", name="Open dispute").first.click()
        page.get_by_label("What is disputed").fill(words)
        page.get_by_role("dialog").get_by_role("button", name="Open dispute").click()
        expect(page.get_by_text("The dispute is open.")).to_be_visible()
        expect(page.locator("[data-dispute]", has_text=words)).to_contain_text("opened by f.moreau")
        opened = watching.locator("[data-dispute]", has_text=words)
        expect(opened).to_contain_text("opened by f.moreau", timeout=60_000)
        mine = guest.see("/disputes").locator("[data-dispute]", has_text=words)
        mine.get_by_label("Reason").fill("the camera shows it face down")
        mine.get_by_role("button", name="Deny").click()
        expect(opened).to_contain_text("Denied by f.moreau: the camera shows it face down", timeout=60_000)
        ruled = auditor.see("/rounds/uth-03/1").locator("[data-dispute]", has_text=words)
        assert "Denied by f.moreau: the camera shows it face down" in ruled.inner_text()
        assert (guest.faults, auditor.faults) == ([], [])


def test_a_dead_letter_is_looked_at_mended_and_tried_again(
    at_browser: Callable[..., Any], evening: Any, owner: Any, ask: Any
):
    """A network counts in a currency that the ledger has not been told of: its opening cannot be posted until it is."""
    network, currency = f"late-{uuid.uuid4().hex[:6]}", "CHQ"
    meters = [{"meter": "main", "seed": 1000, "amount": 1000, "rate": "1/5"}]
    ask("progressive", f"/v1/networks/{network}/open", {"currency": currency, "meters": meters})
    try:
        with at_browser("operations") as guest:
            page = guest.see("/condition")
            letter = page.locator("[data-letter^=wallet]", has_text=network)
            expect(letter).to_contain_text("unknown_currency", timeout=90_000)
            letter.get_by_role("button", name="Try again").click()
            expect(letter.locator("[data-told]")).to_contain_text("unknown_currency")
            letter.get_by_role("link", name="Look").click()
            expect(page.get_by_label("Bytes", exact=True)).to_contain_text(network[:6])
            page.wait_for_load_state()
            page.get_by_role("button", name="Try again").click()
            expect(page.locator("[data-told]")).to_contain_text("unknown_currency")
            ask("wallet", f"/v1/currencies/{currency}", {"scale": 0})
            page.get_by_role("button", name="Try again").click()
            expect(page.get_by_text("Applied.")).to_be_visible()
            expect(guest.see("/condition").locator("[data-letter^=wallet]", has_text=network)).to_have_count(0)
            # A refused try is an answer 422, which browsers tell on their console.
            assert [fault for fault in guest.faults if "422" not in fault] == []
    finally:
        take_in(ask, owner, network, currency)


def take_in(ask: Any, owner: Any, network: str, currency: str) -> None:
    """Leave no letter of the network behind, wherever the test ended."""
    ask("wallet", f"/v1/currencies/{currency}", {"scale": 0})
    waiting = owner("wallet").get("/v1/dead-letters?waiting=true&limit=1000")["dead_letters"]
    for letter in [one for one in waiting if network in (one["key"] or "")]:
        ask("wallet", f"/v1/dead-letters/{letter['id']}/retry", {})


FLOOR, AT_TABLE, RULING = {Role.FLOORPERSON}, {Role.DEALER, Role.FLOORPERSON}, {Role.FLOORPERSON, Role.AUDITOR}
NETWORK, ROUND = f"/actions/networks/{STUD}", "/actions/tables/uth-02/rounds/999999"
MAY = {
    f"{NETWORK}/hits/none/verify": AT_TABLE,
    f"{NETWORK}/hits/none/approve": FLOOR,
    f"{NETWORK}/hits/none/refuse": FLOOR,
    f"{NETWORK}/hits/none/release": AT_TABLE,
    f"{NETWORK}/proposals/none/approve": {Role.PROGRESSIVE},
    f"{NETWORK}/proposals/none/reject": {Role.PROGRESSIVE},
    f"{NETWORK}/proposals": {Role.PROGRESSIVE},
    f"{NETWORK}/questions/uth-02/999999": {Role.PROGRESSIVE},
    "/actions/tables/uth-02/prizes/none/approve": FLOOR,
    "/actions/tables/uth-02/prizes/none/refuse": FLOOR,
    f"{ROUND}/disputes": FLOOR,
    f"{ROUND}/disputes/99/statements": FLOOR,
    f"{ROUND}/disputes/99/decision": FLOOR,
    f"{ROUND}/corrections": RULING,
    f"{ROUND}/corrections/99/confirm": RULING,
    f"{ROUND}/corrections/99/decline": RULING,
    "/actions/operators/none/moves/none/resolve": {Role.CASHIER, Role.OPERATIONS},
    "/actions/services/wallet/dead-letters/999999/retry": {Role.OPERATIONS},
}
"""Action -> who may ask for it. What it is about is not there, so nothing is changed by who may."""
FIELDS = {"checks": "hand", "document": "W-2G 1", "reason": "a reason", "decision": "denied", "text": "words",
          "said_by": "p1", "resolution": "void"}  # fmt: skip


def test_every_action_that_there_is_is_asked_for_here():
    patterns = [re.compile("/actions" + re.sub(r"\{[a-z_]+\}", "[^/]+", action.path) + "$") for action in ACTIONS]
    assert [sum(bool(known.match(path)) for path in MAY) for known in patterns] == [1] * len(MAY)


@pytest.mark.parametrize("role", list(Role))
def test_each_role_does_what_it_may_and_no_other(at_browser: Callable[..., Any], evening: Any, role: Role):
    with at_browser(role) as guest:
        token = guest.see("/").locator("input[name=csrf_token]").first.get_attribute("value")
        said = {}
        for path, allowed in MAY.items():
            form = {"csrf_token": token, "command_id": str(uuid.uuid4()), **FIELDS}
            answer = guest.page.request.post(guest.address + path, form=form, headers={"Accept": "application/json"})
            said[path] = (answer.json()["code"] == "forbidden") if answer.status >= 400 else False
            assert role in allowed or answer.status == 403, path
        assert said == {path: role not in allowed for path, allowed in MAY.items()}
        unsigned = guest.page.request.post(guest.address + next(iter(MAY)), form={"command_id": "1"})
        assert (unsigned.status, unsigned.json()["code"]) == (403, "forged_request")


def row(page: Any, table: str, name: str) -> str:
    found: str = cell(page, table, name).inner_text() if cell(page, table, name).count() else "0"
    return found if found.isdecimal() else "0"


def cell(page: Any, table: str, name: str) -> Any:
    return page.locator(f'[data-table="{table}"] [data-f="{name}"]')

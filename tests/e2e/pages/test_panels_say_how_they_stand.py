"""Method: what stands between a page and its server is cut, slowed or answered wrongly, in a real Chromium; and a page
is shown amounts that no float holds."""

import json
import re
import threading
import uuid
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import Route, expect

pytestmark = [pytest.mark.stack, pytest.mark.browser]

BIG = 2**53 + 1
NO_DATA = re.compile(r"no data for \d+ s", re.IGNORECASE)


class _Silent(BaseHTTPRequestHandler):
    """A live stream that says one thing and then nothing, until whoever listens goes away."""

    def do_GET(self) -> None:  # the library's name
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.end_headers()
        self.wfile.write(b'event: heard\nid: 1-1\ndata: {"read_at_us": 1, "topics": {}}\n\n')
        self.wfile.flush()
        while self.connection.recv(1024) != b"":
            pass

    def log_message(self, *_: Any) -> None:
        """Nothing: the test says what matters."""


@pytest.fixture(scope="module")
def silent() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Silent)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/v1/live"
    server.shutdown()


def test_a_silent_stream_is_told_in_seconds(at_browser: Callable[..., Any], evening: Any, silent: str):
    with at_browser("floorperson") as guest:
        guest.page.route("**/v1/live", lambda route: route.continue_(url=silent))
        page = guest.see("/")
        floor = page.locator("section.floor")
        expect(page.locator("[data-pulse]")).to_have_text("Live")
        expect(floor).to_have_attribute("data-state", "fresh")
        expect(page.locator("[data-pulse]")).to_have_text(NO_DATA)
        expect(floor).to_have_attribute("data-state", "stale")
        expect(floor.locator(".age")).to_have_text(NO_DATA)
        assert floor.get_by_role("row").count() > 1, "what is known stays on the page"
        page = guest.see("/tables/uth-02")
        felt = page.locator("ops-panel[src$=felt]")
        expect(felt).to_have_attribute("data-state", "stale")
        expect(felt.locator(".age")).to_have_text(NO_DATA)
        assert felt.locator(".felt").is_visible(), "what is known stays on the page"
        assert guest.faults == []


def test_a_stream_that_breaks_off_is_told_and_taken_up_again(at_browser: Callable[..., Any], evening: Any):
    with at_browser("floorperson") as guest:
        guest.page.route("**/v1/live", lambda route: route.abort())
        page = guest.see("/")
        expect(page.locator("[data-pulse]")).to_have_text("Not connected: trying again")
        page.unroute("**/v1/live")
        expect(page.locator("[data-pulse]")).to_have_text("Live")


def test_a_panel_that_cannot_be_shown_says_why_and_is_asked_again(at_browser: Callable[..., Any], evening: Any):
    with at_browser("auditor") as guest:
        page = guest.page
        failing = True

        def answer(route: Route) -> None:
            if failing:
                route.fulfill(status=500, body="")
            else:
                route.continue_()

        page.route("**/condition/services*", answer)
        page.goto(guest.address + "/condition")
        panel = page.locator("ops-panel[aria-label=Services]")
        expect(panel).to_have_attribute("data-state", "error")
        expect(panel).to_contain_text("This cannot be shown just now")
        expect(panel).to_contain_text("the server answered 500")
        failing = False
        panel.get_by_role("button", name="Try again").click()
        expect(panel.locator("[data-service=wallet]")).to_be_visible()
        expect(panel).to_have_attribute("data-state", "fresh")


def test_a_panel_that_is_still_asked_for_says_so(at_browser: Callable[..., Any], evening: Any):
    with at_browser("auditor") as guest:
        page = guest.page
        held: list[Route] = []
        page.route("**/condition/services*", lambda route: held.append(route))
        page.goto(guest.address + "/condition")
        expect(page.get_by_label("Loading").first).to_be_visible()
        for route in held:
            route.continue_()
        expect(page.locator("ops-panel[aria-label=Services] table").first).to_be_visible()


def test_what_is_told_while_a_panel_is_on_its_way_is_asked_for_again(at_browser: Callable[..., Any], evening: Any):
    """The answer may be from before: it would have stood there until the next message, or for a minute."""
    with at_browser("auditor") as guest:
        page = guest.see("/disputes")
        panel = page.locator("ops-panel[aria-label=Disputes]")
        expect(panel).to_have_attribute("data-state", "fresh")
        held: list[Route] = []
        page.route("**/disputes/list*", lambda route: held.append(route))

        def asked_for() -> Route:
            while not held:
                page.wait_for_timeout(50)
            return held.pop()

        panel.evaluate("panel => panel.refresh()")
        before = asked_for()
        panel.evaluate("panel => { panel.refresh(); panel.refresh(); }")
        before.continue_()
        asked_for().continue_()
        expect(panel).not_to_have_attribute("aria-busy", "true")
        page.wait_for_timeout(1000)
        assert held == []


def test_what_somebody_began_to_say_stays_when_its_panel_is_renewed(
    at_browser: Callable[..., Any], evening: Any, ask: Any
):
    words = f"The deck was not cut ({uuid.uuid4().hex[:6]})"
    ask("table", "/v1/tables/uth-01/rounds/1/disputes", {"text": words})
    with at_browser("floorperson") as guest:
        page = guest.see("/disputes")
        dispute = page.locator("[data-dispute]", has_text=words)
        deciding = dispute.locator("form[action$=decision]")
        answers: list[tuple[int, dict[str, str]]] = [(503, {"code": "slow", "message": "not yet"}),
                                                     (422, {"code": "unclear", "message": "not so"})]  # fmt: skip
        asked = []

        def answer(route: Route) -> None:
            [command] = parse_qs(route.request.post_data or "")["command_id"]
            asked.append(command)
            if answers:
                status, body = answers.pop(0)
                route.fulfill(status=status, json=body)
            else:
                route.continue_()

        def renew() -> None:
            with page.expect_response("**/disputes/list"):
                page.locator("body").press("r")
            expect(page.locator("ops-panel[aria-busy]")).to_have_count(0)

        page.route("**/decision", answer)
        dispute.get_by_label("Who says it").fill("p001")
        deciding.get_by_label("Reason").fill("the camera shows the cut")
        for told in ("not yet (slow)", "not so (unclear)"):
            deciding.get_by_role("button", name="Deny").click()
            expect(deciding.locator("[data-told]")).to_have_text(told)
            renew()
            assert deciding.locator("[data-told]").inner_text() == told
            assert deciding.get_by_label("Reason").input_value() == "the camera shows the cut"
            assert dispute.get_by_label("Who says it").input_value() == "p001"
        deciding.get_by_role("button", name="Deny").click()
        expect(dispute).to_contain_text("Denied by f.moreau: the camera shows the cut")
        expect(dispute.locator("form")).to_have_count(0)
        assert asked[0] == asked[1], "what was not answered is asked again as the same command"
        assert asked[1] != asked[2], "what was refused and is asked again is another command"


def test_every_digit_of_an_amount_is_on_the_floor(at_browser: Callable[..., Any], evening: Any, owner: Any):
    [table, *_] = owner("ops").get("/v1/floor")["tables"]
    message = {"tables": [{**table, "table": "big-01", "handle": BIG, "win": -BIG}]}
    stream = f"event: floor\nid: 1-1\ndata: {json.dumps(message)}\n\n"
    with at_browser("floorperson") as guest:
        guest.page.route("**/v1/live", lambda route: route.fulfill(content_type="text/event-stream", body=stream))
        page = guest.see("/")
        row = page.locator('[data-table="big-01"]')
        expect(row.locator("[data-f=handle]")).to_have_text("90,071,992,547,409.93")
        expect(row.locator("[data-f=win]")).to_have_text("-90,071,992,547,409.93")
        expect(row.locator("[data-f=hold]")).to_have_text("-100.0")


def test_charts_are_saved_with_every_digit(at_browser: Callable[..., Any], evening: Any):
    with at_browser("auditor") as guest:
        page = guest.see("/progressives?network=ultimate-texas-holdem-pages")
        panel = page.locator("ops-panel", has=page.get_by_role("heading", name="Contributions over time"))
        expect(panel.locator("canvas").first).to_be_visible()
        with page.expect_download() as saved:
            panel.get_by_role("button", name="CSV").click()
        lines = saved.value.path().read_text().splitlines()
        cells = panel.locator("ops-chart > table tbody tr").evaluate_all(
            "rows => rows.map(row => [...row.cells].map(cell => cell.dataset.v).join(','))"
        )
        assert lines[1:] == cells
        assert len(cells) > 0
        with page.expect_download() as saved:
            panel.get_by_role("button", name="PNG").click()
        assert saved.value.path().read_bytes()[:8] == b"\x89PNG\r\n\x1a\n"
        assert guest.faults == []

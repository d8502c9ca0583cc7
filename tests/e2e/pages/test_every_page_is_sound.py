"""Method: every page of the ops room is opened in a real Chromium, with a live stream, dark and light, at a desk and on
a tablet, by people of every role. Nothing may be told on the browser's console, axe may find nothing serious, and who
may not see a page is told so."""

import re
from collections.abc import Callable
from typing import Any

import pytest

from pitstream.runtime.principal import Role
from pitstream.services.ops.frame import NAV

pytestmark = [pytest.mark.stack, pytest.mark.browser]

EVERYBODY = frozenset(Role)
COUNTING = frozenset({Role.FLOORPERSON, Role.CASHIER, Role.PLATFORM, Role.AUDITOR, Role.OPERATIONS})
ON_CALL = frozenset({Role.AUDITOR, Role.OPERATIONS})
TABLE, ROUND = "uth-02", "uth-02/1"
NETWORK = "ultimate-texas-holdem-pages"
PAGES = {
    "/": EVERYBODY,
    f"/tables/{TABLE}": EVERYBODY,
    f"/rounds/{ROUND}": EVERYBODY,
    f"/progressives?network={NETWORK}": EVERYBODY,
    f"/signs/{NETWORK}": EVERYBODY,
    "/money": COUNTING,
    "/money?by=wager": COUNTING,
    "/accounts": COUNTING,
    "/accounts/player/p001/USD": COUNTING,
    "/condition": ON_CALL,
    "/disputes": EVERYBODY,
    "/search": EVERYBODY,
    "/search?card=Ah&with_board=true": EVERYBODY,
}
OPERATIONS = frozenset({Role.OPERATIONS})
PARTS = {
    "/search?player=p001": EVERYBODY,
    f"/tables/{TABLE}/felt": EVERYBODY,
    f"/tables/{TABLE}/last-rounds": EVERYBODY,
    f"/tables/{TABLE}/figures": EVERYBODY,
    f"/tables/{TABLE}/open-hits": EVERYBODY,
    f"/rounds/{ROUND}/at/1": EVERYBODY,
    f"/rounds/{ROUND}/rulings": EVERYBODY,
    f"/rounds/{ROUND}/print": EVERYBODY,
    f"/progressives/hits?network={NETWORK}": EVERYBODY,
    "/money/day": COUNTING,
    "/money/uncertain": COUNTING,
    "/money/owed": COUNTING,
    "/condition/services": ON_CALL,
    "/condition/letters": ON_CALL,
    "/disputes/list": EVERYBODY,
    "/disputes/corrections": EVERYBODY,
    # There is none of that number, which only who may look at one is told.
    "/condition/wallet/dead-letters/999999": OPERATIONS,
}
"""Beside the pages, the addresses from which their panels are renewed, and pages that need something to show."""
LOOKS = [
    pytest.param({"color_scheme": "light"}, id="light, at a desk"),
    pytest.param({"color_scheme": "dark"}, id="dark, at a desk"),
    pytest.param({"color_scheme": "light", "viewport": {"width": 820, "height": 1180}}, id="light, on a tablet"),
]


@pytest.mark.parametrize("look", LOOKS)
def test_no_page_has_a_fault(at_browser: Callable[..., Any], evening: Any, look: dict[str, Any]):
    with at_browser("operations", **look) as guest:
        seen = {}
        for path in PAGES:
            page = guest.see(path)
            page.wait_for_selector("[data-pulse][data-state=live]")
            wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            seen[path] = (guest.axe(), wide)
        assert seen == dict.fromkeys(PAGES, ([], 0))
        assert guest.faults == []


@pytest.mark.parametrize("role", list(Role))
def test_each_role_sees_its_pages_and_no_other(at_browser: Callable[..., Any], evening: Any, role: Role):
    with at_browser(role) as guest:
        wanted = PAGES | PARTS
        found = {path: guest.get(path) for path in wanted}
        assert {
            path: status if "999999" not in path or status == 403 else 200 for path, (status, _) in found.items()
        } == {path: 200 if role in roles else 403 for path, roles in wanted.items()}
        for path, (status, text) in found.items():
            assert (status == 403) == ("forbidden" in text), path
        shown = guest.see("/").locator("nav a.to").all_inner_texts()
        assert [one.strip() for one in shown] == [one.label for one in NAV if role in one.roles]
        assert guest.faults == []


def test_every_page_that_there_is_is_asked_for_here(owner: Any):
    described = owner("ops").get("/openapi.json")["paths"]
    pages = {path for path, does in described.items() if "pages" in does.get("get", {}).get("tags", ())}
    patterns = {path: re.compile(re.sub(r"\{[a-z_]+\}", "[^/]+", path) + "$") for path in pages - {"/static/story.css"}}
    asked = [path.partition("?")[0] for path in PAGES | PARTS]
    assert {path for path, known in patterns.items() if not any(map(known.match, asked))} == {"/accounts/{account}"}
    assert any(path.startswith("/accounts/player/") for path in asked)


def test_nobody_sees_a_page_before_they_log_in_and_after_they_log_out(at_browser: Callable[..., Any], evening: Any):
    with at_browser("floorperson") as guest:
        page = guest.see(f"/tables/{TABLE}")
        page.get_by_role("button", name="Sign out").click()
        page.wait_for_url("**/login")
        for path in PAGES:
            assert guest.get(path)[0] == 303, path
        page.goto(guest.address + f"/tables/{TABLE}")
        page.get_by_label("Name").fill(guest.name)
        page.get_by_label("Password").fill("not the password")
        page.get_by_role("button", name="Sign in").click()
        page.get_by_text("Name or password is wrong.").wait_for()
        assert guest.axe() == []
        page.get_by_label("Name").fill(guest.name)
        page.get_by_label("Password").fill(guest.password)
        page.get_by_role("button", name="Sign in").click()
        page.wait_for_url(guest.address + f"/tables/{TABLE}")


def test_what_is_chosen_at_the_page_stays(at_browser: Callable[..., Any], evening: Any):
    with at_browser("floorperson") as guest:
        page = guest.see("/")
        ground = page.evaluate("getComputedStyle(document.documentElement).backgroundColor")
        page.keyboard.press("t")
        assert page.evaluate("getComputedStyle(document.documentElement).backgroundColor") != ground
        page.keyboard.press("c")
        page = guest.see(f"/rounds/{ROUND}")
        assert page.evaluate("({...document.documentElement.dataset}).theme") == "dark"
        assert page.evaluate("({...document.documentElement.dataset}).cards") == "four"
        diamond = page.locator(".card.suit-d").first
        assert diamond.evaluate("card => getComputedStyle(card).color") == "rgb(21, 87, 192)"
        page.keyboard.press("?")
        assert page.get_by_role("dialog", name="Keyboard shortcuts").is_visible()
        page.keyboard.press("Escape")
        page.keyboard.press("g")
        page.keyboard.press("p")
        page.wait_for_url("**/progressives")
        assert guest.faults == []

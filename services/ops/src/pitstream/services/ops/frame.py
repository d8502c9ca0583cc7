"""What every page has around it: navigation, theme, clock; and how templates write times, cards and amounts."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4
from zoneinfo import ZoneInfo

from fastapi import Request
from jinja2 import ChoiceLoader, Environment, pass_context
from jinja2.runtime import Context
from markupsafe import Markup

from pitstream.accounting.properties import Properties
from pitstream.runtime import Principal, Role
from pitstream.runtime.access import READERS
from pitstream.services.ops.api import HEALTH, MONEY
from pitstream.story.page import loader, teach
from pitstream.story.telling import View
from pitstream.story.words import card_name


@dataclass(frozen=True, slots=True)
class NavItem:
    """A page in the navigation."""

    name: str
    label: str
    href: str
    roles: frozenset[Role]
    everywhere: bool = False
    """Only for those whose scope is everything."""


@dataclass(frozen=True, slots=True)
class Frame:
    """What stands around a page. ``theme`` is empty until somebody chose one: the browser's is taken."""

    nav: tuple[NavItem, ...]
    theme: str
    cards: str
    """``four``: suits in four colours."""
    zone: str
    now_us: int

    @property
    def zone_words(self) -> str:
        """The property's zone as one says it: its city, and its name on this day.

        >>> Frame((), "", "two", "America/New_York", 1_790_000_000_000_000).zone_words
        'New York, EDT'
        """
        city = self.zone.rpartition("/")[2].replace("_", " ")
        short = local(self.now_us, self.zone).tzname() or ""
        return f"{city}, {short}" if short and short != city else city


NAV = (
    NavItem("floor", "Floor", "/", frozenset(READERS)),
    NavItem("progressives", "Progressives", "/progressives", frozenset(READERS)),
    NavItem("money", "Money", "/money", frozenset(MONEY)),
    NavItem("disputes", "Disputes", "/disputes", frozenset(READERS)),
    NavItem("health", "Health", "/condition", frozenset(HEALTH), everywhere=True),
    NavItem("search", "Search", "/search", frozenset(READERS)),
)
"""Every page of its own, with whom it is for; the same roles guard its route."""


def frame_of(request: Request) -> Frame:
    """The frame of whoever asks, with what their browser remembers."""
    who: Principal | None = request.scope.get("pitstream.principal")
    theme, cards = request.cookies.get("ops_theme", ""), request.cookies.get("ops_cards", "two")
    return Frame(
        nav=tuple(item for item in NAV if who and who.roles & item.roles and (who.sees_all or not item.everywhere)),
        theme=theme if theme in ("dark", "light") else "",
        cards=cards if cards in ("two", "four") else "two",
        zone=_zone(request, who),
        now_us=now_us(),
    )


def _zone(request: Request, who: Principal | None) -> str:
    """The time zone of whoever looks: of their one property or operator, else the default's."""
    properties: Properties = request.app.state.properties
    of = next(iter(who.scopes)) if who and len(who.scopes) == 1 else ""
    return properties.calendar_of(of).zone.key


def now_us() -> int:
    return int(datetime.now(UTC).timestamp() * 1_000_000)


def local(at_us: int, zone: str) -> datetime:
    """An instant by a property's clock.

    >>> local(1_790_000_000_000_000, "America/New_York").isoformat()
    '2026-09-21T10:13:20-04:00'
    """
    seconds, micros = divmod(at_us, 1_000_000)
    return datetime.fromtimestamp(seconds, ZoneInfo(zone)).replace(microsecond=micros)


def words(name: str) -> str:
    """A name of the contract as one reads it.

    >>> words("play_the_board"), words("3x"), words("RoundOpened")
    ('play the board', '3x', 'round opened')
    """
    return re.sub(r"(?<=[a-z])(?=[A-Z])", " ", name).replace("_", " ").lower()


def sentence(text: str) -> str:
    """With a capital at its beginning, and the rest as it is.

    >>> sentence("seat 3 is asked: check, 3x")
    'Seat 3 is asked: check, 3x'
    """
    return text[:1].upper() + text[1:]


_STANDING = {"betting": "Bets are being placed", "finished": "The round is finished", "voided": "The round is void"}


def standing(view: View) -> str:
    """What the table waits for, as one says it on the floor."""
    return _STANDING.get(view.stage) or sentence(view.waiting)


def tenths(permille: int | None) -> str:
    """Thousandths as percent: 123 is "12.3".

    >>> tenths(123), tenths(-5), tenths(None)
    ('12.3', '-0.5', '–')
    """
    if permille is None:
        return "–"
    whole, rest = divmod(abs(permille), 10)
    return f"{'-' if permille < 0 else ''}{whole}.{rest}"


def ratio(part: int, whole: int) -> str:
    """``part / whole`` in percent with one decimal, rounded half away from zero, without floats.

    >>> ratio(1, 8), ratio(-1, 3), ratio(5, 0)
    ('12.5', '-33.3', '–')
    """
    if whole == 0:
        return "–"
    permille = (abs(part) * 2000 + abs(whole)) // (abs(whole) * 2)
    return tenths(-permille if (part < 0) != (whole < 0) else permille)


def age(seconds: float) -> str:
    """A time that has passed, in one unit.

    >>> age(0.25), age(1.44), age(12), age(300), age(7200)
    ('250 ms', '1.4 s', '12 s', '5 min', '2 h')
    """
    if seconds < 1:
        return f"{round(seconds * 1000)} ms"
    if seconds < 10:
        return f"{seconds:.1f} s"
    for unit, size, limit in (("s", 1, 120), ("min", 60, 7200), ("h", 3600, 172_800)):
        if seconds < limit:
            return f"{round(seconds / size)} {unit}"
    return f"{round(seconds / 86_400)} days"


def clock(at_us: int, zone: str) -> str:
    """The time of day by a property's clock.

    >>> clock(1_790_000_000_000_000, "America/New_York")
    '10:13:20'
    """
    return f"{local(at_us, zone):%H:%M:%S}"


def clock_us(at_us: int, zone: str) -> str:
    """The time of day to the last digit.

    >>> clock_us(1_790_000_000_000_001, "America/New_York")
    '10:13:20.000001'
    """
    return f"{local(at_us, zone):%H:%M:%S.%f}"


def instant(at_us: int, zone: str) -> str:
    """Day and time by a property's clock, with the zone.

    >>> instant(1_790_000_000_000_000, "America/New_York")
    '2026-09-21 10:13:20 EDT'
    """
    return f"{local(at_us, zone):%Y-%m-%d %H:%M:%S %Z}"


def data(value: Any) -> Markup:
    """JSON inside of a page: every digit of an integer, and nothing that could end the script around it.

    >>> data({"win": 9007199254740993, "name": "</script>"})
    Markup('{"win":9007199254740993,"name":"\\\\u003c/script>"}')
    """
    text = json.dumps(value, separators=(",", ":"), ensure_ascii=False)
    return Markup(text.replace("<", "\\u003c").replace("\u2028", "\\u2028"))  # noqa: S704  # no tag can begin in it


@pass_context
def _when(context: Context, at_us: int) -> str:
    """Times of a told round by the clock of the page that tells it."""
    return instant(at_us, context["page"].zone)


def equip(environment: Environment) -> None:
    """Give the templates their words and figures, and the parts of a told round."""
    environment.loader = ChoiceLoader([found for found in (environment.loader, loader()) if found])
    teach(environment)
    environment.filters.update(
        age=age,
        card_name=card_name,
        clock=clock,
        clock_us=clock_us,
        data=data,
        instant=instant,
        sentence=sentence,
        standing=standing,
        tenths=tenths,
        when=_when,
        words=words,
    )
    icons: Any = environment.get_template("icons.html").module
    environment.globals.update(icon=icons.icon, ratio=ratio, new_id=lambda: str(uuid4()))

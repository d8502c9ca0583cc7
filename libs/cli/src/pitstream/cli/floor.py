"""A floor that plays rounds through the services: several tables side by side, each round command by command.

Every command's id is made from the round's gaming day, table and id and the command's place in the round. So a command
may be sent any number of times, by this run or by a later one, and happens once.
"""

import asyncio
import time
import uuid
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from pitstream.cli.client import Client, Json, RefusedError, UnreachableError
from pitstream.cli.plan import Entry, waits
from pitstream.cli.script import Script, Step
from pitstream.events.prizes import PrizePending
from pitstream.games.game import FinishedRound

_FEED = uuid.uuid5(uuid.NAMESPACE_DNS, "feed.pitstream")
_LONG_POLL_MS = 5_000
_PRIZE_PAUSE_S = 0.1


def command_id(*what: str) -> uuid.UUID:
    """The id of the command that does ``what``: the same in every run of a feed."""
    return uuid.uuid5(_FEED, "/".join(what))


@dataclass(frozen=True, slots=True)
class FeedRound:
    """One round to be played."""

    id: str
    table: str
    played: FinishedRound
    script: Script
    network: str | None
    takes_share: bool

    def command_id(self, step: str) -> uuid.UUID:
        return command_id(self.played.gaming_day, self.table, self.id, step)

    @property
    def opening(self) -> dict[str, Any]:
        """How its table must be open."""
        opening = {
            "game": self.played.game,
            "gaming_day": self.played.gaming_day,
            "currency": self.played.currency,
            "paytables": dict(self.played.paytables),
            "policies": {},
        }
        return opening if self.network is None else {**opening, "network": self.network}


@dataclass(frozen=True, slots=True)
class Network:
    """A progressive network to be opened. ``meters``: as its HTTP API wants them."""

    network: str
    currency: str
    meters: tuple[Mapping[str, Any], ...]


@dataclass(slots=True)
class _Course:
    """How far one round came. ``ended`` is set when nothing more will be sent for it."""

    round_no: int | None = None
    fault: str | None = None
    closes: bool = False
    """It was finished or declared void, so that its network will close it."""
    ended: asyncio.Event = field(default_factory=asyncio.Event)


@dataclass(frozen=True, slots=True)
class Played:
    """A round that was played to its end."""

    round: FeedRound
    round_no: int


class Floor:
    """Plays rounds; ``faults`` collects what could not be played, one sentence each."""

    def __init__(
        self,
        client: Client,
        *,
        tables_at_once: int,
        patience_s: float,
        report: Callable[[], None],
        rounds_per_s: float = 0.0,
    ) -> None:
        """``rounds_per_s``: the pace at which rounds begin, all tables together; 0 as soon as each may."""
        self._client = client
        self._slots = asyncio.Semaphore(tables_at_once)
        self._every_s = 1 / rounds_per_s if rounds_per_s else 0.0
        self._patience_s = patience_s
        self._report = report
        self._closed: dict[tuple[str, str], int] = {}
        self.faults: list[str] = []

    async def open_networks(self, networks: Sequence[Network]) -> None:
        """Open each network that is not open yet."""
        for one in networks:
            body = {"currency": one.currency, "meters": list(one.meters)}
            identity = command_id("network", one.network, repr(body))
            path = f"/v1/networks/{one.network}/open"
            await self._unless("network_already_open", "progressive", path, body, identity, by="progressive")

    async def deposit(self, needs: Mapping[tuple[str, str], int], feed: str) -> None:
        """Give each (player, currency) the money it needs for the whole feed, once a ``feed``; but for players whose
        operator keeps their money: they have it there, or have none."""
        slots = asyncio.Semaphore(8)

        async def one(player: str, currency: str, amount: int) -> None:
            async with slots:
                identity = command_id("deposit", feed, player, currency, str(amount))
                path = f"/v1/players/{player}/{currency}/deposits"
                await self._unless("operator_keeps_money", "wallet", path, {"amount": amount}, identity, by="cashier")

        await asyncio.gather(*(one(*account, amount) for account, amount in needs.items()))

    async def play(self, rounds: Sequence[FeedRound]) -> list[Played]:
        """Play all rounds; those that came to their end, in the order given.

        Raises UnreachableError when a service stays away for longer than our patience.
        """
        plan = waits([Entry(one.table, one.network, one.takes_share) for one in rounds])
        courses = [_Course() for _ in rounds]
        tables: dict[str, list[int]] = {}
        for index, one in enumerate(rounds):
            tables.setdefault(one.table, []).append(index)

        began = time.monotonic()

        async def table(indices: Sequence[int]) -> None:
            opening: dict[str, Any] | None = None
            for index in indices:
                await asyncio.sleep(began + index * self._every_s - time.monotonic())
                one, course = rounds[index], courses[index]
                await self._closing([rounds[i] for i in plan[index]], [courses[i] for i in plan[index]])
                try:
                    async with self._slots:
                        if one.opening != opening:
                            await self._open_table(one)
                            opening = one.opening
                        await self._play_round(one, course)
                        if one.takes_share:
                            await self._closing([one], [course], ended=True)
                            await self.pay_hits({(one.table, course.round_no)}, one.network)
                except RefusedError as refused:
                    course.fault = str(refused)
                    self.faults.append(f"{one.id}: {refused}")
                    await self._abandon(one, course)
                finally:
                    course.ended.set()
                self._report()

        try:
            async with asyncio.TaskGroup() as group:
                for indices in tables.values():
                    group.create_task(table(indices))
        except* UnreachableError as unreachable:
            raise unreachable.exceptions[0] from None
        return [
            Played(one, course.round_no)
            for one, course in zip(rounds, courses, strict=True)
            if course.round_no is not None and course.fault is None
        ]

    async def pay_hits(self, rounds: Collection[tuple[str, int | None]], network: str | None) -> None:
        """The hits of these rounds that are not over go their way: the dealer verifies, the floorperson validates, and
        the cards are released."""
        pages = self._client.pages("progressive", f"/v1/networks/{network}/hits", "hits", status="open")
        for hit in [hit async for page in pages for hit in page]:
            if (hit["table"], hit["round_no"]) in rounds:
                claim, path = hit["claim_id"], f"/v1/networks/{network}/hits/{hit['claim_id']}"
                steps: dict[str, tuple[str, dict[str, Any], str, tuple[str, ...]]] = {
                    "verify": ("dealer", {"checks": ["hand", "light"]}, "hit_already_verified", ("locked",)),
                    "approve": (
                        "floorperson",
                        {"document": f"feed {claim}"},
                        "hit_already_paid",
                        ("locked", "verified"),
                    ),
                    "release": ("dealer", {}, "cards_already_released", ("locked", "verified", "paid", "refused")),
                }
                for step, (by, body, done, due) in steps.items():
                    if hit["status"] in due:
                        identity = command_id(step, claim)
                        await self._unless(done, "progressive", f"{path}/{step}", body, identity, by=by)

    async def approve_prizes(self, prizes: Sequence[PrizePending]) -> list[PrizePending]:
        """The scripted floorperson validates these prizes; those that are paid, refused by nobody before.

        Raises UnreachableError when the progressive service has not heard of one within our patience.
        """
        slots = asyncio.Semaphore(8)

        async def one(prize: PrizePending) -> bool:
            path = f"/v1/tables/{prize.table}/prizes/{prize.prize_id}"
            async with slots:
                # Asked for first: an answer to a command, "unknown" too, is the answer for ever.
                if (await self._prize(path))["status"] == "pending":
                    body, identity = {"document": f"feed {prize.prize_id}"}, command_id("approve-prize", prize.prize_id)
                    post = (f"{path}/approve", body, identity)
                    await self._unless("prize_already_decided", "progressive", *post, by="floorperson")
                return bool((await self._prize(path))["status"] == "approved")

        paid = await asyncio.gather(*map(one, prizes))
        return [prize for prize, is_paid in zip(prizes, paid, strict=True) if is_paid]

    async def _prize(self, path: str) -> Json:
        deadline = time.monotonic() + self._patience_s
        while True:
            try:
                return await self._client.get("progressive", path)
            except RefusedError as refused:
                if refused.status != 404:
                    raise
            if time.monotonic() > deadline:
                raise UnreachableError(f"{path}: the progressive service has not heard of it in {self._patience_s:g} s")
            await asyncio.sleep(_PRIZE_PAUSE_S)

    async def _open_table(self, one: FeedRound) -> None:
        """Close what may be open at the table and open it as the round wants it; both happen once in every run."""
        table = f"/v1/tables/{one.table}"
        closing = {"reason": "next opening"}
        await self._unless(
            "table_not_open", "table", f"{table}/close", closing, one.command_id("close-table"), by="dealer"
        )
        identity = one.command_id("open-table")
        await self._client.command("table", f"{table}/open", one.opening, command_id=identity, by="dealer")

    async def _play_round(self, one: FeedRound, course: _Course) -> None:
        rounds = f"/v1/tables/{one.table}/rounds"
        opening = {"round_id": one.id, "options": dict(one.played.options)}
        opened = await self._client.command("table", rounds, opening, command_id=one.command_id("open"), by="dealer")
        course.round_no = opened["round_no"]
        for term in ("game", "gaming_day", "currency"):
            if opened[term] != one.opening[term]:
                # Another terminal opened the table anew: this round is not the record's.
                raise RefusedError(
                    rounds, 409, "table_differs", term, f"was {opened[term]}; the record has {one.opening[term]}"
                )
        path = f"{rounds}/{course.round_no}"
        for steps in one.script.groups:
            view = await self._side_by_side(one, path, steps)
            deadline = time.monotonic() + self._patience_s
            while view["waiting_for"]:
                if time.monotonic() > deadline:
                    seats = ", ".join(str(waiting["seat"]) for waiting in view["waiting_for"])
                    raise UnreachableError(
                        f"{path}: the wallet has not answered seat {seats} in {self._patience_s:g} s"
                    )
                view = await self._client.get("table", path, after_version=view["version"], wait_ms=_LONG_POLL_MS)
        course.closes = True

    async def _side_by_side(self, one: FeedRound, path: str, steps: Sequence[Step]) -> Json:
        """Send the steps together; the newest view of the round that an answer held."""

        async def send(step: Step) -> Json:
            return await self._client.command(
                "table", f"{path}/{step.path}", step.body, command_id=one.command_id(step.name), by=step.by
            )

        answers = await asyncio.gather(*map(send, steps), return_exceptions=True)
        views: list[Json] = []
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
            views.append(answer)
        return max(views, key=lambda view: int(view["version"]))

    async def _abandon(self, one: FeedRound, course: _Course) -> None:
        """A round that cannot be played on is declared void, so that the table is free for the next one."""
        if course.round_no is None:
            return
        reason = f"the feed could not play on: {course.fault}"[:2000]
        body = {"reason": reason}
        path = f"/v1/tables/{one.table}/rounds/{course.round_no}/void"
        try:
            await self._client.command("table", path, body, command_id=one.command_id("abandon"), by="floorperson")
        except RefusedError:
            return  # it was closed before: by this round's own play in an earlier run
        course.closes = True

    async def _closing(self, rounds: Sequence[FeedRound], courses: Sequence[_Course], *, ended: bool = False) -> None:
        """Wait until these rounds of one network are closed there: their contributions and shares are fixed."""
        if not ended:
            await asyncio.gather(*(course.ended.wait() for course in courses))
        wanted: dict[str, int] = {}
        network = ""
        for one, course in zip(rounds, courses, strict=True):
            if course.closes and course.round_no is not None and one.network is not None:
                network = one.network
                wanted[one.table] = max(wanted.get(one.table, 0), course.round_no)
        await self.closed(network, wanted)

    async def closed(self, network: str, wanted: Mapping[str, int]) -> None:
        """Wait until the network has closed each table's round of that number.

        Raises UnreachableError when that takes longer than our patience.
        """
        version, deadline = 0, time.monotonic() + self._patience_s
        while missing := {t: no for t, no in wanted.items() if self._closed.get((network, t), 0) < no}:
            if time.monotonic() > deadline:
                rounds = ", ".join(f"{table}/{no}" for table, no in missing.items())
                raise UnreachableError(f"network {network} has not closed {rounds} in {self._patience_s:g} s")
            view = await self._client.get(
                "progressive", f"/v1/networks/{network}", after_version=version, wait_ms=1000 if version else 0
            )
            version = view["version"]
            for table, no in view["closed_rounds"].items():
                self._closed[network, table] = max(no, self._closed.get((network, table), 0))

    async def _unless(
        self, code: str, service: str, path: str, body: Mapping[str, Any], identity: uuid.UUID, *, by: str
    ) -> None:
        """Carry a command out, unless it is refused because that was done before."""
        try:
            await self._client.command(service, path, body, command_id=identity, by=by)
        except RefusedError as refused:
            if refused.code != code:
                raise

"""Topic ``rounds.v1``: each round's events follow one another, and what it came to is derived with what it recorded."""

from dataclasses import dataclass, field

from pitstream.archive import Source, Stored
from pitstream.audit.findings import found
from pitstream.audit.part import SETTLEMENT, Part
from pitstream.audit.scope import Scope
from pitstream.events import Event, Recorded, event_id_text, ids
from pitstream.events.disputes import RoundCorrected
from pitstream.events.rounds import (
    BettingClosed,
    RoundFinished,
    RoundOpened,
    RoundVoided,
    TableOpened,
    WagerCount,
    WagersPlaced,
    WagersStood,
    WagersWithdrawn,
)
from pitstream.events.settlements import RoundResettled
from pitstream.games.network import FEEDING_WAGER
from pitstream.games.paytables import Paytables
from pitstream.games.round import ImpossibleEventError, NoRound, Round, evolve, evolve_stored
from pitstream.services.settlement.settling import InForce, UnsettleableError, resettle, settle_stream


@dataclass(slots=True)
class _Table:
    """A table: the round under way, and where the last one ended. ``number`` is 0 before the first."""

    terms: TableOpened | None = None
    number: int = 0
    closing_hash: bytes = b""
    events: list[Recorded] = field(default_factory=list)
    """Of the round under way; none when none is, or when it makes no sense any more."""
    state: Round = field(default_factory=NoRound)
    placed: dict[tuple[int, int], WagersPlaced] = field(default_factory=dict)
    """By seat and bundle: wagers that were put down in the round under way."""
    standing: dict[tuple[int, int], WagersPlaced] = field(default_factory=dict)
    """Those of them that stand."""
    feeding: tuple[Stored, str, int] | None = None
    """What stands on the network's wager since betting closed, until it is known whether the round is void: the event
    that says so, the network's name of the round, minor units."""
    broken: str = ""
    """The stream in which an event could not follow: what comes after it says nothing more."""


class Rounds:
    """``see`` every event of the topic; memory holds one round a table."""

    def __init__(self, part: Part, source: Source, paytables: Paytables, scope: Scope) -> None:
        self._part = part
        self._source = source
        self._paytables = paytables
        self._scope = scope
        self._tables: dict[str, _Table] = {}

    async def see(self, stored: Stored, recorded: Recorded) -> None:
        """The next event of its key."""
        event, table = recorded.event, self._tables.setdefault(stored.key, _Table())
        if isinstance(event, TableOpened):
            table.terms = event
        elif isinstance(event, RoundCorrected):
            await self._corrected(stored, event)
        if not recorded.stream.startswith("round/"):
            return
        if isinstance(event, RoundOpened):
            self._opened(stored, event, table)
        elif not table.events or table.events[0].stream != recorded.stream:
            if recorded.stream != table.broken:
                message = "its round is not under way: another one is, or it was closed"
                self._part.report(found("round", stored, message), stored.recorded_at_us)
            return
        self._goes_on(stored, recorded, table)

    def end(self) -> None:
        """There are no more events: rounds under way owe what they owe so far."""
        for table in self._tables.values():
            self._feeds(table, void=False)

    def _feeds(self, table: _Table, *, void: bool) -> None:
        """What was counted at the table feeds its network once. A void round may: a network that hears of the void
        before the wagers, which come by another topic, has nothing to take in and to give back."""
        if table.feeding is not None:
            by, name, stakes = table.feeding
            self._part.owe("stakes", name, by.key, by, {"stakes": stakes}, may=void)
            table.feeding = None

    def _opened(self, stored: Stored, event: RoundOpened, table: _Table) -> None:
        where = stored.recorded_at_us
        self._feeds(table, void=False)
        if table.events:
            last = table.events[-1]
            message = f"is missing: round {event.round_no} begins, and this one ends with version {last.version}"
            event_id = event_id_text(last.stream, last.version + 1)
            gone = stored._replace(stream=last.stream, version=last.version + 1, event_id=event_id)
            self._part.report(found("round", gone, message), where)
        if event.round_no != table.number + 1:
            message = "round_no is not the one after the table's last round"
            self._part.report(found("round", stored, message, event.round_no, table.number + 1), where)
        elif event.previous_round_hash != table.closing_hash:
            message = "previous_round_hash is not the hash that closed the table's last round"
            recorded, right = event.previous_round_hash.hex(), table.closing_hash.hex()
            self._part.report(found("round", stored, message, recorded, right), where)
        if table.terms is not None:
            for name in ("game", "gaming_day", "currency", "network", "paytables"):
                told, terms = getattr(event, name), getattr(table.terms, name)
                if told != terms:
                    self._part.report(found("round", stored, f"{name} is not the table's", told, terms), where)
        table.events, table.state, table.number = [], NoRound(), event.round_no
        table.placed, table.standing = {}, {}

    def _goes_on(self, stored: Stored, recorded: Recorded, table: _Table) -> None:
        event = recorded.event
        try:
            table.state = evolve(table.state, event)
        except (ImpossibleEventError, TypeError, ValueError, KeyError) as error:
            self._part.report(found("round", stored, f"cannot follow: {error}"), stored.recorded_at_us)
            table.events, table.broken = [], recorded.stream
            return
        table.events.append(recorded)
        self._counts(stored, event, table)
        opened = table.events[0].event
        if not isinstance(opened, RoundOpened):
            raise TypeError(f"{table.events[0].stream}: begins with {opened.type_name}")
        table.closing_hash = recorded.hash
        if not self._scope.has(opened.table, opened.gaming_day):
            if isinstance(event, RoundFinished | RoundVoided):
                table.events = []
            return
        self._owes(stored, event, opened, table)
        if isinstance(event, RoundFinished | RoundVoided):
            self._feeds(table, void=isinstance(event, RoundVoided))
            self._closed(stored, table, opened)
            table.events = []

    def _counts(self, stored: Stored, event: Event, table: _Table) -> None:
        """What stands on each wager when betting closes is what was put down and stands."""
        match event:
            case WagersPlaced():
                table.placed[event.seat, event.bundle] = event
            case WagersStood() if (event.seat, event.bundle) in table.placed:
                table.standing[event.seat, event.bundle] = table.placed[event.seat, event.bundle]
            case WagersWithdrawn():
                for place in [one for one in table.standing if one[0] == event.seat]:
                    del table.standing[place]
            case BettingClosed():
                stakes = [stake for placed in table.standing.values() for stake in placed.stakes]
                right = {
                    wager: [sum(one.wager == wager for one in stakes), sum(s.stake for s in stakes if s.wager == wager)]
                    for wager in sorted({stake.wager for stake in stakes})
                }
                told = {count.wager: [count.count, count.total] for count in sorted(event.wagers, key=_wager)}
                if {wager: both for wager, both in told.items() if both != [0, 0]} != right:
                    message = "what is counted is not what stands"
                    self._part.report(found("round", stored, message, told, right), stored.recorded_at_us)

    def _owes(self, stored: Stored, event: Event, opened: RoundOpened, table: _Table) -> None:
        match event:
            case WagersPlaced():
                content = {
                    "account": ids.player_account(event.player, event.currency),
                    "amount": sum(stake.stake for stake in event.stakes),
                }
                hold_id = ids.hold_id(event.table, event.round_no, event.seat, event.bundle)
                self._part.owe("hold", hold_id, event.table, stored, content)
            case BettingClosed(network=str(network)):
                stakes = sum(count.total for count in event.wagers if count.wager == FEEDING_WAGER)
                if stakes:
                    table.feeding = stored, f"{network}/{opened.table}/{opened.round_no}", stakes

    def _closed(self, stored: Stored, table: _Table, opened: RoundOpened) -> None:
        last = table.events[-1].envelope
        # A history is read from its bytes, far quicker and unchecked: that must come to what was checked here.
        if evolve_stored(recorded.data for recorded in table.events) != table.state:
            self._part.report(
                found("round", stored, "its bytes make another round than its events"), stored.recorded_at_us
            )
        try:
            settled = settle_stream(table.events, self._paytables)
        except (UnsettleableError, ImpossibleEventError, ValueError) as error:
            self._part.report(found(SETTLEMENT, stored, f"cannot be settled again: {error}"), stored.recorded_at_us)
            return
        self._part.count("rounds settled again")
        content = {"event": settled.model_dump(mode="json"), "cause": last.event_id, "actor": last.actor}
        self._part.owe(SETTLEMENT, f"{opened.table}/{opened.round_no}", opened.table, stored, content)

    async def _corrected(self, stored: Stored, corrected: RoundCorrected) -> None:
        """The settlement that takes the place of the one before: made again from what stood there then."""
        if not self._scope.has(corrected.table, corrected.gaming_day):
            return
        name = f"{corrected.table}/{corrected.round_no}"
        stream = await self._source.stream(
            "settlements.v1", corrected.table, ids.settlement_stream(corrected.table, corrected.round_no)
        )
        before = []
        for one in stream:
            opened = one.opened()
            if isinstance(opened.event, RoundResettled) and opened.event.correction >= corrected.number:
                break
            before.append(opened)
        try:
            resettled = resettle(corrected, stored.event_id, InForce.of(before), self._paytables)
        except (UnsettleableError, ValueError) as error:
            self._part.report(found("correction", stored, f"cannot be settled again: {error}"), stored.recorded_at_us)
            return
        content = {"event": resettled.model_dump(mode="json"), "cause": stored.event_id}
        self._part.owe("correction", f"{name}/{corrected.number}", corrected.table, stored, content)


def _wager(count: WagerCount) -> str:
    return count.wager

"""A round that was played, with its settlement, as a history."""

from round_play import Table

from pitstream.events import Event, Recorded, open_envelope, seal
from pitstream.events.settlements import RoundSettled
from pitstream.games.round import Finished, Voided, finished_round
from pitstream.games.settlement import RULES_VERSION, settle
from pitstream.story.history import History


def sealed(stream: str, events: list[Event], first_us: int = 0) -> tuple[Recorded, ...]:
    recorded: list[Recorded] = []
    for version, event in enumerate(events, start=1):
        data = seal(
            event,
            stream=stream,
            version=version,
            source="s",
            key="k",
            key_sequence=version,
            recorded_at_us=1_746_230_400_000_000 + first_us + version * 250_000,
            cause_id="c",
            actor="d.okafor",
            traceparent="",
            previous_hash=recorded[-1].hash if recorded else b"",
        )
        recorded.append(open_envelope(data))
    return tuple(recorded)


def history(table: Table, **further: tuple[Recorded, ...]) -> History:
    """Round 1 of table t1, settled where it is closed; ``further`` streams beside it."""
    of_round = sealed("round/t1/1", table.events)
    settlement: tuple[Recorded, ...] = ()
    if isinstance(table.state, Finished | Voided):
        finished = finished_round(table.state)
        result = settle(finished)
        settled = RoundSettled(
            table="t1",
            round_no=1,
            round_id="r1",
            game=finished.game,
            gaming_day=finished.gaming_day,
            currency="USD",
            void=finished.void is not None,
            seats=result.seats,
            order=result.order,
            network="n1",
            rules_version=RULES_VERSION,
            closed_by="c",
        )
        settlement = sealed("settlement/t1/1", [settled], 60_000_000)
    streams = (of_round, settlement, *further.values())
    return History(round=of_round, settlement=settlement, chained=sum(map(len, streams)), **further)

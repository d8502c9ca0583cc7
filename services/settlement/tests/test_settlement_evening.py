"""Whole evenings, played as events and settled, against the totals of an independent settlement."""

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from pitstream.events import Event, Recorded
from pitstream.games.totals import WagerTotal, add_up
from pitstream.services.settlement.settling import settle_stream

DEMO = Path(__file__).parents[3] / "demo"


@pytest.mark.parametrize("evening", ["evening-small", "evening-uth"])
def test_an_evening_comes_to_the_expected_totals(
    evening: str, events_of: Callable[..., list[Event]], sealed: Callable[..., list[Recorded]]
) -> None:
    totals: dict[str, dict[str, WagerTotal]] = {}
    with (DEMO / f"{evening}.jsonl").open(encoding="utf-8") as feed:
        for round_no, line in enumerate(feed, start=1):
            record: dict[str, Any] = json.loads(line)
            stream = sealed(events_of(record, round_no), table=record["table"], round_no=round_no)
            settled = settle_stream(stream)
            game = totals.setdefault(settled.game, {})
            add_up(settled.game, settled.seats, game)
            for seat in settled.seats:
                for won in seat.lines:
                    if won.share is not None:
                        # The claim's amount is the meter's to say: the record tells what it stood at.
                        game[won.wager].won += record["meters"][won.share.meter] * won.share.percent // 100
    expected = json.loads((DEMO / f"{evening}.expected.json").read_text(encoding="utf-8"))["totals"]
    assert {
        game: {wager: asdict(total) for wager, total in wagers.items()} for game, wagers in totals.items()
    } == expected

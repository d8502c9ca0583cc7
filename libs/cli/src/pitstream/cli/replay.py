"""``pitstream replay``: a round told from its events, their bytes and their hash chains alone."""

import asyncio
import time
from collections.abc import Iterator
from json import dumps
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from pitstream.cli import platform
from pitstream.cli.addresses import Addresses
from pitstream.cli.client import Client
from pitstream.cli.gather import ServiceStreams, SourceStreams, gather
from pitstream.cli.options import WRONG, DataDir, Json, Name, Patience, UnusableError, plainly
from pitstream.cli.story import step_text, tell
from pitstream.events import Recorded
from pitstream.story.history import History, UntoldError, nets, record_from
from pitstream.story.telling import Step
from pitstream.story.telling import tell as telling_of

PAUSE_MAX_S = 600.0
"""A pause of the round is never waited for longer than this, whatever the speed."""


def replay(
    round: Annotated[str, typer.Argument(help="table/round_no, or the id of its round record.")],  # noqa: A002
    record: Annotated[bool, typer.Option("--record", help="Print the round record that these events make.")] = False,
    at: Annotated[int | None, typer.Option(help="Stop after this event of the round, from 1.", min=1)] = None,
    watch: Annotated[bool, typer.Option("--watch", help="Tell it at the pace at which it was played.")] = False,
    speed: Annotated[float, typer.Option(help="With --watch: how many times faster.", min=0.01, max=10_000)] = 1.0,
    html: Annotated[
        Path | None, typer.Option(help="Write it as one self-contained page that prints; `-` writes it to the output.")
    ] = None,
    state_hash: Annotated[bool, typer.Option("--hash", help="Print the hash of the round's state alone.")] = False,
    source: Annotated[
        str | None,
        typer.Option(help="Read it from `store`, `kafka`, or an archive's folder alone, and ask no service."),
    ] = None,
    patience: Patience = 10,
    name: Name = "default",
    data_dir: DataDir = None,
    json: Json = False,
) -> None:
    """Tell a round from its events alone: cards, questions and answers, each wager's outcome with its paragraph, money.

    Everything is read from the bytes that the services stored, and every hash chain that they stand in is checked.
    Also what was disputed and put right: the result in force, and the one before it. And the discard rack: which cards
    lie where, in which order.

    Exit code: 0 it was told, 1 a hash chain does not hold, 2 there is no such round or it cannot be read.
    """
    with plainly():
        if source is None:
            addresses = platform.addresses_of(name=name, data_dir=data_dir)
            history = asyncio.run(history_of(round, addresses, patience_s=patience))
        else:
            history = asyncio.run(_history_in(source, round, name, data_dir))
        made = _record(history) if record else None
    if made is not None:
        typer.echo(dumps(made))
    elif state_hash:
        typer.echo(telling_of(history, at=at).state_hash)
    elif html is not None:
        _write_page(history, at, html)
    elif json:
        typer.echo(dumps(as_json(history, at), indent=2))
    elif watch:
        _watch(telling_of(history, at=at).steps, speed, Console())
        Console().print(tell(history, at=at, steps=False))
    else:
        Console().print(tell(history, at=at))
    if history.broken:
        raise typer.Exit(WRONG)


def _write_page(history: History, at: int | None, file: Path) -> None:
    from pitstream.story.page import page

    text = page(telling_of(history, at=at))
    if str(file) == "-":
        typer.echo(text)
        return
    file.write_text(text, encoding="utf-8")
    typer.echo(f"{file}: {len(text.encode()):,} bytes, opens and prints without anything else", err=True)


def _watch(steps: tuple[Step, ...], speed: float, console: Console) -> None:
    """Each step after the pause that was before it."""
    for step, pause_s in zip(steps, pauses_s(steps, speed), strict=True):
        time.sleep(pause_s)
        console.print(step_text(step))


def pauses_s(steps: tuple[Step, ...], speed: float) -> Iterator[float]:
    """Seconds before each step; a clock that was set back makes no pause."""
    before = steps[0].recorded.envelope.recorded_at_us
    for step in steps:
        at_us = step.recorded.envelope.recorded_at_us
        yield min(max(at_us - before, 0) / 1e6 / speed, PAUSE_MAX_S)
        before = at_us


def _record(history: History) -> dict[str, Any]:
    try:
        return record_from(history)
    except UntoldError as error:
        raise UnusableError(str(error)) from error


async def history_of(name: str, addresses: Addresses, *, patience_s: float) -> History:
    """All events about a round, as the services hand them out: see ``gather``."""
    async with Client(addresses, patience_s=patience_s) as client:
        return await gather(name, ServiceStreams(client))


async def _history_in(where: str, name: str, stack: str, data_dir: Path | None) -> History:
    from pitstream.cli.sources import opened

    async with opened(where, name=stack, data_dir=data_dir) as source:
        return await gather(name, SourceStreams(source))


def as_json(history: History, at: int | None) -> dict[str, Any]:
    """Everything that the story is told from, the hash of the round's state, and the discard rack."""
    told = telling_of(history, at=at)
    return {
        "table": history.opened.table,
        "round_no": history.opened.round_no,
        "round_id": history.opened.round_id,
        "events": [_event_json(recorded) for recorded in history.round[:at]],
        "settlement": [_event_json(recorded) for recorded in history.settlement],
        "network": [_event_json(recorded) for recorded in history.network],
        "prizes": [_event_json(recorded) for recorded in history.prizes],
        "wallet": [_event_json(recorded) for recorded in history.wallet],
        "disputes": [_event_json(recorded) for recorded in history.disputes],
        "corrections": [_event_json(recorded) for recorded in history.corrections],
        "nets": {str(seat): net for seat, net in sorted(nets(history).items())},
        "state_hash": told.state_hash,
        "rack": {
            "racked": [{"first": e.first, "cards": e.cards, "whose": e.whose, "why": e.why} for e in told.rack.racked],
            "waiting": [{"seat": e.seat, "cards": e.cards, "why": e.why} for e in told.rack.waiting],
        },
        "chain": {"events": history.chained, "broken": list(history.broken)},
    }


def _event_json(recorded: Recorded) -> dict[str, Any]:
    envelope = recorded.envelope
    return {
        "stream": envelope.stream,
        "version": envelope.version,
        "type": envelope.type,
        "event_id": envelope.event_id,
        "recorded_at_us": envelope.recorded_at_us,
        "cause_id": envelope.cause_id,
        "actor": envelope.actor,
        "hash": recorded.hash.hex(),
        "event": recorded.event.model_dump(mode="json"),
    }

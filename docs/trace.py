"""Draws the trace of a round of the demo, docs/trace.svg, from the spans that the services send: ``make trace``.

A stack of its own plays two rounds with one player each; the second one is drawn, when everything is warm.
"""

import asyncio
import json
import os
import shutil
import tempfile
import time
from pathlib import Path
from xml.sax.saxutils import escape

from opentelemetry.proto.trace.v1.trace_pb2 import Span

from pitstream.cli import platform
from pitstream.cli.client import Client
from pitstream.cli.evening import MeterTerms, evening_of
from pitstream.cli.floor import Floor
from pitstream.cli.receiver import Received, Receiver, receiving
from pitstream.stack import stack

HERE = Path(__file__).parent
DEMO = HERE.parent / "demo" / "evening-uth.jsonl"
ROUNDS = (201, 197)
"""Of the evening: one seat each, with a progressive wager."""
NAME, DAY = "trace", "2025-09-10"
QUIET_S = 5.0
WIDTH, LEFT, RIGHT, ROW, TOP = 1100, 330, 20, 17, 58
COLORS = {
    "table": "#2563a8", "wallet": "#1b7f5c", "settlement": "#a8590f", "progressive": "#8a3fa0", "ops": "#6b7280",
}  # fmt: skip


async def play(line: bytes) -> None:
    addresses = platform.addresses_of(name=NAME)
    needed = evening_of([line], MeterTerms(network_suffix="-floor"))
    async with Client(addresses, patience_s=300) as client:
        floor = Floor(client, tables_at_once=1, patience_s=300, report=lambda: None)
        await floor.open_networks(needed.networks)
        await floor.deposit(needed.needs, needed.identity)
        await floor.play(needed.rounds)


def settled_down(receiver: Receiver) -> None:
    """Until no span of any round came for a while."""
    count, since = -1, time.monotonic()
    while time.monotonic() - since < QUIET_S:
        rounds = sum("pitstream.round.id" in one.attributes for one in receiver.received)
        if rounds != count:
            count, since = rounds, time.monotonic()
        time.sleep(0.2)


def record(at: int) -> bytes:
    line = json.loads(DEMO.read_text(encoding="utf-8").splitlines()[at])
    return json.dumps({**line, "gaming_day": DAY, "id": f"{DAY}:{line['id']}"}).encode()


def received() -> list[Received]:
    """What the services sent while the rounds were played."""
    with tempfile.TemporaryDirectory() as home, receiving() as receiver:
        os.environ |= {"PITSTREAM_DATA_DIR": home, **receiver.environ}
        try:
            platform.start(stack.up(name=NAME), name=NAME)
            for at in ROUNDS:
                first = len(receiver.received)
                asyncio.run(play(record(at)))
                settled_down(receiver)
            return receiver.received[first:]
        finally:
            platform.stop(name=NAME)
            stack.down(name=NAME)
            shutil.rmtree(home, ignore_errors=True)


def drawn(spans: list[Received]) -> str:
    """The round's trace, a row for each span; SQL and appends are drawn into the row of the work that they are of."""
    [opened] = [one for one in spans if one.span.name == "POST /v1/tables/{table}/rounds"]
    trace_id = opened.span.trace_id
    ours = {one.span.span_id: one for one in spans if one.span.trace_id == trace_id}
    batches = {one.span.span_id: one for one in spans if one.span.span_id not in ours}
    works = [one for one in ours.values() if one.span.kind in (Span.SPAN_KIND_SERVER, Span.SPAN_KIND_CONSUMER)]
    rows = sorted(
        (one for one in works if one.service != "pitstream-ops"), key=lambda one: one.span.start_time_unix_nano
    )
    ops = [one for one in works if one.service == "pitstream-ops"]
    began = opened.span.start_time_unix_nano
    ended = max(one.span.end_time_unix_nano for one in rows)
    scale = (WIDTH - LEFT - RIGHT) / (ended - began)

    def x(nano: int) -> float:
        return LEFT + min(max(nano - began, 0), ended - began) * scale

    def bar(span: Span, y: float, height: float, color: str, opacity: float, title: str) -> str:
        wide = max(1.2, x(span.end_time_unix_nano) - x(span.start_time_unix_nano))
        return (
            f'<rect x="{x(span.start_time_unix_nano):.1f}" y="{y:.1f}" width="{wide:.1f}" height="{height}" rx="1.5" '
            f'fill="{color}" fill-opacity="{opacity}"><title>{escape(title)}</title></rect>'
        )

    def sql_of(one: Received) -> list[Received]:
        above = {one.span.span_id, *(link.span_id for link in one.span.links if link.span_id in batches)}
        return [other for other in spans if other.span.parent_span_id in above and "db.system.name" in other.attributes]

    places = {one.span.span_id: TOP + number * ROW for number, one in enumerate(rows)}
    lines, bars = [], []
    for one in rows:
        service = one.service.removeprefix("pitstream-")
        y, color = places[one.span.span_id], COLORS[service]
        name = one.span.name.replace("/v1/tables/{table}", "").replace("/rounds/{round_no}", "…")
        bars.append(
            f'<text x="{LEFT - 8}" y="{y + 11}" text-anchor="end" fill="{color}">{service}  {escape(name)}</text>'
        )
        took = (one.span.end_time_unix_nano - one.span.start_time_unix_nano) / 1e6
        bars.append(bar(one.span, y + 1, 13, color, 0.35, f"{service} {one.span.name}: {took:.1f} ms"))
        bars += [bar(other.span, y + 9, 4, "#111827", 0.55, other.span.name) for other in sql_of(one)]
        cause = ours.get(one.span.parent_span_id)
        while cause is not None and cause.span.span_id not in places:
            cause = ours.get(cause.span.parent_span_id)
        if cause is not None and one.span.kind == Span.SPAN_KIND_CONSUMER:
            x0, y0 = x(cause.span.start_time_unix_nano), places[cause.span.span_id] + 14
            lines.append(
                f'<path d="M{x0 + 2:.1f} {y0}V{y + 7.5}H{x(one.span.start_time_unix_nano):.1f}" class="cause"/>'
            )
    y = TOP + len(rows) * ROW
    bars.append(
        f'<text x="{LEFT - 8}" y="{y + 11}" text-anchor="end" fill="{COLORS["ops"]}">ops  each event, read</text>'
    )
    bars += [bar(one.span, y + 1, 13, COLORS["ops"], 0.35, one.span.name) for one in ops]
    height = y + 2 * ROW
    span_ms = (ended - began) / 1e6
    step = next(step for step in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000) if span_ms / step <= 12)
    for tick in range(0, int(span_ms) + 1, step):
        at = x(began + tick * 1_000_000)
        lines.append(f'<path d="M{at:.1f} {TOP - 6}V{height - ROW}" class="tick"/>')
        lines.append(f'<text x="{at:.1f}" y="{TOP - 10}" text-anchor="middle" class="tick-text">{tick} ms</text>')
    statements = sum("db.system.name" in one.attributes for one in ours.values())
    told = (
        f"One round, one player, {len(ours)} spans of one trace, {statements} of them SQL of requests. "
        "Bars: requests and the work on each event; dark: their SQL."
    )
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" role="img" '
            f'aria-label="Trace of a round" font-family="Inter, Helvetica, Arial, sans-serif" font-size="11">',
            "<style>.cause{fill:none;stroke:#9ca3af;stroke-width:.7}.tick{stroke:#e5e7eb}.tick-text{fill:#6b7280}</style>",
            f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>',
            f'<text x="12" y="22" font-size="13" fill="#111827">{told}</text>',
            *lines,
            *bars,
            "</svg>",
            "",
        ]
    )


if __name__ == "__main__":
    (HERE / "trace.svg").write_text(drawn(received()), encoding="utf-8")

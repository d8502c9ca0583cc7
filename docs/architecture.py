"""Draws docs/architecture/*.svg and docs/road.svg from the description below (``make docs``).

The description says who calls, who reads which topic, and what a service is made of; a test holds it equal to the code.
Each picture has its own background and follows the reader's light or dark scheme.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from html import escape

TOPICS: Mapping[str, tuple[str, str]] = {
    "rounds.v1": ("table", "table"),
    "settlements.v1": ("settlement", "table"),
    "progressives.v1": ("progressive", "network"),
    "wallet.v1": ("wallet", "account"),
}
"""Topic -> the one service that writes it, and what its key names."""

SERVICES: Mapping[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "table": (("the referee: is this", "move legal now?"), ("wallet.v1", "progressives.v1")),
    "settlement": (("every wager's result,", "with its paragraph"), ("rounds.v1",)),
    "progressive": (("meters, hits,", "approvals"), ("rounds.v1", "settlements.v1")),
    "wallet": (("double-entry ledger,", "holds, postings"), ("rounds.v1", "settlements.v1", "progressives.v1")),
    "ops": (
        ("the floor, rounds,", "money: shown only"),
        ("rounds.v1", "settlements.v1", "progressives.v1", "wallet.v1"),
    ),
}
"""Service -> what it does, and the topics that it reads."""

CALLERS: Mapping[str, tuple[str, ...]] = {
    "table": ("dealers' terminals,", "shoe scanners,", "players' devices"),
    "settlement": ("the back office:", "rounds' results"),
    "progressive": ("signs of the floor,", "people of a network"),
    "wallet": ("operators' platforms", "and wallets"),
    "ops": ("pit and audit staff,", "in a browser"),
}
"""Service -> who speaks to it over HTTP."""

ASKED_BY_OPS = ("table", "settlement", "progressive", "wallet")
"""Whom the ops room asks over HTTP, always in the name of the person who is there."""


@dataclass(frozen=True)
class Step:
    """One arrow of the road of a round. ``topic`` is "" for an HTTP request."""

    number: str
    sender: str
    to: str
    what: str
    topic: str = ""


ROAD: Sequence[Step] = (
    Step("1", "people", "table", "wagers are put down"),
    Step("2", "table", "wallet", "WagersPlaced", "rounds.v1"),
    Step("3", "wallet", "table", "FundsHeld", "wallet.v1"),
    Step("4", "people", "table", "no more bets"),
    Step("5", "table", "progressive", "BettingClosed", "rounds.v1"),
    Step("6", "progressive", "wallet", "WagersContributed", "progressives.v1"),
    Step("6", "progressive", "table", "WagersContributed", "progressives.v1"),
    Step("7", "people", "table", "hands, decisions, community cards"),
    Step("8", "table", "settlement", "RoundFinished", "rounds.v1"),
    Step("9", "settlement", "progressive", "RoundSettled", "settlements.v1"),
    Step("9", "settlement", "wallet", "RoundSettled", "settlements.v1"),
    Step("10", "wallet", "ops", "SeatPosted", "wallet.v1"),
    Step("11", "progressive", "wallet", "HitLocked", "progressives.v1"),
    Step("12", "people", "progressive", "a floorperson validates the hit"),
    Step("13", "progressive", "wallet", "HandPayApproved", "progressives.v1"),
    Step("14", "wallet", "ops", "HandPayPosted", "wallet.v1"),
)

COMPONENTS: Mapping[str, tuple[str, ...]] = {
    "gate": ("pitstream.runtime.gate", "pitstream.runtime.access"),
    "routes": (
        "pitstream.services.table.app",
        "pitstream.services.table.dispute_routes",
        "pitstream.services.table.correction_routes",
        "pitstream.services.table.view",
    ),
    "commands": ("pitstream.runtime.commands",),
    "carrying out": ("pitstream.services.table.carrying_out",),
    "decisions": (
        "pitstream.games.referee",
        "pitstream.games.round",
        "pitstream.games.table",
        "pitstream.services.table.disputes",
        "pitstream.services.table.corrections",
    ),
    "consumers": ("pitstream.runtime.consumer", "pitstream.runtime.inbox", "pitstream.runtime.inbox_store"),
    "handlers": ("pitstream.services.table.handlers", "pitstream.services.table.network_handler"),
    "own tables": (
        "pitstream.services.table.store",
        "pitstream.services.table.network_store",
        "pitstream.services.table.dispute_store",
        "pitstream.services.table.projections",
    ),
    "event store": ("pitstream.runtime.store",),
    "relay": ("pitstream.runtime.relay",),
    "beside": (
        "pitstream.services.table.config",
        "pitstream.services.table.telemetry",
        "pitstream.services.table.__main__",
    ),
}
"""Component of the table service -> its modules. ``beside`` is not drawn: settings, metrics, the command line."""

CALLS = (
    ("routes", "commands"),
    ("carrying out", "decisions"),
    ("carrying out", "own tables"),
    ("carrying out", "event store"),
    ("handlers", "decisions"),
    ("handlers", "own tables"),
    ("handlers", "event store"),
)
"""Who calls whom inside the table service: each is an import in the code."""

HANDED = (("gate", "routes"), ("commands", "carrying out"), ("consumers", "handlers"))
"""Calls of the shell's library into the service, which ``app`` wires: the library itself knows no service."""

TABLES = (("commands",), ("tables", "rounds", "networks"), ("inbox", "checkpoints"), ("events", "outbox"))
"""The tables that are drawn, of those in the schema of the table service."""

STYLE = """
  svg { --ground: #fbfaf6; --box: #fff; --core: #e4f1ea; --other: #eeece4; --ink: #1d2b24; --soft: #56635c;
        --line: #2b6e4f; --rounds: #2b6e4f; --settlements: #8a4b00; --progressives: #8b2f7e; --wallet: #1f5fa8;
        --dead: #a02c2c; --http: #6d6a5f }
  @media (prefers-color-scheme: dark) {
    svg { --ground: #18201c; --box: #222d28; --core: #1d4433; --other: #2c2f2d; --ink: #eaf1ec; --soft: #b3beb7;
          --line: #6cc39b; --rounds: #6cc39b; --settlements: #e8ac5c; --progressives: #e18fd5; --wallet: #82b6f2;
          --dead: #f08c8c; --http: #b9b5a5 }
  }
  .ground { fill: var(--ground) }
  .box { fill: var(--box); stroke: var(--line); stroke-width: 2 }
  .core { fill: var(--core); stroke: var(--line); stroke-width: 2 }
  .other { fill: var(--other); stroke: var(--http); stroke-width: 1.5 }
  .frame { fill: none; stroke: var(--http); stroke-width: 1.5; stroke-dasharray: 7 5 }
  text { fill: var(--ink); font-size: 14px }
  .title { font-size: 17px; font-weight: 700 }
  .soft { fill: var(--soft); font-size: 13px }
  .code { font-family: Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 13px }
  .small { font-size: 12px }
  .strong { font-weight: 700 }
  .over { paint-order: stroke; stroke: var(--ground); stroke-width: 5px; stroke-linejoin: round }
  .arrow { fill: none; stroke-width: 2; stroke: currentColor }
  .lane { stroke: currentColor; stroke-width: 3; stroke-linecap: round }
  .thin { stroke-dasharray: 4 4; stroke-width: 1.5 }
  .dot { fill: currentColor }
  .of { fill: currentColor }
  .number { fill: var(--ground); font-size: 13px; font-weight: 700 }
  .life { stroke: var(--http); stroke-width: 1.2; stroke-dasharray: 3 5 }
"""
COLOURS = ("line", "http", "rounds", "settlements", "progressives", "wallet", "dead")


def colour_of(topic: str) -> str:
    """Name of the colour that a topic has in every picture; HTTP has its own."""
    return topic.removesuffix(".v1").replace("dead-letters", "dead") if topic else "http"


@dataclass
class Picture:
    """An SVG in the making. What it shows of the description stands in ``data-…`` attributes: the test reads them."""

    width: int
    height: int
    told: str
    parts: list[str] = field(default_factory=list)

    def add(self, part: str) -> None:
        self.parts.append(f"  {part}")

    def text(self, x: float, y: float, words: str, kind: str = "", anchor: str = "middle", colour: str = "") -> None:
        style = f' style="color: var(--{colour})"' if colour else ""
        at = f'x="{x:g}" y="{y:g}" text-anchor="{anchor}"'
        self.add(f'<text {at} class="{kind}"{style}>{escape(words, quote=False)}</text>')

    def box(
        self,
        x: float,
        y: float,
        w: float,
        h: float,
        title: str,
        lines: Sequence[str] = (),
        kind: str = "box",
        **data: str,
    ) -> None:
        """A box with its title and lines in the middle. A line in back quotes is code."""
        self.add(
            f'<g{_attributes(data)}><rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="9" class="{kind}"/>'
        )
        at = y + h / 2 - (18 * len(lines)) / 2 + 6
        if title:
            self.text(x + w / 2, at, title, "title")
        else:
            at -= 19
        for line in lines:
            at += 19
            if not line:
                continue
            is_code = line.startswith("`")
            self.text(x + w / 2, at, line.strip("`"), "soft code" if is_code else "soft")
        self.add("</g>")

    def cylinder(self, x: float, y: float, w: float, h: float, lines: Sequence[str] = (), **data: str) -> None:
        arc = f"A{w / 2:g} 7 0 0 0"
        body = f"M{x:g} {y + 7:g}V{y + h - 7:g}{arc} {x + w:g} {y + h - 7:g}V{y + 7:g}"
        self.add(f'<g{_attributes(data)}><path d="{body}" class="other"/>')
        self.add(f'<ellipse cx="{x + w / 2:g}" cy="{y + 7:g}" rx="{w / 2:g}" ry="7" class="other"/>')
        for row, line in enumerate(lines):
            self.text(x + w / 2, y + h / 2 + 12 + 15 * (row - (len(lines) - 1) / 2), line, "small code")
        self.add("</g>")

    def arrow(self, path: str, colour: str = "line", kind: str = "", both: bool = False, **data: str) -> None:
        start = f' marker-start="url(#{colour})"' if both else ""
        self.add(
            f'<path d="{path}" class="arrow {kind}" style="color: var(--{colour})"{start}'
            f' marker-end="url(#{colour})"{_attributes(data)}/>'
        )

    def svg(self) -> str:
        markers = "\n".join(
            f'    <marker id="{colour}" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7"'
            f' orient="auto-start-reverse"><path d="M0 0 10 5 0 10z" fill="var(--{colour})"/></marker>'
            for colour in COLOURS
        )
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img"'
            f' font-family="Helvetica, Arial, sans-serif"\n     aria-label="{escape(self.told)}">\n'
            f"  <style>{STYLE}  </style>\n  <defs>\n{markers}\n  </defs>\n"
            f'  <rect width="{self.width}" height="{self.height}" rx="14" class="ground"/>\n'
            + "\n".join(self.parts)
            + "\n</svg>\n"
        )


def _attributes(data: Mapping[str, str]) -> str:
    return "".join(f' data-{name}="{escape(value)}"' for name, value in data.items())


def context() -> str:
    """Who and what has to do with pitstream."""
    picture = Picture(960, 560, "pitstream among the people and systems that have to do with it")
    left, right, width = 24, 716, 220
    picture.box(
        370,
        30,
        220,
        400,
        "pitstream",
        [
            "the round-by-round",
            "business of poker",
            "table games:",
            "what is dealt, wagered,",
            "won and paid, as",
            "events for ever",
        ],
        "core",
    )
    people = [
        ("At the table", ("dealers' terminals,", "shoe scanners,", "players' devices"), ("what happens", "to a round")),
        ("A network's people", ("meters, signs, hits", "of linked tables"), ("terms, approvals,", "what signs show")),
        (
            "Pit and audit staff",
            ("the ops room's pages,", "the pitstream command"),
            ("rulings, disputes,", "the day's close"),
        ),
    ]
    systems = [
        ("Operators' platforms", ("players' accounts,", "their own back office"), ("money moved,", "webhooks"), True),
        (
            "Operators' wallets",
            ("where players' money", "stays with its operator"),
            ("debit, credit,", "rollback"),
            False,
        ),
        ("Identity providers", ("OpenID Connect",), ("who logs in,", "whose token it is"), False),
    ]
    for row, (title, lines, said) in enumerate(people):
        y = 30 + 140 * row
        picture.box(left, y, width, 120, title, lines, "other")
        picture.arrow(f"M{left + width} {y + 60}H366", "http")
        picture.text(307, y + 34, said[0], "soft")
        picture.text(307, y + 51, said[1], "soft")
    for row, (title, lines, said, both) in enumerate(systems):
        y = 30 + 140 * row
        picture.box(right, y, width, 120, title, lines, "other")
        picture.arrow(f"M{590 + 4 * both} {y + 60}H{right - 4}", "http", both=both)
        picture.text(653, y + 34, said[0], "soft")
        picture.text(653, y + 51, said[1], "soft")
    picture.box(150, 474, 320, 66, "Who must be shown", ["an archive, its signed list, a public key"], "other")
    picture.box(490, 474, 320, 66, "Who watches", ["Prometheus, OpenTelemetry, Grafana"], "other")
    picture.arrow("M420 430V470", "http")
    picture.arrow("M540 430V470", "http")
    picture.text(408, 456, "Parquet files", "soft", "end")
    picture.text(552, 456, "metrics, traces, logs", "soft", "start")
    return picture.svg()


def containers() -> str:
    """The processes, who calls them, and what each writes to and reads from Kafka."""
    picture = Picture(
        960, 626, "The five services: who calls them, their schemas, and which topics each writes and reads"
    )
    pitch, left, half = 163, 140, 76
    top, bottom, first_lane, step = 176, 276, 414, 44
    lanes = {topic: first_lane + step * row for row, topic in enumerate([*TOPICS, "dead-letters.v1"])}
    centre = {service: left + pitch * (column + 0.5) for column, service in enumerate(SERVICES)}

    for y, words in (
        (44, ("who calls,", "over HTTP")),
        (214, ("services:", "a process each,", "more instances", "at will")),
        (324, ("PostgreSQL:", "a schema each")),
    ):
        for row, line in enumerate(words):
            picture.text(18, y + 18 * row, line, "soft", "start")
    picture.text(18, 384, "Kafka:", "soft", "start")
    for topic, y in lanes.items():
        colour = colour_of(topic)
        picture.text(18, y + 1, topic, "code strong of", "start", colour)
        key = TOPICS[topic][1] if topic in TOPICS else "as it came"
        picture.text(18, y + 17, f"key: {key}", "soft", "start")
        picture.add(f'<path d="M{left + 4} {y}H950" class="lane" style="color: var(--{colour})" data-topic="{topic}"/>')

    bus = 142
    picture.arrow(
        f"M{centre['ops'] - 40:g} {top}V{bus}H{centre['table'] + 40:g}V{top - 4}",
        "line",
        "thin",
        asks="table",
        by="ops",
    )
    for service in ASKED_BY_OPS[1:]:
        picture.arrow(f"M{centre[service] + 40:g} {bus}V{top - 4}", "line", "thin", asks=service, by="ops")
    picture.text(centre["progressive"] - 30 - pitch / 2, bus - 7, "in a person's name", "soft over")
    for service, (does, reads) in SERVICES.items():
        x = centre[service]
        picture.box(x - half, 16, 2 * half, 84, "", CALLERS[service], "other", calls=service)
        picture.arrow(f"M{x - 30:g} {100 + 4 * (service == 'wallet')}V{top - 4}", "http", both=service == "wallet")
        picture.box(x - half, top, 2 * half, bottom - top, service, does, service=service)
        picture.cylinder(x - 29, 304, 58, 50, schema=service)
        picture.add(f'<path d="M{x:g} {bottom}V304" class="arrow" style="color: var(--http)"/>')
        written = next((topic for topic, (writer, _) in TOPICS.items() if writer == service), None)
        if written:
            picture.arrow(f"M{x - 62:g} {bottom}V{lanes[written] - 4}", colour_of(written), writes=written, by=service)
        picture.arrow(
            f"M{x - 44:g} {bottom}V{lanes['dead-letters.v1'] - 4}", "dead", "thin", writes="dead-letters.v1", by=service
        )
        for column, topic in enumerate(topic for topic in TOPICS if topic in reads):
            across, colour = x + 36 + 12.5 * column, colour_of(topic)
            picture.arrow(f"M{across:g} {lanes[topic]}V{bottom + 4}", colour, reads=topic, by=service)
            picture.add(
                f'<circle cx="{across:g}" cy="{lanes[topic]}" r="4.5" class="dot" style="color: var(--{colour})"/>'
            )
    return picture.svg()


def road() -> str:
    """The road of a round: which events go from whom to whom."""
    picture = Picture(
        980,
        430,
        "The road of a round: commands reach the table; events travel over Kafka to settlement, progressive, wallet.",
    )
    places = {"table": (40, 150), "settlement": (390, 150), "wallet": (740, 150), "progressive": (390, 310)}
    for service, (x, y) in places.items():
        picture.box(x, y, 200, 88, service, SERVICES[service][0], service=service)
    picture.text(40, 40, "dealers' terminals, shoe scanners, players' devices", "", "start")
    picture.arrow("M70 50V146", "http")
    picture.text(80, 104, "HTTP", "soft", "start")
    arrows = [
        ("rounds.v1", "table", "settlement", "M240 194H386", (315, 184)),
        ("settlements.v1", "settlement", "wallet", "M590 194H736", (663, 184)),
        ("settlements.v1", "settlement", "progressive", "M490 238V306", (556, 276)),
        ("rounds.v1", "table", "progressive", "M200 238V322Q200 340 218 340H386", (300, 330)),
        ("progressives.v1", "progressive", "table", "M390 380H128Q110 380 110 362V242", (262, 371)),
        ("progressives.v1", "progressive", "wallet", "M590 354H822Q840 354 840 336V242", (712, 344)),
        ("wallet.v1", "wallet", "table", "M800 150V128Q800 112 784 112H216Q200 112 200 128V146", (490, 103)),
        ("rounds.v1", "table", "wallet", "M160 150V90Q160 74 176 74H864Q880 74 880 90V146", (490, 65)),
    ]
    said = {"wallet.v1": "wallet.v1: funds held or declined"}
    for topic, sender, reader, path, (x, y) in arrows:
        picture.arrow(path, colour_of(topic), reads=topic, by=reader, writer=sender)
        picture.text(
            x,
            y,
            said.get(topic, "rounds.v1: wagers to be held" if (sender, reader) == ("table", "wallet") else topic),
            "code of",
            "middle",
            colour_of(topic),
        )
    picture.text(490, 420, "Every topic also goes to the ops room, which shows what it hears.", "soft")
    return picture.svg()


def a_round() -> str:
    """The road of a round in time: an arrow an event, or a request."""
    row, first = 46, 118
    picture = Picture(
        960, first + row * len(ROAD), "A round in time: each arrow is a request, or an event on its topic"
    )
    lives = ("people", *SERVICES)
    across = {life: 80 + 160 * column for column, life in enumerate(lives)}
    for life, x in across.items():
        picture.add(f'<path d="M{x} 62V{picture.height - 16}" class="life"/>')
        picture.box(x - 66, 18, 132, 44, life, kind="other" if life == "people" else "box")
    for line, step in enumerate(ROAD):
        y = first + row * line
        start, end = across[step.sender], across[step.to]
        forward = 1 if end > start else -1
        colour = colour_of(step.topic)
        data = {"step": step.what, "sender": step.sender, "to": step.to, "topic": step.topic}
        picture.arrow(f"M{start + 12 * forward} {y}H{end - 3 * forward}", colour, **data)
        picture.add(f'<circle cx="{start}" cy="{y}" r="12" class="dot" style="color: var(--{colour})"/>')
        picture.text(start, y + 4.5, step.number, "number")
        # Beside the first lifeline that the arrow leaves, so that no other one runs through the words.
        kind, words = ("code of over", f"{step.what}") if step.topic else ("soft over", step.what)
        picture.text(start + 18 * forward, y - 9, words, kind, "start" if forward > 0 else "end", colour)
    return picture.svg()


def a_service() -> str:
    """What the table service is made of."""
    picture = Picture(
        960, 640, "The table service: its components, from request and topic to its schema and its own topic"
    )
    side, tall = 250, 74
    places = {
        "gate": (40, 84, ("whose credential, which role,", "which tables; sizes and rates")),
        "routes": (40, 190, ("rounds, disputes, corrections:", "parse, call, answer")),
        "commands": (40, 296, ("one transaction, one answer", "for ever under one id")),
        "carrying out": (40, 402, ("lock the table, fold, decide,", "append, answer")),
        "own tables": (355, 296, ("SQL and nothing but SQL",)),
        "event store": (355, 402, ("append and fold,", "all of it or nothing")),
        "consumers": (670, 84, ("a polled batch, from the", "checkpoint in PostgreSQL")),
        "handlers": (670, 190, ("holds answered,", "networks heard of")),
        "relay": (670, 402, ("the outbox, in each key's", "order, until acknowledged")),
    }
    pure = (
        "decide(state, command)",
        "→ events, or a refusal",
        "evolve(state, event)",
        "→ state",
        "",
        "no clock, no I/O, no chance",
    )
    picture.box(355, 84, side, 180, "decisions", pure, "core", component="decisions")
    for name, (x, y, lines) in places.items():
        picture.box(x, y, side, tall, name, lines, component=name)
    paths = {
        ("gate", "routes"): "M165 158V186",
        ("routes", "commands"): "M165 264V292",
        ("commands", "carrying out"): "M165 370V398",
        ("carrying out", "decisions"): "M290 420H312V220H351",
        ("carrying out", "own tables"): "M290 436H332V333H351",
        ("carrying out", "event store"): "M290 454H351",
        ("consumers", "handlers"): "M795 158V186",
        ("handlers", "decisions"): "M670 227H609",
        ("handlers", "own tables"): "M710 264V333H609",
        ("handlers", "event store"): "M750 264V378H520V398",
    }
    for (one, other), path in paths.items():
        picture.arrow(path, calls=other, by=one)
    picture.text(165, 42, "requests over HTTP")
    picture.arrow("M165 50V80", "http")
    for x, topic in zip((736, 858), sorted(SERVICES["table"][1]), strict=True):
        picture.text(x, 42, topic, "code strong of", "middle", colour_of(topic))
        picture.arrow(f"M{x} 50V80", colour_of(topic), reads=topic)
    picture.add('<rect x="40" y="516" width="565" height="108" rx="9" class="frame"/>')
    picture.text(54, 538, "PostgreSQL, schema table", "soft", "start")
    for column, tables in enumerate(TABLES):
        picture.cylinder(54 + 136 * column, 550, 128, 62, tables, tables=",".join(tables))
    picture.arrow("M480 476V512", both=True)
    picture.arrow("M605 580H740V480", tables="outbox")
    picture.arrow("M850 476V566", "rounds", writes="rounds.v1", by="table")
    picture.text(850, 588, "rounds.v1", "code strong of", "middle", "rounds")
    return picture.svg()


PICTURES = {
    "architecture/context.svg": context,
    "architecture/containers.svg": containers,
    "architecture/table.svg": a_service,
    "architecture/round.svg": a_round,
    "road.svg": road,
}
"""File -> what draws it."""

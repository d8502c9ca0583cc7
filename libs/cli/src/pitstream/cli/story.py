"""A round's story on a terminal: ``pitstream.story`` tells it, this lays it out."""

from collections.abc import Iterable, Iterator

from rich.console import Group, JustifyMethod, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from pitstream.cli.cards import cards, signed
from pitstream.story.history import History
from pitstream.story.rack import Rack
from pitstream.story.telling import Note, Posting, SeatTold, SettlementTold, Step, Telling, Title
from pitstream.story.telling import tell as telling_of
from pitstream.story.words import Line, Said, Tone, money

_STYLES: dict[Tone, str] = {"plain": "", "dim": "dim", "strong": "bold", "heading": "bold cyan", "warn": "yellow"}


def tell(history: History, *, at: int | None = None, steps: bool = True) -> RenderableType:
    """The whole story; with ``at`` what was known after that event of the round (from 1), and what was waited for.

    Without ``steps`` what comes after them.
    """
    told = telling_of(history, at=at)
    parts: list[RenderableType] = [_title(told.title), *([_play(told.steps)] if steps else [])]
    if not told.whole:
        last = told.steps[-1]
        if last.view.rack.racked:
            parts += ["", *_racked(last.view.rack)]
        return Group(*parts, "", Text(f"After event {last.number}: {last.view.waiting}", "bold"))
    for settlement in told.settlements:
        parts += ["", *_settlement(settlement, told.currency)]
    parts += _notes("Meters", told.meters)
    parts += _notes("Prizes", told.prizes)
    parts += _notes("Disputes and corrections", told.disputes)
    if told.postings:
        parts += ["", _heading("Money posted"), _postings(told.postings, told.currency)]
    if told.rack.racked or told.rack.waiting:
        parts += ["", *_racked(told.rack)]
    return Group(*parts, "", _chain(told))


def step_text(step: Step) -> RenderableType:
    """One step alone."""
    return _play([step])


def line_text(line: Line) -> Text:
    """A line of the story with its tones."""
    text = Text()
    for piece in line:
        text += Text(piece.text, _STYLES[piece.tone]) if isinstance(piece, Said) else cards(piece.cards)
    return text


def _title(title: Title) -> Panel:
    lines = ["paytables  " + " · ".join(f"{choice.wager} {choice.paytable}" for choice in title.paytables)]
    for word, told in (("drawn", title.drawn), ("policies", title.policies)):
        if told:
            lines.append(f"{word:<10} " + " · ".join(f"{name} {value}" for name, value in told.items()))
    if title.network:
        lines.append(f"meters     {title.network}")
    lines.append(f"judged by  rules {title.rules_version}, evaluator {title.evaluator}")
    return Panel(
        "\n".join(lines),
        title=f"{title.game} · {title.table}/{title.round_no} · round {title.round_id}",
        subtitle=f"{title.gaming_day} · {title.currency}",
        title_align="left",
        subtitle_align="right",
    )


def _heading(words: str) -> Text:
    return Text(words, "bold cyan")


def _play(steps: Iterable[Step]) -> Table:
    play = Table.grid(padding=(0, 2))
    play.add_column(justify="right", style="dim", min_width=2)
    play.add_column()
    for step in steps:
        for row, line in enumerate(step.lines):
            play.add_row("" if row else str(step.number), line_text(line))
    return play


def _settlement(settlement: SettlementTold, currency: str) -> Iterator[RenderableType]:
    order = ", ".join(str(seat) for seat in settlement.order) or "nobody"
    words = f"Settlement after correction {settlement.correction}" if settlement.correction else "Settlement"
    superseded = "" if settlement.in_force else "  SUPERSEDED"
    yield _heading(words).append(superseded, "bold yellow").append(f"  in this order: seat {order}", "dim")
    for seat in settlement.seats:
        head = Text(f"seat {seat.seat} {seat.player}  ", "bold")
        yield head if seat.net is None else head + signed(seat.net, currency)
        yield _lines(seat, currency)


def _lines(seat: SeatTold, currency: str) -> Table:
    lines = Table.grid(padding=(0, 2))
    justified: tuple[JustifyMethod, ...] = ("left", "right", "left", "right", "left")
    for justify in justified:
        lines.add_column(justify=justify)
    for line in seat.lines:
        style = {"win": "green", "award": "green", "lose": "red", "forfeit": "red"}.get(line.outcome, "")
        lines.add_row(
            f"  {line.name}",
            "" if line.stake is None else money(line.stake, currency),
            Text(line.outcome, style),
            money(line.came_back, currency),
            Text(line.sentence, "dim"),
        )
    return lines


def _notes(heading: str, notes: Iterable[Note]) -> list[RenderableType]:
    told = [Text("  " + note.text) for note in notes]
    return ["", _heading(heading), *told] if told else []


def _postings(postings: Iterable[Posting], currency: str) -> Table:
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right")
    table.add_column()
    table.add_column(style="dim")
    for posting in postings:
        accounts = f"{posting.debit} → {posting.credit}"
        table.add_row(f"  {money(posting.amount, currency)}", accounts, posting.code)
    return table


def _racked(rack: Rack) -> Iterator[RenderableType]:
    yield _heading("Discard rack").append("  from the bottom up", "dim")
    table = Table.grid(padding=(0, 2))
    table.add_column(justify="right")
    table.add_column()
    table.add_column()
    table.add_column(style="dim")
    for entry in rack.racked:
        table.add_row(f"  {entry.places}", cards(entry.cards), entry.whose, entry.why)
    for hand in rack.waiting:
        table.add_row("  -", cards(hand.cards), f"seat {hand.seat}", hand.why)
    yield table


def _chain(told: Telling) -> Text:
    if told.broken:
        return Text("\n".join(f"CHAIN BROKEN  {where}" for where in told.broken), "bold red")
    return Text(f"{told.chained} events, every hash chain holds", "dim")

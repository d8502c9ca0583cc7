"""``pitstream reconcile``: everybody's books of a gaming day side by side, and every difference with its cause."""

import asyncio
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from json import dumps
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from pitstream.cli import platform
from pitstream.cli.addresses import Addresses
from pitstream.cli.client import Client, Json
from pitstream.cli.compared import Compared, Difference
from pitstream.cli.options import WRONG, DataDir, Name, Patience, UnusableError, plainly
from pitstream.cli.options import Json as AsJson
from pitstream.cli.reconcile_network import network_report
from pitstream.cli.reconcile_network import show as show_network
from pitstream.cli.statement_file import StatementFileError, read_statement
from pitstream.events import ids
from pitstream.events.settlements import RoundResettled, RoundSettled, SeatSettlement

_PAGE = 200
_SHOWN_MAX = 200
"""Differences that are printed; all of them count, and ``--json`` has them all."""


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a day's books came to side by side."""

    day: str
    compared: dict[str, int]
    differences: tuple[Difference, ...]
    open_items: tuple[str, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "gaming_day": self.day,
            "compared": self.compared,
            "differences": [one.as_json() for one in self.differences],
            "open": list(self.open_items),
        }


def reconcile(
    day: Annotated[str | None, typer.Option(help="The gaming day, YYYY-MM-DD.")] = None,
    network: Annotated[
        str | None, typer.Option(help="A progressive network, table by table, from its first day on.")
    ] = None,
    operator_file: Annotated[
        Path | None, typer.Option(help="An operator's statement of the day, as CSV.", dir_okay=False)
    ] = None,
    operator: Annotated[
        list[str] | None, typer.Option(help="Operators of the file, besides those whose players it names.")
    ] = None,
    patience: Patience = 10,
    name: Name = "default",
    data_dir: DataDir = None,
    json: AsJson = False,
) -> None:
    """Compare everybody's books of a gaming day, or of a progressive network.

    Of a day: what was settled, what the ledger posted, what the progressive networks locked and paid, what was counted
    at the tables, and what an operator's statement file says. Of a network: what its tables counted as wagered, what
    its meters took, and what the ledger posted, table by table.

    docs/reconciliation.md has the file's fields and the causes of differences. Money that is not decided yet, such as a
    prize that waits for a floorperson, is listed apart and is no difference.

    Exit code: 0 everything agrees, 1 there are differences, 2 it could not be carried out.
    """
    with plainly():
        if (day is None) == (network is None):
            raise UnusableError("day, network: was both or neither; allowed: one of them")
    if network is not None:
        _network(network, platform_name=name, data_dir=data_dir, patience_s=patience, json=json)
        return
    with plainly():
        found = asyncio.run(
            reconciled(
                platform.addresses_of(name=name, data_dir=data_dir),
                _date(day or ""),
                statement=operator_file,
                operators=operator or [],
                patience_s=patience,
            )
        )
    if json:
        typer.echo(dumps(found.as_json(), indent=2))
    else:
        show(found, Console())
    if found.differences:
        raise typer.Exit(WRONG)


def _network(network: str, *, platform_name: str, data_dir: Path | None, patience_s: float, json: bool) -> None:
    with plainly():
        addresses = platform.addresses_of(name=platform_name, data_dir=data_dir)
        report = asyncio.run(network_report(addresses, network, patience_s=patience_s))
    if json:
        typer.echo(dumps(report.as_json(), indent=2))
    else:
        show_network(report, Console())
    if not report.agrees:
        raise typer.Exit(WRONG)


async def reconciled(
    addresses: Addresses, day: str, *, statement: Path | None, operators: Iterable[str], patience_s: float
) -> Reconciled:
    """The day's books side by side. Raises UnusableError for a statement file that is none."""
    with Compared() as books:
        if statement is not None:
            _take_statement(books, statement)
        async with Client(addresses, patience_s=patience_s) as client:
            corrections = await _corrections(client)
            await _take_settlements(client, day, books, corrections)
            await _take_postings(client, day, books, corrections)
            await _take_counts(client, day, books)
            if statement is not None:
                for operator in sorted({*operators, *books.operators_of_statement()}):
                    await _take_movements(client, day, operator, books)
        return Reconciled(
            day=day,
            compared={
                "settled seats": books.count("settled"),
                "posted seats": books.count("posted"),
                "shares and prizes": books.count("claimed"),
                "tables": books.count("counted"),
                "operator's lines": books.count("theirs") + books.count("unreadable"),
                "movements": books.count("ours"),
            },
            differences=tuple(books.differences(with_operator=statement is not None)),
            open_items=tuple(books.open_items()),
        )


def _take_statement(books: Compared, file: Path) -> None:
    try:
        with file.open(encoding="utf-8", newline="") as lines:
            books.add_statement(read_statement(lines))
    except (OSError, UnicodeDecodeError, StatementFileError) as fault:
        raise UnusableError(f"{file}: {fault}") from fault


async def _corrections(client: Client) -> dict[tuple[str, int], int]:
    """The last confirmed correction of every round that has one."""
    found: dict[tuple[str, int], int] = {}
    async for page in client.pages("table", "/v1/corrections", "corrections", state="confirmed"):
        for one in page:
            key = (one["table"], one["round_no"])
            found[key] = max(one["number"], found.get(key, 0))
    return found


async def _take_settlements(
    client: Client, day: str, books: Compared, corrections: Mapping[tuple[str, int], int]
) -> None:
    """What settlement says, and what the progressive service says of the shares and prizes that it claims."""
    networks: set[str] = set()
    tables: set[str] = set()
    async for page in client.pages("settlement", f"/v1/gaming-days/{day}/rounds", "settled"):
        for row in page:
            # From text again: only there do the contract's strict types take a JSON list for a tuple.
            settled = RoundSettled.model_validate_json(dumps(row))
            books.add("settled", (_seat(settled, seat) for seat in settled.seats))
            books.add("rounds", [(settled.table, settled.round_no)])
            key = (settled.table, settled.round_no)
            renamed = await _renamed(client, key) if key in corrections else {}
            books.add("claimed", ((renamed.get(claim[0], claim[0]), *claim[1:]) for claim in _claims(settled)))
            if settled.network is not None:
                networks.add(settled.network)
            tables.add(settled.table)
    for network in sorted(networks):
        async for page in client.pages("progressive", f"/v1/networks/{network}/hits", "hits"):
            books.add("decided", (_hit(hit) for hit in page if books.has_round(hit["table"], hit["round_no"])))
        async for page in client.pages("progressive", f"/v1/networks/{network}/proposed-hits", "proposed_hits"):
            waiting = [hit for hit in page if hit["status"] != "locked"]
            books.add("decided", (_proposed(hit) for hit in waiting if books.has_round(hit["table"], hit["round_no"])))
    for table in sorted(tables):
        async for page in client.pages("progressive", "/v1/prizes", "prizes", table=table):
            books.add(
                "decided",
                (row for prize in page if books.has_round(table, prize["round_no"]) for row in _prize(prize)),
            )


async def _renamed(client: Client, key: tuple[str, int]) -> dict[str, str]:
    """Shares and prizes of a corrected round: by the id that a first settlement gives them, the one that they have."""
    table, round_no = key
    last = (await client.events("settlement", f"/v1/rounds/{table}/{round_no}"))[-1].event
    if not isinstance(last, RoundResettled):
        return {}
    named = {ids.claim_id(table, round_no, one.seat, one.wager): one.claim_id for one in last.claims}
    return named | {ids.prize_id(table, round_no, one.seat, one.prize): one.prize_id for one in last.prizes}


def _proposed(hit: Json) -> tuple[Any, ...]:
    """A hit that a correction made appear; nothing of it is locked."""
    where = (hit["table"], hit["round_no"], hit["seat"], hit["player"], hit["currency"])
    status = {"declined": "refused"}.get(hit["status"], hit["status"])
    return (hit["claim_id"], "share", *where, 0, status)


def _seat(settled: RoundSettled, seat: SeatSettlement) -> tuple[Any, ...]:
    """What the ledger must have posted for a seat: without shares of meters, and without prizes that wait."""
    lines = sum(line.returned - line.stake + (0 if line.awaits_validation else line.won) for line in seat.lines)
    awards = sum(award.amount for award in seat.awards if not award.awaits_validation)
    return (settled.table, settled.round_no, seat.seat, seat.player, settled.currency, lines + awards)


def _claims(settled: RoundSettled) -> list[tuple[Any, ...]]:
    """Shares of meters, whose amount only their network knows, and prizes that wait for a floorperson."""
    found: dict[str, list[Any]] = {}
    for seat in settled.seats:
        where = (settled.table, settled.round_no)
        for line in seat.lines:
            who = (seat.seat, seat.player, settled.currency)
            if line.share is not None:
                claim = ids.claim_id(*where, seat.seat, line.wager)
                found[claim] = [claim, "share", *where, *who, None]
            elif line.awaits_validation:
                prize = ids.prize_id(*where, seat.seat, line.wager)
                found[prize] = [prize, "prize", *where, *who, line.won]
        for award in seat.awards:
            if award.awaits_validation:
                holder = award.for_seat or seat.seat
                prize = ids.prize_id(*where, holder, award.award)
                row = found.setdefault(prize, [prize, "prize", *where, holder, "", settled.currency, 0])
                row[-1] += award.amount
    return [tuple(row) for row in found.values()]


def _hit(hit: Json) -> tuple[Any, ...]:
    where = (hit["table"], hit["round_no"], hit["seat"], hit["player"], hit["currency"])
    return (hit["claim_id"], "share", *where, hit["amount"], hit["status"])


def _prize(prize: Json) -> list[tuple[Any, ...]]:
    status = {"approved": "paid"}.get(prize["status"], prize["status"])
    return [
        (
            prize["prize_id"],
            "prize",
            prize["table"],
            prize["round_no"],
            payee["seat"],
            payee["player"],
            prize["currency"],
            payee["amount"],
            status,
        )
        for payee in prize["payees"]
    ]


async def _take_postings(client: Client, day: str, books: Compared, corrections: Mapping[tuple[str, int], int]) -> None:
    async for page in client.pages("wallet", f"/v1/gaming-days/{day}/rounds", "rounds"):
        for row in page:
            where = (row["table"], row["round_no"])
            if row["late"]:
                books.add("late_rounds", [(*where, row["currency"], row["corrected"] > 0)])
            posted = [one for one in row["postings"] if one["kind"] == "seat"]
            differences = [one for one in row["postings"] if one["kind"] == "correction"]
            if where in corrections:
                last = max((one["correction"] for one in differences), default=0)
                books.add("corrected_rounds", [(*where, corrections[where], last)])
            for (seat, player, currency), net in _with_corrections(posted, differences):
                # Whoever a correction took off the seat came to nothing there.
                if net or not differences or books.is_settled(*where, seat, player):
                    books.add("posted", [(*where, seat, player, currency, net)])
            for one in row["postings"]:
                if one["kind"] == "hand_pay":
                    paid = (*where, one["seat"], one["player"], one["currency"], one["net"])
                    books.add("paid", [(one["claim_id"], *paid)])


def _with_corrections(posted: list[Json], differences: list[Json]) -> list[tuple[tuple[int, str, str], int]]:
    """What each seat came to for each of its players and currencies, corrections taken in. A seat that was posted twice
    stays two rows where nothing was corrected: that is a difference of its own."""
    rows = [((one["seat"], one["player"], one["currency"]), one["net"]) for one in (*posted, *differences)]
    if not differences:
        return rows
    sums: dict[tuple[int, str, str], int] = {}
    for key, net in rows:
        sums[key] = sums.get(key, 0) + net
    return list(sums.items())


async def _take_counts(client: Client, day: str, books: Compared) -> None:
    async for page in client.pages("wallet", f"/v1/gaming-days/{day}/tables", "tables"):
        for row in page:
            counted = row["counted"]
            box = 0 if counted is None else counted["drop"] - counted["buy_ins"]
            books.add("counted", [(row["table"], row["currency"], row["counted_less_settled"] or 0, box, row["state"])])


async def _take_movements(client: Client, day: str, operator: str, books: Compared) -> None:
    """What passed between an operator and its players' game accounts that day, and whatever else its lines name."""
    path = f"/v1/gaming-days/{day}/movements"
    async for page in client.pages("wallet", path, "movements", operator=operator):
        books.add("ours", (_movement(row, day) for row in page))
    for some in books.not_ours_yet(operator, _PAGE):
        body = {"operator": operator, "transaction_ids": some}
        answer = await client.query("wallet", "/v1/movements/query", body)
        books.add("ours", (_movement(row, day) for row in answer["movements"]))


def _movement(row: Json, day: str) -> tuple[Any, ...]:
    return (
        row["transaction_id"],
        row["player"],
        row["currency"],
        row["way"],
        row["amount"],
        row["state"],
        row["gaming_day"],
        row["gaming_day"] == day,
    )


def show(found: Reconciled, console: Console) -> None:
    """Print what agrees and what does not, cause by cause."""
    counts = ", ".join(f"{count:,} {what}" for what, count in found.compared.items() if count)
    console.print(f"gaming day {found.day}: {counts or 'nothing was settled, posted or counted'}")
    if not found.differences:
        console.print("[green]everything agrees[/]")
    else:
        table = Table("between", "cause", "what", "what each of them has")
        for one in found.differences[:_SHOWN_MAX]:
            # As text: what an operator's file says could be markup, and would be obeyed.
            says = Text(f"{one.says} {one.currency}".strip())
            table.add_row(one.between, Text(one.cause, "red"), Text(one.what), says)
        console.print(table)
        more = len(found.differences) - _SHOWN_MAX
        console.print(
            Text(
                f"{len(found.differences):,} difference{'' if len(found.differences) == 1 else 's'}"
                + (f", {more:,} not shown" if more > 0 else ""),
                "bold red",
            )
        )
    for text in found.open_items[:_SHOWN_MAX]:
        console.print(Text(f"open: {text}", "yellow"))


def _date(day: str) -> str:
    try:
        return date.fromisoformat(day).isoformat()
    except ValueError as error:
        raise UnusableError(f"day: was {day!r}; allowed: a date, YYYY-MM-DD") from error

"""``pitstream par``: what a game's paytables earn, exactly, and how the game is best played."""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from json import dumps
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from pitstream.cli.options import WRONG, Json, UnusableError, paytables_with, plainly

if TYPE_CHECKING:
    from rich.table import Table

    from pitstream.odds.inputs import Inputs
    from pitstream.odds.pays import Amounts
    from pitstream.odds.progressive import Growth
    from pitstream.odds.result import ParResult
    from pitstream.odds.sheet import Sheet

Told = Callable[[int, int], object] | None

ROUNDS_MIN: Final = 100
"""Of fewer rounds no mean has an interval worth its name: one rare prize leaves it."""
_CHOICES = "wager=ID,wager=ID"
_METERS = "meter=AMOUNT,meter=AMOUNT"


def par(
    game: Annotated[str, typer.Argument(help="The game's name.")],
    paytables: Annotated[
        str, typer.Option(help="Paytables by wager; the first listed for those left out.", metavar=_CHOICES)
    ] = "",
    compare: Annotated[
        str | None, typer.Option(help="A second sheet with these paytables, beside the first.", metavar=_CHOICES)
    ] = None,
    policies: Annotated[
        str, typer.Option(help="Policies that are not the default.", metavar="name=value,name=value")
    ] = "",
    file: Annotated[
        Path | None, typer.Option(envvar="PITSTREAM_PAYTABLES", help="A file of the property's own paytables, as TOML.")
    ] = None,
    main_only: Annotated[bool, typer.Option("--main-only", help="Leave out side bets that are not named.")] = False,
    joint: Annotated[
        bool, typer.Option("--joint", help="Join the Five Card Bonus with the main game: its covariance, in a minute.")
    ] = False,
    meters: Annotated[str, typer.Option(help="What meters stand at, in stakes.", metavar=_METERS)] = "",
    seeds: Annotated[str, typer.Option(help="What meters restart from, in stakes.", metavar=_METERS)] = "",
    rates: Annotated[str, typer.Option(help="What a wager adds to meters, of its stake.", metavar=_METERS)] = "",
    players: Annotated[int, typer.Option(help="Players at the table, for envy.", min=1, max=7)] = 1,
    handle: Annotated[
        str | None, typer.Option(help="Progressive stakes wagered an hour: tells the hours between hits.")
    ] = None,
    html: Annotated[Path | None, typer.Option(help="Write the PAR sheet there, one file.", dir_okay=False)] = None,
    csv: Annotated[Path | None, typer.Option(help="Write every wager's rows there.", dir_okay=False)] = None,
    strategy: Annotated[
        Path | None, typer.Option(help="Write each decision's exact values into this folder.", file_okay=False)
    ] = None,
    choices: Annotated[
        Path | None,
        typer.Option(help="Write a page there: choose cards, see what each choice is worth.", dir_okay=False),
    ] = None,
    json: Json = False,
    check: Annotated[int, typer.Option(help="Play so many rounds with the live game code: 100 or more.", min=0)] = 0,
    seed: Annotated[int, typer.Option(help="What the rounds of --check are drawn from.")] = 1,
    solve: Annotated[
        str | None, typer.Option(help="Find the odds of this row that give --edge.", metavar="wager=row")
    ] = None,
    edge: Annotated[str | None, typer.Option(help="The edge wanted: 2.5%, 0.025 or 1/40.")] = None,
    hand: Annotated[str | None, typer.Option(help='What each choice is worth with these cards: "Ah Kd".')] = None,
    board: Annotated[str, typer.Option(help="The community cards then, in the order they came.")] = "",
    earlier: Annotated[str, typer.Option(help="The seat's answers before, where they matter: check,2x.")] = "",
) -> None:
    """Tell exactly what a game's paytables earn, and how the game is best played: every deal is counted.

    Prints the main figures; --html writes the whole PAR sheet as one page, --json and --csv for machines. With
    --solve it finds odds for an edge, with --hand it advises. Amounts of meters are in stakes of the wager.

    Exit code: 0, 1 rounds of --check came out too far off, 2 what was asked for has no odds: the reason is told.
    """
    from pitstream.odds.errors import OddsError
    from pitstream.odds.inputs import inputs

    with plainly():
        try:
            if edge is not None and solve is None:
                raise UnusableError(f"--edge was {edge!r} without a row; allowed: --solve wager=row --edge 2.5%")
            if 0 < check < ROUNDS_MIN:
                raise UnusableError(f"--check was {check}; allowed: 0 for none, or {ROUNDS_MIN} rounds and more")
            _one_question(
                {"--solve": solve, "--hand": hand, "--choices": choices},
                {"--html": html, "--csv": csv, "--strategy": strategy, "--compare": compare, "--check": check or None},
            )
            for option, given in (("--board", board), ("--earlier", earlier)):
                if given and hand is None:
                    raise UnusableError(f"{option} was {given!r} without a hand; allowed: with --hand")
            an_hour = None if handle is None else _number("--handle", handle)
            if an_hour is not None and an_hour <= 0:
                raise UnusableError(f"--handle was {handle}; allowed: more than 0 stakes an hour")
            known = paytables_with(file)
            named, in_force = _pairs("--paytables", paytables), _pairs("--policies", policies)
            asked = inputs(game, named, known=known, policies=in_force, side_bets=not main_only)
            if solve is not None:
                _solve(asked, solve, edge, meters, json=json)
            elif hand is not None:
                _advise(asked, hand, board, earlier, json=json)
            elif choices is not None:
                _write_choices(asked, choices)
            else:
                second = None
                if compare is not None:
                    changed = {**named, **_pairs("--compare", compare)}
                    second = inputs(game, changed, known=known, policies=in_force, side_bets=not main_only)
                growth = _growth(seeds, rates)
                sheets = [
                    _sheet(one, _amounts("--meters", meters), growth, players, check, seed, joint=joint)
                    for one in (asked, second)
                    if one is not None
                ]
                _write(sheets, html, csv)
                if strategy is not None:
                    _write_strategy(asked, strategy)
                _show(sheets, an_hour, json=json)
                if not all(sheet.checked is None or sheet.checked.holds for sheet in sheets):
                    raise typer.Exit(WRONG)
        except OddsError as error:
            raise UnusableError(str(error)) from error
        except OSError as error:
            raise UnusableError(f"{error.filename}: {error.strerror or error}; allowed: a place to write") from error


def _one_question(questions: dict[str, object], of_sheet: dict[str, object]) -> None:
    """Nothing that was asked for is left out: what is no part of a sheet is asked alone. Raises UnusableError."""
    asked = [option for option, given in questions.items() if given is not None]
    others = [*asked[1:], *(option for option, given in of_sheet.items() if given is not None)]
    if asked and others:
        raise UnusableError(f"{asked[0]} was given with {', '.join(others)}; allowed: it alone, then the others")


def _pairs(option: str, text: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for word in filter(None, (part.strip() for part in text.split(","))):
        name, is_pair, value = (part.strip() for part in word.partition("="))
        if not is_pair or not name or not value or name in found:
            raise UnusableError(f"{option} was {word!r}; allowed: name=value, each name once, commas between")
        found[name] = value
    return found


def _number(option: str, text: str) -> Fraction:
    """A whole number, a decimal, a fraction or a percentage. Raises UnusableError."""
    match = re.fullmatch(r"(-?[0-9]+(?:\.[0-9]+)?|-?[0-9]+/[1-9][0-9]*)(%?)", text.strip())
    if match is None or len(text) > 100:
        raise UnusableError(f"{option} was {text!r}; allowed: a number such as 2.5%, 0.025 or 1/40")
    return Fraction(match[1]) / (100 if match[2] else 1)


def _amounts(option: str, text: str) -> dict[str, Fraction]:
    amounts = {name: _number(f"{option} {name}", value) for name, value in _pairs(option, text).items()}
    for name, amount in amounts.items():
        if amount < 0:
            raise UnusableError(f"{option} {name} was {amount}; allowed: 0 or more")
    return amounts


def _growth(seeds: str, rates: str) -> "dict[str, Growth]":
    from pitstream.odds.progressive import Growth

    seed, rate = _amounts("--seeds", seeds), _amounts("--rates", rates)
    zero = Fraction(0)
    return {meter: Growth(seed.get(meter, zero), rate.get(meter, zero)) for meter in {**seed, **rate}}


@contextmanager
def _watched(what: str) -> "Iterator[Told]":
    """A progress bar where somebody sits before it."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn

    console = Console(stderr=True)
    if not console.is_terminal:
        yield None
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn())
    with Progress(*columns, console=console, transient=True) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, steps: progress.update(task, completed=done, total=steps)


def _sheet(
    asked: "Inputs",
    amounts: dict[str, Fraction],
    growth: "dict[str, Growth]",
    players: int,
    rounds: int,
    seed: int,
    *,
    joint: bool,
) -> "Sheet":
    from pitstream.odds.check import check
    from pitstream.odds.par import result_of
    from pitstream.odds.sheet import sheet_of
    from pitstream.odds.strategy import strategy

    with _watched("counting deals") as told:
        result = result_of(asked, told, joint=joint)
    checked = None
    if rounds:
        with _watched("solving again for the rounds") as told:
            play = strategy(asked, told)
        with _watched("playing rounds") as told:
            checked = check(result, play, rounds=rounds, seed=seed, progress=told)
    with _watched("finding a strategy card") as told:
        return sheet_of(result, players=players, amounts=amounts, growth=growth, checked=checked, progress=told)


def _write(sheets: "list[Sheet]", html: Path | None, csv: Path | None) -> None:
    from pitstream.odds.sheet import page, rows

    if html is not None:
        html.write_text(page(*sheets), encoding="utf-8")
        typer.echo(f"wrote {html}", err=True)
    if csv is not None:
        csv.write_text(rows(sheets[0]), encoding="utf-8")
        typer.echo(f"wrote {csv}", err=True)


def _write_strategy(asked: "Inputs", folder: Path) -> None:
    import gzip

    from pitstream.odds.decisions import files

    folder.mkdir(parents=True, exist_ok=True)
    with _watched("writing decisions") as told:
        for name, lines in files(asked, told).items():
            path = folder / name
            with gzip.open(path, "wt", 4, "utf-8") if path.suffix == ".gz" else path.open("w", encoding="utf-8") as out:
                out.writelines(lines)
            typer.echo(f"wrote {folder / name}", err=True)


def _write_choices(asked: "Inputs", file: Path) -> None:
    from pitstream.odds.picker import page

    with _watched("counting deals") as told:
        text = page(asked, told)
    file.write_text(text, encoding="utf-8")
    typer.echo(f"wrote {file}", err=True)


def _solve(asked: "Inputs", text: str, edge: str | None, meters: str, *, json: bool) -> None:
    from pitstream.odds.sheet.numbers import decimal, percent
    from pitstream.odds.solve import solve

    wager, is_pair, row = text.partition("=")
    if not is_pair or edge is None:
        raise UnusableError(f"--solve was {text!r}, --edge {edge}; allowed: --solve wager=row --edge 2.5%")
    wanted = _number("--edge", edge)
    with _watched("solving") as told:
        found = solve(asked, wager, row, wanted, meters=_amounts("--meters", meters), progress=told)
    if json:
        near = [{"odds": str(odds), "edge": str(gives)} for odds, gives in found.near]
        told_of: dict[str, Any] = {"wager": wager, "row": row, "edge": str(wanted), "odds": str(found.odds)}
        typer.echo(dumps({**told_of, "exact": found.exact, "near": near}, indent=2))
        return
    basis = asked.paytables[wager].basis
    exactly = "exactly" if found.exact else "to 1/65536"
    typer.echo(f"{wager} {row}: {decimal(found.odds, 6)} {basis} gives {percent(wanted)} {exactly} ({found.odds})")
    for odds, gives in found.near:
        typer.echo(f"  {odds} {basis} gives {percent(gives)}")


def _advise(asked: "Inputs", hand: str, board: str, earlier: str, *, json: bool) -> None:
    from pitstream.odds.sheet.numbers import decimal
    from pitstream.odds.strategy import asked_at, best, ids_of, strategy

    own, seen = ids_of(hand, "hand"), ids_of(board, "board")
    said = tuple(word.strip() for word in earlier.split(",") if word.strip())
    asked_at(asked.game, own, seen, said)
    with _watched("counting deals") as told:
        values = strategy(asked, told).values(own, seen, said)
    if json:
        typer.echo(
            dumps({"best": best(values), "values": {word: str(value) for word, value in values.items()}}, indent=2)
        )
        return
    for word, value in values.items():
        typer.echo(f"{'*' if word == best(values) else ' '} {word:6} {decimal(value, 6):>12} Antes  ({value})")


def _show(sheets: "list[Sheet]", handle: Fraction | None, *, json: bool) -> None:
    from pitstream.odds.sheet import content

    if json:
        told = [content(sheet) for sheet in sheets]
        typer.echo(dumps(told[0] if len(told) == 1 else told, indent=2))
        return
    for sheet in sheets:
        _show_one(sheet, handle)


def _show_one(sheet: "Sheet", handle: Fraction | None) -> None:
    from rich.console import Console

    from pitstream.odds.sheet.numbers import decimal, one_in, percent
    from pitstream.odds.volatility import standard_deviation

    console = Console()
    result = sheet.result
    deviation = standard_deviation(result.main.variance)
    console.print(f"[bold]{result.inputs.game.title}[/], best play")
    console.print(f"house edge of the Ante {percent(result.edge)}  ({result.edge})")
    console.print(
        f"element of risk {percent(result.element_of_risk)}, mean wager {decimal(result.mean_wager, 4)} Antes"
    )
    console.print(f"standard deviation {decimal(deviation, 4)} Antes a round")
    console.print("  ".join(f"{word} {percent(part, 2)}" for word, part in result.decisions.items()))
    console.print(_wagers_shown(sheet.result, sheet.amounts or {}))
    if sheet.progressive is not None:
        for meter in sheet.progressive.meters:
            even = "never" if meter.break_even is None else f"{decimal(meter.break_even, 0)} stakes"
            hours = "" if handle is None else f", every {decimal(meter.hours_between_hits(handle), 1)} hours"
            console.print(f"meter {meter.meter}: hit one in {one_in(meter.hit)}{hours}, breaks even at {even}")
    if sheet.bad_beat is not None:
        best, both = sheet.bad_beat.best_main, sheet.bad_beat.adapted
        console.print(f"Bad Beat and main game together: house edge {percent(best.together)}")
        console.print(f"with play adapted to both: {percent(both.together)}")
    if sheet.card is not None:
        console.print(f"strategy card, {percent(sheet.card.cost)} of an Ante above best play:")
        for rule in sheet.card.rules:
            console.print(f"  {rule.street}, {rule.choice}: {'; '.join(rule.when)}")
    if sheet.checked is not None:
        word = "within" if sheet.checked.holds else "NOT within"
        worst = decimal(max(one.errors for one in sheet.checked.wagers.values()), 2)
        rounds = f"{sheet.checked.rounds:,} rounds"
        console.print(f"check: {rounds} {word} their intervals, at most {worst} standard errors off")


def _wagers_shown(result: "ParResult", amounts: "Amounts") -> "Table":
    from rich.table import Table

    from pitstream.odds.cells import moments
    from pitstream.odds.sheet.content import meters_at
    from pitstream.odds.sheet.numbers import decimal, percent
    from pitstream.odds.volatility import standard_deviation

    shown = Table()
    for column in ("wager", "paytable", "house edge", "wins anything", "deviation"):
        shown.add_column(column, justify="left" if column in ("wager", "paytable") else "right")
    for name, wager in result.wagers.items():
        at = meters_at(wager, amounts)
        deviation = standard_deviation(moments(wager.results(at)).variance)
        shown.add_row(
            result.inputs.game.title_of(name),
            result.inputs.paytables[name].id,
            percent(wager.edge(at)),
            percent(wager.hit_frequency),
            decimal(deviation, 4),
        )
    return shown

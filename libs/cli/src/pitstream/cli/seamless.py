"""An operator's own wallet beside the demo's services: a process of its own, connected, and compared to the cent."""

import asyncio
import os
import secrets
import subprocess
import sys
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from rich.console import Console

from pitstream.cli.addresses import Addresses
from pitstream.cli.cards import money
from pitstream.cli.client import Client, Json, UnreachableError
from pitstream.events.ids import operator_of
from pitstream.stack.process import LOOPBACK, free_ports

OPERATOR = "acme"
CURRENCY = "USD"
_KEY_VARIABLE = "OPERATOR_KEY"
_PAUSE_S = 0.1


@dataclass(frozen=True, slots=True)
class OperatorWallet:
    """Where the operator's wallet listens, and where the key that it shares with ours is kept."""

    url: str
    key_file: Path

    @asynccontextmanager
    async def back_office(self, patience_s: float) -> AsyncIterator["BackOffice"]:
        """The operator's own side of its wallet, once it answers. Raises UnreachableError."""
        async with aiohttp.ClientSession(self.url, timeout=aiohttp.ClientTimeout(total=10)) as session:
            deadline = asyncio.get_running_loop().time() + patience_s
            while True:
                try:
                    async with session.get("/health"):
                        break
                except aiohttp.ClientError as error:
                    if asyncio.get_running_loop().time() > deadline:
                        raise UnreachableError(f"{self.url}: the operator's wallet does not answer") from error
                    await asyncio.sleep(_PAUSE_S)
            yield BackOffice(session)


@dataclass(frozen=True, slots=True)
class BackOffice:
    """What the operator knows of its players, by its own books."""

    session: aiohttp.ClientSession

    async def open_player(self, player: str, balance: int) -> None:
        body = {"currency": CURRENCY, "balance": balance}
        async with self.session.put(f"/players/{player}", json=body) as answer:
            answer.raise_for_status()

    async def changes(self) -> dict[str, int]:
        """Player -> what its balance came to since it was opened, minor units."""
        async with self.session.get("/players") as answer:
            answer.raise_for_status()
            rows: list[dict[str, Any]] = await answer.json()
        return {row["player"]: row["balance"] - row["opening"] for row in rows}


@contextmanager
def running(home: Path) -> Iterator[OperatorWallet]:
    """An operator's wallet as a process; its books are kept in ``home`` for the next time."""
    home.mkdir(parents=True, exist_ok=True)
    key_file = home / "operator.key"
    if not key_file.exists():
        key_file.touch(mode=0o600)
        key_file.write_text(secrets.token_hex(32), encoding="ascii")
    (port,) = free_ports(1)
    command = (sys.executable, "-m", "pitstream.operator", "--port", str(port), "--books", home / "operator.sqlite")
    with (home / "operator.log").open("ab") as log:
        process = subprocess.Popen(  # noqa: S603  # our own program
            command,
            env={**os.environ, _KEY_VARIABLE: key_file.read_text(encoding="ascii")},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
        )
    try:
        yield OperatorWallet(f"http://{LOOPBACK}:{port}", key_file)
    finally:
        process.terminate()
        process.wait()


async def connect(
    wallet: OperatorWallet, addresses: Addresses, needs: Mapping[tuple[str, str], int], *, patience_s: float
) -> None:
    """Connect the operator to our wallet, and give its players at the operator what they need for the evening."""
    terms: Json = {
        "mode": "seamless",
        "currency": CURRENCY,
        "base_url": f"{wallet.url}/wallet",
        "key_ref": f"file:{wallet.key_file.resolve()}",
    }
    async with wallet.back_office(patience_s) as office, Client(addresses, patience_s=patience_s) as client:
        path = f"/v1/operators/{OPERATOR}/connect"
        # The port is another one each time, and the same terms may come again: each start is a command of its own.
        await client.command("wallet", path, terms, command_id=uuid.uuid4(), by="operations")
        for (player, _), amount in sorted(needs.items()):
            await office.open_player(player, amount)


def is_kept_by_operator(needs: Mapping[tuple[str, str], int]) -> bool:
    """Whether these players' money is with the operator."""
    return bool(needs) and all(operator_of(player) == OPERATOR for player, _ in needs)


@dataclass(frozen=True, slots=True)
class Compared:
    """Both ledgers after an evening, minor units."""

    moves: Json
    """What our wallet says of its moves at the operator."""
    differing: Mapping[str, tuple[int, int]]
    """Player -> what its balance changed by at the operator, and what was posted here; where these are not equal."""
    players: int

    @property
    def agree(self) -> bool:
        return not self.differing and self.moves["open"] == 0 and self.moves["uncertain"] == 0


async def compare_ledgers(
    wallet: OperatorWallet, addresses: Addresses, posted: Mapping[str, int], *, patience_s: float
) -> Compared:
    """Wait until nothing is on its way any more, then compare. ``posted``: player -> net of the evening here."""
    async with wallet.back_office(patience_s) as office, Client(addresses, patience_s=patience_s) as client:
        deadline = asyncio.get_running_loop().time() + patience_s
        while (moves := (await client.get("wallet", f"/v1/operators/{OPERATOR}"))["moves"])["open"]:
            if asyncio.get_running_loop().time() > deadline:
                break
            await asyncio.sleep(_PAUSE_S)
        changes = await office.changes()
    differing = {
        player: (changes.get(player, 0), posted.get(player, 0))
        for player in sorted(changes.keys() | posted.keys())
        if changes.get(player, 0) != posted.get(player, 0)
    }
    return Compared(moves, differing, len(changes))


def show_compared(found: Compared, console: Console) -> None:
    """Print how the two ledgers compare."""
    moves = found.moves
    console.print(
        f"{OPERATOR} keeps its players' money itself: {moves['debits']} debits of "
        f"{money(moves['debited'], CURRENCY)} and {moves['credits']} credits of {money(moves['credited'], CURRENCY)} "
        f"over its own wallet, {moves['uncertain']} uncertain"
    )
    if found.agree:
        console.print(f"[green]both ledgers agree to the cent[/] for each of {found.players} players")
    for player, (there, here) in found.differing.items():
        console.print(
            f"[red]differs[/]: {player}: {money(there, CURRENCY)} at the operator, {money(here, CURRENCY)} here"
        )
    if moves["open"]:
        console.print(f"[red]{moves['open']} moves are still on their way[/]")

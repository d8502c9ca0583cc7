"""What a feed came to, asked of the services once everything is posted."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence

from pitstream.cli.client import Client, Json, UnreachableError
from pitstream.cli.floor import Floor, Played
from pitstream.cli.results import Results, totals_of, unposted, worth_telling
from pitstream.events.prizes import pending_prizes
from pitstream.events.settlements import RoundSettled

_QUERY_ROUNDS_MAX = 500
_PAUSE_S = 0.1


async def tally(
    client: Client, floor: Floor, played: Sequence[Played], *, patience_s: float
) -> tuple[Results, tuple[str, int] | None]:
    """Wait until each round is settled, closed at its network and posted, then read the books of exactly these rounds.

    Money comes from the wallet's postings, wagers' totals from the settlements and the locked hits, meters from the
    networks. Beside the results comes the round most worth telling. Raises UnreachableError when nothing more arrives
    for as long as ``patience_s``.
    """
    wanted = [{"table": one.round.table, "round_no": one.round_no} for one in played]
    settled: list[RoundSettled] = []

    async def unsettled() -> list[str]:
        settled[:] = [
            # From text again: only there do the contract's strict types take a JSON list for a tuple.
            RoundSettled.model_validate_json(json.dumps(one))
            for one in await _query(client, "settlement", wanted)
        ]
        have = {(result.table, result.round_no) for result in settled}
        return [f"{one.round.table}/{one.round_no}" for one in played if (one.round.table, one.round_no) not in have]

    await _until_none(unsettled, "settlement has not settled", patience_s)
    rounds_of = _by_network(played)
    locked: dict[str, int] = {}
    meters: dict[str, dict[str, int]] = {}
    for network, (game, rounds) in rounds_of.items():
        last: dict[str, int] = {}
        for table, round_no in rounds:
            last[table] = max(round_no, last.get(table, 0))
        await floor.closed(network, last)
        await floor.pay_hits(rounds, network)
        async for page in client.pages("progressive", f"/v1/networks/{network}/hits", "hits"):
            locked |= {hit["claim_id"]: 0 if hit["status"] == "refused" else hit["amount"] for hit in page}
        view = await client.get("progressive", f"/v1/networks/{network}")
        # A second network of the game counts in another currency.
        meters[f"{game}/{view['currency']}" if game in meters else game] = {
            meter["meter"]: meter["amount"] for meter in view["meters"]
        }
    prizes = await floor.approve_prizes([prize for result in settled for prize in pending_prizes(result)])
    postings: list[Json] = []

    async def owed() -> list[str]:
        postings[:] = await _query(client, "wallet", wanted)
        return unposted(settled, postings, locked, prizes)

    await _until_none(owed, "the wallet has not posted", patience_s)
    players = {seat.player: 0 for result in settled for seat in result.seats}
    for posting in postings:
        players[posting["player"]] = players.get(posting["player"], 0) + posting["net"]
    results = Results(
        players=dict(sorted(players.items())), totals=totals_of(settled, locked), meters=meters, rounds=len(settled)
    )
    return results, worth_telling(postings)


def _by_network(played: Sequence[Played]) -> Mapping[str, tuple[str, set[tuple[str, int]]]]:
    """Network -> its game and these rounds of it."""
    found: dict[str, tuple[str, set[tuple[str, int]]]] = {}
    for one in played:
        if one.round.network is not None:
            of_network = found.setdefault(one.round.network, (one.round.played.game, set()))
            of_network[1].add((one.round.table, one.round_no))
    return found


async def _query(client: Client, service: str, rounds: Sequence[Json]) -> list[Json]:
    """``settled`` or ``postings`` of these rounds, in as many questions as it takes."""
    found: list[Json] = []
    for start in range(0, len(rounds), _QUERY_ROUNDS_MAX):
        some = rounds[start : start + _QUERY_ROUNDS_MAX]
        answer = await client.query(service, "/v1/rounds/query", {"rounds": some})
        found += answer["settled" if service == "settlement" else "postings"]
    return found


async def _until_none(missing: Callable[[], Awaitable[list[str]]], sentence: str, patience_s: float) -> None:
    """Ask until nothing is missing. Patience begins anew with everything that arrives."""
    least, deadline = None, time.monotonic() + patience_s
    while left := await missing():
        if least is None or len(left) < least:
            least, deadline = len(left), time.monotonic() + patience_s
        if time.monotonic() > deadline:
            more = f" and {len(left) - 5} more" if len(left) > 5 else ""
            raise UnreachableError(f"{sentence} {', '.join(left[:5])}{more} in {patience_s:g} s")
        await asyncio.sleep(_PAUSE_S)

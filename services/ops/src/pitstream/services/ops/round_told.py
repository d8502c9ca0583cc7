"""A round's whole story from the kept events, with the proof of the chains that they stand in."""

from collections.abc import Iterable, Sequence, Set

from pitstream.events import Recorded, chain_breaks, ids, open_envelope
from pitstream.events.envelope import envelope_hash
from pitstream.events.progressives import TOPIC as PROGRESSIVES
from pitstream.events.progressives import CardsReleased, HitLocked, HitVerified
from pitstream.events.wallet import TOPIC as WALLET
from pitstream.services.ops import told
from pitstream.services.ops.told import Connection
from pitstream.story.history import History


async def history_of(conn: Connection, table: str, round_no: int) -> History | None:
    """Everything that is known of a round; None when there is no such round.

    The round's own streams are proven from their first event on. Of longer ones, a network's and the accounts', each
    event that tells of the round is proven against the one before it.
    """
    found = await told.about_round(conn, table, round_no)
    of_round = _of(found, ids.round_stream(table, round_no))
    if not of_round:
        return None
    settlement = _of(found, ids.settlement_stream(table, round_no))
    prizes = _of(found, ids.prize_stream(table, round_no))
    own = {ids.round_stream(table, round_no), ids.settlement_stream(table, round_no), ids.prize_stream(table, round_no)}
    network = [one for one in found if one.event.topic == PROGRESSIVES and one.stream not in own]
    claims = {(one.stream, one.event.claim_id) for one in network if isinstance(one.event, HitLocked)}
    network += await _of_claims(conn, claims)
    network.sort(key=lambda one: (one.envelope.recorded_at_us, one.stream, one.version))
    wallet = [one for one in found if one.event.topic == WALLET]
    broken = [chain_breaks(one.data for one in stream) for stream in (of_round, settlement, prizes)]
    broken += await _unlinked(conn, (*network, *wallet))
    return History(
        round=of_round,
        settlement=settlement,
        network=tuple(network),
        prizes=prizes,
        wallet=tuple(wallet),
        chained=len(of_round) + len(settlement) + len(prizes) + len(network) + len(wallet),
        broken=tuple(where for where in broken if where is not None),
    )


def _of(events: Iterable[Recorded], stream: str) -> tuple[Recorded, ...]:
    return tuple(sorted((one for one in events if one.stream == stream), key=lambda one: one.version))


async def _of_claims(conn: Connection, claims: Set[tuple[str, str]]) -> list[Recorded]:
    """What became of hits, told by events that name no round."""
    if not claims:
        return []
    streams = sorted({stream for stream, _ in claims})
    rows = await conn.fetch(
        "SELECT envelope FROM told WHERE stream = ANY($1) AND type = ANY($2) AND round_no IS NULL",
        streams,
        [one.type_name for one in (HitVerified, CardsReleased)],
    )
    found = [open_envelope(row["envelope"]) for row in rows]
    return [one for one in found if (one.stream, getattr(one.event, "claim_id", None)) in claims]


async def _hashes_before(conn: Connection, events: Sequence[Recorded]) -> dict[tuple[str, int], bytes]:
    """By stream and version, the hash of the bytes that stand before."""
    rows = await conn.fetch(
        "SELECT t.stream, t.version, t.envelope FROM told t JOIN unnest($1::text[], $2::text[], $3::bigint[]) "
        "AS w (topic, key, key_sequence) USING (topic, key, key_sequence)",
        [one.event.topic for one in events],
        [one.envelope.key for one in events],
        [one.envelope.key_sequence - 1 for one in events],
    )
    return {(row["stream"], row["version"] + 1): envelope_hash(row["envelope"]) for row in rows}


async def _unlinked(conn: Connection, events: Sequence[Recorded]) -> list[str | None]:
    """Where an event does not name the hash of the one before it."""
    before = await _hashes_before(conn, events)
    return [
        f"{one.stream} version {one.version} ({one.envelope.event_id}): previous_hash is not the hash of the event "
        "before it"
        for one in events
        if one.envelope.previous_hash != before.get((one.stream, one.version), b"")
    ]

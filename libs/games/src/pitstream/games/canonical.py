"""A round's state as bytes that never vary, and their hash: two who hold the same hash hold the same round.

The bytes are one JSON object in ASCII, keys sorted, without blanks, integers written out. It holds all of a state and
nothing else: ``schema``; ``stage``, and what belongs to it (``stop``, the street counted from 0; ``seat``; ``bundle``;
``reason`` of a void); ``opened``, every field of the round's first event that it had, bytes as hexadecimal digits;
``seats`` in seat order, each with its wagers in line order; the cards of the dealer, the board, the burns and the bonus
in the order dealt, those set aside, and the seats that were withdrawn. No time, actor or event id is in it: the chain
of hashes over the events' own bytes proves those.
"""

import hashlib
import json
from typing import Any, Final

from pitstream.games.states import Asking, AwaitingCommunity, AwaitingFunds, LiveSeat, NoRound, Round, Voided

SCHEMA: Final = "pitstream.round-state/1"


def state_bytes(state: Round) -> bytes:
    """The state's canonical bytes.

    >>> state_bytes(NoRound())
    b'{"schema":"pitstream.round-state/1","stage":"no_round"}'
    """
    told: dict[str, Any] = {"schema": SCHEMA, "stage": state.stage}
    if not isinstance(state, NoRound):
        play = state.play
        told |= {
            # A field that the contract did not have yet is no part of an older round.
            "opened": play.opened.model_dump(mode="json", exclude_none=True),
            "seats": [_seat(seat) for seat in play.seats],
            "dealer": play.dealer,
            "community": play.community,
            "burned": play.burned,
            "bonus": play.bonus,
            "set_aside": play.set_aside,
            "withdrawn": sorted(play.withdrawn),
        }
    match state:
        case Asking():
            told |= {"stop": state.stop, "seat": state.seat}
        case AwaitingFunds():
            told |= {"stop": state.stop, "seat": state.seat, "bundle": state.bundle}
        case AwaitingCommunity():
            told |= {"stop": state.stop}
        case Voided():
            told |= {"reason": state.reason}
        case _:
            pass
    return json.dumps(told, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False).encode()


def state_hash(state: Round) -> bytes:
    """SHA-256 of the canonical bytes: 32 bytes."""
    return hashlib.sha256(state_bytes(state)).digest()


def _seat(seat: LiveSeat) -> dict[str, Any]:
    return {
        "seat": seat.seat,
        "player": seat.player,
        "wagers": [[wager, stake] for wager, stake in seat.wagers.items()],
        "stands": seat.stands,
        "bundles": seat.bundles,
        "cards": seat.cards,
        "decisions": seat.decisions,
        "forfeited": seat.forfeited,
        "left": seat.left,
    }

"""Topic ``wallet.v1``: operators whose own wallet keeps their players' money, and what it is asked to move.

Streams ``remote/<transaction_id>``, key: the player's account, and ``operator/<operator>``, key: the same. Amounts are
minor units. Money here is moved by ``FundsMoved`` on the player's account; these events say what the operator knows.
"""

from typing import Annotated, Literal

from pydantic import Field

from pitstream.events.model import Bundle, Currency, Event, PlayerId, RoundNo, SeatNo, Stake, TableId, Text
from pitstream.events.wallet import TOPIC, AccountId

OperatorId = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,31}$")]
"""What stands before the first dot or colon of its players' ids."""
TransactionId = Annotated[str, Field(pattern=r"^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$")]
Milliseconds = Annotated[int, Field(ge=1, le=86_400_000)]
Mode = Literal["ledger", "seamless"]
UnknownRollback = Literal["success", "not_found", "parent_failed"]
Resolution = Literal["confirm", "void", "retry"]


class OperatorConnected(Event, package=TOPIC):
    """How an operator is connected from here on. ``key_ref`` names the secret of its signatures and never tells it."""

    operator: OperatorId
    mode: Mode
    currency: Currency
    base_url: Text
    key_ref: Text
    deadline_ms: Milliseconds
    retry_ms: tuple[Milliseconds, ...]
    """Pauses before the second, third, … attempt of what must happen; the last one is for ever."""
    unknown_rollback: UnknownRollback
    """What it answers to the rollback of a transaction that it never saw."""
    calls_at_once: Annotated[int, Field(ge=1, le=256)]
    by: Text


class RemoteDebitRequested(Event, package=TOPIC):
    """A bundle needs money of the operator's player. Recorded before the one call that asks for it."""

    transaction_id: TransactionId
    operator: OperatorId
    account: AccountId
    player: PlayerId
    currency: Currency
    amount: Stake
    table: TableId
    round_no: RoundNo
    seat: SeatNo
    bundle: Bundle
    game: Text


class RemoteDebitConfirmed(Event, package=TOPIC):
    """The operator took the money: it is on the player's account here, and held."""

    transaction_id: TransactionId


class RemoteDebitRefused(Event, package=TOPIC):
    """The operator said no, or was never reached: nothing moved, and nothing ever will under this id. The bundle is
    off."""

    transaction_id: TransactionId
    code: Text
    message: Text


class RemoteRollbackRequested(Event, package=TOPIC):
    """The operator may have taken money that is not wanted here: no answer that could be believed, or one that came
    after its round was closed. The bundle is off; a rollback is sent until its answer is certain."""

    transaction_id: TransactionId
    rollback_id: TransactionId
    reason: Text


class RemoteRollbackConfirmed(Event, package=TOPIC):
    """Nothing of the debit stands at the operator, and nothing ever will. ``answer``: ``rolled_back``, or what the
    operator says of a transaction that it never saw."""

    transaction_id: TransactionId
    answer: Text


class RemoteCreditRequested(Event, package=TOPIC):
    """Money left the player's account here for the operator: it waits in suspense, and the credit is sent until its
    answer is certain, for ever under the same id. ``reference_id``: the debit that it comes from, else ""."""

    transaction_id: TransactionId
    operator: OperatorId
    account: AccountId
    player: PlayerId
    currency: Currency
    amount: Stake
    table: TableId
    round_no: RoundNo
    game: Text
    reference_id: Text


class RemoteCreditDoubted(Event, package=TOPIC):
    """The first attempt that nothing certain is known of; further ones are counted, not told."""

    transaction_id: TransactionId
    reason: Text


class RemoteCreditConfirmed(Event, package=TOPIC):
    """The operator booked the money: it is out of suspense."""

    transaction_id: TransactionId


class RemoteMoveStopped(Event, package=TOPIC):
    """The operator said no to what must happen, a credit or a rollback. A person finds out and resolves it."""

    transaction_id: TransactionId
    code: Text
    message: Text


class RemoteMoveResolved(Event, package=TOPIC):
    """A person found out what stands at the operator. ``confirm``: it stands there; ``void``: it does not and will not;
    ``retry``: ask again."""

    transaction_id: TransactionId
    resolution: Resolution
    by: Text
    reason: Text

"""What goes through stages of its own, and what each event makes of it: networks, meters, hits, changes, questions,
prizes, disputes, corrections, moves at operators' wallets, receivables. Pure.

A thing is told by one topic alone, and by one key of it, so its events come in order. Its state is JSON: amounts are
integers of minor units, times microseconds, names those of the events.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from pitstream.events import Event, Recorded, disputes, prizes, progressives, remote
from pitstream.events import corrections as put_right
from pitstream.events.wallet import TOPIC as WALLET

Key = tuple[str, str]
"""Kind and id."""
State = dict[str, Any]

UNCERTAIN = ("asked", "doubted", "rolling_back", "stopped")
"""Of a move at an operator's wallet: nobody knows yet what stands there."""
_REMOTE_KINDS = {
    "RemoteDebitConfirmed": "booked",
    "RemoteDebitRefused": "refused",
    "RemoteRollbackRequested": "rolling_back",
    "RemoteRollbackConfirmed": "undone",
    "RemoteCreditDoubted": "doubted",
    "RemoteCreditConfirmed": "booked",
    "RemoteMoveStopped": "stopped",
}
_CHANGES = (
    progressives.TermsChanged,
    progressives.PolicyChanged,
    progressives.MeterCorrected,
    progressives.TransferSent,
    progressives.MeterRetired,
)


@dataclass(frozen=True, slots=True)
class Thing:
    """One of them as it stands."""

    kind: str
    id: str
    status: str
    first_us: int
    last_us: int
    table: str | None = None
    network: str | None = None
    account: str | None = None
    state: State = field(default_factory=dict)

    @property
    def key(self) -> Key:
        return self.kind, self.id


def keys_of(event: Event) -> list[Key]:
    """Which things an event is about."""
    of_its_kind = _KEYS.get(type(event))
    if of_its_kind is not None:
        return of_its_kind(event)
    transaction = vars(event).get("transaction_id")
    return [("remote", transaction)] if isinstance(transaction, str) else []


def _meter_of(event: Any) -> Key:
    return "meter", f"{event.network}/{event.meter}"


def _fed(event: Any) -> list[Key]:
    return [("meter", f"{event.network}/{one.meter}") for one in event.contributions]


def _hit_of(event: Any) -> list[Key]:
    return [("hit", event.claim_id)]


def _hit_and_meter(event: Any) -> list[Key]:
    return [("hit", event.claim_id), _meter_of(event)]


def _question_of(event: Any) -> list[Key]:
    return [("question", f"{event.network}/{event.table}/{event.round_no}")]


def _change_of(event: Any) -> list[Key]:
    return [("change", event.proposal_id)]


def _change_and_meter(event: Any) -> list[Key]:
    return [("change", event.proposal_id), _meter_of(event)]


def _prize_of(event: Any) -> list[Key]:
    return [("prize", event.prize_id)]


def _dispute_of(event: Any) -> list[Key]:
    return [("dispute", f"{event.table}/{event.round_no}/{event.number}")]


def _correction_of(event: Any) -> list[Key]:
    return [("correction", f"{event.table}/{event.round_no}/{event.number}")]


def _receivable_of(event: Any) -> list[Key]:
    return [("receivable", event.receivable_id)]


# By type: nearly every event is about none, and finding that out by patterns takes longer than all that follows.
_KEYS: Mapping[type[Event], Callable[[Any], list[Key]]] = {
    progressives.NetworkOpened: lambda event: [
        ("network", event.network), *(("meter", f"{event.network}/{one.meter}") for one in event.meters)
    ],
    progressives.WagersContributed: _fed,
    progressives.ContributionsReturned: _fed,
    put_right.ContributionCorrected: _fed,
    progressives.HitLocked: _hit_and_meter,
    progressives.HitsRedivided: lambda event: [("hit", share.claim_id) for share in event.shares],
    progressives.HitRefused: _hit_and_meter,
    progressives.HitVerified: _hit_of,
    progressives.HandPayApproved: _hit_of,
    progressives.CardsReleased: _hit_of,
    put_right.HitQuestioned: _hit_of,
    put_right.HitRestored: _hit_of,
    put_right.HitProposed: _hit_of,
    put_right.HitDeclined: _hit_of,
    progressives.ContributionQuestioned: _question_of,
    progressives.ContributionAnswered: _question_of,
    progressives.ChangeProposed: _change_of,
    progressives.ChangeRejected: _change_of,
    progressives.TermsChanged: lambda event: [
        ("change", event.proposal_id), ("meter", f"{event.network}/{event.terms.meter}")
    ],
    progressives.PolicyChanged: lambda event: [("change", event.proposal_id), ("network", event.network)],
    progressives.MeterCorrected: _change_and_meter,
    progressives.MeterRetired: _change_and_meter,
    progressives.TransferSent: lambda event: [("change", event.transfer_id), _meter_of(event)],
    progressives.TransferReceived: lambda event: [_meter_of(event)],
    prizes.PrizePending: _prize_of,
    prizes.PrizeApproved: _prize_of,
    prizes.PrizeRefused: _prize_of,
    put_right.PrizeQuestioned: _prize_of,
    disputes.DisputeOpened: _dispute_of,
    disputes.StatementAttached: _dispute_of,
    disputes.DisputeDecided: _dispute_of,
    disputes.RoundCorrectionProposed: _correction_of,
    disputes.RoundCorrected: _correction_of,
    disputes.RoundCorrectionDeclined: _correction_of,
    remote.OperatorConnected: lambda event: [("operator", event.operator)],
    put_right.ReceivableOpened: _receivable_of,
    put_right.ReceivablePaid: _receivable_of,
}  # fmt: skip


def after(known: Mapping[Key, Thing], recorded: Recorded) -> list[Thing]:
    """The things that an event is about, as they are after it. ``known`` has those that were there."""
    event, at_us, actor = recorded.event, recorded.envelope.recorded_at_us, recorded.envelope.actor
    found = []
    for key in keys_of(event):
        thing = known.get(key) or _new(key, event, at_us)
        changed = _changed(thing, event, at_us, actor)
        found.append(replace(changed, last_us=at_us))
    return found


def _new(key: Key, event: Event, at_us: int) -> Thing:
    kind, name = key
    # A lock's ``account`` is how its amount came about.
    account = getattr(event, "account", None) if event.topic == WALLET else None
    network = getattr(event, "network", None)
    table = getattr(event, "table", None)
    return Thing(kind, name, "new", at_us, at_us, table=table, network=network, account=account)


def _said(event: Event, *, but: tuple[str, ...] = ()) -> State:
    return {name: value for name, value in event.model_dump(mode="json").items() if name not in but}


def _changed(thing: Thing, event: Event, at_us: int, actor: str) -> Thing:
    match thing.kind:
        case "network":
            return _network(thing, event)
        case "meter":
            return _meter(thing, event)
        case "hit":
            return _hit(thing, event, at_us)
        case "change":
            return _change(thing, event, at_us)
        case "question":
            return _question(thing, event, at_us)
        case "prize":
            return _prize(thing, event, at_us)
        case "dispute":
            return _dispute(thing, event, at_us)
        case "correction":
            return _correction(thing, event, at_us)
        case "receivable":
            return _receivable(thing, event)
        case "operator":
            return replace(thing, status="connected", state=_said(event))
        case _:
            return _remote(thing, event, actor)


def _with(thing: Thing, status: str | None = None, **more: Any) -> Thing:
    return replace(thing, status=status or thing.status, state={**thing.state, **more})


def _network(thing: Thing, event: Event) -> Thing:
    match event:
        case progressives.NetworkOpened():
            meters = [one.meter for one in event.meters]
            # A network that was opened before there were policies works its hits off one after the other.
            return _with(thing, "open", currency=event.currency, policy=event.policy or "sequential", meters=meters)
        case progressives.PolicyChanged():
            return _with(thing, policy=event.policy)
        case _:
            return thing


def _meter(thing: Thing, event: Event) -> Thing:
    match event:
        case progressives.NetworkOpened():
            one = next(meter for meter in event.meters if thing.id == f"{event.network}/{meter.meter}")
            return _with(
                thing,
                "open",
                meter=one.meter,
                currency=event.currency,
                seed=one.seed,
                limit=one.limit,
                contribution_max=one.contribution_max,
                rate=f"{one.rate_numerator}/{one.rate_denominator}",
                reserve_rate=None if one.reserve_rate is None else _rate(one.reserve_rate),
                amount=one.amount,
                overflow=0,
                reserve=0,
            )
        case (
            progressives.WagersContributed() | progressives.ContributionsReturned() | put_right.ContributionCorrected()
        ):
            fed = next(one for one in event.contributions if thing.id == f"{event.network}/{one.meter}")
            return _with(thing, amount=fed.amount_after, overflow=fed.overflow_after, reserve=fed.reserve_after)
        case progressives.HitLocked():
            account = event.account
            if account is None:
                return _with(thing, amount=event.meter_after)
            return _with(
                thing, amount=event.meter_after, overflow=account.overflow_after, reserve=account.reserve_after
            )
        case progressives.TermsChanged():
            terms = event.terms
            return _with(
                thing,
                seed=terms.seed,
                limit=terms.limit,
                contribution_max=terms.contribution_max,
                rate=_rate(terms.rate),
                reserve_rate=None if terms.reserve_rate is None else _rate(terms.reserve_rate),
                amount=event.amount_after,
                overflow=event.overflow_after,
            )
        case (
            progressives.HitRefused()
            | progressives.MeterCorrected()
            | progressives.TransferSent()
            | progressives.TransferReceived()
        ):
            return _with(thing, amount=event.amount_after, overflow=event.overflow_after, reserve=event.reserve_after)
        case progressives.MeterRetired():
            return _with(thing, "retired")
        case _:
            return thing


def _rate(rate: progressives.Rate) -> str:
    return f"{rate.numerator}/{rate.denominator}"


def _hit(thing: Thing, event: Event, at_us: int) -> Thing:
    match event:
        case progressives.HitLocked():
            return _with(thing, "locked", **_said(event, but=("account",)), locked_us=at_us, checks=[])
        case progressives.HitsRedivided():
            share = next(one for one in event.shares if one.claim_id == thing.id)
            return _with(thing, amount=share.amount_after)
        case progressives.HitVerified():
            checks = {"verified_by": event.verified_by, "checks": list(event.checks), "verified_us": at_us}
            return _with(thing, "verified", **checks)
        case progressives.HandPayApproved():
            said = {"decided_by": event.floorperson, "document": event.document, "decided_us": at_us}
            return _with(thing, "paid", **said)
        case progressives.HitRefused():
            said = {"decided_by": event.refused_by, "document": event.document, "reason": event.reason}
            return _with(thing, "refused", **said, decided_us=at_us)
        case progressives.CardsReleased():
            return _with(thing, released_by=event.released_by)
        case put_right.HitQuestioned():
            return _with(thing, questioned={"correction": event.correction, "reason": event.reason})
        case put_right.HitRestored():
            return _with(thing, questioned=None)
        case put_right.HitProposed():
            return _with(thing, "proposed", **_said(event))
        case put_right.HitDeclined():
            return _with(thing, "declined", decided_by=event.declined_by, reason=event.reason, decided_us=at_us)
        case _:
            return thing


def _change(thing: Thing, event: Event, at_us: int) -> Thing:
    match event:
        case progressives.ChangeProposed():
            said = {name: value for name, value in _said(event).items() if value is not None}
            return _with(thing, "proposed", **said, proposed_us=at_us)
        case progressives.ChangeRejected():
            return _with(thing, "rejected", decided_by=event.rejected_by, decision=event.reason, decided_us=at_us)
        case _ if isinstance(event, _CHANGES):
            return _with(thing, "approved", decided_by=event.approved_by, decided_us=at_us)
        case _:
            return thing


def _question(thing: Thing, event: Event, at_us: int) -> Thing:
    if isinstance(event, progressives.ContributionAnswered):
        answer = "admitted" if event.admitted else "kept out"
        return _with(thing, answer, answered_by=event.answered_by, reason=event.reason, answered_us=at_us)
    return _with(thing, "asked", **_said(event))


def _prize(thing: Thing, event: Event, at_us: int) -> Thing:
    match event:
        case prizes.PrizePending():
            amount = sum(payee.amount for payee in event.payees)
            return _with(thing, "pending", **_said(event), amount=amount)
        case prizes.PrizeApproved():
            said = {"decided_by": event.floorperson, "document": event.document, "decided_us": at_us}
            return _with(thing, "approved", **said)
        case prizes.PrizeRefused():
            said = {"decided_by": event.floorperson, "document": event.document, "reason": event.reason}
            return _with(thing, "refused", **said, decided_us=at_us)
        case put_right.PrizeQuestioned():
            becomes = [payee.model_dump(mode="json") for payee in event.becomes]
            return _with(thing, questioned={"correction": event.correction, "reason": event.reason, "becomes": becomes})
        case _:
            return thing


def _dispute(thing: Thing, event: Event, at_us: int) -> Thing:
    match event:
        case disputes.DisputeOpened():
            return _with(thing, "open", **_said(event), opened_us=at_us, statements=[])
        case disputes.StatementAttached():
            said = {**_said(event, but=("table", "round_no", "number")), "at_us": at_us}
            return _with(thing, statements=[*thing.state.get("statements", ()), said])
        case disputes.DisputeDecided():
            decided = {"decided_by": event.decided_by, "reason": event.reason, "decided_us": at_us}
            return _with(thing, event.decision, **decided)
        case _:
            return thing


def _correction(thing: Thing, event: Event, at_us: int) -> Thing:
    match event:
        case disputes.RoundCorrectionProposed():
            facts = [fact.model_dump(mode="json", exclude_none=True) for fact in event.facts]
            return _with(thing, "proposed", **{**_said(event), "facts": facts}, proposed_us=at_us)
        case disputes.RoundCorrected():
            return _with(thing, "confirmed", decided_by=event.confirmed_by, decided_us=at_us)
        case disputes.RoundCorrectionDeclined():
            return _with(thing, "declined", decided_by=event.declined_by, decision=event.reason, decided_us=at_us)
        case _:
            return thing


def _receivable(thing: Thing, event: Event) -> Thing:
    match event:
        case put_right.ReceivableOpened():
            owed = event.transfer.amount
            return _with(thing, "owed", **_said(event, but=("transfer",)), amount=owed, owed=owed)
        case put_right.ReceivablePaid():
            return _with(thing, "owed" if event.owed_after else event.how, owed=event.owed_after, last_by=event.by)
        case _:
            return thing


def _remote(thing: Thing, event: Event, actor: str) -> Thing:
    match event:
        case remote.RemoteDebitRequested():
            return _with(thing, "asked", **_said(event), verb="debit")
        case remote.RemoteCreditRequested():
            return _with(thing, "asked", **_said(event), verb="credit")
        case remote.RemoteMoveResolved():
            became = {"confirm": "booked", "void": "undone", "retry": "asked"}[event.resolution]
            return _with(thing, became, resolved_by=event.by, reason=event.reason)
        case _:
            status = _REMOTE_KINDS.get(type(event).__name__)
            said = _said(event, but=("transaction_id",))
            return thing if status is None else _with(thing, status, **said, told_by=actor)

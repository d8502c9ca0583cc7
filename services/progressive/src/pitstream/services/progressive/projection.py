"""What each of a network's events means for the tables that reports and audits read: pure, one event in, rows out."""

from dataclasses import dataclass, field, replace

from pitstream.events import Event
from pitstream.events.corrections import (
    ContributionCorrected,
    HitDeclined,
    HitProposed,
    HitQuestioned,
    HitRestored,
)
from pitstream.events.progressives import (
    CardsReleased,
    ChangeProposed,
    ChangeRejected,
    ContributionAnswered,
    ContributionQuestioned,
    ContributionsReturned,
    HandPayApproved,
    HitLocked,
    HitRefused,
    HitsRedivided,
    HitVerified,
    MeterCorrected,
    MeterRetired,
    NetworkOpened,
    PolicyChanged,
    RoundClosed,
    TermsChanged,
    TransferReceived,
    TransferSent,
    WagersContributed,
)
from pitstream.services.progressive.meter import NO_RATE, Rates
from pitstream.services.progressive.network import Hit, Network, State, round_name


@dataclass(frozen=True, slots=True)
class Move:
    """One meter's change by one event; whole minor units of the meter with its overflow, and of its reserve."""

    version: int
    meter: str
    kind: str
    moved: int
    reserve_moved: int = 0
    table: str | None = None
    round_no: int | None = None
    about: str | None = None
    stakes: int = 0
    rates: Rates | None = None


@dataclass(frozen=True, slots=True)
class Decided:
    """A change was approved or rejected by a person."""

    proposal_id: str
    version: int
    status: str
    by: str


@dataclass(slots=True)
class Rows:
    """What some events of one network add to the tables. Meters are written as the state has them in the end."""

    moves: list[Move] = field(default_factory=list)
    hits: dict[str, Hit] = field(default_factory=dict)
    """By claim, as they stand after the last event about them."""
    proposed: list[tuple[int, ChangeProposed]] = field(default_factory=list)
    decided: list[Decided] = field(default_factory=list)
    asked: list[tuple[int, ContributionQuestioned]] = field(default_factory=list)
    answered: list[ContributionAnswered] = field(default_factory=list)
    proposed_hits: list[tuple[int, HitProposed]] = field(default_factory=list)
    locked_hits: list[str] = field(default_factory=list)
    """Claims that were proposed before."""
    declined_hits: list[HitDeclined] = field(default_factory=list)
    marks: dict[str, int] = field(default_factory=dict)
    """By claim, the correction that questioned the hit, 0 where that is over. The hit itself may be over, too."""

    def add(self, before: State, event: Event, after: State, version: int) -> None:
        """What ``event``, number ``version`` of the stream, means, between the states before and after it."""
        match event:
            case WagersContributed() | ContributionsReturned():
                self.moves += _fed(before, event, version)
            case RoundClosed():
                pass  # said here because there are so many, and the other cases take their time
            case NetworkOpened():
                self.moves += [Move(version, one.meter, "opened", one.amount) for one in event.meters]
            case HitLocked():
                self.moves.append(_locked(event, version))
                self._note(after, event.claim_id)
                if isinstance(before, Network) and event.claim_id in before.proposed_hits:
                    self.locked_hits.append(event.claim_id)
            case ContributionCorrected():
                self.moves += _corrected(event, version)
            case HitQuestioned() | HitRestored():
                self.marks[event.claim_id] = event.correction if isinstance(event, HitQuestioned) else 0
            case HitProposed():
                self.proposed_hits.append((version, event))
            case HitDeclined():
                self.declined_hits.append(event)
            case HitsRedivided():
                self._note(after, *(share.claim_id for share in event.shares))
            case HitVerified() | HandPayApproved():
                self._note(after, event.claim_id)
            case CardsReleased():
                # It may have left the state: it is over.
                self._note(before, event.claim_id)
                self.hits[event.claim_id] = replace(self.hits[event.claim_id], released_by=event.released_by)
            case HitRefused():
                seed = event.seed_to_reserve + event.seed_to_house
                moved, reserve = event.to_meter - seed, event.seed_to_reserve
                self.moves.append(Move(version, event.meter, "refused", moved, reserve, about=event.claim_id))
                self._note(after, event.claim_id)
            case MeterCorrected():
                on_meter, on_reserve = (event.change, 0) if event.part == "meter" else (0, event.change)
                about = event.proposal_id
                self.moves.append(Move(version, event.meter, "corrected", on_meter, on_reserve, about=about))
                self.decided.append(Decided(about, version, "approved", event.approved_by))
            case TransferSent():
                about = event.transfer_id
                self.moves.append(Move(version, event.meter, "sent", -event.amount, -event.reserve, about=about))
                self.decided.append(Decided(about, version, "approved", event.approved_by))
            case TransferReceived():
                about = event.transfer_id
                self.moves.append(Move(version, event.meter, "received", event.amount, event.reserve, about=about))
            case TermsChanged() | PolicyChanged() | MeterRetired():
                self.decided.append(Decided(event.proposal_id, version, "approved", event.approved_by))
            case ChangeProposed():
                self.proposed.append((version, event))
            case ChangeRejected():
                self.decided.append(Decided(event.proposal_id, version, "rejected", event.rejected_by))
            case ContributionQuestioned():
                self.asked.append((version, event))
            case ContributionAnswered():
                self.answered.append(event)

    def _note(self, state: State, *claims: str) -> None:
        if isinstance(state, Network):
            self.hits |= {claim: state.hits[claim] for claim in claims}


def _fed(before: State, event: WagersContributed | ContributionsReturned, version: int) -> list[Move]:
    if not isinstance(before, Network):
        raise TypeError(f"{event.type_name} before its network was opened")
    gives = isinstance(event, WagersContributed)
    every = before.rates if gives else before.fed[round_name(event.table, event.round_no)].rates
    kind, stakes = ("contributed", event.stakes) if gives else ("returned", -event.stakes)
    return [
        Move(
            version=version,
            meter=fed.meter,
            kind=kind,
            moved=fed.posted + fed.overflow_posted,
            reserve_moved=fed.reserve_posted,
            table=event.table,
            round_no=event.round_no,
            stakes=stakes,
            rates=rates,
        )
        # Decided meter by meter, in the order of the rates.
        for rates, fed in zip(every, event.contributions, strict=True)
    ]


def _corrected(event: ContributionCorrected, version: int) -> list[Move]:
    return [
        Move(
            version=version,
            meter=fed.meter,
            kind="recontributed",
            moved=fed.posted + fed.overflow_posted,
            reserve_moved=fed.reserve_posted,
            table=event.table,
            round_no=event.round_no,
            stakes=event.stakes_after - event.stakes_before,
            rates=Rates(fed.meter, rates.rate, rates.reserve_rate or NO_RATE),
        )
        for rates, fed in zip(event.rates, event.contributions, strict=True)
    ]


def _locked(event: HitLocked, version: int) -> Move:
    account = event.account
    if account is None:
        moved, reserve = event.meter_after - event.meter_before, 0
    else:
        moved = account.seed_from_reserve + account.seed_from_house - account.from_meter
        reserve = -account.seed_from_reserve
    return Move(version, event.meter, "locked", moved, reserve, event.table, event.round_no, event.claim_id)


def rates_of(move: Move) -> tuple[int, int, int, int]:
    """Numerators and denominators of the rates at which a move's stakes fed its meter; 0 for a move without stakes."""
    rate, reserve = (NO_RATE, NO_RATE) if move.rates is None else (move.rates.rate, move.rates.reserve)
    return rate.numerator, rate.denominator, reserve.numerator, reserve.denominator

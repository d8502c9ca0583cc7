"""What a network may be asked to do. ``by`` is the person who asks, as the credential names them."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pitstream.events.progressives import (
    ChangeProposed,
    Correction,
    MeterOpening,
    MeterTerms,
    Policy,
    TransferOrder,
    TransferSent,
)

if TYPE_CHECKING:
    from pitstream.services.progressive.meter import Rates
    from pitstream.services.progressive.network import Hit


@dataclass(frozen=True, slots=True)
class OpenNetwork:
    """Open a network with its meters."""

    network: str
    currency: str
    meters: tuple[MeterOpening, ...]
    policy: Policy | None = None


@dataclass(frozen=True, slots=True)
class Contribute:
    """A table closed its betting: its progressive stakes feed the meters."""

    network: str
    table: str
    round_no: int
    currency: str
    stakes: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A settled line that won a share of a meter; the line's claim id never changes."""

    claim_id: str
    seat: int
    player: str
    wager: str
    meter: str
    percent: int
    rule: str


@dataclass(frozen=True, slots=True)
class CloseRound:
    """A round is settled: ``stakes`` are its progressive stakes, ``claims`` stand in the order of settlement."""

    network: str
    table: str
    round_no: int
    currency: str
    stakes: int
    void: bool
    claims: tuple[Claim, ...] = ()


@dataclass(frozen=True, slots=True)
class CorrectRound:
    """A closed round was corrected: other stakes fed the meters, other lines won shares.

    ``rates``: those at which it fed the meters, () where it fed none. ``hits``: all that were locked for it, those long
    over too. ``claims``: every share that it wins now.
    """

    network: str
    table: str
    round_no: int
    currency: str
    correction: int
    stakes_before: int
    stakes_after: int
    rates: "tuple[Rates, ...]"
    hits: "tuple[Hit, ...]"
    claims: tuple[Claim, ...]
    reason: str
    proposed_by: str
    confirmed_by: str


@dataclass(frozen=True, slots=True)
class AcceptHit:
    """One of the network's people accepts a hit that a correction proposed: its share is locked now."""

    network: str
    claim_id: str
    by: str


@dataclass(frozen=True, slots=True)
class DeclineHit:
    """One of the network's people does not accept a hit that a correction proposed."""

    network: str
    claim_id: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class AnswerContribution:
    """A person admits a questioned contribution to the meters, or keeps it out for good."""

    network: str
    table: str
    round_no: int
    by: str
    admitted: bool
    reason: str


@dataclass(frozen=True, slots=True)
class VerifyHit:
    """The hand and the light of a hit were found right at the table."""

    network: str
    claim_id: str
    by: str
    checks: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ApproveHit:
    """A floorperson has validated a hit: it may be paid by hand, with the document that goes with it."""

    network: str
    claim_id: str
    by: str
    document: str


@dataclass(frozen=True, slots=True)
class RefuseHit:
    """A floorperson refuses a hit: its amount goes back where it came from."""

    network: str
    claim_id: str
    by: str
    reason: str
    document: str = ""


@dataclass(frozen=True, slots=True)
class ReleaseCards:
    """The cards of a hit that is paid or refused go to the discard rack."""

    network: str
    claim_id: str
    by: str


@dataclass(frozen=True, slots=True)
class ProposeChange:
    """One person asks for one change: exactly one of the five is there. ``proposal_id`` is the caller's."""

    network: str
    proposal_id: str
    by: str
    reason: str
    terms: MeterTerms | None = None
    policy: Policy | None = None
    correction: Correction | None = None
    transfer: TransferOrder | None = None
    retire: str | None = None

    def proposed(self) -> ChangeProposed:
        """The event that would record it."""
        return ChangeProposed(
            network=self.network,
            proposal_id=self.proposal_id,
            proposed_by=self.by,
            reason=self.reason,
            terms=self.terms,
            policy=self.policy,
            correction=self.correction,
            transfer=self.transfer,
            retire=self.retire,
        )


@dataclass(frozen=True, slots=True)
class ApproveChange:
    """A second person approves a change: it is made."""

    network: str
    proposal_id: str
    by: str


@dataclass(frozen=True, slots=True)
class RejectChange:
    """A change is off: anyone of the two roles, the one who asked for it too."""

    network: str
    proposal_id: str
    by: str
    reason: str


@dataclass(frozen=True, slots=True)
class ReceiveTransfer:
    """Another network sent money to a meter of this one."""

    network: str
    sent: TransferSent


HitCommand = VerifyHit | ApproveHit | RefuseHit | ReleaseCards
ChangeCommand = ProposeChange | ApproveChange | RejectChange
ProposedHitCommand = AcceptHit | DeclineHit
Command = (
    OpenNetwork
    | Contribute
    | CloseRound
    | CorrectRound
    | AnswerContribution
    | HitCommand
    | ProposedHitCommand
    | ChangeCommand
    | ReceiveTransfer
)

"""Corrections of a finished round: one person says which facts were recorded wrong, another one agrees. Pure.

Stream ``correction/<table>/<round_no>``. The round's own events stay as they are; what a confirmed correction says of
the round takes their place. Each is judged by what is in force before it, so one waits at a time.
"""

from dataclasses import dataclass, replace
from typing import assert_never

from pitstream.events import Event
from pitstream.events.disputes import Fact, RoundCorrected, RoundCorrectionDeclined, RoundCorrectionProposed
from pitstream.events.refusal import Refusal
from pitstream.games.corrections import corrected, correction_of, played_of
from pitstream.games.game import FinishedRound
from pitstream.games.judging import why_not_judged
from pitstream.games.paytables import Paytables
from pitstream.games.refusals import wrong_stage
from pitstream.games.round import Finished, Round, finished_round

CORRECTIONS_MAX = 100
"""Of one round."""


@dataclass(frozen=True, slots=True)
class Corrections:
    """A round's corrections as their events have them."""

    proposed: tuple[RoundCorrectionProposed, ...] = ()
    ends: tuple[RoundCorrected | RoundCorrectionDeclined, ...] = ()
    """Of each but the one that waits, in their order."""

    @property
    def waiting(self) -> RoundCorrectionProposed | None:
        return self.proposed[-1] if len(self.proposed) > len(self.ends) else None

    @property
    def in_force(self) -> RoundCorrected | None:
        """The last one that was confirmed: it tells the whole round."""
        return next((end for end in reversed(self.ends) if isinstance(end, RoundCorrected)), None)


NONE = Corrections()


@dataclass(frozen=True, slots=True)
class ProposeCorrection:
    """Say which facts of the round are wrong, and why."""

    facts: tuple[Fact, ...]
    reason: str
    by: str
    dispute: int | None = None


@dataclass(frozen=True, slots=True)
class ConfirmCorrection:
    """Agree with a correction that somebody else proposed."""

    number: int
    by: str


@dataclass(frozen=True, slots=True)
class DeclineCorrection:
    """Do not agree with a proposed correction, or take back one's own."""

    number: int
    reason: str
    by: str


Command = ProposeCorrection | ConfirmCorrection | DeclineCorrection


def decide(state: Corrections, played: Round, command: Command, paytables: Paytables) -> list[Event] | Refusal:
    """What follows from a command about a round's corrections; ``played``: the round as its own events have it."""
    match command:
        case ProposeCorrection():
            return _propose(state, played, command, paytables)
        case ConfirmCorrection():
            return _confirm(state, played, command, paytables)
        case DeclineCorrection():
            waiting = _waiting(state, command.number)
            if isinstance(waiting, Refusal):
                return waiting
            return [
                RoundCorrectionDeclined(
                    table=waiting.table,
                    round_no=waiting.round_no,
                    number=waiting.number,
                    reason=command.reason,
                    declined_by=command.by,
                )
            ]
        case _:
            assert_never(command)


def facts_in_force(state: Corrections, played: Finished) -> FinishedRound:
    """The round as it was played, as far as anybody knows by now."""
    return finished_round(played) if state.in_force is None else played_of(state.in_force)


def _propose(
    state: Corrections, played: Round, command: ProposeCorrection, paytables: Paytables
) -> list[Event] | Refusal:
    """What could not be confirmed is not proposed either."""
    if state.waiting is not None:
        return Refusal(
            "correction_waiting", "round_no", f"correction {state.waiting.number} waits for its confirmation"
        )
    if len(state.proposed) >= CORRECTIONS_MAX:
        return Refusal(
            "too_many_corrections", "round_no", f"the round has {CORRECTIONS_MAX} corrections; allowed: no more"
        )
    becomes = _becomes(state, played, command.facts, paytables)
    if isinstance(becomes, Refusal):
        return becomes
    opened = becomes[0].play.opened
    return [
        RoundCorrectionProposed(
            table=opened.table,
            round_no=opened.round_no,
            number=len(state.proposed) + 1,
            facts=command.facts,
            reason=command.reason,
            proposed_by=command.by,
            dispute=command.dispute,
        )
    ]


def _confirm(
    state: Corrections, played: Round, command: ConfirmCorrection, paytables: Paytables
) -> list[Event] | Refusal:
    waiting = _waiting(state, command.number)
    if isinstance(waiting, Refusal):
        return waiting
    if command.by == waiting.proposed_by:
        return Refusal("same_person", "by", f"was {command.by}, who proposed it; allowed: anybody else")
    becomes = _becomes(state, played, waiting.facts, paytables)
    if isinstance(becomes, Refusal):
        return becomes
    finished, facts = becomes
    return [
        correction_of(
            finished.play.opened,
            facts,
            number=waiting.number,
            facts=waiting.facts,
            reason=waiting.reason,
            proposed_by=waiting.proposed_by,
            confirmed_by=command.by,
            dispute=waiting.dispute,
        )
    ]


def _becomes(
    state: Corrections, played: Round, facts: tuple[Fact, ...], paytables: Paytables
) -> tuple[Finished, FinishedRound] | Refusal:
    if not isinstance(played, Finished):
        return wrong_stage(
            played, "round_no", "a round is corrected once it is finished; a void one gave everything back"
        )
    opened = played.play.opened
    if why := why_not_judged(opened, paytables):
        return Refusal("not_judged_here", "round_no", why)
    becomes = corrected(
        facts_in_force(state, played),
        facts,
        set_aside=played.play.set_aside,
        paytables=paytables,
        rules_version=opened.rules_version,
    )
    return becomes if isinstance(becomes, Refusal) else (played, becomes)


def _waiting(state: Corrections, number: int) -> RoundCorrectionProposed | Refusal:
    if state.waiting is None or state.waiting.number != number:
        allowed = "none waits" if state.waiting is None else f"allowed: {state.waiting.number}"
        return Refusal("unknown_correction", "number", f"was {number}; {allowed}")
    return state.waiting


def evolve(state: Corrections, event: Event) -> Corrections:
    """The corrections after ``event``. It judges nothing and skips nothing."""
    match event:
        case RoundCorrectionProposed():
            return replace(state, proposed=(*state.proposed, event))
        case RoundCorrected() | RoundCorrectionDeclined():
            return replace(state, ends=(*state.ends, event))
        case _:
            raise TypeError(f"{event.type_name} is no event of a round's corrections")

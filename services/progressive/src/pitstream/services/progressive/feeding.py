"""What rounds bring to a network and take from it: contributions, once each, and the claims of settled rounds. Pure."""

from collections.abc import Sequence

from pitstream.events import Event
from pitstream.events.progressives import (
    ContributionAnswered,
    ContributionQuestioned,
    ContributionsReturned,
    MeterContribution,
    NetworkOpened,
    RoundClosed,
    WagersContributed,
)
from pitstream.events.refusal import Refusal
from pitstream.services.progressive.commands import AnswerContribution, CloseRound, Contribute, OpenNetwork
from pitstream.services.progressive.evolution import evolve_all
from pitstream.services.progressive.locking import lock
from pitstream.services.progressive.meter import Rates, contribution, too_much
from pitstream.services.progressive.network import Fed, Network, State, round_name
from pitstream.services.progressive.terms import unfit_opening

FEEDING_WAGER = "progressive"
"""The wager whose stakes feed the meters; other wagers may claim shares but add nothing."""


def open_network(state: State, command: OpenNetwork) -> list[Event] | Refusal:
    """A network opens once, with at least one meter; no meter takes more than the wager."""
    if isinstance(state, Network):
        return Refusal("network_already_open", "network", f"was {command.network!r}; it is open since its first event")
    if not command.meters:
        return Refusal("invalid_meter", "meters", "was []; at least one meter is needed")
    seen: set[str] = set()
    for position, opening in enumerate(command.meters):
        where = f"meters[{position}]"
        if opening.meter in seen:
            return Refusal("invalid_meter", f"{where}.meter", f"was {opening.meter!r} again; each meter once")
        seen.add(opening.meter)
        if unfit := unfit_opening(opening, where):
            return unfit
    return [
        NetworkOpened(network=command.network, currency=command.currency, meters=command.meters, policy=command.policy)
    ]


def contribute(state: Network, command: Contribute) -> list[Event] | Refusal:
    """A round feeds the meters once, whichever of its betting's end and its settlement is heard first."""
    if wrong := _other_currency(state, command):
        return wrong
    if state.has_closed(command.table, command.round_no) or round_name(command.table, command.round_no) in state.fed:
        return []
    return _taken(state, command)


def close_round(state: Network, command: CloseRound) -> list[Event] | Refusal:
    """A settled round feeds the meters if it has not, then its claims lock their shares in order: 653a.11(k)."""
    if wrong := _other_currency(state, command):
        return wrong
    if state.has_closed(command.table, command.round_no):
        return []
    for claim in command.claims:
        if claim.meter not in state.meters:
            known = ", ".join(sorted(state.meters))
            return Refusal("unknown_meter", "share.meter", f"was {claim.meter!r} ({claim.wager}); {known} are open")
    events: list[Event] = []
    fed = state.fed.get(round_name(command.table, command.round_no))
    if command.void:
        events += [] if fed is None else _given_back(state, command, fed)
    elif fed is None:
        events += _taken(state, command)
    elif fed.stakes != command.stakes:
        return Refusal(
            "stakes_differ", "stakes", f"was {command.stakes} at settlement; {fed.stakes} stood when betting closed"
        )
    after = evolve_all(state, events)
    for claim in command.claims:
        locked = lock(after, command, claim)
        events += locked
        after = evolve_all(after, locked)
    return [*events, RoundClosed(network=state.network, table=command.table, round_no=command.round_no)]


def answer_contribution(state: Network, command: AnswerContribution) -> list[Event] | Refusal:
    """A questioned contribution is answered once; admitted, it feeds the meters at today's rates."""
    name = round_name(command.table, command.round_no)
    question = state.questions.get(name)
    if question is None:
        return Refusal("unknown_question", "round", f"was {name}; {state.network} has no open question about it")
    if not command.reason.strip():
        return Refusal("missing_reason", "reason", f"was {command.reason!r}; say why")
    answered = _answered(state, command, command.admitted, command.by, command.reason)
    if not command.admitted:
        return [answered]
    return [answered, _contributed(state, command.table, command.round_no, question.stakes)]


def _other_currency(state: Network, command: Contribute | CloseRound) -> Refusal | None:
    if command.currency == state.currency:
        return None
    return Refusal("wrong_currency", "currency", f"was {command.currency}; {state.network} counts in {state.currency}")


def _taken(state: Network, command: Contribute | CloseRound) -> list[Event]:
    """The stakes feed the meters, or wait for a person where they are too much for one of them.

    Nobody bet: nothing happened to the meters, so nothing is recorded.
    """
    if command.stakes == 0:
        return []
    for rates in state.rates:
        meter = state.meters[rates.meter]
        would_add = too_much(meter, command.stakes)
        if would_add is not None:
            return [
                ContributionQuestioned(
                    network=state.network,
                    table=command.table,
                    round_no=command.round_no,
                    stakes=command.stakes,
                    currency=state.currency,
                    meter=rates.meter,
                    would_add=would_add,
                    allowed=meter.terms.contribution_max or 0,
                )
            ]
    return [_contributed(state, command.table, command.round_no, command.stakes)]


def _contributed(state: Network, table: str, round_no: int, stakes: int) -> WagersContributed:
    return WagersContributed(
        network=state.network,
        table=table,
        round_no=round_no,
        stakes=stakes,
        contributions=_contributions(state, state.rates, stakes),
        currency=state.currency,
    )


def _given_back(state: Network, command: CloseRound, fed: Fed) -> list[Event]:
    """A void round's stakes leave the meters as they came: at the rates they came at."""
    if round_name(command.table, command.round_no) in state.questions:
        return [_answered(state, command, admitted=False, by="", reason="the round was declared void")]
    if not fed.rates:
        return []  # kept out of the meters by a person: there is nothing to give back
    return [
        ContributionsReturned(
            network=state.network,
            table=command.table,
            round_no=command.round_no,
            stakes=fed.stakes,
            contributions=_contributions(state, fed.rates, -fed.stakes),
            currency=state.currency,
        )
    ]


def _contributions(state: Network, every: Sequence[Rates], stakes: int) -> tuple[MeterContribution, ...]:
    return tuple(contribution(state.meters[rates.meter], rates, stakes) for rates in every)


def _answered(
    state: Network, about: AnswerContribution | CloseRound, admitted: bool, by: str, reason: str
) -> ContributionAnswered:
    return ContributionAnswered(
        network=state.network,
        table=about.table,
        round_no=about.round_no,
        admitted=admitted,
        answered_by=by,
        reason=reason,
    )

"""A closed round's events to its settlement: pure, the same live, in a replay and in an audit."""

from collections.abc import Sequence

from pitstream.evaluator import fingerprint
from pitstream.events import Recorded
from pitstream.events.rounds import PaytableChoice, RoundFinished, RoundOpened, RoundVoided
from pitstream.events.settlements import RoundSettled
from pitstream.games.paytables import Paytables, bundled
from pitstream.games.round import Finished, Voided, evolve_all, finished_round
from pitstream.games.settlement import RULES_VERSIONS, settle

CLOSING = (RoundFinished, RoundVoided)
"""The events that end a round's stream."""


class UnsettleableError(ValueError):
    """A closed round that this version cannot settle; nothing of it was settled. The text says which and why."""


def settle_stream(stream: Sequence[Recorded], paytables: Paytables | None = None) -> RoundSettled:
    """What a round came to, from all its events, first to last, by the bundled ``paytables`` unless others are given.

    Raises UnsettleableError when events are missing, or when the round was dealt under other rules, another evaluator
    or a paytable of other content than ours; ImpossibleEventError when the events contradict one another.
    """
    opened = _opening(stream)
    _check_judges(opened)
    known = bundled() if paytables is None else paytables
    for choice in opened.paytables:
        _check_paytable(opened, choice, known)
    state = evolve_all(recorded.event for recorded in stream)
    if not isinstance(state, Finished | Voided):
        raise UnsettleableError(f"{_name(opened)}: was at stage {state.stage!r}; only a closed round is settled")
    result = settle(finished_round(state), known, rules_version=opened.rules_version)
    return RoundSettled(
        table=opened.table,
        round_no=opened.round_no,
        round_id=opened.round_id,
        game=opened.game,
        gaming_day=opened.gaming_day,
        currency=opened.currency,
        void=isinstance(state, Voided),
        seats=result.seats,
        order=result.order,
        network=opened.network,
        rules_version=opened.rules_version,
        closed_by=stream[-1].envelope.event_id,
    )


def _opening(stream: Sequence[Recorded]) -> RoundOpened:
    """The first event, when none after it is missing."""
    versions = [recorded.version for recorded in stream]
    if versions != list(range(1, len(stream) + 1)):
        raise UnsettleableError(f"{stream[-1].stream}: was versions {versions}; every version from 1 on is needed")
    opened = stream[0].event
    if not isinstance(opened, RoundOpened):
        raise UnsettleableError(
            f"{stream[0].stream}: was opened by {opened.type_name}; a round begins with RoundOpened"
        )
    return opened


def _check_judges(opened: RoundOpened) -> None:
    """A round is judged by the rules and the evaluator under which it was dealt, or not at all."""
    if opened.rules_version not in RULES_VERSIONS:
        ours = ", ".join(map(repr, RULES_VERSIONS))
        raise UnsettleableError(
            f"{_name(opened)}: rules_version was {opened.rules_version!r}; this service judges by {ours}"
        )
    if opened.evaluator != fingerprint():
        raise UnsettleableError(
            f"{_name(opened)}: evaluator was {opened.evaluator!r}; this service judges by {fingerprint()!r}"
        )


def _check_paytable(opened: RoundOpened, choice: PaytableChoice, known: Paytables) -> None:
    ours = known.get(opened.game, choice.wager, choice.paytable, opened.gaming_day)
    if ours is None:
        raise UnsettleableError(
            f"{_name(opened)}: paytable was {choice.paytable!r} for {choice.wager}; "
            f"this service has {', '.join(known.ids(opened.game, choice.wager)) or 'none'}"
        )
    if ours.sha256 != choice.sha256:
        raise UnsettleableError(
            f"{_name(opened)}: sha256 of {ours.name} was {choice.sha256!r}; the content here is {ours.sha256!r}"
        )


def _name(opened: RoundOpened) -> str:
    return f"round {opened.table}/{opened.round_no}"

"""Whether a round can be judged here at all: by the rules, the evaluator and the paytables under which it was dealt."""

from pitstream.evaluator import fingerprint
from pitstream.events.disputes import RoundCorrected
from pitstream.events.rounds import PaytableChoice, RoundOpened
from pitstream.games.paytables import Paytables
from pitstream.games.settlement import RULES_VERSIONS


def why_not_judged(dealt: RoundOpened | RoundCorrected, known: Paytables) -> str | None:
    """What of the round's judges is not here, in words; None when all of them are."""
    if dealt.rules_version not in RULES_VERSIONS:
        ours = ", ".join(map(repr, RULES_VERSIONS))
        return f"rules_version was {dealt.rules_version!r}; this service judges by {ours}"
    if dealt.evaluator != fingerprint():
        return f"evaluator was {dealt.evaluator!r}; this service judges by {fingerprint()!r}"
    return next(filter(None, (_paytable_fault(dealt, choice, known) for choice in dealt.paytables)), None)


def _paytable_fault(dealt: RoundOpened | RoundCorrected, choice: PaytableChoice, known: Paytables) -> str | None:
    ours = known.get(dealt.game, choice.wager, choice.paytable, dealt.gaming_day)
    if ours is None:
        have = ", ".join(known.ids(dealt.game, choice.wager)) or "none"
        return f"paytable was {choice.paytable!r} for {choice.wager}; this service has {have}"
    if ours.sha256 != choice.sha256:
        return f"sha256 of {ours.name} was {choice.sha256!r}; the content here is {ours.sha256!r}"
    return None

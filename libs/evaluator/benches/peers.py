"""Seven-card hands a second beside every installed peer, all from one run: `make bench`.

Only ratios within one run mean anything: the speed of a shared machine moves by a third from minute to minute. So every
contender takes its turn in every round, time is processor time, and the best round counts. Before anything is timed,
each contender must put the same hands in the same order as this library; one that does not stops the run.

A contender is timed on what it is given, ready made: objects are built before, text is parsed within. The loop around
single calls is the same for all.
"""
# ruff: noqa: T201 -- this program's output is what it prints

import os
import platform
import random
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from itertools import pairwise
from pathlib import Path
from typing import Any

import eval7
import holdem_hand_evaluator
import numpy
import phevaluator
import pkrbot
import poker_equity
import pokerkit
import pyo3_poker_eval
import treys

from pitstream.evaluator import Card, _evaluator, batch_path, fingerprint, rank, rank_many

PEERS = [
    "eval7",
    "holdem-hand-evaluator",
    "phevaluator",
    "pkrbot",
    "poker-equity",
    "pokerkit",
    "pyo3-poker-eval",
    "treys",
]
ROUNDS = 15
ROUND_SECONDS = 0.02
SEED = 653
Hands = list[list[int]]


@dataclass(frozen=True)
class Contender:
    """One way to have hands ranked: `run` takes what `prepare` made of rows of card ids and returns their values."""

    name: str
    hands: int
    prepare: Callable[[Hands], Any]
    run: Callable[[Any], Sequence[Any]]
    lower_is_better: bool = False

    @property
    def ours(self) -> bool:
        return self.name.startswith("pitstream")


def each(call: Callable[[Any], Any]) -> Callable[[Any], Sequence[Any]]:
    return lambda hands: [call(hand) for hand in hands]


def each_spread(call: Callable[..., Any]) -> Callable[[Any], Sequence[Any]]:
    return lambda hands: [call(*hand) for hand in hands]


def made_by(make: Callable[[str], Any], into: Callable[[Any], Any] = list) -> Callable[[Hands], Any]:
    """Hands of a library's own cards, each card made once."""
    deck = [make(str(Card.from_id(id_))) for id_ in range(52)]
    return lambda hands: [into(deck[id_] for id_ in hand) for hand in hands]


def as_they_are(hands: Hands) -> Hands:
    return hands


def flat(hands: Hands) -> bytes:
    return b"".join(map(bytes, hands))


words = made_by(str)
joined = made_by(str, "".join)


def contenders() -> dict[str, list[Contender]]:
    treys_rank = treys.Evaluator().evaluate
    pokerkit_rank = pokerkit.StandardHighHand.from_game
    pokerkit_card = made_by(lambda text: next(pokerkit.Card.parse(text)))
    many, some, few = 50_000, 2_000, 200
    return {
        "own cards": [
            Contender("pitstream, list of Card", many, made_by(Card), each(rank)),
            Contender("pitstream, tuple of Card", many, made_by(Card, tuple), each(rank)),
            Contender("pkrbot", many, made_by(pkrbot.Card), each(pkrbot.evaluate)),
            Contender("eval7", many, made_by(eval7.Card), each(eval7.evaluate)),
            Contender("phevaluator, ids", many, as_they_are, each_spread(phevaluator.evaluate_cards), True),
            Contender("treys", some, made_by(treys.Card.new), each(lambda hand: treys_rank(hand, [])), True),
            Contender("pokerkit", few, pokerkit_card, each(pokerkit_rank)),
        ],
        "text": [
            Contender("pitstream", many, joined, each(rank)),
            Contender("holdem-hand-evaluator", many, joined, each(holdem_hand_evaluator.evaluate_hand)),
            Contender("pkrbot", many, words, each(lambda hand: pkrbot.evaluate([*map(pkrbot.Card, hand)]))),
            Contender("eval7", many, words, each(lambda hand: eval7.evaluate([*map(eval7.Card, hand)]))),
            Contender("phevaluator", many, words, each_spread(phevaluator.evaluate_cards), True),
            Contender("treys", some, words, each(lambda hand: treys_rank([*map(treys.Card.new, hand)], [])), True),
            Contender("pokerkit", few, joined, each(pokerkit_rank)),
        ],
        "mask and bytes": [
            Contender("pitstream, int mask", many, made_by(lambda text: 1 << Card(text).id, sum), each(rank)),
            Contender("pitstream, bytes", many, made_by(lambda text: Card(text).id, bytes), each(rank)),
        ],
        "batch": [
            Contender("pitstream, scalar", many, flat, _evaluator.rank_many_scalar),
            Contender(f"pitstream, {batch_path()}", many, flat, rank_many),
            Contender(
                f"pitstream, {batch_path()}, numpy", many, lambda hands: numpy.array(hands, numpy.uint8), rank_many
            ),
            Contender(f"pitstream, {batch_path()}, a million", 1_000_000, flat, rank_many),
            Contender("poker-equity", many, joined, lambda hands: poker_equity.score_batch("high", hands), True),
            Contender("pyo3-poker-eval", many, lambda hands: {"hands": hands}, pyo3_poker_eval.PokerEval().rank_seven),
        ],
    }


def must_agree(contender: Contender, hands: Hands) -> None:
    """Stops the run unless the contender gives these hands the same order, ties included."""
    values = contender.run(contender.prepare(hands))
    by_value = sorted(zip(map(rank, map(bytes, hands)), values, strict=True), key=lambda pair: pair[0])
    for (ours, theirs), (our_next, their_next) in pairwise(by_value):
        if contender.lower_is_better:
            theirs, their_next = their_next, theirs
        if (ours == our_next) != (theirs == their_next) or (ours < our_next) != (theirs < their_next):
            raise SystemExit(
                f"{contender.name} ranks a pair of hands otherwise: {ours} {our_next}, {theirs} {their_next}"
            )


def best_rates(contenders: list[Contender], hands: Hands) -> list[float]:
    """Hands a second of each contender in its best round; a round lasts at least `ROUND_SECONDS`."""
    ready = [contender.prepare(hands[: contender.hands]) for contender in contenders]
    best = [0.0] * len(contenders)
    for _ in range(ROUNDS):
        for at, contender in enumerate(contenders):
            ranked, spent, start = 0, 0.0, time.process_time()
            while spent < ROUND_SECONDS:
                contender.run(ready[at])
                ranked += contender.hands
                spent = time.process_time() - start
            best[at] = max(best[at], ranked / spent)
    return best


def machine() -> str:
    found = (
        re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text()) if Path("/proc/cpuinfo").exists() else None
    )
    return f"{found[1] if found else platform.processor()}, {os.cpu_count()} cores, {platform.machine()}"


def main() -> None:
    draw = random.Random(SEED)  # noqa: S311 -- the same hands in every run
    hands = [draw.sample(range(52), 7) for _ in range(1_000_000)]
    print(f"machine   {machine()}; load {os.getloadavg()[0]:.1f}")
    print(f"versions  {fingerprint()}, batch path {batch_path()}")
    print(f"          Python {platform.python_version()}, numpy {numpy.__version__}")
    print(f"peers     {', '.join(f'{peer} {version(peer)}' for peer in PEERS)}")
    print(f"hands     seven cards, seed {SEED}; best of {ROUNDS} rounds, processor time, one thread")
    for group, members in contenders().items():
        for contender in members:
            must_agree(contender, hands[: min(contender.hands, 5_000)])
        rates = best_rates(members, hands)
        fastest = max(
            (rate for contender, rate in zip(members, rates, strict=True) if not contender.ours), default=None
        )
        print(f"\n{group:28}{'hands/s':>14}{'ratio to the fastest peer':>28}")
        for contender, rate in zip(members, rates, strict=True):
            print(f"{contender.name:28}{rate:>14,.0f}{f'{rate / fastest:.2f}' if fastest else '':>28}")


if __name__ == "__main__":
    main()

"""Settlement agrees with a judge that was written from the rules alone and shares no code with it.

Method: random records of all three games, biased towards what is rare, are settled by both; the whole answers are equal
but for the wording of rules. The judge itself is held to the example cases and to exact counts of hands. A record that
differs is shown whole, and its id makes it again.
"""

import json
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import comb
from pathlib import Path
from typing import Any

import pytest
from naive_settlement import CATEGORIES, comparable, judge, rank_of, rows_met_by_three
from random_records import DECK, Record, random_record

from pitstream.games.settle_file import settle_lines, settlement_line

CASES = Path(__file__).parents[1] / "data" / "cases"


def both(records: list[Record]) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """The judge's answers and the product's, record by record."""
    settled = settle_lines(json.dumps(record).encode() for record in records)
    for record, product in zip(records, settled, strict=True):
        yield judge(record), comparable(json.loads(settlement_line(product)))


def differing(records: list[Record]) -> list[dict[str, Any]]:
    """The first records on which the two disagree, with both answers."""
    found = []
    for record, (judged, settled) in zip(records, both(records), strict=True):
        if judged != settled:
            found.append({"record": record, "judge": judged, "settled": settled})
    return found[:3]


@pytest.mark.parametrize("name", ["uth_main", "uth", "flop_poker", "raise_it_up_stud", "bad_input"])
def test_the_judge_gives_the_answers_of_the_cases(name):
    records = (CASES / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
    answers = map(json.loads, (CASES / f"{name}.expected.jsonl").read_text(encoding="utf-8").splitlines())
    for record, answer in zip(records, map(comparable, answers), strict=True):
        if answer.get("error") in (None, "paytable_not_in_effect", "missing_meter"):
            assert judge(json.loads(record)) == answer


def test_the_judge_counts_the_three_card_hands():
    counts = Counter((rows_met_by_three(list(three), wheel=True) or ["nothing"])[0] for three in combinations(DECK, 3))
    assert counts == {
        "three_card_royal_spades": 1,
        "three_card_royal": 3,
        "straight_flush": 44,
        "three_of_a_kind": 52,
        "straight": 720,
        "flush": 1_096,
        "pair": 3_744,
        "nothing": 16_440,
    }


@pytest.mark.slow
def test_the_judge_counts_the_five_card_hands():
    counts = Counter(CATEGORIES[rank_of(five)[0]] for five in combinations(DECK, 5))
    assert counts.total() == comb(52, 5)
    assert [counts[name] for name in reversed(CATEGORIES)] == [
        *(4, 36, 624, 3_744, 5_108),
        *(10_200, 54_912, 123_552, 1_098_240, 1_302_540),
    ]


@pytest.mark.parametrize("batch", range(6))
def test_both_settle_alike(batch):
    assert differing([random_record(f"{batch}-{number}") for number in range(1_000)]) == []


@pytest.mark.slow
def test_both_settle_20_000_records_alike():
    assert differing([random_record(f"soak-{number}") for number in range(20_000)]) == []


def test_the_records_hold_what_is_rare():
    seen: Counter[str] = Counter()
    for number in range(1_500):
        seen.update(rare_things(judge(random_record(f"1-{number}"))))
    assert seen.keys() >= {
        *("missing_meter", "paytable_not_in_effect", "envy", "envy twice", "lucky", "magic"),
        *("progressive from a meter", "five_card from a meter", "meter main twice", "meter major twice"),
        *("pot shared", "pot shared unevenly", "win", "lose", "push", "forfeit", "void", "wholly folded"),
    }


def rare_things(answer: dict[str, Any]) -> Iterator[str]:
    if "error" in answer:
        yield answer["error"]
        return
    lines = [line for seat in answer["seats"] for line in seat["lines"]]
    awards = [[award["award"] for award in seat["awards"]] for seat in answer["seats"]]
    yield from {name for given in awards for name in given}
    yield from ("envy twice" for given in awards if given.count("envy") > 1)
    yield from {line["outcome"] for line in lines}
    yield from (f"{line['wager']} from a meter" for line in lines if "share" in line)
    whole = Counter(line["share"]["meter"] for line in lines if line.get("share", {}).get("percent") == 100)
    yield from (f"meter {meter} twice" for meter, times in whole.items() if times > 1)
    pots = [line["won"] for line in lines if line["wager"] == "pot" and line["outcome"] == "win"]
    if len(pots) > 1:
        yield "pot shared" if len(set(pots)) == 1 else "pot shared unevenly"
    if not answer["order"]:
        yield "wholly folded"

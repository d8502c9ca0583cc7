"""Every example record settles to the answer of an independent reference implementation.

Method: equality line for line, order of lists included; rules, messages and paths are in our own words. The answers
were made by a program that shares nothing with this one, from the rules alone.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from pitstream.games.explain import explain_award, explain_line
from pitstream.games.record import read_record, record_of
from pitstream.games.record_json import CODES, RecordError
from pitstream.games.settle_file import Settled, settle_lines, settlement_line

CASES = Path(__file__).parents[3] / "tests" / "data" / "cases"
NAMES = ["uth_main", "uth", "flop_poker", "raise_it_up_stud", "bad_input"]


def settled(name: str) -> Iterator[Settled | RecordError]:
    with (CASES / f"{name}.jsonl").open("rb") as lines:
        yield from settle_lines(lines)


def comparable(answer: dict[str, Any]) -> dict[str, Any]:
    """Without what is free: wording, and money from the table inventory named or not."""
    if "error" in answer:
        return {"id": answer["id"], "code": answer["error"]["code"]}
    paid = [item for seat in answer["seats"] for item in (*seat["lines"], *seat["awards"])]
    for item in paid:
        assert item.pop("rule"), "a line without the paragraph that decided it"
        if item.get("paid_from") == "table_inventory":
            del item["paid_from"]
    return answer


@pytest.mark.parametrize("name", NAMES)
def test_the_examples_settle_to_their_answers(name: str):
    expected = [json.loads(line) for line in (CASES / f"{name}.expected.jsonl").read_bytes().splitlines()]
    found = [json.loads(settlement_line(one)) for one in settled(name)]
    assert [comparable(one) for one in found] == [comparable(one) for one in expected]


@pytest.mark.parametrize("name", NAMES)
def test_each_line_cites_the_paragraph_that_the_reference_cites(name: str):
    expected = [json.loads(line) for line in (CASES / f"{name}.expected.jsonl").read_bytes().splitlines()]
    found = [json.loads(settlement_line(one)) for one in settled(name)]
    assert [_rules(one) for one in found] == [_rules(one) for one in expected]


def _rules(answer: dict[str, Any]) -> list[str]:
    return [item["rule"] for seat in answer.get("seats", ()) for item in (*seat["lines"], *seat["awards"])]


def test_the_examples_have_every_error_code():
    codes = {one.code for name in NAMES for one in settled(name) if isinstance(one, RecordError)}
    assert codes == set(CODES)


VALIDATED = "; paid once a floorperson has validated the hand, "


@pytest.mark.parametrize("name", NAMES)
def test_every_line_and_award_is_explained_with_a_reason(name: str):
    for one in settled(name):
        if isinstance(one, RecordError):
            continue
        game = one.record.round.game
        for seat in one.result.seats:
            for line in seat.lines:
                sentence, _, validated = explain_line(game, line).partition(VALIDATED)
                assert ": " in sentence.removesuffix(line.rule)
                assert sentence.endswith(f", {line.rule}")
                assert bool(validated) == line.awaits_validation
            for award in seat.awards:
                sentence, _, validated = explain_award(game, award).partition(VALIDATED)
                assert ": " in sentence.removesuffix(award.rule)
                assert sentence.endswith(f", {award.rule}")
                assert bool(validated) == award.awaits_validation


@pytest.mark.parametrize("name", NAMES)
def test_a_record_written_back_is_the_same_round(name: str):
    for one in settled(name):
        if isinstance(one, Settled):
            record = one.record
            written = record_of(
                record.round, id_=record.id, table=record.table, meters=record.meters, seeds=record.seeds
            )
            assert read_record(json.dumps(written).encode()) == record

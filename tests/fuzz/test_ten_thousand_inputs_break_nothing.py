"""What nobody would send is answered as it must be, and what stands beside it is not hurt.

Method: 10,000 inputs each, drawn from a fixed seed, in this process; ``make fuzz`` feeds a million of another seed. And
bugs are planted: an input finds each of them, and finds it again from its file. ``docs/fuzzing.md`` tells more.
"""

import time
from collections.abc import Callable, Iterator

import pytest
from fuzz import TARGETS
from fuzzed import target as targets
from fuzzed.target import Failure, Target, drawn, feed_again, feed_many

from pitstream.games import record as records
from pitstream.games.record_json import RecordError
from pitstream.runtime import inbox
from pitstream.runtime.inbox import Reading

SEED, INPUTS = "ci", 10_000


@pytest.fixture(scope="module", params=TARGETS)
def target(request: pytest.FixtureRequest) -> Iterator[Target]:
    made = TARGETS[request.param]()
    yield made
    made.close()


def test_ten_thousand_inputs_break_nothing_and_end_in_every_way(target: Target) -> None:
    fed = feed_many(target, SEED, range(INPUTS))
    assert [(failure.number, failure.said) for failure in fed.failures] == [], f"kept: {kept(target, fed.failures)}"
    assert (sum(fed.ended.values()), target.outcomes - fed.ended.keys()) == (INPUTS, set())


def kept(target: Target, failures: list[Failure]) -> list[str]:
    return [str(failure.keep(target.name)) for failure in failures]


def test_an_input_follows_from_its_seed_and_number_alone(target: Target) -> None:
    assert drawn(target, "one", 7) == drawn(target, "one", 7)
    assert len({drawn(target, seed, number) for seed in ("one", "two") for number in range(20)}) > 30


def waits_for_nothing(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(Reading, "_wait", lambda _self, _position, _record: None)


def trips_over_odd_keys(patch: pytest.MonkeyPatch) -> None:
    look = inbox.look

    def trips(raw: inbox.Raw, source: str) -> inbox.Seen | inbox.Unbelieved:
        (raw.key or b"").decode()
        return look(raw, source)

    patch.setattr("fuzzed.records.look", trips)


def takes_a_card_twice(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(records, "_no_card_twice", lambda _cards, _seats: None)


def says_nothing_of_stakes(patch: pytest.MonkeyPatch) -> None:
    def silent(_game: object, _seats: object, _paytables: object) -> None:
        raise RecordError("invalid_stake", "", "no")

    patch.setattr(records, "_wagers", silent)


def sleeps(patch: pytest.MonkeyPatch) -> None:
    def slow(_hand: object) -> int:
        began = time.process_time()
        while time.process_time() < began + 9:
            pass
        return 1

    patch.setattr(targets, "DEADLINE_S", 0.2)
    patch.setattr("fuzzed.hands.rank", slow)


def ranks_by_length(patch: pytest.MonkeyPatch) -> None:
    patch.setattr("fuzzed.hands.rank_three_plus_two", lambda own, _board: len(str(own)))


PLANTED = [
    ("records", waits_for_nothing, "Broken: ended as []"),
    ("records", trips_over_odd_keys, "UnicodeDecodeError"),
    ("files", takes_a_card_twice, "RepeatedCardError: cards: card "),
    ("files", says_nothing_of_stakes, "Broken: good lines came to"),
    ("hands", sleeps, "TooLong: took more than 0.2 s"),
    ("hands", ranks_by_length, "Broken: ranked "),
]


@pytest.mark.parametrize(("name", "plant", "said"), PLANTED, ids=[plant.__name__ for _, plant, _ in PLANTED])
def test_a_planted_bug_is_found_and_found_again_from_its_file(
    name: str, plant: Callable[[pytest.MonkeyPatch], None], said: str, tmp_path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = TARGETS[name]()
    monkeypatch.setattr(targets, "FOUND", tmp_path)
    with pytest.MonkeyPatch.context() as patch:
        plant(patch)
        [failure] = feed_many(target, SEED, range(3000)).failures
        assert failure.said.startswith(said)
        again = feed_again(target, failure.keep(name).read_bytes())
        assert isinstance(again, Failure)
        assert again.said.startswith(said)
    mended = feed_again(target, failure.data)
    target.close()
    assert mended in target.outcomes

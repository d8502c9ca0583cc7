"""Stakes in a command are amounts like any other: integers, or strings of their digits."""

import pytest
from pydantic import ValidationError

from pitstream.games.commands import PlaceWagers


def placed(stake: object) -> dict[str, int]:
    return PlaceWagers.model_validate({"seat": 1, "player": "p1", "stakes": {"ante": stake}}).stakes


@pytest.mark.parametrize(("stake", "amount"), [(1500, 1500), ("1500", 1500), ("9007199254740993", 2**53 + 1), (-1, -1)])
def test_a_stake_is_an_integer_or_its_digits(stake: object, amount: int) -> None:
    """Whether it may be wagered the rules say, and name it."""
    assert placed(stake) == {"ante": amount}


@pytest.mark.parametrize("stake", [1500.0, 1e3, "1500.0", "1e3", True, None, [1500]])
def test_no_stake_has_been_a_float(stake: object) -> None:
    with pytest.raises(ValidationError, match="allowed: an integer of minor units, or a string of its digits"):
        placed(stake)

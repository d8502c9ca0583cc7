"""What the tests of odds share: each game solved once."""

import pytest

from pitstream.odds import ParResult, par


@pytest.fixture(scope="session")
def uth() -> ParResult:
    return par("ultimate_texas_holdem")


@pytest.fixture(scope="session")
def stud() -> ParResult:
    return par("raise_it_up_stud")


@pytest.fixture(scope="session")
def flop_poker() -> ParResult:
    return par("flop_poker", {"flop": "liberal"})

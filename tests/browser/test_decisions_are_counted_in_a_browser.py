"""The page of decisions. Method: real Chromium counts each deal anew, by a hand evaluator of its own, and must say the
same fractions as the odds."""

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from pitstream.games.paytables import Paytables, bundled
from pitstream.odds.inputs import Inputs, inputs
from pitstream.odds.picker import page
from pitstream.odds.strategy import Strategy, ids_of, strategy

pytestmark = pytest.mark.browser

ODD = """
[raise_it_up_stud.blind.odd]
basis = "to 1"
standing = "house"
source = "test"
pays = { royal_flush = 9000, straight_flush = 200, four_of_a_kind = 30, full_house = 4, flush = [7, 3], straight = 4,
         three_of_a_kind = [1, 7], two_pair = 2, any = "push" }
""".replace(",\n         ", ", ")

Show = Callable[[Inputs, str], str]


@pytest.fixture
def show(chromium: Callable[..., str], as_url: Callable[[Path], str], tmp_path: Path) -> Show:
    """The page with these cards in its address, as it stands when it is done."""

    def run(asked: Inputs, cards: str) -> str:
        file = tmp_path / f"{asked.game.name}.html"
        if not file.exists():
            file.write_text(page(asked), encoding="utf-8")
        return chromium("--virtual-time-budget=600000", "--dump-dom", as_url(file) + "#" + cards)

    return run


def values(dom: str) -> dict[str, Fraction]:
    """Choice -> what the page says it is worth."""
    (answer,) = re.findall(r'<section aria-live="polite" id="answer">(.*?)</section>', dom, flags=re.DOTALL)
    rows = re.findall(r"<tr[^>]*><td>([^<]+)</td>.*?<code>([^<]+)</code>", answer, flags=re.DOTALL)
    return {choice: Fraction(exactly) for choice, exactly in rows}


@pytest.fixture(scope="module")
def stud() -> tuple[Inputs, Strategy]:
    known = Paytables(ODD, beside=bundled())
    asked = inputs("raise_it_up_stud", {"blind": "odd"}, known=known, policies={"play_wagers": "each"})
    return asked, strategy(asked)


@pytest.mark.parametrize(
    ("own", "board", "earlier"),
    [
        pytest.param("As Kd 2h", "", "", id="on Third Street"),
        pytest.param("Ts 9s 2h", "8s", "check", id="on Fourth Street"),
        pytest.param("Ts 9s 2h", "8s", "2x", id="on Fourth Street with a wager standing"),
        pytest.param("9c 9d 2h", "9s 2c", "1x,2x", id="on Fifth Street with a full house"),
        pytest.param("Ac 2c 3c", "4c 5d", "check,check", id="on Fifth Street with a wheel"),
    ],
)
def test_raise_it_up_stud_with_odd_prizes_and_wagers_on_each_street(
    show: Show, stud: tuple[Inputs, Strategy], own: str, board: str, earlier: str
) -> None:
    asked, play = stud
    exact = play.values(ids_of(own), ids_of(board), tuple(word for word in earlier.split(",") if word))
    said = values(show(asked, (own + board).replace(" ", "") + "/" + earlier))
    assert said == dict(exact)


def test_flop_poker_uses_three_own_cards_and_two_of_the_flop(show: Show) -> None:
    asked = inputs("flop_poker")
    play = strategy(asked)
    for own in ("As Kd 2h", "9c 9d 2h", "Ah Kh Qh"):
        assert values(show(asked, own.replace(" ", ""))) == dict(play.values(ids_of(own), b"", ()))


def test_ultimate_texas_holdem_on_every_street(show: Show) -> None:
    asked = inputs("ultimate_texas_holdem", {"blind": "B"})
    play = strategy(asked.only_main())
    for own, board in (
        ("9h 3h", ""),
        ("9h 3h", "7h 2h Ks"),
        ("9h 3h", "7h 2h Ks 4h Ah"),
        ("2c 2d", "5s 6s 7s 8s 9s"),
        ("Kc Qd", "Ah Ad Ac Kd Kh"),
    ):
        dom = show(asked, (own + board).replace(" ", ""))
        assert values(dom) == dict(play.values(ids_of(own), ids_of(board), ())), (own, board)
    assert len(re.findall(r'<button type="button"[^>]* aria-label="[2-9TJQKA]{2}[so]?: (?:4x|check)"', dom)) == 169


def test_an_address_that_is_no_hand_asks_for_cards(show: Show) -> None:
    asked = inputs("flop_poker")
    for cards in ("", "As", "AsAsAs", "XxYyZz", "AsKd2h3c4c5c", "As%00", "%3Cimg%20src=x%3E"):
        dom = show(asked, cards)
        assert "Choose " in dom
        assert "<img" not in dom
    assert re.findall(r"<(?:link|img|iframe)\b|src=|https?:", dom) == [], "nothing is loaded from elsewhere"

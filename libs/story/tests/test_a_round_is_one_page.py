"""Method: a round is drawn as a page, and the page is taken apart again by Python's own HTML parser."""

import re
from html.parser import HTMLParser

import pytest
from round_play import Table
from test_which_card_lies_where_in_the_rack import holdem, played_holdem
from told import history, sealed

from pitstream.events.disputes import DisputeDecided, DisputeOpened, StatementAttached
from pitstream.games.game import CARDS
from pitstream.story.drawn import card_svg
from pitstream.story.history import History
from pitstream.story.page import page
from pitstream.story.telling import tell

VOID_ELEMENTS = {"meta", "br", "input", "link", "img", "hr"}


class Taken(HTMLParser):
    """What is in a page: its text, its elements with attributes, and whether every element is closed in its order."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID_ELEMENTS:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


@pytest.fixture(scope="module")
def whole() -> History:
    return history(played_holdem())


def test_the_page_fetches_nothing_and_closes_every_element(whole: History):
    text = page(tell(whole))
    taken = Taken(text)
    assert taken.open == []
    assert [(tag, name) for tag, attributes in taken.elements for name in attributes if name in ("src", "srcset")] == []
    assert {attributes["href"] for _, attributes in taken.elements if "href" in attributes} <= {
        f"#card-{code}" for code in CARDS
    }
    assert re.findall(r"url\(|@import|https?://(?!www\.w3\.org/2000/svg)", text) == []


def test_the_same_events_make_the_same_page(whole: History):
    assert page(tell(whole)) == page(tell(history(played_holdem())))


def test_every_step_sentence_amount_and_hash_stands_on_it(whole: History):
    told = tell(whole)
    text = Taken(page(told)).text
    for recorded in whole.everything:
        assert recorded.hash.hex() in text
    (settlement,) = told.settlements
    for seat in settlement.seats:
        for line in seat.lines:
            assert line.sentence in text
    assert told.state_hash in text
    assert f"{told.chained} events checked, every hash chain holds." in text
    assert text.count("seat 1 the money is held") == 2  # on the felt's caption and among the steps


def test_every_card_is_drawn_once_and_used_by_its_name(whole: History):
    taken = Taken(page(tell(whole)))
    drawn = {attributes["id"] for tag, attributes in taken.elements if tag == "symbol"}
    used = {str(attributes["href"])[1:] for tag, attributes in taken.elements if tag == "use"}
    dealt = "2d 8c 3d 9c Kh Ah 5s 6s Th Jh Qh Ac 2s 7c Jc".split()  # noqa: SIM905  # as a dealer reads them
    assert drawn == used == {f"card-{code}" for code in dealt}


def test_a_page_up_to_an_event_shows_no_later_card(whole: History):
    told = tell(whole, at=8)
    text = page(told)
    assert "card-Qh" not in text
    assert "Round after event 8" in text
    assert "Settlement" not in Taken(text).text


def test_a_chain_that_is_broken_is_said_in_the_first_line(whole: History):
    broken = History(whole.round, broken=("round/t1/1 version 3 (id): expected version 2",))
    text = Taken(page(tell(broken))).text
    assert "The log was touched: a hash chain does not hold. round/t1/1 version 3 (id): expected version 2" in text
    assert "every hash chain holds" not in text


def test_what_people_write_is_text_and_nothing_else():
    attack = "<script>alert(1)</script>\"'&"
    place = {"table": "t1", "round_no": 1, "number": 1}
    dispute = sealed(
        "dispute/t1/1/1",
        [
            DisputeOpened(**place, seat=3, text=attack, opened_by="f-17"),
            StatementAttached(**place, statement=1, said_by="dealer", text=attack, taken_by="f-17"),
            DisputeDecided(**place, decision="denied", reason="read from the rack", decided_by="f-18"),
        ],
    )
    text = page(tell(history(played_holdem(), disputes=dispute)))
    assert attack not in text
    assert Taken(text).text.count(attack) == 2
    assert [tag for tag, _ in Taken(text).elements].count("script") == 1
    assert "dispute 1 was denied by f-18: read from the rack" in Taken(text).text


@pytest.mark.parametrize("four_colour", [False, True])
def test_each_of_52_cards_is_a_drawing_of_its_own_with_its_name(four_colour: bool):
    drawings = {code: card_svg(code, four_colour=four_colour) for code in CARDS}
    assert len(set(drawings.values())) == 52
    assert 'aria-label="ten of diamonds"' in drawings["Td"]
    colours = {code[1]: re.search(r'color="(#\w+)"', drawing).group(1) for code, drawing in drawings.items()}  # type: ignore[union-attr]
    assert len(set(colours.values())) == (4 if four_colour else 2)


def test_a_round_in_play_is_a_page_too():
    table: Table = holdem()
    assert Taken(page(tell(history(table)))).open == []
    table.answer(1, "check")
    assert "seat 3 is asked: check, 3x, 4x" in Taken(page(tell(history(table)))).text

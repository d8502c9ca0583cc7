"""Method: rounds of all three games are played command by command, and the whole rack is compared, bottom first."""

from round_play import FLOORPERSON, Table, betting, deal
from told import history, sealed

from pitstream.events import ids
from pitstream.events.progressives import CardsReleased
from pitstream.games.commands import FinishRound, ForfeitSeat, RevealCommunity, VoidRound
from pitstream.story.history import History
from pitstream.story.telling import tell

Lies = list[tuple[str, str, str]]
"""Places, cards, whose."""


def lies(told: History, at: int | None = None) -> Lies:
    return [(each.places, " ".join(each.cards), each.whose) for each in tell(told, at=at).rack.racked]


def reveal(community: str, burned: str = "") -> RevealCommunity:
    return RevealCommunity(cards=tuple(community.split()), burned=tuple(burned.split()))


def holdem() -> Table:
    """Seats 1 (trips), 3 (nothing beside) and 5 (progressive, a royal flush with the flop), everybody asked."""
    table = betting()
    table.bet(1, ante=500, blind=500, trips=500)
    table.bet(3, ante=500, blind=500)
    table.bet(5, ante=500, blind=500, progressive=100)
    table.do(deal({1: "2d 8c", 3: "3d 9c", 5: "Kh Ah"}, dealer="5s 6s"))
    return table


def played_holdem() -> Table:
    table = holdem()
    for seat, choice in ((1, "check"), (3, "check"), (5, "4x")):
        table.answer(seat, choice)
    table.do(reveal("Th Jh Qh", "Ac"))
    table.answer(1, "check")
    table.answer(3, "check")
    table.do(reveal("2s 7c", "Jc"))
    table.answer(1, "fold")
    table.answer(3, "fold")
    table.do(FinishRound())
    return table


def test_a_fold_without_a_live_bet_goes_there_at_once_and_one_under_trips_when_its_seat_is_cleared():
    assert lies(history(played_holdem())) == [
        ("1", "Ac", "burned"),
        ("2", "Jc", "burned"),
        ("3-4", "3d 9c", "seat 3"),
        ("5-6", "2d 8c", "seat 1"),
        ("7-11", "Th Jh Qh 2s 7c", "community"),
        ("12-13", "5s 6s", "dealer"),
    ]


def test_a_hand_that_won_a_share_of_a_meter_waits_for_its_documents_and_then_lies_on_top():
    table = played_holdem()
    (waits,) = tell(history(table)).rack.waiting
    assert (waits.seat, waits.cards) == (5, ("Kh", "Ah"))
    assert waits.why.startswith("stays until the cards of the hit on main are released")

    claim = ids.claim_id("t1", 1, 5, "progressive")
    released = CardsReleased(network="n1", claim_id=claim, released_by=FLOORPERSON)
    told = history(table, network=sealed("progressive/n1", [released], 90_000_000))
    assert tell(told).rack.waiting == ()
    assert lies(told)[-1] == ("14-15", "Kh Ah", "seat 5")


def test_the_rack_of_a_round_in_play_knows_nothing_of_what_comes():
    told = history(played_holdem())
    flop, _ = (step.number for step in tell(told).steps if step.kind == "CommunityDealt")
    assert lies(told, at=flop) == [("1", "Ac", "burned")]
    assert lies(told, at=flop - 1) == []


def test_a_forfeited_hand_goes_there_at_once():
    table = holdem()
    table.do(ForfeitSeat(seat=3, reason="showed its cards", floorperson=FLOORPERSON))
    assert lies(history(table)) == [("1-2", "3d 9c", "seat 3")]


def test_the_cards_of_a_void_round_are_picked_up_from_the_dealers_right():
    table = holdem()
    table.do(VoidRound(reason="two cards too many", floorperson=FLOORPERSON))
    assert lies(history(table)) == [
        ("1-2", "Kh Ah", "seat 5"),
        ("3-4", "3d 9c", "seat 3"),
        ("5-6", "2d 8c", "seat 1"),
        ("7-8", "5s 6s", "dealer"),
    ]


def test_every_hand_of_flop_poker_lies_under_its_pot_until_the_pot_is_decided():
    table = betting("flop_poker")
    table.bet(2, ante=500, pot=500)
    table.bet(6, ante=500, pot=500)
    table.do(deal({2: "Js 7h 2c", 6: "Qs 8h 3c"}))
    table.answer(2, "fold")
    table.answer(6, "flop")
    table.do(reveal("Jd 9s 4h", "2d"), FinishRound())
    assert lies(history(table)) == [
        ("1", "2d", "burned"),
        ("2-4", "Qs 8h 3c", "seat 6"),
        ("5-7", "Js 7h 2c", "seat 2"),
        ("8-10", "Jd 9s 4h", "community"),
    ]


def test_a_folded_stud_hand_stays_under_its_progressive_wager_for_the_others_envy():
    table = betting("raise_it_up_stud")
    table.bet(1, ante=500, blind=500, progressive=100)
    table.bet(4, ante=500, blind=500)
    table.do(deal({1: "2d 8c Ts", 4: "3d 9c Kc"}))
    table.answer(1, "check")
    table.answer(4, "check")
    table.do(reveal("4h"))
    table.answer(1, "check")
    table.answer(4, "check")
    table.do(reveal("6s"))
    table.answer(1, "fold")
    table.answer(4, "fold")
    table.do(reveal("Qd"), FinishRound())
    assert [whose for _, _, whose in lies(history(table))] == ["seat 4", "seat 1", "community"]

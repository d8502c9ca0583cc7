"""Which prizes wait for a floorperson: small rounds, worked out by hand from the paragraphs."""

import pytest
from told_rounds import holdem, seat, stud

from pitstream.games.game import FinishedRound
from pitstream.games.settlement import settle

FLOP = "9s 8s 7s 2c 3d"


def waiting(played: FinishedRound, **how: str) -> list[tuple[int, str, int, int | None]]:
    """(seat, wager or award, amount, whose hand) of everything that waits."""
    return [
        *(
            (each.seat, line.wager, line.won, None)
            for each in settle(played, **how).seats
            for line in each.lines
            if line.awaits_validation
        ),
        *(
            (each.seat, award.award, award.amount, award.for_seat)
            for each in settle(played, **how).seats
            for award in each.awards
            if award.awaits_validation
        ),
    ]


BETS = {"ante": 1000, "blind": 1000}
ROUNDS = [
    pytest.param(
        holdem(FLOP, "Ah Kd", seat(1, "Js Ts", "4x", **BETS, five_card=100)),
        [(1, "five_card", 50_000, None)],
        id="653a.11(l): a straight flush pays 500 for 1 and waits",
    ),
    pytest.param(
        holdem("9s 9h 9d 2c 3d", "Ah Kd", seat(1, "9c Ts", "4x", **BETS, five_card=100)),
        [],
        id="653a.11(l): four of a kind pays 250 for 1 and does not",
    ),
    pytest.param(
        holdem("Qs Js Ts 2c 3d", "As Ks", seat(1, "4h 5h", "4x", **BETS, five_card=100)),
        [(1, "five_card", 50_000, None)],
        id="653a.11(l): the dealer's royal flush pays 500 for 1, too",
    ),
    pytest.param(
        holdem("Qs Js Ts 2c 3d", "4h 4d", seat(1, "As Ks", "4x", **BETS, five_card=100)),
        [],
        id="a share of a meter is a hit of its network; 500 to 1 on the Blind is no such prize",
    ),
    pytest.param(
        holdem(
            FLOP,
            "Ah Kd",
            seat(1, "Js Ts", "4x", **BETS),
            seat(2, "6s 5s", "4x", **BETS, progressive=100),
            seat(4, "2h 4h", "check check fold", **BETS, progressive=300),
        ),
        [(2, "envy", 30_000, 1), (4, "envy", 90_000, 1), (4, "envy", 90_000, 2)],
        id="653a.11(k)(5): envy waits for each other hand, also where its holder has no progressive wager",
    ),
    pytest.param(
        stud(
            "2c 7d 9h",
            seat(3, "Ah Kh Qh", "3x", **BETS, progressive=100),
            seat(5, "4s 4d 8c", "check check fold", **BETS),
        ),
        [(3, "progressive", 50_000, None)],
        id="Raise It Up Stud: A-K-Q of one suit pays 500 for 1 and waits",
    ),
    pytest.param(
        stud("2c 7d 9h", seat(3, "6h 7h 8h", "3x", **BETS, progressive=100)),
        [],
        id="Raise It Up Stud: a straight flush pays 70 for 1 and does not",
    ),
]


@pytest.mark.parametrize(("played", "waits"), ROUNDS)
def test_what_waits_for_a_floorperson(played: FinishedRound, waits: list[tuple[int, str, int, int | None]]) -> None:
    assert waiting(played) == waits


@pytest.mark.parametrize(("played", "waits"), ROUNDS)
def test_the_mark_is_all_that_waiting_changes(played: FinishedRound, waits: object) -> None:
    old, new = settle(played, rules_version="1"), settle(played)
    unmarked = [
        each.model_copy(
            update={
                "lines": tuple(line.model_copy(update={"awaits_validation": False}) for line in each.lines),
                "awards": tuple(award.model_copy(update={"awaits_validation": False}) for award in each.awards),
            }
        )
        for each in new.seats
    ]
    assert (tuple(unmarked), new.order) == (old.seats, old.order)
    assert waiting(played, rules_version="1") == []

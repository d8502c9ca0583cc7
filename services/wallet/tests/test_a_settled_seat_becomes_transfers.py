"""What a line moves, by outcome; and over the worked cases and random seats: a seat's transfers are its net."""

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitstream.events import ids
from pitstream.events.settlements import Award, Line, RoundSettled, SeatSettlement, Share, pot_wagers
from pitstream.events.wallet import Transfer
from pitstream.services.wallet.ledger import net
from pitstream.services.wallet.posting import UnpostableError, seat_transfers

PLAYER = "player/p1/USD"
TABLE = "table/t1/USD"
POT = "pot/t1/1/USD"


def transfers_of(settled: RoundSettled, seat: SeatSettlement) -> tuple[Transfer, ...]:
    return seat_transfers(settled, seat, pot_wagers(settled.seats))


CASES = Path(__file__).parents[3] / "tests" / "data" / "cases"


def line(
    outcome: str, returned: int, won: int, *, stake: int = 100, share: int = 0, paid_from: str | None = None
) -> Line:
    claim = Share(meter="main", percent=share) if share else None
    return Line.model_validate(
        {
            "wager": "ante", "stake": stake, "outcome": outcome, "returned": returned, "won": won, "rule": "",
            "share": claim, "paid_from": paid_from,
        }
    )  # fmt: skip


@pytest.mark.parametrize(
    ("settled_line", "moves"),
    [
        pytest.param(line("lose", 0, 0), [(PLAYER, TABLE, 100)], id="lost: stake to the table"),
        pytest.param(line("forfeit", 0, 0), [(PLAYER, TABLE, 100)], id="forfeited: stake to the table"),
        pytest.param(line("push", 100, 0), [], id="push: nothing moves"),
        pytest.param(line("void", 100, 0), [], id="void: nothing moves"),
        pytest.param(line("win", 100, 150), [(TABLE, PLAYER, 150)], id="3 to 2: winnings only"),
        pytest.param(
            line("win", 0, 900, paid_from="game_account"),
            [(PLAYER, TABLE, 100), (TABLE, PLAYER, 900)],
            id="9 for 1: stake taken, nine stakes paid",
        ),
        pytest.param(
            line("win", 0, 300, paid_from="pot"),
            [(PLAYER, POT, 100), (POT, PLAYER, 300)],
            id="the Pot: own stake in, the whole Pot out",
        ),
        pytest.param(
            line("win", 0, 0, share=10, paid_from="meter"),
            [(PLAYER, TABLE, 100)],
            id="a share: stake taken, paid by hand later",
        ),
    ],
)
def test_a_line_moves_what_its_outcome_says(say, settled_line, moves):
    seat = say.seat(1, "p1", settled_line)
    transfers = transfers_of(say.settled(seat), seat)
    assert [(t.debit, t.credit, t.amount) for t in transfers] == moves


@pytest.mark.parametrize(
    "settled_line",
    [
        pytest.param(line("lose", 1, 0), id="lost, yet a cent returned"),
        pytest.param(line("lose", 0, 1), id="lost, yet a cent won"),
        pytest.param(line("forfeit", 100, 0), id="forfeited, yet returned"),
        pytest.param(line("push", 99, 0), id="a push that keeps a cent"),
        pytest.param(line("void", 0, 0), id="a void that keeps the stake"),
        pytest.param(line("void", 100, 1), id="a void that pays"),
        pytest.param(line("win", 50, 100), id="half a stake returned"),
        pytest.param(line("win", 200, 100), id="two stakes returned"),
        pytest.param(line("win", 100, 0), id="a win of nothing"),
        pytest.param(line("win", 0, 5, share=10, paid_from="meter"), id="a share with an amount"),
        pytest.param(line("win", 100, 0, share=10, paid_from="meter"), id="a share with the stake returned"),
        pytest.param(line("win", 0, 0, share=10), id="a share that no meter pays"),
        pytest.param(line("win", 0, 5, paid_from="meter"), id="a meter that pays without a share"),
        pytest.param(line("lose", 0, 0, share=10), id="lost, yet a share claimed"),
    ],
)
def test_a_line_that_contradicts_itself_moves_nothing(say, settled_line):
    seat = say.seat(1, "p1", settled_line)
    with pytest.raises(UnpostableError) as refused:
        transfers_of(say.settled(seat), seat)
    assert refused.value.code == "line_contradicts_itself"


def test_awards_are_paid_from_the_table_each_under_its_own_id(say):
    awards = [
        Award(award="envy", amount=500, rule="", for_seat=2),
        Award(award="envy", amount=700, rule="", for_seat=4),
        Award(award="magic", amount=30, rule="", paid_from="game_account"),
        Award(award="lucky", amount=0, rule=""),
    ]
    seat = say.seat(1, "p1", awards=awards)
    transfers = transfers_of(say.settled(seat), seat)
    assert [(t.debit, t.credit, t.amount, t.code) for t in transfers] == [
        (TABLE, PLAYER, 500, "envy"),
        (TABLE, PLAYER, 700, "envy"),
        (TABLE, PLAYER, 30, "magic"),
    ]
    assert [t.transfer_id for t in transfers] == [
        ids.transfer_id("t1", 1, 1, "envy", 2, "award"),
        ids.transfer_id("t1", 1, 1, "envy", 4, "award"),
        ids.transfer_id("t1", 1, 1, "magic", "own", "award"),
    ]


def settled_cases() -> list[dict]:
    rounds = []
    for path in sorted(CASES.glob("*.expected.jsonl")):
        rounds += [case for case in map(json.loads, path.read_text().splitlines()) if "error" not in case]
    return rounds


def as_settled(case: dict) -> tuple[RoundSettled, list[int]]:
    """The case's settlement as it is published, a share being a claim without an amount; and each seat's net without
    its shares."""
    seats, nets = [], []
    for seat in case["seats"]:
        shares = 0
        lines = []
        for told in seat["lines"]:
            if "share" in told:
                shares += told["won"]
                lines.append(Line.model_validate({**told, "won": 0, "share": Share(**told["share"])}))
            else:
                lines.append(Line.model_validate(told))
        awards = tuple(Award.model_validate(award) for award in seat["awards"])
        seats.append(SeatSettlement(seat=seat["seat"], player=seat["player"], lines=tuple(lines), awards=awards))
        nets.append(seat["net"] - shares)
    settled = RoundSettled(
        table="t1",
        round_no=1,
        round_id=case["id"],
        game=case["game"],
        gaming_day="2026-01-02",
        currency="USD",
        void=False,
        seats=tuple(seats),
        order=tuple(case["order"]),
        rules_version="1",
        closed_by="",
    )
    return settled, nets


def test_in_every_worked_case_a_seats_transfers_are_its_net_and_the_pot_leaves_the_table_nothing():
    cases = settled_cases()
    assert len(cases) > 500
    for case in cases:
        settled, nets = as_settled(case)
        moved = [transfers_of(settled, seat) for seat in settled.seats]
        players = [ids.player_account(seat.player, "USD") for seat in settled.seats]
        assert [net(player, transfers) for player, transfers in zip(players, moved, strict=True)] == nets, case["id"]
        every = tuple(transfer for transfers in moved for transfer in transfers)
        assert net(TABLE, every) == -sum(nets), case["id"]
        assert net(POT, every) == 0, case["id"]
        assert len({t.transfer_id for t in every}) == len(every), case["id"]


stakes = st.integers(1, 10**12)
amounts = st.integers(1, 10**12)
lines = st.one_of(
    st.builds(lambda stake: line("lose", 0, 0, stake=stake), stakes),
    st.builds(lambda stake: line("forfeit", 0, 0, stake=stake), stakes),
    st.builds(lambda stake: line("push", stake, 0, stake=stake), stakes),
    st.builds(lambda stake: line("void", stake, 0, stake=stake), stakes),
    st.builds(lambda stake, won: line("win", stake, won, stake=stake), stakes, amounts),
    st.builds(lambda stake, won: line("win", 0, won, stake=stake), stakes, amounts),
    st.builds(lambda stake: line("win", 0, 0, stake=stake, share=100, paid_from="meter"), stakes),
)


@given(st.lists(lines, max_size=8), st.lists(st.integers(0, 10**12), max_size=6))
def test_a_seats_transfers_are_always_returned_plus_won_plus_awards_minus_stakes(say, seat_lines, award_amounts):
    named = [told.model_copy(update={"wager": f"w{number}"}) for number, told in enumerate(seat_lines)]
    awards = [Award(award="envy", amount=a, rule="", for_seat=n + 1) for n, a in enumerate(award_amounts)]
    seat = say.seat(1, "p1", *named, awards=awards)
    transfers = transfers_of(say.settled(seat), seat)
    assert net(PLAYER, transfers) == sum(told.returned + told.won - told.stake for told in named) + sum(award_amounts)
    assert net(PLAYER, transfers) + net(TABLE, transfers) == 0
    assert all({t.debit, t.credit} == {PLAYER, TABLE} and t.amount > 0 for t in transfers)
    assert len({t.transfer_id for t in transfers}) == len(transfers)

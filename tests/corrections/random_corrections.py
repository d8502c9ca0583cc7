"""Random corrections of random rounds: facts that a floor may have got wrong, as often as not more than one at once."""

import json
import random
from collections.abc import Iterator

from random_records import DECK, random_record

from pitstream.evaluator import fingerprint
from pitstream.events import Event, ids
from pitstream.events.disputes import CardFact, DecisionFact, Fact, PlayerFact, RoundCorrected, SeatFact, WagerFact
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import PaytableChoice, RoundOpened, Stake, WagersPlaced
from pitstream.events.settlements import RoundSettled
from pitstream.games.corrections import corrected, correction_of
from pitstream.games.game import FinishedRound, play_stakes
from pitstream.games.paytables import bundled
from pitstream.games.record import read_record
from pitstream.games.record_json import RecordError
from pitstream.games.registry import game_named
from pitstream.games.settlement import RULES_VERSION, settle

TABLE = "uth-04"
ROUND_NO = 7


def random_round(seed: str) -> FinishedRound:
    """One finished round of any game, none that is void."""
    for attempt in range(100):
        record = random_record(f"{seed}/{attempt}")
        record.pop("void", None)
        try:
            played = read_record(json.dumps(record).encode()).round
        except RecordError:
            continue
        return played
    raise AssertionError(f"{seed}: no round in a hundred attempts")


def random_correction(played: FinishedRound, chance: random.Random) -> tuple[tuple[Fact, ...], FinishedRound]:
    """Facts that correct the round, and the round with them; drawn until they are such as a table accepts."""
    for _ in range(200):
        facts = tuple(_facts(played, chance))
        becomes = correct(played, facts)
        if not isinstance(becomes, Refusal):
            return facts, becomes
    raise AssertionError("no acceptable correction in two hundred attempts")


def correct(played: FinishedRound, facts: tuple[Fact, ...]) -> FinishedRound | Refusal:
    return corrected(played, facts, set_aside=(), paytables=bundled(), rules_version=RULES_VERSION)


def _facts(played: FinishedRound, chance: random.Random) -> Iterator[Fact]:
    seen = set()
    for _ in range(chance.choice((1, 1, 1, 2, 3))):
        some = list(chance.choice((_card, _card, _swap, _wager, _wager, _decision, _seat, _player))(played, chance))
        for fact in some:
            about = str(fact.model_dump(exclude={"card": {"was", "becomes"}, "wager": {"was", "becomes"}}))
            if about not in seen:
                seen.add(about)
                yield fact


def places(played: FinishedRound) -> list[tuple[str, int | None, int, str]]:
    """Place, seat, position and card of every card of the round."""
    listed = [
        (place, None, at, card)
        for place in ("dealer", "community", "bonus")
        for at, card in enumerate(getattr(played, place), start=1)
    ]
    return listed + [
        ("seat", seat.seat, at, card) for seat in played.seats for at, card in enumerate(seat.cards, start=1)
    ]


def card_fact(where: tuple[str, int | None, int, str], becomes: str) -> Fact:
    names = ("place", "seat", "position", "was")
    return Fact(card=CardFact.model_validate({**dict(zip(names, where, strict=True)), "becomes": becomes}))


def _card(played: FinishedRound, chance: random.Random) -> Iterator[Fact]:
    every = places(played)
    unseen = sorted(set(DECK) - {card for *_, card in every} - set(played.burned))
    yield card_fact(chance.choice(every), chance.choice(unseen))


def _swap(played: FinishedRound, chance: random.Random) -> Iterator[Fact]:
    one, other = chance.sample(places(played), 2)
    yield card_fact(one, other[3])
    yield card_fact(other, one[3])


def _wager(played: FinishedRound, chance: random.Random) -> Iterator[Fact]:
    game = game_named(played.game)
    seat = chance.choice(played.seats)
    wager = chance.choice(game.placed_before_deal)
    was, becomes = seat.wagers.get(wager, 0), chance.choice((0, 100, 500, 2_500))
    together = game.equal_to_ante if wager in ("ante", *game.equal_to_ante) else ()
    for one in dict.fromkeys((*(("ante",) if together else ()), *together, wager)):
        yield Fact(wager=WagerFact(seat=seat.seat, wager=one, was=was, becomes=becomes))


def _decision(played: FinishedRound, chance: random.Random) -> Iterator[Fact]:
    game = game_named(played.game)
    seat = chance.choice(played.seats)
    position = chance.randint(1, len(game.streets))
    was = dict(enumerate(seat.decisions, start=1)).get(position, "")
    becomes = chance.choice(("", *game.streets[position - 1].choices))
    yield Fact(decision=DecisionFact(seat=seat.seat, position=position, was=was, becomes=becomes))
    for later, said in enumerate(seat.decisions[position:], start=position + 1):
        yield Fact(decision=DecisionFact(seat=seat.seat, position=later, was=said, becomes=""))


def _seat(played: FinishedRound, chance: random.Random) -> Iterator[Fact]:
    seat = chance.choice(played.seats).seat
    free = sorted(set(range(1, 8)) - {one.seat for one in played.seats})
    yield Fact(at_seat=SeatFact(seat=seat, becomes=chance.choice([None, *free])))


def _player(played: FinishedRound, chance: random.Random) -> Iterator[Fact]:
    seat = chance.choice(played.seats)
    others = [one.player for one in played.seats if one.player != seat.player]
    yield Fact(player=PlayerFact(seat=seat.seat, was=seat.player, becomes=chance.choice(["p-else", *others])))


def opening(played: FinishedRound, network: str | None = None) -> RoundOpened:
    """The opening event of such a round."""
    return RoundOpened.model_construct(
        table=TABLE,
        round_no=ROUND_NO,
        round_id="r1",
        game=played.game,
        gaming_day=played.gaming_day,
        currency=played.currency,
        paytables=(),
        options=dict(played.options),
        network=network,
        previous_round_hash=b"",
        rules_version=RULES_VERSION,
        evaluator=fingerprint(),
    )


def corrected_event(
    played: FinishedRound, facts: tuple[Fact, ...], number: int, network: str | None = None
) -> RoundCorrected:
    """The event that makes ``played`` the round in force; its paytables are those of the round, with their hashes."""
    known = bundled()
    choices = tuple(
        PaytableChoice(
            wager=wager,
            paytable=id_,
            sha256=known.named(played.game, wager, id_, played.gaming_day).sha256,
        )
        for wager, id_ in played.paytables.items()
    )
    opened = opening(played, network).model_copy(update={"paytables": choices})
    return correction_of(
        opened,
        played,
        number=number,
        facts=facts,
        reason="camera 4",
        proposed_by="f.one",
        confirmed_by="a.two",
        dispute=None,
    )


def settlement_of(played: FinishedRound, network: str | None = None) -> RoundSettled:
    """What the round comes to, as a first settlement."""
    result = settle(played, bundled(), rules_version=RULES_VERSION)
    return RoundSettled(
        table=TABLE,
        round_no=ROUND_NO,
        round_id="r1",
        game=played.game,
        gaming_day=played.gaming_day,
        currency=played.currency,
        void=False,
        seats=result.seats,
        order=result.order,
        network=network,
        rules_version=RULES_VERSION,
        closed_by="c1",
    )


def placed(played: FinishedRound) -> list[Event]:
    """The bundles of wagers that such a round had placed."""
    game = game_named(played.game)
    events: list[Event] = []
    for seat in played.seats:
        bundles = [dict(seat.wagers), *({wager: stake} for wager, stake in play_stakes(game, seat).items())]
        for bundle, stakes in enumerate(bundles, start=1):
            events.append(
                WagersPlaced(
                    table=TABLE,
                    round_no=ROUND_NO,
                    seat=seat.seat,
                    player=seat.player,
                    bundle=bundle,
                    currency=played.currency,
                    stakes=tuple(Stake(wager=wager, stake=stake) for wager, stake in stakes.items()),
                )
            )
    return events


def players_of(*rounds: FinishedRound) -> list[str]:
    return sorted({ids.player_account(seat.player, one.currency) for one in rounds for seat in one.seats})

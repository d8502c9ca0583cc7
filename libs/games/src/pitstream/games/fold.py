"""What each event of a round means: the one place that says so, for the table that plays, the settlement that pays, the
replay and the audit alike. It judges nothing and skips nothing; whether a command is legal is ``referee``'s to say.

A ``Fold`` is a round being told: it changes with every event, so that a stored round is read at a cost that decoding
its bytes nearly covers. The states that everybody else sees never change: ``evolve`` makes a fold of one, applies an
event and takes the next state out of it.

An event here is a twin of the contract, the message that its bytes hold, or what ``pitstream.wire`` reads of them: the
fields that are read have the same names and, but for lists, the same values on all three.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import make_dataclass
from functools import lru_cache, partial
from operator import attrgetter
from typing import Any, Final

from google.protobuf.message import DecodeError, Message

from pitstream.envelope.v1.envelope_pb2 import Envelope
from pitstream.events.codec import PARSERS, UndecodableError, decode_payload
from pitstream.events.model import Event
from pitstream.events.rounds import (
    BettingClosed,
    BonusDealt,
    CardSetAside,
    CommunityDealt,
    DecisionMade,
    HandsDealt,
    PlayerLeft,
    RoundFinished,
    RoundOpened,
    RoundVoided,
    SeatForfeited,
    WagersDeclined,
    WagersPlaced,
    WagersStood,
    WagersWithdrawn,
)
from pitstream.games.game import Game, Street
from pitstream.games.registry import GAMES, game_named
from pitstream.games.states import (
    Asking,
    AwaitingCommunity,
    AwaitingFunds,
    Betting,
    Dealing,
    Finished,
    LiveSeat,
    NoRound,
    Play,
    Round,
    Showdown,
    Voided,
    seen,
)
from pitstream.wire import read

BEFORE_THE_DEAL: Final = 1
"""Bundle of the wagers placed before the deal; each answer that places a wager makes the next bundle."""


class ImpossibleEventError(ValueError):
    """An event that cannot follow the ones before it: a stream that no table wrote."""


class _Seat:
    """``LiveSeat`` while it changes."""

    # Slots, and no defaults of the class: Python finds a slot at once, and those it looks up anew each time.
    __slots__ = (
        "bundles", "cards", "decisions", "ended", "forfeited", "frozen", "left", "number", "player", "stands", "wagers",
    )  # fmt: skip

    def __init__(self, number: int, player: str, wagers: Mapping[str, int]) -> None:
        self.number = number
        self.player = player
        self.wagers = wagers
        self.stands = False
        self.bundles = 1
        self.cards: tuple[str, ...] = ()
        self.decisions: tuple[str, ...] = ()
        self.forfeited: str | None = None
        self.left: str | None = None
        self.ended = False
        """Whether an answer was given after which the seat is not asked any more."""
        self.frozen: LiveSeat | None = None
        """The seat as it was last seen; None once it has changed since."""

    def as_live(self) -> LiveSeat:
        if self.frozen is None:
            self.frozen = seen(
                LiveSeat,
                {
                    "seat": self.number,
                    "player": self.player,
                    "wagers": self.wagers,
                    "stands": self.stands,
                    "bundles": self.bundles,
                    "cards": self.cards,
                    "decisions": self.decisions,
                    "forfeited": self.forfeited,
                    "left": self.left,
                },
            )
        return self.frozen


def _thawed(live: LiveSeat, game: Game) -> _Seat:
    seat = _Seat(live.seat, live.player, live.wagers)
    seat.stands, seat.bundles, seat.cards, seat.decisions = live.stands, live.bundles, live.cards, live.decisions
    seat.forfeited, seat.left, seat.frozen = live.forfeited, live.left, live
    seat.ended = any(map(game.ends_with, live.decisions))
    return seat


class Fold:
    """A round being told from its events."""

    __slots__ = (
        "bonus", "bundle", "burned", "community", "dealer", "game", "opened", "reason", "seat", "seats", "set_aside",
        "stage", "stop", "stops", "withdrawn",
    )  # fmt: skip

    opened: Any
    """RoundOpened, or its message."""
    game: Game
    stops: tuple[Street, ...]

    def __init__(self) -> None:
        self.stage: type[Round] = NoRound
        self.seats: dict[int, _Seat] = {}
        """In seat order from the deal on."""
        self.dealer: tuple[str, ...] = ()
        self.community: tuple[str, ...] = ()
        self.burned: tuple[str, ...] = ()
        self.bonus: tuple[str, ...] = ()
        self.set_aside: tuple[str, ...] = ()
        self.withdrawn: frozenset[int] = frozenset()
        self.stop = 0
        self.seat = 0
        self.bundle = 0
        self.reason = ""

    @classmethod
    def of(cls, state: Round) -> "Fold":
        """A round as it is, to be told further."""
        fold = cls()
        fold.stage = type(state)
        if isinstance(state, NoRound):
            return fold
        play = state.play
        fold.opened = play.opened
        fold.game = play.game
        fold.stops = play.stops
        fold.seats = {live.seat: _thawed(live, fold.game) for live in play.seats}
        fold.dealer, fold.community, fold.burned = play.dealer, play.community, play.burned
        fold.bonus, fold.set_aside, fold.withdrawn = play.bonus, play.set_aside, play.withdrawn
        if isinstance(state, Asking | AwaitingFunds):
            fold.seat = state.seat
        if isinstance(state, Asking | AwaitingFunds | AwaitingCommunity):
            fold.stop = state.stop
        if isinstance(state, AwaitingFunds):
            fold.bundle = state.bundle
        if isinstance(state, Voided):
            fold.reason = state.reason
        return fold

    def round(self) -> Round:
        """The round as it is now."""
        stage = self.stage
        if stage is NoRound:
            return NoRound()
        seats: Iterable[_Seat] = self.seats.values()
        if stage is Betting or stage is Dealing:
            seats = [self.seats[number] for number in sorted(self.seats)]
        play = seen(
            Play,
            {
                # A message becomes its twin when somebody looks at it.
                "opened" if isinstance(self.opened, RoundOpened) else "opening": self.opened,
                "seats": tuple([seat.as_live() for seat in seats]),
                "dealer": self.dealer,
                "community": self.community,
                "burned": self.burned,
                "bonus": self.bonus,
                "set_aside": self.set_aside,
                "withdrawn": self.withdrawn,
            },
        )
        if stage is Asking:
            return Asking(play, self.stop, self.seat)
        if stage is AwaitingFunds:
            return AwaitingFunds(play, self.stop, self.seat, self.bundle)
        if stage is AwaitingCommunity:
            return AwaitingCommunity(play, self.stop)
        if stage is Voided:
            return Voided(play, self.reason)
        return stage(play)  # type: ignore[call-arg]  # what is left has a play and nothing else

    def apply(self, event: Event) -> None:
        """Tell one event more. Raises ImpossibleEventError when it cannot follow; the fold is of no use afterwards."""
        _MEANINGS.get(event.type_name, _unknown)(self, event)

    def apply_stored(self, stream: Iterable[bytes]) -> None:
        """Tell what these envelopes hold.

        Raises UndecodableError, UnknownTypeError, ImpossibleEventError; the fold is of no use afterwards.
        """
        stream, stored = list(stream), _STORED
        if (events := read(stream)) is None:
            self._apply_parsed(stream)
            return
        for type_name, event in events:
            parse, meaning = stored[type_name]
            if type(event) is bytes:
                try:
                    event = parse(event)
                except DecodeError as error:
                    raise UndecodableError(f"payload: {len(event)} bytes are not a {type_name}: {error}") from error
            meaning(self, event)

    def _apply_parsed(self, stream: Iterable[bytes]) -> None:
        """The same of bytes in whatever form: the Protobuf runtime says what they are."""
        open_envelope, stored = Envelope.FromString, _STORED
        for data in stream:
            try:
                envelope = open_envelope(data)
                parse, meaning = stored[envelope.type]
                event = parse(envelope.payload)
            except DecodeError as error:
                raise UndecodableError(f"value: {len(data)} bytes are no envelope with an event: {error}") from error
            meaning(self, event)


def _impossible(fold: Fold, event: Any, why: str = "") -> ImpossibleEventError:
    name = event.DESCRIPTOR.full_name if isinstance(event, Message) else event.type_name
    found = f"{name} cannot follow while the round is at stage {fold.stage.stage!r}"
    return ImpossibleEventError(f"{found}: {why or repr(event)}")


def _seat(fold: Fold, event: Any) -> _Seat:
    seat = fold.seats.get(event.seat)
    if seat is None:
        raise _impossible(fold, event, f"seat {event.seat} has no wagers")
    seat.frozen = None
    return seat


def _begin(fold: Fold, event: Any) -> None:
    if fold.stage is not NoRound:
        raise _impossible(fold, event)
    try:
        fold.game = game_named(event.game)
    except KeyError:
        raise _impossible(fold, event, f"game was {event.game!r}; here there are {', '.join(GAMES)}") from None
    fold.opened = event
    fold.stops = fold.game.stops
    fold.stage = Betting


def _placed(fold: Fold, event: WagersPlaced) -> None:
    number = event.seat
    if fold.stage is Betting and event.bundle == BEFORE_THE_DEAL:
        fold.seats[number] = _Seat(number, event.player, {stake.wager: stake.stake for stake in event.stakes})
    elif fold.stage is not AwaitingFunds or number != fold.seat or event.bundle != fold.bundle:
        raise _impossible(fold, event)


def _stood(fold: Fold, event: WagersStood) -> None:
    if fold.stage is Betting and event.bundle == BEFORE_THE_DEAL:
        _seat(fold, event).stands = True
        return
    seat = _answered(fold, event)
    seat.bundles = fold.bundle
    _ask(fold, seat.number)


def _declined(fold: Fold, event: WagersDeclined) -> None:
    if fold.stage is Betting and event.bundle == BEFORE_THE_DEAL:
        fold.seats.pop(event.seat, None)
        return
    seat = _answered(fold, event)
    _take_back_pending_play(fold)
    # The seat comes first again on the same street, unless it was forfeited meanwhile.
    _ask(fold, seat.number - 1)


def _answered(fold: Fold, event: WagersStood | WagersDeclined) -> _Seat:
    """The seat whose Play Wager the wallet has answered."""
    if fold.stage is not AwaitingFunds or event.seat != fold.seat or event.bundle != fold.bundle:
        raise _impossible(fold, event)
    seat = fold.seats[fold.seat]
    seat.frozen = None
    return seat


def _withdrawn(fold: Fold, event: WagersWithdrawn) -> None:
    if fold.stage is not Betting:
        raise _impossible(fold, event)
    del fold.seats[_seat(fold, event).number]
    fold.withdrawn |= {event.seat}


def _closed(fold: Fold, event: BettingClosed) -> None:
    if fold.stage is not Betting:
        raise _impossible(fold, event)
    fold.stage = Dealing


def _dealt(fold: Fold, event: HandsDealt) -> None:
    if fold.stage is not Dealing:
        raise _impossible(fold, event)
    for hand in event.hands:
        seat = fold.seats.get(hand.seat)
        if seat is None:
            raise _impossible(fold, event, f"seat {hand.seat} has no wagers")
        seat.frozen = None
        seat.cards = tuple(hand.cards[:])
    fold.dealer = tuple(event.dealer[:])
    fold.seats = dict(sorted(fold.seats.items()))
    _arrive(fold)


def _decided(fold: Fold, event: DecisionMade) -> None:
    number, choice = fold.seat, event.choice
    if fold.stage is not Asking or event.seat != number:
        raise _impossible(fold, event)
    seat, game = fold.seats[number], fold.game
    seat.frozen = None
    seat.decisions += (choice,)
    if choice in game.last_words:
        seat.ended = True
    if choice in game.play_multiple:
        fold.stage = AwaitingFunds
        fold.bundle = seat.bundles + 1
    else:
        _ask(fold, number)


def _revealed(fold: Fold, event: CommunityDealt) -> None:
    if fold.stage is not AwaitingCommunity:
        raise _impossible(fold, event)
    fold.community += tuple(event.cards[:])
    fold.burned += tuple(event.burned[:])
    _ask(fold, 0)


def _bonus(fold: Fold, event: BonusDealt) -> None:
    if fold.stage is not Showdown:
        raise _impossible(fold, event)
    fold.bonus = tuple(event.cards[:])


def _finished(fold: Fold, event: RoundFinished) -> None:
    if fold.stage is not Showdown:
        raise _impossible(fold, event)
    fold.stage = Finished


def _forfeited(fold: Fold, event: SeatForfeited) -> None:
    if fold.stage in _OVER:
        raise _impossible(fold, event)
    _seat(fold, event).forfeited = event.reason
    if fold.stage is Asking:
        _ask(fold, fold.seat - 1)


def _left(fold: Fold, event: PlayerLeft) -> None:
    if fold.stage in _OVER or fold.stage in (Betting, Dealing):
        raise _impossible(fold, event)
    _seat(fold, event).left = event.reason


def _aside(fold: Fold, event: CardSetAside) -> None:
    if fold.stage in _OVER:
        raise _impossible(fold, event)
    fold.set_aside = (*fold.set_aside, event.card)


def _voided(fold: Fold, event: RoundVoided) -> None:
    if fold.stage in _OVER:
        raise _impossible(fold, event)
    if fold.stage is AwaitingFunds:
        _take_back_pending_play(fold)
    else:
        fold.seats = {number: seat for number, seat in sorted(fold.seats.items()) if seat.stands}
    fold.stage = Voided
    fold.reason = event.reason


_OVER = (NoRound, Finished, Voided)
_MEANINGS: Final[Mapping[str, Callable[[Fold, Any], None]]] = {
    kind.type_name: meaning
    for kind, meaning in (
        (RoundOpened, _begin),
        (WagersPlaced, _placed),
        (WagersStood, _stood),
        (WagersDeclined, _declined),
        (WagersWithdrawn, _withdrawn),
        (BettingClosed, _closed),
        (HandsDealt, _dealt),
        (DecisionMade, _decided),
        (CommunityDealt, _revealed),
        (BonusDealt, _bonus),
        (RoundFinished, _finished),
        (SeatForfeited, _forfeited),
        (PlayerLeft, _left),
        (CardSetAside, _aside),
        (RoundVoided, _voided),
    )
}


def _unknown(fold: Fold, event: Any) -> None:
    raise _impossible(fold, event)


class _Stored(dict[str, tuple[Callable[[bytes], Any], Callable[[Fold, Any], None]]]):
    """By an event's stored name: what reads its bytes, and what it means."""

    def __missing__(self, type_name: str) -> tuple[Callable[[bytes], Any], Callable[[Fold, Any], None]]:
        # What many rounds say, seat 3 checks, the money of seat 5 is held, is read once.
        recurs = next(
            (kind for kind in (WagersStood, WagersDeclined, DecisionMade) if kind.type_name == type_name), None
        )
        parse = _recurring(recurs) if recurs else PARSERS[type_name]
        self[type_name] = parse, _MEANINGS.get(type_name, _unknown)
        return self[type_name]


def _recurring(kind: type[Event]) -> Callable[[bytes], Any]:
    """The twins of few bytes that recur, each read once. As plain objects with slots, whose fields are found many times
    faster than a model's: there are more of these events in a round than of all others together."""
    names = list(kind.model_fields)
    plain = make_dataclass(kind.__name__, names, namespace={"type_name": kind.type_name}, frozen=True, slots=True)
    values, twin = attrgetter(*names), partial(decode_payload, kind.type_name)
    return lru_cache(maxsize=1 << 14)(lambda payload: plain(*values(twin(payload))))


_STORED: Final = _Stored()


def _arrive(fold: Fold) -> None:
    """The round comes to its first street: first its cards, then its questions."""
    if fold.stops[0].community:
        fold.stage = AwaitingCommunity
    else:
        _ask(fold, 0)


def _ask(fold: Fold, after: int) -> None:
    """The next seat clockwise is asked; after the last one the round goes on to the next street, first to its cards."""
    stops, stop = fold.stops, fold.stop
    while True:
        if stops[stop].choices:
            for number, seat in fold.seats.items():
                if number > after and not seat.ended and seat.forfeited is None:
                    fold.stage, fold.stop, fold.seat = Asking, stop, number
                    return
        stop += 1
        if stop == len(stops):
            fold.stage = Showdown
            return
        if stops[stop].community:
            fold.stage, fold.stop = AwaitingCommunity, stop
            return
        after = 0


def _take_back_pending_play(fold: Fold) -> None:
    """The decision whose Play Wager has no money behind it is off."""
    seat = fold.seats[fold.seat]
    seat.frozen = None
    seat.decisions = seat.decisions[:-1]
    seat.ended = any(map(fold.game.ends_with, seat.decisions))

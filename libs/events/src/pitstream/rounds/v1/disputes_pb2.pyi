from pitstream.rounds.v1 import rounds_pb2 as _rounds_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DisputeOpened(_message.Message):
    __slots__ = ("table", "round_no", "number", "seat", "text", "opened_by")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    OPENED_BY_FIELD_NUMBER: _ClassVar[int]
    table: str
    round_no: int
    number: int
    seat: int
    text: str
    opened_by: str
    def __init__(self, table: _Optional[str] = ..., round_no: _Optional[int] = ..., number: _Optional[int] = ..., seat: _Optional[int] = ..., text: _Optional[str] = ..., opened_by: _Optional[str] = ...) -> None: ...

class StatementAttached(_message.Message):
    __slots__ = ("table", "round_no", "number", "statement", "said_by", "text", "taken_by")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    STATEMENT_FIELD_NUMBER: _ClassVar[int]
    SAID_BY_FIELD_NUMBER: _ClassVar[int]
    TEXT_FIELD_NUMBER: _ClassVar[int]
    TAKEN_BY_FIELD_NUMBER: _ClassVar[int]
    table: str
    round_no: int
    number: int
    statement: int
    said_by: str
    text: str
    taken_by: str
    def __init__(self, table: _Optional[str] = ..., round_no: _Optional[int] = ..., number: _Optional[int] = ..., statement: _Optional[int] = ..., said_by: _Optional[str] = ..., text: _Optional[str] = ..., taken_by: _Optional[str] = ...) -> None: ...

class DisputeDecided(_message.Message):
    __slots__ = ("table", "round_no", "number", "decision", "reason", "decided_by")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DECIDED_BY_FIELD_NUMBER: _ClassVar[int]
    table: str
    round_no: int
    number: int
    decision: str
    reason: str
    decided_by: str
    def __init__(self, table: _Optional[str] = ..., round_no: _Optional[int] = ..., number: _Optional[int] = ..., decision: _Optional[str] = ..., reason: _Optional[str] = ..., decided_by: _Optional[str] = ...) -> None: ...

class CardFact(_message.Message):
    __slots__ = ("place", "seat", "position", "was", "becomes")
    PLACE_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    WAS_FIELD_NUMBER: _ClassVar[int]
    BECOMES_FIELD_NUMBER: _ClassVar[int]
    place: str
    seat: int
    position: int
    was: str
    becomes: str
    def __init__(self, place: _Optional[str] = ..., seat: _Optional[int] = ..., position: _Optional[int] = ..., was: _Optional[str] = ..., becomes: _Optional[str] = ...) -> None: ...

class WagerFact(_message.Message):
    __slots__ = ("seat", "wager", "was", "becomes")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    WAGER_FIELD_NUMBER: _ClassVar[int]
    WAS_FIELD_NUMBER: _ClassVar[int]
    BECOMES_FIELD_NUMBER: _ClassVar[int]
    seat: int
    wager: str
    was: int
    becomes: int
    def __init__(self, seat: _Optional[int] = ..., wager: _Optional[str] = ..., was: _Optional[int] = ..., becomes: _Optional[int] = ...) -> None: ...

class DecisionFact(_message.Message):
    __slots__ = ("seat", "position", "was", "becomes")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    POSITION_FIELD_NUMBER: _ClassVar[int]
    WAS_FIELD_NUMBER: _ClassVar[int]
    BECOMES_FIELD_NUMBER: _ClassVar[int]
    seat: int
    position: int
    was: str
    becomes: str
    def __init__(self, seat: _Optional[int] = ..., position: _Optional[int] = ..., was: _Optional[str] = ..., becomes: _Optional[str] = ...) -> None: ...

class SeatFact(_message.Message):
    __slots__ = ("seat", "becomes")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BECOMES_FIELD_NUMBER: _ClassVar[int]
    seat: int
    becomes: int
    def __init__(self, seat: _Optional[int] = ..., becomes: _Optional[int] = ...) -> None: ...

class PlayerFact(_message.Message):
    __slots__ = ("seat", "was", "becomes")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    WAS_FIELD_NUMBER: _ClassVar[int]
    BECOMES_FIELD_NUMBER: _ClassVar[int]
    seat: int
    was: str
    becomes: str
    def __init__(self, seat: _Optional[int] = ..., was: _Optional[str] = ..., becomes: _Optional[str] = ...) -> None: ...

class Fact(_message.Message):
    __slots__ = ("card", "wager", "decision", "at_seat", "player")
    CARD_FIELD_NUMBER: _ClassVar[int]
    WAGER_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    AT_SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    card: CardFact
    wager: WagerFact
    decision: DecisionFact
    at_seat: SeatFact
    player: PlayerFact
    def __init__(self, card: _Optional[_Union[CardFact, _Mapping]] = ..., wager: _Optional[_Union[WagerFact, _Mapping]] = ..., decision: _Optional[_Union[DecisionFact, _Mapping]] = ..., at_seat: _Optional[_Union[SeatFact, _Mapping]] = ..., player: _Optional[_Union[PlayerFact, _Mapping]] = ...) -> None: ...

class RoundCorrectionProposed(_message.Message):
    __slots__ = ("table", "round_no", "number", "facts", "reason", "proposed_by", "dispute")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_BY_FIELD_NUMBER: _ClassVar[int]
    DISPUTE_FIELD_NUMBER: _ClassVar[int]
    table: str
    round_no: int
    number: int
    facts: _containers.RepeatedCompositeFieldContainer[Fact]
    reason: str
    proposed_by: str
    dispute: int
    def __init__(self, table: _Optional[str] = ..., round_no: _Optional[int] = ..., number: _Optional[int] = ..., facts: _Optional[_Iterable[_Union[Fact, _Mapping]]] = ..., reason: _Optional[str] = ..., proposed_by: _Optional[str] = ..., dispute: _Optional[int] = ...) -> None: ...

class SeatPlayed(_message.Message):
    __slots__ = ("seat", "player", "cards", "wagers", "decisions", "forfeited")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    WAGERS_FIELD_NUMBER: _ClassVar[int]
    DECISIONS_FIELD_NUMBER: _ClassVar[int]
    FORFEITED_FIELD_NUMBER: _ClassVar[int]
    seat: int
    player: str
    cards: _containers.RepeatedScalarFieldContainer[str]
    wagers: _containers.RepeatedCompositeFieldContainer[_rounds_pb2.Stake]
    decisions: _containers.RepeatedScalarFieldContainer[str]
    forfeited: str
    def __init__(self, seat: _Optional[int] = ..., player: _Optional[str] = ..., cards: _Optional[_Iterable[str]] = ..., wagers: _Optional[_Iterable[_Union[_rounds_pb2.Stake, _Mapping]]] = ..., decisions: _Optional[_Iterable[str]] = ..., forfeited: _Optional[str] = ...) -> None: ...

class RoundCorrected(_message.Message):
    __slots__ = ("table", "round_no", "number", "facts", "reason", "proposed_by", "confirmed_by", "dispute", "round_id", "game", "gaming_day", "currency", "paytables", "options", "network", "rules_version", "evaluator", "dealer", "community", "burned", "bonus", "seats")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    FACTS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_BY_FIELD_NUMBER: _ClassVar[int]
    CONFIRMED_BY_FIELD_NUMBER: _ClassVar[int]
    DISPUTE_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    PAYTABLES_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    EVALUATOR_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    COMMUNITY_FIELD_NUMBER: _ClassVar[int]
    BURNED_FIELD_NUMBER: _ClassVar[int]
    BONUS_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    table: str
    round_no: int
    number: int
    facts: _containers.RepeatedCompositeFieldContainer[Fact]
    reason: str
    proposed_by: str
    confirmed_by: str
    dispute: int
    round_id: str
    game: str
    gaming_day: str
    currency: str
    paytables: _containers.RepeatedCompositeFieldContainer[_rounds_pb2.PaytableChoice]
    options: _containers.ScalarMap[str, str]
    network: str
    rules_version: str
    evaluator: str
    dealer: _containers.RepeatedScalarFieldContainer[str]
    community: _containers.RepeatedScalarFieldContainer[str]
    burned: _containers.RepeatedScalarFieldContainer[str]
    bonus: _containers.RepeatedScalarFieldContainer[str]
    seats: _containers.RepeatedCompositeFieldContainer[SeatPlayed]
    def __init__(self, table: _Optional[str] = ..., round_no: _Optional[int] = ..., number: _Optional[int] = ..., facts: _Optional[_Iterable[_Union[Fact, _Mapping]]] = ..., reason: _Optional[str] = ..., proposed_by: _Optional[str] = ..., confirmed_by: _Optional[str] = ..., dispute: _Optional[int] = ..., round_id: _Optional[str] = ..., game: _Optional[str] = ..., gaming_day: _Optional[str] = ..., currency: _Optional[str] = ..., paytables: _Optional[_Iterable[_Union[_rounds_pb2.PaytableChoice, _Mapping]]] = ..., options: _Optional[_Mapping[str, str]] = ..., network: _Optional[str] = ..., rules_version: _Optional[str] = ..., evaluator: _Optional[str] = ..., dealer: _Optional[_Iterable[str]] = ..., community: _Optional[_Iterable[str]] = ..., burned: _Optional[_Iterable[str]] = ..., bonus: _Optional[_Iterable[str]] = ..., seats: _Optional[_Iterable[_Union[SeatPlayed, _Mapping]]] = ...) -> None: ...

class RoundCorrectionDeclined(_message.Message):
    __slots__ = ("table", "round_no", "number", "reason", "declined_by")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DECLINED_BY_FIELD_NUMBER: _ClassVar[int]
    table: str
    round_no: int
    number: int
    reason: str
    declined_by: str
    def __init__(self, table: _Optional[str] = ..., round_no: _Optional[int] = ..., number: _Optional[int] = ..., reason: _Optional[str] = ..., declined_by: _Optional[str] = ...) -> None: ...

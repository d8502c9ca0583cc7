from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Stake(_message.Message):
    __slots__ = ("wager", "stake")
    WAGER_FIELD_NUMBER: _ClassVar[int]
    STAKE_FIELD_NUMBER: _ClassVar[int]
    wager: str
    stake: int
    def __init__(self, wager: _Optional[str] = ..., stake: _Optional[int] = ...) -> None: ...

class PaytableChoice(_message.Message):
    __slots__ = ("wager", "paytable", "sha256")
    WAGER_FIELD_NUMBER: _ClassVar[int]
    PAYTABLE_FIELD_NUMBER: _ClassVar[int]
    SHA256_FIELD_NUMBER: _ClassVar[int]
    wager: str
    paytable: str
    sha256: str
    def __init__(self, wager: _Optional[str] = ..., paytable: _Optional[str] = ..., sha256: _Optional[str] = ...) -> None: ...

class Hand(_message.Message):
    __slots__ = ("seat", "cards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CARDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    cards: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, seat: _Optional[int] = ..., cards: _Optional[_Iterable[str]] = ...) -> None: ...

class WagerCount(_message.Message):
    __slots__ = ("wager", "count", "total")
    WAGER_FIELD_NUMBER: _ClassVar[int]
    COUNT_FIELD_NUMBER: _ClassVar[int]
    TOTAL_FIELD_NUMBER: _ClassVar[int]
    wager: str
    count: int
    total: int
    def __init__(self, wager: _Optional[str] = ..., count: _Optional[int] = ..., total: _Optional[int] = ...) -> None: ...

class TableOpened(_message.Message):
    __slots__ = ("table", "game", "gaming_day", "currency", "paytables", "policies", "network")
    class PoliciesEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    TABLE_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    PAYTABLES_FIELD_NUMBER: _ClassVar[int]
    POLICIES_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    table: str
    game: str
    gaming_day: str
    currency: str
    paytables: _containers.RepeatedCompositeFieldContainer[PaytableChoice]
    policies: _containers.ScalarMap[str, str]
    network: str
    def __init__(self, table: _Optional[str] = ..., game: _Optional[str] = ..., gaming_day: _Optional[str] = ..., currency: _Optional[str] = ..., paytables: _Optional[_Iterable[_Union[PaytableChoice, _Mapping]]] = ..., policies: _Optional[_Mapping[str, str]] = ..., network: _Optional[str] = ...) -> None: ...

class TableClosed(_message.Message):
    __slots__ = ("table", "reason")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    table: str
    reason: str
    def __init__(self, table: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class ProgressiveSuspended(_message.Message):
    __slots__ = ("table", "network", "round_no", "silent_s")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SILENT_S_FIELD_NUMBER: _ClassVar[int]
    table: str
    network: str
    round_no: int
    silent_s: int
    def __init__(self, table: _Optional[str] = ..., network: _Optional[str] = ..., round_no: _Optional[int] = ..., silent_s: _Optional[int] = ...) -> None: ...

class ProgressiveResumed(_message.Message):
    __slots__ = ("table", "network")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    table: str
    network: str
    def __init__(self, table: _Optional[str] = ..., network: _Optional[str] = ...) -> None: ...

class RoundOpened(_message.Message):
    __slots__ = ("table", "round_no", "round_id", "game", "gaming_day", "currency", "paytables", "options", "network", "previous_round_hash", "rules_version", "evaluator")
    class OptionsEntry(_message.Message):
        __slots__ = ("key", "value")
        KEY_FIELD_NUMBER: _ClassVar[int]
        VALUE_FIELD_NUMBER: _ClassVar[int]
        key: str
        value: str
        def __init__(self, key: _Optional[str] = ..., value: _Optional[str] = ...) -> None: ...
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    PAYTABLES_FIELD_NUMBER: _ClassVar[int]
    OPTIONS_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_ROUND_HASH_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    EVALUATOR_FIELD_NUMBER: _ClassVar[int]
    table: str
    round_no: int
    round_id: str
    game: str
    gaming_day: str
    currency: str
    paytables: _containers.RepeatedCompositeFieldContainer[PaytableChoice]
    options: _containers.ScalarMap[str, str]
    network: str
    previous_round_hash: bytes
    rules_version: str
    evaluator: str
    def __init__(self, table: _Optional[str] = ..., round_no: _Optional[int] = ..., round_id: _Optional[str] = ..., game: _Optional[str] = ..., gaming_day: _Optional[str] = ..., currency: _Optional[str] = ..., paytables: _Optional[_Iterable[_Union[PaytableChoice, _Mapping]]] = ..., options: _Optional[_Mapping[str, str]] = ..., network: _Optional[str] = ..., previous_round_hash: _Optional[bytes] = ..., rules_version: _Optional[str] = ..., evaluator: _Optional[str] = ...) -> None: ...

class WagersPlaced(_message.Message):
    __slots__ = ("table", "round_no", "seat", "player", "bundle", "currency", "stakes")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    BUNDLE_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    STAKES_FIELD_NUMBER: _ClassVar[int]
    table: str
    round_no: int
    seat: int
    player: str
    bundle: int
    currency: str
    stakes: _containers.RepeatedCompositeFieldContainer[Stake]
    def __init__(self, table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., player: _Optional[str] = ..., bundle: _Optional[int] = ..., currency: _Optional[str] = ..., stakes: _Optional[_Iterable[_Union[Stake, _Mapping]]] = ...) -> None: ...

class WagersStood(_message.Message):
    __slots__ = ("seat", "bundle")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BUNDLE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    bundle: int
    def __init__(self, seat: _Optional[int] = ..., bundle: _Optional[int] = ...) -> None: ...

class WagersDeclined(_message.Message):
    __slots__ = ("seat", "bundle", "reason")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BUNDLE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    seat: int
    bundle: int
    reason: str
    def __init__(self, seat: _Optional[int] = ..., bundle: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class BettingClosed(_message.Message):
    __slots__ = ("table", "round_no", "currency", "network", "wagers")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    WAGERS_FIELD_NUMBER: _ClassVar[int]
    table: str
    round_no: int
    currency: str
    network: str
    wagers: _containers.RepeatedCompositeFieldContainer[WagerCount]
    def __init__(self, table: _Optional[str] = ..., round_no: _Optional[int] = ..., currency: _Optional[str] = ..., network: _Optional[str] = ..., wagers: _Optional[_Iterable[_Union[WagerCount, _Mapping]]] = ...) -> None: ...

class HandsDealt(_message.Message):
    __slots__ = ("hands", "dealer")
    HANDS_FIELD_NUMBER: _ClassVar[int]
    DEALER_FIELD_NUMBER: _ClassVar[int]
    hands: _containers.RepeatedCompositeFieldContainer[Hand]
    dealer: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, hands: _Optional[_Iterable[_Union[Hand, _Mapping]]] = ..., dealer: _Optional[_Iterable[str]] = ...) -> None: ...

class CommunityDealt(_message.Message):
    __slots__ = ("cards", "burned")
    CARDS_FIELD_NUMBER: _ClassVar[int]
    BURNED_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[str]
    burned: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, cards: _Optional[_Iterable[str]] = ..., burned: _Optional[_Iterable[str]] = ...) -> None: ...

class BonusDealt(_message.Message):
    __slots__ = ("cards",)
    CARDS_FIELD_NUMBER: _ClassVar[int]
    cards: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, cards: _Optional[_Iterable[str]] = ...) -> None: ...

class DecisionMade(_message.Message):
    __slots__ = ("seat", "choice")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CHOICE_FIELD_NUMBER: _ClassVar[int]
    seat: int
    choice: str
    def __init__(self, seat: _Optional[int] = ..., choice: _Optional[str] = ...) -> None: ...

class SeatForfeited(_message.Message):
    __slots__ = ("seat", "reason", "floorperson")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FLOORPERSON_FIELD_NUMBER: _ClassVar[int]
    seat: int
    reason: str
    floorperson: str
    def __init__(self, seat: _Optional[int] = ..., reason: _Optional[str] = ..., floorperson: _Optional[str] = ...) -> None: ...

class WagersWithdrawn(_message.Message):
    __slots__ = ("seat", "reason", "floorperson")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FLOORPERSON_FIELD_NUMBER: _ClassVar[int]
    seat: int
    reason: str
    floorperson: str
    def __init__(self, seat: _Optional[int] = ..., reason: _Optional[str] = ..., floorperson: _Optional[str] = ...) -> None: ...

class PlayerLeft(_message.Message):
    __slots__ = ("seat", "reason", "floorperson")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FLOORPERSON_FIELD_NUMBER: _ClassVar[int]
    seat: int
    reason: str
    floorperson: str
    def __init__(self, seat: _Optional[int] = ..., reason: _Optional[str] = ..., floorperson: _Optional[str] = ...) -> None: ...

class CardSetAside(_message.Message):
    __slots__ = ("card", "reason", "floorperson")
    CARD_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FLOORPERSON_FIELD_NUMBER: _ClassVar[int]
    card: str
    reason: str
    floorperson: str
    def __init__(self, card: _Optional[str] = ..., reason: _Optional[str] = ..., floorperson: _Optional[str] = ...) -> None: ...

class RoundFinished(_message.Message):
    __slots__ = ("table", "round_no")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    table: str
    round_no: int
    def __init__(self, table: _Optional[str] = ..., round_no: _Optional[int] = ...) -> None: ...

class RoundVoided(_message.Message):
    __slots__ = ("table", "round_no", "reason", "floorperson", "kind")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    FLOORPERSON_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    table: str
    round_no: int
    reason: str
    floorperson: str
    kind: str
    def __init__(self, table: _Optional[str] = ..., round_no: _Optional[int] = ..., reason: _Optional[str] = ..., floorperson: _Optional[str] = ..., kind: _Optional[str] = ...) -> None: ...

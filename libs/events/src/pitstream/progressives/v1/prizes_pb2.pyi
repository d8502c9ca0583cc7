from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PrizePayee(_message.Message):
    __slots__ = ("seat", "player", "amount")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    seat: int
    player: str
    amount: int
    def __init__(self, seat: _Optional[int] = ..., player: _Optional[str] = ..., amount: _Optional[int] = ...) -> None: ...

class PrizePending(_message.Message):
    __slots__ = ("prize_id", "table", "round_no", "seat", "prize", "currency", "rule", "payees")
    PRIZE_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PRIZE_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    PAYEES_FIELD_NUMBER: _ClassVar[int]
    prize_id: str
    table: str
    round_no: int
    seat: int
    prize: str
    currency: str
    rule: str
    payees: _containers.RepeatedCompositeFieldContainer[PrizePayee]
    def __init__(self, prize_id: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., prize: _Optional[str] = ..., currency: _Optional[str] = ..., rule: _Optional[str] = ..., payees: _Optional[_Iterable[_Union[PrizePayee, _Mapping]]] = ...) -> None: ...

class PrizeApproved(_message.Message):
    __slots__ = ("prize_id", "table", "round_no", "seat", "prize", "currency", "payees", "floorperson", "document")
    PRIZE_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PRIZE_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    PAYEES_FIELD_NUMBER: _ClassVar[int]
    FLOORPERSON_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    prize_id: str
    table: str
    round_no: int
    seat: int
    prize: str
    currency: str
    payees: _containers.RepeatedCompositeFieldContainer[PrizePayee]
    floorperson: str
    document: str
    def __init__(self, prize_id: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., prize: _Optional[str] = ..., currency: _Optional[str] = ..., payees: _Optional[_Iterable[_Union[PrizePayee, _Mapping]]] = ..., floorperson: _Optional[str] = ..., document: _Optional[str] = ...) -> None: ...

class PrizeRefused(_message.Message):
    __slots__ = ("prize_id", "table", "round_no", "seat", "prize", "currency", "payees", "floorperson", "reason", "document", "correction")
    PRIZE_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PRIZE_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    PAYEES_FIELD_NUMBER: _ClassVar[int]
    FLOORPERSON_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    CORRECTION_FIELD_NUMBER: _ClassVar[int]
    prize_id: str
    table: str
    round_no: int
    seat: int
    prize: str
    currency: str
    payees: _containers.RepeatedCompositeFieldContainer[PrizePayee]
    floorperson: str
    reason: str
    document: str
    correction: int
    def __init__(self, prize_id: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., prize: _Optional[str] = ..., currency: _Optional[str] = ..., payees: _Optional[_Iterable[_Union[PrizePayee, _Mapping]]] = ..., floorperson: _Optional[str] = ..., reason: _Optional[str] = ..., document: _Optional[str] = ..., correction: _Optional[int] = ...) -> None: ...

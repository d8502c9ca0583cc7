from pitstream.progressives.v1 import prizes_pb2 as _prizes_pb2
from pitstream.progressives.v1 import progressives_pb2 as _progressives_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class FedRate(_message.Message):
    __slots__ = ("meter", "rate", "reserve_rate")
    METER_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    RESERVE_RATE_FIELD_NUMBER: _ClassVar[int]
    meter: str
    rate: _progressives_pb2.Rate
    reserve_rate: _progressives_pb2.Rate
    def __init__(self, meter: _Optional[str] = ..., rate: _Optional[_Union[_progressives_pb2.Rate, _Mapping]] = ..., reserve_rate: _Optional[_Union[_progressives_pb2.Rate, _Mapping]] = ...) -> None: ...

class ContributionCorrected(_message.Message):
    __slots__ = ("network", "table", "round_no", "correction", "currency", "stakes_before", "stakes_after", "contributions", "proposed_by", "confirmed_by", "rates")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    CORRECTION_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    STAKES_BEFORE_FIELD_NUMBER: _ClassVar[int]
    STAKES_AFTER_FIELD_NUMBER: _ClassVar[int]
    CONTRIBUTIONS_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_BY_FIELD_NUMBER: _ClassVar[int]
    CONFIRMED_BY_FIELD_NUMBER: _ClassVar[int]
    RATES_FIELD_NUMBER: _ClassVar[int]
    network: str
    table: str
    round_no: int
    correction: int
    currency: str
    stakes_before: int
    stakes_after: int
    contributions: _containers.RepeatedCompositeFieldContainer[_progressives_pb2.MeterContribution]
    proposed_by: str
    confirmed_by: str
    rates: _containers.RepeatedCompositeFieldContainer[FedRate]
    def __init__(self, network: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., correction: _Optional[int] = ..., currency: _Optional[str] = ..., stakes_before: _Optional[int] = ..., stakes_after: _Optional[int] = ..., contributions: _Optional[_Iterable[_Union[_progressives_pb2.MeterContribution, _Mapping]]] = ..., proposed_by: _Optional[str] = ..., confirmed_by: _Optional[str] = ..., rates: _Optional[_Iterable[_Union[FedRate, _Mapping]]] = ...) -> None: ...

class HitQuestioned(_message.Message):
    __slots__ = ("network", "claim_id", "table", "round_no", "correction", "status", "reason")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    CORRECTION_FIELD_NUMBER: _ClassVar[int]
    STATUS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    network: str
    claim_id: str
    table: str
    round_no: int
    correction: int
    status: str
    reason: str
    def __init__(self, network: _Optional[str] = ..., claim_id: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., correction: _Optional[int] = ..., status: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class HitRestored(_message.Message):
    __slots__ = ("network", "claim_id", "table", "round_no", "correction")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    CORRECTION_FIELD_NUMBER: _ClassVar[int]
    network: str
    claim_id: str
    table: str
    round_no: int
    correction: int
    def __init__(self, network: _Optional[str] = ..., claim_id: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., correction: _Optional[int] = ...) -> None: ...

class HitProposed(_message.Message):
    __slots__ = ("network", "claim_id", "table", "round_no", "seat", "player", "wager", "meter", "percent", "currency", "rule", "correction", "reason")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    WAGER_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    PERCENT_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    CORRECTION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    network: str
    claim_id: str
    table: str
    round_no: int
    seat: int
    player: str
    wager: str
    meter: str
    percent: int
    currency: str
    rule: str
    correction: int
    reason: str
    def __init__(self, network: _Optional[str] = ..., claim_id: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., player: _Optional[str] = ..., wager: _Optional[str] = ..., meter: _Optional[str] = ..., percent: _Optional[int] = ..., currency: _Optional[str] = ..., rule: _Optional[str] = ..., correction: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class HitDeclined(_message.Message):
    __slots__ = ("network", "claim_id", "declined_by", "reason")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    DECLINED_BY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    network: str
    claim_id: str
    declined_by: str
    reason: str
    def __init__(self, network: _Optional[str] = ..., claim_id: _Optional[str] = ..., declined_by: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class PrizeQuestioned(_message.Message):
    __slots__ = ("prize_id", "table", "round_no", "seat", "prize", "currency", "payees", "becomes", "correction", "reason")
    PRIZE_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PRIZE_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    PAYEES_FIELD_NUMBER: _ClassVar[int]
    BECOMES_FIELD_NUMBER: _ClassVar[int]
    CORRECTION_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    prize_id: str
    table: str
    round_no: int
    seat: int
    prize: str
    currency: str
    payees: _containers.RepeatedCompositeFieldContainer[_prizes_pb2.PrizePayee]
    becomes: _containers.RepeatedCompositeFieldContainer[_prizes_pb2.PrizePayee]
    correction: int
    reason: str
    def __init__(self, prize_id: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., prize: _Optional[str] = ..., currency: _Optional[str] = ..., payees: _Optional[_Iterable[_Union[_prizes_pb2.PrizePayee, _Mapping]]] = ..., becomes: _Optional[_Iterable[_Union[_prizes_pb2.PrizePayee, _Mapping]]] = ..., correction: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

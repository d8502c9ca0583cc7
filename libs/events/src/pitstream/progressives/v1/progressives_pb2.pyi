from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class MeterOpening(_message.Message):
    __slots__ = ("meter", "seed", "amount", "rate_numerator", "rate_denominator")
    METER_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    RATE_NUMERATOR_FIELD_NUMBER: _ClassVar[int]
    RATE_DENOMINATOR_FIELD_NUMBER: _ClassVar[int]
    meter: str
    seed: int
    amount: int
    rate_numerator: int
    rate_denominator: int
    def __init__(self, meter: _Optional[str] = ..., seed: _Optional[int] = ..., amount: _Optional[int] = ..., rate_numerator: _Optional[int] = ..., rate_denominator: _Optional[int] = ...) -> None: ...

class MeterContribution(_message.Message):
    __slots__ = ("meter", "posted", "amount_after", "carry_numerator")
    METER_FIELD_NUMBER: _ClassVar[int]
    POSTED_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_AFTER_FIELD_NUMBER: _ClassVar[int]
    CARRY_NUMERATOR_FIELD_NUMBER: _ClassVar[int]
    meter: str
    posted: int
    amount_after: int
    carry_numerator: int
    def __init__(self, meter: _Optional[str] = ..., posted: _Optional[int] = ..., amount_after: _Optional[int] = ..., carry_numerator: _Optional[int] = ...) -> None: ...

class NetworkOpened(_message.Message):
    __slots__ = ("network", "currency", "meters")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    METERS_FIELD_NUMBER: _ClassVar[int]
    network: str
    currency: str
    meters: _containers.RepeatedCompositeFieldContainer[MeterOpening]
    def __init__(self, network: _Optional[str] = ..., currency: _Optional[str] = ..., meters: _Optional[_Iterable[_Union[MeterOpening, _Mapping]]] = ...) -> None: ...

class WagersContributed(_message.Message):
    __slots__ = ("network", "table", "round_no", "stakes", "contributions", "currency")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    STAKES_FIELD_NUMBER: _ClassVar[int]
    CONTRIBUTIONS_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    network: str
    table: str
    round_no: int
    stakes: int
    contributions: _containers.RepeatedCompositeFieldContainer[MeterContribution]
    currency: str
    def __init__(self, network: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., stakes: _Optional[int] = ..., contributions: _Optional[_Iterable[_Union[MeterContribution, _Mapping]]] = ..., currency: _Optional[str] = ...) -> None: ...

class ContributionsReturned(_message.Message):
    __slots__ = ("network", "table", "round_no", "stakes", "contributions", "currency")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    STAKES_FIELD_NUMBER: _ClassVar[int]
    CONTRIBUTIONS_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    network: str
    table: str
    round_no: int
    stakes: int
    contributions: _containers.RepeatedCompositeFieldContainer[MeterContribution]
    currency: str
    def __init__(self, network: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., stakes: _Optional[int] = ..., contributions: _Optional[_Iterable[_Union[MeterContribution, _Mapping]]] = ..., currency: _Optional[str] = ...) -> None: ...

class RoundClosed(_message.Message):
    __slots__ = ("network", "table", "round_no")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    network: str
    table: str
    round_no: int
    def __init__(self, network: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ...) -> None: ...

class HitLocked(_message.Message):
    __slots__ = ("network", "claim_id", "table", "round_no", "seat", "player", "wager", "meter", "percent", "amount", "meter_before", "meter_after", "currency", "rule", "policy")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    WAGER_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    PERCENT_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    METER_BEFORE_FIELD_NUMBER: _ClassVar[int]
    METER_AFTER_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    network: str
    claim_id: str
    table: str
    round_no: int
    seat: int
    player: str
    wager: str
    meter: str
    percent: int
    amount: int
    meter_before: int
    meter_after: int
    currency: str
    rule: str
    policy: str
    def __init__(self, network: _Optional[str] = ..., claim_id: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., player: _Optional[str] = ..., wager: _Optional[str] = ..., meter: _Optional[str] = ..., percent: _Optional[int] = ..., amount: _Optional[int] = ..., meter_before: _Optional[int] = ..., meter_after: _Optional[int] = ..., currency: _Optional[str] = ..., rule: _Optional[str] = ..., policy: _Optional[str] = ...) -> None: ...

class HandPayApproved(_message.Message):
    __slots__ = ("network", "claim_id", "floorperson", "player", "table", "round_no", "seat", "meter", "amount", "currency")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    FLOORPERSON_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    network: str
    claim_id: str
    floorperson: str
    player: str
    table: str
    round_no: int
    seat: int
    meter: str
    amount: int
    currency: str
    def __init__(self, network: _Optional[str] = ..., claim_id: _Optional[str] = ..., floorperson: _Optional[str] = ..., player: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., meter: _Optional[str] = ..., amount: _Optional[int] = ..., currency: _Optional[str] = ...) -> None: ...

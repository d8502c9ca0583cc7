from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Share(_message.Message):
    __slots__ = ("meter", "percent")
    METER_FIELD_NUMBER: _ClassVar[int]
    PERCENT_FIELD_NUMBER: _ClassVar[int]
    meter: str
    percent: int
    def __init__(self, meter: _Optional[str] = ..., percent: _Optional[int] = ...) -> None: ...

class Line(_message.Message):
    __slots__ = ("wager", "stake", "outcome", "returned", "won", "rule", "share", "paid_from", "awaits_validation")
    WAGER_FIELD_NUMBER: _ClassVar[int]
    STAKE_FIELD_NUMBER: _ClassVar[int]
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    RETURNED_FIELD_NUMBER: _ClassVar[int]
    WON_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    SHARE_FIELD_NUMBER: _ClassVar[int]
    PAID_FROM_FIELD_NUMBER: _ClassVar[int]
    AWAITS_VALIDATION_FIELD_NUMBER: _ClassVar[int]
    wager: str
    stake: int
    outcome: str
    returned: int
    won: int
    rule: str
    share: Share
    paid_from: str
    awaits_validation: bool
    def __init__(self, wager: _Optional[str] = ..., stake: _Optional[int] = ..., outcome: _Optional[str] = ..., returned: _Optional[int] = ..., won: _Optional[int] = ..., rule: _Optional[str] = ..., share: _Optional[_Union[Share, _Mapping]] = ..., paid_from: _Optional[str] = ..., awaits_validation: _Optional[bool] = ...) -> None: ...

class Award(_message.Message):
    __slots__ = ("award", "amount", "rule", "for_seat", "paid_from", "awaits_validation")
    AWARD_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    FOR_SEAT_FIELD_NUMBER: _ClassVar[int]
    PAID_FROM_FIELD_NUMBER: _ClassVar[int]
    AWAITS_VALIDATION_FIELD_NUMBER: _ClassVar[int]
    award: str
    amount: int
    rule: str
    for_seat: int
    paid_from: str
    awaits_validation: bool
    def __init__(self, award: _Optional[str] = ..., amount: _Optional[int] = ..., rule: _Optional[str] = ..., for_seat: _Optional[int] = ..., paid_from: _Optional[str] = ..., awaits_validation: _Optional[bool] = ...) -> None: ...

class SeatSettlement(_message.Message):
    __slots__ = ("seat", "player", "lines", "awards")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    LINES_FIELD_NUMBER: _ClassVar[int]
    AWARDS_FIELD_NUMBER: _ClassVar[int]
    seat: int
    player: str
    lines: _containers.RepeatedCompositeFieldContainer[Line]
    awards: _containers.RepeatedCompositeFieldContainer[Award]
    def __init__(self, seat: _Optional[int] = ..., player: _Optional[str] = ..., lines: _Optional[_Iterable[_Union[Line, _Mapping]]] = ..., awards: _Optional[_Iterable[_Union[Award, _Mapping]]] = ...) -> None: ...

class RoundSettled(_message.Message):
    __slots__ = ("table", "round_no", "round_id", "game", "gaming_day", "currency", "void", "seats", "order", "network", "rules_version", "closed_by")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    VOID_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    CLOSED_BY_FIELD_NUMBER: _ClassVar[int]
    table: str
    round_no: int
    round_id: str
    game: str
    gaming_day: str
    currency: str
    void: bool
    seats: _containers.RepeatedCompositeFieldContainer[SeatSettlement]
    order: _containers.RepeatedScalarFieldContainer[int]
    network: str
    rules_version: str
    closed_by: str
    def __init__(self, table: _Optional[str] = ..., round_no: _Optional[int] = ..., round_id: _Optional[str] = ..., game: _Optional[str] = ..., gaming_day: _Optional[str] = ..., currency: _Optional[str] = ..., void: _Optional[bool] = ..., seats: _Optional[_Iterable[_Union[SeatSettlement, _Mapping]]] = ..., order: _Optional[_Iterable[int]] = ..., network: _Optional[str] = ..., rules_version: _Optional[str] = ..., closed_by: _Optional[str] = ...) -> None: ...

class SeatResettled(_message.Message):
    __slots__ = ("seat", "was", "becomes", "posted_in")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    WAS_FIELD_NUMBER: _ClassVar[int]
    BECOMES_FIELD_NUMBER: _ClassVar[int]
    POSTED_IN_FIELD_NUMBER: _ClassVar[int]
    seat: int
    was: SeatSettlement
    becomes: SeatSettlement
    posted_in: int
    def __init__(self, seat: _Optional[int] = ..., was: _Optional[_Union[SeatSettlement, _Mapping]] = ..., becomes: _Optional[_Union[SeatSettlement, _Mapping]] = ..., posted_in: _Optional[int] = ...) -> None: ...

class ClaimedShare(_message.Message):
    __slots__ = ("seat", "wager", "claim_id")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    WAGER_FIELD_NUMBER: _ClassVar[int]
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    seat: int
    wager: str
    claim_id: str
    def __init__(self, seat: _Optional[int] = ..., wager: _Optional[str] = ..., claim_id: _Optional[str] = ...) -> None: ...

class ClaimedPrize(_message.Message):
    __slots__ = ("seat", "prize", "prize_id")
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PRIZE_FIELD_NUMBER: _ClassVar[int]
    PRIZE_ID_FIELD_NUMBER: _ClassVar[int]
    seat: int
    prize: str
    prize_id: str
    def __init__(self, seat: _Optional[int] = ..., prize: _Optional[str] = ..., prize_id: _Optional[str] = ...) -> None: ...

class RoundResettled(_message.Message):
    __slots__ = ("table", "round_no", "round_id", "game", "gaming_day", "currency", "seats", "order", "network", "rules_version", "closed_by", "supersedes", "correction", "changes", "claims", "reason", "proposed_by", "confirmed_by", "prizes", "prizes_gone")
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    SEATS_FIELD_NUMBER: _ClassVar[int]
    ORDER_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    CLOSED_BY_FIELD_NUMBER: _ClassVar[int]
    SUPERSEDES_FIELD_NUMBER: _ClassVar[int]
    CORRECTION_FIELD_NUMBER: _ClassVar[int]
    CHANGES_FIELD_NUMBER: _ClassVar[int]
    CLAIMS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_BY_FIELD_NUMBER: _ClassVar[int]
    CONFIRMED_BY_FIELD_NUMBER: _ClassVar[int]
    PRIZES_FIELD_NUMBER: _ClassVar[int]
    PRIZES_GONE_FIELD_NUMBER: _ClassVar[int]
    table: str
    round_no: int
    round_id: str
    game: str
    gaming_day: str
    currency: str
    seats: _containers.RepeatedCompositeFieldContainer[SeatSettlement]
    order: _containers.RepeatedScalarFieldContainer[int]
    network: str
    rules_version: str
    closed_by: str
    supersedes: str
    correction: int
    changes: _containers.RepeatedCompositeFieldContainer[SeatResettled]
    claims: _containers.RepeatedCompositeFieldContainer[ClaimedShare]
    reason: str
    proposed_by: str
    confirmed_by: str
    prizes: _containers.RepeatedCompositeFieldContainer[ClaimedPrize]
    prizes_gone: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, table: _Optional[str] = ..., round_no: _Optional[int] = ..., round_id: _Optional[str] = ..., game: _Optional[str] = ..., gaming_day: _Optional[str] = ..., currency: _Optional[str] = ..., seats: _Optional[_Iterable[_Union[SeatSettlement, _Mapping]]] = ..., order: _Optional[_Iterable[int]] = ..., network: _Optional[str] = ..., rules_version: _Optional[str] = ..., closed_by: _Optional[str] = ..., supersedes: _Optional[str] = ..., correction: _Optional[int] = ..., changes: _Optional[_Iterable[_Union[SeatResettled, _Mapping]]] = ..., claims: _Optional[_Iterable[_Union[ClaimedShare, _Mapping]]] = ..., reason: _Optional[str] = ..., proposed_by: _Optional[str] = ..., confirmed_by: _Optional[str] = ..., prizes: _Optional[_Iterable[_Union[ClaimedPrize, _Mapping]]] = ..., prizes_gone: _Optional[_Iterable[str]] = ...) -> None: ...

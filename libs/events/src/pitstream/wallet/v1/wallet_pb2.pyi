from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Transfer(_message.Message):
    __slots__ = ("transfer_id", "debit", "credit", "amount", "code")
    TRANSFER_ID_FIELD_NUMBER: _ClassVar[int]
    DEBIT_FIELD_NUMBER: _ClassVar[int]
    CREDIT_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    transfer_id: str
    debit: str
    credit: str
    amount: int
    code: str
    def __init__(self, transfer_id: _Optional[str] = ..., debit: _Optional[str] = ..., credit: _Optional[str] = ..., amount: _Optional[int] = ..., code: _Optional[str] = ...) -> None: ...

class AccountOpened(_message.Message):
    __slots__ = ("account", "kind", "currency", "scale")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    SCALE_FIELD_NUMBER: _ClassVar[int]
    account: str
    kind: str
    currency: str
    scale: int
    def __init__(self, account: _Optional[str] = ..., kind: _Optional[str] = ..., currency: _Optional[str] = ..., scale: _Optional[int] = ...) -> None: ...

class FundsMoved(_message.Message):
    __slots__ = ("account", "transfer", "balance_after")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_FIELD_NUMBER: _ClassVar[int]
    BALANCE_AFTER_FIELD_NUMBER: _ClassVar[int]
    account: str
    transfer: Transfer
    balance_after: int
    def __init__(self, account: _Optional[str] = ..., transfer: _Optional[_Union[Transfer, _Mapping]] = ..., balance_after: _Optional[int] = ...) -> None: ...

class FundsHeld(_message.Message):
    __slots__ = ("account", "hold_id", "table", "round_no", "seat", "bundle", "amount")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    HOLD_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BUNDLE_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    account: str
    hold_id: str
    table: str
    round_no: int
    seat: int
    bundle: int
    amount: int
    def __init__(self, account: _Optional[str] = ..., hold_id: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., bundle: _Optional[int] = ..., amount: _Optional[int] = ...) -> None: ...

class FundsDeclined(_message.Message):
    __slots__ = ("account", "hold_id", "table", "round_no", "seat", "bundle", "amount", "reason")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    HOLD_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BUNDLE_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    account: str
    hold_id: str
    table: str
    round_no: int
    seat: int
    bundle: int
    amount: int
    reason: str
    def __init__(self, account: _Optional[str] = ..., hold_id: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., bundle: _Optional[int] = ..., amount: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class SeatPosted(_message.Message):
    __slots__ = ("account", "table", "round_no", "seat", "resolved_holds", "transfers", "balance_after")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    RESOLVED_HOLDS_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    BALANCE_AFTER_FIELD_NUMBER: _ClassVar[int]
    account: str
    table: str
    round_no: int
    seat: int
    resolved_holds: _containers.RepeatedScalarFieldContainer[str]
    transfers: _containers.RepeatedCompositeFieldContainer[Transfer]
    balance_after: int
    def __init__(self, account: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., resolved_holds: _Optional[_Iterable[str]] = ..., transfers: _Optional[_Iterable[_Union[Transfer, _Mapping]]] = ..., balance_after: _Optional[int] = ...) -> None: ...

class ContributionPosted(_message.Message):
    __slots__ = ("account", "network", "meter", "table", "round_no", "transfer", "further")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_FIELD_NUMBER: _ClassVar[int]
    FURTHER_FIELD_NUMBER: _ClassVar[int]
    account: str
    network: str
    meter: str
    table: str
    round_no: int
    transfer: Transfer
    further: _containers.RepeatedCompositeFieldContainer[Transfer]
    def __init__(self, account: _Optional[str] = ..., network: _Optional[str] = ..., meter: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., transfer: _Optional[_Union[Transfer, _Mapping]] = ..., further: _Optional[_Iterable[_Union[Transfer, _Mapping]]] = ...) -> None: ...

class SeedPosted(_message.Message):
    __slots__ = ("account", "network", "meter", "transfer")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_FIELD_NUMBER: _ClassVar[int]
    account: str
    network: str
    meter: str
    transfer: Transfer
    def __init__(self, account: _Optional[str] = ..., network: _Optional[str] = ..., meter: _Optional[str] = ..., transfer: _Optional[_Union[Transfer, _Mapping]] = ...) -> None: ...

class HitReserved(_message.Message):
    __slots__ = ("account", "network", "meter", "claim_id", "transfers")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    account: str
    network: str
    meter: str
    claim_id: str
    transfers: _containers.RepeatedCompositeFieldContainer[Transfer]
    def __init__(self, account: _Optional[str] = ..., network: _Optional[str] = ..., meter: _Optional[str] = ..., claim_id: _Optional[str] = ..., transfers: _Optional[_Iterable[_Union[Transfer, _Mapping]]] = ...) -> None: ...

class HandPayPosted(_message.Message):
    __slots__ = ("account", "network", "claim_id", "table", "round_no", "seat", "transfer", "balance_after")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_FIELD_NUMBER: _ClassVar[int]
    BALANCE_AFTER_FIELD_NUMBER: _ClassVar[int]
    account: str
    network: str
    claim_id: str
    table: str
    round_no: int
    seat: int
    transfer: Transfer
    balance_after: int
    def __init__(self, account: _Optional[str] = ..., network: _Optional[str] = ..., claim_id: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., transfer: _Optional[_Union[Transfer, _Mapping]] = ..., balance_after: _Optional[int] = ...) -> None: ...

class MeterMoved(_message.Message):
    __slots__ = ("account", "network", "meter", "reason", "transfers")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    account: str
    network: str
    meter: str
    reason: str
    transfers: _containers.RepeatedCompositeFieldContainer[Transfer]
    def __init__(self, account: _Optional[str] = ..., network: _Optional[str] = ..., meter: _Optional[str] = ..., reason: _Optional[str] = ..., transfers: _Optional[_Iterable[_Union[Transfer, _Mapping]]] = ...) -> None: ...

class TransferReversed(_message.Message):
    __slots__ = ("account", "reversed_id", "transfer", "reason", "by", "balance_after")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    REVERSED_ID_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    BALANCE_AFTER_FIELD_NUMBER: _ClassVar[int]
    account: str
    reversed_id: str
    transfer: Transfer
    reason: str
    by: str
    balance_after: int
    def __init__(self, account: _Optional[str] = ..., reversed_id: _Optional[str] = ..., transfer: _Optional[_Union[Transfer, _Mapping]] = ..., reason: _Optional[str] = ..., by: _Optional[str] = ..., balance_after: _Optional[int] = ...) -> None: ...

class SubAccountSwept(_message.Message):
    __slots__ = ("account", "sweep", "transfer")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    SWEEP_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_FIELD_NUMBER: _ClassVar[int]
    account: str
    sweep: str
    transfer: Transfer
    def __init__(self, account: _Optional[str] = ..., sweep: _Optional[str] = ..., transfer: _Optional[_Union[Transfer, _Mapping]] = ...) -> None: ...

class HoldPlaced(_message.Message):
    __slots__ = ("account", "hold_id", "amount", "purpose", "expires_at_us")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    HOLD_ID_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    PURPOSE_FIELD_NUMBER: _ClassVar[int]
    EXPIRES_AT_US_FIELD_NUMBER: _ClassVar[int]
    account: str
    hold_id: str
    amount: int
    purpose: str
    expires_at_us: int
    def __init__(self, account: _Optional[str] = ..., hold_id: _Optional[str] = ..., amount: _Optional[int] = ..., purpose: _Optional[str] = ..., expires_at_us: _Optional[int] = ...) -> None: ...

class HoldCaptured(_message.Message):
    __slots__ = ("account", "hold_id", "transfer", "balance_after")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    HOLD_ID_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_FIELD_NUMBER: _ClassVar[int]
    BALANCE_AFTER_FIELD_NUMBER: _ClassVar[int]
    account: str
    hold_id: str
    transfer: Transfer
    balance_after: int
    def __init__(self, account: _Optional[str] = ..., hold_id: _Optional[str] = ..., transfer: _Optional[_Union[Transfer, _Mapping]] = ..., balance_after: _Optional[int] = ...) -> None: ...

class HoldVoided(_message.Message):
    __slots__ = ("account", "hold_id", "reason")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    HOLD_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    account: str
    hold_id: str
    reason: str
    def __init__(self, account: _Optional[str] = ..., hold_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

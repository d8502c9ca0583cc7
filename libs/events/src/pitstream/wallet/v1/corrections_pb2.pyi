from pitstream.wallet.v1 import wallet_pb2 as _wallet_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Undone(_message.Message):
    __slots__ = ("reversed_id", "transfer")
    REVERSED_ID_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_FIELD_NUMBER: _ClassVar[int]
    reversed_id: str
    transfer: _wallet_pb2.Transfer
    def __init__(self, reversed_id: _Optional[str] = ..., transfer: _Optional[_Union[_wallet_pb2.Transfer, _Mapping]] = ...) -> None: ...

class SeatCorrected(_message.Message):
    __slots__ = ("account", "table", "round_no", "seat", "correction", "undone", "transfers", "balance_after")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    CORRECTION_FIELD_NUMBER: _ClassVar[int]
    UNDONE_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    BALANCE_AFTER_FIELD_NUMBER: _ClassVar[int]
    account: str
    table: str
    round_no: int
    seat: int
    correction: int
    undone: _containers.RepeatedCompositeFieldContainer[Undone]
    transfers: _containers.RepeatedCompositeFieldContainer[_wallet_pb2.Transfer]
    balance_after: int
    def __init__(self, account: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., correction: _Optional[int] = ..., undone: _Optional[_Iterable[_Union[Undone, _Mapping]]] = ..., transfers: _Optional[_Iterable[_Union[_wallet_pb2.Transfer, _Mapping]]] = ..., balance_after: _Optional[int] = ...) -> None: ...

class ReceivableOpened(_message.Message):
    __slots__ = ("account", "receivable_id", "player", "table", "round_no", "correction", "transfer")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    RECEIVABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    CORRECTION_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_FIELD_NUMBER: _ClassVar[int]
    account: str
    receivable_id: str
    player: str
    table: str
    round_no: int
    correction: int
    transfer: _wallet_pb2.Transfer
    def __init__(self, account: _Optional[str] = ..., receivable_id: _Optional[str] = ..., player: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., correction: _Optional[int] = ..., transfer: _Optional[_Union[_wallet_pb2.Transfer, _Mapping]] = ...) -> None: ...

class ReceivablePaid(_message.Message):
    __slots__ = ("account", "receivable_id", "how", "transfer", "owed_after", "by", "reason")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    RECEIVABLE_ID_FIELD_NUMBER: _ClassVar[int]
    HOW_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_FIELD_NUMBER: _ClassVar[int]
    OWED_AFTER_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    account: str
    receivable_id: str
    how: str
    transfer: _wallet_pb2.Transfer
    owed_after: int
    by: str
    reason: str
    def __init__(self, account: _Optional[str] = ..., receivable_id: _Optional[str] = ..., how: _Optional[str] = ..., transfer: _Optional[_Union[_wallet_pb2.Transfer, _Mapping]] = ..., owed_after: _Optional[int] = ..., by: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

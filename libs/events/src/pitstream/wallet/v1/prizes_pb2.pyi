from pitstream.wallet.v1 import wallet_pb2 as _wallet_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class PrizeReserved(_message.Message):
    __slots__ = ("account", "prize_id", "table", "round_no", "transfers")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    PRIZE_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    account: str
    prize_id: str
    table: str
    round_no: int
    transfers: _containers.RepeatedCompositeFieldContainer[_wallet_pb2.Transfer]
    def __init__(self, account: _Optional[str] = ..., prize_id: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., transfers: _Optional[_Iterable[_Union[_wallet_pb2.Transfer, _Mapping]]] = ...) -> None: ...

class PrizePosted(_message.Message):
    __slots__ = ("account", "prize_id", "table", "round_no", "seat", "transfer", "balance_after")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    PRIZE_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_FIELD_NUMBER: _ClassVar[int]
    BALANCE_AFTER_FIELD_NUMBER: _ClassVar[int]
    account: str
    prize_id: str
    table: str
    round_no: int
    seat: int
    transfer: _wallet_pb2.Transfer
    balance_after: int
    def __init__(self, account: _Optional[str] = ..., prize_id: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., transfer: _Optional[_Union[_wallet_pb2.Transfer, _Mapping]] = ..., balance_after: _Optional[int] = ...) -> None: ...

class PrizeReturned(_message.Message):
    __slots__ = ("account", "prize_id", "table", "round_no", "transfers")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    PRIZE_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    account: str
    prize_id: str
    table: str
    round_no: int
    transfers: _containers.RepeatedCompositeFieldContainer[_wallet_pb2.Transfer]
    def __init__(self, account: _Optional[str] = ..., prize_id: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., transfers: _Optional[_Iterable[_Union[_wallet_pb2.Transfer, _Mapping]]] = ...) -> None: ...

from pitstream.wallet.v1 import wallet_pb2 as _wallet_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Pieces(_message.Message):
    __slots__ = ("denomination", "pieces")
    DENOMINATION_FIELD_NUMBER: _ClassVar[int]
    PIECES_FIELD_NUMBER: _ClassVar[int]
    denomination: int
    pieces: int
    def __init__(self, denomination: _Optional[int] = ..., pieces: _Optional[int] = ...) -> None: ...

class SlipPrepared(_message.Message):
    __slots__ = ("account", "table", "gaming_day", "shift", "kind", "slip", "amount", "pieces", "prepared_by", "role")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SLIP_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    PIECES_FIELD_NUMBER: _ClassVar[int]
    PREPARED_BY_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    account: str
    table: str
    gaming_day: str
    shift: str
    kind: str
    slip: str
    amount: int
    pieces: _containers.RepeatedCompositeFieldContainer[Pieces]
    prepared_by: str
    role: str
    def __init__(self, account: _Optional[str] = ..., table: _Optional[str] = ..., gaming_day: _Optional[str] = ..., shift: _Optional[str] = ..., kind: _Optional[str] = ..., slip: _Optional[str] = ..., amount: _Optional[int] = ..., pieces: _Optional[_Iterable[_Union[Pieces, _Mapping]]] = ..., prepared_by: _Optional[str] = ..., role: _Optional[str] = ...) -> None: ...

class SlipSigned(_message.Message):
    __slots__ = ("account", "table", "gaming_day", "shift", "kind", "slip", "amount", "signed_by", "role", "transfers")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    SLIP_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    SIGNED_BY_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    account: str
    table: str
    gaming_day: str
    shift: str
    kind: str
    slip: str
    amount: int
    signed_by: str
    role: str
    transfers: _containers.RepeatedCompositeFieldContainer[_wallet_pb2.Transfer]
    def __init__(self, account: _Optional[str] = ..., table: _Optional[str] = ..., gaming_day: _Optional[str] = ..., shift: _Optional[str] = ..., kind: _Optional[str] = ..., slip: _Optional[str] = ..., amount: _Optional[int] = ..., signed_by: _Optional[str] = ..., role: _Optional[str] = ..., transfers: _Optional[_Iterable[_Union[_wallet_pb2.Transfer, _Mapping]]] = ...) -> None: ...

class SlipCancelled(_message.Message):
    __slots__ = ("account", "table", "gaming_day", "slip", "reason", "cancelled_by")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    SLIP_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    CANCELLED_BY_FIELD_NUMBER: _ClassVar[int]
    account: str
    table: str
    gaming_day: str
    slip: str
    reason: str
    cancelled_by: str
    def __init__(self, account: _Optional[str] = ..., table: _Optional[str] = ..., gaming_day: _Optional[str] = ..., slip: _Optional[str] = ..., reason: _Optional[str] = ..., cancelled_by: _Optional[str] = ...) -> None: ...

class BuyInPosted(_message.Message):
    __slots__ = ("account", "table", "gaming_day", "shift", "taken_by", "transfers", "balance_after")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    TAKEN_BY_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    BALANCE_AFTER_FIELD_NUMBER: _ClassVar[int]
    account: str
    table: str
    gaming_day: str
    shift: str
    taken_by: str
    transfers: _containers.RepeatedCompositeFieldContainer[_wallet_pb2.Transfer]
    balance_after: int
    def __init__(self, account: _Optional[str] = ..., table: _Optional[str] = ..., gaming_day: _Optional[str] = ..., shift: _Optional[str] = ..., taken_by: _Optional[str] = ..., transfers: _Optional[_Iterable[_Union[_wallet_pb2.Transfer, _Mapping]]] = ..., balance_after: _Optional[int] = ...) -> None: ...

class ShiftCount(_message.Message):
    __slots__ = ("shift", "opener", "fills", "credits", "drop", "buy_ins", "closer")
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    OPENER_FIELD_NUMBER: _ClassVar[int]
    FILLS_FIELD_NUMBER: _ClassVar[int]
    CREDITS_FIELD_NUMBER: _ClassVar[int]
    DROP_FIELD_NUMBER: _ClassVar[int]
    BUY_INS_FIELD_NUMBER: _ClassVar[int]
    CLOSER_FIELD_NUMBER: _ClassVar[int]
    shift: str
    opener: int
    fills: int
    credits: int
    drop: int
    buy_ins: int
    closer: int
    def __init__(self, shift: _Optional[str] = ..., opener: _Optional[int] = ..., fills: _Optional[int] = ..., credits: _Optional[int] = ..., drop: _Optional[int] = ..., buy_ins: _Optional[int] = ..., closer: _Optional[int] = ...) -> None: ...

class WagerSum(_message.Message):
    __slots__ = ("shift", "game", "wager", "paytable", "bets", "handle", "taken", "paid", "edge", "exposure")
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    WAGER_FIELD_NUMBER: _ClassVar[int]
    PAYTABLE_FIELD_NUMBER: _ClassVar[int]
    BETS_FIELD_NUMBER: _ClassVar[int]
    HANDLE_FIELD_NUMBER: _ClassVar[int]
    TAKEN_FIELD_NUMBER: _ClassVar[int]
    PAID_FIELD_NUMBER: _ClassVar[int]
    EDGE_FIELD_NUMBER: _ClassVar[int]
    EXPOSURE_FIELD_NUMBER: _ClassVar[int]
    shift: str
    game: str
    wager: str
    paytable: str
    bets: int
    handle: int
    taken: int
    paid: int
    edge: str
    exposure: int
    def __init__(self, shift: _Optional[str] = ..., game: _Optional[str] = ..., wager: _Optional[str] = ..., paytable: _Optional[str] = ..., bets: _Optional[int] = ..., handle: _Optional[int] = ..., taken: _Optional[int] = ..., paid: _Optional[int] = ..., edge: _Optional[str] = ..., exposure: _Optional[int] = ...) -> None: ...

class Sheet(_message.Message):
    __slots__ = ("rounds", "counts", "wagers")
    ROUNDS_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    WAGERS_FIELD_NUMBER: _ClassVar[int]
    rounds: int
    counts: _containers.RepeatedCompositeFieldContainer[ShiftCount]
    wagers: _containers.RepeatedCompositeFieldContainer[WagerSum]
    def __init__(self, rounds: _Optional[int] = ..., counts: _Optional[_Iterable[_Union[ShiftCount, _Mapping]]] = ..., wagers: _Optional[_Iterable[_Union[WagerSum, _Mapping]]] = ...) -> None: ...

class TableDayClosed(_message.Message):
    __slots__ = ("account", "table", "gaming_day", "closed_by", "sheet")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    CLOSED_BY_FIELD_NUMBER: _ClassVar[int]
    SHEET_FIELD_NUMBER: _ClassVar[int]
    account: str
    table: str
    gaming_day: str
    closed_by: str
    sheet: Sheet
    def __init__(self, account: _Optional[str] = ..., table: _Optional[str] = ..., gaming_day: _Optional[str] = ..., closed_by: _Optional[str] = ..., sheet: _Optional[_Union[Sheet, _Mapping]] = ...) -> None: ...

class CountCorrected(_message.Message):
    __slots__ = ("shift", "figure", "amount")
    SHIFT_FIELD_NUMBER: _ClassVar[int]
    FIGURE_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    shift: str
    figure: str
    amount: int
    def __init__(self, shift: _Optional[str] = ..., figure: _Optional[str] = ..., amount: _Optional[int] = ...) -> None: ...

class CorrectionPrepared(_message.Message):
    __slots__ = ("account", "table", "gaming_day", "number", "counts", "reason", "prepared_by", "role")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    COUNTS_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PREPARED_BY_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    account: str
    table: str
    gaming_day: str
    number: int
    counts: _containers.RepeatedCompositeFieldContainer[CountCorrected]
    reason: str
    prepared_by: str
    role: str
    def __init__(self, account: _Optional[str] = ..., table: _Optional[str] = ..., gaming_day: _Optional[str] = ..., number: _Optional[int] = ..., counts: _Optional[_Iterable[_Union[CountCorrected, _Mapping]]] = ..., reason: _Optional[str] = ..., prepared_by: _Optional[str] = ..., role: _Optional[str] = ...) -> None: ...

class TableDayCorrected(_message.Message):
    __slots__ = ("account", "table", "gaming_day", "number", "dated", "reason", "prepared_by", "approved_by", "was", "becomes", "transfers")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    DATED_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    PREPARED_BY_FIELD_NUMBER: _ClassVar[int]
    APPROVED_BY_FIELD_NUMBER: _ClassVar[int]
    WAS_FIELD_NUMBER: _ClassVar[int]
    BECOMES_FIELD_NUMBER: _ClassVar[int]
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    account: str
    table: str
    gaming_day: str
    number: int
    dated: str
    reason: str
    prepared_by: str
    approved_by: str
    was: Sheet
    becomes: Sheet
    transfers: _containers.RepeatedCompositeFieldContainer[_wallet_pb2.Transfer]
    def __init__(self, account: _Optional[str] = ..., table: _Optional[str] = ..., gaming_day: _Optional[str] = ..., number: _Optional[int] = ..., dated: _Optional[str] = ..., reason: _Optional[str] = ..., prepared_by: _Optional[str] = ..., approved_by: _Optional[str] = ..., was: _Optional[_Union[Sheet, _Mapping]] = ..., becomes: _Optional[_Union[Sheet, _Mapping]] = ..., transfers: _Optional[_Iterable[_Union[_wallet_pb2.Transfer, _Mapping]]] = ...) -> None: ...

class CorrectionDeclined(_message.Message):
    __slots__ = ("account", "table", "gaming_day", "number", "reason", "declined_by")
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DECLINED_BY_FIELD_NUMBER: _ClassVar[int]
    account: str
    table: str
    gaming_day: str
    number: int
    reason: str
    declined_by: str
    def __init__(self, account: _Optional[str] = ..., table: _Optional[str] = ..., gaming_day: _Optional[str] = ..., number: _Optional[int] = ..., reason: _Optional[str] = ..., declined_by: _Optional[str] = ...) -> None: ...

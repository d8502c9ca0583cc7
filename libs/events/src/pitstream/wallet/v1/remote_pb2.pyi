from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class OperatorConnected(_message.Message):
    __slots__ = ("operator", "mode", "currency", "base_url", "key_ref", "deadline_ms", "retry_ms", "unknown_rollback", "calls_at_once", "by")
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    MODE_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    BASE_URL_FIELD_NUMBER: _ClassVar[int]
    KEY_REF_FIELD_NUMBER: _ClassVar[int]
    DEADLINE_MS_FIELD_NUMBER: _ClassVar[int]
    RETRY_MS_FIELD_NUMBER: _ClassVar[int]
    UNKNOWN_ROLLBACK_FIELD_NUMBER: _ClassVar[int]
    CALLS_AT_ONCE_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    operator: str
    mode: str
    currency: str
    base_url: str
    key_ref: str
    deadline_ms: int
    retry_ms: _containers.RepeatedScalarFieldContainer[int]
    unknown_rollback: str
    calls_at_once: int
    by: str
    def __init__(self, operator: _Optional[str] = ..., mode: _Optional[str] = ..., currency: _Optional[str] = ..., base_url: _Optional[str] = ..., key_ref: _Optional[str] = ..., deadline_ms: _Optional[int] = ..., retry_ms: _Optional[_Iterable[int]] = ..., unknown_rollback: _Optional[str] = ..., calls_at_once: _Optional[int] = ..., by: _Optional[str] = ...) -> None: ...

class RemoteDebitRequested(_message.Message):
    __slots__ = ("transaction_id", "operator", "account", "player", "currency", "amount", "table", "round_no", "seat", "bundle", "game")
    TRANSACTION_ID_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    BUNDLE_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    transaction_id: str
    operator: str
    account: str
    player: str
    currency: str
    amount: int
    table: str
    round_no: int
    seat: int
    bundle: int
    game: str
    def __init__(self, transaction_id: _Optional[str] = ..., operator: _Optional[str] = ..., account: _Optional[str] = ..., player: _Optional[str] = ..., currency: _Optional[str] = ..., amount: _Optional[int] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., bundle: _Optional[int] = ..., game: _Optional[str] = ...) -> None: ...

class RemoteDebitConfirmed(_message.Message):
    __slots__ = ("transaction_id",)
    TRANSACTION_ID_FIELD_NUMBER: _ClassVar[int]
    transaction_id: str
    def __init__(self, transaction_id: _Optional[str] = ...) -> None: ...

class RemoteDebitRefused(_message.Message):
    __slots__ = ("transaction_id", "code", "message")
    TRANSACTION_ID_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    transaction_id: str
    code: str
    message: str
    def __init__(self, transaction_id: _Optional[str] = ..., code: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class RemoteRollbackRequested(_message.Message):
    __slots__ = ("transaction_id", "rollback_id", "reason")
    TRANSACTION_ID_FIELD_NUMBER: _ClassVar[int]
    ROLLBACK_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    transaction_id: str
    rollback_id: str
    reason: str
    def __init__(self, transaction_id: _Optional[str] = ..., rollback_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class RemoteRollbackConfirmed(_message.Message):
    __slots__ = ("transaction_id", "answer")
    TRANSACTION_ID_FIELD_NUMBER: _ClassVar[int]
    ANSWER_FIELD_NUMBER: _ClassVar[int]
    transaction_id: str
    answer: str
    def __init__(self, transaction_id: _Optional[str] = ..., answer: _Optional[str] = ...) -> None: ...

class RemoteCreditRequested(_message.Message):
    __slots__ = ("transaction_id", "operator", "account", "player", "currency", "amount", "table", "round_no", "game", "reference_id")
    TRANSACTION_ID_FIELD_NUMBER: _ClassVar[int]
    OPERATOR_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_ID_FIELD_NUMBER: _ClassVar[int]
    transaction_id: str
    operator: str
    account: str
    player: str
    currency: str
    amount: int
    table: str
    round_no: int
    game: str
    reference_id: str
    def __init__(self, transaction_id: _Optional[str] = ..., operator: _Optional[str] = ..., account: _Optional[str] = ..., player: _Optional[str] = ..., currency: _Optional[str] = ..., amount: _Optional[int] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., game: _Optional[str] = ..., reference_id: _Optional[str] = ...) -> None: ...

class RemoteCreditDoubted(_message.Message):
    __slots__ = ("transaction_id", "reason")
    TRANSACTION_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    transaction_id: str
    reason: str
    def __init__(self, transaction_id: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class RemoteCreditConfirmed(_message.Message):
    __slots__ = ("transaction_id",)
    TRANSACTION_ID_FIELD_NUMBER: _ClassVar[int]
    transaction_id: str
    def __init__(self, transaction_id: _Optional[str] = ...) -> None: ...

class RemoteMoveStopped(_message.Message):
    __slots__ = ("transaction_id", "code", "message")
    TRANSACTION_ID_FIELD_NUMBER: _ClassVar[int]
    CODE_FIELD_NUMBER: _ClassVar[int]
    MESSAGE_FIELD_NUMBER: _ClassVar[int]
    transaction_id: str
    code: str
    message: str
    def __init__(self, transaction_id: _Optional[str] = ..., code: _Optional[str] = ..., message: _Optional[str] = ...) -> None: ...

class RemoteMoveResolved(_message.Message):
    __slots__ = ("transaction_id", "resolution", "by", "reason")
    TRANSACTION_ID_FIELD_NUMBER: _ClassVar[int]
    RESOLUTION_FIELD_NUMBER: _ClassVar[int]
    BY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    transaction_id: str
    resolution: str
    by: str
    reason: str
    def __init__(self, transaction_id: _Optional[str] = ..., resolution: _Optional[str] = ..., by: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

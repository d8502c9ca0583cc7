from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class Envelope(_message.Message):
    __slots__ = ("event_id", "stream", "version", "type", "source", "key", "key_sequence", "recorded_at_us", "cause_id", "actor", "traceparent", "previous_hash", "payload")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    STREAM_FIELD_NUMBER: _ClassVar[int]
    VERSION_FIELD_NUMBER: _ClassVar[int]
    TYPE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    KEY_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    RECORDED_AT_US_FIELD_NUMBER: _ClassVar[int]
    CAUSE_ID_FIELD_NUMBER: _ClassVar[int]
    ACTOR_FIELD_NUMBER: _ClassVar[int]
    TRACEPARENT_FIELD_NUMBER: _ClassVar[int]
    PREVIOUS_HASH_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    stream: str
    version: int
    type: str
    source: str
    key: str
    key_sequence: int
    recorded_at_us: int
    cause_id: str
    actor: str
    traceparent: str
    previous_hash: bytes
    payload: bytes
    def __init__(self, event_id: _Optional[str] = ..., stream: _Optional[str] = ..., version: _Optional[int] = ..., type: _Optional[str] = ..., source: _Optional[str] = ..., key: _Optional[str] = ..., key_sequence: _Optional[int] = ..., recorded_at_us: _Optional[int] = ..., cause_id: _Optional[str] = ..., actor: _Optional[str] = ..., traceparent: _Optional[str] = ..., previous_hash: _Optional[bytes] = ..., payload: _Optional[bytes] = ...) -> None: ...

"""Events to Protobuf bytes and back, with the official runtime. Field names are the same on both sides; a property
test holds the two descriptions equal, so this file knows no event by name."""

from functools import cache
from typing import Any

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message
from pydantic import ValidationError

from pitstream.events.model import Event, event_types
from pitstream.progressives.v1 import corrections_pb2 as _progressive_corrections
from pitstream.progressives.v1 import prizes_pb2 as _prizes
from pitstream.progressives.v1 import progressives_pb2 as _progressives
from pitstream.rounds.v1 import disputes_pb2 as _disputes
from pitstream.rounds.v1 import rounds_pb2 as _rounds
from pitstream.settlements.v1 import settlements_pb2 as _settlements
from pitstream.wallet.v1 import accounting_pb2 as _accounting
from pitstream.wallet.v1 import corrections_pb2 as _wallet_corrections
from pitstream.wallet.v1 import prizes_pb2 as _paid_prizes
from pitstream.wallet.v1 import remote_pb2 as _remote
from pitstream.wallet.v1 import wallet_pb2 as _wallet

# Importing a generated module registers its messages; naming them here keeps that visible.
_CONTRACT = (
    _paid_prizes, _accounting, _disputes, _prizes, _progressive_corrections, _progressives, _remote, _rounds,
    _settlements, _wallet, _wallet_corrections,
)  # fmt: skip


class UnknownTypeError(ValueError):
    """The bytes claim a type that this version of the contract does not have."""


class UndecodableError(ValueError):
    """The bytes are not what they claim to be, or break a bound of the contract."""


@cache
def _event_class(type_name: str) -> type[Event]:
    known = event_types().get(type_name)
    if known is None:
        raise UnknownTypeError(
            f"type: was {type_name!r}; not among the {len(event_types())} event types of this version"
        )
    return known


@cache
def message_class(type_name: str) -> type[Message]:
    """The generated message class of an event's stored name."""
    return message_factory.GetMessageClass(descriptor_pool.Default().FindMessageTypeByName(type_name))


def encode_payload(event: Event) -> bytes:
    """The event's own bytes (the envelope's ``payload``)."""
    return message_class(event.type_name)(**event.model_dump(exclude_none=True)).SerializeToString(deterministic=True)


def decode_payload(type_name: str, payload: bytes) -> Event:
    """The event in ``payload``, checked against every bound of its model.

    Raises UnknownTypeError for a type that is not in the contract, UndecodableError for bytes that are not that type.
    """
    model = _event_class(type_name)
    try:
        return model.model_validate(_fields(message_class(type_name).FromString(payload)))
    except DecodeError as error:
        raise UndecodableError(f"payload: {len(payload)} bytes are not a {type_name}: {error}") from error
    except ValidationError as error:
        raise UndecodableError(f"payload: {_first_fault(error)} in {type_name}") from error


def _fields(message: Message) -> dict[str, Any]:
    """A message as plain values; an optional field that is absent is left out, so the model's default speaks."""
    values: dict[str, Any] = {}
    for field in _layout(message.DESCRIPTOR):
        value = getattr(message, field.name)
        if _is_map(field):
            values[field.name] = dict(value)
        elif field.is_repeated:
            values[field.name] = tuple(_fields(item) for item in value) if field.message_type else tuple(value)
        elif field.has_presence and not message.HasField(field.name):
            continue
        else:
            values[field.name] = _fields(value) if field.message_type else value
    return values


@cache
def _layout(descriptor: Descriptor) -> tuple[FieldDescriptor, ...]:
    return tuple(descriptor.fields)


def _is_map(field: FieldDescriptor) -> bool:
    return field.message_type is not None and field.message_type.GetOptions().map_entry


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    return f"{'.'.join(str(step) for step in fault['loc'])}: was {fault['input']!r}; {fault['msg']}"

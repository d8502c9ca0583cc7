"""Events to Protobuf bytes and back, with the official runtime. Field names are the same on both sides; a property
test holds the two descriptions equal, so this file knows no event by name."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import cache, lru_cache
from operator import attrgetter
from typing import Any, Final, TypeVar, get_args

from google.protobuf import descriptor_pool, message_factory
from google.protobuf.descriptor import Descriptor, FieldDescriptor
from google.protobuf.message import DecodeError, Message
from pydantic import ValidationError

from pitstream.events.model import Event, Part, event_types, made
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


E = TypeVar("E", bound=Event)


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
    return message_class(event.type_name)(**_values(event)).SerializeToString(deterministic=True)


def _values(part: Part) -> dict[str, Any]:
    """What a message is made of: the part's own fields, of which Protobuf passes over those that are None."""
    names = _names_of_parts(type(part))
    if not names:
        return part.__dict__
    values = dict(part.__dict__)
    for name in names:
        value = values[name]
        if value is not None:
            values[name] = _values(value) if isinstance(value, Part) else [_values(one) for one in value]
    return values


@cache
def _names_of_parts(kind: type[Part]) -> tuple[str, ...]:
    """The fields that hold a part, or parts."""
    return tuple(name for name, field in kind.model_fields.items() if _holds_parts(field.annotation))


def _holds_parts(annotation: Any) -> bool:
    if isinstance(annotation, type) and issubclass(annotation, Part):
        return True
    return any(map(_holds_parts, get_args(annotation)))


def decode_payload(type_name: str, payload: bytes) -> Event:
    """The event in ``payload``, checked against every bound of its model.

    Raises UnknownTypeError for a type that is not in the contract, UndecodableError for bytes that are not that type.
    """
    if len(payload) <= _RECURS_BYTES_MAX:
        return _recurring(type_name, payload)
    return _decoded(type_name, payload)


_RECURS_BYTES_MAX = 8
"""So few bytes say no more than a seat and its choice, which a third of a round's events do: they come again and again,
and their twins, which are frozen, are checked once."""


def _decoded(type_name: str, payload: bytes) -> Event:
    kind = _event_class(type_name)
    try:
        return twin_of(kind, PARSERS[type_name](payload))
    except DecodeError as error:
        raise UndecodableError(f"payload: {len(payload)} bytes are not a {type_name}: {error}") from error


_recurring = lru_cache(maxsize=1 << 14)(_decoded)


class _Parsers(dict[str, Callable[[bytes], Message]]):
    def __missing__(self, type_name: str) -> Callable[[bytes], Message]:
        _event_class(type_name)
        self[type_name] = message_class(type_name).FromString
        return self[type_name]


PARSERS: Final[Mapping[str, Callable[[bytes], Message]]] = _Parsers()
"""By an event's stored name what makes its message of its bytes: its fields are the twin's, no bound of the model is
checked. Raises UnknownTypeError; a parser raises DecodeError."""


def twin_of(kind: type[E], message: Message) -> E:
    """The event of that kind in its message, checked against every bound of the model. Raises UndecodableError."""
    try:
        try:
            return kind.model_validate(_fields(message, kind))
        except ValidationError:
            # Once more without ready parts, so that the fault is named by its whole path.
            return kind.model_validate(_fields(message, None))
    except ValidationError as error:
        raise UndecodableError(f"payload: {_first_fault(error)} in {kind.type_name}") from error


def trusted_twin(kind: type[E], message: Message) -> E:
    """The event of that kind in its message, where every bound was checked when its bytes were stored."""
    template, names = _template(kind)
    return made(kind, _read(message, kind, template.copy()), names)


@cache
def _template(kind: type[Part]) -> tuple[dict[str, Any], set[str]]:
    """What the fields of a part are when they are absent, in the model's order, and their names."""
    fields = kind.model_fields
    return {name: None if field.is_required() else field.get_default() for name, field in fields.items()}, set(fields)


def _fields(message: Message, kind: type[Part] | None) -> dict[str, Any]:
    """A message as plain values, with ready parts where ``kind`` is given; an optional field that is absent is left
    out, so the model's default speaks."""
    return _read(message, kind, {})


def _read(message: Message, kind: type[Part] | None, values: dict[str, Any]) -> dict[str, Any]:
    layout = _layout(message.DESCRIPTOR, kind)
    values.update(zip(layout.plain, layout.read_plain(message), strict=True))
    for name, how, part, flat in layout.others:
        if how is _How.OPTIONAL:
            if message.HasField(name):
                values[name] = getattr(message, name)
        elif how is _How.LIST:
            values[name] = tuple(getattr(message, name)[:])
        elif how is _How.MAP:
            values[name] = dict(getattr(message, name))
        elif how is _How.OPTIONAL_PART:
            if message.HasField(name):
                values[name] = _fields(getattr(message, name), part)
        elif flat is not None and part is not None:
            parts = _recurring_parts if part.recurs else _flat_parts
            values[name] = parts(part, tuple(map(flat, getattr(message, name))))
        else:
            values[name] = tuple([_fields(item, part) for item in getattr(message, name)])
    return values


def _flat_parts(kind: type[Part], parts: tuple[tuple[Any, ...], ...]) -> tuple[Part, ...]:
    """Parts that are made of single values only. Raises ValidationError."""
    names = kind.model_fields
    return tuple([kind.model_validate(dict(zip(names, values, strict=True))) for values in parts])


_recurring_parts = lru_cache(maxsize=1 << 14)(_flat_parts)
"""Stakes, the choices of paytables: an evening has the same few lists again and again, and they are frozen."""


class _How(Enum):
    """How a field is read."""

    PLAIN = auto()
    LIST = auto()
    PARTS = auto()
    MAP = auto()
    OPTIONAL = auto()
    OPTIONAL_PART = auto()


_Values = Callable[[Message], tuple[Any, ...]]


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a message is read: its plain fields at once, the others one by one; of a list of parts their class, and how
    to read a flat one at once."""

    plain: tuple[str, ...]
    read_plain: _Values
    others: tuple[tuple[str, _How, type[Part] | None, _Values | None], ...]


@cache
def _layout(descriptor: Descriptor, kind: type[Part] | None) -> _Layout:
    plain = tuple(field.name for field in descriptor.fields if _how(field) is _How.PLAIN)
    others = (_other(field, kind) for field in descriptor.fields if field.name not in plain)
    return _Layout(plain, _reader(plain), tuple(others))


def _reader(names: Sequence[str]) -> _Values:
    match names:
        case []:
            return lambda _message: ()
        case [name]:
            return lambda message: (getattr(message, name),)
        case _:
            return attrgetter(*names)


def _other(field: FieldDescriptor, kind: type[Part] | None) -> tuple[str, _How, type[Part] | None, _Values | None]:
    how = _how(field)
    if kind is None or field.message_type is None or how is _How.MAP:
        return field.name, how, None, None
    annotation = kind.model_fields[field.name].annotation
    classes = [each for each in (annotation, *get_args(annotation)) if isinstance(each, type)]
    (part,) = (each for each in classes if issubclass(each, Part))
    is_flat = all(_how(each) is _How.PLAIN for each in field.message_type.fields)
    return field.name, how, part, _reader(tuple(part.model_fields)) if is_flat else None


def _how(field: FieldDescriptor) -> _How:
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        return _How.MAP
    if field.is_repeated:
        return _How.PARTS if field.message_type else _How.LIST
    if not field.has_presence:
        return _How.PLAIN
    return _How.OPTIONAL_PART if field.message_type else _How.OPTIONAL


def _first_fault(error: ValidationError) -> str:
    fault = error.errors()[0]
    return f"{'.'.join(str(step) for step in fault['loc'])}: was {fault['input']!r}; {fault['msg']}"

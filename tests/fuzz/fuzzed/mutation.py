"""Bytes, text and Protobuf messages made wrong, one or a few things at a time."""

import random
import re
from collections.abc import Callable, Sequence
from typing import Any

from google.protobuf.descriptor import FieldDescriptor
from google.protobuf.message import Message

NUMBERS = (0, 1, -1, 2, 7, 8, 127, 128, 255, 256, 2**31 - 1, 2**31, 2**32 - 1, 2**32, 2**53, 10**15, 10**16, 2**63 - 1)
NUMBERS += (-(2**31), -(2**63), 2**63, 2**64 - 1)
TEXTS = ("", " ", "\x00", "a\x00b", "0", "-1", "é", "10d", "1x", "\U0001f0a1", "\u202e", "a" * 64, "a" * 65, "a" * 600)
TEXTS += ("../..", "round/", "round/t/", "round/t/x", "round//1", "'; --", "%s", "{}", "null", "\n", "\ufeff", "*")


def bytes_changed(data: bytes, chance: random.Random, other: bytes = b"") -> bytes:
    """The bytes with one to four things done to them."""
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        data = chance.choice(_ON_BYTES)(data, chance, other)
    return data


def _flipped(data: bytes, chance: random.Random, _: bytes) -> bytes:
    if not data:
        return b"\x00"
    at = chance.randrange(len(data))
    return data[:at] + bytes([data[at] ^ (1 << chance.randrange(8))]) + data[at + 1 :]


def _replaced(data: bytes, chance: random.Random, _: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + bytes([chance.choice((0, 1, 0x7F, 0x80, 0xFF, chance.randrange(256)))]) + data[at + 1 :]


def _cut(data: bytes, chance: random.Random, _: bytes) -> bytes:
    return data[: chance.randrange(len(data) + 1)]


def _without(data: bytes, chance: random.Random, _: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + data[at + chance.randrange(1, 9) :]


def _inserted(data: bytes, chance: random.Random, _: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    return data[:at] + chance.randbytes(chance.randrange(1, 9)) + data[at:]


def _repeated(data: bytes, chance: random.Random, _: bytes) -> bytes:
    at = chance.randrange(len(data) + 1)
    piece = data[at : at + chance.randrange(1, 33)]
    return data[:at] + piece * chance.choice((2, 3, 50)) + data[at + len(piece) :]


def _spliced(data: bytes, chance: random.Random, other: bytes) -> bytes:
    return data[: chance.randrange(len(data) + 1)] + other[chance.randrange(len(other) + 1) :]


_ON_BYTES: Sequence[Callable[[bytes, random.Random, bytes], bytes]] = (
    _flipped, _flipped, _replaced, _cut, _without, _inserted, _repeated, _spliced,
)  # fmt: skip


# A message's fields as they stand on the wire ---------------------------------------------------------------------


def wire_changed(data: bytes, chance: random.Random, other: bytes = b"") -> bytes:
    """A message's bytes with one of its fields made wrong, and as well formed as that leaves them."""
    fields = fields_of(data)
    if not fields:
        return bytes_changed(data, chance, other)
    at = chance.randrange(len(fields))
    number, kind, content = fields[at]
    match chance.randrange(12):
        case 0:
            fields.insert(chance.randrange(len(fields) + 1), fields[at])
        case 1:
            del fields[at]
        case 2:
            swap = chance.randrange(len(fields))
            fields[at], fields[swap] = fields[swap], fields[at]
        case 3:
            fields[at] = (number, chance.choice((0, 1, 2, 3, 4, 5, 6, 7)), content)
        case 4:
            fields[at] = (chance.choice((0, 1, 2, 5, 13, 15, 16, 18_999, 536_870_911)), kind, content)
        case 5:
            odd = chance.choice(NUMBERS) % 2**64
            fields[at] = (number, 0, varint(odd))
        case 6:
            fields[at] = (number, 0, b"\xff" * chance.choice((9, 10, 11)) + b"\x01")
        case 7:
            length = varint(chance.choice((2**31, 2**32, 2**63, len(data) + 1)))
            return joined(fields[:at]) + varint(number << 3 | 2) + length + joined(fields[at + 1 :])
        case 8:
            fields[at] = (number, 2, varied(chance.choice(TEXTS).encode() or b"\xff\xfe"))
        case 9:
            fields[at] = (number, 2, varied(b"\xff\xfe\xed\xa0\x80"))
        case 10:
            nested, depth = b"", chance.choice((5, 99, 101, 500))
            for _ in range(depth):
                nested = varint(number << 3 | 2) + varied(nested)
            groups = varint(number << 3 | 3) * depth
            return data + (nested if chance.random() < 0.5 else groups)
        case _:
            borrowed = fields_of(other)
            if borrowed:
                fields.insert(chance.randrange(len(fields) + 1), chance.choice(borrowed))
    return joined(fields)


Field = tuple[int, int, bytes]
"""Number, wire type, and what follows the tag, with its length where it has one."""


def fields_of(data: bytes) -> list[Field]:
    """The fields of a message, as far as the bytes are one."""
    found: list[Field] = []
    at = 0
    while at < len(data):
        begins = at
        try:
            tag, at = _read_varint(data, at)
            first = at
            match tag & 7:
                case 0:
                    _, at = _read_varint(data, at)
                case 1:
                    at += 8
                case 2:
                    length, at = _read_varint(data, at)
                    at += length
                case 5:
                    at += 4
                case _:
                    return [*found, (0, 2, varied(data[begins:]))]
        except IndexError:
            return found
        if at > len(data):
            return found
        found.append((tag >> 3, tag & 7, data[first:at]))
    return found


def joined(fields: Sequence[Field]) -> bytes:
    return b"".join(varint(number << 3 | kind) + content for number, kind, content in fields)


def varied(content: bytes) -> bytes:
    """Content with its length before it."""
    return varint(len(content)) + content


def varint(value: int) -> bytes:
    written = bytearray()
    while value > 0x7F:
        written.append(value & 0x7F | 0x80)
        value >>= 7
    written.append(value)
    return bytes(written)


def _read_varint(data: bytes, at: int) -> tuple[int, int]:
    value, shift = 0, 0
    while True:
        byte = data[at]
        value |= (byte & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if byte < 0x80:
            return value, at


# A message that stays one: its fields say other things ------------------------------------------------------------


def message_changed(message: Message, chance: random.Random) -> None:
    """Set one field, of the message or of a part of it, to what it may hold and perhaps never should."""
    field = chance.choice(message.DESCRIPTOR.fields)
    value: Any = getattr(message, field.name)
    if field.message_type is not None and field.message_type.GetOptions().map_entry:
        if field.message_type.fields_by_name["value"].type == FieldDescriptor.TYPE_STRING:
            value[chance.choice(TEXTS)] = chance.choice(TEXTS)
        return
    if field.is_repeated:
        _list_changed(field, value, chance)
    elif field.message_type is not None:
        if chance.random() < 0.2:
            message.ClearField(field.name)
        elif field.message_type.fields:
            message_changed(value, chance)
    else:
        setattr(message, field.name, _other(field, chance, value))


def _list_changed(field: FieldDescriptor, value: Any, chance: random.Random) -> None:
    done = chance.randrange(5)
    if done == 0 or not value:
        if field.message_type is not None:
            value.add()
        else:
            value.append(_other(field, chance, value[0] if value else None))
    elif done == 1:
        del value[chance.randrange(len(value))]
    elif done == 2:
        value.extend([value[chance.randrange(len(value))]])
    elif done == 3:
        turned = [*value][::-1]
        del value[:]
        value.extend(turned)
    elif field.message_type is not None:
        message_changed(value[chance.randrange(len(value))], chance)
    else:
        at = chance.randrange(len(value))
        value[at] = _other(field, chance, value[at])


def _other(field: FieldDescriptor, chance: random.Random, was: Any) -> Any:
    match field.type:
        case FieldDescriptor.TYPE_BOOL:
            return not was
        case FieldDescriptor.TYPE_BYTES:
            return chance.choice((b"", b"\x00", chance.randbytes(32), chance.randbytes(33)))
        case FieldDescriptor.TYPE_STRING:
            if was and chance.random() < 0.4:
                at = chance.randrange(len(was))
                return was[:at] + chance.choice("0123456789acdhjkqst/-:.\x00é ") + was[at + 1 :]
            return chance.choice(TEXTS)
        case _:
            bits, signed = _BOUNDS[field.type]
            least, most = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
            near = (was or 0) + chance.choice((-1, 1))
            return min(most, max(least, chance.choice((near, near, chance.choice(NUMBERS)))))


_BOUNDS = {
    FieldDescriptor.TYPE_INT32: (32, True),
    FieldDescriptor.TYPE_SINT32: (32, True),
    FieldDescriptor.TYPE_INT64: (64, True),
    FieldDescriptor.TYPE_SINT64: (64, True),
    FieldDescriptor.TYPE_UINT32: (32, False),
    FieldDescriptor.TYPE_UINT64: (64, False),
    FieldDescriptor.TYPE_FIXED64: (64, False),
}


# Text, and JSON ---------------------------------------------------------------------------------------------------

LITERALS = (
    "0", "-1", "-0", "1.5", "1e3", "1e999", "nan", "inf", "9" * 20, "9" * 5000, "0x10", "0x" + "f" * 5000, "1_000",
    "true", "null", '""', "'", '"', '"a\\u0000b"', '"\\ud800"', '"' + "é" * 300 + '"', "\x00", "\u2028",
    "2026-02-30", "2026-03-28", "06:00:00", '"06:00:00Z"', "1979-05-27T07:32:00Z",
    "[]", "{}", "[[]]", "[" * 100, "[" * 1500, "{" * 1500, '{"a":' * 1500, "{ a = " * 700, "[" * 700 + "]" * 700,
    "{ meter = 'm', percent = 101 }", "[9001, 1]", '"push"',
)  # fmt: skip


def text_changed(text: bytes, chance: random.Random, other: bytes = b"") -> bytes:
    """A file's text with a value, a word or a line of it exchanged; or any of its bytes."""
    done = chance.randrange(6)
    if done == 0:
        return bytes_changed(text, chance, other)
    if done == 1:
        lines = text.split(b"\n")
        at, to = chance.randrange(len(lines)), chance.randrange(len(lines) + 1)
        lines[to:to] = lines[at : at + chance.randrange(1, 4)] * chance.choice((1, 1, 2))
        return b"\n".join(lines)
    if done == 2:
        lines = text.split(b"\n")
        del lines[chance.randrange(len(lines))]
        return b"\n".join(lines)
    words = list(_WORD.finditer(text))
    if not words:
        return text + chance.choice(LITERALS).encode(errors="surrogatepass")
    word = chance.choice(words)
    instead = chance.choice(LITERALS).encode() if done < 5 else chance.choice(words).group()
    return text[: word.start()] + instead + text[word.end() :]


_WORD = re.compile(rb'"[^"\n]*"|[A-Za-z0-9_.+:-]+|[\[\]{}=,]')

VALUES: Sequence[Any] = (
    None, True, False, 0, 1, -1, 8, 1.5, 1000.0, 1e300, float("inf"), 10**15, 10**15 + 1, 10**30,
    "", " ", "1", "As", "10d", "as", "\x00", "é", "\ud800", "x" * 500, "2026-02-30", "published", "fold", "4x", "check",
    [], {}, [[]], {"a": 1}, ["As"],
)  # fmt: skip


def json_changed(value: Any, chance: random.Random) -> Any:
    """JSON with something in it exchanged, left out, put in or repeated, anywhere."""
    if isinstance(value, dict) and value and chance.random() < 0.85:
        name = chance.choice(list(value))
        done = chance.randrange(12)
        if done == 0:
            return {other: value[other] for other in value if other != name}
        if done == 1:
            return {
                **value,
                chance.choice(("void", "forfeited", "options", "seeds", "Ante", "", name.upper())): value[name],
            }
        if done == 2:
            return {(chance.choice(list(value)) if other == name else other): value[other] for other in value}
        return {**value, name: json_changed(value[name], chance)}
    if isinstance(value, list) and value and chance.random() < 0.85:
        at = chance.randrange(len(value))
        done = chance.randrange(8)
        if done == 0:
            return [*value[:at], *value[at + 1 :]]
        if done == 1:
            return [*value, value[at]]
        if done == 2:
            return value[::-1]
        return [*value[:at], json_changed(value[at], chance), *value[at + 1 :]]
    if isinstance(value, int) and chance.random() < 0.4:
        return value + chance.choice((-1, 1, 10**15))
    return chance.choice(VALUES)

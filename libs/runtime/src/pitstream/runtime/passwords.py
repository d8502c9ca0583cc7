"""Passwords of people: hashed with scrypt, which is slow on purpose, since people choose what can be guessed."""

import base64
import hashlib
import hmac
import secrets
from functools import cache

_N, _R, _P = 1 << 14, 8, 1
"""16 MiB and some 50 ms for each guess."""
_SALT_BYTES, _HASH_BYTES = 16, 32
HASH_PATTERN = r"^scrypt\$[A-Za-z0-9_-]{22}\$[A-Za-z0-9_-]{43}$"
PASSWORD_MAX = 200
"""Characters; what is longer is no password."""


def hash_password(password: str) -> str:
    """What the access file has of a password: another text each time.

    >>> hashed = hash_password("open sesame")
    >>> is_password("open sesame", hashed), is_password("open Sesame", hashed)
    (True, False)
    """
    salt = secrets.token_bytes(_SALT_BYTES)
    return f"scrypt${_text(salt)}${_text(_hash(password, salt))}"


def is_password(password: str, hashed: str) -> bool:
    """Whether the hash is of this password. Takes as long either way."""
    _, salt, expected = hashed.split("$")
    found = _hash(password[: PASSWORD_MAX + 1], _bytes(salt))
    return hmac.compare_digest(found, _bytes(expected)) and len(password) <= PASSWORD_MAX


@cache
def nobodys() -> str:
    """A hash to compare with where there is no such person, so that the time taken does not tell."""
    return hash_password(secrets.token_urlsafe(32))


def _hash(password: str, salt: bytes) -> bytes:
    return hashlib.scrypt(password.encode(), salt=salt, n=_N, r=_R, p=_P, maxmem=64 << 20, dklen=_HASH_BYTES)


def _text(data: bytes) -> str:
    return base64.urlsafe_b64encode(data).decode().rstrip("=")


def _bytes(text: str) -> bytes:
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))

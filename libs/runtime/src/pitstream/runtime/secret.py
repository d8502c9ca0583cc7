"""Secrets are named, never written down beside other settings: ``env:NAME`` or ``file:/path``."""

import os
from pathlib import Path


class NoKeyError(Exception):
    """A secret is not where its reference says. The message names the reference, never what was found there."""


def read_key(key_ref: str) -> bytes:
    """The secret that ``env:NAME`` or ``file:/path`` refers to. Raises NoKeyError."""
    kind, _, where = key_ref.partition(":")
    if kind not in ("env", "file"):
        # Not repeated: it may be the secret itself, written where its reference belongs.
        raise NoKeyError("key_ref: is no reference; allowed: file:/path or env:NAME")
    try:
        text = os.environ[where] if kind == "env" else Path(where).read_text(encoding="utf-8")
    except (KeyError, OSError, ValueError) as error:
        raise NoKeyError(f"key_ref: was {key_ref!r}; nothing can be read there") from error
    if not text.strip():
        raise NoKeyError(f"key_ref: was {key_ref!r}; nothing is there")
    return text.strip().encode()

"""Signatures of what is kept in files: Ed25519 over a file's exact bytes, in a file of 64 bytes beside it.

Keys are PEM files, as OpenSSL writes them, and OpenSSL can check a signature without us::

    openssl pkeyutl -verify -pubin -inkey audit.pub -rawin -in manifest.json -sigfile manifest.json.sig
"""

import hashlib
import os
from pathlib import Path
from typing import Final

from cryptography.exceptions import InvalidSignature, UnsupportedAlgorithm
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey
from cryptography.hazmat.primitives.serialization import (
    Encoding,
    NoEncryption,
    PrivateFormat,
    PublicFormat,
    load_pem_private_key,
    load_pem_public_key,
)

from pitstream.runtime.secret import NoKeyError, read_key

SUFFIX: Final = ".sig"


class KeyFileError(Exception):
    """A key cannot be had, or is none of Ed25519. The message names where it was looked for, never what was found."""


def new_keys(private: Path) -> Path:
    """Make a key pair: ``private`` (readable by its owner alone), and the public key in the file returned, ``.pub``.

    Raises KeyFileError where either file is there already: a key that was signed with is never written over.
    """
    public = private.with_suffix(".pub")
    key = Ed25519PrivateKey.generate()
    secret = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
    open_one = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    for file, content, mode in ((private, secret, 0o600), (public, open_one, 0o644)):
        try:
            descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        except OSError as error:
            raise KeyFileError(f"{file}: cannot be made: {error.strerror}") from error
        with os.fdopen(descriptor, "wb") as opened:
            opened.write(content)
    return public


def private_key(reference: str) -> Ed25519PrivateKey:
    """The key to sign with: ``file:/path``, ``env:NAME`` (the PEM text itself), or a file's bare path.

    Raises KeyFileError.
    """
    named = reference if reference.partition(":")[0] in ("env", "file") else f"file:{reference}"
    try:
        key = load_pem_private_key(read_key(named), password=None)
    except NoKeyError as error:
        raise KeyFileError(str(error)) from error
    except (TypeError, ValueError, UnsupportedAlgorithm) as error:
        raise KeyFileError(f"{named}: is no private key; `pitstream keys new` makes one") from error
    if not isinstance(key, Ed25519PrivateKey):
        raise KeyFileError(f"{named}: was a {type(key).__name__}; allowed: an Ed25519 key")
    return key


def public_key(file: Path) -> Ed25519PublicKey:
    """The key to check signatures with, from its PEM file. Raises KeyFileError."""
    try:
        key = load_pem_public_key(file.read_bytes())
    except OSError as error:
        raise KeyFileError(f"{file}: cannot be read: {error.strerror}") from error
    except (ValueError, UnsupportedAlgorithm) as error:
        raise KeyFileError(f"{file}: is no public key; it is the file that `pitstream keys new` names *.pub") from error
    if not isinstance(key, Ed25519PublicKey):
        raise KeyFileError(f"{file}: was a {type(key).__name__}; allowed: an Ed25519 key")
    return key


def fingerprint(key: Ed25519PublicKey) -> str:
    """SHA-256 of the key's 32 bytes, hex: names the key in what it signed."""
    return hashlib.sha256(key.public_bytes(Encoding.Raw, PublicFormat.Raw)).hexdigest()


def is_signed(key: Ed25519PublicKey, content: bytes, signature: bytes) -> bool:
    """Is it this key's signature over exactly these bytes?"""
    try:
        key.verify(signature, content)
    except InvalidSignature:
        return False
    return True

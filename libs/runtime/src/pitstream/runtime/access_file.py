"""The access file: which credentials there are, and for whom. TOML, named by ``PITSTREAM_ACCESS``::

    [[key]]                                   # an API key: `pitstream access key` makes one, and these lines
    name = "f.moreau"
    sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"
    roles = ["floorperson"]
    scopes = ["acme.boardwalk"]
    expires = 2027-01-01T00:00:00Z            # optional

    [[issuer]]                                # signed tokens (JWT) of an operator's identity provider
    name = "acme"                             # a token's subject alice is acme:alice in events
    issuer = "https://login.acme.example"
    audience = "pitstream"
    jwks = "acme.jwks.json"                   # a file beside this one, or an https URL
    roles = ["platform", "cashier"]           # what its tokens may grant at most: operators know nothing of each other
    scopes = ["acme"]

    [[user]]                                  # a person who logs in to the ops room with a password
    name = "f.moreau"
    password = "scrypt$…"                     # `pitstream access user` makes it
    roles = ["floorperson"]
    scopes = ["acme.boardwalk"]

    [sessions]                                # who logged in is believed for as long as this key's signature says
    jwks = "sessions.jwks.json"

Only hashes of keys are in it: a key has 256 random bits, so a plain SHA-256 of it tells nothing; what people choose is
hashed slowly (``pitstream.runtime.passwords``). The file is read again when it changes; one that cannot be read then
changes nothing, and says so in the log.
"""

import hashlib
import json
import re
import secrets
import time
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Annotated, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, AwareDatetime, BaseModel, ConfigDict, Field, PlainValidator, ValidationError

from pitstream.events.model import ID_PATTERN
from pitstream.runtime.logs import log
from pitstream.runtime.passwords import HASH_PATTERN
from pitstream.runtime.principal import Principal, Role

KEY_PREFIX = "pitkey_"
_LOOK_EVERY_S = 1.0
_LOOPBACK = ("127.0.0.1", "::1", "localhost")

Name = Annotated[str, Field(pattern=ID_PATTERN)]
SCOPE_PATTERN = r"^(\*|[A-Za-z0-9][A-Za-z0-9_-]*(\.[A-Za-z0-9][A-Za-z0-9_-]*)?)$"
"""``*``, an operator, or an operator and one of its properties."""
Scope = Annotated[str, Field(pattern=SCOPE_PATTERN)]
Roles = Annotated[list[Role], Field(min_length=1)]
Scopes = Annotated[list[Scope], Field(min_length=1)]


def is_url(jwks: str) -> bool:
    """Whether an issuer's keys are fetched, not read from a file."""
    return "://" in jwks


def _file_or_https(jwks: str) -> str:
    url = urlsplit(jwks)
    if is_url(jwks) and url.scheme != "https" and not (url.scheme == "http" and url.hostname in _LOOPBACK):
        raise ValueError("allowed: the name of a file, or an https URL")
    return jwks


class _Entry(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    name: Name
    roles: Roles
    scopes: Scopes


class KeyEntry(_Entry):
    """An API key of a person or a system."""

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    expires: AwareDatetime | None = None

    @property
    def principal(self) -> Principal:
        return Principal(self.name, frozenset(self.roles), frozenset(self.scopes))


class IssuerEntry(_Entry):
    """An identity provider whose tokens are taken, and what they may grant at most."""

    issuer: Annotated[str, Field(min_length=1)]
    audience: Annotated[str, Field(min_length=1)]
    jwks: Annotated[str, Field(min_length=1), AfterValidator(_file_or_https)]
    """A file beside the access file, or an ``https`` URL; ``http`` only on this machine."""
    roles_claim: str = "roles"
    """Claim that lists the roles: a JSON list, or words with spaces between."""
    scopes_claim: str = "scopes"
    """Claim that lists the scopes; a token without it has all of the issuer's."""
    leeway_s: Annotated[int, Field(ge=0, le=300)] = 30
    """By how much the two clocks may differ."""


class UserEntry(_Entry):
    """A person who logs in with a password. A key of the same name is the same person."""

    password: Annotated[str, Field(pattern=HASH_PATTERN)]

    @property
    def principal(self) -> Principal:
        return Principal(self.name, frozenset(self.roles), frozenset(self.scopes))


class SessionsEntry(BaseModel):
    """Whose word is taken that a user has logged in: a token of this key says who, the file says the rest."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    jwks: Annotated[str, Field(min_length=1), AfterValidator(_file_or_https)]


class AccessFile(BaseModel):
    """What the file holds, as it was read."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    key: list[KeyEntry] = []
    issuer: list[IssuerEntry] = []
    user: list[UserEntry] = []
    sessions: SessionsEntry | None = None


class AccessFileError(ValueError):
    """The access file cannot be used: which file, and every fault of it."""


def read(file: Path) -> AccessFile:
    """The access file. Raises AccessFileError."""
    try:
        parsed = AccessFile.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except OSError as error:
        raise AccessFileError(f"{file}: {error.strerror}") from None
    except ValidationError as error:
        # Without the values: somebody may have put a key where its hash belongs.
        told = [f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors()]
        raise AccessFileError(f"{file}: {_without_keys('; '.join(told))}") from None
    except (ValueError, RecursionError) as error:  # no UTF-8, no TOML, a number too long, or nested too deeply
        raise AccessFileError(f"{file}: not TOML: {error}") from None
    for what, seen in (
        ("sha256", [entry.sha256 for entry in parsed.key]),
        ("issuer", [entry.issuer for entry in parsed.issuer]),
        ("user", [entry.name for entry in parsed.user]),
    ):
        if twice := {one for one in seen if seen.count(one) > 1}:
            raise AccessFileError(f"{file}: {what}: {', '.join(sorted(twice))} is there twice; allowed: once")
    return parsed


def _without_keys(text: str) -> str:
    """What is said of the file, without a key that stands where a field's name belongs."""
    return re.sub(f"{KEY_PREFIX}[A-Za-z0-9_-]+", f"{KEY_PREFIX}…", text)


def hash_of(key: str) -> str:
    """What the access file holds of a key."""
    return hashlib.sha256(key.encode()).hexdigest()


def new_key() -> str:
    """A new API key: 256 random bits behind a prefix by which scanners for leaked secrets know it."""
    return KEY_PREFIX + secrets.token_urlsafe(32)


def entry_text(name: str, key: str, roles: list[Role], scopes: list[str], expires: datetime | None = None) -> str:
    """The lines of the access file that let a key in."""
    lines = [
        "[[key]]",
        f'name = "{name}"',
        f'sha256 = "{hash_of(key)}"',
        f"roles = {json.dumps(roles)}",
        f"scopes = {json.dumps(scopes)}",
    ]
    return "\n".join([*lines, *([f"expires = {expires.isoformat()}"] if expires else [])]) + "\n"


def user_text(name: str, password_hash: str, roles: list[Role], scopes: list[str]) -> str:
    """The lines of the access file that let a person log in."""
    return "\n".join(
        (
            "[[user]]",
            f'name = "{name}"',
            f'password = "{password_hash}"',
            f"roles = {json.dumps(roles)}",
            f"scopes = {json.dumps(scopes)}\n",
        )
    )


@dataclass(frozen=True, slots=True)
class _Mark:
    """What tells that a file is another one, or was written again."""

    inode: int
    size: int
    changed_ns: int

    @classmethod
    def of(cls, file: Path) -> Self:
        found = file.stat()
        return cls(found.st_ino, found.st_size, found.st_mtime_ns)


class Access:
    """The access file as it is now: looked at once a second at most, and only when somebody calls."""

    def __init__(self, file: Path, clock: Callable[[], float] = time.monotonic) -> None:
        """Raises AccessFileError when it cannot be read."""
        self.file = file
        self._clock = clock
        self._looked = clock()
        self._mark: _Mark | None = _mark(file)
        self._take(read(file))

    def current(self) -> AccessFile:
        self._look()
        return self._content

    def key(self, presented: str, now: datetime) -> Principal | None:
        """Whose API key this is; None when it is nobody's, or has expired."""
        self._look()
        entry = self._keys.get(hash_of(presented))
        if entry is None or (entry.expires is not None and entry.expires <= now):
            return None
        return entry.principal

    def user(self, name: str) -> UserEntry | None:
        """The person of this name who may log in."""
        self._look()
        return self._users.get(name)

    def _look(self) -> None:
        now = self._clock()
        if now - self._looked < _LOOK_EVERY_S:
            return
        self._looked = now
        mark = _mark(self.file)
        if mark == self._mark:
            return
        self._mark = mark
        try:
            self._take(read(self.file))
        except AccessFileError as error:
            log.error("the access file cannot be read; the one read before stays in force", error=str(error))
        else:
            log.info("the access file was read again", keys=len(self._content.key), issuers=len(self._content.issuer))

    def _take(self, content: AccessFile) -> None:
        self._content = content
        self._keys = {entry.sha256: entry for entry in content.key}
        self._users = {entry.name: entry for entry in content.user}


def _mark(file: Path) -> _Mark | None:
    try:
        return _Mark.of(file)
    except OSError:
        return None


def _loaded(file: object) -> Access:
    if isinstance(file, Access):
        return file
    if not isinstance(file, str | Path) or not str(file):
        raise ValueError(f"was {file!r}; allowed: the path of an access file")
    return Access(Path(file))


LoadedAccess = Annotated[Access, PlainValidator(_loaded)]
"""A service's setting: the path of its access file, which must be there and right at start."""

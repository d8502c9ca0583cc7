"""Signed tokens (JWT) of the issuers that the access file names.

A token is checked against the one issuer that it says it is from, with that issuer's keys and no others. The key's own
kind decides the algorithm (RSA: RS256, P-256: ES256, Ed25519: EdDSA): what the token's header says must agree, so
neither ``none`` nor a public key used as a shared secret can pass. ``exp``, ``iss``, ``aud`` and ``sub`` must be there.

One issuer is ours: whoever logs in to the ops room with a password gets a token that says who it is, and nothing else.
What its holder may do stands in the access file: it is the same person as the key of that name, and taken out there,
out everywhere.
"""

import asyncio
import hashlib
import json
import re
import time
import urllib.request
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jwt
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pitstream.runtime.access_file import SCOPE_PATTERN, Access, AccessFile, IssuerEntry, is_url
from pitstream.runtime.logs import log
from pitstream.runtime.principal import Principal, Role

SESSIONS = "urn:pitstream:sessions"
"""Who issues the tokens of those who logged in with a password."""
AUDIENCE = "pitstream"
ALGORITHM_OF = {("RSA", None): "RS256", ("EC", "P-256"): "ES256", ("OKP", "Ed25519"): "EdDSA"}
"""(kty, crv) of a key -> the only algorithm that its signatures are taken in."""
_FRESH_S = 600.0  # keys that were fetched are used this long
_FILE_S = 5.0  # and those of a file this long
_AGAIN_S = 30.0  # a key that is not known makes us look again, but not more often than this
_FETCH_S = 5.0
_SET_MAX = 256 * 1024
_REMEMBERED_S = 60.0  # so that a key that an issuer withdraws lets nobody in for longer
_REMEMBERED_MAX = 10_000
_NAME_MAX = 100
_SCOPE = re.compile(SCOPE_PATTERN)


class UnknownTokenError(Exception):
    """The token lets nobody in; the text may be told to whoever sent it."""


@dataclass(frozen=True, slots=True)
class _Checked:
    who: Principal
    until_s: float


class Tokens:
    """Checks tokens; what was checked a moment ago is remembered, since to check a signature is dear."""

    def __init__(self, access: Access, clock: Callable[[], float] = time.time) -> None:
        self._access = access
        self._clock = clock
        self._content: AccessFile | None = None
        self._issuers: dict[str, _Issuer] = {}
        self._checked: OrderedDict[bytes, _Checked] = OrderedDict()

    def known(self, token: str) -> Principal | None:
        """Whose token this is, if it was checked a moment ago."""
        self._follow_the_access_file()
        found = self._checked.get(_digest(token))
        return found.who if found is not None and self._clock() < found.until_s else None

    async def check(self, token: str) -> Principal:
        """Whose token this is. Raises UnknownTokenError."""
        self._follow_the_access_file()
        try:
            header = jwt.get_unverified_header(token)
            claimed = jwt.decode(token, options={"verify_signature": False})
        except (jwt.PyJWTError, ValueError):
            raise UnknownTokenError("was no token that can be read") from None
        issuer = self._issuers.get(str(claimed.get("iss")))
        if issuer is None:
            raise UnknownTokenError("was a token of an issuer that is not known here")
        key = await issuer.key(header.get("kid", ""), self._clock())
        if key is None:
            raise UnknownTokenError("was a token signed with a key that its issuer does not publish")
        claims = self._claims(token, key, issuer.entry)
        who = self._user(claims["sub"]) if issuer.entry.issuer == SESSIONS else _principal(claims, issuer.entry)
        self._checked[_digest(token)] = _Checked(who, min(int(claims["exp"]), self._clock() + _REMEMBERED_S))
        if len(self._checked) > _REMEMBERED_MAX:
            self._checked.popitem(last=False)
        return who

    def _user(self, name: object) -> Principal:
        entry = self._access.user(str(name))
        if entry is None:
            raise UnknownTokenError("was a token of somebody who may not log in any more")
        return entry.principal

    def _claims(self, token: str, key: jwt.PyJWK, entry: IssuerEntry) -> dict[str, Any]:
        try:
            claims: dict[str, Any] = jwt.decode(
                token,
                key.key,
                algorithms=[key.algorithm_name],
                audience=entry.audience,
                issuer=entry.issuer,
                leeway=entry.leeway_s,
                options={"require": ["exp", "iss", "aud", "sub"]},
            )
        except jwt.ExpiredSignatureError:
            raise UnknownTokenError("was a token that has expired") from None
        except jwt.ImmatureSignatureError:
            raise UnknownTokenError("was a token that is not valid yet") from None
        except jwt.InvalidAudienceError:
            raise UnknownTokenError("was a token made for another audience") from None
        except jwt.MissingRequiredClaimError as error:
            raise UnknownTokenError(f"was a token without {error.claim}") from None
        except (jwt.PyJWTError, ValueError):
            raise UnknownTokenError("was a token whose signature or claims are wrong") from None
        return claims

    def _follow_the_access_file(self) -> None:
        content = self._access.current()
        if content is self._content:
            return
        self._content = content
        self._checked.clear()
        folder = self._access.file.parent
        self._issuers = {entry.issuer: _Issuer(entry, folder) for entry in content.issuer}
        if content.sessions is not None:
            # Roles and scopes of such tokens are those of the file's users, never the issuer's.
            ours = IssuerEntry(
                name="sessions",
                issuer=SESSIONS,
                audience=AUDIENCE,
                jwks=content.sessions.jwks,
                roles=list(Role),
                scopes=["*"],
            )
            self._issuers[SESSIONS] = _Issuer(ours, folder)


def _principal(claims: Mapping[str, Any], entry: IssuerEntry) -> Principal:
    """What the issuer says of its subject, and no more than the access file lets it say."""
    subject = claims["sub"]
    if not (0 < len(subject) <= _NAME_MAX and subject.isascii() and subject.isprintable()):
        raise UnknownTokenError(f"was a token whose sub is not 1 to {_NAME_MAX} printable ASCII characters")
    most = Principal(entry.name, frozenset(entry.roles), frozenset(entry.scopes))
    asked = _words(claims.get(entry.roles_claim))
    scopes = most.scopes
    if entry.scopes_claim in claims:
        # Nothing but scopes: in a database they become patterns, and an issuer must not write those.
        said = [one for one in _words(claims[entry.scopes_claim]) if _SCOPE.fullmatch(one)]
        scopes = frozenset(one for one in said if most.covers(one))
    return Principal(f"{entry.name}:{subject}", frozenset(role for role in Role if role in asked) & most.roles, scopes)


def _words(claim: object) -> list[str]:
    if isinstance(claim, str):
        return claim.split()
    return [one for one in claim if isinstance(one, str)] if isinstance(claim, list) else []


class _Issuer:
    """One issuer's published keys, from a file or a URL."""

    def __init__(self, entry: IssuerEntry, folder: Path) -> None:
        self.entry = entry
        self._folder = folder
        self._keys: dict[str, jwt.PyJWK] = {}
        self._fetched_s = float("-inf")
        self._fetching = asyncio.Lock()

    async def key(self, kid: str, now_s: float) -> jwt.PyJWK | None:
        """The key of that id. Keys are fetched when they are old, or when one is not known, within measure."""
        if self._is_due(kid, now_s):
            async with self._fetching:
                if self._is_due(kid, now_s):
                    await self._fetch()
                    self._fetched_s = now_s  # not before: who asks meanwhile waits for these keys
        return self._keys.get(kid)

    def _is_due(self, kid: str, now_s: float) -> bool:
        again_s = _FRESH_S if is_url(self.entry.jwks) else _FILE_S
        return now_s - self._fetched_s > (again_s if kid in self._keys else min(again_s, _AGAIN_S))

    async def _fetch(self) -> None:
        where = self.entry.jwks
        try:
            data = await asyncio.to_thread(_download, where) if is_url(where) else (self._folder / where).read_bytes()
            self._keys = keys_of(data)
        except (OSError, ValueError) as error:
            log.error("an issuer's keys cannot be had; those had before stay in use", issuer=where, error=str(error))


def keys_of(data: bytes) -> dict[str, jwt.PyJWK]:
    """The usable keys of a JWKS by their ids: public, for signatures, of a kind in ``ALGORITHM_OF``, long enough.

    Raises ValueError when it is no JWKS.
    """
    try:
        document = json.loads(data)
    except RecursionError:
        raise ValueError("was nested too deeply; allowed: a JSON Web Key Set") from None
    listed = document.get("keys") if isinstance(document, dict) else None
    if not isinstance(listed, list):
        raise ValueError('allowed: a JSON Web Key Set, {"keys": [...]}')
    found: dict[str, jwt.PyJWK] = {}
    for one in listed:
        if not isinstance(one, dict) or not isinstance(one.get("kid"), str):
            continue
        curve = one.get("crv")
        algorithm = ALGORITHM_OF.get((str(one.get("kty")), None if curve is None else str(curve)))
        if algorithm is None or one.get("alg", algorithm) != algorithm or one.get("use", "sig") != "sig" or "d" in one:
            continue
        try:
            key = jwt.PyJWK(one, algorithm)
        except jwt.PyJWTError:
            continue
        if not key.Algorithm.check_key_length(key.key):
            found[one["kid"]] = key
    return found


def kid_of(key: Ed25519PrivateKey) -> str:
    """A short name of a session key: the beginning of its public half's hash."""
    return hashlib.sha256(key.public_key().public_bytes_raw()).hexdigest()[:16]


def jwks_of(key: Ed25519PrivateKey) -> str:
    """Its public half as the access file's ``[sessions]`` names it."""
    public = jwt.get_algorithm_by_name("EdDSA").to_jwk(key.public_key(), as_dict=True)
    return json.dumps({"keys": [{**public, "kid": kid_of(key), "alg": "EdDSA", "use": "sig"}]})


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_args: object) -> None:
        """None: an issuer's keys are where the access file says, and nowhere else."""


def _download(url: str) -> bytes:
    opener = urllib.request.build_opener(_NoRedirects())
    with opener.open(url, timeout=_FETCH_S) as answer:
        data: bytes = answer.read(_SET_MAX + 1)
    if len(data) > _SET_MAX:
        raise ValueError(f"was more than {_SET_MAX} bytes")
    return data


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode()).digest()

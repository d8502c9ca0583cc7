"""How an operator is connected. Pure: what may be registered, and what a stream of ``OperatorConnected`` comes to."""

import ipaddress
from dataclasses import dataclass
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import Field

from pitstream.events.ids import LOCAL
from pitstream.events.refusal import Refusal
from pitstream.events.remote import Mode, OperatorConnected, UnknownRollback
from pitstream.services.wallet.remote.protocol import Call

DEADLINE_MS_MAX = 30_000
RETRIES_MAX = 20
KeyRef = Annotated[
    str, Field(max_length=300, pattern=r"^(env:[A-Z][A-Z0-9_]*|file:/[^\x00-\x1f\x7f]+)$", examples=["env:ACME_KEY"])
]


@dataclass(frozen=True, slots=True)
class Operator:
    """An operator's terms, as ``OperatorConnected`` has them."""

    operator: str
    mode: Mode
    currency: str
    base_url: str
    key_ref: str
    deadline_ms: int
    retry_ms: tuple[int, ...]
    unknown_rollback: UnknownRollback
    calls_at_once: int

    @property
    def is_seamless(self) -> bool:
        return self.mode == "seamless"

    def path(self, made: Call) -> str:
        """The path that a call's signature is over."""
        return urlsplit(self.base_url).path + made.path


def connect(
    was: Operator | None, terms: Operator, by: str, *, funds: int, open_moves: int
) -> list[OperatorConnected] | Refusal:
    """Register an operator's terms, or change them; nothing where they are already so.

    ``was``: None means that nothing was ever said, so that its players' money is kept here. ``funds``: minor units on
    its players' accounts here, held money included; ``open_moves``: moves at its wallet that are not certain yet. Mode
    and currency change only when both are nothing: else money would have two keepers at once.
    """
    if terms.operator == LOCAL:
        return Refusal("operator_is_local", "operator", f"was {LOCAL!r}; its players' money is always kept here")
    if terms.is_seamless and (fault := _url_fault(terms.base_url)):
        return Refusal("invalid_base_url", "base_url", f"was {terms.base_url!r}; {fault}")
    if terms.is_seamless and not terms.key_ref:
        return Refusal(
            "missing_key_ref", "key_ref", "was missing; allowed: env:NAME or file:/path, where its secret is"
        )
    keeps = was is not None and was.is_seamless
    moves_house = terms.is_seamless != keeps or (was is not None and keeps and was.currency != terms.currency)
    if moves_house and (funds or open_moves):
        return Refusal(
            "operator_has_funds",
            "mode",
            f"was {terms.mode!r} in {terms.currency}; {funds} minor units are on its players' accounts, {open_moves} "
            "moves are open; allowed: a change when both are 0",
        )
    if was == terms:
        return []
    return [
        OperatorConnected(
            operator=terms.operator,
            mode=terms.mode,
            currency=terms.currency,
            base_url=terms.base_url,
            key_ref=terms.key_ref,
            deadline_ms=terms.deadline_ms,
            retry_ms=terms.retry_ms,
            unknown_rollback=terms.unknown_rollback,
            calls_at_once=terms.calls_at_once,
            by=by,
        )
    ]


def _url_fault(base_url: str) -> str | None:
    """Why players' money is not asked for there; None when it may be."""
    try:
        parts = urlsplit(base_url)
        host, _ = parts.hostname, parts.port
    except ValueError as error:
        return str(error)
    if parts.scheme not in ("http", "https") or not host:
        return "allowed: https://host[:port][/path]"
    if parts.username is not None or parts.query or parts.fragment or base_url.endswith("/"):
        return "allowed: no user, no query, no fragment, no slash at the end"
    if parts.scheme == "http" and not _is_loopback(host):
        return "allowed: https; plain http to this machine only"
    return None


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False

"""Who calls, what they may do, and whose things they see. It is known from the credential only, never from a body.

A credential is an API key or a signed token, sent as ``Authorization: Bearer …``; the access file
(``pitstream.runtime.access_file``) maps it to a ``Principal``. The gate (``pitstream.runtime.gate``) lets nothing in
without one; here each route says which roles may use it::

    @router.post("/tables/{table}/close")
    async def close(table: str, who: Annotated[Principal, Depends(allowed(Role.DEALER, Role.FLOORPERSON))]): ...

What a path names (``table``, ``network``, ``player``, ``account``, ``operator``) must be in the scopes of the caller,
which is checked here for every route alike; bodies and lists a route checks itself, with ``Principal.sees``.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from fastapi import Request

from pitstream.events.refusal import Refusal
from pitstream.runtime.commands import AnsweredError, Outcome
from pitstream.runtime.principal import READERS, Principal, Role, same_operator

__all__ = [
    "READERS",
    "Allowed",
    "Principal",
    "Role",
    "allowed",
    "forbidden",
    "same_operator",
    "unknown",
    "unknown_round",
]


def unknown(kind: str, name: str) -> Outcome:
    """The answer for something that is not there, and for something out of the caller's scopes: the same.

    >>> unknown("table", "uth-09").body["code"]
    'unknown_table'
    """
    return Outcome.refused(Refusal(f"unknown_{kind}", kind, f"was {name!r}; there is no such {kind}"), 404)


def unknown_round(table: str, round_no: int) -> Outcome:
    """The same for a round of a table, whether the table is there or not."""
    refusal = Refusal("unknown_round", "round_no", f"was {round_no}; table {table!r} has no round of that number (yet)")
    return Outcome.refused(refusal, 404)


_SEES = {
    "table": Principal.sees,
    "network": Principal.sees,
    "player": Principal.sees,
    "account": Principal.sees_account,
    "operator": Principal.covers,
}
"""What a path may name -> who sees it."""


@dataclass(frozen=True)
class Allowed:
    """The dependency that ``allowed`` makes. It holds which roles may use a route, for the API's description too."""

    roles: tuple[Role, ...]
    everywhere: bool
    itself: frozenset[str] = frozenset()
    """What the path names and the route itself holds to the caller's scopes."""

    async def __call__(self, request: Request) -> Principal:
        who: Principal = request.scope["pitstream.principal"]
        if not who.roles.intersection(self.roles):
            raise AnsweredError(forbidden(who, f"allowed: {', '.join(self.roles)}"))
        if self.everywhere and not who.sees_all:
            raise AnsweredError(forbidden(who, "allowed: a credential whose scope is *"))
        named = request.path_params
        for kind, sees in _SEES.items():
            name = named.get(kind)
            if name is not None and kind not in self.itself and not sees(who, name):
                is_round = kind == "table" and str(named.get("round_no", "")).isdecimal()
                raise AnsweredError(unknown_round(name, int(named["round_no"])) if is_round else unknown(kind, name))
        return who


def allowed(*roles: Role, everywhere: bool = False, itself: Iterable[str] = ()) -> Allowed:
    """FastAPI dependency: the caller, who must have one of the roles; with ``everywhere`` also the scope ``*``.
    ``itself``: which of the path's names the route judges itself, since more people see a part of a thing than all of
    it.

    Answers 403 ``forbidden`` otherwise; the gate has answered 401 before to whoever has no credential.
    """
    if not roles:
        raise ValueError("roles: was (); allowed: one or more")
    return Allowed(roles, everywhere, frozenset(itself))


def forbidden(who: Principal, what_is_allowed: str) -> Outcome:
    roles = ", ".join(sorted(who.roles)) or "no role"
    return Outcome.refused(Refusal("forbidden", "Authorization", f"was {who.name} ({roles}); {what_is_allowed}"), 403)

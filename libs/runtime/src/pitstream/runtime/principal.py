"""Roles, and who has them where: pure, without HTTP."""

from dataclasses import dataclass
from enum import StrEnum

EVERYWHERE = "*"
LOCAL = "local"
OWNERS_ACCOUNTS = ("operator", "suspense", "cash")
"""Kinds of ledger accounts whose second word is an operator or a property itself, not an id that begins with one."""


class Role(StrEnum):
    """What a person or a system does on a floor."""

    DEALER = "dealer"
    FLOORPERSON = "floorperson"
    PROGRESSIVE = "progressive"
    """Operates progressive networks."""
    CASHIER = "cashier"
    PLATFORM = "platform"
    """An operator's back office and player accounts."""
    AUDITOR = "auditor"
    OPERATIONS = "operations"
    """Keeps the services running."""


READERS = (Role.DEALER, Role.FLOORPERSON, Role.PROGRESSIVE, Role.CASHIER, Role.PLATFORM, Role.AUDITOR, Role.OPERATIONS)
"""Every role: for what anybody on the floor may look at."""


@dataclass(frozen=True, slots=True)
class Principal:
    """A person or a system, with what it may do and where.

    ``name`` is what events record: ``f.moreau``, ``acme:back-office``. A scope is an operator (``acme``: all of it), a
    property of one (``acme.boardwalk``: only that), ``local`` (ids without a prefix) or ``*`` (everything).
    """

    name: str
    roles: frozenset[Role]
    scopes: frozenset[str]

    def sees(self, resource_id: str) -> bool:
        """Whether a player, table or network is in these scopes, by its id's prefix.

        >>> who = Principal("f.moreau", frozenset({Role.FLOORPERSON}), frozenset({"acme"}))
        >>> [who.sees(one) for one in ("acme:p001", "acme.boardwalk:uth-01", "acme2:p001", "uth-01")]
        [True, True, False, False]
        """
        return self.covers(owner_of(resource_id))

    def covers(self, owner: str) -> bool:
        """Whether an operator, or a property of one, is in these scopes."""
        return any(scope in (EVERYWHERE, owner) or owner.startswith(f"{scope}.") for scope in self.scopes)

    def sees_account(self, account: str) -> bool:
        """Whether a ledger account is in these scopes: it is whose second word names it.

        Accounts of nobody (``house/USD``) are seen from everywhere only.

        >>> who = Principal("b.office", frozenset({Role.PLATFORM}), frozenset({"acme"}))
        >>> [who.sees_account(one) for one in ("player/acme:p1/USD", "operator/acme/USD", "house/USD", "player/p1/USD")]
        [True, True, False, False]
        """
        if self.sees_all:
            return True
        kind, *rest = account.split("/")
        if len(rest) < 2:
            return False
        return self.covers(rest[0]) if kind in OWNERS_ACCOUNTS else self.sees(rest[0])

    @property
    def sees_all(self) -> bool:
        return EVERYWHERE in self.scopes

    @property
    def owner_patterns(self) -> list[str] | None:
        """The scopes as regular expressions for SQL (``id ~ ANY($1)``), which match the ids that ``sees`` is true of;
        None when that is every id.

        >>> print(*Principal("a", frozenset(), frozenset({"acme.boardwalk", "local"})).owner_patterns)
        ^acme[.]boardwalk([.][^:]*)?: ^local([.][^:]*)?: ^[^:]*$
        """
        if self.sees_all:
            return None
        patterns = [f"^{scope.replace('.', '[.]')}([.][^:]*)?:" for scope in sorted(self.scopes)]
        return [*patterns, "^[^:]*$"] if LOCAL in self.scopes else patterns


def owner_of(resource_id: str) -> str:
    """The operator or property that an id's prefix names.

    >>> owner_of("acme.boardwalk:uth-01"), owner_of("uth-01")
    ('acme.boardwalk', 'local')
    """
    prefix, colon, _ = resource_id.partition(":")
    return prefix if colon else LOCAL


def same_operator(one: str, other: str) -> bool:
    """Whether two ids belong to one operator, whichever properties of it they name.

    >>> same_operator("acme.boardwalk:uth-01", "acme:p001"), same_operator("acme:uth-01", "p001")
    (True, False)
    """
    return owner_of(one).partition(".")[0] == owner_of(other).partition(".")[0]

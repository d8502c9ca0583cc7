"""Which rounds are asked about."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """Every round; or those of one table, of one gaming day, or both."""

    table: str | None = None
    """A table's id; None: every table."""
    day: str | None = None
    """A gaming day, YYYY-MM-DD; None: every day."""

    @property
    def whole(self) -> bool:
        """Every round is asked about."""
        return self.table is None and self.day is None

    def __str__(self) -> str:
        """
        >>> str(Scope()), str(Scope(table="uth-02", day="2026-03-28"))
        ('every round', 'the rounds of table uth-02 and day 2026-03-28')
        """
        told = [f"{what} {name}" for what, name in (("table", self.table), ("day", self.day)) if name is not None]
        return f"the rounds of {' and '.join(told)}" if told else "every round"

    def has(self, table: str, day: str) -> bool:
        """
        >>> Scope().has("uth-01", "2026-03-28"), Scope(table="uth-02").has("uth-01", "2026-03-28")
        (True, False)
        """
        return self.table in (None, table) and self.day in (None, day)

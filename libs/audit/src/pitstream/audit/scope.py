"""Which rounds are asked about."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Scope:
    """Every round; or those of one table, of one gaming day, or both."""

    table: str | None = None
    day: str | None = None

    @property
    def whole(self) -> bool:
        """Every round is asked about."""
        return self.table is None and self.day is None

    def has(self, table: str, day: str) -> bool:
        """
        >>> Scope().has("uth-01", "2026-03-28"), Scope(table="uth-02").has("uth-01", "2026-03-28")
        (True, False)
        """
        return self.table in (None, table) and self.day in (None, day)

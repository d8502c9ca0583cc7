from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="RoundName")


@_attrs_define
class RoundName:
    """One round of one table."""

    table: str
    round_no: int

    def to_dict(self) -> dict[str, Any]:
        table = self.table

        round_no = self.round_no

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "table": table,
                "round_no": round_no,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        table = d.pop("table")

        round_no = d.pop("round_no")

        round_name = cls(
            table=table,
            round_no=round_no,
        )

        return round_name

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

T = TypeVar("T", bound="TransferBody")


@_attrs_define
class TransferBody:
    """Money for another player of the same operator."""

    to: str
    amount: int | str

    def to_dict(self) -> dict[str, Any]:
        to = self.to

        amount: int | str
        amount = self.amount

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "to": to,
                "amount": amount,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        to = d.pop("to")

        def _parse_amount(data: object) -> int | str:
            return cast(int | str, data)

        amount = _parse_amount(d.pop("amount"))

        transfer_body = cls(
            to=to,
            amount=amount,
        )

        return transfer_body

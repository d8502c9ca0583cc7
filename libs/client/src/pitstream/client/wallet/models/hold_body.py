from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="HoldBody")


@_attrs_define
class HoldBody:
    """Money to set aside, and for how long: until it is resolved, unless ``expires_in_s`` says otherwise."""

    amount: int | str
    purpose: str
    expires_in_s: int | None | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        amount: int | str
        amount = self.amount

        purpose = self.purpose

        expires_in_s: int | None | Unset
        if isinstance(self.expires_in_s, Unset):
            expires_in_s = UNSET
        else:
            expires_in_s = self.expires_in_s

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "amount": amount,
                "purpose": purpose,
            }
        )
        if expires_in_s is not UNSET:
            field_dict["expires_in_s"] = expires_in_s

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_amount(data: object) -> int | str:
            return cast(int | str, data)

        amount = _parse_amount(d.pop("amount"))

        purpose = d.pop("purpose")

        def _parse_expires_in_s(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        expires_in_s = _parse_expires_in_s(d.pop("expires_in_s", UNSET))

        hold_body = cls(
            amount=amount,
            purpose=purpose,
            expires_in_s=expires_in_s,
        )

        return hold_body

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define

from ..types import UNSET, Unset

T = TypeVar("T", bound="CaptureBody")


@_attrs_define
class CaptureBody:
    """How much of a hold to take: all of it unless ``amount`` says less."""

    amount: int | None | str | Unset = UNSET

    def to_dict(self) -> dict[str, Any]:
        amount: int | None | str | Unset
        if isinstance(self.amount, Unset):
            amount = UNSET
        else:
            amount = self.amount

        field_dict: dict[str, Any] = {}

        field_dict.update({})
        if amount is not UNSET:
            field_dict["amount"] = amount

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)

        def _parse_amount(data: object) -> int | None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | str | Unset, data)

        amount = _parse_amount(d.pop("amount", UNSET))

        capture_body = cls(
            amount=amount,
        )

        return capture_body

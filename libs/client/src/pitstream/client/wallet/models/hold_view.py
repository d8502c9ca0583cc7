from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.hold_view_state import HoldViewState, check_hold_view_state
from ..types import UNSET, Unset

T = TypeVar("T", bound="HoldView")


@_attrs_define
class HoldView:
    """Money that a platform set aside. ``captured`` of it was taken in the end."""

    hold_id: str
    account: str
    amount: int
    purpose: str
    state: HoldViewState
    captured: int
    expires_at: datetime.datetime | None
    placed_at: datetime.datetime | None | Unset = UNSET
    """ told where holds are read, not where one is placed """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        hold_id = self.hold_id

        account = self.account

        amount = self.amount

        purpose = self.purpose

        state: str = self.state

        captured = self.captured

        expires_at: None | str
        if isinstance(self.expires_at, datetime.datetime):
            expires_at = self.expires_at.isoformat()
        else:
            expires_at = self.expires_at

        placed_at: None | str | Unset
        if isinstance(self.placed_at, Unset):
            placed_at = UNSET
        elif isinstance(self.placed_at, datetime.datetime):
            placed_at = self.placed_at.isoformat()
        else:
            placed_at = self.placed_at

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "hold_id": hold_id,
                "account": account,
                "amount": amount,
                "purpose": purpose,
                "state": state,
                "captured": captured,
                "expires_at": expires_at,
            }
        )
        if placed_at is not UNSET:
            field_dict["placed_at"] = placed_at

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        hold_id = d.pop("hold_id")

        account = d.pop("account")

        amount = d.pop("amount")

        purpose = d.pop("purpose")

        state = check_hold_view_state(d.pop("state"))

        captured = d.pop("captured")

        def _parse_expires_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                expires_at_type_0 = datetime.datetime.fromisoformat(data)

                return expires_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        expires_at = _parse_expires_at(d.pop("expires_at"))

        def _parse_placed_at(data: object) -> datetime.datetime | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                placed_at_type_0 = datetime.datetime.fromisoformat(data)

                return placed_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None | Unset, data)

        placed_at = _parse_placed_at(d.pop("placed_at", UNSET))

        hold_view = cls(
            hold_id=hold_id,
            account=account,
            amount=amount,
            purpose=purpose,
            state=state,
            captured=captured,
            expires_at=expires_at,
            placed_at=placed_at,
        )

        hold_view.additional_properties = d
        return hold_view

    @property
    def additional_keys(self) -> list[str]:
        return list(self.additional_properties.keys())

    def __getitem__(self, key: str) -> Any:
        return self.additional_properties[key]

    def __setitem__(self, key: str, value: Any) -> None:
        self.additional_properties[key] = value

    def __delitem__(self, key: str) -> None:
        del self.additional_properties[key]

    def __contains__(self, key: str) -> bool:
        return key in self.additional_properties

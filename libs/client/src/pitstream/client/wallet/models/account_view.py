from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="AccountView")


@_attrs_define
class AccountView:
    """An account as it stands: ``available`` is what of the balance is not held."""

    account: str
    kind: str
    currency: str
    scale: int
    """ decimal places of the currency """
    balance: int
    held: int
    available: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        account = self.account

        kind = self.kind

        currency = self.currency

        scale = self.scale

        balance = self.balance

        held = self.held

        available = self.available

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "account": account,
                "kind": kind,
                "currency": currency,
                "scale": scale,
                "balance": balance,
                "held": held,
                "available": available,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        account = d.pop("account")

        kind = d.pop("kind")

        currency = d.pop("currency")

        scale = d.pop("scale")

        balance = d.pop("balance")

        held = d.pop("held")

        available = d.pop("available")

        account_view = cls(
            account=account,
            kind=kind,
            currency=currency,
            scale=scale,
            balance=balance,
            held=held,
            available=available,
        )

        account_view.additional_properties = d
        return account_view

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

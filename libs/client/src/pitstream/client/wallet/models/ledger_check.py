from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.currency_sum import CurrencySum


T = TypeVar("T", bound="LedgerCheck")


@_attrs_define
class LedgerCheck:
    """The proof of the ledger."""

    ok: bool
    currencies: list[CurrencySum]
    differing_accounts: list[str]
    open_holds: int
    transfers: int
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        ok = self.ok

        currencies = []
        for currencies_item_data in self.currencies:
            currencies_item = currencies_item_data.to_dict()
            currencies.append(currencies_item)

        differing_accounts = self.differing_accounts

        open_holds = self.open_holds

        transfers = self.transfers

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "ok": ok,
                "currencies": currencies,
                "differing_accounts": differing_accounts,
                "open_holds": open_holds,
                "transfers": transfers,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.currency_sum import CurrencySum  # noqa: PLC0415

        d = dict(src_dict)
        ok = d.pop("ok")

        currencies = []
        _currencies = d.pop("currencies")
        for currencies_item_data in _currencies:
            currencies_item = CurrencySum.from_dict(currencies_item_data)

            currencies.append(currencies_item)

        differing_accounts = cast(list[str], d.pop("differing_accounts"))

        open_holds = d.pop("open_holds")

        transfers = d.pop("transfers")

        ledger_check = cls(
            ok=ok,
            currencies=currencies,
            differing_accounts=differing_accounts,
            open_holds=open_holds,
            transfers=transfers,
        )

        ledger_check.additional_properties = d
        return ledger_check

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

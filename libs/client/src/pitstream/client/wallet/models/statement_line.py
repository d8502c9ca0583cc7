from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

T = TypeVar("T", bound="StatementLine")


@_attrs_define
class StatementLine:
    """One transfer, from the account's side: ``amount`` is above 0 where it received, below 0 where it gave."""

    transfer_id: str
    at: datetime.datetime
    code: str
    """ what it was for: a wager, `deposit`, `transfer`, `reversal`, … """
    counter_account: str
    amount: int
    balance: int
    """ after this line """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        transfer_id = self.transfer_id

        at = self.at.isoformat()

        code = self.code

        counter_account = self.counter_account

        amount = self.amount

        balance = self.balance

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "transfer_id": transfer_id,
                "at": at,
                "code": code,
                "counter_account": counter_account,
                "amount": amount,
                "balance": balance,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        transfer_id = d.pop("transfer_id")

        at = datetime.datetime.fromisoformat(d.pop("at"))

        code = d.pop("code")

        counter_account = d.pop("counter_account")

        amount = d.pop("amount")

        balance = d.pop("balance")

        statement_line = cls(
            transfer_id=transfer_id,
            at=at,
            code=code,
            counter_account=counter_account,
            amount=amount,
            balance=balance,
        )

        statement_line.additional_properties = d
        return statement_line

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

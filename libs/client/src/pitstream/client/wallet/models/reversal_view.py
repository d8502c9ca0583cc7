from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

T = TypeVar("T", bound="ReversalView")


@_attrs_define
class ReversalView:
    """The transfer that undid another."""

    reversed_id: str
    transfer_id: str
    debit: str
    credit: str
    amount: int
    account: str
    balance: int

    def to_dict(self) -> dict[str, Any]:
        reversed_id = self.reversed_id

        transfer_id = self.transfer_id

        debit = self.debit

        credit = self.credit

        amount = self.amount

        account = self.account

        balance = self.balance

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "reversed_id": reversed_id,
                "transfer_id": transfer_id,
                "debit": debit,
                "credit": credit,
                "amount": amount,
                "account": account,
                "balance": balance,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        reversed_id = d.pop("reversed_id")

        transfer_id = d.pop("transfer_id")

        debit = d.pop("debit")

        credit = d.pop("credit")

        amount = d.pop("amount")

        account = d.pop("account")

        balance = d.pop("balance")

        reversal_view = cls(
            reversed_id=reversed_id,
            transfer_id=transfer_id,
            debit=debit,
            credit=credit,
            amount=amount,
            account=account,
            balance=balance,
        )

        return reversal_view

from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.statement_line import StatementLine


T = TypeVar("T", bound="StatementView")


@_attrs_define
class StatementView:
    """A page of a statement. ``opening_balance`` and ``closing_balance`` are the whole period's, the same on every
    page: opening + the amounts of all pages = closing.

    """

    account: str
    currency: str
    scale: int
    since: datetime.datetime | None
    """ None: from the account's first transfer """
    until: datetime.datetime
    """ what came later is not in this statement, on none of its pages """
    opening_balance: int
    closing_balance: int
    lines: list[StatementLine]
    next_: None | str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        account = self.account

        currency = self.currency

        scale = self.scale

        since: None | str
        if isinstance(self.since, datetime.datetime):
            since = self.since.isoformat()
        else:
            since = self.since

        until = self.until.isoformat()

        opening_balance = self.opening_balance

        closing_balance = self.closing_balance

        lines = []
        for lines_item_data in self.lines:
            lines_item = lines_item_data.to_dict()
            lines.append(lines_item)

        next_: None | str
        next_ = self.next_

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "account": account,
                "currency": currency,
                "scale": scale,
                "since": since,
                "until": until,
                "opening_balance": opening_balance,
                "closing_balance": closing_balance,
                "lines": lines,
                "next": next_,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.statement_line import StatementLine  # noqa: PLC0415

        d = dict(src_dict)
        account = d.pop("account")

        currency = d.pop("currency")

        scale = d.pop("scale")

        def _parse_since(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                since_type_0 = datetime.datetime.fromisoformat(data)

                return since_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        since = _parse_since(d.pop("since"))

        until = datetime.datetime.fromisoformat(d.pop("until"))

        opening_balance = d.pop("opening_balance")

        closing_balance = d.pop("closing_balance")

        lines = []
        _lines = d.pop("lines")
        for lines_item_data in _lines:
            lines_item = StatementLine.from_dict(lines_item_data)

            lines.append(lines_item)

        def _parse_next_(data: object) -> None | str:
            if data is None:
                return data
            return cast(None | str, data)

        next_ = _parse_next_(d.pop("next"))

        statement_view = cls(
            account=account,
            currency=currency,
            scale=scale,
            since=since,
            until=until,
            opening_balance=opening_balance,
            closing_balance=closing_balance,
            lines=lines,
            next_=next_,
        )

        statement_view.additional_properties = d
        return statement_view

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

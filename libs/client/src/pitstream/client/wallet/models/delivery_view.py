from __future__ import annotations

import datetime
from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.delivery_view_state import DeliveryViewState, check_delivery_view_state

T = TypeVar("T", bound="DeliveryView")


@_attrs_define
class DeliveryView:
    """One notice for one subscription. ``delivery_id`` is the ``webhook-id`` of every attempt."""

    delivery_id: str
    kind: str
    order_key: str
    """ deliveries of one key are sent one after the other: a table """
    state: DeliveryViewState
    attempts: int
    last_answer: str
    created_at: datetime.datetime
    finished_at: datetime.datetime | None
    body: str
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        delivery_id = self.delivery_id

        kind = self.kind

        order_key = self.order_key

        state: str = self.state

        attempts = self.attempts

        last_answer = self.last_answer

        created_at = self.created_at.isoformat()

        finished_at: None | str
        if isinstance(self.finished_at, datetime.datetime):
            finished_at = self.finished_at.isoformat()
        else:
            finished_at = self.finished_at

        body = self.body

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "delivery_id": delivery_id,
                "kind": kind,
                "order_key": order_key,
                "state": state,
                "attempts": attempts,
                "last_answer": last_answer,
                "created_at": created_at,
                "finished_at": finished_at,
                "body": body,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        delivery_id = d.pop("delivery_id")

        kind = d.pop("kind")

        order_key = d.pop("order_key")

        state = check_delivery_view_state(d.pop("state"))

        attempts = d.pop("attempts")

        last_answer = d.pop("last_answer")

        created_at = datetime.datetime.fromisoformat(d.pop("created_at"))

        def _parse_finished_at(data: object) -> datetime.datetime | None:
            if data is None:
                return data
            try:
                if not isinstance(data, str):
                    raise TypeError()
                finished_at_type_0 = datetime.datetime.fromisoformat(data)

                return finished_at_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(datetime.datetime | None, data)

        finished_at = _parse_finished_at(d.pop("finished_at"))

        body = d.pop("body")

        delivery_view = cls(
            delivery_id=delivery_id,
            kind=kind,
            order_key=order_key,
            state=state,
            attempts=attempts,
            last_answer=last_answer,
            created_at=created_at,
            finished_at=finished_at,
            body=body,
        )

        delivery_view.additional_properties = d
        return delivery_view

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

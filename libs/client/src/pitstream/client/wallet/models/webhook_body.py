from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from attrs import define as _attrs_define

from ..models.webhook_body_kinds_item import WebhookBodyKindsItem, check_webhook_body_kinds_item

T = TypeVar("T", bound="WebhookBody")


@_attrs_define
class WebhookBody:
    """Where to send what happens to an operator's players."""

    owner: str
    """ an operator, or a property of one, as it stands before the `:` of its players' ids; `local` for players
    without one """
    url: str
    kinds: list[WebhookBodyKindsItem]

    def to_dict(self) -> dict[str, Any]:
        owner = self.owner

        url = self.url

        kinds = []
        for kinds_item_data in self.kinds:
            kinds_item: str = kinds_item_data
            kinds.append(kinds_item)

        field_dict: dict[str, Any] = {}

        field_dict.update(
            {
                "owner": owner,
                "url": url,
                "kinds": kinds,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        owner = d.pop("owner")

        url = d.pop("url")

        kinds = []
        _kinds = d.pop("kinds")
        for kinds_item_data in _kinds:
            kinds_item = check_webhook_body_kinds_item(kinds_item_data)

            kinds.append(kinds_item)

        webhook_body = cls(
            owner=owner,
            url=url,
            kinds=kinds,
        )

        return webhook_body

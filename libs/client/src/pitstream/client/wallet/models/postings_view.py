from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define as _attrs_define
from attrs import field as _attrs_field

if TYPE_CHECKING:
    from ..models.posting_view import PostingView


T = TypeVar("T", bound="PostingsView")


@_attrs_define
class PostingsView:
    """What was posted, in order of table, round and seat."""

    postings: list[PostingView]
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        postings = []
        for postings_item_data in self.postings:
            postings_item = postings_item_data.to_dict()
            postings.append(postings_item)

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "postings": postings,
            }
        )

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.posting_view import PostingView  # noqa: PLC0415

        d = dict(src_dict)
        postings = []
        _postings = d.pop("postings")
        for postings_item_data in _postings:
            postings_item = PostingView.from_dict(postings_item_data)

            postings.append(postings_item)

        postings_view = cls(
            postings=postings,
        )

        postings_view.additional_properties = d
        return postings_view

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

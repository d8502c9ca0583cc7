from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..models.posting_view_kind import PostingViewKind, check_posting_view_kind
from ..types import UNSET, Unset

T = TypeVar("T", bound="PostingView")


@_attrs_define
class PostingView:
    """What a round came to for a seat (``seat``), what was paid by hand afterwards (``hand_pay``, with claim), or by
    how much a correction of the round changed it (``correction``, with its number).

    """

    table: str
    round_no: int
    seat: int
    player: str
    currency: str
    net: int
    kind: PostingViewKind
    claim_id: None | str | Unset = UNSET
    correction: int | None | Unset = UNSET
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        table = self.table

        round_no = self.round_no

        seat = self.seat

        player = self.player

        currency = self.currency

        net = self.net

        kind: str = self.kind

        claim_id: None | str | Unset
        if isinstance(self.claim_id, Unset):
            claim_id = UNSET
        else:
            claim_id = self.claim_id

        correction: int | None | Unset
        if isinstance(self.correction, Unset):
            correction = UNSET
        else:
            correction = self.correction

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "table": table,
                "round_no": round_no,
                "seat": seat,
                "player": player,
                "currency": currency,
                "net": net,
                "kind": kind,
            }
        )
        if claim_id is not UNSET:
            field_dict["claim_id"] = claim_id
        if correction is not UNSET:
            field_dict["correction"] = correction

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        d = dict(src_dict)
        table = d.pop("table")

        round_no = d.pop("round_no")

        seat = d.pop("seat")

        player = d.pop("player")

        currency = d.pop("currency")

        net = d.pop("net")

        kind = check_posting_view_kind(d.pop("kind"))

        def _parse_claim_id(data: object) -> None | str | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(None | str | Unset, data)

        claim_id = _parse_claim_id(d.pop("claim_id", UNSET))

        def _parse_correction(data: object) -> int | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            return cast(int | None | Unset, data)

        correction = _parse_correction(d.pop("correction", UNSET))

        posting_view = cls(
            table=table,
            round_no=round_no,
            seat=seat,
            player=player,
            currency=currency,
            net=net,
            kind=kind,
            claim_id=claim_id,
            correction=correction,
        )

        posting_view.additional_properties = d
        return posting_view

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

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeVar, cast

from attrs import define as _attrs_define
from attrs import field as _attrs_field

from ..types import UNSET, Unset

if TYPE_CHECKING:
    from ..models.fault import Fault


T = TypeVar("T", bound="Problem")


@_attrs_define
class Problem:
    """Why a request was not carried out; ``docs/errors.md`` lists the codes."""

    type_: str
    title: str
    status: int
    detail: str
    """ what was found, and what is allowed """
    code: str
    """ never changes its meaning """
    field: str
    """ what the fault was found at """
    instance: str
    """ names this one answer: the request's trace id is in it """
    faults: list[Fault] | None | Unset = UNSET
    """ every fault of the input """
    additional_properties: dict[str, Any] = _attrs_field(init=False, factory=dict)

    def to_dict(self) -> dict[str, Any]:
        type_ = self.type_

        title = self.title

        status = self.status

        detail = self.detail

        code = self.code

        field = self.field

        instance = self.instance

        faults: list[dict[str, Any]] | None | Unset
        if isinstance(self.faults, Unset):
            faults = UNSET
        elif isinstance(self.faults, list):
            faults = []
            for faults_type_0_item_data in self.faults:
                faults_type_0_item = faults_type_0_item_data.to_dict()
                faults.append(faults_type_0_item)

        else:
            faults = self.faults

        field_dict: dict[str, Any] = {}
        field_dict.update(self.additional_properties)
        field_dict.update(
            {
                "type": type_,
                "title": title,
                "status": status,
                "detail": detail,
                "code": code,
                "field": field,
                "instance": instance,
            }
        )
        if faults is not UNSET:
            field_dict["faults"] = faults

        return field_dict

    @classmethod
    def from_dict(cls: type[T], src_dict: Mapping[str, Any]) -> T:
        from ..models.fault import Fault  # noqa: PLC0415

        d = dict(src_dict)
        type_ = d.pop("type")

        title = d.pop("title")

        status = d.pop("status")

        detail = d.pop("detail")

        code = d.pop("code")

        field = d.pop("field")

        instance = d.pop("instance")

        def _parse_faults(data: object) -> list[Fault] | None | Unset:
            if data is None:
                return data
            if isinstance(data, Unset):
                return data
            try:
                if not isinstance(data, list):
                    raise TypeError()
                faults_type_0 = []
                _faults_type_0 = data
                for faults_type_0_item_data in _faults_type_0:
                    faults_type_0_item = Fault.from_dict(faults_type_0_item_data)

                    faults_type_0.append(faults_type_0_item)

                return faults_type_0
            except (TypeError, ValueError, AttributeError, KeyError):
                pass
            return cast(list[Fault] | None | Unset, data)

        faults = _parse_faults(d.pop("faults", UNSET))

        problem = cls(
            type_=type_,
            title=title,
            status=status,
            detail=detail,
            code=code,
            field=field,
            instance=instance,
            faults=faults,
        )

        problem.additional_properties = d
        return problem

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

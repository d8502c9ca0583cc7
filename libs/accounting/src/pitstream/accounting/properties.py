"""The properties' clocks: a TOML file that says where each property is and when its gaming day and shifts begin::

    [default]
    time_zone = "America/New_York"
    day_begins = 06:00:00
    shifts = { day = 06:00:00, swing = 14:00:00, grave = 22:00:00 }

    [properties."acme.boardwalk"]
    time_zone = "America/Chicago"
    day_begins = 05:00:00
    shifts = { day = 05:00:00, night = 17:00:00 }

A property is what stands before the ``:`` of its tables' ids. One that has no entry goes by its operator's, else by the
default. Without a file every property goes by the default above.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import time
from pathlib import Path
from typing import Annotated, Self
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from pitstream.accounting.calendar import Calendar
from pitstream.events.model import Word
from pitstream.events.refusal import shown


def _without_offset(wall: time) -> time:
    if wall.tzinfo is not None:
        raise ValueError(f"was {wall}; allowed: a time of day without an offset, as the clocks of its zone show it")
    return wall


Wall = Annotated[time, Field(examples=["06:00:00"]), AfterValidator(_without_offset)]


class PropertiesFileError(ValueError):
    """The file cannot be used; the text names the field, what was found, and what is allowed."""


class _Clock(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    time_zone: str
    day_begins: Wall
    shifts: Annotated[dict[Word, Wall], Field(min_length=1)]

    @field_validator("time_zone")
    @classmethod
    def _known(cls, name: str) -> str:
        try:
            ZoneInfo(name)
        except (ZoneInfoNotFoundError, ValueError, OSError) as unknown:
            raise ValueError(f"was {name!r}; allowed: a name of the IANA time zone database") from unknown
        return name

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        first, *_ = self.shifts.values()
        if first != self.day_begins:
            raise ValueError(f"shifts: the first begins at {first}; allowed: with the day, at {self.day_begins}")
        since_roll = [(begins < self.day_begins, begins) for begins in self.shifts.values()]
        if since_roll != sorted(set(since_roll)):
            raise ValueError("shifts: allowed: in the order in which they begin, no two at the same time")
        return self

    def calendar(self) -> Calendar:
        return Calendar(ZoneInfo(self.time_zone), self.day_begins, tuple(self.shifts.items()))


class _File(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)

    default: _Clock
    properties: dict[str, _Clock] = Field(default_factory=dict)


_PENNSYLVANIA = _Clock(
    time_zone="America/New_York",
    day_begins=time(6),
    shifts={"day": time(6), "swing": time(14), "grave": time(22)},
)


@dataclass(frozen=True, slots=True)
class Properties:
    """Every property's calendar."""

    default: Calendar
    by_name: Mapping[str, Calendar]

    def calendar_of(self, name: str) -> Calendar:
        """The calendar of a property: ``acme.boardwalk``, ``acme``, ``local``."""
        return self.by_name.get(name) or self.by_name.get(name.partition(".")[0]) or self.default


def read_properties(file: Path | None) -> Properties:
    """The properties of ``file``; those of Pennsylvania's clocks without one. Raises PropertiesFileError."""
    if file is None:
        return Properties(_PENNSYLVANIA.calendar(), {})
    try:
        read = _File.model_validate(tomllib.loads(file.read_text(encoding="utf-8")))
    except ValidationError as error:
        fault = error.errors()[0]
        where = ".".join(str(step) for step in fault["loc"])
        raise PropertiesFileError(f"{file}: {where}: was {shown(fault['input'])}; {fault['msg']}") from error
    except (OSError, ValueError, RecursionError) as error:  # no UTF-8, no TOML, a number too long, or nested too deeply
        raise PropertiesFileError(f"{file}: {error}") from error
    return Properties(
        read.default.calendar(), {name: clock.calendar() for name, clock in sorted(read.properties.items())}
    )

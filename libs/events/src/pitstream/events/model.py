"""The words that events are made of, and the base class that registers each event under its stored name."""

from datetime import date
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

# ASCII and short: ids travel in stream names, account names, Kafka keys and URLs.
ID_PATTERN = r"^[A-Za-z0-9][A-Za-z0-9._:-]{0,63}$"
INT64_MAX = 2**63 - 1
AMOUNT_MAX = 10**16
"""Minor units that one command may bring in, take out or open a meter with. Sums have 64 bits: without it, a slip
of the keys at one account could fill the house's, and nobody could bring in anything any more."""

TableId = Annotated[str, Field(pattern=ID_PATTERN)]
PlayerId = Annotated[str, Field(pattern=ID_PATTERN)]
NetworkId = Annotated[str, Field(pattern=ID_PATTERN)]
MeterId = Annotated[str, Field(pattern=ID_PATTERN)]
RoundNo = Annotated[int, Field(ge=1, le=INT64_MAX)]
SeatNo = Annotated[int, Field(ge=1, le=7)]
Bundle = Annotated[int, Field(ge=1, le=8)]
Count = Annotated[int, Field(ge=0, le=2**32 - 1)]
Percent = Annotated[int, Field(ge=1, le=100)]
Card = Annotated[str, Field(pattern=r"^[2-9TJQKA][cdhs]$")]
Currency = Annotated[str, Field(pattern=r"^[A-Z]{3}$")]


def _in_the_calendar(day: str) -> str:
    try:
        date.fromisoformat(day)
    except ValueError:
        raise ValueError("allowed: a day of the calendar, YYYY-MM-DD") from None
    return day


GamingDay = Annotated[str, Field(pattern=r"^\d{4}-\d{2}-\d{2}$"), AfterValidator(_in_the_calendar)]
Word = Annotated[str, Field(pattern=r"^[a-z0-9][a-z0-9_-]{0,63}$")]
"""A wager, award, outcome, game or choice: ``ante``, ``three_card_bonus``, ``4x``."""
PaytableId = Annotated[str, Field(pattern=ID_PATTERN)]
Text = Annotated[str, Field(max_length=2000)]
Sha256 = Annotated[bytes, Field(max_length=32)]

Stake = Annotated[int, Field(gt=0, le=INT64_MAX)]
"""A wager's money, minor units, above 0."""
Minor = Annotated[int, Field(ge=0, le=INT64_MAX)]
"""Minor units, 0 or more."""
SignedMinor = Annotated[int, Field(ge=-INT64_MAX, le=INT64_MAX)]
"""Minor units, either way."""


class Part(BaseModel):
    """What an event is made of: frozen, exact types, no field that the contract does not know."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, ser_json_bytes="hex", val_json_bytes="hex")

    recurs: ClassVar[bool] = False
    """Lists of it come again and again, the same: they are checked once and kept. Never one with an id of its own."""


P = TypeVar("P", bound=Part)
_set = object.__setattr__


def made(kind: type[P], fields: dict[str, Any], names: set[str]) -> P:
    """What ``kind.model_construct`` makes of all its fields, in a fifth of the time: not checked a second time.

    ``names`` are those that were given. Frozen models never change that set, so all instances may share it.
    """
    part = kind.__new__(kind)
    _set(part, "__dict__", fields)
    _set(part, "__pydantic_fields_set__", names)
    _set(part, "__pydantic_extra__", None)
    _set(part, "__pydantic_private__", None)
    return part


class Event(Part):
    """One fact, in the past tense. Subclasses name the proto message that stores them.

    >>> from pitstream.events.rounds import WagersStood
    >>> WagersStood.type_name, WagersStood.topic
    ('pitstream.rounds.v1.WagersStood', 'rounds.v1')
    """

    type_name: ClassVar[str]
    """Full proto name: the name it is stored under for ever, whatever module the class lives in."""
    topic: ClassVar[str]
    """The topic that it is published on."""

    def __init_subclass__(cls, package: str | None = None, **kwargs: object) -> None:
        super().__init_subclass__(**kwargs)  # type: ignore[arg-type]  # pydantic's own signature takes config keys only
        if package is None:
            return
        cls.type_name = f"pitstream.{package}.{cls.__name__}"
        cls.topic = package
        if cls.type_name in _EVENT_TYPES:
            raise TypeError(f"{cls.type_name} is described twice")
        _EVENT_TYPES[cls.type_name] = cls


_EVENT_TYPES: dict[str, type[Event]] = {}


def event_types() -> dict[str, type[Event]]:
    """Every event of the contract by its stored name."""
    # These modules register their events when imported; nothing else needs to know that.
    from pitstream.events import (  # noqa: F401
        accounting,
        corrections,
        disputes,
        prizes,
        progressives,
        remote,
        rounds,
        settlements,
        wallet,
    )

    return dict(_EVENT_TYPES)

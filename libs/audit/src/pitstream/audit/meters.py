"""A network's meters by their own arithmetic: exact fractions, from stakes, rates, terms and what people decided.

Nothing here is shared with the service that keeps the meters. Each column is derived twice, as the events tell it and
from what they say happened, and both must be the same to the last fraction of a minor unit, after every event.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from pitstream.events import Event
from pitstream.events.corrections import ContributionCorrected
from pitstream.events.progressives import (
    ContributionsReturned,
    HitLocked,
    HitRefused,
    MeterContribution,
    MeterCorrected,
    MeterRetired,
    NetworkOpened,
    Rate,
    RoundClosed,
    TermsChanged,
    TransferReceived,
    TransferSent,
    WagersContributed,
)

_NONE: Final = Rate(numerator=0, denominator=1)


@dataclass(slots=True)
class _Meter:
    """``exact`` and ``reserve_exact`` are derived, the rest is what the last event told; minor units."""

    seed: int
    rate: Fraction
    reserve_rate: Fraction
    limit: int | None
    amount: int
    exact: Fraction
    overflow: int = 0
    reserve: int = 0
    carry: Fraction = Fraction(0)
    reserve_carry: Fraction = Fraction(0)
    reserve_exact: Fraction = Fraction(0)
    retired: bool = False
    rate_denominator: int = 1
    reserve_denominator: int = 1


@dataclass(slots=True)
class Meters:
    """One network's. ``given``: at which rates the rounds that are not closed fed which meters, should they be void."""

    meters: dict[str, _Meter] = field(default_factory=dict)
    given: dict[tuple[str, int], list[tuple[str, Fraction, Fraction]]] = field(default_factory=dict)

    def after(self, event: Event) -> list[tuple[str, object, object]]:
        """What the event tells otherwise than it must be: what, recorded, right."""
        match event:
            case NetworkOpened():
                self._opened(event)
                return []
            case WagersContributed() | ContributionsReturned():
                return self._fed(event)
            case RoundClosed():
                self.given.pop((event.table, event.round_no), None)
                return []
            case ContributionCorrected():
                return self._corrected_round(event)
            case HitLocked():
                return self._locked(event)
            case HitRefused():
                seed = event.seed_to_reserve + event.seed_to_house
                wrong = _sum_differs("amount", event.amount, event.to_meter + event.to_house + event.to_others)
                return wrong + self._moved(event, event.to_meter - seed, event.seed_to_reserve)
            case MeterCorrected():
                on_meter, on_reserve = (event.change, 0) if event.part == "meter" else (0, event.change)
                return self._moved(event, on_meter, on_reserve)
            case TransferSent():
                return self._moved(event, -event.amount, -event.reserve)
            case TransferReceived():
                return self._moved(event, event.amount, event.reserve)
            case TermsChanged():
                return self._new_terms(event)
            case MeterRetired():
                self.meters[event.meter].retired = True
                return []
            case _:
                return []

    def _opened(self, event: NetworkOpened) -> None:
        for one in event.meters:
            reserve = one.reserve_rate or _NONE
            self.meters[one.meter] = _Meter(
                seed=one.seed,
                rate=Fraction(one.rate_numerator, one.rate_denominator),
                reserve_rate=Fraction(reserve.numerator, reserve.denominator),
                limit=one.limit,
                amount=one.amount,
                exact=Fraction(one.amount),
                rate_denominator=one.rate_denominator,
                reserve_denominator=reserve.denominator,
            )

    def _fed(self, event: WagersContributed | ContributionsReturned) -> list[tuple[str, object, object]]:
        wrong: list[tuple[str, object, object]] = []
        place = event.table, event.round_no
        if isinstance(event, WagersContributed):
            fed = [(name, one.rate, one.reserve_rate) for name, one in self.meters.items() if not one.retired]
            self.given[place], sign = fed, 1
        else:
            fed, sign = self.given.get(place, []), -1
        told = [part.meter for part in event.contributions]
        if told != [name for name, _, _ in fed]:
            wrong.append(("contributions", told, [name for name, _, _ in fed]))
        for part, (_, rate, reserve_rate) in zip(event.contributions, fed, strict=False):
            one = self.meters[part.meter]
            wrong += self._contributed(part, one, sign * rate * event.stakes, sign * reserve_rate * event.stakes)
        return wrong

    def _corrected_round(self, event: ContributionCorrected) -> list[tuple[str, object, object]]:
        """A round was corrected after it was closed: at which rates it fed the meters is told by what it had posted, so
        only the column's own sums are looked at here."""
        wrong: list[tuple[str, object, object]] = []
        for part in event.contributions:
            one = self.meters[part.meter]
            before = one.amount + one.overflow + one.carry, one.reserve + one.reserve_carry
            self._tell(part, one)
            one.exact += one.amount + one.overflow + one.carry - before[0]
            one.reserve_exact += one.reserve + one.reserve_carry - before[1]
            wrong += _shown(part.meter, one)
        return wrong

    def _contributed(
        self, part: MeterContribution, one: _Meter, column: Fraction, reserve: Fraction
    ) -> list[tuple[str, object, object]]:
        was = one.amount, one.overflow, one.reserve
        one.exact += column
        one.reserve_exact += reserve
        self._tell(part, one)
        posted = part.posted, part.overflow_posted, part.reserve_posted
        moved = one.amount - was[0], one.overflow - was[1], one.reserve - was[2]
        wrong: list[tuple[str, object, object]] = []
        if posted != moved:
            wrong.append((f"{part.meter}.posted", posted, moved))
        return wrong + _shown(part.meter, one)

    def _tell(self, part: MeterContribution, one: _Meter) -> None:
        one.amount, one.overflow, one.reserve = part.amount_after, part.overflow_after, part.reserve_after
        one.carry = Fraction(part.carry_numerator, part.carry_denominator or one.rate_denominator)
        one.reserve_carry = Fraction(
            part.reserve_carry_numerator, part.reserve_carry_denominator or one.reserve_denominator
        )

    def _locked(self, event: HitLocked) -> list[tuple[str, object, object]]:
        one, account = self.meters[event.meter], event.account
        wrong: list[tuple[str, object, object]] = []
        if event.meter_before != one.amount:
            wrong.append(("meter_before", event.meter_before, one.amount))
        shown = max(0, one.amount)
        if account is None:
            right = shown * event.percent // 100
            wrong += _sum_differs("amount", event.amount, right)
            seed = one.seed if event.percent == 100 else 0
            one.exact += seed - event.amount
            one.amount = event.meter_after
            return wrong + _shown(event.meter, one)
        parts = account.from_meter + account.from_house + account.from_earlier
        wrong += _sum_differs("amount", event.amount, parts)
        if not account.together_with:
            wrong += _sum_differs("base", account.base, shown)
        if not account.together_with or event.policy == "full_each":
            wrong += _sum_differs("amount", event.amount, account.base * event.percent // 100)
        elif event.amount > account.base:
            wrong.append(("amount", event.amount, f"at most {account.base}"))
        seed = account.seed_from_reserve + account.seed_from_house
        alone = not account.together_with and event.percent == 100 and not one.retired
        if (alone and seed != one.seed) or seed not in (0, one.seed):
            wrong.append(("seed", seed, one.seed))
        if seed and account.seed_from_reserve != min(one.seed, max(0, one.reserve)):
            wrong.append(("seed_from_reserve", account.seed_from_reserve, min(one.seed, max(0, one.reserve))))
        wrong += _sum_differs("overflow_change", account.overflow_change, account.overflow_after - one.overflow)
        one.exact += seed - account.from_meter
        one.reserve_exact -= account.seed_from_reserve
        one.amount, one.overflow, one.reserve = event.meter_after, account.overflow_after, account.reserve_after
        return wrong + _shown(event.meter, one)

    def _moved(
        self, event: HitRefused | MeterCorrected | TransferSent | TransferReceived, column: int, reserve: int
    ) -> list[tuple[str, object, object]]:
        one = self.meters[event.meter]
        wrong = _sum_differs("overflow_change", event.overflow_change, event.overflow_after - one.overflow)
        one.exact += column
        one.reserve_exact += reserve
        one.amount, one.overflow, one.reserve = event.amount_after, event.overflow_after, event.reserve_after
        return wrong + _shown(event.meter, one)

    def _new_terms(self, event: TermsChanged) -> list[tuple[str, object, object]]:
        terms, one = event.terms, self.meters[event.terms.meter]
        reserve = terms.reserve_rate or _NONE
        one.seed, one.limit = terms.seed, terms.limit
        one.rate = Fraction(terms.rate.numerator, terms.rate.denominator)
        one.reserve_rate = Fraction(reserve.numerator, reserve.denominator)
        one.rate_denominator, one.reserve_denominator = terms.rate.denominator, reserve.denominator
        one.amount, one.overflow = event.amount_after, event.overflow_after
        one.carry = Fraction(event.carry_numerator, event.carry_denominator)
        one.reserve_carry = Fraction(event.reserve_carry_numerator, event.reserve_carry_denominator)
        return _shown(terms.meter, one)


def _shown(name: str, one: _Meter) -> list[tuple[str, object, object]]:
    """The meter with its overflow and its rest is what was derived, as its limit divides it; so is the reserve."""
    wrong: list[tuple[str, object, object]] = []
    if one.amount + one.overflow + one.carry != one.exact:
        wrong.append((name, one.amount + one.overflow + one.carry, one.exact))
    if one.reserve + one.reserve_carry != one.reserve_exact:
        wrong.append((f"{name}.reserve", one.reserve + one.reserve_carry, one.reserve_exact))
    whole = one.amount + one.overflow
    shown = whole if one.limit is None else min(whole, one.limit)
    if one.amount != shown:
        wrong.append((f"{name}.amount", one.amount, shown))
    if not (0 <= one.carry < 1 and 0 <= one.reserve_carry < 1):
        wrong.append((f"{name}.carry", f"{one.carry} and {one.reserve_carry}", "0 or more, below 1"))
    # What was told otherwise is told once: from here on it is taken as it stands.
    if wrong:
        one.exact, one.reserve_exact = one.amount + one.overflow + one.carry, one.reserve + one.reserve_carry
    return wrong


def _sum_differs(what: str, told: int, right: int) -> list[tuple[str, object, object]]:
    return [] if told == right else [(what, told, right)]

"""What may be sent to the networks' routes. Money in minor units, rates as exact fractions."""

from fractions import Fraction
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from pitstream.events.model import AMOUNT_MAX, Currency, MeterId, NetworkId
from pitstream.events.money import AmountOrNone, Whole
from pitstream.events.progressives import (
    Correction,
    MeterOpening,
    MeterPart,
    MeterTerms,
    Policy,
    Rate,
    TransferOrder,
)

# What a person wrote is stored as text: no control characters, of which databases refuse some.
Line = Annotated[str, Field(max_length=500, pattern=r"^[^\x00-\x1f\x7f]+$")]
Fractional = Annotated[str, Field(pattern=r"^[0-9]{1,9}/[1-9][0-9]{0,8}$", examples=["1/5"])]


class Body(BaseModel):
    """Exact types, nothing that is not asked for."""

    model_config = ConfigDict(extra="forbid", strict=True)


class TermsBody(Body):
    """A meter's terms. ``rate`` is the share of each progressive wager that feeds it, ``reserve_rate`` the hidden share
    that funds its next seed; beyond ``limit`` it overflows; more than ``contribution_max`` of one round waits for a
    person's word."""

    meter: MeterId
    seed: AmountOrNone
    rate: Fractional
    reserve_rate: Fractional | None = None
    limit: AmountOrNone | None = None
    contribution_max: AmountOrNone | None = None

    def terms(self) -> MeterTerms:
        return MeterTerms(
            meter=self.meter,
            seed=self.seed,
            rate=_rate(self.rate),
            reserve_rate=None if self.reserve_rate is None else _rate(self.reserve_rate),
            limit=self.limit,
            contribution_max=self.contribution_max,
        )


class MeterBody(TermsBody):
    """A meter as it opens."""

    amount: AmountOrNone

    def opening(self) -> MeterOpening:
        terms = self.terms()
        return MeterOpening(
            meter=terms.meter,
            seed=terms.seed,
            amount=self.amount,
            rate_numerator=terms.rate.numerator,
            rate_denominator=terms.rate.denominator,
            reserve_rate=terms.reserve_rate,
            limit=terms.limit,
            contribution_max=terms.contribution_max,
        )


class OpenBody(Body):
    """A network with all its meters."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {
                "currency": "USD",
                "meters": [{"meter": "main", "seed": 1_000_000, "amount": 1_000_000, "rate": "1/5"}],
                "policy": "sequential",
            }
        },
    )

    currency: Currency
    meters: Annotated[list[MeterBody], Field(min_length=1, max_length=32)]
    policy: Policy | None = None


class VerifyBody(Body):
    """What was found right at the table."""

    model_config = ConfigDict(json_schema_extra={"example": {"checks": ["hand", "light"]}})

    checks: Annotated[list[Literal["hand", "light"]], Field(max_length=2)]


class DocumentBody(Body):
    """The hand-pay document."""

    model_config = ConfigDict(json_schema_extra={"example": {"document": "W-2G 2026-000123"}})

    document: Line


class RefuseBody(Body):
    """Why a hit is not paid, and the document that says so, if there is one."""

    model_config = ConfigDict(json_schema_extra={"example": {"reason": "the hand was fouled"}})

    reason: Line
    document: Line | None = None


class ReasonBody(Body):
    """Why."""

    reason: Line


class AnswerBody(Body):
    """Whether a questioned contribution feeds the meters after all, and why."""

    model_config = ConfigDict(json_schema_extra={"example": {"admitted": True, "reason": "the stakes were counted"}})

    admitted: bool
    reason: Line


class CorrectionBody(Body):
    """Money that the house puts on a meter or its reserve, or takes off it, below 0."""

    meter: MeterId
    part: MeterPart = "meter"
    change: Annotated[Whole, Field(ge=-AMOUNT_MAX, le=AMOUNT_MAX)]


class TransferBody(Body):
    """Money that goes to a meter of another network."""

    meter: MeterId
    to_network: NetworkId
    to_meter: MeterId
    amount: AmountOrNone
    reserve: AmountOrNone = 0


class ProposalBody(Body):
    """One change, and why."""

    model_config = ConfigDict(
        json_schema_extra={
            "example": {"reason": "season", "terms": {"meter": "main", "seed": 2_000_000, "rate": "17/400"}}
        },
    )

    reason: Line
    terms: TermsBody | None = None
    policy: Policy | None = None
    correction: CorrectionBody | None = None
    transfer: TransferBody | None = None
    retire: MeterId | None = None

    @model_validator(mode="after")
    def _one_change(self) -> "ProposalBody":
        named = self.model_fields_set - {"reason"}
        if len(named) != 1:
            raise ValueError("allowed: exactly one of terms, policy, correction, transfer and retire")
        return self

    def corrected(self) -> Correction | None:
        return None if self.correction is None else Correction(**self.correction.model_dump())

    def transferred(self) -> TransferOrder | None:
        return None if self.transfer is None else TransferOrder(**self.transfer.model_dump())


def _rate(text: str) -> Rate:
    fraction = Fraction(text)
    return Rate(numerator=fraction.numerator, denominator=fraction.denominator)

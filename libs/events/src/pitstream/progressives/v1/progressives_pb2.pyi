from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Rate(_message.Message):
    __slots__ = ("numerator", "denominator")
    NUMERATOR_FIELD_NUMBER: _ClassVar[int]
    DENOMINATOR_FIELD_NUMBER: _ClassVar[int]
    numerator: int
    denominator: int
    def __init__(self, numerator: _Optional[int] = ..., denominator: _Optional[int] = ...) -> None: ...

class MeterOpening(_message.Message):
    __slots__ = ("meter", "seed", "amount", "rate_numerator", "rate_denominator", "reserve_rate", "limit", "contribution_max")
    METER_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    RATE_NUMERATOR_FIELD_NUMBER: _ClassVar[int]
    RATE_DENOMINATOR_FIELD_NUMBER: _ClassVar[int]
    RESERVE_RATE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    CONTRIBUTION_MAX_FIELD_NUMBER: _ClassVar[int]
    meter: str
    seed: int
    amount: int
    rate_numerator: int
    rate_denominator: int
    reserve_rate: Rate
    limit: int
    contribution_max: int
    def __init__(self, meter: _Optional[str] = ..., seed: _Optional[int] = ..., amount: _Optional[int] = ..., rate_numerator: _Optional[int] = ..., rate_denominator: _Optional[int] = ..., reserve_rate: _Optional[_Union[Rate, _Mapping]] = ..., limit: _Optional[int] = ..., contribution_max: _Optional[int] = ...) -> None: ...

class MeterContribution(_message.Message):
    __slots__ = ("meter", "posted", "amount_after", "carry_numerator", "carry_denominator", "overflow_posted", "overflow_after", "reserve_posted", "reserve_after", "reserve_carry_numerator", "reserve_carry_denominator")
    METER_FIELD_NUMBER: _ClassVar[int]
    POSTED_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_AFTER_FIELD_NUMBER: _ClassVar[int]
    CARRY_NUMERATOR_FIELD_NUMBER: _ClassVar[int]
    CARRY_DENOMINATOR_FIELD_NUMBER: _ClassVar[int]
    OVERFLOW_POSTED_FIELD_NUMBER: _ClassVar[int]
    OVERFLOW_AFTER_FIELD_NUMBER: _ClassVar[int]
    RESERVE_POSTED_FIELD_NUMBER: _ClassVar[int]
    RESERVE_AFTER_FIELD_NUMBER: _ClassVar[int]
    RESERVE_CARRY_NUMERATOR_FIELD_NUMBER: _ClassVar[int]
    RESERVE_CARRY_DENOMINATOR_FIELD_NUMBER: _ClassVar[int]
    meter: str
    posted: int
    amount_after: int
    carry_numerator: int
    carry_denominator: int
    overflow_posted: int
    overflow_after: int
    reserve_posted: int
    reserve_after: int
    reserve_carry_numerator: int
    reserve_carry_denominator: int
    def __init__(self, meter: _Optional[str] = ..., posted: _Optional[int] = ..., amount_after: _Optional[int] = ..., carry_numerator: _Optional[int] = ..., carry_denominator: _Optional[int] = ..., overflow_posted: _Optional[int] = ..., overflow_after: _Optional[int] = ..., reserve_posted: _Optional[int] = ..., reserve_after: _Optional[int] = ..., reserve_carry_numerator: _Optional[int] = ..., reserve_carry_denominator: _Optional[int] = ...) -> None: ...

class NetworkOpened(_message.Message):
    __slots__ = ("network", "currency", "meters", "policy")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    METERS_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    network: str
    currency: str
    meters: _containers.RepeatedCompositeFieldContainer[MeterOpening]
    policy: str
    def __init__(self, network: _Optional[str] = ..., currency: _Optional[str] = ..., meters: _Optional[_Iterable[_Union[MeterOpening, _Mapping]]] = ..., policy: _Optional[str] = ...) -> None: ...

class WagersContributed(_message.Message):
    __slots__ = ("network", "table", "round_no", "stakes", "contributions", "currency")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    STAKES_FIELD_NUMBER: _ClassVar[int]
    CONTRIBUTIONS_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    network: str
    table: str
    round_no: int
    stakes: int
    contributions: _containers.RepeatedCompositeFieldContainer[MeterContribution]
    currency: str
    def __init__(self, network: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., stakes: _Optional[int] = ..., contributions: _Optional[_Iterable[_Union[MeterContribution, _Mapping]]] = ..., currency: _Optional[str] = ...) -> None: ...

class ContributionsReturned(_message.Message):
    __slots__ = ("network", "table", "round_no", "stakes", "contributions", "currency")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    STAKES_FIELD_NUMBER: _ClassVar[int]
    CONTRIBUTIONS_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    network: str
    table: str
    round_no: int
    stakes: int
    contributions: _containers.RepeatedCompositeFieldContainer[MeterContribution]
    currency: str
    def __init__(self, network: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., stakes: _Optional[int] = ..., contributions: _Optional[_Iterable[_Union[MeterContribution, _Mapping]]] = ..., currency: _Optional[str] = ...) -> None: ...

class RoundClosed(_message.Message):
    __slots__ = ("network", "table", "round_no")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    network: str
    table: str
    round_no: int
    def __init__(self, network: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ...) -> None: ...

class HitLocked(_message.Message):
    __slots__ = ("network", "claim_id", "table", "round_no", "seat", "player", "wager", "meter", "percent", "amount", "meter_before", "meter_after", "currency", "rule", "policy", "account")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    WAGER_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    PERCENT_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    METER_BEFORE_FIELD_NUMBER: _ClassVar[int]
    METER_AFTER_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    RULE_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    network: str
    claim_id: str
    table: str
    round_no: int
    seat: int
    player: str
    wager: str
    meter: str
    percent: int
    amount: int
    meter_before: int
    meter_after: int
    currency: str
    rule: str
    policy: str
    account: LockAccount
    def __init__(self, network: _Optional[str] = ..., claim_id: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., player: _Optional[str] = ..., wager: _Optional[str] = ..., meter: _Optional[str] = ..., percent: _Optional[int] = ..., amount: _Optional[int] = ..., meter_before: _Optional[int] = ..., meter_after: _Optional[int] = ..., currency: _Optional[str] = ..., rule: _Optional[str] = ..., policy: _Optional[str] = ..., account: _Optional[_Union[LockAccount, _Mapping]] = ...) -> None: ...

class LockAccount(_message.Message):
    __slots__ = ("base", "from_meter", "from_house", "from_earlier", "seed_from_reserve", "seed_from_house", "overflow_change", "overflow_after", "reserve_after", "together_with", "wagers_taken_at", "reason")
    BASE_FIELD_NUMBER: _ClassVar[int]
    FROM_METER_FIELD_NUMBER: _ClassVar[int]
    FROM_HOUSE_FIELD_NUMBER: _ClassVar[int]
    FROM_EARLIER_FIELD_NUMBER: _ClassVar[int]
    SEED_FROM_RESERVE_FIELD_NUMBER: _ClassVar[int]
    SEED_FROM_HOUSE_FIELD_NUMBER: _ClassVar[int]
    OVERFLOW_CHANGE_FIELD_NUMBER: _ClassVar[int]
    OVERFLOW_AFTER_FIELD_NUMBER: _ClassVar[int]
    RESERVE_AFTER_FIELD_NUMBER: _ClassVar[int]
    TOGETHER_WITH_FIELD_NUMBER: _ClassVar[int]
    WAGERS_TAKEN_AT_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    base: int
    from_meter: int
    from_house: int
    from_earlier: int
    seed_from_reserve: int
    seed_from_house: int
    overflow_change: int
    overflow_after: int
    reserve_after: int
    together_with: _containers.RepeatedScalarFieldContainer[str]
    wagers_taken_at: int
    reason: str
    def __init__(self, base: _Optional[int] = ..., from_meter: _Optional[int] = ..., from_house: _Optional[int] = ..., from_earlier: _Optional[int] = ..., seed_from_reserve: _Optional[int] = ..., seed_from_house: _Optional[int] = ..., overflow_change: _Optional[int] = ..., overflow_after: _Optional[int] = ..., reserve_after: _Optional[int] = ..., together_with: _Optional[_Iterable[str]] = ..., wagers_taken_at: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class RedividedShare(_message.Message):
    __slots__ = ("claim_id", "amount_before", "amount_after")
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_BEFORE_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_AFTER_FIELD_NUMBER: _ClassVar[int]
    claim_id: str
    amount_before: int
    amount_after: int
    def __init__(self, claim_id: _Optional[str] = ..., amount_before: _Optional[int] = ..., amount_after: _Optional[int] = ...) -> None: ...

class HitsRedivided(_message.Message):
    __slots__ = ("network", "meter", "claim_id", "pool", "shares", "currency")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    POOL_FIELD_NUMBER: _ClassVar[int]
    SHARES_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    network: str
    meter: str
    claim_id: str
    pool: int
    shares: _containers.RepeatedCompositeFieldContainer[RedividedShare]
    currency: str
    def __init__(self, network: _Optional[str] = ..., meter: _Optional[str] = ..., claim_id: _Optional[str] = ..., pool: _Optional[int] = ..., shares: _Optional[_Iterable[_Union[RedividedShare, _Mapping]]] = ..., currency: _Optional[str] = ...) -> None: ...

class HitVerified(_message.Message):
    __slots__ = ("network", "claim_id", "verified_by", "checks")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    VERIFIED_BY_FIELD_NUMBER: _ClassVar[int]
    CHECKS_FIELD_NUMBER: _ClassVar[int]
    network: str
    claim_id: str
    verified_by: str
    checks: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, network: _Optional[str] = ..., claim_id: _Optional[str] = ..., verified_by: _Optional[str] = ..., checks: _Optional[_Iterable[str]] = ...) -> None: ...

class HandPayApproved(_message.Message):
    __slots__ = ("network", "claim_id", "floorperson", "player", "table", "round_no", "seat", "meter", "amount", "currency", "document")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    FLOORPERSON_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    network: str
    claim_id: str
    floorperson: str
    player: str
    table: str
    round_no: int
    seat: int
    meter: str
    amount: int
    currency: str
    document: str
    def __init__(self, network: _Optional[str] = ..., claim_id: _Optional[str] = ..., floorperson: _Optional[str] = ..., player: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., meter: _Optional[str] = ..., amount: _Optional[int] = ..., currency: _Optional[str] = ..., document: _Optional[str] = ...) -> None: ...

class HitRefused(_message.Message):
    __slots__ = ("network", "claim_id", "refused_by", "reason", "document", "table", "round_no", "seat", "player", "meter", "amount", "currency", "to_meter", "to_house", "to_others", "seed_to_reserve", "seed_to_house", "overflow_change", "amount_after", "overflow_after", "reserve_after", "account")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    REFUSED_BY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DOCUMENT_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    SEAT_FIELD_NUMBER: _ClassVar[int]
    PLAYER_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    TO_METER_FIELD_NUMBER: _ClassVar[int]
    TO_HOUSE_FIELD_NUMBER: _ClassVar[int]
    TO_OTHERS_FIELD_NUMBER: _ClassVar[int]
    SEED_TO_RESERVE_FIELD_NUMBER: _ClassVar[int]
    SEED_TO_HOUSE_FIELD_NUMBER: _ClassVar[int]
    OVERFLOW_CHANGE_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_AFTER_FIELD_NUMBER: _ClassVar[int]
    OVERFLOW_AFTER_FIELD_NUMBER: _ClassVar[int]
    RESERVE_AFTER_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    network: str
    claim_id: str
    refused_by: str
    reason: str
    document: str
    table: str
    round_no: int
    seat: int
    player: str
    meter: str
    amount: int
    currency: str
    to_meter: int
    to_house: int
    to_others: int
    seed_to_reserve: int
    seed_to_house: int
    overflow_change: int
    amount_after: int
    overflow_after: int
    reserve_after: int
    account: str
    def __init__(self, network: _Optional[str] = ..., claim_id: _Optional[str] = ..., refused_by: _Optional[str] = ..., reason: _Optional[str] = ..., document: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., seat: _Optional[int] = ..., player: _Optional[str] = ..., meter: _Optional[str] = ..., amount: _Optional[int] = ..., currency: _Optional[str] = ..., to_meter: _Optional[int] = ..., to_house: _Optional[int] = ..., to_others: _Optional[int] = ..., seed_to_reserve: _Optional[int] = ..., seed_to_house: _Optional[int] = ..., overflow_change: _Optional[int] = ..., amount_after: _Optional[int] = ..., overflow_after: _Optional[int] = ..., reserve_after: _Optional[int] = ..., account: _Optional[str] = ...) -> None: ...

class CardsReleased(_message.Message):
    __slots__ = ("network", "claim_id", "released_by")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    CLAIM_ID_FIELD_NUMBER: _ClassVar[int]
    RELEASED_BY_FIELD_NUMBER: _ClassVar[int]
    network: str
    claim_id: str
    released_by: str
    def __init__(self, network: _Optional[str] = ..., claim_id: _Optional[str] = ..., released_by: _Optional[str] = ...) -> None: ...

class ContributionQuestioned(_message.Message):
    __slots__ = ("network", "table", "round_no", "stakes", "currency", "meter", "would_add", "allowed")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    STAKES_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    WOULD_ADD_FIELD_NUMBER: _ClassVar[int]
    ALLOWED_FIELD_NUMBER: _ClassVar[int]
    network: str
    table: str
    round_no: int
    stakes: int
    currency: str
    meter: str
    would_add: int
    allowed: int
    def __init__(self, network: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., stakes: _Optional[int] = ..., currency: _Optional[str] = ..., meter: _Optional[str] = ..., would_add: _Optional[int] = ..., allowed: _Optional[int] = ...) -> None: ...

class ContributionAnswered(_message.Message):
    __slots__ = ("network", "table", "round_no", "admitted", "answered_by", "reason")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    TABLE_FIELD_NUMBER: _ClassVar[int]
    ROUND_NO_FIELD_NUMBER: _ClassVar[int]
    ADMITTED_FIELD_NUMBER: _ClassVar[int]
    ANSWERED_BY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    network: str
    table: str
    round_no: int
    admitted: bool
    answered_by: str
    reason: str
    def __init__(self, network: _Optional[str] = ..., table: _Optional[str] = ..., round_no: _Optional[int] = ..., admitted: _Optional[bool] = ..., answered_by: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class MeterTerms(_message.Message):
    __slots__ = ("meter", "seed", "rate", "reserve_rate", "limit", "contribution_max")
    METER_FIELD_NUMBER: _ClassVar[int]
    SEED_FIELD_NUMBER: _ClassVar[int]
    RATE_FIELD_NUMBER: _ClassVar[int]
    RESERVE_RATE_FIELD_NUMBER: _ClassVar[int]
    LIMIT_FIELD_NUMBER: _ClassVar[int]
    CONTRIBUTION_MAX_FIELD_NUMBER: _ClassVar[int]
    meter: str
    seed: int
    rate: Rate
    reserve_rate: Rate
    limit: int
    contribution_max: int
    def __init__(self, meter: _Optional[str] = ..., seed: _Optional[int] = ..., rate: _Optional[_Union[Rate, _Mapping]] = ..., reserve_rate: _Optional[_Union[Rate, _Mapping]] = ..., limit: _Optional[int] = ..., contribution_max: _Optional[int] = ...) -> None: ...

class Correction(_message.Message):
    __slots__ = ("meter", "part", "change")
    METER_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    meter: str
    part: str
    change: int
    def __init__(self, meter: _Optional[str] = ..., part: _Optional[str] = ..., change: _Optional[int] = ...) -> None: ...

class TransferOrder(_message.Message):
    __slots__ = ("meter", "to_network", "to_meter", "amount", "reserve")
    METER_FIELD_NUMBER: _ClassVar[int]
    TO_NETWORK_FIELD_NUMBER: _ClassVar[int]
    TO_METER_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    RESERVE_FIELD_NUMBER: _ClassVar[int]
    meter: str
    to_network: str
    to_meter: str
    amount: int
    reserve: int
    def __init__(self, meter: _Optional[str] = ..., to_network: _Optional[str] = ..., to_meter: _Optional[str] = ..., amount: _Optional[int] = ..., reserve: _Optional[int] = ...) -> None: ...

class ChangeProposed(_message.Message):
    __slots__ = ("network", "proposal_id", "proposed_by", "reason", "terms", "policy", "correction", "transfer", "retire")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    PROPOSAL_ID_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_BY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    TERMS_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    CORRECTION_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_FIELD_NUMBER: _ClassVar[int]
    RETIRE_FIELD_NUMBER: _ClassVar[int]
    network: str
    proposal_id: str
    proposed_by: str
    reason: str
    terms: MeterTerms
    policy: str
    correction: Correction
    transfer: TransferOrder
    retire: str
    def __init__(self, network: _Optional[str] = ..., proposal_id: _Optional[str] = ..., proposed_by: _Optional[str] = ..., reason: _Optional[str] = ..., terms: _Optional[_Union[MeterTerms, _Mapping]] = ..., policy: _Optional[str] = ..., correction: _Optional[_Union[Correction, _Mapping]] = ..., transfer: _Optional[_Union[TransferOrder, _Mapping]] = ..., retire: _Optional[str] = ...) -> None: ...

class ChangeRejected(_message.Message):
    __slots__ = ("network", "proposal_id", "rejected_by", "reason")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    PROPOSAL_ID_FIELD_NUMBER: _ClassVar[int]
    REJECTED_BY_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    network: str
    proposal_id: str
    rejected_by: str
    reason: str
    def __init__(self, network: _Optional[str] = ..., proposal_id: _Optional[str] = ..., rejected_by: _Optional[str] = ..., reason: _Optional[str] = ...) -> None: ...

class TermsChanged(_message.Message):
    __slots__ = ("network", "proposal_id", "proposed_by", "approved_by", "currency", "terms", "overflow_change", "amount_after", "overflow_after", "carry_numerator", "carry_denominator", "reserve_carry_numerator", "reserve_carry_denominator")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    PROPOSAL_ID_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_BY_FIELD_NUMBER: _ClassVar[int]
    APPROVED_BY_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    TERMS_FIELD_NUMBER: _ClassVar[int]
    OVERFLOW_CHANGE_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_AFTER_FIELD_NUMBER: _ClassVar[int]
    OVERFLOW_AFTER_FIELD_NUMBER: _ClassVar[int]
    CARRY_NUMERATOR_FIELD_NUMBER: _ClassVar[int]
    CARRY_DENOMINATOR_FIELD_NUMBER: _ClassVar[int]
    RESERVE_CARRY_NUMERATOR_FIELD_NUMBER: _ClassVar[int]
    RESERVE_CARRY_DENOMINATOR_FIELD_NUMBER: _ClassVar[int]
    network: str
    proposal_id: str
    proposed_by: str
    approved_by: str
    currency: str
    terms: MeterTerms
    overflow_change: int
    amount_after: int
    overflow_after: int
    carry_numerator: int
    carry_denominator: int
    reserve_carry_numerator: int
    reserve_carry_denominator: int
    def __init__(self, network: _Optional[str] = ..., proposal_id: _Optional[str] = ..., proposed_by: _Optional[str] = ..., approved_by: _Optional[str] = ..., currency: _Optional[str] = ..., terms: _Optional[_Union[MeterTerms, _Mapping]] = ..., overflow_change: _Optional[int] = ..., amount_after: _Optional[int] = ..., overflow_after: _Optional[int] = ..., carry_numerator: _Optional[int] = ..., carry_denominator: _Optional[int] = ..., reserve_carry_numerator: _Optional[int] = ..., reserve_carry_denominator: _Optional[int] = ...) -> None: ...

class PolicyChanged(_message.Message):
    __slots__ = ("network", "proposal_id", "proposed_by", "approved_by", "policy")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    PROPOSAL_ID_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_BY_FIELD_NUMBER: _ClassVar[int]
    APPROVED_BY_FIELD_NUMBER: _ClassVar[int]
    POLICY_FIELD_NUMBER: _ClassVar[int]
    network: str
    proposal_id: str
    proposed_by: str
    approved_by: str
    policy: str
    def __init__(self, network: _Optional[str] = ..., proposal_id: _Optional[str] = ..., proposed_by: _Optional[str] = ..., approved_by: _Optional[str] = ..., policy: _Optional[str] = ...) -> None: ...

class MeterCorrected(_message.Message):
    __slots__ = ("network", "proposal_id", "proposed_by", "approved_by", "currency", "meter", "part", "change", "overflow_change", "amount_after", "overflow_after", "reserve_after", "reason")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    PROPOSAL_ID_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_BY_FIELD_NUMBER: _ClassVar[int]
    APPROVED_BY_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    PART_FIELD_NUMBER: _ClassVar[int]
    CHANGE_FIELD_NUMBER: _ClassVar[int]
    OVERFLOW_CHANGE_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_AFTER_FIELD_NUMBER: _ClassVar[int]
    OVERFLOW_AFTER_FIELD_NUMBER: _ClassVar[int]
    RESERVE_AFTER_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    network: str
    proposal_id: str
    proposed_by: str
    approved_by: str
    currency: str
    meter: str
    part: str
    change: int
    overflow_change: int
    amount_after: int
    overflow_after: int
    reserve_after: int
    reason: str
    def __init__(self, network: _Optional[str] = ..., proposal_id: _Optional[str] = ..., proposed_by: _Optional[str] = ..., approved_by: _Optional[str] = ..., currency: _Optional[str] = ..., meter: _Optional[str] = ..., part: _Optional[str] = ..., change: _Optional[int] = ..., overflow_change: _Optional[int] = ..., amount_after: _Optional[int] = ..., overflow_after: _Optional[int] = ..., reserve_after: _Optional[int] = ..., reason: _Optional[str] = ...) -> None: ...

class TransferSent(_message.Message):
    __slots__ = ("network", "transfer_id", "proposed_by", "approved_by", "currency", "meter", "to_network", "to_meter", "amount", "reserve", "overflow_change", "amount_after", "overflow_after", "reserve_after")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_ID_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_BY_FIELD_NUMBER: _ClassVar[int]
    APPROVED_BY_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    TO_NETWORK_FIELD_NUMBER: _ClassVar[int]
    TO_METER_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    RESERVE_FIELD_NUMBER: _ClassVar[int]
    OVERFLOW_CHANGE_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_AFTER_FIELD_NUMBER: _ClassVar[int]
    OVERFLOW_AFTER_FIELD_NUMBER: _ClassVar[int]
    RESERVE_AFTER_FIELD_NUMBER: _ClassVar[int]
    network: str
    transfer_id: str
    proposed_by: str
    approved_by: str
    currency: str
    meter: str
    to_network: str
    to_meter: str
    amount: int
    reserve: int
    overflow_change: int
    amount_after: int
    overflow_after: int
    reserve_after: int
    def __init__(self, network: _Optional[str] = ..., transfer_id: _Optional[str] = ..., proposed_by: _Optional[str] = ..., approved_by: _Optional[str] = ..., currency: _Optional[str] = ..., meter: _Optional[str] = ..., to_network: _Optional[str] = ..., to_meter: _Optional[str] = ..., amount: _Optional[int] = ..., reserve: _Optional[int] = ..., overflow_change: _Optional[int] = ..., amount_after: _Optional[int] = ..., overflow_after: _Optional[int] = ..., reserve_after: _Optional[int] = ...) -> None: ...

class TransferReceived(_message.Message):
    __slots__ = ("network", "transfer_id", "currency", "meter", "from_network", "from_meter", "amount", "reserve", "overflow_change", "amount_after", "overflow_after", "reserve_after")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    TRANSFER_ID_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    FROM_NETWORK_FIELD_NUMBER: _ClassVar[int]
    FROM_METER_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    RESERVE_FIELD_NUMBER: _ClassVar[int]
    OVERFLOW_CHANGE_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_AFTER_FIELD_NUMBER: _ClassVar[int]
    OVERFLOW_AFTER_FIELD_NUMBER: _ClassVar[int]
    RESERVE_AFTER_FIELD_NUMBER: _ClassVar[int]
    network: str
    transfer_id: str
    currency: str
    meter: str
    from_network: str
    from_meter: str
    amount: int
    reserve: int
    overflow_change: int
    amount_after: int
    overflow_after: int
    reserve_after: int
    def __init__(self, network: _Optional[str] = ..., transfer_id: _Optional[str] = ..., currency: _Optional[str] = ..., meter: _Optional[str] = ..., from_network: _Optional[str] = ..., from_meter: _Optional[str] = ..., amount: _Optional[int] = ..., reserve: _Optional[int] = ..., overflow_change: _Optional[int] = ..., amount_after: _Optional[int] = ..., overflow_after: _Optional[int] = ..., reserve_after: _Optional[int] = ...) -> None: ...

class MeterRetired(_message.Message):
    __slots__ = ("network", "proposal_id", "proposed_by", "approved_by", "meter")
    NETWORK_FIELD_NUMBER: _ClassVar[int]
    PROPOSAL_ID_FIELD_NUMBER: _ClassVar[int]
    PROPOSED_BY_FIELD_NUMBER: _ClassVar[int]
    APPROVED_BY_FIELD_NUMBER: _ClassVar[int]
    METER_FIELD_NUMBER: _ClassVar[int]
    network: str
    proposal_id: str
    proposed_by: str
    approved_by: str
    meter: str
    def __init__(self, network: _Optional[str] = ..., proposal_id: _Optional[str] = ..., proposed_by: _Optional[str] = ..., approved_by: _Optional[str] = ..., meter: _Optional[str] = ...) -> None: ...

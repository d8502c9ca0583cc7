"""What a network's events move: between tables, meters with their reserve and overflow, the house, and hand-pays. Pure.

The ledger and the meter agree before every change, and each event of the network says enough to check it; otherwise
money went astray, and the network's key waits. A share that is locked stands on an account of its own until a
floorperson has decided: what several hits share is divided anew by transfers between theirs.
"""

from collections.abc import Iterator, Mapping
from typing import Final, assert_never

from pitstream.events import Event, ids
from pitstream.events.corrections import ContributionCorrected
from pitstream.events.progressives import (
    ContributionsReturned,
    HandPayApproved,
    HitLocked,
    HitRefused,
    HitsRedivided,
    MeterContribution,
    MeterCorrected,
    NetworkOpened,
    TermsChanged,
    TransferReceived,
    TransferSent,
    WagersContributed,
)
from pitstream.events.wallet import (
    ContributionPosted,
    HandPayPosted,
    HitReserved,
    MeterMoved,
    SeedPosted,
    Transfer,
)
from pitstream.services.wallet.books import Books
from pitstream.services.wallet.posting import UnpostableError, opened

Fed = WagersContributed | ContributionsReturned | ContributionCorrected
Decided = HitRefused | TermsChanged | MeterCorrected | TransferSent | TransferReceived
"""Events that say where the meter, its overflow and its reserve stand afterwards."""
MeterFact = NetworkOpened | Fed | HitLocked | HitsRedivided | HandPayApproved | Decided


def accounts_of(fact: MeterFact) -> set[str]:
    """Every account that ``fact`` may read or move."""
    network, currency = fact.network, fact.currency
    house = ids.house_sub_account(network, currency)
    match fact:
        case NetworkOpened():
            return {ids.meter_account(network, opening.meter, currency) for opening in fact.meters} | {house}
        case WagersContributed() | ContributionsReturned() | ContributionCorrected():
            fed = set().union(*(_parts_of(network, part.meter, currency) for part in fact.contributions))
            return fed | {ids.table_account(fact.table, currency)}
        case HitLocked() | HitRefused():
            return {*_parts_of(network, fact.meter, currency), house, *_payables(network, fact.claim_id, currency)}
        case HitsRedivided():
            claims = {share.claim_id for share in fact.shares} | {fact.claim_id}
            shares = {ids.hit_account(network, claim, currency) for claim in claims}
            return shares | {ids.meter_account(network, fact.meter, currency)}
        case HandPayApproved():
            return {*_payables(network, fact.claim_id, currency), ids.player_account(fact.player, currency)}
        case TermsChanged():
            return set(_parts_of(network, fact.terms.meter, currency))
        case MeterCorrected():
            return {*_parts_of(network, fact.meter, currency), house}
        case TransferSent():
            return {*_parts_of(network, fact.meter, currency), ids.transit_account(network, currency)}
        case TransferReceived():
            return {*_parts_of(network, fact.meter, currency), ids.transit_account(fact.from_network, currency)}
        case _:
            assert_never(fact)


def answers(books: Books, fact: MeterFact) -> Iterator[Event]:
    """The wallet's events on hearing ``fact``, each to be applied before the next. Raises UnpostableError."""
    match fact:
        case NetworkOpened():
            return _open_meters(books, fact)
        case WagersContributed() | ContributionsReturned() | ContributionCorrected():
            return _contribute(books, fact)
        case HitLocked():
            return _reserve(books, fact)
        case HitsRedivided():
            return _redivide(books, fact)
        case HandPayApproved():
            return _pay_by_hand(books, fact)
        case HitRefused():
            return _decided(books, fact, fact.meter, _refused(books, fact))
        case TermsChanged():
            return _decided(books, fact, fact.terms.meter, ())
        case MeterCorrected():
            return _decided(books, fact, fact.meter, _corrected(fact))
        case TransferSent():
            return _decided(books, fact, fact.meter, _sent(fact))
        case TransferReceived():
            return _decided(books, fact, fact.meter, _received(fact))
        case _:
            assert_never(fact)


def _parts_of(network: str, meter: str, currency: str) -> tuple[str, str, str]:
    """The meter as it is shown, its overflow and its reserve."""
    return (
        ids.meter_account(network, meter, currency),
        ids.overflow_account(network, meter, currency),
        ids.reserve_account(network, meter, currency),
    )


def _payables(network: str, claim_id: str, currency: str) -> tuple[str, str]:
    """Where a locked share stands; those from before each had an account of its own stand together on the second."""
    return ids.hit_account(network, claim_id, currency), ids.handpay_account(network, currency)


def _moves(transfer_id: str, gives: str, receives: str, amount: int, code: str) -> tuple[Transfer, ...]:
    """One transfer, the other way for an amount below 0; none for 0."""
    if amount == 0:
        return ()
    debit, credit = (gives, receives) if amount > 0 else (receives, gives)
    return (Transfer(transfer_id=transfer_id, debit=debit, credit=credit, amount=abs(amount), code=code),)


def _sides_opened(books: Books, transfers: tuple[Transfer, ...]) -> Iterator[Event]:
    for transfer in transfers:
        yield from opened(books, transfer.debit)
        yield from opened(books, transfer.credit)


def _stood_at(books: Books, account: str, amount: int, where: str) -> None:
    """``account`` stands at ``amount`` before the change; one that was never opened stands at 0, unless a meter."""
    known = books.accounts.get(account)
    if known is None and account.startswith("meter/"):
        raise UnpostableError("unknown_account", f"{where}: {account} was never opened")
    balance = known.balance if known else 0
    if balance != amount:
        raise UnpostableError("meter_differs", f"{where}: {account} stood at {amount}, in the ledger at {balance}")


def _change_of(account: str, transfers: tuple[Transfer, ...]) -> int:
    return sum(t.amount * ((t.credit == account) - (t.debit == account)) for t in transfers)


def _open_meters(books: Books, fact: NetworkOpened) -> Iterator[Event]:
    house = ids.house_sub_account(fact.network, fact.currency)
    for opening in fact.meters:
        meter = ids.meter_account(fact.network, opening.meter, fact.currency)
        yield from opened(books, meter)
        for seed in _moves(ids.transfer_id(fact.network, opening.meter, "seed"), house, meter, opening.amount, "seed"):
            yield from opened(books, house)
            yield SeedPosted(account=meter, network=fact.network, meter=opening.meter, transfer=seed)


def _contribute(books: Books, fact: Fed) -> Iterator[Event]:
    for part in fact.contributions:
        meter, overflow, reserve = _parts_of(fact.network, part.meter, fact.currency)
        where = f"round {fact.table}/{fact.round_no}"
        _stood_at(books, meter, part.amount_after - part.posted, where)
        _stood_at(books, overflow, part.overflow_after - part.overflow_posted, where)
        _stood_at(books, reserve, part.reserve_after - part.reserve_posted, where)
        transfers = contribution_transfers(fact, part)
        if transfers:
            yield from _sides_opened(books, transfers)
            yield ContributionPosted(
                account=meter,
                network=fact.network,
                meter=part.meter,
                table=fact.table,
                round_no=fact.round_no,
                transfer=transfers[0],
                further=transfers[1:],
            )


_CODES: Final[Mapping[type[Event], str]] = {
    WagersContributed: "contribution",
    ContributionsReturned: "contribution_returned",
    ContributionCorrected: "contribution_corrected",
}


def contribution_transfers(fact: Fed, part: MeterContribution) -> tuple[Transfer, ...]:
    """A round's contribution from the table's inventory to a meter, its overflow and its reserve, or back."""
    inventory = ids.table_account(fact.table, fact.currency)
    meter, overflow, reserve = _parts_of(fact.network, part.meter, fact.currency)
    code = _CODES[type(fact)]
    what: tuple[str | int, ...] = (fact.network, part.meter, fact.table, fact.round_no, code)
    if isinstance(fact, ContributionCorrected):
        what = (*what, fact.correction)
    return (
        *_moves(ids.transfer_id(*what), inventory, meter, part.posted, code),
        *_moves(ids.transfer_id(*what, "overflow"), inventory, overflow, part.overflow_posted, code),
        *_moves(ids.transfer_id(*what, "reserve"), inventory, reserve, part.reserve_posted, code),
    )


def _reserve(books: Books, hit: HitLocked) -> Iterator[Event]:
    meter, overflow, reserve = _parts_of(hit.network, hit.meter, hit.currency)
    where = f"claim {hit.claim_id}"
    transfers = hit_transfers(hit)
    _stood_at(books, meter, hit.meter_before, where)
    if hit.account is not None:
        _stood_at(books, overflow, hit.account.overflow_after - _change_of(overflow, transfers), where)
        _stood_at(books, reserve, hit.account.reserve_after - _change_of(reserve, transfers), where)
    yield from opened(books, ids.hit_account(hit.network, hit.claim_id, hit.currency))
    yield from _sides_opened(books, transfers)
    yield HitReserved(account=meter, network=hit.network, meter=hit.meter, claim_id=hit.claim_id, transfers=transfers)


def hit_transfers(hit: HitLocked) -> tuple[Transfer, ...]:
    """A locked share leaves its meter, and the house where the policy says so, for its own payable; the seed comes from
    the reserve and the house, and what was beyond the limit moves up. All in an order that anybody can follow."""
    meter, overflow, reserve = _parts_of(hit.network, hit.meter, hit.currency)
    payable = ids.hit_account(hit.network, hit.claim_id, hit.currency)
    house = ids.house_sub_account(hit.network, hit.currency)
    if hit.account is None:
        # Before hits told where their money came from, all of it was the meter's, and the seed the house's.
        from_meter, from_house, from_earlier, from_reserve, overflow_change = hit.amount, 0, 0, 0, 0
        seed = hit.meter_after - (hit.meter_before - hit.amount)
    else:
        told = hit.account
        from_meter, from_house, from_earlier = told.from_meter, told.from_house, told.from_earlier
        from_reserve, seed, overflow_change = told.seed_from_reserve, told.seed_from_house, told.overflow_change
    # A meter below 0 has nothing to lock: its share was locked before a round that had fed it was declared void.
    if (
        from_meter > max(0, hit.meter_before)
        or hit.amount != from_meter + from_house + from_earlier
        or hit.meter_after != hit.meter_before - from_meter + from_reserve + seed - overflow_change
        or seed < 0
        or (seed + from_reserve > 0 and hit.percent < 100 and hit.policy != "share")
    ):
        raise UnpostableError(
            "hit_contradicts_itself",
            f"claim {hit.claim_id} on meter {hit.meter} of {hit.network}: was {hit.meter_before} before, {hit.amount} "
            f"({hit.percent}%) locked, {from_meter} of it from the meter, {seed + from_reserve} seeded, "
            f"{overflow_change} overflowed, {hit.meter_after} after; allowed: what adds up, a seed when all is won",
        )
    return (
        *_moves(reserve_id(hit.claim_id), meter, payable, from_meter, "hit"),
        *_moves(ids.transfer_id(hit.claim_id, "hit", "house"), house, payable, from_house, "hit"),
        *_moves(ids.transfer_id(hit.claim_id, "seed", "reserve"), reserve, meter, from_reserve, "seed"),
        *_moves(ids.transfer_id(hit.claim_id, "seed"), house, meter, seed, "seed"),
        *_moves(ids.transfer_id(hit.claim_id, "overflow"), meter, overflow, overflow_change, "overflow"),
    )


def reserve_id(claim_id: str) -> str:
    """Id of the transfer that took a locked share from its meter."""
    return ids.transfer_id(claim_id, "hit")


def _redivide(books: Books, fact: HitsRedivided) -> Iterator[Event]:
    """Each share to what it stands at now; the hit that left gives all it has. Nothing comes in or goes out."""
    after = {share.claim_id: share.amount_after for share in fact.shares}
    joined = fact.claim_id in after
    after.setdefault(fact.claim_id, 0)
    changes = {}
    for claim, amount in after.items():
        account = books.accounts.get(ids.hit_account(fact.network, claim, fact.currency))
        if account is None:
            raise UnpostableError("unknown_account", f"claim {claim} of {fact.network}: has no share to divide")
        changes[claim] = amount - account.balance
    if sum(changes.values()) or sum(after.values()) != fact.pool:
        raise UnpostableError(
            "hit_contradicts_itself",
            f"claims that share with {fact.claim_id} of {fact.network}: were {after}, a pool of {fact.pool}; in the "
            f"ledger {sum(after.values()) - sum(changes.values())}; allowed: what is there, divided",
        )
    transfers = tuple(
        Transfer(
            transfer_id=ids.transfer_id(fact.claim_id, "joined" if joined else "left", giver, receiver),
            debit=ids.hit_account(fact.network, giver, fact.currency),
            credit=ids.hit_account(fact.network, receiver, fact.currency),
            amount=amount,
            code="redivided",
        )
        for giver, receiver, amount in _matched(changes)
    )
    if transfers:
        meter = ids.meter_account(fact.network, fact.meter, fact.currency)
        yield MeterMoved(
            account=meter, network=fact.network, meter=fact.meter, reason="hits_redivided", transfers=transfers
        )


def _matched(changes: dict[str, int]) -> Iterator[tuple[str, str, int]]:
    """Who gives how much to whom, so that every change comes about: givers and receivers each in their order.

    >>> list(_matched({"a": -5, "b": 2, "c": -1, "d": 4}))
    [('a', 'b', 2), ('a', 'd', 3), ('c', 'd', 1)]
    """
    wanting = {claim: change for claim, change in changes.items() if change > 0}
    for giver, change in changes.items():
        to_give = -change
        for receiver, wants in wanting.items():
            amount = min(to_give, wants)
            if amount > 0:
                yield giver, receiver, amount
                to_give -= amount
                wanting[receiver] -= amount


def _share_of(books: Books, network: str, claim_id: str, currency: str, amount: int) -> str:
    """The account on which a locked share stands, which is all of ``amount`` and no more."""
    own, together = _payables(network, claim_id, currency)
    known = books.accounts.get(own)
    reserved = books.reserved.get(claim_id, 0) if known is None else known.balance
    if reserved != amount:
        raise UnpostableError(
            "hand_pay_not_reserved",
            f"claim {claim_id} of {network}: was {amount}; reserved: {reserved} minor units",
        )
    return together if known is None else own


def _pay_by_hand(books: Books, approved: HandPayApproved) -> Iterator[Event]:
    player = ids.player_account(approved.player, approved.currency)
    payable = _share_of(books, approved.network, approved.claim_id, approved.currency, approved.amount)
    if player not in books.accounts:
        raise UnpostableError(
            "unknown_account", f"claim {approved.claim_id} of {approved.network}: {player} was never opened"
        )
    paid_id = ids.transfer_id(approved.claim_id, "hand_pay")
    # None for a share that was rounded down to 0.
    for transfer in _moves(paid_id, payable, player, approved.amount, "hand_pay"):
        yield HandPayPosted(
            account=player,
            network=approved.network,
            claim_id=approved.claim_id,
            table=approved.table,
            round_no=approved.round_no,
            seat=approved.seat,
            transfer=transfer,
            balance_after=books.accounts[player].balance + transfer.amount,
        )


def _refused(books: Books, fact: HitRefused) -> tuple[Transfer, ...]:
    meter, _, reserve = _parts_of(fact.network, fact.meter, fact.currency)
    house = ids.house_sub_account(fact.network, fact.currency)
    payable = _share_of(books, fact.network, fact.claim_id, fact.currency, fact.amount)
    what = (fact.claim_id, "refused")
    return (
        *_moves(ids.transfer_id(*what, "meter"), payable, meter, fact.to_meter, "hit_refused"),
        *_moves(ids.transfer_id(*what, "house"), payable, house, fact.to_house, "hit_refused"),
        *_moves(ids.transfer_id(*what, "seed", "reserve"), meter, reserve, fact.seed_to_reserve, "seed_returned"),
        *_moves(ids.transfer_id(*what, "seed"), meter, house, fact.seed_to_house, "seed_returned"),
    )


def _corrected(fact: MeterCorrected) -> tuple[Transfer, ...]:
    meter, _, reserve = _parts_of(fact.network, fact.meter, fact.currency)
    house = ids.house_sub_account(fact.network, fact.currency)
    part = meter if fact.part == "meter" else reserve
    return _moves(ids.transfer_id(fact.network, fact.proposal_id, "correction"), house, part, fact.change, "correction")


def _sent(fact: TransferSent) -> tuple[Transfer, ...]:
    meter, _, reserve = _parts_of(fact.network, fact.meter, fact.currency)
    transit = ids.transit_account(fact.network, fact.currency)
    what = (fact.network, fact.transfer_id, "sent")
    return (
        *_moves(ids.transfer_id(*what), meter, transit, fact.amount, "network_transfer"),
        *_moves(ids.transfer_id(*what, "reserve"), reserve, transit, fact.reserve, "network_transfer"),
    )


def _received(fact: TransferReceived) -> tuple[Transfer, ...]:
    meter, _, reserve = _parts_of(fact.network, fact.meter, fact.currency)
    transit = ids.transit_account(fact.from_network, fact.currency)
    what = (fact.network, fact.transfer_id, "received")
    return (
        *_moves(ids.transfer_id(*what), transit, meter, fact.amount, "network_transfer"),
        *_moves(ids.transfer_id(*what, "reserve"), transit, reserve, fact.reserve, "network_transfer"),
    )


_REASONS = {
    HitRefused: "hit_refused",
    TermsChanged: "terms_changed",
    MeterCorrected: "meter_corrected",
    TransferSent: "transfer_sent",
    TransferReceived: "transfer_received",
}


def _decided(books: Books, fact: Decided, meter_id: str, transfers: tuple[Transfer, ...]) -> Iterator[Event]:
    """What was decided, then what passes the limit, or comes back from beyond it."""
    meter, overflow, reserve = _parts_of(fact.network, meter_id, fact.currency)
    decided_by = fact.claim_id if isinstance(fact, HitRefused) else _decision_id(fact)
    reason = _REASONS[type(fact)]
    overflow_id = ids.transfer_id(fact.network, decided_by, reason, "overflow")
    transfers += _moves(overflow_id, meter, overflow, fact.overflow_change, "overflow")
    where = f"{reason} {decided_by} of {fact.network}"
    _stood_at(books, meter, fact.amount_after - _change_of(meter, transfers), where)
    _stood_at(books, overflow, fact.overflow_after - _change_of(overflow, transfers), where)
    if not isinstance(fact, TermsChanged):
        _stood_at(books, reserve, fact.reserve_after - _change_of(reserve, transfers), where)
    if transfers:
        yield from _sides_opened(books, transfers)
        yield MeterMoved(account=meter, network=fact.network, meter=meter_id, reason=reason, transfers=transfers)


def _decision_id(fact: TermsChanged | MeterCorrected | TransferSent | TransferReceived) -> str:
    return fact.transfer_id if isinstance(fact, TransferSent | TransferReceived) else fact.proposal_id

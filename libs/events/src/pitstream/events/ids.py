"""Names that several services must derive alike: streams, accounts, and ids made from what they stand for."""

import uuid

_CLAIMS = uuid.uuid5(uuid.NAMESPACE_DNS, "claims.pitstream")
_HOLDS = uuid.uuid5(uuid.NAMESPACE_DNS, "holds.pitstream")
_TRANSFERS = uuid.uuid5(uuid.NAMESPACE_DNS, "transfers.pitstream")


def claim_id(table: str, round_no: int, seat: int, wager: str) -> str:
    """Id of the share that a settlement line claims: the same line never claims twice."""
    return str(uuid.uuid5(_CLAIMS, f"{table}/{round_no}/{seat}/{wager}"))


def hold_id(table: str, round_no: int, seat: int, bundle: int) -> str:
    """Id of the money held for one bundle of a seat's wagers."""
    return str(uuid.uuid5(_HOLDS, f"{table}/{round_no}/{seat}/{bundle}"))


def transfer_id(*what: str | int) -> str:
    """Id of the transfer that moves money for ``what``; the same reason never moves money twice."""
    return str(uuid.uuid5(_TRANSFERS, "/".join(str(part) for part in what)))


def table_stream(table: str) -> str:
    return f"table/{table}"


def round_stream(table: str, round_no: int) -> str:
    return f"round/{table}/{round_no}"


def settlement_stream(table: str, round_no: int) -> str:
    return f"settlement/{table}/{round_no}"


def progressive_stream(network: str) -> str:
    return f"progressive/{network}"


def account_stream(account: str) -> str:
    return f"account/{account}"


def player_account(player: str, currency: str) -> str:
    return f"player/{player}/{currency}"


def table_account(table: str, currency: str) -> str:
    """The table's inventory."""
    return f"table/{table}/{currency}"


def meter_account(network: str, meter: str, currency: str) -> str:
    """What a network owes to the winner of a meter: always the meter's whole minor units."""
    return f"meter/{network}/{meter}/{currency}"


def handpay_account(network: str, currency: str) -> str:
    """Shares that are locked and wait for a floorperson."""
    return f"handpay/{network}/{currency}"


def house_account(currency: str) -> str:
    return f"house/{currency}"

"""Names that several services must derive alike: streams, accounts, and ids made from what they stand for."""

import uuid
import zlib
from functools import lru_cache
from hashlib import sha1 as _sha1

_CLAIMS = uuid.uuid5(uuid.NAMESPACE_DNS, "claims.pitstream").bytes
_PRIZES = uuid.uuid5(uuid.NAMESPACE_DNS, "prizes.pitstream").bytes
_HOLDS = uuid.uuid5(uuid.NAMESPACE_DNS, "holds.pitstream").bytes
_TRANSFERS = uuid.uuid5(uuid.NAMESPACE_DNS, "transfers.pitstream").bytes
_VARIANTS = {digit: f"{int(digit, 16) & 0x3 | 0x8:x}" for digit in "0123456789abcdef"}


def uuid5(namespace: bytes, name: str) -> str:
    """The text of ``uuid.uuid5``, in a fifth of the time: a ledger makes several of them for every transfer.

    >>> uuid5(uuid.NAMESPACE_DNS.bytes, "pitstream") == str(uuid.uuid5(uuid.NAMESPACE_DNS, "pitstream"))
    True
    """
    digest = _sha1(namespace + name.encode(), usedforsecurity=False).hexdigest()
    return f"{digest[:8]}-{digest[8:12]}-5{digest[13:16]}-{_VARIANTS[digest[16]]}{digest[17:20]}-{digest[20:32]}"


def claim_id(table: str, round_no: int, seat: int, wager: str) -> str:
    """Id of the share that a settlement line claims: the same line never claims twice."""
    return uuid5(_CLAIMS, f"{table}/{round_no}/{seat}/{wager}")


def prize_id(table: str, round_no: int, seat: int, prize: str) -> str:
    """Id of a prize that waits for the validation of a seat's hand: a wager's own (``five_card``), or its ``envy``."""
    return uuid5(_PRIZES, f"{table}/{round_no}/{seat}/{prize}")


@lru_cache(maxsize=4096)  # asked for when the books are loaded, and again when the bundle is decided on
def hold_id(table: str, round_no: int, seat: int, bundle: int) -> str:
    """Id of the money held for one bundle of a seat's wagers."""
    return uuid5(_HOLDS, f"{table}/{round_no}/{seat}/{bundle}")


def transfer_id(*what: str | int) -> str:
    """Id of the transfer that moves money for ``what``; the same reason never moves money twice."""
    return uuid5(_TRANSFERS, "/".join(map(str, what)))


def key_of(stream: str) -> str | None:
    """The key that all events of a stream have; None where the stream's name does not say it.

    >>> key_of("round/uth-01/17"), key_of("account/player/p001/USD"), key_of("remote/9f86d081")
    ('uth-01', 'player/p001/USD', None)
    """
    kind, _, rest = stream.partition("/")
    match kind:
        case "account" | "progressive":
            return rest
        case "operator":
            return stream
        case "table" | "round" | "dispute" | "correction" | "settlement" | "prize":
            return rest.partition("/")[0]
    return None


def table_stream(table: str) -> str:
    return f"table/{table}"


def round_stream(table: str, round_no: int) -> str:
    return f"round/{table}/{round_no}"


def dispute_stream(table: str, round_no: int, number: int) -> str:
    return f"dispute/{table}/{round_no}/{number}"


def correction_stream(table: str, round_no: int) -> str:
    return f"correction/{table}/{round_no}"


def settlement_stream(table: str, round_no: int) -> str:
    return f"settlement/{table}/{round_no}"


def prize_stream(table: str, round_no: int) -> str:
    return f"prize/{table}/{round_no}"


def progressive_stream(network: str) -> str:
    return f"progressive/{network}"


def account_stream(account: str) -> str:
    return f"account/{account}"


def player_account(player: str, currency: str) -> str:
    return f"player/{player}/{currency}"


def table_account(table: str, currency: str) -> str:
    """The table's inventory."""
    return f"table/{table}/{currency}"


def pot_account(table: str, round_no: int, currency: str) -> str:
    """What the players of a round put into its Pot: their own money, never the table's."""
    return f"pot/{table}/{round_no}/{currency}"


def meter_account(network: str, meter: str, currency: str) -> str:
    """What a network owes to the winner of a meter: always the meter's whole minor units."""
    return f"meter/{network}/{meter}/{currency}"


def reserve_account(network: str, meter: str, currency: str) -> str:
    """The hidden meter that funds the next seed."""
    return f"reserve/{network}/{meter}/{currency}"


def overflow_account(network: str, meter: str, currency: str) -> str:
    """What was wagered beyond the meter's limit."""
    return f"overflow/{network}/{meter}/{currency}"


def transit_account(network: str, currency: str) -> str:
    """Money that left ``network`` for another one and has not arrived yet."""
    return f"transit/{network}/{currency}"


def hit_account(network: str, claim_id: str, currency: str) -> str:
    """A share that is locked and waits for a floorperson."""
    return f"handpay/{network}/{claim_id}/{currency}"


def handpay_account(network: str, currency: str) -> str:
    """Where all locked shares of a network stood before each had an account of its own."""
    return f"handpay/{network}/{currency}"


def payable_account(table: str, currency: str) -> str:
    """Prizes of a table that wait for a floorperson."""
    return f"payable/{table}/{currency}"


def receivable_account(player: str, currency: str) -> str:
    """What a player owes since a round was corrected: below 0 by that much."""
    return f"receivable/{player}/{currency}"


def house_account(currency: str) -> str:
    """The house's main account, which only sweeps move: a row that everybody waited for would be the slowest of all."""
    return f"house/{currency}"


def house_sub_account(of: str, currency: str) -> str:
    """The house's money at one table or in one network, swept into its main account."""
    return f"house/{of}/{currency}"


def cash_account(prop: str, currency: str) -> str:
    """The cage of a property: fills come from it, credits and drops go to it."""
    return f"cash/{prop}/{currency}"


def drop_account(table: str, currency: str) -> str:
    """The table's drop box: what players bought in with at the table, until it is counted and goes to the cage."""
    return f"drop/{table}/{currency}"


LOCAL = "local"
"""The operator of every player whose id names none."""
LANES = 16
"""Sub-accounts of what belongs to all players of an operator, so that they do not wait for each other."""


def operator_of(player: str) -> str:
    """Whose player it is: what stands before the ``:`` of the id, up to its first dot.

    >>> operator_of("acme:p001"), operator_of("acme.boardwalk:p001"), operator_of("p001")
    ('acme', 'acme', 'local')
    """
    prefix, colon, _ = player.partition(":")
    return prefix.partition(".")[0] if colon else LOCAL


def _lane(player: str) -> str:
    return f"{zlib.crc32(player.encode()) % LANES:02}"


def operator_account(operator: str, currency: str) -> str:
    """The operator's main account, into which its lanes are swept."""
    return f"operator/{operator}/{currency}"


def operator_lane(player: str, currency: str) -> str:
    """Where this player's money comes from and goes to outside the floor: a lane of the operator's account.

    >>> operator_lane("acme:p001", "USD")
    'operator/acme/15/USD'
    """
    return f"operator/{operator_of(player)}/{_lane(player)}/{currency}"


def suspense_account(player: str, currency: str) -> str:
    """Money of a player of an operator whose destiny is not known yet, by lanes too."""
    return f"suspense/{operator_of(player)}/{_lane(player)}/{currency}"


def main_account(sub_account: str) -> str | None:
    """The account that this one is swept into; None for one that is no sub-account.

    >>> main_account("house/wan/USD"), main_account("operator/acme/07/USD"), main_account("house/USD")
    ('house/USD', 'operator/acme/USD', None)
    """
    match sub_account.split("/"):
        case ["house", _, currency]:
            return house_account(currency)
        case ["operator", operator, _, currency]:
            return operator_account(operator, currency)
        case _:
            return None

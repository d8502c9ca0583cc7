"""What goes over the wire to an operator's wallet and what may be believed of what comes back. Pure.

``POST <base_url>/balance|debit|credit|rollback`` with a JSON body. Request and answer are signed with HMAC-SHA256 under
the operator's key, each over its own lines (``docs/seamless.md`` has them with an example). An answer is believed when
its signature holds and it names the very request, transaction, currency and amount that it answers; nothing else is.
"""

import hashlib
import hmac
import json
import re
import uuid
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitstream.events.money import Whole
from pitstream.services.wallet.remote.moves import Answer, Done, Doubt, No, Step

TIMESTAMP_HEADER = "Pitstream-Timestamp"
SIGNATURE_HEADER = "Pitstream-Signature"
_SECONDS = re.compile(r"[0-9]{1,18}")
SKEW_MAX_S = 300
"""How far the clocks of both sides may be apart; an older answer may be somebody's recording."""
_IDS = uuid.uuid5(uuid.NAMESPACE_DNS, "remote.pitstream")


def debit_id(event_id: str) -> str:
    """Transaction of the debit that a ``WagersPlaced`` event asks for: a bundle that is placed again is another one."""
    return str(uuid.uuid5(_IDS, f"debit/{event_id}"))


def credit_id(cause_id: str, account: str) -> str:
    """Transaction of the credit that gives ``account`` what one fact, or one resolution, left on it."""
    return str(uuid.uuid5(_IDS, f"credit/{cause_id}/{account}"))


def rollback_id(transaction_id: str) -> str:
    """The one rollback that a debit can have."""
    return str(uuid.uuid5(_IDS, f"rollback/{transaction_id}"))


def request_id(transaction_id: str, step: Step, attempt: int) -> str:
    """Id of one attempt on the network. Every attempt has its own, and one transaction's are told apart by them."""
    return str(uuid.uuid5(_IDS, f"request/{transaction_id}/{step}/{attempt}"))


@dataclass(frozen=True, slots=True)
class Terms:
    """What an answer must repeat."""

    request_id: str
    transaction_id: str
    currency: str
    amount: int


@dataclass(frozen=True, slots=True)
class Call:
    """One request, ready to be signed and sent."""

    path: str
    terms: Terms
    body: bytes


@dataclass(frozen=True, slots=True)
class Received:
    """What came back: status, the two headers that matter ("" when missing), and the body's bytes."""

    status: int
    timestamp: str
    signature: str
    body: bytes


def call(
    step: Step,
    *,
    transaction_id: str,
    attempt: int,
    player: str,
    currency: str,
    amount: int,
    table: str,
    round_no: int,
    game: str,
    reference_id: str,
) -> Call:
    """The request for one attempt at ``step``. ``transaction_id``: of the debit or credit; a rollback has its own id
    and refers to that."""
    own = rollback_id(transaction_id) if step == "rollback" else transaction_id
    reference = transaction_id if step == "rollback" else reference_id
    terms = Terms(request_id(transaction_id, step, attempt), own, currency, amount)
    body = {
        "request_id": terms.request_id,
        "transaction_id": terms.transaction_id,
        "reference_transaction_id": reference or None,
        "player": player,
        "currency": currency,
        "amount": amount,
        "table": table,
        "round": f"{table}/{round_no}",
        "game": game,
    }
    return Call(f"/{step}", terms, _json(body))


def balance_call(player: str, currency: str, fresh_id: str) -> Call:
    """The request for a balance, which moves nothing and so has no transaction."""
    terms = Terms(fresh_id, "", currency, 0)
    return Call("/balance", terms, _json({"request_id": fresh_id, "player": player, "currency": currency}))


def _json(body: Mapping[str, object]) -> bytes:
    return json.dumps(body, separators=(",", ":")).encode()


def signature_of_request(key: bytes, path: str, timestamp: str, body: bytes) -> str:
    """Hex HMAC-SHA256 over method, path, timestamp and body, a line each.

    >>> signature_of_request(b"key", "/wallet/debit", "1764500000", b"{}")[:16]
    '12c0d0610e58186c'
    """
    return _hmac(key, b"\n".join([b"POST", path.encode(), timestamp.encode(), body]))


def signature_of_answer(key: bytes, path: str, status: int, timestamp: str, body: bytes) -> str:
    """Hex HMAC-SHA256 over the answer's status, the request's path, the answer's timestamp and body, a line each."""
    # A header may hold any bytes, which come as half characters.
    stamped = timestamp.encode(errors="surrogateescape")
    return _hmac(key, b"\n".join([str(status).encode(), path.encode(), stamped, body]))


def _hmac(key: bytes, message: bytes) -> str:
    return hmac.new(key, message, hashlib.sha256).hexdigest()


class _Body(BaseModel):
    """An answer's body. Unknown fields are passed over: an operator may tell more than it is asked."""

    model_config = ConfigDict(extra="ignore", strict=True)

    request_id: str
    status: Literal["ok", "refused"]
    transaction_id: str = ""
    currency: str = ""
    amount: Whole = 0
    balance: Annotated[Whole | None, Field(ge=-(2**63), lt=2**63)] = None
    code: str = ""
    message: str = ""


def judge(made: Call, key: bytes, signed_path: str, received: Received, now_s: int) -> Answer:
    """What an answer means. Everything that cannot be believed is a doubt, whatever it says."""
    body = _believed(made, key, signed_path, received, now_s)
    if isinstance(body, Doubt):
        return body
    terms = made.terms
    if body.transaction_id != terms.transaction_id:
        return Doubt(f"transaction_id: was {_shown(body.transaction_id)}; the call was {terms.transaction_id}")
    if body.status == "refused":
        return No(body.code, body.message) if body.code else Doubt("code: was missing; a refusal says why")
    if body.currency != terms.currency:
        return Doubt(f"currency: was {_shown(body.currency)}; the call was in {terms.currency}")
    if body.amount != terms.amount:
        return Doubt(f"amount: was {body.amount}; the call was for {terms.amount} minor units")
    return Done()


def judge_balance(made: Call, key: bytes, signed_path: str, received: Received, now_s: int) -> int | No | Doubt:
    """A balance in minor units, or why there is none."""
    body = _believed(made, key, signed_path, received, now_s)
    if isinstance(body, Doubt):
        return body
    if body.status == "refused":
        return No(body.code, body.message)
    if body.currency != made.terms.currency or body.balance is None:
        return Doubt(f"balance: was {body.balance} {_shown(body.currency)}; allowed: one in {made.terms.currency}")
    return body.balance


def _believed(made: Call, key: bytes, signed_path: str, received: Received, now_s: int) -> _Body | Doubt:
    status = received.status
    if status >= 500 or status == 429 or (status != 200 and status < 400):
        return Doubt(f"status: was {status}; allowed: 200, or 4xx for a refusal")
    expected = signature_of_answer(key, signed_path, status, received.timestamp, received.body)
    if not hmac.compare_digest(expected.encode(), received.signature.encode(errors="replace")):
        return Doubt(f"{SIGNATURE_HEADER}: is not that of the answer (status {status})")
    if not _SECONDS.fullmatch(received.timestamp) or abs(int(received.timestamp) - now_s) > SKEW_MAX_S:
        return Doubt(f"{TIMESTAMP_HEADER}: was {_shown(received.timestamp)}; allowed: within {SKEW_MAX_S} s of {now_s}")
    try:
        body = _Body.model_validate_json(received.body)
    except ValidationError as error:
        fault = error.errors(include_url=False, include_input=False)[0]
        where = ".".join(str(step) for step in fault["loc"]) or "body"
        return Doubt(f"{where}: {fault['msg']}")
    if body.request_id != made.terms.request_id:
        return Doubt(f"request_id: was {_shown(body.request_id)}; the call was {made.terms.request_id}")
    if (body.status == "ok") != (status == 200):
        return Doubt(f"status: was {status} with {body.status!r}; allowed: 200 with 'ok', 4xx with 'refused'")
    return body


def _shown(text: str) -> str:
    return repr(text[:80])

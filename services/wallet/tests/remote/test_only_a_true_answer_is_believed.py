"""What may be believed of what comes back from an operator's wallet.

Method: one true answer, and beside it the same answer with one thing wrong in each line; only the true one counts.
Signatures are made here by hand, from the page that operators read.
"""

import hashlib
import hmac
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitstream.services.wallet.remote.breaker import FAILURES_MAX, REST_MS, Breaker
from pitstream.services.wallet.remote.moves import Done, Doubt, No
from pitstream.services.wallet.remote.protocol import (
    Received,
    balance_call,
    call,
    judge,
    judge_balance,
    request_id,
    rollback_id,
    signature_of_request,
)

KEY = b"a shared secret"
PATH = "/wallet/debit"
NOW_S = 1_764_500_000
DEBIT = "3f6a1d52-1f0f-5e0e-9a3b-0f1c7f5f6a10"
PAGE = Path(__file__).parents[4] / "docs" / "seamless.md"


def asked(step="debit", *, amount=2_500, attempt=1):
    return call(
        step,
        transaction_id=DEBIT,
        attempt=attempt,
        player="acme:p001",
        currency="USD",
        amount=amount,
        table="acme:uth-01",
        round_no=17,
        game="ultimate_texas_holdem",
        reference_id="",
    )


def told(made, **changes):
    body = {
        "request_id": made.terms.request_id,
        "transaction_id": made.terms.transaction_id,
        "status": "ok",
        "currency": "USD",
        "amount": made.terms.amount,
        "balance": 7_500,
    }
    return json.dumps({**body, **changes}).encode()


def answer(body, *, status=200, timestamp=NOW_S, key=KEY, path=PATH):
    signature = hmac.new(
        key, b"\n".join([str(status).encode(), path.encode(), str(timestamp).encode(), body]), "sha256"
    )
    return Received(status, str(timestamp), signature.hexdigest(), body)


def meaning(received, made=None):
    return judge(made or asked(), KEY, PATH, received, NOW_S)


def test_a_true_answer_is_believed():
    assert meaning(answer(told(asked()))) == Done()
    assert meaning(answer(told(asked(), amount="2500", more={"of": "theirs"}))) == Done()
    assert meaning(answer(told(asked()), timestamp=NOW_S - 300)) == Done()
    refused = told(asked(), status="refused", code="insufficient_funds", message="was 2500; available: 100")
    for status in (400, 402, 404, 422):
        assert meaning(answer(refused, status=status)) == No("insufficient_funds", "was 2500; available: 100")


@pytest.mark.parametrize(
    "received",
    [
        pytest.param(answer(told(asked()), key=b"another key"), id="signed by somebody else"),
        pytest.param(answer(told(asked()), path="/wallet/credit"), id="the answer to another verb"),
        pytest.param(Received(200, str(NOW_S), "", told(asked())), id="not signed"),
        pytest.param(Received(200, str(NOW_S), "é", told(asked())), id="signed with something that is no hex"),
        pytest.param(answer(told(asked()), timestamp=NOW_S - 301), id="an old recording"),
        pytest.param(answer(told(asked()), timestamp=NOW_S + 301), id="from the future"),
        pytest.param(answer(told(asked()), timestamp="soon"), id="a timestamp that is no number"),
        pytest.param(answer(told(asked()), timestamp="9" * 5_000), id="a timestamp beyond all numbers"),
        pytest.param(answer(told(asked()), timestamp="１７６４５００００"), id="a timestamp in another script"),
        pytest.param(Received(200, "\udcff", "\udcff", told(asked())), id="headers that are no text"),
        pytest.param(answer(told(asked(), request_id="r2")), id="another request"),
        pytest.param(answer(told(asked(attempt=2))), id="another attempt at the same"),
        pytest.param(answer(told(asked(), transaction_id="t2")), id="another transaction"),
        pytest.param(answer(told(asked(), currency="EUR")), id="another currency"),
        pytest.param(answer(told(asked(), amount=2_501)), id="another amount"),
        pytest.param(answer(told(asked(), amount=2500.0)), id="a float"),
        pytest.param(answer(told(asked(), amount="2.5e3")), id="digits that went through a float"),
        pytest.param(answer(told(asked(), status="done")), id="a word that was not agreed upon"),
        pytest.param(answer(told(asked(), status="refused", code="x"), status=200), id="a no that says 200"),
        pytest.param(answer(told(asked()), status=422), id="a yes that says 422"),
        pytest.param(answer(told(asked(), status="refused"), status=422), id="a no without a reason"),
        pytest.param(answer(told(asked()), status=500), id="500"),
        pytest.param(answer(told(asked()), status=503), id="503"),
        pytest.param(answer(told(asked(), status="refused", code="slow_down"), status=429), id="429"),
        pytest.param(answer(told(asked()), status=302), id="a redirect"),
        pytest.param(answer(told(asked())[:-5]), id="half of the JSON"),
        pytest.param(answer(b"[]"), id="JSON of another shape"),
        pytest.param(answer(b""), id="nothing at all"),
        pytest.param(answer(b"\xff\xfe"), id="no text"),
    ],
)
def test_an_answer_with_one_thing_wrong_is_a_doubt_that_says_which(received):
    found = meaning(received)
    assert isinstance(found, Doubt)
    assert found.reason


@given(amount=st.integers(1, 2**63 - 1))
def test_every_amount_passes_whole(amount):
    made = asked(amount=amount)
    assert json.loads(made.body)["amount"] == amount
    assert meaning(answer(told(made)), made) == Done()
    assert isinstance(meaning(answer(told(made, amount=amount - 1)), made), Doubt)


def test_a_rollback_has_an_id_of_its_own_and_refers_to_its_debit():
    made = asked("rollback")
    body = json.loads(made.body)
    assert (made.path, body["transaction_id"], body["reference_transaction_id"]) == (
        "/rollback", rollback_id(DEBIT), DEBIT,
    )  # fmt: skip
    assert asked("rollback").body == made.body
    assert len({request_id(DEBIT, step, n) for step in ("debit", "rollback") for n in (1, 2, 3)}) == 6


def test_a_balance_is_believed_by_the_same_rules():
    made = balance_call("acme:p001", "USD", "r1")
    true = {"request_id": "r1", "status": "ok", "currency": "USD", "balance": 2**53 + 1}

    def found(**changes):
        return judge_balance(made, KEY, PATH, answer(json.dumps({**true, **changes}).encode()), NOW_S)

    assert found() == 2**53 + 1
    assert found(balance=str(2**53 + 1)) == 2**53 + 1
    for wrong in ({"currency": "EUR"}, {"balance": None}, {"request_id": "r2"}, {"balance": 1.5}):
        assert isinstance(found(**wrong), Doubt)


def test_the_signature_that_operators_are_shown_is_the_one_that_is_sent():
    block = re.search(r"```text\n(POST\n.*?)\n\nPitstream-Signature: ([0-9a-f]+)\n```", PAGE.read_text(), re.DOTALL)
    _, path, timestamp, body = block[1].split("\n")
    assert block[2] == signature_of_request(KEY, path, timestamp, body.encode())
    assert block[2] == hmac.new(KEY, block[1].encode(), hashlib.sha256).hexdigest()


def test_an_operator_that_does_not_answer_is_left_alone_and_tried_again_by_one_call_at_a_time():
    breaker = Breaker()
    for n in range(FAILURES_MAX):
        assert breaker.is_closed, n
        assert breaker.lets_through(0)
        breaker = breaker.doubted(1_000)
    assert not breaker.is_closed
    assert not breaker.lets_through(1_000 + REST_MS - 1)
    assert breaker.lets_through(1_000 + REST_MS)
    trying = breaker.trying(1_000 + REST_MS)
    assert not trying.lets_through(1_000 + REST_MS)
    assert trying.doubted(4_000).rests_until_ms == 4_000 + REST_MS
    assert trying.heard() == Breaker()

"""The client is what its description says, asks until it is answered, and believes no forged webhook.

Method: generated again and compared; a real HTTP server that fails as told; the reference library as the other side.
"""

import json
import runpy
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx
import pytest
from standardwebhooks import Webhook

from pitstream.client import RefusedError, UnverifiedError, connect, pages, told, verify
from pitstream.client.wallet.api.accounts_and_statements import list_accounts
from pitstream.client.wallet.api.money import deposit_money
from pitstream.client.wallet.models import AmountBody
from pitstream.client.wallet.types import UNSET

LIB = Path(__file__).parents[1]
ACCOUNT = {
    "account": "player/acme:p1/USD", "kind": "player", "currency": "USD", "scale": 2,
    "balance": 2**53 + 1, "held": 0, "available": 2**53 + 1,
}  # fmt: skip
MOVED = {**ACCOUNT, "version": 2, "transfer_id": "5ad3a75f-b1a2-5c51-a9ee-6b5a5f1a4a34"}
PROBLEM = {
    "type": "urn:pitstream:error:insufficient_funds", "title": "Insufficient funds", "status": 422,
    "detail": "was 2; available: 1 of 1 minor units", "code": "insufficient_funds", "field": "amount",
    "instance": "urn:pitstream:request:0",
}  # fmt: skip


def test_the_generated_package_is_that_of_the_api_s_description(tmp_path: Path) -> None:
    runpy.run_path(str(LIB / "generate.py"))["write"](tmp_path / "wallet")
    checked_in = LIB / "src/pitstream/client/wallet"

    def files(root: Path) -> dict[str, str]:
        return {str(file.relative_to(root)): file.read_text() for file in root.rglob("*.py")}

    assert files(tmp_path / "wallet") == files(checked_in), "run `make docs`"


@dataclass
class Wallet:
    """Answers each request with the next of ``answers``; None closes the connection."""

    url: str = ""
    answers: list[tuple[int, dict, dict] | None] = field(default_factory=list)
    asked: list[tuple[str, str, str | None, bytes]] = field(default_factory=list)


@pytest.fixture
def wallet() -> Iterator[Wallet]:
    made = Wallet()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:  # the library's name
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            made.asked.append((self.command, self.path, self.headers.get("idempotency-key"), body))
            answer = made.answers.pop(0)
            if answer is None:
                self.close_connection = True
                return
            status, headers, told = answer
            text = json.dumps(told).encode()
            self.send_response(status)
            for name, value in {"content-length": str(len(text)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(text)

        do_GET = do_POST  # noqa: N815

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    made.url = f"http://127.0.0.1:{server.server_port}"
    yield made
    server.shutdown()
    server.server_close()


def test_a_command_keeps_its_id_until_it_is_answered(wallet: Wallet) -> None:
    wallet.answers = [None, (503, {}, {}), (429, {"retry-after": "1"}, {}), (500, {}, {}), (201, {}, MOVED)]
    with connect(wallet.url, "key") as client:
        body = AmountBody(amount=str(2**53 + 1))
        moved = told(deposit_money.sync("acme:p1", "USD", client=client, body=body, idempotency_key="d-17"))
    assert (moved.balance, moved.transfer_id) == (2**53 + 1, MOVED["transfer_id"])
    assert len(wallet.asked) == 5
    assert len(set(wallet.asked)) == 1
    method, path, command_id, sent = wallet.asked[0]
    assert (method, path, command_id) == ("POST", "/v1/players/acme%3Ap1/USD/deposits", "d-17")
    assert json.loads(sent) == {"amount": "9007199254740993"}


def test_a_refusal_is_an_answer_and_is_not_asked_for_again(wallet: Wallet) -> None:
    wallet.answers = [(422, {"content-type": "application/problem+json"}, PROBLEM)]
    with connect(wallet.url, "key") as client, pytest.raises(RefusedError, match="insufficient_funds: amount") as no:
        told(deposit_money.sync("p1", "USD", client=client, body=AmountBody(amount=2), idempotency_key="d-18"))
    assert no.value.problem.status == 422
    assert len(wallet.asked) == 1


def test_patience_ends_with_the_last_error(wallet: Wallet) -> None:
    wallet.answers = [None] * 20
    with connect(wallet.url, "key", patience_s=0.5) as client, pytest.raises(httpx.TransportError):
        deposit_money.sync("p1", "USD", client=client, body=AmountBody(amount=2), idempotency_key="d-18")
    assert 2 <= len(wallet.asked) <= 5


def test_pages_are_asked_for_until_there_is_none(wallet: Wallet) -> None:
    wallet.answers = [
        (200, {}, {"accounts": [ACCOUNT], "next": "b"}),
        (200, {}, {"accounts": [ACCOUNT, ACCOUNT], "next": None}),
    ]
    with connect(wallet.url, "key") as client:
        found = list(pages(lambda after: list_accounts.sync(client=client, after=after), UNSET))
    assert [len(page.accounts) for page in found] == [1, 2]
    assert [path for _, path, _, _ in wallet.asked] == ["/v1/accounts?limit=100", "/v1/accounts?after=b&limit=100"]


SECRET = "whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="
NOW = datetime(2026, 1, 2, tzinfo=UTC)
BODY = json.dumps({"type": "round.settled", "data": {"net": 2**53 + 1}})


def signed(body: str = BODY, at: datetime = NOW, secret: str = SECRET) -> dict[str, str]:
    """What the reference library would send."""
    return {
        "webhook-id": "m1",
        "webhook-timestamp": str(int(at.timestamp())),
        "webhook-signature": Webhook(secret).sign("m1", at, body),
    }


def test_a_webhook_of_the_reference_library_is_believed() -> None:
    found = verify(SECRET, signed(), BODY.encode(), now_s=NOW.timestamp() + 299)
    assert found == {"type": "round.settled", "data": {"net": 2**53 + 1}}
    two = {**signed(), "webhook-signature": f"v1,AAAA {signed()['webhook-signature']}"}
    assert verify(SECRET, two, BODY.encode(), now_s=NOW.timestamp()) == found


OTHER = "whsec_" + "A" * 43 + "="


@pytest.mark.parametrize(
    ("headers", "body", "later_s"),
    [
        pytest.param(signed(), BODY + " ", 0, id="another body"),
        pytest.param({**signed(), "webhook-id": "m2"}, BODY, 0, id="another id"),
        pytest.param({**signed(), "webhook-timestamp": str(int(NOW.timestamp()) + 1)}, BODY, 0, id="another time"),
        pytest.param(signed(secret=OTHER), BODY, 0, id="another secret"),
        pytest.param(signed(), BODY, 301, id="too old"),
        pytest.param(signed(), BODY, -301, id="from the future"),
        pytest.param({**signed(), "webhook-timestamp": "soon"}, BODY, 0, id="no time"),
        pytest.param({**signed(), "webhook-timestamp": "9" * 5_000}, BODY, 0, id="a time beyond all numbers"),
        pytest.param({**signed(), "webhook-id": "\udcff", "webhook-signature": "\udcff"}, BODY, 0, id="no text"),
        pytest.param({**signed(), "webhook-signature": "v2,x"}, BODY, 0, id="another scheme"),
        pytest.param({k: v for k, v in signed().items() if k != "webhook-signature"}, BODY, 0, id="no signature"),
    ],
)
def test_anything_else_is_not(headers: dict[str, str], body: str, later_s: int) -> None:
    with pytest.raises(UnverifiedError):
        verify(SECRET, headers, body.encode(), now_s=NOW.timestamp() + later_s)

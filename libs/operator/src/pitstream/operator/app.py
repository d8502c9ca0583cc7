"""The operator's side of the seamless protocol over HTTP, and a small back office beside it."""

import hashlib
import hmac
import io
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Annotated, Any, Literal

from fastapi import APIRouter, FastAPI, Request, Response
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from pitstream.operator.ledger import Asked, Books, Verdict, write_statement

TIMESTAMP_HEADER = "Pitstream-Timestamp"
SIGNATURE_HEADER = "Pitstream-Signature"
SKEW_MAX_S = 300

Id = Annotated[str, Field(min_length=1, max_length=100)]


class MoveBody(BaseModel):
    """A debit, credit or rollback."""

    model_config = ConfigDict(extra="ignore", strict=True)

    request_id: Id
    transaction_id: Id
    reference_transaction_id: Id | None = None
    player: Id
    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")]
    amount: Annotated[int, Field(gt=0, lt=2**63)]
    table: str = ""
    round: str = ""
    game: str = ""


class BalanceBody(BaseModel):
    """A question for a balance."""

    model_config = ConfigDict(extra="ignore", strict=True)

    request_id: Id
    player: Id
    currency: str


class PlayerBody(BaseModel):
    """A player's opening."""

    currency: Annotated[str, Field(pattern="^[A-Z]{3}$")]
    balance: Annotated[int, Field(ge=0, lt=2**63)]


def request_signature(key: bytes, path: str, timestamp: str, body: bytes) -> str:
    """Hex HMAC-SHA256 over ``POST``, path, timestamp and body, a line each."""
    return hmac.new(key, b"\n".join([b"POST", path.encode(), timestamp.encode(), body]), hashlib.sha256).hexdigest()


def answer_signature(key: bytes, path: str, status: int, timestamp: str, body: bytes) -> str:
    """Hex HMAC-SHA256 over status, the request's path, the answer's timestamp and body, a line each."""
    lines = [str(status).encode(), path.encode(), timestamp.encode(), body]
    return hmac.new(key, b"\n".join(lines), hashlib.sha256).hexdigest()


def signed(key: bytes, path: str, status: int, body: bytes) -> Response:
    """An answer under the operator's key."""
    timestamp = str(int(time.time()))
    headers = {TIMESTAMP_HEADER: timestamp, SIGNATURE_HEADER: answer_signature(key, path, status, timestamp, body)}
    return Response(body, status, headers=headers, media_type="application/json")


class Wallet:
    """The four verbs. ``carried_out`` counts how often each was asked for in earnest."""

    def __init__(self, books: Books, key: bytes) -> None:
        self.books = books
        self._key = key
        self.carried_out: dict[str, int] = {}

    async def move(self, request: Request, verb: Literal["debit", "credit", "rollback"]) -> Response:
        body = await request.body()
        path = request.url.path
        refusal = self._not_ours(request, body)
        if refusal is not None:
            return refusal
        try:
            asked = MoveBody.model_validate_json(body)
        except ValidationError as error:
            return self._invalid(path, error)
        self.carried_out[verb] = self.carried_out.get(verb, 0) + 1
        verdict = self.books.carry_out(
            verb,
            Asked(
                asked.transaction_id, asked.reference_transaction_id or "", asked.player, asked.currency, asked.amount
            ),
        )
        return self._answer(path, asked, verdict)

    async def balance(self, request: Request) -> Response:
        body = await request.body()
        refusal = self._not_ours(request, body)
        if refusal is not None:
            return refusal
        try:
            asked = BalanceBody.model_validate_json(body)
        except ValidationError as error:
            return self._invalid(request.url.path, error)
        balance = self.books.balance(asked.player)
        told: dict[str, Any] = {"request_id": asked.request_id}
        if balance is None:
            told |= {"status": "refused", "code": "unknown_player", "message": f"was {asked.player!r}"}
            return signed(self._key, request.url.path, 422, _json(told))
        told |= {"status": "ok", "currency": asked.currency, "balance": balance}
        return signed(self._key, request.url.path, 200, _json(told))

    def _answer(self, path: str, asked: MoveBody, verdict: Verdict) -> Response:
        told: dict[str, Any] = {"request_id": asked.request_id, "transaction_id": asked.transaction_id}
        if verdict.code:
            told |= {"status": "refused", "code": verdict.code, "message": verdict.message}
            return signed(self._key, path, 422, _json(told))
        told |= {"status": "ok", "currency": asked.currency, "amount": asked.amount, "balance": verdict.balance}
        return signed(self._key, path, 200, _json(told))

    def _not_ours(self, request: Request, body: bytes) -> Response | None:
        """An unsigned 401 for a request that is not from the one who shares our key, or not of now."""
        timestamp = request.headers.get(TIMESTAMP_HEADER, "")
        expected = request_signature(self._key, request.url.path, timestamp, body)
        given = request.headers.get(SIGNATURE_HEADER, "")
        fresh = timestamp.isdecimal() and abs(int(timestamp) - time.time()) <= SKEW_MAX_S
        if fresh and hmac.compare_digest(expected.encode(), given.encode()):
            return None
        return Response(b'{"status":"refused","code":"invalid_signature"}', 401, media_type="application/json")

    def _invalid(self, path: str, error: ValidationError) -> Response:
        told = {"status": "refused", "code": "invalid_input", "message": str(error)[:500]}
        return signed(self._key, path, 400, _json(told))


def _json(told: dict[str, Any]) -> bytes:
    return json.dumps(told, separators=(",", ":")).encode()


def build(books: Books, key: bytes) -> FastAPI:
    """The server's routes. The back office (players, statement) asks for no credential: it is an example's."""

    @asynccontextmanager
    async def closing(_app: FastAPI) -> AsyncIterator[None]:
        yield
        books.close()

    app = FastAPI(title="An operator's wallet", lifespan=closing)
    wallet = Wallet(books, key)
    app.state.wallet = wallet
    verbs = APIRouter(prefix="/wallet", tags=["seamless wallet"])

    @verbs.post("/balance")
    async def balance(request: Request) -> Response:
        return await wallet.balance(request)

    @verbs.post("/debit")
    async def debit(request: Request) -> Response:
        return await wallet.move(request, "debit")

    @verbs.post("/credit")
    async def credit(request: Request) -> Response:
        return await wallet.move(request, "credit")

    @verbs.post("/rollback")
    async def rollback(request: Request) -> Response:
        return await wallet.move(request, "rollback")

    app.include_router(verbs)

    @app.put("/players/{player}")
    async def open_player(player: str, body: PlayerBody) -> dict[str, Any]:
        return {"player": player, "balance": books.open_player(player, body.currency, body.balance)}

    @app.get("/players")
    async def players() -> list[dict[str, Any]]:
        fields = ("player", "currency", "opening", "balance")
        return [dict(zip(fields, row, strict=True)) for row in books.players()]

    @app.get("/statement.csv")
    async def statement() -> Response:
        file = io.StringIO()
        write_statement(books, file)
        return Response(file.getvalue(), media_type="text/csv")

    @app.get("/health")
    async def health() -> dict[str, Any]:
        return {"status": "ready", "carried_out": wallet.carried_out}

    return app

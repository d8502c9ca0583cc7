"""Subscriptions of platforms over HTTP: made, listed, given a new secret, ended; deliveries listed and sent again."""

import secrets
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from pitstream.events import ids
from pitstream.events.refusal import Refusal
from pitstream.runtime import Outcome, Principal, Role, Store, Transaction, allowed, run_command, unknown
from pitstream.services.wallet.platform.cursors import cursor_of, place_of, position
from pitstream.services.wallet.platform.views import Strict
from pitstream.services.wallet.platform.words import PAGE, UUID_PATTERN, After, CommandId, Limit, TheStore
from pitstream.services.wallet.webhooks import signing
from pitstream.services.wallet.webhooks import store as sql
from pitstream.services.wallet.webhooks.bodies import DATA, Kind, Test
from pitstream.services.wallet.webhooks.guard import Network, url_refusal
from pitstream.services.wallet.webhooks.notices import Notice

router = APIRouter(prefix="/v1/webhooks", tags=["webhooks"])

Platform = Annotated[Principal, Depends(allowed(Role.PLATFORM, Role.OPERATIONS))]
WebhookId = Annotated[str, Path(pattern=UUID_PATTERN, examples=["5ad3a75f-b1a2-5c51-a9ee-6b5a5f1a4a34"])]
DeliveryId = Annotated[str, Path(pattern=UUID_PATTERN, examples=["0a6f5a3c-1d0f-5a39-9b63-0c8d5c3a7f10"])]
State = Literal["pending", "delivered", "dead"]


def networks_of(request: Request) -> tuple[Network, ...]:
    """FastAPI dependency: networks that are no public addresses and to which webhooks may go all the same."""
    found: tuple[Network, ...] = request.app.state.webhook_networks
    return found


Networks = Annotated[tuple[Network, ...], Depends(networks_of)]


class WebhookBody(Strict):
    """Where to send what happens to an operator's players."""

    owner: Annotated[
        str,
        Field(
            pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
            description="an operator, or a property of one, as it stands before the `:` of its players' ids; `local` "
            "for players without one",
            examples=["acme"],
        ),
    ]
    url: Annotated[str, Field(max_length=2000, examples=["https://hooks.acme.example/pitstream"])]
    kinds: Annotated[list[Kind], Field(min_length=1, max_length=len(DATA), examples=[["round.settled"]])]


class WebhookView(BaseModel):
    """A subscription. Its secret is told once, when it is made or changed."""

    webhook_id: str
    owner: str
    url: str
    kinds: list[str]
    created_by: str
    created_at: datetime
    ended_at: datetime | None


class NewWebhookView(BaseModel):
    """A subscription with its secret, in force from now on; the one before it stays in force beside it."""

    webhook_id: str
    secret: Annotated[str, Field(examples=["whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY="])]


class WebhooksView(BaseModel):
    """A page of subscriptions in the order in which they were made."""

    webhooks: list[WebhookView]
    next: str | None


class DeliveryView(BaseModel):
    """One notice for one subscription. ``delivery_id`` is the ``webhook-id`` of every attempt."""

    delivery_id: str
    kind: str
    order_key: Annotated[str, Field(description="deliveries of one key are sent one after the other: a table")]
    state: State
    attempts: int
    last_answer: str
    created_at: datetime
    finished_at: datetime | None
    body: str


class DeliveriesView(BaseModel):
    """A page of deliveries in the order in which they were written."""

    deliveries: list[DeliveryView]
    next: str | None


class QueuedView(BaseModel):
    """How many deliveries will be sent."""

    queued: int


@router.post("", status_code=201, response_model=NewWebhookView)
async def create_webhook(
    who: Platform, body: WebhookBody, command_id: CommandId, store: TheStore, networks: Networks
) -> JSONResponse:
    """Subscribe to what happens to an operator's players. The answer has the secret that verifies the signatures."""
    if not who.covers(body.owner):
        return unknown("owner", body.owner).response()
    webhook_id = ids.transfer_id("webhook", who.name, body.owner, command_id)

    async def act(tx: Transaction) -> Outcome:
        refusal = url_refusal(body.url, networks)
        if refusal is not None:
            return Outcome.refused(refusal)
        await sql.create(tx, webhook_id, body.owner, body.url, body.kinds, _new_secret(), who.name)
        return Outcome(201, {"webhook_id": webhook_id})

    return await _with_secret(store, f"webhooks of {who.name}", command_id, body.model_dump(), who, act)


@router.get("", response_model=WebhooksView)
async def list_webhooks(who: Platform, store: TheStore, after: After = None, limit: Limit = PAGE) -> JSONResponse:
    """The subscriptions that the caller sees, in the order in which they were made."""
    found: list[Any] = []
    at = place_of(after, "webhooks", position) or 0
    # There are few: what is filtered here is not worth a second form of the rule in SQL.
    while len(found) <= limit and (rows := await sql.webhooks(store, at, limit + 1)):
        found += [row for row in rows if who.covers(row["owner"])]
        at = rows[-1]["position"]
    page = WebhooksView(
        webhooks=[_view(row) for row in found[:limit]],
        next=cursor_of("webhooks", found[limit - 1]["position"]) if len(found) > limit else None,
    )
    return JSONResponse(page.model_dump(mode="json"))


@router.get("/{webhook_id}", response_model=WebhookView)
async def webhook_now(who: Platform, webhook_id: WebhookId, store: TheStore) -> JSONResponse:
    """One subscription."""
    row = await _seen(store, who, webhook_id)
    return (
        unknown("webhook", webhook_id).response() if row is None else JSONResponse(_view(row).model_dump(mode="json"))
    )


@router.post("/{webhook_id}/rotate", status_code=201, response_model=NewWebhookView)
async def rotate_secret(who: Platform, webhook_id: WebhookId, command_id: CommandId, store: TheStore) -> JSONResponse:
    """A new secret. Until it is changed once more every delivery is signed with both, so that none is missed."""
    if await _seen(store, who, webhook_id) is None:
        return unknown("webhook", webhook_id).response()

    async def act(tx: Transaction) -> Outcome:
        await sql.rotate(tx, webhook_id, _new_secret())
        return Outcome(201, {"webhook_id": webhook_id})

    return await _with_secret(store, f"webhook/{webhook_id}", command_id, {"command": "rotate"}, who, act)


@router.post("/{webhook_id}/end", status_code=201, response_model=WebhookView)
async def end_webhook(who: Platform, webhook_id: WebhookId, command_id: CommandId, store: TheStore) -> JSONResponse:
    """Send nothing any more, what waits included. Its deliveries stay to be looked at."""

    async def act(tx: Transaction) -> Outcome:
        await sql.end(tx, webhook_id)
        row = await sql.webhook(tx.conn, webhook_id)
        if row is None:
            raise RuntimeError(f"webhook {webhook_id} was there and is gone")
        return Outcome(201, _view(row).model_dump(mode="json"))

    return await _command(store, who, webhook_id, command_id, {"command": "end"}, act)


@router.post("/{webhook_id}/test", status_code=201, response_model=QueuedView)
async def send_test(who: Platform, webhook_id: WebhookId, command_id: CommandId, store: TheStore) -> JSONResponse:
    """Send a notice of kind ``webhook.test``, whatever kinds were subscribed to."""

    async def act(tx: Transaction) -> Outcome:
        row = await sql.webhook(tx.conn, webhook_id)
        if row is None or row["ended_at"] is not None:
            return _ended(webhook_id)
        notice_id = ids.transfer_id("notice", webhook_id, command_id)
        notice = Notice(notice_id, "webhook.test", row["owner"], "test", Test(asked_by=who.name))
        delivery_id = ids.transfer_id("delivery", webhook_id, notice_id)
        await sql.enqueue(tx, [(delivery_id, webhook_id, "test", notice.kind, notice.body(store.clock_us()))])
        return Outcome(201, {"queued": 1})

    return await _command(store, who, webhook_id, command_id, {"command": "test"}, act)


@router.get("/{webhook_id}/deliveries", response_model=DeliveriesView)
async def list_deliveries(
    who: Platform,
    webhook_id: WebhookId,
    store: TheStore,
    state: Annotated[State | None, Query(description="`dead`: given up after the last attempt")] = None,
    after: After = None,
    limit: Limit = PAGE,
) -> JSONResponse:
    """What was sent, waits, or was given up, in the order in which it was written; what arrived is kept for a week."""
    if await _seen(store, who, webhook_id) is None:
        return unknown("webhook", webhook_id).response()
    kind = f"deliveries of {webhook_id}"
    at = place_of(after, kind, position) or 0
    rows = await sql.deliveries(store, webhook_id, state=state, after=at, limit=limit + 1)
    page = DeliveriesView(
        deliveries=[DeliveryView(**{name: row[name] for name in DeliveryView.model_fields}) for row in rows[:limit]],
        next=cursor_of(kind, rows[limit - 1]["position"]) if len(rows) > limit else None,
    )
    return JSONResponse(page.model_dump(mode="json"))


@router.post("/{webhook_id}/redeliver", status_code=201, response_model=QueuedView)
async def redeliver_dead(who: Platform, webhook_id: WebhookId, command_id: CommandId, store: TheStore) -> JSONResponse:
    """Send all deliveries again that were given up, the oldest first."""
    return await _redeliver(store, who, webhook_id, None, command_id)


@router.post("/{webhook_id}/deliveries/{delivery_id}/redeliver", status_code=201, response_model=QueuedView)
async def redeliver_one(
    who: Platform, webhook_id: WebhookId, delivery_id: DeliveryId, command_id: CommandId, store: TheStore
) -> JSONResponse:
    """Send one delivery again, whatever came of it."""
    return await _redeliver(store, who, webhook_id, delivery_id, command_id)


async def _redeliver(
    store: Store, who: Principal, webhook_id: str, delivery_id: str | None, command_id: str
) -> JSONResponse:
    async def act(tx: Transaction) -> Outcome:
        row = await sql.webhook(tx.conn, webhook_id)
        if row is None or row["ended_at"] is not None:
            return _ended(webhook_id)
        queued = await sql.redeliver(tx, webhook_id, delivery_id)
        if delivery_id is not None and not queued:
            return unknown("delivery", delivery_id)
        return Outcome(201, {"queued": queued})

    inputs = {"command": "redeliver", "delivery_id": delivery_id}
    return await _command(store, who, webhook_id, command_id, inputs, act)


Act = Callable[[Transaction], Awaitable[Outcome]]


async def _command(
    store: Store, who: Principal, webhook_id: str, command_id: str, inputs: dict[str, Any], act: Act
) -> JSONResponse:
    if await _seen(store, who, webhook_id) is None:
        return unknown("webhook", webhook_id).response()
    scope = f"webhook/{webhook_id}"
    outcome = await run_command(store, scope=scope, command_id=command_id, inputs=inputs, act=act, actor=who.name)
    return outcome.response()


async def _with_secret(
    store: Store, scope: str, command_id: str, inputs: dict[str, Any], who: Principal, act: Act
) -> JSONResponse:
    """The command's answer with the secret as it is now: answers are kept for ever, secrets are not kept with them."""
    outcome = await run_command(store, scope=scope, command_id=command_id, inputs=inputs, act=act, actor=who.name)
    if outcome.status != 201:
        return outcome.response()
    row = await sql.webhook(store.pool, outcome.body["webhook_id"])
    if row is None:
        raise RuntimeError(f"webhook {outcome.body['webhook_id']} was there and is gone")
    return JSONResponse({**outcome.body, "secret": row["secrets"][0]}, 201)


async def _seen(store: Store, who: Principal, webhook_id: str) -> Any:
    """The subscription, None when the caller's scopes do not cover it."""
    row = await sql.webhook(store.pool, webhook_id)
    return row if row is not None and who.covers(row["owner"]) else None


def _new_secret() -> str:
    return signing.secret_of(secrets.token_bytes(signing.SECRET_BYTES))


def _ended(webhook_id: str) -> Outcome:
    refusal = Refusal("webhook_ended", "webhook_id", f"webhook {webhook_id} was ended; allowed: a new subscription")
    return Outcome.refused(refusal, 409)


def _view(row: Any) -> WebhookView:
    return WebhookView(**{name: row[name] for name in WebhookView.model_fields})

"""Two toy services on the real runtime: a table that closes again and again, and a wallet that notes each closing.

Run as a script (``toy_service.py table|wallet``) it is one process of that service, for the tests that kill one.
"""

import asyncio
import os
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, ClassVar

from fastapi import APIRouter, Depends
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from pydantic_settings import SettingsConfigDict

from pitstream.events import Recorded
from pitstream.events.ids import account_stream, table_account, table_stream
from pitstream.events.refusal import Refusal
from pitstream.events.rounds import TableClosed
from pitstream.events.wallet import AccountOpened
from pitstream.runtime import (
    Cause,
    Outcome,
    Principal,
    Role,
    Service,
    ServiceSettings,
    Store,
    Transaction,
    allowed,
    command_id,
    run_command,
    store_of,
)

MIGRATIONS = Path(__file__).parent / "toy_migrations"


class ToyTableSettings(ServiceSettings):
    service: ClassVar[str] = "table"
    model_config = SettingsConfigDict(env_prefix="PITSTREAM_TOY_TABLE_")


class ToyWalletSettings(ServiceSettings):
    service: ClassVar[str] = "wallet"
    model_config = SettingsConfigDict(env_prefix="PITSTREAM_TOY_WALLET_")


def closings(state: tuple[str, ...], event: object) -> tuple[str, ...]:
    """``evolve`` of a toy table: the reasons it was closed for."""
    if not isinstance(event, TableClosed):
        raise TypeError(type(event))
    return (*state, event.reason)


async def close_table(tx: Transaction, table: str, reasons: Sequence[str], cause: Cause) -> int:
    """Append a closing for each reason; the table's version now."""
    folded = await tx.fold(table_stream(table), (), closings)
    events = [TableClosed(table=table, reason=reason) for reason in reasons]
    tx.append(table_stream(table), table, events, expected_version=folded.version, cause=cause)
    return folded.version + len(events)


class Close(BaseModel):
    reason: str


def table_routes() -> APIRouter:
    router = APIRouter()

    @router.post("/v1/tables/{table}/close")
    async def close(
        who: Annotated[Principal, Depends(allowed(Role.DEALER))],
        table: str,
        body: Close,
        key: Annotated[str, Depends(command_id)],
        store: Annotated[Store, Depends(store_of)],
    ) -> JSONResponse:
        async def act(tx: Transaction) -> Outcome:
            if body.reason == "never":
                return Outcome.refused(Refusal("not_now", "reason", "was 'never'; allowed: any other"))
            return Outcome(
                201, {"version": await close_table(tx, table, [body.reason], Cause.of_command(key, who.name))}
            )

        outcome = await run_command(
            store, scope=f"table/{table}", command_id=key, inputs=body.model_dump(), act=act, actor=who.name
        )
        return outcome.response()

    return router


class ToyWallet:
    """A handler that fails on the reasons in ``broken`` and says what it was given."""

    def __init__(self, broken: set[str] | None = None) -> None:
        self.broken = broken or set()
        self.batches: list[int] = []

    async def __call__(self, tx: Transaction, events: Sequence[Recorded]) -> None:
        self.batches.append(len(events))
        for recorded in events:
            if not isinstance(recorded.event, TableClosed):
                raise TypeError(recorded.envelope.type)
            if recorded.event.reason == "hang":
                await asyncio.sleep(3600)
            if recorded.event.reason == "block":
                time.sleep(3600)  # noqa: ASYNC251  # that is the fault
            if recorded.event.reason in self.broken:
                raise ValueError(f"the toy does not like {recorded.event.reason!r}")
        keys = [recorded.envelope.key for recorded in events]
        reasons = [recorded.event.reason for recorded in events if isinstance(recorded.event, TableClosed)]
        await tx.conn.execute(
            "INSERT INTO applied (key, reason) SELECT * FROM unnest($1::text[], $2::text[])", keys, reasons
        )
        for recorded in events:
            account = table_account(recorded.envelope.key, "USD")
            stream = account_stream(account)
            version = tx.appended.get(stream)
            if version is None:
                version = await tx.conn.fetchval(
                    "SELECT coalesce(max(version), 0) FROM events WHERE stream = $1", stream
                )
            opened = AccountOpened(account=account, kind="table", currency="USD")
            tx.append(stream, account, [opened], expected_version=version, cause=Cause.of_event(recorded))


def toy_table(**settings: object) -> Service:
    return Service(ToyTableSettings(**settings), router=table_routes())  # type: ignore[arg-type]


def toy_wallet(handler: ToyWallet, **settings: object) -> Service:
    return Service(ToyWalletSettings(**settings), migrations=MIGRATIONS, handlers={"rounds.v1": handler})  # type: ignore[arg-type]


if __name__ == "__main__":
    addresses = {"kafka": os.environ["PITSTREAM_KAFKA"], "postgres": os.environ["PITSTREAM_POSTGRES"]}
    (toy_table(**addresses) if sys.argv[1] == "table" else toy_wallet(ToyWallet(), **addresses)).run()

"""The wallet: each part wired once."""

from importlib.resources import files

from fastapi import APIRouter

from pitstream.events.progressives import TOPIC as PROGRESSIVES
from pitstream.events.rounds import TOPIC as ROUNDS
from pitstream.events.settlements import TOPIC as SETTLEMENTS
from pitstream.runtime import Service
from pitstream.services.wallet.config import WalletSettings
from pitstream.services.wallet.handlers import post_facts
from pitstream.services.wallet.platform import moves, reads
from pitstream.services.wallet.remote import api as operators
from pitstream.services.wallet.remote.worker import RemoteWorker


def build(settings: WalletSettings | None = None) -> Service:
    """The service; settings are read from the environment unless given."""
    chosen = settings or WalletSettings()
    return Service(
        chosen,
        migrations=files("pitstream.services.wallet") / "migrations",
        handlers={ROUNDS: post_facts, SETTLEMENTS: post_facts, PROGRESSIVES: post_facts},
        unhurried={SETTLEMENTS, PROGRESSIVES},
        beside=[lambda store: RemoteWorker(store, postgres=chosen.postgres).run()],
        router=routes(),
        title="pitstream wallet: accounts and the double-entry ledger",
    )


def routes() -> APIRouter:
    """Every route of the service."""
    router = APIRouter()
    for part in (moves.router, reads.router, operators.router):
        router.include_router(part)
    return router

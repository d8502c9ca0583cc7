"""The wallet: each part wired once."""

from collections.abc import Sequence
from importlib.resources import files

from fastapi import APIRouter

from pitstream.accounting.properties import Properties, read_properties
from pitstream.events import Recorded
from pitstream.events.progressives import TOPIC as PROGRESSIVES
from pitstream.events.rounds import TOPIC as ROUNDS
from pitstream.events.settlements import TOPIC as SETTLEMENTS
from pitstream.runtime import Handler, Service, Transaction
from pitstream.services.wallet import corrections_api as corrections
from pitstream.services.wallet import network_postings, receivables_api, telemetry
from pitstream.services.wallet.accounting import api as accounting
from pitstream.services.wallet.accounting import day_lists_api
from pitstream.services.wallet.accounting.counted import COUNTED
from pitstream.services.wallet.accounting.rounds import note_opened, note_refused, note_resettled, note_settled
from pitstream.services.wallet.config import WalletSettings, networks_in
from pitstream.services.wallet.handlers import post_facts
from pitstream.services.wallet.platform import moves, reads
from pitstream.services.wallet.platform.expiry import expire_holds
from pitstream.services.wallet.remote import api as operators
from pitstream.services.wallet.remote.worker import RemoteWorker
from pitstream.services.wallet.webhooks import routes as webhooks
from pitstream.services.wallet.webhooks.description import describe_webhooks
from pitstream.services.wallet.webhooks.schedule import Schedule
from pitstream.services.wallet.webhooks.worker import Sender

_PAUSE_MS_MAX = 4 * 3600 * 1000


def build(settings: WalletSettings | None = None) -> Service:
    """The service; settings are read from the environment unless given."""
    chosen = settings or WalletSettings()
    networks = networks_in(chosen.webhook_networks)
    properties = read_properties(chosen.properties)
    schedule = Schedule(chosen.webhook_pause_ms, _PAUSE_MS_MAX, chosen.webhook_attempts_max)
    timeout_s = chosen.webhook_timeout_ms / 1000
    service = Service(
        chosen,
        migrations=files("pitstream.services.wallet") / "migrations",
        handlers=handlers(properties),
        unhurried={SETTLEMENTS, PROGRESSIVES},
        beside=[
            lambda store: RemoteWorker(store, postgres=chosen.postgres).run(),
            expire_holds,
            lambda _: COUNTED.run(str(chosen.paytables or "")),
            lambda store: Sender(store, schedule=schedule, allowed=networks, timeout_s=timeout_s).run(),
        ],
        router=routes(),
        title="pitstream wallet: accounts and the double-entry ledger",
        counting=telemetry.count,
        shown={telemetry.show: telemetry.SHOWN},
    )
    service.app.state.webhook_networks = networks
    describe_webhooks(service.app)
    service.app.state.properties = properties
    return service


def handlers(properties: Properties) -> dict[str, Handler]:
    """What each topic is heard by: the ledger posts a batch first, and has its tables' accounts locked from then on."""

    async def rounds(tx: Transaction, batch: Sequence[Recorded]) -> None:
        await post_facts(tx, batch)
        await note_opened(tx, batch)

    async def settlements(tx: Transaction, batch: Sequence[Recorded]) -> None:
        await post_facts(tx, batch)
        await note_settled(tx, batch, properties)
        await note_resettled(tx, batch)

    async def progressives(tx: Transaction, batch: Sequence[Recorded]) -> None:
        await post_facts(tx, batch)
        await note_refused(tx, batch)

    return {ROUNDS: rounds, SETTLEMENTS: settlements, PROGRESSIVES: progressives}


def routes() -> APIRouter:
    """Every route of the service."""
    router = APIRouter()
    for part in (
        moves.router,
        reads.router,
        corrections.router,
        receivables_api.router,
        webhooks.router,
        operators.router,
        accounting.router,
        day_lists_api.router,
        network_postings.router,
    ):
        router.include_router(part)
    return router

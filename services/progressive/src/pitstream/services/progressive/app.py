"""The progressive service, each part wired once."""

from collections.abc import Sequence
from importlib.resources import files

from fastapi import APIRouter

from pitstream.events import Recorded
from pitstream.events.rounds import TOPIC as ROUNDS
from pitstream.events.settlements import TOPIC as SETTLEMENTS
from pitstream.runtime import Service, Transaction
from pitstream.services.progressive import telemetry
from pitstream.services.progressive.config import ProgressiveSettings
from pitstream.services.progressive.handlers import correct_rounds, feed_meters
from pitstream.services.progressive.hit_routes import router as hit_router
from pitstream.services.progressive.network_routes import router as network_router
from pitstream.services.progressive.prize_handler import hold_prizes
from pitstream.services.progressive.prize_routes import router as prize_router
from pitstream.services.progressive.sign_routes import router as sign_router
from pitstream.services.progressive.taken_routes import router as taken_router


async def take_settlements(tx: Transaction, batch: Sequence[Recorded]) -> None:
    """A batch of ``settlements.v1``: what it means for meters, and the prizes that wait because of it."""
    await feed_meters(tx, batch)
    await correct_rounds(tx, batch)
    await hold_prizes(tx, batch)


def build(settings: ProgressiveSettings | None = None) -> Service:
    """The service; settings are read from the environment unless given."""
    routes = APIRouter()
    for router in (network_router, taken_router, hit_router, sign_router, prize_router):
        routes.include_router(router)
    return Service(
        settings or ProgressiveSettings(),
        migrations=files("pitstream.services.progressive") / "migrations",
        handlers={ROUNDS: feed_meters, SETTLEMENTS: take_settlements},
        unhurried={ROUNDS, SETTLEMENTS},
        router=routes,
        title="pitstream progressive: meters, hits and approvals",
        counting=telemetry.count,
        shown={telemetry.show: telemetry.SHOWN},
    )

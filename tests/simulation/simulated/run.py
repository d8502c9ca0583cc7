"""What a process needs to run seeds: the services built once, the database emptied for each."""

import gc
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import structlog

from pitstream.runtime import Role, Service
from pitstream.runtime.access_file import entry_text, new_key
from pitstream.services.ops.app import build as build_ops
from pitstream.services.ops.config import OpsSettings
from pitstream.services.progressive.app import build as build_progressive
from pitstream.services.progressive.config import ProgressiveSettings
from pitstream.services.settlement.app import build as build_settlement
from pitstream.services.settlement.config import SettlementSettings
from pitstream.services.table.app import build as build_table
from pitstream.services.table.config import TableSettings
from pitstream.services.wallet.app import build as build_wallet
from pitstream.services.wallet.config import WalletSettings
from simulated.database import Database
from simulated.people import AUDITOR, DEALER, FLOORPERSON


@dataclass(frozen=True)
class Bench:
    """The services, who may call them, and the database that they share."""

    services: Mapping[str, Service]
    keys: Mapping[str, str]
    database: Database


def build_services(access: Path) -> dict[str, Service]:
    told: dict[str, Any] = {"kafka": "nowhere:1", "postgres": "postgresql://nowhere/none", "access": access}
    fast: dict[str, Any] = {**told, "rate_per_s": 1_000_000, "rate_burst": 1_000_000}
    built = [
        build_ops(OpsSettings(**fast)),
        build_progressive(ProgressiveSettings(**fast)),
        build_settlement(SettlementSettings(**fast)),
        build_table(TableSettings(**fast)),
        build_wallet(WalletSettings(**fast)),
    ]
    return {service.settings.service: service for service in built}


@asynccontextmanager
async def bench(server: str, name: str) -> AsyncIterator[Bench]:
    """Everything ready, in a database of this name on that server."""
    structlog.configure(wrapper_class=structlog.make_filtering_bound_logger(50))
    keys = {person: new_key() for person in (DEALER, FLOORPERSON, AUDITOR)}
    with tempfile.TemporaryDirectory() as folder:
        access = Path(folder) / "access.toml"
        access.write_text("".join(entry_text(person, key, list(Role), ["*"]) for person, key in keys.items()))
        services = build_services(access)
        migrations = {name: service.migrations for name, service in services.items() if service.migrations is not None}
        database = await Database.create(server, name, migrations)
        gc.collect()
        gc.freeze()  # what was built stays: no collection between two steps looks through it again
        try:
            yield Bench(services, keys, database)
        finally:
            gc.unfreeze()
            await database.close()
            structlog.reset_defaults()

"""What ``python -m pitstream.services.<name>`` does: serve, or bring schema and topics up to this version and end."""

import asyncio
import sys
from collections.abc import Sequence

from pitstream.runtime.service import Service


def main(service: Service, arguments: Sequence[str] | None = None) -> None:
    """Serve until SIGTERM; with the argument ``migrate``, do what comes before serving and nothing else.

    A deployment runs it as a step of its own, so that a migration that fails stops there and not in the middle of the
    exchange of instances. Without that step the first new instance migrates, and the others wait for it.
    """
    match list(sys.argv[1:] if arguments is None else arguments):
        case []:
            service.run()
        case ["migrate"]:
            asyncio.run(service.migrate())
        case other:
            raise SystemExit(f"arguments: was {' '.join(other)}; allowed: nothing, or migrate")

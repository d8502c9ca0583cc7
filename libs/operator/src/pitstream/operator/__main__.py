"""``python -m pitstream.operator``: serve an operator's wallet until SIGTERM."""

import argparse
import os
from pathlib import Path
from typing import Any

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from pitstream.operator.app import build
from pitstream.operator.faults import KINDS, FaultyApp, Plan
from pitstream.operator.ledger import Books


class Breakable(HttpToolsProtocol):
    """A connection that the application may break off, as a failing network does."""

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self.scope["abort"] = self.transport.abort  # type: ignore[typeddict-unknown-key]  # our own extension


def main() -> None:
    """Read the command line, serve."""
    parser = argparse.ArgumentParser(prog="python -m pitstream.operator", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on; 0.0.0.0 in a container")
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--books", type=Path, required=True, help="the SQLite file of the operator's ledger")
    parser.add_argument("--key-env", default="OPERATOR_KEY", help="the environment variable that holds the shared key")
    parser.add_argument("--unknown-rollback", choices=("success", "not_found", "parent_failed"), default="not_found")
    parser.add_argument("--opening", type=int, default=0, help="minor units for a player never seen; 0 refuses them")
    parser.add_argument("--seed", type=int, default=0, help="of the faults by chance")
    parser.add_argument("--per-mille", type=int, default=0, help="requests that meet a fault, of a thousand")
    parser.add_argument("--kinds", nargs="*", choices=list(KINDS), default=list(KINDS), help="the faults by chance")
    parser.add_argument("--delay-s", type=float, default=1.0, help="how late what is late comes")
    given = parser.parse_args()
    key = os.environ[given.key_env].strip().encode()
    books = Books(given.books, unknown_rollback=given.unknown_rollback, opening=given.opening)
    plan = Plan(seed=given.seed, per_mille=given.per_mille, kinds=tuple(given.kinds), delay_s=given.delay_s)
    served: Any = FaultyApp(build(books, key), plan, key)
    uvicorn.run(
        served, host=given.host, port=given.port, http=Breakable, access_log=False, log_level="warning", ws="none"
    )


if __name__ == "__main__":
    main()

"""Writes the Python modules of ``proto/`` into this package (``make proto``); a test holds them equal to it."""

import sys
from pathlib import Path

from grpc_tools import protoc

ROOT = Path(__file__).resolve().parents[2]


def generate(target: Path) -> int:
    """Generates every module under ``target``; protoc's exit code."""
    protos = sorted(str(path.relative_to(ROOT / "proto")) for path in (ROOT / "proto").rglob("*.proto"))
    return protoc.main(["protoc", f"-I{ROOT / 'proto'}", f"--python_out={target}", f"--pyi_out={target}", *protos])


if __name__ == "__main__":
    sys.exit(generate(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "libs/events/src"))

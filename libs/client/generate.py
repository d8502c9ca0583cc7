"""Writes ``pitstream.client.wallet`` from ``docs/openapi/wallet.json`` (``make docs``); a test holds them equal."""

import json
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from openapi_python_client import generate
from openapi_python_client.config import Config, ConfigFile, MetaType
from openapi_python_client.parser.errors import ErrorLevel

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "libs/client/src/pitstream/client/wallet"
TAGS = {"money", "accounts and statements", "webhooks", "corrections"}
"""What a platform needs; the rest of the wallet is the floor's, also what of these only other roles may do."""


def write(target: Path) -> None:
    """Generate the package at ``target``, which is replaced. Raises ValueError when the document cannot be followed."""
    document = json.loads((ROOT / "docs/openapi/wallet.json").read_text(encoding="utf-8"))
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder) / "wallet.json"
        source.write_text(json.dumps(_for_platforms(document)), encoding="utf-8")
        made = Path(folder) / "wallet"
        settings = ConfigFile(literal_enums=True, docstrings_on_attributes=True, post_hooks=[])
        faults = generate(
            config=Config.from_sources(
                settings,
                MetaType.NONE,
                document_source=source,
                file_encoding="utf-8",
                overwrite=True,
                output_path=made,
            )
        )
        if any(fault.level in (ErrorLevel.ERROR, ErrorLevel.WARNING) for fault in faults):
            raise ValueError("\n".join(f"{fault.header}: {fault.detail} {fault.data}" for fault in faults))
        for step in (["check", "--select=F401,I", "--fix"], ["format"]):
            # Its templates leave imports and blanks that nobody needs.
            command = [
                Path(sys.executable).with_name("ruff"),
                *step,
                "--isolated",
                "--quiet",
                "--line-length=120",
                made,
            ]
            subprocess.run(command, check=True)  # noqa: S603  # our own tool on our own files
        shutil.rmtree(target, ignore_errors=True)
        shutil.copytree(made, target)


def _for_platforms(document: dict[str, Any]) -> dict[str, Any]:
    """The document with the operations of ``TAGS`` alone, and what they refer to."""
    paths: dict[str, Any] = {}
    for path, operations in document["paths"].items():
        kept = {method: one for method, one in operations.items() if _is_for_platforms(one)}
        if kept:
            paths[path] = kept
    schemas, wanted, seen = document["components"]["schemas"], _references(paths), set[str]()
    while wanted - seen:
        name = min(wanted - seen)
        seen.add(name)
        wanted |= _references(schemas[name])
    components = {**document["components"], "schemas": {name: schemas[name] for name in sorted(seen)}}
    return {**document, "paths": paths, "components": components}


def _is_for_platforms(operation: dict[str, Any]) -> bool:
    roles = re.search(r"^Roles: (.*)$", operation.get("description", ""), flags=re.MULTILINE)
    return bool(TAGS.intersection(operation["tags"])) and roles is not None and "platform" in roles[1]


def _references(part: Any) -> set[str]:
    return set(re.findall(r'"#/components/schemas/([^"]+)"', json.dumps(part)))


if __name__ == "__main__":
    write(Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE)

"""``docs/settings.md`` has every variable that anybody is told to set. Method: the names in pages, manifests, Compose,
images and make are looked up there; and each name there must be read by something."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
NAME = r"PITSTREAM_[A-Z0-9_]*[A-Z0-9]"
SERVICES = ("TABLE", "SETTLEMENT", "PROGRESSIVE", "WALLET", "OPS")
TOLD = [
    "README.md", "Dockerfile", "Makefile", "docker-compose.yml", "deploy", "docs", "examples", ".ci",
]  # fmt: skip


def files(*paths: str) -> list[Path]:
    tracked = subprocess.run(["git", "ls-files", "--", *paths], cwd=ROOT, capture_output=True, text=True, check=True)
    found = [ROOT / name for name in tracked.stdout.splitlines() if name != "docs/settings.md"]
    return [file for file in found if file.suffix not in {".png", ".gz", ".svg", ".sum"} and file.exists()]


def listed() -> list[str]:
    page = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(PITSTREAM_[A-Z0-9_<>]+)` \|", page, re.MULTILINE)
    # Compose gives a service's port on this machine the name that the service has for its own.
    return [row for row in rows if not re.fullmatch(r"PITSTREAM_[A-Z]+_PORT", row) or row.split("_")[1] not in SERVICES]


def known() -> set[str]:
    return {name.replace("<SERVICE>", service) for name in listed() for service in SERVICES}


def test_no_setting_is_listed_twice() -> None:
    assert len(listed()) == len(set(listed())) > 50


@pytest.mark.parametrize("file", files(*TOLD), ids=lambda file: str(file.relative_to(ROOT)))
def test_every_name_that_is_told_is_listed(file: Path) -> None:
    assert set(re.findall(NAME, file.read_text(encoding="utf-8"))) - known() == set()


def test_every_setting_is_read_by_something() -> None:
    read = "".join(
        file.read_text(encoding="utf-8")
        for file in files("libs", "services", "tests", "docker-compose.yml", "docs/screens.py", "Makefile")
        if file.suffix in {".py", ".yml", ""}
    )
    own = {name for name in listed() if "<SERVICE>" not in name and name not in read}
    # A setting of one service is a field of its class, under the service's prefix.
    fields = set(re.findall(r"^    (\w+): ", read, re.MULTILINE))
    assert [name for name in sorted(own) if not any(name.lower().endswith(f"_{field}") for field in fields)] == []

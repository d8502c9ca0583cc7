"""The Dockerfile's steps without Docker (``make test-deploy``): the files that its COPY lines and ``.dockerignore``
let in, in a clean folder, and its script run there for every target. For another machine: the lock file has what
it needs."""

import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TARGETS = ("operator", "ops", "progressive", "settlement", "table", "wallet")
IMAGE_BYTES_MAX = 200_000_000
BASE_BYTES = 105_000_000
"""Debian's slim image, its Python, and certificates, as installed."""


def settings_missing(target: str) -> str:
    return "--port" if target == "operator" else "PITSTREAM_KAFKA"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What the build stage has at /src."""
    clean = tmp_path_factory.mktemp("image") / "src"
    let_in = [line[1:].removesuffix("/**") for line in (ROOT / ".dockerignore").read_text().split() if line[0] == "!"]
    dockerfile = (ROOT / "Dockerfile").read_text()
    copied = [
        word for line in re.findall(r"^COPY (?!--from)(.*) \S+$", dockerfile, re.MULTILINE) for word in line.split()
    ]
    assert sorted(copied) == sorted(let_in)
    listed = subprocess.run(["git", "ls-files", "-z", *copied], cwd=ROOT, capture_output=True, check=True, text=True)
    for name in listed.stdout.split("\0")[:-1]:
        if "tests" not in Path(name).parts and (ROOT / name).exists():
            (clean / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, clean / name)
    return clean


@pytest.mark.slow
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("target", TARGETS)
def test_an_image_has_all_that_it_runs_and_is_small(folder: Path, target: str) -> None:
    app = folder.parent / target
    path = f"{ROOT / '.tools/bin'}{os.pathsep}{os.environ['PATH']}"
    environ = {**os.environ, "PATH": path, "UV_PROJECT_ENVIRONMENT": str(app), "UV_LINK_MODE": "copy"}
    built = subprocess.run(
        ["deploy/build-image.sh", target], cwd=folder, env=environ, capture_output=True, text=True, check=False
    )
    assert built.returncode == 0, built.stderr
    before = {file for file in app.rglob("*") if file.is_file()}
    size = sum(file.stat().st_size for file in before if not file.is_symlink())
    print(f"{target}: {size / 1e6:.0f} MB beside the base image's {BASE_BYTES / 1e6:.0f}")  # noqa: T201
    assert BASE_BYTES + size < IMAGE_BYTES_MAX

    module = "pitstream.operator" if target == "operator" else f"pitstream.services.{target}"
    alone = {"PATH": str(app / "bin"), "PYTHONDONTWRITEBYTECODE": "1"}
    started = subprocess.run(
        ["python", "-m", module], cwd="/tmp", env=alone, capture_output=True, text=True, timeout=300, check=False
    )
    # All of it is there to be imported; then it names the settings that it was not given.
    assert started.returncode != 0
    assert settings_missing(target) in started.stderr
    assert "ModuleNotFoundError" not in started.stderr
    assert {file for file in app.rglob("*") if file.is_file()} == before


def test_whatever_an_image_needs_is_built_for_both_machines() -> None:
    packages = {package["name"]: package for package in tomllib.loads((ROOT / "uv.lock").read_text())["package"]}
    needed: set[str] = set()
    asked = [f"pitstream-{target}" for target in TARGETS]
    while asked:
        name = asked.pop()
        if name not in needed:
            needed.add(name)
            package = packages[name]
            extras = [one for some in package.get("optional-dependencies", {}).values() for one in some]
            asked += [one["name"] for one in [*package.get("dependencies", []), *extras] if "marker" not in one]
    assert {"asyncpg", "cryptography", "pydantic-core", "uvloop"} <= needed
    for name in sorted(needed):
        wheels = [wheel["url"].rpartition("/")[2] for wheel in packages[name].get("wheels", [])]
        if wheels:
            for machine in ("x86_64", "aarch64"):
                fits = rf"(cp311-cp311|cp3\d+-abi3|py3-none|py2\.py3-none)-(any|manylinux\S*_{machine}\S*)\.whl$"
                assert any(re.search(fits, wheel) for wheel in wheels), f"{name}: no wheel for {machine}"
        else:
            assert packages[name]["source"].keys() & {"editable", "directory"}, name

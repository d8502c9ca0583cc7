"""What we are made of is what was locked. Method: the lock files themselves; a secret, planted, must be found by the
scan that `make check` does."""

import base64
import secrets
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
CRATES_IO = "registry+https://github.com/rust-lang/crates.io-index"


def packages(lock: str) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = tomllib.loads((ROOT / lock).read_text())["package"]
    assert len(found) > 1
    return found


def test_every_python_package_is_ours_or_comes_from_one_index_with_its_hash() -> None:
    indexes = set()
    for package in packages("uv.lock"):
        source = package["source"]
        if "registry" not in source:
            assert set(source) <= {"editable", "virtual"}, package["name"]
            continue
        indexes.add(source["registry"])
        files = [*package.get("wheels", []), *([package["sdist"]] if "sdist" in package else [])]
        assert files, package["name"]
        assert all(file["hash"].startswith("sha256:") for file in files), package["name"]
    assert len(indexes) == 1


@pytest.mark.parametrize("lock", ["libs/evaluator/Cargo.lock", "libs/odds/Cargo.lock", "libs/wire/Cargo.lock"])
def test_every_crate_is_ours_or_comes_from_crates_io_with_its_checksum(lock: str) -> None:
    for package in packages(lock):
        if not package["name"].startswith("pitstream-"):
            assert package["source"] == CRATES_IO, package["name"]
            assert len(package["checksum"]) == 64


def planted(kind: str) -> str:
    match kind:
        case "pitstream.key":
            return "pitkey_" + base64.urlsafe_b64encode(secrets.token_bytes(32)).decode().rstrip("=")
        case "pitstream.webhook":
            return "whsec_" + base64.b64encode(secrets.token_bytes(32)).decode()
        case "private-key":
            key = base64.b64encode(bytes.fromhex("302e020100300506032b657004220420") + secrets.token_bytes(32)).decode()
            return f"-----BEGIN PRIVATE KEY-----\n{key}\n-----END PRIVATE KEY-----"
        case "jwt":
            return f"eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJmLm1vcmVhdSJ9.{secrets.token_urlsafe(64)}"
        case _:
            return f"postgresql://wallet:{secrets.token_urlsafe(20)}@10.1.2.3:5432/pitstream"


@pytest.mark.parametrize("kind", ["pitstream.key", "pitstream.webhook", "private-key", "jwt", "generic-credential-uri"])
def test_a_secret_that_is_about_to_be_kept_is_found_and_not_repeated(kind: str, tmp_path: Path) -> None:
    secret = planted(kind)
    (tmp_path / "settings.toml").write_text(f'here = """{secret}"""\n')
    found = subprocess.run(
        ["make", "-s", "secrets", f"FILES={tmp_path}/settings.toml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    told = found.stdout + found.stderr
    assert found.returncode != 0, told
    assert kind in told.lower()
    assert secret not in told


def test_what_holds_no_secret_passes(tmp_path: Path) -> None:
    (tmp_path / "settings.toml").write_text('key_ref = "file:/run/secrets/acme"\nname = "pitkey_…"\n')
    found = subprocess.run(
        ["make", "-s", "secrets", f"FILES={tmp_path}/settings.toml"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert found.returncode == 0, found.stdout + found.stderr

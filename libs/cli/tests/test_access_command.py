"""Method: the command as a person types it, in a folder of its own; what it makes is read back as the services do."""

import json
import stat
import tomllib
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner, Result

from pitstream.cli.credentials import ACCESS_FILE, KEYS_FILE, STAFF, KeysError, employ_staff, find_keys
from pitstream.cli.main import app
from pitstream.runtime.access_file import hash_of, read
from pitstream.runtime.principal import Role


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name in ("PITSTREAM_ACCESS", "PITSTREAM_KEY", "PITSTREAM_KEYS"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PITSTREAM_DATA_DIR", str(tmp_path))
    return tmp_path


def pitstream(*arguments: str, stdin: str = "") -> Result:
    return CliRunner().invoke(app, ["access", *arguments], input=stdin)


MOREAU = ("key", "f.moreau", "--role", "floorperson", "--role", "dealer", "--scope", "acme.boardwalk")


def test_a_key_is_shown_once_with_the_lines_that_let_it_in(home: Path):
    key, _, lines = pitstream(*MOREAU, "--expires", "2031-02-03").stdout.partition("\n\n")
    (entry,) = tomllib.loads(lines)["key"]
    assert str(entry.pop("expires")) == "2031-02-03 00:00:00+00:00"
    assert entry == {
        "name": "f.moreau",
        "sha256": hash_of(key),
        "roles": ["floorperson", "dealer"],
        "scopes": ["acme.boardwalk"],
    }
    assert key != pitstream(*MOREAU).stdout.partition("\n\n")[0]
    assert not list(home.iterdir())


def test_a_key_that_is_added_lets_its_holder_in_at_once(home: Path):
    key = pitstream(*MOREAU, "--add").stdout
    pitstream("key", "ops", "--role", "operations", "--scope", "*", "--add")
    assert [entry.name for entry in read(home / ACCESS_FILE).key] == ["f.moreau", "ops"]
    told = pitstream("check", "--json", stdin=key)
    assert (told.exit_code, json.loads(told.stdout)) == (
        0,
        {"name": "f.moreau", "roles": ["dealer", "floorperson"], "scopes": ["acme.boardwalk"]},
    )
    told = pitstream("check", stdin="pitkey_nobodys")
    assert (told.exit_code, told.stdout) == (1, "it lets nobody in: it was a key that is not known, or has expired\n")


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("key", "f moreau", "--role", "dealer", "--scope", "acme"), "who: was 'f moreau'"),
        (("key", "f.moreau", "--role", "dealer", "--scope", "acme.*"), "scope: was 'acme.*'"),
        (("key", "f.moreau", "--role", "dealer", "--scope", "a", "--add", "--file", "none/a"), "No such file"),
        (("check", "--file", "none/a"), "none/a: No such file or directory"),
        (("header", "dealer"), "there are no keys"),
    ],
)
def test_what_cannot_be_used_is_said(home: Path, arguments: tuple[str, ...], said: str):
    told = pitstream(*arguments)
    assert (told.exit_code, said in told.stderr) == (2, True), told.stderr


def test_an_embedded_stack_has_named_staff_with_keys_that_only_their_owner_may_read(home: Path):
    assert set(STAFF) == set(Role), "somebody for every role"
    employ_staff(home)
    first = (home / KEYS_FILE).read_text()
    employ_staff(home)
    assert (home / KEYS_FILE).read_text() == first, "they keep their keys"
    assert {stat.S_IMODE((home / file).stat().st_mode) for file in (ACCESS_FILE, KEYS_FILE)} == {0o600}
    keys = json.loads(first)
    assert {(entry.name, *entry.roles, *entry.scopes): entry.sha256 for entry in read(home / ACCESS_FILE).key} == {
        (name, role, "*"): hash_of(keys[role]) for role, name in STAFF.items()
    }
    assert pitstream("header", "cashier").stdout == f"Authorization: Bearer {keys['cashier']}\n"
    assert keys["cashier"] not in repr(find_keys(home))


def test_whose_keys_are_used_is_said_by_the_environment_first(home: Path):
    employ_staff(home)
    (home / "own.json").write_text('{"dealer": "pitkey_d"}')
    one: Any = {"Authorization": "Bearer pitkey_x"}
    assert find_keys(home, {"PITSTREAM_KEY": "pitkey_x"}).headers("dealer") == one
    own = find_keys(home, {"PITSTREAM_KEYS": str(home / "own.json")})
    assert own.headers("dealer") == {"Authorization": "Bearer pitkey_d"}
    with pytest.raises(KeysError, match="role: was 'cashier'; there are keys for dealer"):
        own.headers("cashier")
    assert find_keys(home / "elsewhere", {}).headers("dealer") == {}
    for text, said in (
        (None, "there is no such file"), ("{", "cannot be read"), ('{"dealer": 1}', "allowed: a JSON"),
        ("[" * 1500, "cannot be read: maximum recursion"),
    ):  # fmt: skip
        file = home / "bad.json"
        if text is not None:
            file.write_text(text)
        with pytest.raises(KeysError, match=said):
            find_keys(home, {"PITSTREAM_KEYS": str(file)})

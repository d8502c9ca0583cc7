"""Every block of code in the documentation is run, or read by what would read it. Method: each is of a known kind.
Guides are carried out whole; commands that need a floor are carried out on one; every other command is read by the very
parser, Makefile, OpenAPI document or manifest that it speaks to; files go through the readers that take them."""

import csv
import doctest
import io
import json
import re
import runpy
import shlex
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from pydantic import ValidationError
from typer.exceptions import TyperException
from typer.main import get_command

from pitstream.accounting.properties import read_properties
from pitstream.cli.main import app
from pitstream.cli.statement_file import StatementFileError, StatementLine, read_statement
from pitstream.games.paytables import PaytableError, Paytables, bundled
from pitstream.games.registry import ENTRY_POINTS
from pitstream.operator.app import request_signature
from pitstream.runtime.access_file import AccessFile, SessionsEntry
from pitstream.runtime.passwords import hash_password

ROOT = Path(__file__).parents[2]
PAGES = [
    *(ROOT / name for name in ("README.md", "CHANGELOG.md", "libs/evaluator/README.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
    *sorted((ROOT / "examples").rglob("*.md")),
]
GUIDES = {"docs/first-hour.md", "docs/connect-your-platform.md"}
"""Carried out from the first block to the last, each one's output compared: ``test_the_guides_are_followed``."""
CARRIED_OUT = {
    "docs/archive.md": "tests/e2e/alone/test_the_pages_commands_work.py",
    "docs/audit.md": "tests/e2e/alone/test_the_pages_commands_work.py",
    "docs/disputes.md": "tests/e2e/test_a_disputed_round_is_corrected.py",
    "docs/operations.md": "tests/e2e/test_the_suite_is_upgraded_and_restored.py",
    "docs/replay.md": "tests/e2e/alone/test_the_pages_commands_work.py",
    "docs/table-accounting.md": "tests/e2e/alone/test_the_pages_commands_work.py",
}
"""Pages whose commands need a floor, and what carries them out there."""
QUERIES = {
    "docs/archive.md": "libs/archive/tests/test_documented_queries_run.py",
    "docs/audit.md": "services/settlement/src/pitstream/services/settlement/invariants.sql",
}
"""Pages with SQL, and what runs it: a test, or the file that it is an excerpt of."""


@dataclass(frozen=True)
class Block:
    """A block of code, where it begins, and the language that it says it is in."""

    page: str
    line: int
    language: str
    text: str
    follows: str
    """The language of the block right before it, with nothing between the two."""


def blocks() -> Iterator[Block]:
    for page in PAGES:
        name, text = str(page.relative_to(ROOT)), page.read_text(encoding="utf-8")
        end, before = -1, ""
        for found in re.finditer(r"^( *)```([^\n]*)\n(.*?)^\1```$\n?", text, flags=re.MULTILINE | re.DOTALL):
            follows = before if found.start() == end else ""
            end, before = found.end(), found[2]
            yield Block(name, text.count("\n", 0, found.start()) + 1, found[2], found[3], follows)


BLOCKS = list(blocks())


def test_every_fence_opens_or_closes_a_block() -> None:
    fences = sum(len(re.findall(r"^ *```", page.read_text(encoding="utf-8"), re.MULTILINE)) for page in PAGES)
    assert fences == 2 * len(BLOCKS)
    assert len(BLOCKS) > 80


def commands(text: str) -> Iterator[list[str]]:
    """The words of each command. A quoted word may have lines of its own."""
    bare = re.sub(r"(?m)(^|\s)#.*$", "", text.replace("\\\n", " "))
    lexer = shlex.shlex(bare, posix=True, punctuation_chars="\n")
    lexer.whitespace, lexer.whitespace_split, lexer.commenters = " \t", True, ""
    words: list[str] = []
    for word in [*lexer, "\n"]:
        if set(word) != {"\n"}:
            words.append(word)
        elif words:
            yield words
            words = []


def pitstream(words: Sequence[str]) -> None:
    """The command's own parser takes it, and every value has the type that it asks for."""
    command, path, rest = get_command(app), ["pitstream"], list(words)
    while hasattr(command, "commands"):
        path.append(rest.pop(0))
        command = command.commands[path[-1]]
    with command.make_context(" ".join(path), rest):
        pass


MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def make(words: Sequence[str]) -> None:
    """The target is there, and looks at the variables that are given."""
    for word in words:
        variable, given, _ = word.partition("=")
        assert f"$({variable})" in MAKEFILE if given else re.search(rf"^{word}:", MAKEFILE, re.MULTILINE), word


def export(words: Sequence[str]) -> None:
    """A setting of the services, as their list has it."""
    listed = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    for word in words:
        assert f"| `{word.partition('=')[0]}` |" in listed, word


def kubectl(words: Sequence[str]) -> None:
    """A folder that Kustomize builds, or a secret that the services of that namespace ask for."""
    if words[:2] == ["apply", "-k"]:
        assert (ROOT / words[2] / "kustomization.yaml").exists()
        assert len(words) == 3
        return
    what, (name, flag, namespace, file) = words[:3], words[3:]
    assert (what, flag) == (["create", "secret", "generic"], "-n")
    manifests = [
        one for path in (ROOT / "deploy/k8s").rglob("*.yaml") for one in yaml.safe_load_all(path.read_text()) if one
    ]
    spaces = {one["metadata"]["name"] for one in manifests if one.get("kind") == "Namespace"}
    assert namespace in spaces
    assert f"secretName: {name}" in yaml.safe_dump(manifests)
    assert file.startswith("--from-file=")


def curl(words: Sequence[str]) -> None:
    """An operation of a service's OpenAPI document, with the headers that it needs and a body of its schema."""
    given = dict(pairwise(words))
    headers = [value.partition(":")[0] for flag, value in pairwise(words) if flag == "-H"]
    (url,) = (word for word in words if word.startswith("$"))
    service, _, path = url.removeprefix("$").partition("/")
    document = json.loads((ROOT / f"docs/openapi/{service.lower()}.json").read_text(encoding="utf-8"))
    (template,) = (one for one in document["paths"] if re.fullmatch(re.sub(r"\{\w+\}", "[^/]+", one), f"/{path}"))
    operation = document["paths"][template][given.get("-X", "GET").lower()]
    assert "Authorization" in headers
    if "requestBody" in operation:
        assert {"Idempotency-Key", "Content-Type"} <= set(headers)
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        whole = {**schema, "components": document["components"]}
        jsonschema.Draft202012Validator(whole).validate(json.loads(given["-d"]))


def go(words: Sequence[str]) -> None:
    """A flag of the example's own program; ``generate`` is in its sources."""
    program = (ROOT / "examples/go-winners/main.go").read_text(encoding="utf-8")
    if list(words) == ["generate"]:
        assert "//go:generate" in program
        return
    assert words[:2] == ["run", "."]
    flags = {word.removeprefix("-") for word in words[2:] if word.startswith("-")}
    assert flags <= set(re.findall(r'flag\.\w+\("([\w-]+)"', program))


def cargo(words: Sequence[str]) -> None:
    """Documentation of a crate that is there; ``make check`` builds it."""
    assert words[0] == "doc"
    assert (ROOT / words[words.index("--manifest-path") + 1]).exists()
    assert "cargo doc --quiet --no-deps --manifest-path $$crate" in MAKEFILE


PROGRAMS: dict[str, Callable[[Sequence[str]], None]] = {
    "pitstream": pitstream,
    "make": make,
    "export": export,
    "kubectl": kubectl,
    "curl": curl,
    "go": go,
    "cargo": cargo,
}


def shell(block: Block) -> None:
    subprocess.run(["bash", "-n"], input=block.text, text=True, check=True)
    if block.page in GUIDES:
        return
    carried_out = CARRIED_OUT.get(block.page)
    if carried_out is not None:
        assert Path(block.page).name in (ROOT / carried_out).read_text(encoding="utf-8")
    for program, *words in commands(block.text):
        # PostgreSQL's own programs are run where the page is carried out.
        if not (carried_out and program.startswith("pg_")):
            PROGRAMS[program](words)


def output(block: Block) -> None:
    """What is seen after a guide's commands: compared where the guide is followed."""
    assert block.page in GUIDES
    assert block.follows == "sh"


def sql(block: Block) -> None:
    runs = ROOT / QUERIES[block.page]
    if runs.suffix == ".sql":
        assert block.text in runs.read_text(encoding="utf-8")
    else:
        assert Path(block.page).name in runs.read_text(encoding="utf-8")


def python(block: Block) -> None:
    """An example that is run; or an excerpt of a file of the project's, word for word."""
    if block.text.startswith(">>> "):
        test = doctest.DocTestParser().get_doctest(block.text, {}, block.page, block.page, block.line)
        assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test).failed == 0
        return
    compile(block.text, block.page, "exec")
    assert block.text in (ROOT / "tests/simulation/simulated/mutants.py").read_text(encoding="utf-8")


def toml(block: Block) -> None:
    """Each in the reader of the file that it shows."""
    parsed = tomllib.loads(block.text)
    if "project" in parsed:
        (module,) = parsed["project"]["entry-points"][ENTRY_POINTS].values()
        assert {"GAME", "settle"} <= set(runpy.run_path(str(ROOT / f"tests/further_game/{module}.py")))
    elif "dependencies" in parsed:
        for name, where in parsed["dependencies"].items():
            crate = tomllib.loads((ROOT / where["path"] / "Cargo.toml").read_text(encoding="utf-8"))
            assert crate["package"]["name"] == name
    elif {"key", "issuer", "user", "sessions"} & set(parsed):
        if "sessions" in parsed:
            # The file that it names lies beside the reader's own.
            SessionsEntry.model_validate(parsed.pop("sessions"))
        for user in parsed.get("user", ()):
            assert user["password"] == "scrypt$…"
            user["password"] = hash_password("a password")
        AccessFile.model_validate(parsed)
    elif "default" in parsed:
        with tempfile.NamedTemporaryFile("w", suffix=".toml") as file:
            file.write(block.text)
            file.flush()
            read_properties(Path(file.name))
    else:
        found = {table.name for table in Paytables(block.text, beside=bundled())} - {one.name for one in bundled()}
        assert found == {
            ".".join((game, wager, id_)) for game in parsed for wager in parsed[game] for id_ in parsed[game][wager]
        }


def a_csv(block: Block) -> None:
    """An operator's statement, every line of it readable."""
    lines = list(read_statement(io.StringIO(block.text)))
    assert [type(line) for line in lines] == [StatementLine] * (len(list(csv.reader(io.StringIO(block.text)))) - 1)


def a_json(block: Block) -> None:
    """What the Go example prints: the fields of its own structure, in their order."""
    program = (ROOT / "examples/go-winners/main.go").read_text(encoding="utf-8")
    always = [name for name, rare in re.findall(r'`json:"(\w+)(,omitempty)?"`', program) if not rare]
    for line in block.text.splitlines():
        assert list(json.loads(line)) == always


def text(block: Block) -> None:
    """What no program reads: each has the check that it can have."""
    if block.page == "docs/seamless.md":
        signed, _, header = block.text.rstrip("\n").partition("\n\n")
        _, path, timestamp, body = signed.split("\n")
        assert header == "Pitstream-Signature: " + request_signature(b"a shared secret", path, timestamp, body.encode())
    else:
        assert block.page == "docs/archive.md"
        sources = "".join(file.read_text() for file in (ROOT / "libs/archive/src").rglob("*.py"))
        for name in re.findall(r"[\w.]+\.(?:json|sig|parquet)", block.text):
            assert name == "000.parquet" or name.removesuffix(".sig") in sources, name


KINDS: dict[str, Callable[[Block], Any]] = {
    "sh": shell,
    "": output,
    "sql": sql,
    "python": python,
    "toml": toml,
    "csv": a_csv,
    "json": a_json,
    "text": text,
}


@pytest.mark.parametrize("block", BLOCKS, ids=[f"{block.page}:{block.line}" for block in BLOCKS])
def test_the_block_is_of_a_known_kind_and_right(block: Block) -> None:
    KINDS[block.language](block)


def test_every_page_that_is_carried_out_has_commands() -> None:
    assert {*GUIDES, *CARRIED_OUT} <= {block.page for block in BLOCKS if block.language == "sh"}


@pytest.mark.parametrize(
    ("language", "wrong", "expected"),
    [
        ("sh", "pitstream replay uth-04/17 --sideways\n", TyperException),
        ("sh", "pitstream par ultimate_texas_holdem --players many\n", TyperException),
        ("sh", "pitstream dance\n", KeyError),
        ("sh", "make tea\n", AssertionError),
        ("sh", "export PITSTREAM_NOTHING=1\n", AssertionError),
        ("sh", "kubectl apply -k deploy/k8s/overlays/moon\n", AssertionError),
        ("sh", 'curl "$WALLET/v1/nowhere" -H "Authorization: Bearer $KEY"\n', ValueError),
        ("sh", "rm -rf /\n", KeyError),
        ("sh", "if true\n", subprocess.CalledProcessError),
        ("python", ">>> 1 + 1\n3\n", AssertionError),
        ("python", "print(1)\n", AssertionError),
        ("toml", '[ultimate_texas_holdem.trips.x]\nbasis = "to 2"\n', PaytableError),
        ("toml", '[[key]]\nname = "x"\nroles = ["king"]\n', ValidationError),
        ("csv", "transaction_id\nx\n", StatementFileError),
        ("json", '{"table": "uth-01"}\n', AssertionError),
        ("sql", "SELECT 1\n", KeyError),
        ("rust", "fn main() {}\n", KeyError),
        ("", "output of nothing\n", AssertionError),
    ],
)
def test_a_wrong_block_is_found(language: str, wrong: str, expected: type[Exception]) -> None:
    block = Block("docs/index.md", 1, language, wrong, "")
    with pytest.raises(expected):
        KINDS[language](block)

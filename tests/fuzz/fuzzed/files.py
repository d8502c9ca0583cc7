"""Files that people and other systems write, read by the functions that the commands call.

Where a file is read line by line, good lines stand before and behind the one that was made wrong, and come to what they
come to alone.
"""

import asyncio
import base64
import importlib.util
import json
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from types import ModuleType
from typing import Any, Final

from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from naive_settlement import comparable, judge
from random_records import random_record

from fuzzed.mutation import bytes_changed, json_changed, text_changed
from fuzzed.target import Broken
from pitstream.accounting.properties import PropertiesFileError, read_properties
from pitstream.archive.manifest import MANIFEST, read_part
from pitstream.archive.stored import SourceError
from pitstream.archive.verify import verify
from pitstream.cli.credentials import KeysError, find_keys
from pitstream.cli.evening import MeterTerms, evening_of
from pitstream.cli.feed import expected_results, record_lines
from pitstream.cli.options import UnusableError
from pitstream.cli.statement_file import StatementFileError, StatementLine, read_statement
from pitstream.games.paytables import PaytableFileError, bundled, with_property_s
from pitstream.games.record import RecordError
from pitstream.games.record_json import CODES
from pitstream.games.settle_file import settle_lines, settlement_line
from pitstream.runtime.access_file import AccessFileError, hash_of
from pitstream.runtime.access_file import read as read_access
from pitstream.runtime.signing import KeyFileError, public_key
from pitstream.runtime.tokens import jwks_of, keys_of

ROOT: Final = Path(__file__).parents[3]
SECRET: Final = "pitkey_this-is-a-key-and-no-hash"
"""Stands where a hash of it belongs: whatever is said of such a file must not tell it."""
ID: Final = "4f0c3a52-1f0f-5e0e-9a3b-0f1c7f5f6a1{}"
STATEMENT: Final = (
    "transaction_id,reference,player,currency,kind,amount,at\n",
    f"{ID.format(0)},,acme:p001,USD,debit,2500,2026-03-28T21:04:11Z\n",
    f"{ID.format(1)},{ID.format(0)},acme:p002,JPY,rollback,9007199254740993,2026-03-28T21:04:12+09:00\n",
)
ACCESS: Final = f"""
[[key]]
name = "f.moreau"
sha256 = "{hash_of("a")}"
roles = ["floorperson"]
scopes = ["acme.boardwalk"]
expires = 2027-01-01T00:00:00Z

[[key]]
name = "s.late"
sha256 = "{SECRET}"
roles = ["dealer"]
scopes = ["*"]

[[issuer]]
name = "acme"
issuer = "https://login.acme.example"
audience = "pitstream"
jwks = "https://login.acme.example/keys"
roles = ["platform", "cashier"]
scopes = ["acme"]
leeway_s = 30

[[user]]
name = "f.moreau"
password = "scrypt${"A" * 22}${"B" * 43}"
roles = ["floorperson"]
scopes = ["acme.boardwalk"]

[sessions]
jwks = "sessions.jwks.json"
"""
PROPERTIES: Final = """
[default]
time_zone = "America/New_York"
day_begins = 06:00:00
shifts = { day = 06:00:00, swing = 14:00:00, grave = 22:00:00 }

[properties."acme.boardwalk"]
time_zone = "America/Chicago"
day_begins = 05:00:00
shifts = { day = 05:00:00, night = 17:00:00 }
"""
PAYTABLES: Final = """
[ultimate_texas_holdem.trips.harbour]
basis = "to 1"
standing = "house"
source = "the property's own"
from = 2024-03-23
to = 2027-01-01
pays = { royal_flush = 50, straight_flush = 40, four_of_a_kind = 30, full_house = 9, flush = 7, straight = 4 }

[[ultimate_texas_holdem.progressive.harbour]]
basis = "for 1"
standing = "house"
source = "the property's own"
pays = { royal_flush = { meter = "main", percent = 100 }, straight_flush = { meter = "main", percent = 10 } }
envy = { royal_flush = 1000 }
"""
_OPENINGS: Final = re.compile(
    r"was |were |not JSON: |nested too deeply$|field .* is given twice|unknown |ended after \d|pays |a share of meter "
)


class Files:
    """Round records, paytables, access files, property files, statements, archives, keys, expected results."""

    name = "files"
    outcomes = frozenset(
        {"rounds settled", "rounds refused"}
        | {
            f"{kind} {how}"
            for kind in ("paytables", "access", "properties", "statement")
            for how in ("read", "refused")
        }
        | {f"{kind} {how}" for kind in ("manifest", "key", "keys", "jwks", "expected") for how in ("read", "refused")}
        | {"archive held", "archive refused"}
    )

    def __init__(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="pitstream-fuzz-"))
        self._good = _good_lines()
        self._alone = [_told(line)[0] for line in self._good]
        key = Ed25519PrivateKey.from_private_bytes(bytes(range(32)))
        self._key = key.public_key()
        self._archive = self._folder / "archive"
        asyncio.run(_archived(self._archive, key))
        self._of_archive = sorted(file for file in self._archive.rglob("*") if file.is_file())
        pem = self._key.public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo)
        results = {"players": {"p1": -5}, "totals": {}, "meters": {"n": {"main": 1}}, "rounds": 1}
        totals = {"stake": 5, "returned": 0, "won": 0, "awards": 0}
        self._texts: dict[str, tuple[bytes, ...]] = {
            "paytables": (PAYTABLES.encode(), (ROOT / "tests/further_game/mississippi_stud.toml").read_bytes()),
            "access": (ACCESS.encode(), ACCESS.replace(SECRET, hash_of("b")).encode()),
            "properties": (PROPERTIES.encode(),),
            "statement": tuple(line.encode() for line in STATEMENT[1:]),
            "manifest": tuple(file.read_bytes() for file in self._of_archive if file.name == MANIFEST),
            "key": (pem,),
            "keys": (json.dumps({"dealer": "pitkey_a", "floorperson": "pitkey_b"}).encode(),),
            "jwks": (jwks_of(key).encode(), (ROOT / "tests/fuzz/fuzzed/jwks.json").read_bytes()),
            "expected": (json.dumps(results | {"totals": {"flop_poker": {"ante": totals}}}).encode(),),
        }

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def draw(self, chance: random.Random) -> bytes:
        kind = chance.choices(list(_WEIGHTS), weights=list(_WEIGHTS.values()))[0]
        said: dict[str, Any] = {"kind": kind}
        if kind == "rounds":
            content = self._line(chance)
            said |= {"beside": chance.randrange(len(self._good)), "fed": chance.random() < 0.2}
        elif kind == "archive":
            at = chance.randrange(len(self._of_archive))
            content, other = (self._content(one) for one in (at, chance.randrange(len(self._of_archive))))
            content = content if chance.random() < 0.15 else bytes_changed(content, chance, other)
            said["file"] = self._of_archive[at].relative_to(self._archive).as_posix()
        else:
            content, other = chance.choice(self._texts[kind]), chance.choice(self._texts[kind])
            for _ in range(chance.choice((0, 1, 1, 1, 2, 3))):
                content = text_changed(content, chance, other)
        return json.dumps({**said, "content": base64.b64encode(content).decode()}).encode()

    def _content(self, at: int) -> bytes:
        return self._of_archive[at].read_bytes()

    def _line(self, chance: random.Random) -> bytes:
        record: Any = random_record(f"made-{chance.randrange(400)}")
        other = self._good[chance.randrange(len(self._good))]
        if chance.random() < 0.2:
            return text_changed(json.dumps(record).encode(), chance, other)
        for _ in range(chance.choice((0, 1, 1, 1, 2, 4))):
            record = json_changed(record, chance)
        return json.dumps(record, ensure_ascii=chance.random() < 0.7).encode(errors="surrogatepass")

    def feed(self, data: bytes) -> str:
        told = json.loads(data)
        kind, content = told["kind"], base64.b64decode(told["content"])
        if kind == "rounds":
            return self._rounds(content, told["beside"], fed=told["fed"])
        if kind == "archive":
            return self._verified(self._archive / told["file"], content)
        return f"{kind} {_READ[kind](self, content)}"

    def _rounds(self, made: bytes, beside: int, *, fed: bool) -> str:
        before, behind = beside, (beside + 1) % len(self._good)
        content = self._good[before] + b"\n" + made + b"\n" + self._good[behind]
        lines = content.split(b"\n")
        told = _told(*lines)
        if (told[0], told[-1]) != (self._alone[before], self._alone[behind]):
            raise Broken(f"good lines came to {told[0][:300]} and {told[-1][:300]}")
        if len(told) != sum(bool(line.strip(b" \t\r\n")) for line in lines):
            raise Broken(f"{len(told)} answers to {len(lines)} lines")
        refused = 0
        for line, answer in zip([one for one in lines if one.strip(b" \t\r\n")], told, strict=True):
            refused += _answered(line, json.loads(answer))
        if fed:
            self._fed(content, answers=len(told), refused=refused)
        return "rounds refused" if refused else "rounds settled"

    def _fed(self, content: bytes, *, answers: int, refused: int) -> None:
        """A feed plays what is settled, and names what it leaves out."""
        file = self._write("rounds.jsonl", content)
        evening = evening_of(record_lines(str(file)), MeterTerms())
        if len(evening.rounds) + len(evening.faults) != answers or len(evening.faults) < refused:
            raise Broken(f"a feed plays {len(evening.rounds)} and leaves out {evening.faults}; settled: {answers}")
        if any("\n" in fault for fault in evening.faults):
            raise Broken(f"more than a sentence: {evening.faults}")

    def _verified(self, file: Path, content: bytes) -> str:
        was = file.read_bytes()
        file.write_bytes(content)
        try:
            verdict = verify(self._archive, self._key)
        except SourceError:
            return "archive refused"
        finally:
            file.write_bytes(was)
        for fault in verdict.faults:
            str(fault)
        if verdict.holds != (content == was):
            raise Broken(f"{file.name}: the archive {'holds' if verdict.holds else 'does not hold'}")
        return "archive held" if verdict.holds else "archive refused"

    def _paytables(self, content: bytes) -> str:
        file = self._write("paytables.toml", content)
        try:
            known = with_property_s(file)
        except PaytableFileError as error:
            found = re.match(re.escape(str(file)) + r": line (\d+): ", str(error))
            if found is None or not 1 <= int(found[1]) <= content.count(b"\n") + 1:
                raise Broken(f"no line of the file: {str(error)[:500]}") from error
            return "refused"
        for table in bundled():
            if table not in known.periods[table.game, table.wager, table.id]:
                raise Broken(f"{table.name} is another one now")
        if _told(self._good[0], paytables=known) != [self._alone[0]]:
            raise Broken("a round on the bundled paytables came to something else")
        return "read"

    def _access(self, content: bytes) -> str:
        file = self._write("access.toml", content)
        try:
            read_access(file)
        except AccessFileError as error:
            if not str(error).startswith(f"{file}: ") or SECRET in str(error):
                raise Broken(f"says {error}") from error
            return "refused"
        return "read"

    def _properties(self, content: bytes) -> str:
        file = self._write("properties.toml", content)
        try:
            found = read_properties(file)
        except PropertiesFileError as error:
            return _named(file, error)
        calendar = found.calendar_of("acme.boardwalk")
        for moment_us in (0, 1_774_900_000_000_000):
            if calendar.shift_at(date(2026, 3, 28), moment_us) not in calendar.shift_names:
                raise Broken("a shift that the file has not")
        return "read"

    def _statement(self, content: bytes) -> str:
        file = self._write("statement.csv", b"".join(line.encode() for line in STATEMENT[:2]) + content + b"\n")
        with file.open("ab") as opened:
            opened.write(STATEMENT[2].encode())
        try:
            with file.open(encoding="utf-8", newline="") as lines:
                found = list(read_statement(lines))
        except UnicodeDecodeError:
            return "refused"  # the command says so of the whole file
        except StatementFileError as error:
            raise Broken(f"the header is right: {error}") from error
        good = [one.transaction_id for one in found if isinstance(one, StatementLine)]
        if good[:1] + good[-1:] != [ID.format(0), ID.format(1)]:
            raise Broken(f"good lines were not read: {found}")
        wrong = [one for one in found if not isinstance(one, StatementLine)]
        if any("was" not in one.says for one in wrong):
            raise Broken(f"says {wrong}")
        return "refused" if wrong else "read"

    def _manifest(self, content: bytes) -> str:
        file = self._write(MANIFEST, content)
        try:
            part = read_part(file.parent)
        except SourceError:
            return "refused"
        part.manifest.text()
        return "read"

    def _public_key(self, content: bytes) -> str:
        file = self._write("audit.pub", content)
        try:
            public_key(file)
        except KeyFileError as error:
            return _named(file, error)
        return "read"

    def _keys(self, content: bytes) -> str:
        file = self._write("keys.json", content)
        try:
            find_keys(self._folder, {"PITSTREAM_KEYS": str(file)})
        except KeysError as error:
            return _named(file, error)
        return "read"

    def _jwks(self, content: bytes) -> str:
        try:
            keys_of(content)
        except ValueError:
            return "refused"
        return "read"

    def _expected(self, content: bytes) -> str:
        file = self._write("expected.json", content)
        try:
            expected_results(file)
        except UnusableError as error:
            return _named(file, error)
        return "read"

    def _write(self, name: str, content: bytes) -> Path:
        file = self._folder / name
        file.write_bytes(content)
        return file


_WEIGHTS: Final[Mapping[str, float]] = {
    "rounds": 48, "paytables": 14, "access": 10, "properties": 8, "statement": 8, "manifest": 4, "expected": 3,
    "jwks": 3, "keys": 2, "key": 2, "archive": 0.2,
}  # fmt: skip
_READ: Final[Mapping[str, Callable[[Files, bytes], str]]] = {
    "paytables": Files._paytables,
    "access": Files._access,
    "properties": Files._properties,
    "statement": Files._statement,
    "manifest": Files._manifest,
    "key": Files._public_key,
    "keys": Files._keys,
    "jwks": Files._jwks,
    "expected": Files._expected,
}


def _named(file: Path, error: Exception) -> str:
    if str(file) not in str(error):
        raise Broken(f"does not name the file: {error}") from error
    return "refused"


def _told(*lines: bytes, paytables: Any = None) -> list[str]:
    return [settlement_line(one) for one in settle_lines(lines, paytables)]


def _answered(line: bytes, answer: dict[str, Any]) -> bool:
    """Whether the line was refused, in words that say why. What was settled came to what the judge says."""
    if "error" not in answer:
        record = json.loads(line.strip(b" \t\r\n").removeprefix(b"\xef\xbb\xbf"))
        if comparable(answer) != judge(record):
            raise Broken(f"was {answer}; the judge says {judge(record)}")
        return False
    error = answer["error"]
    if error["code"] not in CODES or not _OPENINGS.match(error["message"]):
        raise Broken(f"says {error}")
    return True


def _good_lines() -> list[bytes]:
    """Records of few seats that settle."""
    found, number = [], 0
    while len(found) < 40:
        number += 1
        record = random_record(f"good-{number}")
        if len(record["seats"]) < 3 and not isinstance(next(settle_lines([json.dumps(record).encode()])), RecordError):
            found.append(json.dumps(record).encode())
    return found


async def _archived(folder: Path, key: Ed25519PrivateKey) -> None:
    made = _archive_tests()
    await made.archived_in(folder, made.three_days(), key)


def _archive_tests() -> ModuleType:
    """What the archive's own tests make their archive with; test folders are no packages."""
    file = ROOT / "libs/archive/tests/conftest.py"
    spec = importlib.util.spec_from_file_location("pitstream_archive_tests", file)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(file)
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    return module

"""Whatever is changed in an archive is found and named. Method: a seeded hand does one thing to a copy of an archive,
``verify`` must name the file, and the event where one was touched. Every seed can be run alone."""

import random
import shutil
from pathlib import Path
from typing import Any

import pytest
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

from pitstream.archive.files import rows_of
from pitstream.archive.manifest import MANIFEST, read_part, read_parts, sha256_of
from pitstream.archive.rows import SCHEMA, Row, row_of, stored_of
from pitstream.archive.stored import TOPICS, Stored, fault_of
from pitstream.archive.testing import KINDS, Tampering, tampered
from pitstream.archive.verify import Verdict, verify
from pitstream.archive.write import _Files, archive_day
from pitstream.events import Envelope, envelope_hash
from pitstream.events.model import INT64_MAX

SEEDS = 12
"""Of each kind, in the normal run."""
MANY = 80
BYTES = 60
MANY_BYTES = 500


def rewritten(folder: Path, topic: str, tampering: Tampering, originals: list[Row]) -> None:
    """The topic's files of a part, written anew with what the tampering left: as good Parquet as before."""
    events = [stored_of(row, "") for row in originals]
    of_event = {id(stored): row for stored, row in zip(events, originals, strict=True)}
    shutil.rmtree(folder / topic)
    with _Files(folder, f"{topic}/{{:03}}.parquet", SCHEMA) as files:
        for place, stored in enumerate(after := tampering.done(events)):
            row = of_event.get(id(stored)) or changed_row(stored, originals[min(place, len(originals) - 1)])
            files.add(row)
    if not after:
        with _Files(folder, f"{topic}/{{:03}}.parquet", SCHEMA) as files:
            files._rows = []


def changed_row(stored: Stored, original: Row) -> Row:
    if fault_of(stored) is None:
        row = row_of(stored, original["day"].isoformat())
    else:
        row = original | {
            "key": stored.key, "sequence": stored.sequence, "stream": stored.stream, "version": stored.version,
            "event_id": stored.event_id, "type": stored.type, "recorded_at": stored.recorded_at_us,
            "hash": stored.hash, "envelope": stored.data,
        }  # fmt: skip
    for name in ("sequence", "version", "recorded_at"):
        row[name] = max(-INT64_MAX, min(row[name], INT64_MAX))
    return row


def cover_up(folder: Path) -> None:
    """Make the manifest say what the files are now. Nobody without the key can sign that."""
    manifest = read_part(folder).manifest
    entries = [
        entry.model_copy(
            update={"sha256": sha256_of(folder / entry.path), "bytes": (folder / entry.path).stat().st_size}
        )
        for entry in manifest.files
        if (folder / entry.path).exists()
    ]
    (folder / MANIFEST).write_bytes(manifest.model_copy(update={"files": tuple(entries)}).text())


def is_named(verdict: Verdict, tampering: Tampering) -> bool:
    return any(named in str(fault) for named in tampering.named for fault in verdict.faults)


def tamper_with_events(archived: Any, tmp_path: Path, kind: str, seed: int) -> tuple[Verdict, Tampering]:
    rng = random.Random(f"{kind}/{seed}")
    copy = archived.copied(tmp_path / f"{kind}-{seed}")
    part = rng.choice(read_parts(copy))
    topic = rng.choice([topic for topic in TOPICS if part.manifest.files_of(topic)])
    originals = [row for entry in part.manifest.files_of(topic) for row, _ in rows_of(part.folder / entry.path)]
    tampering = tampered([stored_of(row, "") for row in originals], rng, kind)
    rewritten(part.folder, topic, tampering, originals)
    if rng.random() < 0.5:
        cover_up(part.folder)
    verdict = verify(copy, archived.key.public_key())
    shutil.rmtree(copy)
    return verdict, tampering


@pytest.mark.parametrize("kind", KINDS)
def test_an_event_that_was_tampered_with_is_named(archived, tmp_path, kind):
    unnamed = []
    for seed in range(SEEDS):
        verdict, tampering = tamper_with_events(archived, tmp_path, kind, seed)
        if not is_named(verdict, tampering):
            unnamed.append((seed, tampering.told, [str(fault) for fault in verdict.faults[:5]]))
    assert unnamed == []


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_many_events_that_were_tampered_with_are_named(archived, tmp_path, kind):
    found = 0
    for seed in range(SEEDS, SEEDS + MANY):
        verdict, tampering = tamper_with_events(archived, tmp_path, kind, seed)
        assert is_named(verdict, tampering), (kind, seed, tampering.told, verdict.faults[:5])
        found += 1
    print(f"archive: {kind}: {found} of {MANY} tamperings named")  # noqa: T201  # the figure of the proof


def flip_a_byte(archived: Any, tmp_path: Path, seed: int) -> tuple[Verdict, Path]:
    """One byte of one file, whichever: events, lists, manifests, signatures, checkpoints."""
    rng = random.Random(f"flip/{seed}")
    copy = archived.copied(tmp_path / f"flip-{seed}")
    files = sorted(file for file in copy.rglob("*") if file.is_file())
    file = rng.choice(files)
    content = bytearray(file.read_bytes())
    content[rng.randrange(len(content))] ^= rng.randrange(1, 256)
    file.write_bytes(content)
    verdict = verify(copy, archived.key.public_key())
    shutil.rmtree(copy)
    return verdict, file.relative_to(copy)


def test_one_changed_byte_of_any_file_is_found_and_the_file_named(archived, tmp_path):
    unnamed = []
    for seed in range(BYTES):
        verdict, file = flip_a_byte(archived, tmp_path, seed)
        if not names_file(verdict, file):
            unnamed.append((seed, str(file), [str(fault) for fault in verdict.faults[:5]]))
    assert unnamed == []


def names_file(verdict: Verdict, file: Path) -> bool:
    # A signature is named by what it signs.
    return any(str(fault.where).startswith(file.as_posix().removesuffix(".sig")) for fault in verdict.faults)


@pytest.mark.slow
def test_many_changed_bytes_are_found_and_the_file_named(archived, tmp_path):
    for seed in range(BYTES, BYTES + MANY_BYTES):
        verdict, file = flip_a_byte(archived, tmp_path, seed)
        assert names_file(verdict, file), (seed, file, verdict.faults[:5])
    print(f"archive: {MANY_BYTES} changed bytes of any file, each found, and the file named")  # noqa: T201


def event_file(copy: Path, rng: random.Random) -> Path:
    return rng.choice(sorted(copy.glob("2*/*.v1/*.parquet")))


def test_one_changed_byte_of_an_events_own_bytes_names_that_event(archived, tmp_path):
    """Events' bytes are not packed, so that a changed one can be told from the others."""
    for seed in range(BYTES // 2):
        rng = random.Random(f"own/{seed}")
        copy = archived.copied(tmp_path / f"own-{seed}")
        file = event_file(copy, rng)
        stored = rng.choice([stored_of(row, "") for row, _ in rows_of(file)])
        content = bytearray(file.read_bytes())
        at = content.index(stored.data) + rng.randrange(len(stored.data))
        content[at] ^= rng.randrange(1, 256)
        file.write_bytes(content)
        verdict = verify(copy, archived.key.public_key())
        where = file.relative_to(copy).as_posix()
        named = {(fault.code, fault.where.partition(" row")[0], fault.event_id) for fault in verdict.faults}
        assert ("file_changed", where, "") in named, seed
        assert ("hash_differs", where, stored.event_id) in named, (seed, verdict.faults)
        shutil.rmtree(copy)


def whole(verdict: Verdict) -> list[tuple[str, str]]:
    return [(fault.code, fault.where) for fault in verdict.faults]


DAY, LAST = "2026-03-28", "2026-03-29"
EVENTS = f"{DAY}/rounds.v1/000.parquet"
SAYS = f"{DAY}/manifest.json"
TAKEN = "checkpoints/rounds.v1"


def remove(path: str):
    def act(copy: Path) -> None:
        target = copy / path
        shutil.rmtree(target) if target.is_dir() else target.unlink()

    return act


def rename(path: str, to: str):
    def act(copy: Path) -> None:
        (copy / path).rename(copy / to)

    return act


def exchange(path: str, other: str):
    def act(copy: Path) -> None:
        first, second = (copy / path).read_bytes(), (copy / other).read_bytes()
        (copy / path).write_bytes(second)
        (copy / other).write_bytes(first)

    return act


def add(path: str, content: bytes = b"more"):
    def act(copy: Path) -> None:
        (copy / path).write_bytes(content)

    return act


def truncate(path: str):
    def act(copy: Path) -> None:
        content = (copy / path).read_bytes()
        (copy / path).write_bytes(content[:-1])

    return act


def copy_part(path: str, to: str):
    def act(copy: Path) -> None:
        shutil.copytree(copy / path, copy / to)

    return act


@pytest.mark.parametrize(
    ("done", "code", "where"),
    [
        pytest.param(remove(EVENTS), "file_missing", EVENTS, id="a file of events is removed"),
        pytest.param(
            rename(EVENTS, f"{DAY}/rounds.v1/001.parquet"), "file_renamed", EVENTS, id="a file of events is renamed"
        ),
        pytest.param(
            add(f"{DAY}/rounds.v1/001.parquet"), "file_added", f"{DAY}/rounds.v1/001.parquet", id="a file is added"
        ),
        pytest.param(truncate(EVENTS), "file_changed", EVENTS, id="a file is cut short"),
        pytest.param(
            exchange(EVENTS, f"{DAY}/wallet.v1/000.parquet"), "file_changed", EVENTS, id="two files are exchanged"
        ),
        pytest.param(
            exchange(EVENTS, f"{LAST}/rounds.v1/000.parquet"),
            "file_changed",
            EVENTS,
            id="two days' files are exchanged",
        ),
        pytest.param(
            remove(f"{DAY}/streams.parquet"), "file_missing", f"{DAY}/streams.parquet", id="a list is removed"
        ),
        pytest.param(remove(SAYS), "manifest_unreadable", SAYS, id="a manifest is removed"),
        pytest.param(remove(f"{SAYS}.sig"), "signature_missing", SAYS, id="a signature is removed"),
        pytest.param(
            exchange(f"{SAYS}.sig", f"{LAST}/manifest.json.sig"),
            "signature_wrong",
            SAYS,
            id="two signatures are exchanged",
        ),
        pytest.param(remove(DAY), "part_missing", f"{LAST}/manifest.json", id="a day is removed"),
        pytest.param(remove("2026-03-27"), "part_missing", SAYS, id="the first day is removed"),
        pytest.param(rename(DAY, "2026-03-30"), "part_renamed", "2026-03-30", id="a day is renamed"),
        pytest.param(copy_part(DAY, "2026-03-30"), "part_added", "2026-03-30/manifest.json", id="a day is there twice"),
        pytest.param(add("notes.txt"), "file_added", "notes.txt", id="a stray file"),
        pytest.param(remove(f"{TAKEN}/000002"), "checkpoint_missing", f"{TAKEN}/000003", id="a checkpoint is removed"),
        pytest.param(
            exchange(f"{TAKEN}/000002/heads.jsonl", f"{TAKEN}/000003/heads.jsonl"),
            "file_changed",
            f"{TAKEN}/000002/heads.jsonl",
            id="two checkpoints' heads are exchanged",
        ),
        pytest.param(
            add(f"{TAKEN}/000002/heads.jsonl", b"[" * 1500),
            "file_changed",
            f"{TAKEN}/000002/heads.jsonl",
            id="a checkpoint's heads are nested without end",
        ),
        pytest.param(
            add(f"{TAKEN}/000002/heads.jsonl", b'{"key": "uth-01", "sequence": Infinity}'),
            "file_changed",
            f"{TAKEN}/000002/heads.jsonl",
            id="a checkpoint's head is at no whole number",
        ),
        pytest.param(
            remove(f"{TAKEN}/000003/checkpoint.json.sig"),
            "signature_wrong",
            f"{TAKEN}/000003/checkpoint.json",
            id="a checkpoint's signature is removed",
        ),
    ],
)
def test_what_happens_to_a_file_is_named(archived, tmp_path, done, code, where):
    copy = archived.copied(tmp_path / "copy")
    done(copy)
    assert (code, where) in whole(verify(copy, archived.key.public_key()))


def test_a_part_that_another_key_signed_says_so(archived, tmp_path):
    other = Ed25519PrivateKey.generate()
    copy = archived.copied(tmp_path / "copy")
    manifest = copy / DAY / MANIFEST
    (copy / DAY / f"{MANIFEST}.sig").write_bytes(other.sign(manifest.read_bytes()))
    assert whole(verify(copy, archived.key.public_key())) == [("signature_wrong", SAYS)]


def test_the_newest_day_is_missed_by_whoever_noted_its_hash(archived, tmp_path):
    copy = archived.copied(tmp_path / "copy")
    newest = verify(copy, archived.key.public_key()).newest.split()[1]
    shutil.rmtree(copy / "2026-03-29")
    for topic in TOPICS:  # and everything else that knew of that day
        shutil.rmtree(copy / "checkpoints" / topic / "000003", ignore_errors=True)
    assert verify(copy, archived.key.public_key()).holds, "nothing that is left knows of it"
    verdict = verify(copy, archived.key.public_key(), expected=[newest])
    assert whole(verdict) == [("expected_missing", str(copy))]


async def test_a_history_that_was_made_anew_from_one_event_on_differs_from_the_checkpoints(
    tmp_path, signing_key, book, source_of, checkpoint
):
    """Somebody owns the database: every hash from there on is right again, and the archive is signed after it."""
    changed = book.of("rounds.v1")[30]
    remade = [one for one in book.events if one.stream != changed.stream]
    previous = b""
    for one in [each for each in book.events if each.stream == changed.stream]:
        envelope = Envelope.FromString(one.data)
        envelope.previous_hash = previous
        envelope.actor = "somebody else" if one.version >= changed.version else envelope.actor
        data = envelope.SerializeToString(deterministic=True)
        previous = envelope_hash(data)
        remade.append(one._replace(data=data, hash=previous))
    folder = tmp_path / "archive"
    for day in ("2026-03-27", "2026-03-28", "2026-03-29"):
        await archive_day(source_of(remade), day, folder, signing_key)
    assert verify(folder, signing_key.public_key()).holds, "by itself it is as good as any"
    await checkpoint(folder, book.events, signing_key, 0)
    last = [one for one in book.events if one.stream == changed.stream][-1]
    [fault] = verify(folder, signing_key.public_key()).faults
    assert (fault.code, fault.stream, fault.version, fault.event_id) == (
        "checkpoint_differs", last.stream, last.version, last.event_id,
    )  # fmt: skip

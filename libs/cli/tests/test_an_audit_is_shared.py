"""Of a share that a group's members read, one part is kept, whoever else was given it meanwhile; and parts are put
together only when each share is there once. Method: a member whose place in the group changes at every point at which
it can; parts as their readers leave them."""

from collections.abc import Collection, Mapping
from pathlib import Path

import pytest
from aiokafka import TopicPartition
from aiokafka.errors import CommitFailedError, IllegalStateError, KafkaError, KafkaTimeoutError
from typer.testing import CliRunner

from pitstream.archive import Shard
from pitstream.audit import PartsError, Scope, combine
from pitstream.audit.part import Part
from pitstream.cli.audit_group import keep
from pitstream.cli.main import app

PLACE = TopicPartition("rounds.v1", 3)


class Member:
    """A member of a group: what is assigned to it, what anybody committed, and how its own commit ends."""

    def __init__(
        self,
        *,
        assigned: bool = True,
        done: int | None = None,
        refusal: KafkaError | None = None,
        unheard: bool = False,
    ) -> None:
        self.assigned, self.done, self.refusal, self.unheard = assigned, done, refusal, unheard

    def assignment(self) -> Collection[TopicPartition]:
        return {PLACE} if self.assigned else set()

    async def committed(self, place: TopicPartition) -> int | None:
        assert place == PLACE
        return self.done

    async def commit(self, offsets: Mapping[TopicPartition, int]) -> None:
        if self.refusal is not None:
            raise self.refusal
        assert self.done is None
        self.done = offsets[PLACE]


@pytest.fixture
def reading(tmp_path: Path) -> Path:
    file = tmp_path / "reading-3.sqlite"
    file.write_bytes(b"what was read")
    return file


async def test_what_was_committed_is_a_part(reading: Path) -> None:
    member = Member()
    part = await keep(member, PLACE, reading)
    assert (part, member.done) == (reading.with_name("part-3.sqlite"), 1)
    assert {file.name: file.read_bytes() for file in reading.parent.iterdir()} == {"part-3.sqlite": b"what was read"}


@pytest.mark.parametrize(
    "member",
    [
        pytest.param(Member(assigned=False), id="it was given to another member while it was read"),
        pytest.param(Member(done=1), id="another member finished it before it was given to this one"),
        pytest.param(
            Member(refusal=IllegalStateError("not assigned")), id="it is taken away before the commit is sent"
        ),
        pytest.param(Member(refusal=CommitFailedError()), id="it is taken away before the commit arrives"),
    ],
)
async def test_what_somebody_else_has_by_now_leaves_no_part(reading: Path, member: Member) -> None:
    assert await keep(member, PLACE, reading) is None
    assert list(reading.parent.iterdir()) == []


async def test_a_commit_that_was_not_answered_leaves_no_part_and_ends_the_command(reading: Path) -> None:
    with pytest.raises(KafkaTimeoutError):
        await keep(Member(refusal=KafkaTimeoutError()), PLACE, reading)
    assert list(reading.parent.iterdir()) == []


@pytest.fixture
def parts(tmp_path: Path) -> list[Path]:
    """The three shares of an audit."""
    return [share_of(tmp_path, number) for number in range(3)]


def share_of(folder: Path, number: int, of: int = 3, scope: Scope | None = None, *, ended: bool = True) -> Path:
    part = Part(folder / f"part-{number}.sqlite")
    part.count("rounds.v1", 1 + number)
    if ended:
        part.finish(Shard(number, of), scope or Scope())
    part.close()
    return part.path


def test_shares_that_are_all_there_once_are_put_together_in_any_order(parts: list[Path]) -> None:
    report = combine([parts[2], parts[0], parts[1]], complete=True)
    assert (report.source, report.found, report.events["rounds.v1"]) == ("parts", 0, 1 + 2 + 3)


def test_a_share_that_is_missing_is_named(parts: list[Path]) -> None:
    with pytest.raises(PartsError, match=r"^was without share 1; allowed: all 3 shares, 0 to 2$"):
        combine([parts[0], parts[2]])


def test_a_share_that_is_given_twice_is_named_with_both_files(parts: list[Path], tmp_path: Path) -> None:
    again = tmp_path / "again.sqlite"
    again.write_bytes(parts[1].read_bytes())
    with pytest.raises(PartsError) as refused:
        combine([*parts, again])
    assert str(refused.value) == f"{again}: is share 1, as {parts[1]} is; allowed: each share once"


def test_shares_of_different_audits_are_not_put_together(parts: list[Path], tmp_path: Path) -> None:
    (tmp_path / "others").mkdir()
    of_two = share_of(tmp_path / "others", 0, of=2)
    of_a_table = share_of(tmp_path / "others", 1, scope=Scope(table="uth-01"))
    with pytest.raises(PartsError) as refused:
        combine([parts[0], of_two, of_a_table, parts[2]])
    assert str(refused.value) == (
        f"{of_two}: is one of 2 shares; {parts[0]} is one of 3; "
        f"{of_a_table}: was asked about the rounds of table uth-01; {parts[0]} about every round"
    )


def test_what_is_no_part_or_was_not_read_to_its_end_is_named(parts: list[Path], tmp_path: Path) -> None:
    (text := tmp_path / "notes.txt").write_text("not a part")
    (tmp_path / "left").mkdir()
    half = share_of(tmp_path / "left", 1, ended=False)
    done = CliRunner().invoke(app, ["audit", *(f"--combine={file}" for file in (parts[0], half, text, parts[2]))])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr == (
        f"error: combine: {half}: was not read to its end, or is no part of an audit; "
        f"{text}: was not read to its end, or is no part of an audit; "
        "was without share 1; allowed: all 3 shares, 0 to 2\n"
    )


def test_a_folder_of_parts_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    (file := tmp_path / "file").write_text("in the way")
    asked = ["audit", "--source", "kafka", "--group", "g", "--parts", str(file)]
    done = CliRunner().invoke(app, asked, env={"PITSTREAM_KAFKA": "127.0.0.1:9"})
    assert (done.exit_code, done.stderr) == (2, f"error: parts: {file}: cannot be made: File exists\n")


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--combine", "x", "--source", "kafka"], "source: says nothing beside --combine; allowed: one of the two"),
        (
            ["--source", "kafka", "--service", "wallet"],
            "service: says nothing beside --source; allowed: one of the two",
        ),
        (["--day", "2026-03-28", "--sql"], "sql: says nothing beside --day; allowed: one of the two"),
        (["--day", "2026-02-30"], "day: was '2026-02-30'; allowed: a date, YYYY-MM-DD"),
        (["--parts", "x"], "group: goes with --source kafka and with --parts, the folder that takes the parts"),
        (["--group", "g"], "group: goes with --source kafka and with --parts, the folder that takes the parts"),
        (["--combine", "nowhere.sqlite"], "combine: nowhere.sqlite: no such file"),
        (["--checkpoints", "x"], "public-key: was not given; checkpoints are believed by their signatures"),
        (["--source", "nowhere"], "source: was 'nowhere'; allowed: store, kafka, or the folder of an archive"),
    ],
)
def test_options_that_say_nothing_together_are_refused(arguments: list[str], says: str) -> None:
    done = CliRunner().invoke(app, ["audit", *arguments])
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", f"error: {says}\n")

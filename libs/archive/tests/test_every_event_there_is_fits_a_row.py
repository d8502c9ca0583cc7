"""Whatever type an event has, it can be archived. Method: the bytes on record of every version of every event of the
contract are sealed, written as rows and read back."""

import io
import json
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from pitstream.archive import Stored, stored_from
from pitstream.archive.rows import SCHEMA, first_difference, row_of, stored_of
from pitstream.events import Envelope, event_id_text
from pitstream.runtime.settings import TOPIC_SOURCES

GOLDEN = sorted((Path(__file__).parents[2] / "events" / "tests" / "golden").rglob("*.json"))


def stored(kind: str, payload: bytes, version: int) -> Stored:
    topic = ".".join(kind.split(".")[1:3])
    envelope = Envelope(
        event_id=event_id_text("any/stream", version), stream="any/stream", version=version, type=kind,
        source=TOPIC_SOURCES.get(topic, "table"), key="k", key_sequence=version, recorded_at_us=1_774_742_399_999_999,
        cause_id="c", actor="a", payload=payload,
    )  # fmt: skip
    return stored_from(topic, envelope.SerializeToString(deterministic=True), "")


def written_and_read(events: list[Stored]) -> list[dict]:
    file = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([row_of(one, "2026-03-28") for one in events], schema=SCHEMA), file)
    table = pq.read_table(file)
    place = table.column_names.index("recorded_at")
    return table.set_column(place, "recorded_at", table["recorded_at"].cast(pa.int64())).to_pylist()


@pytest.mark.parametrize("file", [pytest.param(one, id=f"{one.parent.name}-{one.stem}") for one in GOLDEN])
def test_a_row_of_it_is_written_and_read_back(file):
    golden = json.loads(file.read_text())
    payloads = [bytes.fromhex(sample["payload"]) for sample in golden["samples"]]
    events = [stored(golden["type"], payload, version) for version, payload in enumerate(payloads, start=1)]
    rows = written_and_read(events)
    assert [stored_of(row, "") for row in rows] == events
    assert [first_difference(row) for row in rows] == [None] * len(rows)
    assert None not in [row["event"] for row in rows]


def test_an_event_of_a_later_contract_keeps_its_bytes_and_has_no_fields_to_ask():
    later = stored("pitstream.rounds.v1.NotInventedYet", b"\x0a\x01x", 1)
    [row] = written_and_read([later])
    assert (stored_of(row, ""), row["event"], row["actor"]) == (later, None, "a")

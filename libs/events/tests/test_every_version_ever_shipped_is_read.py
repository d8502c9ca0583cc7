"""What was written under an older contract is read for ever. Method: golden files with the bytes of every version of
every event, made from that version's own description, and what they must be read as (``libs/events/golden.py``)."""

import json
import runpy
from pathlib import Path
from typing import Any, Literal

import pytest

from pitstream.events import Event, decode_payload, event_types, open_envelope
from pitstream.events.codec import message_class
from pitstream.events.currencies import ISO_4217
from pitstream.events.envelope import Envelope, event_id_text
from pitstream.events.progressives import NetworkOpened
from pitstream.events.upcast import STEPS, upcast
from pitstream.events.wallet import AccountOpened

TOOL: dict[str, Any] = runpy.run_path(str(Path(__file__).parents[1] / "golden.py"))
FILES = sorted((Path(__file__).parent / "golden").rglob("*.json"))
EVENTS = event_types()


@pytest.mark.parametrize("file", [pytest.param(file, id=f"{file.parent.name}-{file.stem}") for file in FILES])
def test_the_bytes_of_every_version_are_read_as_its_golden_file_says(file: Path) -> None:
    golden = json.loads(file.read_text())
    version = {"type": golden["type"], "version": int(file.stem.rpartition(".")[2])}
    assert {"type": golden["type"], "version": golden["version"]} == version
    for sample in golden["samples"]:
        stored = Envelope(
            event_id=event_id_text("golden/1", 1),
            stream="golden/1",
            version=1,
            type=golden["type"],
            payload=bytes.fromhex(sample["payload"]),
        )
        expected = EVENTS[golden["type"]].model_validate_json(json.dumps(sample["event"]))
        # A field that is younger than the file is what its default and the steps make of it.
        assert open_envelope(stored.SerializeToString()).event == upcast(expected)


def test_every_event_of_today_and_of_the_shipped_contract_has_its_golden_file() -> None:
    """A new event, or a new field, fails here until ``make golden`` has put its bytes on record."""
    shipped = TOOL["pool_of"](TOOL["SHIPPED"])
    missing = []
    for name in EVENTS:
        shapes = [json.loads(file.read_text())["shape"] for file in TOOL["files_of"](name)]
        if not shapes or TOOL["shape"](message_class(name).DESCRIPTOR) != shapes[-1]:
            missing.append(name)
        then = TOOL["described"](shipped, name)
        if then is not None and TOOL["shape"](then) not in shapes:
            missing.append(f"{name}, as shipped")
    assert missing == [], "run `make golden`"


def test_every_golden_file_is_of_an_event_that_can_still_be_read() -> None:
    assert {json.loads(file.read_text())["type"] for file in FILES} <= EVENTS.keys()


def test_a_version_that_was_shipped_is_never_written_anew(tmp_path: Path) -> None:
    name = "pitstream.wallet.v1.AccountOpened"
    today, then = message_class(name).DESCRIPTOR, message_class("pitstream.wallet.v1.SeedPosted").DESCRIPTOR
    write, shape = TOOL["write"], TOOL["shape"]
    [first] = write({name: today}, set(), tmp_path)
    assert write({name: today}, set(), tmp_path) == []
    assert first == tmp_path / "wallet.v1" / "AccountOpened.1.json"
    # Another shape under the same name: beside the one that was shipped, in the place of one that was not.
    first.write_text(first.read_text().replace(shape(today), shape(then)))
    assert write({name: today}, {shape(then)}, tmp_path) == [tmp_path / "wallet.v1" / "AccountOpened.2.json"]
    (tmp_path / "wallet.v1" / "AccountOpened.2.json").unlink()
    assert write({name: today}, set(), tmp_path) == [first]


@pytest.mark.parametrize(
    ("old", "new"),
    [
        pytest.param(
            AccountOpened(account="player/p/JPY", kind="player", currency="JPY"),
            AccountOpened(account="player/p/JPY", kind="player", currency="JPY", scale=0),
            id="an account of a currency that ISO 4217 has",
        ),
        pytest.param(
            AccountOpened(account="player/p/TTD", kind="player", currency="XQZ"),
            AccountOpened(account="player/p/TTD", kind="player", currency="XQZ", scale=2),
            id="an account of the property's own currency",
        ),
        pytest.param(
            AccountOpened(account="player/p/USD", kind="player", currency="USD", scale=0),
            AccountOpened(account="player/p/USD", kind="player", currency="USD", scale=0),
            id="an account that says its scale keeps it",
        ),
        pytest.param(
            NetworkOpened(network="n", currency="USD", meters=()),
            NetworkOpened(network="n", currency="USD", meters=(), policy="sequential"),
            id="a network from before there were policies",
        ),
        pytest.param(
            NetworkOpened(network="n", currency="USD", meters=(), policy="share"),
            NetworkOpened(network="n", currency="USD", meters=(), policy="share"),
            id="a network that says its policy keeps it",
        ),
    ],
)
def test_what_an_old_event_did_not_say_is_said_once(old: Event, new: Event) -> None:
    assert "XQZ" not in ISO_4217
    assert upcast(old) == new
    assert upcast(new) == new


def test_steps_lead_from_any_version_to_todays_and_across_packages() -> None:
    class First(Event):
        amount: int

    class Second(Event):
        amount: int
        currency: str = ""
        kind: Literal["cash", "chips"] | None = None

    steps = {
        First: (lambda event: Second(amount=event.amount),),
        Second: (
            lambda event: event if event.currency else event.model_copy(update={"currency": "USD"}),
            lambda event: event if event.kind else event.model_copy(update={"kind": "chips"}),
        ),
    }
    today = Second(amount=5, currency="USD", kind="chips")
    assert [upcast(one, steps) for one in (First(amount=5), Second(amount=5, currency="USD"), today)] == [today] * 3


def test_a_step_changes_no_event_of_today() -> None:
    """Else what was just decided and what is read back of it would differ."""
    for name, model in EVENTS.items():
        if model in STEPS:
            newest = json.loads(TOOL["files_of"](name)[-1].read_text())["samples"][0]
            event = decode_payload(name, bytes.fromhex(newest["payload"]))
            assert upcast(event) is event

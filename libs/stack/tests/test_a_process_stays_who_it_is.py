"""The wall clock of a virtual machine jumps when it goes on after a pause. Method: every start time that psutil tells
is 75 s later than it was, as it would be then."""

from pathlib import Path

import psutil
import pytest

from pitstream.stack.process import Started, find

pytestmark = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="only a wall clock tells here")


def test_a_clock_that_jumps_makes_no_process_another(monkeypatch: pytest.MonkeyPatch):
    started = Started.of(psutil.Process())
    told = psutil.Process.create_time
    monkeypatch.setattr(psutil.Process, "create_time", lambda process: told(process) + 75)
    assert find(started, ()) == psutil.Process()


@pytest.mark.parametrize("other", [{"started": 2.0}, {"boot": "another"}])
def test_a_later_process_with_the_same_id_is_another(other: dict[str, object]):
    started = Started.of(psutil.Process())
    assert find(started.model_copy(update=other), ()) is None

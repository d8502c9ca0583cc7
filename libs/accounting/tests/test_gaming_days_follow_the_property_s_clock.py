"""Gaming days and shifts. Method: known days of real zones, and properties over any moment in any zone."""

import re
from datetime import UTC, date, datetime, time, timedelta
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pitstream.accounting.calendar import Calendar
from pitstream.accounting.properties import PropertiesFileError, read_properties

HOUR_US = 3_600_000_000
SHIFTS = (("day", time(6)), ("swing", time(14)), ("grave", time(22)))


def moment(text: str) -> int:
    return int(datetime.fromisoformat(text).timestamp()) * 1_000_000


@pytest.mark.parametrize(
    ("zone", "roll", "day", "begins", "hours"),
    [
        pytest.param("America/New_York", time(6), "2026-03-06", "2026-03-06T06:00-05:00", 24, id="an ordinary day"),
        pytest.param("America/New_York", time(6), "2026-03-07", "2026-03-07T06:00-05:00", 23, id="spring forward"),
        pytest.param("America/New_York", time(6), "2026-10-31", "2026-10-31T06:00-04:00", 25, id="fall back"),
        pytest.param("America/New_York", time(0), "2026-03-08", "2026-03-08T00:00-05:00", 23, id="roll at midnight"),
        pytest.param("America/New_York", time(2, 30), "2026-03-08", "2026-03-08T03:00-04:00", 23.5, id="no such roll"),
        pytest.param("America/New_York", time(1, 30), "2026-11-01", "2026-11-01T01:30-04:00", 25, id="roll twice"),
        pytest.param("America/Sao_Paulo", time(0), "2018-11-04", "2018-11-04T01:00-02:00", 23, id="no midnight"),
        pytest.param("Australia/Lord_Howe", time(6), "2026-04-04", "2026-04-04T06:00+11:00", 24.5, id="half an hour"),
        pytest.param("Asia/Kolkata", time(6), "2026-03-07", "2026-03-07T06:00+05:30", 24, id="clocks never change"),
    ],
)
def test_a_gaming_day_has_as_many_hours_as_its_clocks_give_it(zone, roll, day, begins, hours):
    first, last = Calendar(ZoneInfo(zone), roll, (("day", roll),)).bounds_us(date.fromisoformat(day))
    assert (first, (last - first) / HOUR_US) == (moment(begins), hours)


@pytest.mark.parametrize(
    ("at", "day", "shift"),
    [
        ("2026-03-07T06:00-05:00", "2026-03-07", "day"),
        ("2026-03-07T13:59-05:00", "2026-03-07", "day"),
        ("2026-03-07T14:00-05:00", "2026-03-07", "swing"),
        ("2026-03-07T23:59-05:00", "2026-03-07", "grave"),
        ("2026-03-08T01:59-05:00", "2026-03-07", "grave"),
        ("2026-03-08T03:00-04:00", "2026-03-07", "grave"),
        ("2026-03-08T05:59-04:00", "2026-03-07", "grave"),
        ("2026-03-08T06:00-04:00", "2026-03-08", "day"),
    ],
)
def test_the_night_belongs_to_the_day_before(at, day, shift):
    calendar = Calendar(ZoneInfo("America/New_York"), time(6), SHIFTS)
    found = calendar.gaming_day(moment(at))
    assert (found.isoformat(), calendar.shift_at(found, moment(at))) == (day, shift)


def test_a_table_that_plays_on_after_the_roll_is_in_its_day_s_last_shift():
    calendar = Calendar(ZoneInfo("America/New_York"), time(6), SHIFTS)
    day = date(2026, 3, 6)
    assert calendar.shift_at(day, moment("2026-03-09T12:00-04:00")) == "grave"
    assert calendar.shift_at(day, moment("2026-03-01T12:00-05:00")) == "day"


ZONES = ["America/New_York", "America/Sao_Paulo", "Australia/Lord_Howe", "Europe/Berlin", "Pacific/Apia", "Asia/Tokyo"]


@given(
    zone=st.sampled_from(ZONES).map(ZoneInfo),
    walls=st.lists(st.times().map(lambda wall: wall.replace(microsecond=0)), min_size=1, max_size=4, unique=True),
    # hypothesis takes the bounds without a zone and puts its own there.
    at=st.datetimes(datetime(2000, 1, 1), datetime(2037, 1, 1), timezones=st.just(UTC)),  # noqa: DTZ001
)
def test_every_moment_is_in_exactly_one_day_and_the_next_begins_where_one_ends(zone, walls, at):
    roll, *others = walls
    begin = [roll, *sorted(others, key=lambda wall: (wall < roll, wall))]
    calendar = Calendar(zone, roll, tuple((f"s{index}", wall) for index, wall in enumerate(begin)))
    at_us = int((at - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(microseconds=1))
    day = calendar.gaming_day(at_us)
    first, last = calendar.bounds_us(day)
    assert first <= at_us < last
    assert calendar.bounds_us(day + timedelta(days=1))[0] == last
    assert calendar.gaming_day(first) == day
    assert calendar.gaming_day(last) == day + timedelta(days=1)
    order = [calendar.shift_at(day, moment_us) for moment_us in range(first, last, HOUR_US)]
    assert order == sorted(order), "shifts follow one another"


def test_properties_are_read_from_a_file_and_an_operator_s_entry_is_for_all_of_its_properties(tmp_path: Path):
    file = tmp_path / "properties.toml"
    file.write_text(
        '[default]\ntime_zone = "America/New_York"\nday_begins = 06:00:00\nshifts = { day = 06:00:00 }\n'
        '[properties.acme]\ntime_zone = "America/Chicago"\nday_begins = 05:00:00\n'
        "shifts = { a = 05:00:00, b = 17:00:00 }\n"
        '[properties."acme.strip"]\ntime_zone = "America/Los_Angeles"\nday_begins = 04:00:00\n'
        "shifts = { a = 04:00:00 }\n"
    )
    found = read_properties(file)
    assert {
        name: (found.calendar_of(name).zone.key, found.calendar_of(name).shift_names)
        for name in ("local", "acme", "acme.boardwalk", "acme.strip")
    } == {
        "local": ("America/New_York", ("day",)),
        "acme": ("America/Chicago", ("a", "b")),
        "acme.boardwalk": ("America/Chicago", ("a", "b")),
        "acme.strip": ("America/Los_Angeles", ("a",)),
    }


DEFAULT = '[default]\ntime_zone = "{zone}"\nday_begins = {begins}\nshifts = {shifts}\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "default: was {}; Field required"),
        ("[default", "Expected ']'"),
        (DEFAULT.format(zone="Mars/Olympus", begins="06:00:00", shifts="{ day = 06:00:00 }"), "IANA time zone"),
        (DEFAULT.format(zone="../../etc/passwd", begins="06:00:00", shifts="{ day = 06:00:00 }"), "IANA time zone"),
        (DEFAULT.format(zone="UTC", begins="06:00:00", shifts="{ day = 07:00:00 }"), "with the day, at 06:00:00"),
        (DEFAULT.format(zone="UTC", begins="06:00:00", shifts="{ a = 06:00:00, b = 06:00:00 }"), "no two at the same"),
        (DEFAULT.format(zone="UTC", begins="06:00:00", shifts="{ a = 06:00:00, c = 02:00:00, b = 14:00:00 }"), "order"),
        (DEFAULT.format(zone="UTC", begins="06:00:00", shifts="{}"), "at least 1 item"),
        (
            DEFAULT.format(zone="UTC", begins="06:00:00", shifts='{ a = 06:00:00, b = "14:00:00Z" }'),
            "without an offset",
        ),
        (DEFAULT.format(zone="UTC", begins="06:00:00", shifts="9" * 5000), "Exceeds the limit"),
        (DEFAULT.format(zone="UTC", begins="06:00:00", shifts="0x" + "f" * 5000), "a number too long to be shown"),
        (DEFAULT.format(zone="UTC", begins="06:00:00", shifts="[" * 1500), "maximum recursion"),
        (DEFAULT.format(zone="UTC", begins="06:00:00", shifts='{ "Day Shift" = 06:00:00 }'), "pattern"),
    ],
)
def test_a_file_of_properties_that_makes_no_sense_is_refused_with_the_reason(tmp_path: Path, text: str, said: str):
    file = tmp_path / "properties.toml"
    file.write_text(text)
    with pytest.raises(PropertiesFileError, match=re.escape(str(file))) as refused:
        read_properties(file)
    assert said in str(refused.value)


@pytest.mark.parametrize("zone", ["Pacific/Honolulu", "America/New_York", "Pacific/Kiritimati"])
@pytest.mark.parametrize(("day", "shift"), [(date.max, "day"), (date.min, "grave"), (date(9998, 12, 31), "day")])
def test_days_at_the_calendar_s_ends_have_shifts_too(zone, day, shift):
    walls = {"day": time(6), "swing": time(14), "late": time(22), "grave": time(2)}
    calendar = Calendar(ZoneInfo(zone), time(6), tuple(walls.items()))
    assert calendar.shift_at(day, 1_767_333_600_000_000) == shift

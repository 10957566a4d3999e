"""Local times and the sun."""

from datetime import date, datetime, time, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.home.config import Location
from daemon.schedule.moments import Clock, Sun

ZONES = ("Europe/Amsterdam", "America/New_York", "Asia/Shanghai", "Australia/Lord_Howe", "Asia/Kathmandu")


def clock(zone: str) -> Clock:
    return Clock(zone=ZoneInfo(zone))


@given(
    st.sampled_from(ZONES),
    st.dates(date(2000, 1, 1), date(2035, 12, 31)),
    st.integers(0, 24 * 60 - 1),
)
def test_a_moment_shows_the_time_that_was_asked_for(zone: str, day: date, minutes: int) -> None:
    here = clock(zone)
    at = here.moment(day, minutes)
    assert at is not None
    shown, asked = here.local(at).replace(tzinfo=None), datetime.combine(day, time())
    late = shown - (asked + timedelta(minutes=minutes))
    assert here.today(at) == day
    assert timedelta() <= late <= timedelta(hours=1)  # later only where summer time has left the time out
    if late:
        assert all(here.local(at - 7200 + step).replace(tzinfo=None) != shown - late for step in range(0, 7200, 60))


@pytest.mark.parametrize(
    ("day", "minutes", "shown"),
    [
        (date(2026, 3, 29), 2 * 60 + 30, "2026-03-29T03:30:00+02:00"),  # left out
        (date(2026, 10, 25), 2 * 60 + 30, "2026-10-25T02:30:00+02:00"),  # comes twice
        (date(2026, 10, 25), 3 * 60, "2026-10-25T03:00:00+01:00"),
        (date(2026, 11, 21), 0, "2026-11-21T00:00:00+01:00"),
    ],
)
def test_summer_time(day: date, minutes: int, shown: str) -> None:
    here = clock("Europe/Amsterdam")
    at = here.moment(day, minutes)
    assert at is not None
    assert here.local(at).isoformat() == shown


def test_a_day_that_a_zone_left_out_has_no_moment() -> None:
    assert clock("Pacific/Apia").moment(date(2011, 12, 30), 12 * 60) is None


def test_the_sun_rises_before_it_sets() -> None:
    here, sun = clock("Europe/Amsterdam"), Sun(Location(52.37, 4.9))
    rises, sets = (sun.at(event, date(2026, 11, 21)) for event in ("sunrise", "sunset"))
    assert rises is not None
    assert sets is not None
    assert (here.local(rises).hour, here.local(sets).hour) == (8, 16)


@pytest.mark.parametrize("day", [date(2026, 6, 21), date(2026, 12, 21)])
def test_in_the_far_north_it_may_do_neither(day: date) -> None:
    sun = Sun(Location(78.2, 15.6))
    assert sun.at("sunrise", day) is None
    assert sun.at("sunset", day) is None

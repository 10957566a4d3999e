"""When a spoken time is: halves of the day, days, the sun, summer time; and that a standing time never comes twice."""

import math
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.core.ir import Hours, When
from daemon.core.values import replace
from daemon.home.config import Location
from daemon.schedule.moments import Clock, Doubt, Moments, Sun

ZONE = ZoneInfo("Europe/Amsterdam")
HERE = Location(52.37, 4.9)
NORTH = Location(78.2, 15.6)


def at(text: str) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZONE).timestamp()


def moments(now: float, location: Location | None = HERE) -> Moments:
    return Moments(Clock(lambda: now, lambda: 0.0, ZONE), Sun(location) if location is not None else None)


def local(moment: float) -> str:
    return datetime.fromtimestamp(moment, ZONE).strftime("%Y-%m-%dT%H:%M")


@pytest.mark.parametrize(
    ("now", "when", "meant"),
    [
        # Next week is counted from Monday on, whatever day it is.
        ("2026-11-23T10:00", When(time="20:00", days=("wed",), once=True, week=1), "2026-12-02T20:00"),
        ("2026-11-21T10:00", When(time="20:00", days=("wed",), once=True, week=1), "2026-11-25T20:00"),
        ("2026-11-21T10:00", When(time="09:00", days=("sun",), once=True, week=0), "2026-11-22T09:00"),
        # A bare hour is the next one of either half.
        ("2026-11-21T14:25", When(time="06:00", twelve=True), "2026-11-21T18:00"),
        ("2026-11-21T05:10", When(time="06:00", twelve=True), "2026-11-21T06:00"),
        ("2026-11-21T22:00", When(time="02:00", twelve=True), "2026-11-22T02:00"),
        ("2026-11-21T20:00", When(time="07:30", twelve=True), "2026-11-22T07:30"),
        ("2026-11-21T11:30", When(time="12:00", twelve=True), "2026-11-21T12:00"),
        ("2026-11-21T19:00", When(time="12:00", twelve=True), "2026-11-22T00:00"),
        # A whole time is the next one.
        ("2026-11-21T14:25", When(time="06:00"), "2026-11-22T06:00"),
        ("2026-11-21T14:25", When(time="19:30"), "2026-11-21T19:30"),
        # Of another day, noon and the afternoon need no question.
        ("2026-11-21T14:25", When(time="12:00", twelve=True, day_offset=1), "2026-11-22T12:00"),
        ("2026-11-21T14:25", When(time="03:00", twelve=True, day_offset=1), "2026-11-22T15:00"),
        ("2026-11-21T14:25", When(time="07:00", twelve=True, day_offset=0), "2026-11-21T19:00"),
        # The night of today ends tomorrow.
        ("2026-11-21T22:00", When(time="02:00", day_offset=0, daytime="night"), "2026-11-22T02:00"),
        ("2026-11-22T01:00", When(time="02:00", day_offset=0, daytime="night"), "2026-11-22T02:00"),
        ("2026-11-21T22:00", When(time="00:00", day_offset=1, daytime="night"), "2026-11-23T00:00"),
        # Days.
        ("2026-11-21T14:25", When(time="07:00", days=("mon",), once=True), "2026-11-23T07:00"),
        ("2026-11-23T06:59", When(time="07:00", days=("mon",)), "2026-11-23T07:00"),
        ("2026-11-23T07:00", When(time="07:00", days=("mon",)), "2026-11-30T07:00"),
        # The hour that summer time leaves out is the one after it.
        ("2026-03-28T22:00", When(time="02:30"), "2026-03-29T03:30"),
    ],
)
def test_the_moment_that_is_meant(now: str, when: When, meant: str) -> None:
    found = moments(at(now)).first(when)
    assert isinstance(found, float)
    assert local(found) == meant


@pytest.mark.parametrize(
    ("when", "reason"),
    [
        (When(vague=True), "vague"),
        (When(day_offset=1), "vague"),
        (When(days=("daily",)), "vague"),
        (When(time="07:00", twelve=True, day_offset=1), "half"),
        (When(time="11:00", twelve=True, days=("daily",)), "half"),
        (When(time="02:00", twelve=True), "half"),
        (When(time="09:00", day_offset=0), "past"),
        (When(delay_s=0.0), "no_length"),
        (When(delay_s=-60.0), "no_length"),
        (When(delay_s=math.nan), "no_length"),
        (When(delay_s=1e9), "too_far"),
    ],
)
def test_what_is_doubtful_is_said_so(when: When, reason: str) -> None:
    assert moments(at("2026-11-21T14:25")).first(when) == Doubt(reason)  # type: ignore[arg-type]


def test_the_sun_needs_a_place_and_may_stay_away() -> None:
    now = at("2026-06-21T12:00")
    assert moments(now, None).first(When(time="sunset")) == Doubt("no_location")
    found = moments(now).first(When(time="sunset", offset_s=-1800.0))
    assert isinstance(found, float)
    assert "2026-06-21T21:3" in local(found)
    first = moments(now, NORTH).first(When(time="sunset"))
    assert isinstance(first, float)
    assert local(first) > "2026-08"  # the midnight sun


def test_a_repeated_hour_comes_once() -> None:
    """On 25 October 2026 there are two half past twos."""
    clock = moments(at("2026-10-24T12:00"))
    daily = When(time="02:30", days=("daily",))
    first = clock.following(daily, at("2026-10-24T12:00"))
    assert first is not None
    second = clock.following(daily, first)
    assert second is not None
    assert second - first == 25 * 3600
    assert [local(first), local(second)] == ["2026-10-25T02:30", "2026-10-26T02:30"]


ENDS = [
    ("2026-11-21T18:00", When(until="07:00", until_twelve=True), "2026-11-21T19:00"),
    ("2026-11-21T18:00", When(until="07:00"), "2026-11-22T07:00"),
    ("2026-11-21T18:00", When(duration_s=1200.0), "2026-11-21T18:20"),
]


@pytest.mark.parametrize(("start", "when", "end"), ENDS)
def test_an_end(start: str, when: When, end: str) -> None:
    found = moments(at(start)).end(when, at(start))
    assert isinstance(found, float)
    assert local(found) == end


DAYS = st.lists(st.sampled_from(["mon", "tue", "wed", "thu", "fri", "sat", "sun"]), min_size=1, max_size=7, unique=True)
TIMES = st.one_of(
    st.sampled_from(["sunrise", "sunset"]),
    st.builds(lambda hour, minute: f"{hour:02}:{minute:02}", st.integers(0, 23), st.integers(0, 59)),
)


STARTS = st.integers(0, 2 * 365 * 24 * 60).map(lambda minutes: at("2026-01-01T00:00") + minutes * 60)


@given(days=DAYS, time=TIMES, start=STARTS)
def test_a_standing_time_goes_on_once_a_day_and_only_on_its_days(days: list[str], time: str, start: float) -> None:
    """Over a fortnight: strictly later each time, every day that is meant, no other, none twice, summer time or not."""
    when = When(time=time, days=tuple(days))
    now = start
    clock = moments(now)
    seen: list[date] = []
    moment = now
    end = now + timedelta(days=15).total_seconds()
    while True:
        following = clock.following(when, moment)
        assert following is not None
        assert following > moment
        moment = following
        if moment > end:
            break
        seen.append(datetime.fromtimestamp(moment, ZONE).date())
    week = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    assert len(seen) == len(set(seen))
    assert all(week[day.weekday()] in days for day in seen)
    whole = [datetime.fromtimestamp(start, ZONE).date() + timedelta(days=ahead) for ahead in range(1, 14)]
    assert set(seen).issuperset(day for day in whole if week[day.weekday()] in days)


@given(
    days=st.one_of(st.just(["daily"]), DAYS.map(lambda days: days[:1])),
    time=TIMES,
    start=STARTS,
    apart=st.integers(2, 20),
    later=st.floats(0, 100 * 86_400.0),
)
def test_every_other_day_stays_that_day(days: list[str], time: str, start: float, apart: int, later: float) -> None:
    """Whenever it is looked at: so many days lie between two of them, summer time or not, and none comes between."""
    interval = apart if days == ["daily"] else 7 * apart
    when, clock = When(time=time, days=tuple(days), interval=interval), moments(start)
    first = clock.first(when)
    assert isinstance(first, float)
    assert first - start < 8.1 * 86_400.0
    seen = first
    while (following := clock.following(when, seen, seen)) is not None and following <= first + later:
        day, other = (datetime.fromtimestamp(moment, ZONE).date() for moment in (seen, following))
        assert (other - day).days == interval
        seen = following
    # After days on which nobody looked, and from one that was known before, it is the same.
    assert clock.following(when, first + later, first) == following
    assert clock.following(when, first - 1.0, seen) == first


ODD = [
    # A zone, and a day in the midst of what its clocks did.
    ("Pacific/Apia", "2011-12-28"),  # the 30th was left out
    ("Pacific/Apia", "2012-03-31"),
    ("Pacific/Fakaofo", "2011-12-28"),
    ("Pacific/Kwajalein", "1993-08-19"),  # the 21st was left out
    ("Pacific/Kiritimati", "1994-12-29"),  # so was the last day of the year
    ("Australia/Lord_Howe", "2026-04-03"),  # half an hour back
    ("Australia/Lord_Howe", "2026-10-02"),
    ("America/Toronto", "1919-03-28"),  # from half past eleven at night to half past midnight
    ("America/Sao_Paulo", "2018-11-02"),  # no midnight
    ("America/Los_Angeles", "2026-03-06"),
    ("Pacific/Auckland", "2026-09-25"),
    ("Africa/Cairo", "2026-04-22"),
]


def existing(zone: ZoneInfo, first: date, days: int) -> list[date]:
    """The days that a zone has had, told without the house: by each half an hour that went by."""
    begin = datetime(first.year, first.month, first.day, 12, tzinfo=zone).timestamp()
    found = (datetime.fromtimestamp(begin + half * 1800, zone).date() for half in range(days * 48))
    return list(dict.fromkeys(found))


@given(odd=st.sampled_from(ODD), time=TIMES, days=st.one_of(st.just(["daily"]), DAYS), hours=st.integers(0, 96))
def test_a_weekday_stays_that_weekday_where_clocks_are_odd(
    odd: tuple[str, str], time: str, days: list[str], hours: int
) -> None:
    """Once on each day that there was, whatever the hour; never on another."""
    zone, noon = ZoneInfo(odd[0]), datetime.fromisoformat(f"{odd[1]}T12:00")
    place = Location(-13.8, -171.8) if odd[0].startswith("Pacific") else Location(34.0, -118.2)
    start = noon.replace(tzinfo=zone).timestamp() + hours * 3600
    clock = Moments(Clock(lambda: start, lambda: 0.0, zone), Sun(place))
    seen, moment = [], start
    while (following := clock.following(When(time=time, days=tuple(days)), moment)) is not None:
        assert following > moment
        moment = following
        if moment > start + 9 * 86_400:
            break
        seen.append(datetime.fromtimestamp(moment, zone).date())
    week = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
    there = existing(zone, datetime.fromtimestamp(start, zone).date(), 8)[1:-1]
    meant = [day for day in there if days == ["daily"] or week[day.weekday()] in days]
    assert [day for day in seen if day in there] == meant
    assert all(days == ["daily"] or week[day.weekday()] in days for day in seen)


@pytest.mark.parametrize(
    ("zone", "day", "time", "meant"),
    [
        ("Pacific/Apia", "2011-12-29T12:00", When(time="07:00", days=("fri",)), "2012-01-06T07:00"),
        ("Pacific/Apia", "2011-12-29T12:00", When(time="07:00", days=("sat",)), "2011-12-31T07:00"),
        ("America/Toronto", "1919-03-30T12:00", When(time="23:45", days=("sun",)), "1919-03-30T22:45"),
        ("America/Los_Angeles", "2026-06-01T12:00", When(time="sunset", days=("mon",)), "2026-06-01T19:"),
    ],
)
def test_a_day_that_was_left_out_moves_nothing(zone: str, day: str, time: When, meant: str) -> None:
    here = ZoneInfo(zone)
    now = datetime.fromisoformat(day).replace(tzinfo=here).timestamp()
    found = Moments(Clock(lambda: now, lambda: 0.0, here), Sun(Location(34.0, -118.2))).following(time, now)
    assert found is not None
    assert datetime.fromtimestamp(found, here).strftime("%Y-%m-%dT%H:%M").startswith(meant)


def test_the_half_of_the_day_that_was_meant_first_is_meant_every_day() -> None:
    clock = moments(at("2026-11-21T14:25"))
    daily = When(time="02:00", twelve=True, days=("daily",))
    first = clock.first(daily)
    assert isinstance(first, float)
    following = clock.following(clock.settled(daily, first), first)
    assert following is not None
    assert [local(first), local(following)] == ["2026-11-22T14:00", "2026-11-23T14:00"]


@pytest.mark.parametrize(
    ("hours", "now", "within"),
    [
        (Hours("22:00", "06:00"), "2026-11-21T21:59", False),
        (Hours("22:00", "06:00"), "2026-11-21T22:00", True),
        (Hours("22:00", "06:00"), "2026-11-22T05:59", True),
        (Hours("22:00", "06:00"), "2026-11-22T06:00", False),
        (Hours("22:00", None), "2026-11-21T23:59", True),
        (Hours("22:00", None), "2026-11-22T00:00", False),
        (Hours(None, "07:00"), "2026-11-22T00:00", True),
        (Hours(None, "07:00"), "2026-11-22T07:00", False),
        # The night of a day ends on the next morning.
        (Hours("22:00", "06:00", ("sat",)), "2026-11-22T05:00", True),
        (Hours("22:00", "06:00", ("sat",)), "2026-11-21T05:00", False),
        (Hours(days=("sun",)), "2026-11-22T12:00", True),
        (Hours(days=("sun",)), "2026-11-21T23:59", False),
        (Hours("sunset", "sunrise"), "2026-11-21T17:30", True),
        (Hours("sunset", "sunrise"), "2026-11-22T07:00", True),
        (Hours("sunset", "sunrise"), "2026-11-21T12:00", False),
        # The hour that summer time leaves out, and the one that comes twice.
        (Hours("02:30", "04:00"), "2026-03-29T03:45", True),
        (Hours("02:30", "04:00"), "2026-10-25T03:59", True),
    ],
)
def test_hours_of_what_is_forbidden(hours: Hours, now: str, within: bool) -> None:  # noqa: FBT001 - a column
    assert moments(at(now)).within(hours, at(now)) is within


def test_an_hour_after_that_of_what_is_done_before_it() -> None:
    now = at("2026-11-21T09:00")
    until = When(time="10:00", twelve=True, follows="08:00")
    assert moments(now).first(until) == at("2026-11-21T22:00")
    assert moments(now).first(replace(until, time="07:00")) == at("2026-11-22T07:00")
    assert moments(now).first(replace(until, day_offset=1, follows="02:00")) == at("2026-11-22T22:00")
    # Where nobody knows that one, neither is this one known.
    assert moments(now).first(replace(until, day_offset=1)) == Doubt("half")


def test_without_a_place_nobody_knows_the_hours_of_the_sun() -> None:
    assert moments(at("2026-11-21T12:00"), None).within(Hours("sunset", "sunrise"), at("2026-11-21T12:00")) is None

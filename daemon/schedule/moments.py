"""The clocks and the sun; when a spoken time is: "at seven", the next "every weekday at sunset". Pure."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from datetime import date, datetime, timedelta, tzinfo
from typing import Literal, cast

from msgspec import Struct

from daemon.core.ir import Hours, When
from daemon.core.values import replace
from daemon.core.vocabulary import WEEK
from daemon.home.config import Location


class Clock(Struct, frozen=True):
    """`wall` may be set and jump; `monotonic` only ever goes on. Both in seconds, `wall` since the epoch."""

    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    zone: tzinfo | None = None
    """None is the zone of this machine, with its summer time."""

    def local(self, at: float) -> datetime:
        """The local date and time of a moment."""
        return datetime.fromtimestamp(at, self.zone)

    def today(self, at: float) -> date:
        """The local date of a moment."""
        return self.local(at).date()

    def moment(self, day: date, minutes: int) -> float | None:
        """The moment of a local time, in minutes after midnight; None where the day is none that this zone has had.

        An hour that summer time leaves out is the hour after it, of the same day; of one that comes twice it is the
        first.
        """
        local = datetime(day.year, day.month, day.day, tzinfo=self.zone) + timedelta(minutes=minutes)
        found = (local.replace(fold=fold).timestamp() for fold in (0, 1))
        return next((at for at in found if self.today(at) == day), None)


SunEvent = Literal["sunrise", "sunset"]


class Sun(Struct, frozen=True):
    """The sun over one place."""

    location: Location

    def at(self, event: SunEvent, day: date) -> float | None:
        """The moment of an event on a day of Greenwich, to a minute or so; None where the sun does not do that then."""
        from astral import Observer
        from astral.sun import sunrise, sunset

        observer = Observer(self.location.latitude, self.location.longitude)
        try:
            return (sunrise if event == "sunrise" else sunset)(observer, day).timestamp()
        except ValueError:  # the sun of the far north
            return None


_HALF, _DAY = 12 * 60, 24 * 60
"""In minutes."""
_SOON_S = 8 * 3600.0
"""A bare "at two" within so long can only be that two o'clock, be it at night."""
_NEAR_S = 4 * 3600.0
"""What wakes somebody wakes him in the morning, unless its hour is so near."""
_AT_NIGHT, _SMALL_HOURS = 60, 5 * 60
"""From the first to the second (in minutes) nobody means a bare hour that is far off; midnight is one like others."""
_WAKING = 6 * 60
"""From it on until noon a bare hour of another day may be of either half."""
_LONGEST_S = 366 * 86_400.0
_LOOK_DAYS = 400
_SUN = ("sunrise", "sunset")

Doubtful = Literal["vague", "half", "no_location", "no_sun", "past", "too_far", "no_length"]


class Doubt(Struct, frozen=True):
    """Why a time cannot be told: nobody said it, or not which half of the day, or it is over, or there is none such."""

    reason: Doubtful


class Moments:
    """Tells moments by one clock and, where it is known where the house stands, by the sun."""

    def __init__(self, clock: Clock, sun: Sun | None = None) -> None:
        self._clock = clock
        self._sun = sun

    def first(self, when: When) -> float | Doubt:
        """The moment that is meant, seconds since the epoch; that of now where only a length was said."""
        now = self._clock.wall()
        if when.vague:
            return Doubt("vague")
        if when.delay_s is not None:
            return _after(now, when.delay_s)
        if when.time is None:
            timeless = bool(when.days) or when.day_offset is not None
            return Doubt("vague") if timeless else now
        if when.time in _SUN and self._sun is None:
            return Doubt("no_location")
        if when.follows is not None:
            before = self.first(replace(when, time=when.follows, follows=None, offset_s=None))
            return before if isinstance(before, Doubt) else self._first_after(when, before)
        if when.twelve and when.time not in _SUN:
            return self._either(when, now)
        found = self._next(when, _minutes(when.time), now)
        if found is not None:
            return found
        return Doubt("no_sun" if when.time in _SUN else "past")

    def following(self, when: When, after: float, known: float | None = None) -> float | None:
        """The next moment of a standing time strictly after another one; None where there is none.

        `known` is one of its moments, from which the days between two of them are counted.
        """
        if when.time is None or not when.days or when.once:
            return None
        return self._next(when, _minutes(when.time), after, self._day_of(when, known) if known is not None else None)

    def settled(self, when: When, start: float) -> When:
        """The time with the half of the day that its first moment, `start`, is in."""
        if not when.twelve or when.time is None or when.time in _SUN:
            return when
        said = _minutes(when.time)
        half = next(
            (item for item in _halves(said, either=True) if self._at(when, item, self._clock.today(start)) == start),
            said,
        )
        return replace(when, time=f"{half // 60:02}:{half % 60:02}", twelve=False)

    def end(self, when: When, start: float) -> float | Doubt | None:
        """When what is to last "for ten minutes" or "until seven" ends; None where that was not said.

        What lasts until something is so ends at no moment that anybody knows: never, as far as clocks go.
        """
        if when.until_so:
            return math.inf
        if when.duration_s is not None:
            return _after(start, when.duration_s)
        if when.until is None:
            return None
        if when.until in _SUN and self._sun is None:
            return Doubt("no_location")
        asked = When(time=when.until)
        found = [self._next(asked, minutes, start) for minutes in _halves(_minutes(when.until), when.until_twelve)]
        ends = [item for item in found if item is not None]
        return min(ends) if ends else Doubt("no_sun")

    def within(self, hours: Hours, at: float) -> bool | None:
        """Whether a moment is in these hours; None where that hangs on a sun of which nobody knows."""
        if self._sun is None and not {hours.start, hours.end}.isdisjoint(_SUN):
            return None
        return any(begin <= at < end for begin, end in self._spans(hours, self._clock.today(at)))

    def over(self, hours: Hours | None) -> bool:
        """Whether these hours are of single days, which are over."""
        dates = [date.fromisoformat(day) for day in hours.days if day[0].isdigit()] if hours is not None else []
        ends = [end for day in dates if hours is not None for _, end in self._spans(hours, day)]
        return bool(dates) and max(ends, default=0.0) <= self._clock.wall()

    def _spans(self, hours: Hours, today: date) -> Iterator[tuple[float, float]]:
        """The hours as they begin today and began yesterday; what has no end that day ends with it."""
        for day in (today - timedelta(days=1), today):
            if hours.days and {"daily", WEEK[day.weekday()], day.isoformat()}.isdisjoint(hours.days):
                continue
            next_day = day + timedelta(days=1)
            begin = self._at(When(time=hours.start or "00:00"), _minutes(hours.start or "00:00"), day)
            if begin is None:
                continue
            said = hours.end or "00:00"
            ends = (self._at(When(time=said), _minutes(said), one) for one in (day, next_day))
            if (end := next((item for item in ends if item is not None and item > begin), None)) is not None:
                yield begin, end

    def _first_after(self, when: When, before: float) -> float | Doubt:
        """The first moment of an hour of either half after what is done before it, if need be on the next day."""
        if not when.days or when.once:
            when = replace(when, days=(), once=False, week=None, day_offset=None)
        found = (self._next(when, half, before) for half in _halves(_minutes(when.time or ""), either=True))
        return min((item for item in found if item is not None), default=Doubt("past"))

    def _either(self, when: When, now: float) -> float | Doubt:
        """The moment of an hour of which nobody said whether it is of the morning or of the evening."""
        said = _minutes(when.time or "")
        found = {half: self._next(when, half, now) for half in _halves(said, either=True)}
        known = {half: moment for half, moment in found.items() if moment is not None}
        if not known:
            return Doubt("past")
        if len(known) == 1:
            return next(iter(known.values()))
        half = min(known, key=lambda item: known[item])
        if not when.days and when.day_offset in (None, 0):
            ahead = known[half] - now
            if when.daytime == "am":
                near = half >= _HALF and ahead <= (_NEAR_S if said >= _SMALL_HOURS else _SOON_S)
                return Doubt("half") if near else known[said]
            soon = ahead <= _SOON_S or not _AT_NIGHT <= half < _SMALL_HOURS
            return known[half] if soon else Doubt("half")
        # Of another day: noon, and the afternoon before six; nobody gets up at three unsaid.
        if _HALF <= said < _HALF + 60 or said % _HALF < _WAKING:
            return known[max(known)] if said < _HALF else known[said]
        return Doubt("half")

    def _next(self, when: When, minutes: int, after: float, known: date | None = None) -> float | None:
        for day in self._days(when, after):
            if known is not None and when.interval is not None and (day - known).days % when.interval:
                continue
            moment = self._at(when, minutes, day)
            if moment is not None and moment > after:
                return moment
        return None

    def _at(self, when: When, minutes: int, day: date) -> float | None:
        if when.time in _SUN:
            moment = self._shining(cast("SunEvent", when.time), day)
        else:
            moment = self._clock.moment(day, minutes)
        return moment + (when.offset_s or 0.0) if moment is not None else None

    def _day_of(self, when: When, moment: float) -> date:
        """The day of which this is the moment: what comes two hours after sunset may come on the next."""
        return self._clock.today(moment - (when.offset_s or 0.0))

    def _shining(self, event: SunEvent, day: date) -> float | None:
        """The moment of the sun's on a local day: far from Greenwich it may be of the day before or after there."""
        assert self._sun is not None
        found = (self._sun.at(event, day + timedelta(days=apart)) for apart in (0, -1, 1))
        return next((at for at in found if at is not None and self._clock.today(at) == day), None)

    def _days(self, when: When, after: float) -> Iterator[date]:
        """The days that may be meant, from the one before on: what comes "two hours after sunset" may be tomorrow."""
        today = self._clock.today(after)
        if when.day_offset is not None:
            # The night of a day ends on the next morning: "tonight at 2".
            late = when.daytime == "night" and _small(when)
            if not late or when.day_offset == 0:
                yield today + timedelta(days=when.day_offset)
            if late:
                yield today + timedelta(days=when.day_offset + 1)
            return
        monday = today - timedelta(days=today.weekday())
        for ahead in range(-1, _LOOK_DAYS):
            day = today + timedelta(days=ahead)
            if when.week is not None and (day - monday).days // len(WEEK) != when.week:
                continue
            if not when.days or "daily" in when.days or WEEK[day.weekday()] in when.days:
                yield day


def _small(when: When) -> bool:
    return when.time is not None and when.time not in _SUN and _minutes(when.time) < _SMALL_HOURS


def _after(start: float, seconds: float) -> float | Doubt:
    if not seconds > 0:
        return Doubt("no_length")
    return start + seconds if seconds <= _LONGEST_S else Doubt("too_far")


def _minutes(time: str) -> int:
    """Minutes after midnight of "HH:MM"; 0 for the sun's times."""
    if time in _SUN:
        return 0
    hour, _, minute = time.partition(":")
    return int(hour) * 60 + int(minute)


def _halves(minutes: int, either: bool) -> tuple[int, ...]:  # noqa: FBT001 - said where it is called
    """The minutes of the day that a time may be at: 7:00 also at 19:00, 12:30 also at 0:30."""
    return (minutes, (minutes + _HALF) % _DAY) if either else (minutes,)

"""Times, lengths and conditions in words. Only keys and values here; the words are in the reply tables."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from daemon.converse.replies import Replies
from daemon.core.ir import Condition, Hours, When
from daemon.core.vocabulary import WEEK
from daemon.home import events
from daemon.home.registry import Registry
from daemon.schedule.moments import Clock

_MINUTE_S, _HOUR_S, _DAY_S = 60, 3600, 86_400
_JUST_S = 5
"""What was kept no longer ago than so is told as it was said."""
_FEW_MINUTES = 10 * _MINUTE_S
"""Below it, seconds are said as well."""


def length(seconds: float, replies: Replies, lang: str, *, exact: bool = False) -> str:
    """A length of time: "2 hours and 5 minutes"; of long ones to the minute, unless it is `exact`."""
    total = max(0, round(seconds))
    if total >= _FEW_MINUTES and not exact:
        total = round(total / _MINUTE_S) * _MINUTE_S
    parts = (
        ("length.d", total // _DAY_S),
        ("length.h", total % _DAY_S // _HOUR_S),
        ("length.min", total % _HOUR_S // _MINUTE_S),
        ("length.s", total % _MINUTE_S),
    )
    said = [replies.say(key, lang, n=count) for key, count in parts if count]
    return replies.joined(said or [replies.say("length.s", lang, n=0)], lang, "length")


_MINUTE, _WEEK = 60, 7
_QUARTERS = {0: "clock.00", 15: "clock.15", 30: "clock.30", 45: "clock.45"}
_NOON = 12
_OTHER = 2
"""Of so many days each other one is meant."""
_MOST = 4
"""Of more names only some are said."""
_WORKDAYS = {"mon", "tue", "wed", "thu", "fri"}


class TimeWords:
    """Says when, how long and on what condition, in one home."""

    def __init__(self, replies: Replies, registry: Registry, clock: Clock) -> None:
        self._replies = replies
        self._registry = registry
        self._clock = clock

    def clock(self, at: float, lang: str) -> str:
        """A time of day: "half past six in the evening"."""
        local = self._clock.local(at + _MINUTE / 2)
        hour, minutes = local.hour, local.minute
        if minutes == 0 and hour % _NOON == 0:
            return self._replies.say("clock.noon" if hour else "clock.midnight", lang)
        this, after = (self._replies.hour(item, lang) for item in (hour, hour + 1))
        key, part = _QUARTERS.get(minutes, "clock.other"), self._replies.daypart(hour, lang)
        digits = (hour - 1) % _NOON + 1
        return self._replies.say(key, lang, hour=this, next=after, digits=digits, minutes=f"{minutes:02}", part=part)

    def now(self, lang: str) -> str:
        """What time it is, as a sentence: "half past six in the evening"."""
        # A clock on the wall tells the minute that has begun.
        return self._replies.say("now.clock", lang, time=self.clock(self._clock.wall() - _MINUTE / 2, lang))

    def today(self, lang: str) -> str:
        """What day it is, as a sentence: its weekday and its date."""
        date = self._clock.local(self._clock.wall())
        weekday = self._replies.say(f"weekday.{date.weekday()}", lang)
        month = self._replies.say(f"month.{date.month}", lang)
        return self._replies.say("now.day", lang, weekday=weekday, month=month, day=date.day, year=date.year)

    def moment(self, at: float, lang: str) -> str:
        """A moment with its day, where that is not today: "tomorrow at seven in the morning"."""
        # Midnight is the end of the day that it is said on.
        today = self._clock.today(self._clock.wall())
        date = min(self._clock.today(at + _MINUTE / 2), self._clock.today(max(at - _MINUTE / 2, self._clock.wall())))
        ahead, day = (date - today).days, date.weekday()
        key = {0: "when.today", 1: "when.tomorrow"}.get(ahead, "when.day" if 0 < ahead < _WEEK else "when.days")
        weekday = self._replies.say(f"weekday.{day}", lang)
        return self._replies.say(key, lang, n=ahead, time=self.clock(at, lang), day=weekday)

    def past(self, at: float, lang: str) -> str:
        """A moment that is over: "at seven in the morning"."""
        return self._replies.say("when.today", lang, time=self.clock(at, lang))

    def when(self, when: When | None, due: float | None, lang: str) -> str:
        """When a command is to be carried out, as it is said in front of it."""
        if when is not None and when.delay_s is not None and due is not None:
            left = due - self._clock.wall()
            # As it was said, not what is left of it once the device has answered: "in 29 minutes and 59 seconds".
            fresh = abs(left - when.delay_s) < _JUST_S
            told = length(when.delay_s if fresh else left, self._replies, lang, exact=fresh)
            return self._replies.say("when.delay", lang, length=told)
        if when is not None and when.days and not when.once:
            days, time = self._regular(when, due, lang), self._daily(when, due, lang)
            return self._replies.say("when.every", lang, days=days, time=time)
        if when is not None and when.time in ("sunrise", "sunset"):
            return self._on(due, self._daily(when, due, lang), lang)
        return self.moment(due, lang) if due is not None else ""

    def conditions(
        self, them: Sequence[Condition], join: str, watched: Sequence[Sequence[str]], lang: str, *, so: bool = False
    ) -> str:
        """What has to happen: "Front door opens"; or how things have to be (`so`): "Front door is open"."""
        frame = "given" if so else "happens"
        said: list[str] = []
        for condition, ids in zip(them, watched, strict=True):
            if condition.comparator == "than" and said:
                other = self._replies.names([self._registry[item].name(lang) for item in ids], lang)
                said[-1] = self._replies.say("given.than", lang, what=said[-1], other=other)
            else:
                said.append(self._condition(condition, ids, lang, frame))
        return self._replies.joined(said, lang, "both" if join == "and" else "either")

    def hours(self, hours: Hours, lang: str) -> list[str]:
        """When something is forbidden: "from ten in the evening to six in the morning", "on weekdays"."""
        said = [self._days(hours.days, lang)] if hours.days else []
        edges = [name for name, time in (("start", hours.start), ("end", hours.end)) if time is not None]
        start, end = (self._hour(time, lang) if time is not None else "" for time in (hours.start, hours.end))
        if edges:
            key = "hours.between" if len(edges) > 1 else f"hours.{edges[0]}"
            clock = self._replies.say(key, lang, start=start, end=end)
            said = [self._replies.say("hours.days", lang, days=said[0], hours=clock) if said else clock]
        return said

    def _hour(self, time: str, lang: str) -> str:
        if time in ("sunrise", "sunset"):
            return self._replies.say(f"hours.{time}", lang)
        hour, _, minutes = time.partition(":")
        at = self._clock.moment(self._clock.today(self._clock.wall()), int(hour) * 60 + int(minutes))
        return self.clock(at or self._clock.wall(), lang)

    def _condition(self, condition: Condition, ids: Sequence[str], lang: str, frame: str) -> str:
        replies = self._replies
        them = self._registry.present(ids)
        if condition.attribute == events.NAME:
            them = [item for item in them if events.able(item, condition)] or them
        known = list(dict.fromkeys(item.name(lang) for item in them))
        # "A window opens" is about any of them, "all lights are off" about them together.
        together = condition.target.quantifier in ("all", "both")
        names = replies.names(known, lang) if together or len(known) > _MOST else replies.joined(known, lang, "or")
        many = len(known) if together or len(known) > _MOST else 1
        if condition.attribute == events.NAME:
            return self._happens(condition, names, many, lang)
        attribute = replies.attribute(condition.attribute, lang)
        if condition.value is None and condition.comparator in ("gt", "lt"):
            return replies.say(f"given.more.{condition.comparator}", lang, n=many, names=names, attribute=attribute)
        if isinstance(condition.value, float | int):
            key = f"{frame}.{condition.comparator}"
            value = replies.value(condition.value, lang, unit=condition.unit or self._unit(condition, ids))
            high = "" if condition.high is None else replies.value(condition.high, lang, unit=condition.unit)
        else:
            word, sensed = str(condition.value), f"{frame}.{condition.attribute}.{condition.value}"
            turned = f"{frame}.{condition.attribute}.{_OPPOSITE.get(word, '')}"
            if condition.negated and replies.has(turned, lang):
                key, condition = turned, Condition(condition.target, for_s=condition.for_s)
            else:
                key = replies.first(lang, sensed, f"{frame}.{condition.attribute}", f"{frame}.is")
            value, high = replies.value(condition.value, lang, attribute=condition.attribute), ""
        if condition.negated:
            key = f"{frame}.not"
        said = replies.say(key, lang, n=many, names=names, attribute=attribute, value=value, high=high)
        if condition.for_s is not None:
            return replies.say("happens.for", lang, what=said, length=length(condition.for_s, replies, lang))
        return said

    def _happens(self, condition: Condition, names: str, many: int, lang: str) -> str:
        """What a button waits for: "the left button of Remote is pressed twice"."""
        say, key = self._replies.say, f"happens.event.{condition.value}"
        if condition.button is None:
            return say(key, lang, n=many, names=names)
        word = events.spoken(events.button_of(condition.button), lang)
        if self._replies.has(f"{key}.way", lang):  # it goes some way, rather than being done to one of several
            return say(f"{key}.way", lang, n=many, names=names, way=word)
        button = "happens.button.number" if word.isdecimal() else "happens.button"
        return say(key, lang, n=many, names=say(button, lang, button=word, names=names))

    def _unit(self, condition: Condition, ids: Sequence[str]) -> str | None:
        for item in ids:
            entity = self._registry.get(item)
            able = entity.reads(condition.attribute) if entity is not None else None
            if able is not None and able.unit is not None:
                return able.unit
        return None

    def _daily(self, when: When, due: float | None, lang: str) -> str:
        """The time of day of a standing time: by the clock, or by the sun."""
        if when.time in ("sunrise", "sunset"):
            if when.offset_s:
                key = f"sun.{when.time}.{'before' if when.offset_s < 0 else 'after'}"
                return self._replies.say(key, lang, length=length(abs(when.offset_s), self._replies, lang))
            return self._replies.say(f"sun.{when.time}", lang)
        return self._replies.say("when.today", lang, time=self.clock(due, lang)) if due is not None else ""

    def _on(self, due: float | None, time: str, lang: str) -> str:
        """A time of the sun on its day, with what it comes to by the clock."""
        if due is None:
            return time
        tomorrow = self._clock.today(due) != self._clock.today(self._clock.wall())
        key = "when.sun.tomorrow" if tomorrow else "when.sun"
        return self._replies.say(key, lang, sun=time, time=self.clock(due, lang))

    def _regular(self, when: When, due: float | None, lang: str) -> str:
        """The days of a standing time; where not each of them is meant, with the next one that is."""
        if when.interval is None or due is None:
            return self._days(when.days, lang)
        weeks, rest = divmod(when.interval, _WEEK)
        key, count = ("days.apart", when.interval) if rest else ("days.weeks", weeks)
        if count == _OTHER:
            key = "days.other" if rest else "days.other_week"
        day, first = self._near(self._clock.today(due), lang)
        return self._replies.say(key, lang, n=count, day=day, first=first)

    def _near(self, date: date, lang: str) -> tuple[str, str]:
        """The weekday of a date, and how the date is told: "tomorrow"."""
        ahead = (date - self._clock.today(self._clock.wall())).days
        near = {0: "day.today", 1: "day.tomorrow"}.get(ahead, "day.week" if ahead < _WEEK else "day.later")
        day = self._replies.say(f"weekday.{date.weekday()}", lang)
        return day, self._replies.say(near, lang, day=day, n=ahead)

    def _days(self, days: Sequence[str], lang: str) -> str:
        if days[0][0].isdigit():
            return self._replies.joined([self._near(date.fromisoformat(day), lang)[1] for day in days], lang, "facts")
        if "daily" in days or len(set(days)) == _WEEK:
            return self._replies.say("days.daily", lang)
        if set(days) == _WORKDAYS:
            return self._replies.say("days.weekdays", lang)
        if set(days) == {"sat", "sun"}:
            return self._replies.say("days.weekend", lang)
        names = [self._replies.say(f"weekday.{WEEK.index(day)}", lang) for day in days]
        return self._replies.say("days.some", lang, days=self._replies.names(names, lang, most=_WEEK))


_OPPOSITE = {
    "on": "off", "off": "on", "open": "closed", "closed": "open", "locked": "unlocked", "unlocked": "locked",
    "home": "not_home", "not_home": "home",
}  # fmt: skip

"""What is forbidden for good, and in which hours: "never", "at night", "after ten", "on weekdays"."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import filterfalse
from typing import Literal, cast

from daemon.core.ir import Condition, Hours, Order, Parameter, Prohibition, Target, When
from daemon.core.values import replace
from daemon.understand.build_when import build_when
from daemon.understand.matchers import Node
from daemon.understand.parts import Parts, Reading, parts_of

_PARTS = {
    "morning": Hours("05:00", "12:00"),
    "afternoon": Hours("12:00", "18:00"),
    "evening": Hours("18:00", "22:00"),
    "night": Hours("22:00", "06:00"),
    "late": Hours("18:00", "06:00"),
    "day": Hours("06:00", "22:00"),
    "dark": Hours("sunset", "sunrise"),
    "light": Hours("sunrise", "sunset"),
}
"""The hours of the parts of a day; `late` is all that lies after the day, as 晚上."""
_NOON, _EVENING, _MORNING = "12:00", "18:00", "06:00"
_EARLY = "05:00"
"""Before it, an hour of which nobody said the half is not one of the evening."""


def forbidden(clause: Order, parts: Parts, reading: Reading) -> Order | Prohibition:
    """A "don't" that is said for good, for some hours or for as long as something is so; any other stays as it is."""
    hours = hours_of(parts.parts.get("Hours", []), reading)
    when = clause.when
    timed = when is not None and replace(when, repeating=False, every=False) != When()
    standing = parts.has("standing") or clause.conditions or hours is not None
    if timed or not standing:
        return clause
    action = None if parts.has("alone") else clause.action
    way = cast("Literal['cool', 'heat'] | None", parts.mark("by"))
    parameter = clause.parameter if way is None else Parameter("temperature", by=way)
    return Prohibition(action, clause.targets, clause.excluded, parameter, hours, conditions=clause.conditions,
                       condition_join=clause.condition_join, confidence=clause.confidence)  # fmt: skip


def within(parts: Parts, asked: Sequence[Condition], when: When | None, reading: Reading) -> When | None:
    """The time with the hours and the days in which alone it is waited.

    Raises:
        ValueError: nothing is.
    """
    hours = hours_of(parts.parts.get("Hours", []), reading) if not parts.has("negated") else None
    if when is not None and when.repeating and when.time is not None:
        when = replace(when, repeating=False, every=False)  # "every day at seven, as long as somebody is home"
    elif asked and when is not None and not (when.time or when.delay_s) and (when.days or when.day_offset is not None):
        # A level, or what is to be told, is waited for; how things are on a day is looked at, and when, is asked.
        waits = when.repeating or "Timer" in parts.parts or any(isinstance(item.value, float) for item in asked)
        when = replace(when, repeating=waits)
        hours = (hours or _day_hours(parts.parts["When"], when)) if waits else hours
    if hours is None:
        return when
    if not asked or (when is not None and not when.repeating):
        raise ValueError("hours of nothing that happens")
    # Who says in which hours something is to depend on another thing means each time.
    return When(repeating=True, every=True, hours=hours) if when is None else replace(when, hours=hours)


def in_the_dark(conditions: tuple[Condition, ...], when: When | None) -> tuple[tuple[Condition, ...], When | None]:
    """As "once it's dark and nobody's upstairs": what happens in the dark, where something does."""
    others = tuple(filterfalse(_is_dark, conditions))
    if when is None or not when.repeating or when.hours is not None or not 0 < len(others) < len(conditions):
        return conditions, when
    return others, replace(when, hours=_PARTS["dark"])


def _is_dark(condition: Condition) -> bool:
    """Whether it says that it is dark, and not how bright something is."""
    return condition.attribute == "illuminance" and condition.value is None and condition.target == Target()


def hours_of(nodes: list[Node], reading: Reading) -> Hours | None:
    """The hours that are said; None where none are.

    Raises:
        ValueError: there are no such hours.
    """
    said = [_one(node, reading) for node in nodes]
    clocks = [item for item in said if item.start or item.end]
    if len(clocks) > 1:
        raise ValueError("hours twice")
    days = next((item.days for item in reversed(said) if item.days), ())
    return replace((clocks or said)[0], days=days) if said else None


def _day_hours(nodes: list[Node], when: When | None) -> Hours | None:
    """The hours of a part of a day for which alone something is waited: "tonight"; None of whole days."""
    said = [day.mark("hours") for node in nodes for day in map(parts_of, parts_of(node).all("Day"))]
    half = {"am": "morning", "night": "late"}.get((when.daytime if when is not None else None) or "")
    return _PARTS.get(next(filter(None, said), None) or half or "")


def _one(node: Node, reading: Reading) -> Hours:
    parts = parts_of(node)
    part = _PARTS.get(parts.mark("hours") or "", Hours())
    if not parts.all("Time", "Until", "Days"):
        return part
    when = build_when([node], reading, trigger=False)
    if when is None or when.beyond is not None or when.interval is not None:
        raise ValueError("no such hours")
    days = () if "daily" in when.days else when.days
    if when.time is None:
        return Hours(part.start, part.end, days)
    if parts.mark("edge") == "before":
        return Hours(None, when.time, days)
    start = _later(when.time) if when.twelve else when.time
    end = when.until
    if end is None:
        # What begins late lasts until the morning, anything else until midnight.
        end = "sunrise" if start == "sunset" else _MORNING if start >= _EVENING or start < _EARLY else None
    elif when.until_twelve and when.twelve:
        end = _end(when.time, f"{int(end[:2]) % 12:02}{end[2:]}", start)
    return Hours(end, start, days) if parts.has("outside") else Hours(start, end, days)


def _end(said: str, end: str, start: str) -> str:
    """The end where nobody said a half for either: from ten to six is the night, from one to three the afternoon."""
    return _half_on(end) if said < end and start >= _NOON else end


def _later(time: str) -> str:
    """An hour of which nobody said the half: "after ten" is in the evening, "after twelve" at midnight."""
    if time.startswith("12:"):
        return f"00:{time[3:]}"
    return _half_on(time) if _EARLY <= time < _NOON else time


def _half_on(time: str) -> str:
    return f"{int(time[:2]) + 12:02}{time[2:]}"

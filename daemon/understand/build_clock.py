"""The time that a clock shows, as it is said: "half past seven", "seven thirty pm", "a quarter to midnight"."""

from __future__ import annotations

from typing import cast

from daemon.core.slots import When
from daemon.core.values import replace
from daemon.understand.matchers import Node
from daemon.understand.parts import Parts, Reading

_RUN_TOGETHER = 100
_NOON, _DAY, _HOUR = 12, 24, 60
_SMALL_HOURS = 5
"""Before it, an hour of the night is that of the next morning."""

_NAMED = ("DAYPART", "NIGHTLONG")
"""Words that have an hour: "until morning", "all night"."""


_MORNING = range(4, 12)
"""The hours at which people get up."""


class NoSuchTime(ValueError):
    """A time of day that no clock shows."""

    def __init__(self, node: Node) -> None:
        super().__init__(node.rule)
        self.node = node


def half_of(parts: Parts, reading: Reading) -> str | None:
    """The half of the day that is said, where one is."""
    if (word := parts.word("DAYTIME")) is not None:
        return reading.lexicon.value("DAYTIME", reading.text(word))
    return parts.mark("daytime")


def either_half(parts: Parts, reading: Reading, half: str | None) -> bool:
    """Whether nobody said which half of the day a time of the clock is in: "at 7", but not "at 07:00" or "at 19"."""
    node = parts.part("Hour")
    if node is None or half is not None or half_of(parts, reading) is not None:
        return False
    said = reading.text(node)
    hour = int(reading.numbers.value(said))
    hour = hour // _RUN_TOGETHER if hour >= _RUN_TOGETHER else hour
    return not said.startswith("0") and 1 <= hour <= _NOON


def clock(parts: Parts, reading: Reading, other: str | None) -> str:
    """As "HH:MM", or "sunrise", "sunset"; `other` is the half of the day where the time itself does not say it."""
    if (named := next(((name, said) for name in _NAMED if (said := parts.word(name))), None)) is not None:
        return reading.lexicon.value(named[0], reading.text(named[1]))
    marked, hour_node, minutes_node = parts.mark("time"), parts.part("Hour"), parts.part("Minutes")
    twelve = {"noon": _NOON, "midnight": _DAY}.get(marked or "")
    if marked is not None and twelve is None:
        return marked
    assert twelve or hour_node
    hour = twelve or int(reading.numbers.value(reading.text(cast("Node", hour_node))))
    minutes = int(reading.numbers.value(reading.text(minutes_node))) if minutes_node else 0
    if hour >= _RUN_TOGETHER:  # "seven thirty" reads as 730
        hour, minutes = divmod(hour, _RUN_TOGETHER)
    if (fixed := parts.mark("minutes")) is not None:
        minutes = int(fixed)
    if parts.has("before"):
        hour, minutes = hour - 1, _HOUR - minutes
    daytime = (half_of(parts, reading) or other) if twelve is None else None
    if daytime == "night":
        daytime = "am" if hour == _NOON or hour < _SMALL_HOURS else "pm"
    if daytime == "pm" and 1 <= hour < _NOON:
        hour += 12
    elif daytime == "am" and hour == _NOON:
        hour = 0
    if not (0 <= hour <= _DAY and 0 <= minutes < _HOUR):
        raise NoSuchTime(parts.node)
    return f"{hour % _DAY:02}:{minutes:02}"


def ends_after(start: str, until: str) -> str:
    """The end of a span of time in the same half of the day: "from 8 to 10 pm"."""
    if ":" in start and ":" in until and until < start:
        hour, _, minutes = until.partition(":")
        later = f"{int(hour) + _NOON:02}:{minutes}"
        return later if start < later < "24:00" else until
    return until


def woken(when: When | None, wakes: str | None) -> When | None:
    """When somebody is woken: in the morning, unless another half of the day is said.

    Of today that is asked, where its hour is near.
    """
    if when is not None and when.also:
        when = replace(when, also=tuple(item for other in when.also if (item := woken(other, wakes)) is not None))
    if when is None or not (wakes and when.twelve and int((when.time or "0").partition(":")[0]) in _MORNING):
        return when
    today = not (when.days or when.day_offset)
    return replace(when, daytime="am") if today else replace(when, twelve=False)

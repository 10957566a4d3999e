"""When and Timer parts -> `When`, `Timer`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

from daemon.core.ir import Beyond, Condition, Timer, When
from daemon.core.values import replace
from daemon.core.vocabulary import WEEK
from daemon.understand.build_clock import NoSuchTime, clock, either_half, ends_after, half_of
from daemon.understand.build_level import LAST_HOUR, bare_number
from daemon.understand.matchers import Node
from daemon.understand.moments import in_the_half, told
from daemon.understand.parts import Parts, Reading, parts_of

_SECONDS = {"s": 1.0, "min": 60.0, "h": 3600.0}
_DAYS = {
    "weekdays": ("mon", "tue", "wed", "thu", "fri"),
    "weekend": ("sat", "sun"),
    "mwf": ("mon", "wed", "fri"),
    "tts": ("tue", "thu", "sat"),
}
_FEW = 2
_DAY, _HOUR = 24, 60
_LONGEST = 366
"""Days from one to the next."""
_TimerOp = Literal["start", "cancel", "cancel_all", "pause", "resume", "increase", "decrease", "query"]


def build_when(nodes: list[Node], reading: Reading, *, trigger: bool) -> When | None:
    """The `When` of a clause; None where nothing was said about time.

    Raises:
        ValueError: a time that says nothing: without it the command would be carried out now.
    """
    try:
        return _beyond(nodes, reading) or _instead(nodes, _when(nodes, reading, trigger=trigger), reading)
    except NoSuchTime as error:
        return When(beyond="no_time", said=reading.text(error.node))


def _instead(nodes: list[Node], when: When | None, reading: Reading) -> When | None:
    """The time that is said instead of one before it: "tomorrow at nine, no, at ten".

    Raises:
        ValueError: one of them is no time.
    """
    sooner = next((part for node in nodes if (part := parts_of(node).part("Sooner")) is not None), None)
    if sooner is None:
        return when
    before = build_when(parts_of(sooner).all("When"), reading, trigger=False)
    meant = told(before, in_the_half(when, before)) if before is not None and when is not None else None
    if meant is None or before is None or before.beyond is not None:
        raise ValueError("no time instead of another")
    return meant


def _when(nodes: list[Node], reading: Reading, *, trigger: bool) -> When | None:
    if not nodes and not trigger:
        return None
    when = When(repeating=trigger)
    parts = [
        part
        for node in nodes
        for part in parts_of(node).all("Delay", "For", "Off", "Later", "Until", "Days", "Day", "Time")
    ]
    number = bare_number([parts_of(node) for node in nodes], reading)
    if number is not None and number > LAST_HOUR:  # no time, but a level: `build_level`
        parts = [part for part in parts if not part.rule.startswith("Time")]
        if not (parts or trigger):
            return None
    if any(part.rule.startswith(("Time", "Delay")) for part in parts):  # "later, at ten" is at ten
        parts = [part for part in parts if not parts_of(part).has("soon")]
    times = [part for part in parts if part.rule.startswith(("Time", "Delay"))]
    if len(times) > 1 and any(parts_of(node).has("each") for node in nodes):
        others = [part for part in parts if part not in times]
        return _at_each([_of_one([*others, time], when, reading, nodes) or when for time in times])
    if len(times) > 1:
        return When(beyond="several", said=reading.between(times[0].start, times[-1].end))
    return _of_one(parts, when, reading, nodes)


def _at_each(whens: Sequence[When]) -> When:
    """The first of several times, and the others: what is said of one alone, day or half of the day, is of all.

    "At six and seven tomorrow morning", 明早六点和七点, "at eight in the morning and eight in the evening".
    """
    base = max(whens, key=lambda when: (when.day_offset is not None or bool(when.days)) + (not when.twelve))
    first, *others = (told(base, in_the_half(when, base)) or when for when in whens)
    return replace(first, also=tuple(others))


def _of_one(parts: list[Node], when: When, reading: Reading, nodes: Sequence[Node]) -> When | None:
    """The time that these parts tell together; `when` is what is known without them."""
    trigger = when.repeating
    times = [part for part in parts if part.rule.startswith(("Time", "Delay"))]
    leaning = [part for part in times if parts_of(part).has("told")]
    when = _of_told(leaning[0], reading) if leaning else when
    parts = [part for part in parts if part not in leaning]
    daytime = _daytime(parts, reading)
    for part in sorted(parts, key=lambda node: node.rule.startswith("Days_spared")):  # once it is known of which
        when = _with(when, part, reading, daytime)
    if daytime == "night" or (when.time is None and daytime in ("am", "pm", "night")):
        when = replace(when, daytime=cast("Literal['am', 'pm', 'night']", daytime))
    if when.time is not None and when.until is not None:
        when = replace(when, until=ends_after(when.time, when.until))
    if nodes and when == When(repeating=trigger):
        raise ValueError("a time that says nothing")
    return when if when != When() else None


def _apart(parts: Parts, reading: Reading) -> float:
    """How long after, or before where negative: "ten minutes before"."""
    shift = parts.part("Offset")
    return seconds(parts_of(shift), reading) * (-1 if parts.has("before") else 1) if shift is not None else 0.0


def _of_told(node: Node, reading: Reading) -> When:
    """A time that is said by one that was told before it: "ten minutes before that", "at five to".

    Raises:
        ValueError: none was told.
    """
    earlier, parts = reading.told_before(node), parts_of(node)
    if parts.has("shift"):  # than it was to be
        return When(offset_s=_apart(parts, reading))
    hour = "Minutes" in parts.parts or parts.has("minutes")
    if earlier is None and not hour and parts.part("Offset") is None:
        return When(vague=True)  # "at that time", and nobody said which
    base = build_when([earlier], reading, trigger=False) if earlier is not None else None
    if base is None or base.beyond is not None or (base.time is None and base.delay_s is None):
        raise ValueError("no time was told")
    if apart := _apart(parts, reading):
        if base.delay_s is not None:
            return replace(base, delay_s=base.delay_s + apart)
        return replace(base, offset_s=(base.offset_s or 0.0) + apart)
    if not hour:
        return base
    minutes = parts.part("Minutes")
    past = int(reading.numbers.value(reading.text(minutes))) if minutes else int(parts.mark("minutes") or 0)
    if base.time is None or not base.time[0].isdigit() or base.offset_s:
        raise ValueError("no hour was told")
    full = int(base.time.partition(":")[0]) - parts.has("before")
    return replace(base, time=f"{full % _DAY:02}:{(_HOUR - past) if parts.has('before') else past:02}")


def _beyond(nodes: list[Node], reading: Reading) -> When | None:
    """What was said that nothing can go by; None where all of it can be understood."""
    for node in nodes:
        part = parts_of(node).part("Beyond")
        if part is not None:
            return When(beyond=cast("Beyond", parts_of(part).mark("beyond")), said=reading.text(part))
    return None


def build_timer(node: Node, reading: Reading) -> Timer:
    """The timer of a `Timer` node."""
    parts = parts_of(node)
    length, original, name = parts.part("Length"), parts.part("Original"), parts.part("Name")
    task = parts.part("Task")
    return Timer(
        op=cast("_TimerOp", parts.mark("timer")),
        seconds=seconds(parts_of(length), reading) if length else None,
        name=reading.text(name) if name else None,
        start_seconds=seconds(parts_of(original), reading) if original else None,
        reminds=(reading.text(task) if task else "") if parts.has("reminds") else None,
    )


def timed(timer: Timer, conditions: Sequence[Condition], when: When | None, *, hour: str | None) -> When | None:
    """When a timer rings; a reminder that depends on something, and has no time, waits for it to happen."""
    if timer.reminds is None:
        return None
    if when is not None and hour is not None and when.time is None and when.delay_s is None and when.beyond is None:
        when = replace(when, time=hour, vague=False)
    if conditions and (when is None or when == When(confidence=when.confidence)):
        return When(repeating=True, confidence=1.0 if when is None else when.confidence)
    return when


def seconds(parts: Parts, reading: Reading) -> float:
    """The length of time that these parts add up to."""
    total = sum(float(value) for value in parts.marks.get("seconds", ()))
    for part in parts.parts.get("Duration", ()):
        inner = parts_of(part)
        total += sum(float(value) for value in inner.marks.get("seconds", ()))
        unit, number = inner.word("TIMEUNIT"), inner.word("NUMBER")
        if unit is None and not inner.has("unsaid"):
            continue
        amount = {"one": 1.0, "two": 2.0, "three": 3.0, "half": 0.5}.get(inner.mark("value") or "", 0.0)
        if number is not None:
            amount = reading.numbers.value(reading.text(number))
        elif (about := inner.word("ABOUT")) is not None:
            amount = reading.numbers.least(reading.text(about))
        if inner.has("half"):
            amount += 0.5
        total += amount * _SECONDS[reading.lexicon.value("TIMEUNIT", reading.text(unit)) if unit else "min"]
    return total


def _daytime(nodes: list[Node], reading: Reading) -> str | None:
    """The half of the day that is said apart from the time: "every evening at 7", "between 6 and 8 pm"."""
    found: str | None = None
    for node in nodes:
        match node.rule.partition("_")[0]:
            case "Days" | "Day":
                found = half_of(parts_of(node), reading) or found
            case "Until":
                inner = parts_of(node).part("Time")
                found = (half_of(parts_of(inner), reading) if inner else None) or found
    return found


def _with(when: When, node: Node, reading: Reading, daytime: str | None) -> When:
    parts = parts_of(node)
    match node.rule.partition("_")[0]:
        case "Delay":
            return replace(when, delay_s=seconds(parts, reading))
        case "For" | "Off":
            length = seconds(parts, reading)
            return replace(when, duration_s=length) if length else replace(when, vague=True)
        case "Later":
            return replace(when, vague=True)
        case "Until":
            inner = parts.part("Time")
            if inner is None:
                return when
            ends = parts_of(inner)
            return replace(when, until=clock(ends, reading, None), until_twelve=either_half(ends, reading, daytime))
        case "Days":
            return _with_days(when, parts, reading)
        case "Time":
            return _with_time(when, parts, reading, daytime)
        case _:
            inner_day = next((parts_of(day) for day in parts.parts.get("Day", ())), parts)
            offset = inner_day.mark("day")
            vague = when.vague or parts.has("later") or inner_day.has("later")
            return replace(when, day_offset=int(offset) if offset is not None else when.day_offset, vague=vague)


def _with_days(when: When, parts: Parts, reading: Reading) -> When:
    """The days on which it is."""
    days: list[str] = list(parts.marks.get("days", ()))
    if (span := parts.part("Range")) is not None:
        days += _span(parts_of(span), reading)
    days += _named_days(parts, reading)
    if (spared := parts.part("Spared")) is not None:
        less = _named_days(parts_of(spared), reading)
        days = days or list(when.days)
        days = [day for day in (WEEK if "daily" in days else days) if day not in less]
        if not days:
            raise ValueError("no day is left")
    # Of "on weekdays" and of three days there are many, however it is said.
    once = parts.has("once") and len(set(days)) <= _FEW and set(days) != set(_DAYS["weekend"])
    week = parts.mark("week")
    if week is not None:
        when, once = replace(when, week=int(week)), True
    if (interval := _interval(parts, reading)) is not None:
        when, once = replace(when, interval=interval), False
    return replace(when, days=tuple(dict.fromkeys(days)), once=once, vague=when.vague or parts.has("later"))


def _interval(parts: Parts, reading: Reading) -> int | None:
    """So many days from each to the next, where not each of them is meant: "every third day", "every other Monday".

    Raises:
        ValueError: there are no such days.
    """
    counted = parts.part("Interval")
    days = int(reading.numbers.value(reading.text(counted))) if counted else int(parts.mark("interval") or 1)
    days *= len(WEEK) if parts.has("weeks") else 1
    if not 1 <= days <= _LONGEST:
        raise ValueError("no such days")
    return days if days > 1 else None


def _named_days(parts: Parts, reading: Reading) -> list[str]:
    days: list[str] = []
    for item in (parts, *map(parts_of, parts.parts.get("Day", ()))):
        for name in ("DAY", "DAYS", "DAYSHORT", "WEEKDIGIT"):
            for word in item.words.get(name, ()):
                value = reading.lexicon.value(name, reading.text(word))
                days += _DAYS.get(value, (value,))
    return days


def _with_time(when: When, parts: Parts, reading: Reading, daytime: str | None) -> When:
    """The time of the day at which it is."""
    day = parts.part("Day")
    inner_day = parts_of(day) if day else None
    offset = inner_day.mark("day") if inner_day else None
    half = (half_of(inner_day, reading) if inner_day else None) or daytime
    base = parts.part("Base")
    said = parts_of(base) if base is not None else parts
    time = clock(said, reading, half)
    night = (half_of(parts, reading) or half) == "night"
    return replace(
        when,
        daytime="night" if night else when.daytime,
        time=time,
        twelve=either_half(said, reading, half),
        offset_s=_apart(parts, reading) or None,
        day_offset=int(offset) if offset is not None else when.day_offset,
    )


def _span(parts: Parts, reading: Reading) -> list[str]:
    """The days of "from Monday to Friday"."""
    first, last = _named_days(parts, reading)
    if first not in WEEK or last not in WEEK:
        raise ValueError(f"{first} to {last}")
    start, end = WEEK.index(first), WEEK.index(last)
    return [WEEK[day % len(WEEK)] for day in range(start, (end if end >= start else end + len(WEEK)) + 1)]

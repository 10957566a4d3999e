"""A time that is completed, moved or put right by another one ("in the evening", "no, an hour later"), or by a table.

Which half of the day is meant by what is done says `rules/halves.yaml`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from msgspec import Struct

from daemon.core.ir import Clause, DialogueMove, Hours, Order, Program, Target, Timer, Unit, When
from daemon.core.values import replace
from daemon.core.vocabulary import Action, Kind
from daemon.system.nodes import read_yaml
from daemon.understand.lexicon import Lexicon
from daemon.understand.matchers import Node
from daemon.understand.parts import Reading

_NOON, _DAY, _MINUTES, _HUNDRED = 12, 24, 60, 100
_SECONDS: dict[Unit | None, float] = {"s": 1.0, "min": 60.0, "h": 3600.0}
_SMALL_HOURS = 5
ON = frozenset({"turn_on", "open"})


def hours_of(clause: Clause) -> Hours | None:
    """In which hours alone what was spoken of is to happen, where nothing else is said: "only after dark"."""
    move = isinstance(clause, DialogueMove) and clause.move == "time"
    return clause.when.hours if move and clause.when is not None else None


def lasting_of(clause: Clause) -> float | None:
    """How long what was spoken of is to be on, where nothing else is said: "on for five minutes"."""
    bare = isinstance(clause, Order) and clause.elliptic and clause.action in ON and not clause.parameter
    return clause.when.duration_s if bare and clause.when is not None else None


def as_time(move: DialogueMove) -> When | None:
    """A bare number as a time: "at six", "seven thirty" (730), "ten minutes"."""
    if not isinstance(move.value, int | float):
        return None
    if move.unit in _SECONDS:
        return When(delay_s=float(move.value) * _SECONDS[move.unit])
    hour, minutes = divmod(int(move.value), _HUNDRED) if move.value > _DAY else (int(move.value), 0)
    if move.unit is not None or move.value % 1 or not 0 <= hour <= _DAY or minutes >= _MINUTES:
        return None
    if not hour and minutes:
        return None  # 40 is no time
    return When(time=f"{hour % _DAY:02}:{minutes:02}", twelve=1 <= hour <= _NOON)


def told(when: When, said: When) -> When | None:
    """The time, or the days, said in place of others: how long it is to last stays, and so does what was not said."""
    if said.delay_s is None and said.time is None and (said.days or said.day_offset) and when.time is not None:
        days = replace(when, days=said.days, once=said.once, week=said.week, interval=said.interval,
                       day_offset=said.day_offset)  # fmt: skip
        return completed(days, said) or days if said.daytime is not None else days
    if said.delay_s is None and said.time is None:
        return _shifted(when, said.offset_s) if said.offset_s is not None else None
    days = said if said.days or said.day_offset is not None else when
    return replace(said, days=days.days, once=days.once, week=days.week, interval=days.interval,
                   day_offset=days.day_offset, duration_s=when.duration_s, until=when.until,
                   until_twelve=when.until_twelve, vague=False)  # fmt: skip


def _shifted(when: When, apart: float) -> When | None:
    """The time so long after what it was to be, or before: "an hour later"; of none that was said, after now."""
    if when.time is not None:
        return replace(when, offset_s=(when.offset_s or 0.0) + apart)
    delay = (when.delay_s or 0.0) + apart
    return replace(when, delay_s=delay, vague=False) if delay > 0 and not (when.days or when.day_offset) else None


def completed(when: When, said: When) -> When | None:
    """The time with the half of the day that was said, or that of a whole time that was said again."""
    if said.time is not None:
        return replace(when, time=said.time, twelve=said.twelve) if not said.twelve else None
    if when.time is None or said.daytime is None:
        return None
    hour, _, minutes = when.time.partition(":")
    early = said.daytime == "am" or (said.daytime == "night" and int(hour) % _NOON < _SMALL_HOURS)
    return replace(when, time=f"{int(hour) % _NOON + (0 if early else _NOON):02}:{minutes}", twelve=False)


def in_the_half(when: When, kept: When) -> When:
    """The time in the half of the day that was known: "at seven in the morning, no, half past six"."""
    if when.twelve and kept.twelve:
        return replace(when, daytime=when.daytime or kept.daytime)  # of who is woken, the morning
    if not when.twelve or when.time is None or kept.time is None or not kept.time[0].isdigit():
        return when
    halves = ("pm", "am") if int(kept.time.partition(":")[0]) >= _NOON else ("am", "pm")
    apart = {half: abs(_hours(in_half(when, half)) - _hours(kept)) for half in halves}
    return in_half(when, min(apart, key=lambda half: min(apart[half], _DAY - apart[half])))  # "at eleven, no, twelve"


def _hours(when: When) -> float:
    hour, _, minutes = (when.time or "").partition(":")
    return int(hour) + int(minutes) / _MINUTES


def at_each_time(clauses: Iterable[Clause]) -> tuple[Clause, ...]:
    """The clauses, with one for each time at which the same is to be done; what can't be done so says it."""
    out = list[Clause]()
    for clause in clauses:
        whens = (replace(clause.when, also=()), *clause.when.also) if clause.when and clause.when.also else ()
        if whens and not isinstance(clause, Order | Timer):
            whens = (replace(whens[0], beyond="several"),)
        out += [replace(clause, when=item) for item in whens] or [clause]
    return tuple(out)


def in_half(when: When, half: str) -> When:
    """The time of the clock in this half of the day."""
    hour, _, minutes = (when.time or "").partition(":")
    return replace(when, time=f"{int(hour) % _NOON + (_NOON if half == 'pm' else 0):02}:{minutes}", twelve=False)


def around(nodes: Sequence[Node], reading: Reading) -> str | None:
    """The hour for a part of the day that was said: time enough for a reminder."""
    hours = reading.lexicon.words("DAYPART")
    said = " ".join(map(reading.text, nodes))
    return next((hours[word] for word in sorted(hours, key=len, reverse=True) if word in said), None)


FILE = "halves.yaml"


class Half(Struct, frozen=True, forbid_unknown_fields=True):
    """One line of the table."""

    deed: Action
    of: tuple[Kind, ...]
    hours: tuple[int, int]
    half: Literal["am", "pm", "word"]
    why: str


class Halves(Struct, frozen=True):
    """The table, and the words in names of scenes that say it."""

    lines: tuple[Half, ...]
    words: dict[str, str]

    @classmethod
    def load(cls, rules: Path, lexicon: Lexicon) -> Halves:
        """The table of a folder of rules; an empty one where it has none."""
        file = rules / FILE
        items = read_yaml(file).sequence() if file.exists() else []
        lines = tuple(item.into(Half, "write {deed, of, hours, half, why}") for item in items)
        return cls(lines, lexicon.words("USUALLY"))

    def told(self, program: Program) -> Program:
        """The program with the half of the day of each time that can only be of one."""
        return replace(program, clauses=tuple(map(self._told, program.clauses)))

    def _told(self, clause: Clause) -> Clause:
        when = clause.when
        if not isinstance(clause, Order) or when is None or when.time is None or not when.twelve or when.follows:
            return clause
        if not (when.days or when.day_offset):
            return clause  # the next one
        hour = int(when.time.partition(":")[0])
        halves = {self._half(target, clause, hour) for target in clause.targets}
        half = halves.pop() if len(halves) == 1 else None
        return clause if half is None else replace(clause, when=in_half(when, half))

    def _half(self, target: Target, clause: Order, hour: int) -> str | None:
        for line in self.lines:
            if line.deed == clause.action and target.kind in line.of and line.hours[0] <= hour <= line.hours[1]:
                return line.half if line.half != "word" else self._named(target.mention or "")
        return None

    def _named(self, name: str) -> str | None:
        return next((half for word, half in self.words.items() if word in name), None)

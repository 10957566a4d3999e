"""The day, or the half of it, that is told in talk beside an order: "they are round *tonight*, so at seven ..."."""

from __future__ import annotations

from collections.abc import Iterable

from daemon.core.ir import Order, Program, Timer, When
from daemon.core.values import replace
from daemon.understand.build_when import build_when
from daemon.understand.matchers import Node
from daemon.understand.moments import completed
from daemon.understand.parts import Reading

_LATE = frozenset({"pm", "night"})


def dated(program: Program, said: Iterable[Node], reading: Reading) -> Program:
    """The program, with each time of the clock on the day that is told beside it, where nobody says another one.

    The same where several days are told, or one that may be over: "we were out this morning".
    """
    apart, end = list[Node](), 0
    for node in said:
        apart, end = ([*apart, node], node.end) if node.start >= end else (apart, end)
    made = (build_when([node], reading, trigger=False) for node in apart)
    days = {replace(when, vague=False) for when in made if when is not None and _is_ahead(when)}
    if len(days) != 1 or any(clause.when is not None and _has_day(clause.when) for clause in program.clauses):
        return program
    [day] = days
    return replace(program, clauses=tuple(
        replace(clause, when=_on(clause.when, day)) if isinstance(clause, Order | Timer) and clause.when else clause
        for clause in program.clauses
    ))  # fmt: skip


def _is_ahead(when: When) -> bool:
    """Whether it is a day to come, or the rest of this one."""
    return bool(when.day_offset) or bool(when.days and when.once) or when.daytime in _LATE


def _has_day(when: When) -> bool:
    return bool(when.days) or when.day_offset is not None


def _on(when: When, day: When) -> When:
    """A time of the clock on that day, in the half of it that is told."""
    if when.time is None or when.beyond is not None:
        return when
    at = replace(when, days=day.days, once=day.once, week=day.week, day_offset=day.day_offset)
    night = at.daytime if day.daytime != "night" else "night"
    return replace(completed(at, day) or at, daytime=night) if at.twelve else at

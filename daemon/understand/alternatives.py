"""Other things that the same words can mean: programs made from a program. The home decides which is possible."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, Literal

from daemon.core.ir import Attribute, Clause, Inquiry, Kind, Order, Parameter, Program, Target, Unread
from daemon.core.values import replace
from daemon.understand.build import doubtful
from daemon.understand.lexicon import Lexicon
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized, in_question


def spread_place(program: Program, factor: float) -> Program | None:
    """The place of the last clause for all: "close the curtain and dim the lights in the dining room"."""
    *others, last = program.clauses
    before = [clause for clause in others if isinstance(clause, Order) and not clause.is_scene]
    if not before or len(before) < len(others):
        return None
    place = next((target for target in last.targets if target.areas or target.floors), None)
    if (
        place is None
        or not program.text.endswith((*place.areas, *place.floors))
        or not all(clause.targets and all(map(_is_kind_alone, clause.targets)) for clause in before)
    ):
        return None
    spread = tuple(
        replace(
            clause,
            targets=tuple(replace(target, areas=place.areas, floors=place.floors) for target in clause.targets),
        )
        for clause in before
    )
    return less_sure(replace(program, clauses=(*spread, last)), factor)


def measured(program: Program, factor: float) -> Program | None:
    """How bright it is somewhere, as what a sensor measures rather than as what a light is set to."""
    clauses = tuple(_measured(clause) for clause in program.clauses)
    return less_sure(replace(program, clauses=clauses), factor) if clauses != program.clauses else None


def less_sure(program: Program, factor: float) -> Program:
    """The same with a lower confidence, so that it only wins where the home can make more of it."""
    return replace(program, confidence=round(program.confidence * factor, 3))


def as_sure(program: Program, most: float) -> Program:
    """The same, so sure at most."""
    confidence = min(program.confidence, most)
    return replace(program, confidence=confidence, needs_fallback=doubtful(confidence, program.missing))


def _measured(clause: Clause) -> Clause:
    asked = clause.parameter
    if not isinstance(clause, Inquiry) or asked is None or asked.attribute != "brightness" or asked.value is not None:
        return clause
    if any(target.kind or target.mention or target.reference not in (None, "here") for target in clause.targets):
        return clause
    return replace(clause, parameter=replace(asked, attribute="illuminance"))


def _is_kind_alone(target: Target) -> bool:
    return (
        target.kind is not None
        and not (target.areas or target.floors or target.whole_home)
        and target.reference is None
    )


def is_clear(program: Program) -> bool:
    """Whether what is understood of it says something by itself, and is no less than what is not."""
    read = [clause for clause in program.clauses if not isinstance(clause, Unread)]
    clear = all(isinstance(clause, Order | Inquiry) and clause.targets and not clause.negated for clause in read)
    clear = clear and not any(target.unsaid for clause in read for target in clause.targets)
    return clear and not program.needs_fallback and 2 * len(read) >= len(program.clauses)


def begins_named(program: Program, text: str) -> bool:
    """Whether what it is about is the name that a text begins with."""
    return any(target.mention and text.startswith(target.mention) for target in program.clauses[0].targets)


_BY_KIND: Final[dict[Kind | None, Attribute]] = {"fan": "aqi", "window": "aqi", "light": "brightness"}
"""What a need is about that says only what helps: "the air is so stuffy"."""
_OF_A_PLACE: Final = frozenset({"temperature", "humidity", "aqi"})
"""What is asked of the place; of what helps there, where nothing measures it."""
_LED_BY: Final = "(?:[a-z]+,? ){0,2}?"
"""A word or two may be said before it: "ugh", "oh dear"."""
_SURE: Final = 0.95


def asked_why(
    said: Normalized, lexicon: Lexicon, read: Callable[[Normalized, NameTable], Sequence[Program]], names: NameTable
) -> Sequence[Program]:
    """As "why is it so cold in here": the question why, after what "it is so cold in here" tells; else none."""
    for told in in_question(said.text, (), lexicon.words("WHY"), _LED_BY):
        found = next(iter(read(replace(said, text=told, original=told), names)), None)
        need = found.sole if found is not None else None
        if found is None or not isinstance(need, Order) or need.when or need.conditions:
            continue
        if not (need.implicit or need.complaint):
            continue
        kind = need.targets[0].kind if need.targets else None
        attribute = need.parameter.attribute if need.parameter is not None else _BY_KIND.get(kind)
        if attribute is None:
            continue
        there = (replace(item, kind=None, reference=item.reference or _here(item)) for item in need.targets)
        placed = attribute in _OF_A_PLACE and all(item.mention is None for item in need.targets)
        anywhere = tuple(replace(item, reference=None) if placed else item for item in need.targets)
        ways = ([tuple(there)] if placed else []) + [anywhere]
        asked = [Inquiry("why", way, parameter=Parameter(attribute), confidence=_SURE) for way in ways]
        sure = replace(found, text=said.text, confidence=_SURE, needs_fallback=False)
        return tuple(replace(sure, clauses=(way,)) for way in asked)
    return ()


def _here(target: Target) -> Literal["here"] | None:
    return None if target.areas or target.floors else "here"

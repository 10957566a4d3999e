"""Other things that the same words can mean: programs made from a program. The home decides which is possible."""

from __future__ import annotations

from daemon.core.ir import Clause, Inquiry, Program
from daemon.core.values import replace
from daemon.understand.build import doubtful


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

"""Conditions about what was asked just before: "how humid is it?" - "if it's over seventy, turn on the fan"."""

from __future__ import annotations

from daemon.core.ir import Clause, Program
from daemon.core.values import replace
from daemon.dialogue.continuing import continued
from daemon.dialogue.dialogue import Dialogue
from daemon.home.registry import Registry
from daemon.understand.build_reach import about_last


def gone_on(said: Program, dialogue: Dialogue, registry: Registry, now: float) -> Program | None:
    """What goes on from what was said before, by its condition or by what is to be done; else None."""
    depends = depending(said, dialogue, now)
    return continued(depends or said, dialogue, registry, now) or depends


def depending(said: Program, dialogue: Dialogue, now: float) -> Program | None:
    """What was said, with what its conditions leave out; None where they leave out nothing, or nothing was asked.

    Args:
        said: What was understood.
        dialogue: What was done or asked before.
        now: `time.monotonic()` seconds.
    """
    planned = dialogue.just_planned(now)
    before = planned or dialogue.program
    if before is None or not (planned or dialogue.just_spoken(now)):
        return None
    last = before.clauses[-1]
    made = [about_last(clause, last) for clause in said.clauses]
    clauses = tuple(_as_often(about, last) if about else item for about, item in zip(made, said.clauses, strict=True))
    return replace(said, clauses=clauses) if any(made) else None


def _as_often(clause: Clause, last: Clause) -> Clause:
    """What ends a thing that is done every time ends it every time."""
    every = clause.when is not None and clause.when.repeating and last.when is not None and last.when.every
    return replace(clause, when=replace(clause.when, every=True)) if clause.when is not None and every else clause

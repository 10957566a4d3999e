"""Conditions about what was asked just before: "how humid is it?" - "if it's over seventy, turn on the fan"."""

from __future__ import annotations

from daemon.core.ir import Program
from daemon.core.values import replace
from daemon.dialogue.continuing import continued
from daemon.dialogue.dialogue import Dialogue
from daemon.home.registry import Registry
from daemon.understand.build_reach import about_last


def gone_on(said: Program, dialogue: Dialogue, registry: Registry, now: float) -> Program | None:
    """What goes on from what was said before, by its condition or by what is to be done; else None."""
    return depending(said, dialogue, now) or continued(said, dialogue, registry, now)


def depending(said: Program, dialogue: Dialogue, now: float) -> Program | None:
    """What was said, with what its conditions leave out; None where they leave out nothing, or nothing was asked.

    Args:
        said: What was understood.
        dialogue: What was done or asked before.
        now: `time.monotonic()` seconds.
    """
    if dialogue.program is None or not dialogue.just_spoken(now):
        return None
    made = [about_last(clause, dialogue.program.clauses[-1]) for clause in said.clauses]
    clauses = tuple(about or clause for about, clause in zip(made, said.clauses, strict=True))
    return replace(said, clauses=clauses) if any(made) else None

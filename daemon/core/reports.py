"""What became of a clause, as facts; and what is said without having been asked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from daemon.core.messages import Asked, Message, Said
from daemon.core.outcomes import Observation, Outcome
from daemon.core.questions import Question
from daemon.core.result import Command, ResultOutcome, Scheduled


@dataclass(frozen=True, slots=True)
class Report:
    """What became of one clause."""

    outcome: ResultOutcome
    said: Said
    reason: str = ""
    """The gate's reason, for the audit."""
    entities: tuple[str, ...] = ()
    """What was spoken of."""
    outcomes: tuple[Outcome, ...] = ()
    commands: tuple[Command, ...] = ()
    read: tuple[str, ...] = ()
    readings: tuple[Observation, ...] = ()
    """What it rests on."""
    question: Question | None = None
    scheduled: tuple[Scheduled, ...] = ()
    waits: Message | None = None
    """What the scheduled wait for, where that is something that happens."""
    kept: tuple[int, ...] = ()
    """The ids of what was kept for later."""


@dataclass(frozen=True, slots=True)
class Occasion:
    """What was said when something was done, and where."""

    said: str
    lang: str
    satellite: str
    speaker: str | None = None
    source: str | None = None


@dataclass(frozen=True, slots=True)
class Notice:
    """What is to be said without being asked just now: a shutter that stopped half-way, a timer that rang."""

    satellite: str
    """Where what it is about was said."""
    lang: str
    said: Said
    aloud: bool = True
    """Whether it is spoken; what happens again and again, and goes well, is only shown."""


def asking(question: Question, *before: Message) -> Report:
    """The report that a question is asked."""
    return Report("clarify", (*before, Asked(question)), question.reason, question=question)


Notify = Callable[[Notice], None]
"""Takes what is to be said somewhere. Called on the event loop; must not block and must not raise."""

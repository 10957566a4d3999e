"""One clause on its way: what it comes with, and what became of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from daemon.act.executor import Executor
from daemon.act.reader import Reader
from daemon.act.states import States
from daemon.act.undo import Undo
from daemon.core.ir import Clause, Program
from daemon.core.learnt import Choice
from daemon.core.outcomes import Observation, Outcome
from daemon.core.questions import Question, Settled
from daemon.core.resolution import Context, Decision
from daemon.core.result import Command, ResultOutcome, Scheduled
from daemon.core.trace import Trace
from daemon.core.values import replace


@dataclass(frozen=True, slots=True)
class Utterance:
    """One thing said or typed. `area` and `speaker` are ids or names; `heard` is the transcript's confidence."""

    text: str
    lang: str | None = None
    area: str | None = None
    speaker: str | None = None
    satellite: str = "console"
    heard: float = 1.0
    alternatives: tuple[tuple[str, float], ...] = ()
    """What may have been said instead, with how sure that is; best first."""


@dataclass(frozen=True, slots=True)
class Access:
    """The way to the devices: what was seen, fresh readings, acts, and whether the broker is there."""

    states: States
    reader: Reader
    executor: Executor
    connected: Callable[[], bool]


@dataclass(frozen=True, slots=True)
class Turn:
    """One clause with everything around it. `heard` is the transcript's confidence, 0 to 1."""

    program: Program
    at: int
    """The index of the clause."""
    context: Context
    settled: Settled
    heard: float
    trace: Trace
    said: str = ""
    """The whole utterance, as it came in."""
    satellite: str = ""
    choice: Choice | None = None
    """What was chosen on the way here, in answer to a question."""
    attended: bool = True
    """Whether somebody is there who may be asked."""
    watched: tuple[tuple[str, ...], ...] = ()
    """For each condition of what is not for now, whom it is about, once that is known."""
    plan: int | None = None
    """The id of the plan that is carried out, where it is one."""
    since: float | None = None
    """The moment that it was planned for, seconds since the epoch: "until eight" is counted from there."""

    @property
    def clause(self) -> Clause:
        """The clause."""
        return self.program.clauses[self.at]

    @property
    def lang(self) -> str:
        """The language to answer in."""
        return self.context.lang

    def instead(self, clause: Clause) -> Turn:
        """The turn with another clause in the place of this one."""
        clauses = (*self.program.clauses[: self.at], clause, *self.program.clauses[self.at + 1 :])
        return replace(self, program=replace(self.program, clauses=clauses))

    def alone(self) -> Turn:
        """The clause without the others of its program: what is left to be asked about where those are done."""
        return replace(self, program=replace(self.program, clauses=(self.clause,)), at=0)


_NOBODY = Decision("refuse", "")


@dataclass(frozen=True, slots=True)
class Announcement:
    """What is said without being asked just now: a shutter that stopped half-way, a timer that rang."""

    satellite: str
    """Where what it is about was said."""
    lang: str
    reply: str
    aloud: bool = True
    """Whether it is spoken; what happens again and again, and goes well, is only shown."""


Announcer = Callable[[Announcement], None]
"""Takes what is to be said somewhere. Called on the event loop; must not block and must not raise."""


@dataclass(frozen=True, slots=True)
class Judged:
    """A clause that is judged: either `report` ends it, or it is to be carried out on `decision.entities`."""

    turn: Turn
    decision: Decision = _NOBODY
    report: Report | None = None
    back: Undo | None = None
    """For "undo that": the way back."""
    later: bool = False
    """It is to be kept, not carried out now."""
    watched: tuple[tuple[str, ...], ...] = ()
    """For each condition of what is to be kept, whom it is about."""
    holds: bool = False
    """What is waited for is so already."""
    dropped: tuple[int, ...] = ()
    """The ids of what was kept for later and is to be dropped."""


@dataclass(frozen=True, slots=True)
class Report:
    """What became of one clause."""

    outcome: ResultOutcome
    reply: str
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
    kept: tuple[int, ...] = ()
    """The ids of what was kept for later."""

"""One utterance, what it is about, and one clause of it on its way."""

from __future__ import annotations

from collections.abc import Mapping

from msgspec import Struct, field

from daemon.core.ir import Clause, Order, Program
from daemon.core.questions import Choice, Question, Settled
from daemon.core.resolution import Context
from daemon.core.trace import Trace
from daemon.core.values import replace


class Utterance(Struct, frozen=True):
    """One thing said or typed. `area` and `speaker` are ids or names; `heard` is the transcript's confidence."""

    text: str
    lang: str | None = None
    area: str | None = None
    speaker: str | None = None
    satellite: str = "console"
    heard: float = 1.0
    alternatives: tuple[tuple[str, float], ...] = ()
    """What may have been said instead, with how sure that is; best first."""


class Turn(Struct, frozen=True):
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
    ends: bool = False
    """Whether it takes back what was to last only so long."""
    since: float | None = None
    """The moment that it was planned for, seconds since the epoch: "until eight" is counted from there."""

    @property
    def clause(self) -> Clause:
        """The clause."""
        return self.program.clauses[self.at]

    @property
    def order(self) -> Order:
        """The clause, where it is one that is carried out."""
        clause = self.clause
        assert isinstance(clause, Order)
        return clause

    @property
    def lang(self) -> str:
        """The language to answer in."""
        return self.context.lang

    @property
    def sure(self) -> float:
        """How sure it is that this was said, 0 to 1: as hearing and reading are."""
        return min(self.heard, self.program.confidence)

    def instead(self, clause: Clause) -> Turn:
        """The turn with another clause in the place of this one."""
        clauses = (*self.program.clauses[: self.at], clause, *self.program.clauses[self.at + 1 :])
        return replace(self, program=replace(self.program, clauses=clauses))

    def alone(self) -> Turn:
        """The clause without the others of its program: what is left to be asked about where those are done."""
        return replace(self, program=replace(self.program, clauses=(self.clause,)), at=0)


class Task(Struct, frozen=True):
    """What is to be done in one turn: a program, and what answers have settled about each of its clauses."""

    program: Program
    settled: Mapping[int, Settled] = field(default_factory=dict)
    heard: float = 1.0
    """How sure the hearing of it was, 0 to 1: that of the question too, where this is an answer."""
    whole: bool = False
    """Nothing of it is done unless all of it can be."""
    answered: Question | None = None
    """The question that this answers, with what was chosen."""
    choice: Choice | None = None
    """What answers have chosen, for what may be learnt of it."""

"""Answers to a pending question: what was said means as one, and what that comes to.

What else may have been said counts, and what is left of it without talk. An answer comes to a task, the report that
ends it, or the question once more.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from daemon.core.ir import Clause, Inquiry, Order, Program, Target, Unread
from daemon.core.messages import Names, Words, say
from daemon.core.questions import EXPIRY_S, NOTHING_SETTLED, Answer, Question, Settled
from daemon.core.result import Report, asking
from daemon.core.thresholds import Thresholds
from daemon.core.trace import Trace
from daemon.core.turn import Task
from daemon.core.values import replace
from daemon.dialogue.amending import refused
from daemon.dialogue.interpret import interpret
from daemon.dialogue.leaning import is_whole, points_back
from daemon.dialogue.moves import at_stake
from daemon.dialogue.options import dimension
from daemon.dialogue.which import Tongue
from daemon.home.registry import Registry
from daemon.memory.teaching import Teaching
from daemon.resolve.comprehension import Comprehension
from daemon.resolve.readings import Heard, Readings


@dataclass(frozen=True, slots=True)
class Answers:
    """Finds the answer to a question, in one home.

    Args:
        registry: The home.
        comprehension: Reads texts.
        thresholds: How sure the hearing of a yes must be.
        bare: What an utterance may say without the talk around it.
    """

    _registry: Registry
    _comprehension: Comprehension
    _thresholds: Thresholds
    _bare: Callable[[Heard, Trace], AsyncIterator[Heard]]

    async def of(
        self, question: Question, first: Heard, others: Iterator[Heard], trace: Trace
    ) -> tuple[Answer, Heard, float]:
        """What was said means as the answer; what that is, less its talk; and how surely it was heard.

        A lower hypothesis counts only where the better ones fit nothing, and never as a yes; nor is a yes with talk
        around it one where anything is at stake. A no is one, whatever is said behind it.
        """
        tongue = self._tongue(question)
        answer = interpret(question, first.said, first.text, first.readings, tongue, self._registry)
        if answer.kind == "yes" and self._thresholds.is_doubtful(first.confidence):
            answer = Answer("misheard")  # a yes that may have been noise opens no door
        trace.note("converse", question=question.reason, answer=answer.kind, entities=answer.entities)
        if answer.kind != "misheard":
            return answer, first, first.confidence
        for heard in others:
            lower = interpret(question, heard.said, heard.text, heard.readings, tongue, self._registry)
            if lower.kind not in ("misheard", "other", "yes"):
                trace.note("hear", taken=heard.text, instead_of=first.text, answer=lower.kind)
                return lower, first, heard.confidence
        risky = at_stake(question, self._registry) or self._thresholds.is_doubtful(first.confidence)
        async for less in self._bare(first, trace):
            found = interpret(question, less.said, less.text, less.readings, tongue, self._registry)
            if found.kind != "misheard" and not (found.kind == "yes" and risky):
                trace.note("converse", question=question.reason, answer=found.kind, entities=found.entities)
                return found, less, less.confidence
        return refused(question, first.said, tongue, self._concerns) or answer, first, first.confidence

    def is_command(self, program: Program) -> bool:
        """Whether it is a sure command of its own, whatever is open."""
        return is_whole(program) and not self._thresholds.is_doubtful(program.confidence)

    def _concerns(self, words: str) -> bool:
        return self._comprehension.concerns(words) or self._comprehension.depends(words)

    def _tongue(self, question: Question) -> Tongue:
        lang, known = question.program.lang, self._comprehension

        def read(whole: str) -> Sequence[Program]:
            return known.read_text(whole, lang)

        def named(words: str) -> tuple[Target, ...]:
            return known.named(words, lang)

        return Tongue(read, named, known.essence, known.consent, known.heads, self._thresholds)


def confirmed(question: Question) -> dict[int, Settled]:
    """What a yes settles of all that was asked in the same breath."""
    before = {other.at: question.settled.get(other.at, NOTHING_SETTLED) for other in question.also}
    return {
        other.at: replace(
            before[other.at], confirmed=other.options, despite=(*before[other.at].despite, *other.despite)
        )
        for other in question.also
    }


def less_refused(question: Question) -> Program | None:
    """What was said beside that to which the answer is no, and is nothing of it; None where that is nothing.

    A no to whether it was understood is one to all of it.
    """
    gone = {question.at, *(other.at for other in question.also)}
    program, left = question.program, list[Clause]()
    of_it = [program.clauses[at].targets for at in gone if at < len(program.clauses)]
    for at, clause in enumerate(program.clauses):
        if (
            at in gone
            or clause.targets in of_it
            or (at - 1 in gone and points_back(replace(program, clauses=(clause,))))
        ):
            gone.add(at)
        elif isinstance(clause, Order | Inquiry | Unread):
            left.append(clause)
    understood = question.kind == "confirm" and question.reason != "confirm_reading"
    wanted = understood and any(isinstance(clause, Order) for clause in left)
    return replace(program, clauses=tuple(left), source="dialogue") if wanted else None


def refusal(answer: Answer) -> Report:
    """That nothing is done, and what nobody understood of the no."""
    unread = (say("unread", words=Words(answer.unread)),) if answer.unread else ()
    return Report("ignore", (say("confirmed_no"), *unread))


_MOST_PATIENCE: Final = 3
"""So often a question waits longer, or is said again."""


@dataclass(frozen=True, slots=True)
class Settling:
    """Settles questions, in one home.

    Args:
        registry: The home.
        readings: What this home makes of readings.
        teaching: What may be learnt of a choice.
        clock: Seconds that never go back.
    """

    _registry: Registry
    _readings: Readings
    _teaching: Teaching
    _clock: Callable[[], float]

    def answered(self, question: Question, answer: Answer) -> Task | Report:
        """What is to be done now, the report that ends it, or the question once more."""
        if (missing := self._gone(question, answer)) is not None:
            return missing
        if (still := self._still_open(question, answer)) is not None:
            again = self._asked_again(still)
            if answer.kind == "misheard":
                again = replace(again, said=(say("not_understood"), *again.said))
            if answer.kind == "wait":  # a yes is to be one to the question, and not to "take your time"
                again = replace(again, said=(say("waiting"), *(again.said if question.kind == "confirm" else ())))
            return again
        program, before = (
            replace(question.program, source="dialogue"),
            question.settled.get(question.at, NOTHING_SETTLED),
        )
        done = replace(question, chosen=answer.entities)
        habit = self._teaching.chosen(question, answer)
        match answer.kind:
            case "chosen" | "yes" if answer.kind == "chosen" or question.kind == "choose":
                program, now = self._chosen(question, answer, program)
                settled = {**question.settled, question.at: now}
                return Task(program, settled, question.heard, answered=done, choice=habit)
            case "yes" | "more" if answer.kind == "yes" or answer.entities:
                program = answer.program or program
                despite = (*before.despite, *question.despite)
                now = replace(before, confirmed=question.options, despite=despite)
                settled = {**question.settled, question.at: now, **confirmed(question)}
                return Task(program, settled, question.heard, answered=done, choice=habit)
            case "value" | "target" | "time" | "more" if answer.program is not None:
                # A time says nothing about whom it is done to: what was settled about that stays so.
                return Task(answer.program, question.settled if answer.kind == "time" else {}, question.heard)
            case "misheard" | "wait" | "again":
                return Report("ignore", (say("gave_up"),))
            case "no":
                others = less_refused(question)
                return Task(others, {}, question.heard) if others is not None else refusal(answer)
            case _:
                return Report("ignore", (say("cancelled"),))

    def _chosen(self, question: Question, answer: Answer, program: Program) -> tuple[Program, Settled]:
        """What is to be done, and what is settled of it, once it was said which one is meant."""
        before = question.settled.get(question.at, NOTHING_SETTLED)
        if answer.program is not None:  # "the bedroom one, to sixteen": whom else that may be done to does not matter
            return replace(answer.program, source="dialogue"), replace(before, meant=answer.entities)
        if question.reason == "not_found":
            program = self._readings.named(program, question.at)
        return program, replace(before, choices=(*before.choices, answer.entities))

    def _gone(self, question: Question, answer: Answer) -> Report | None:
        """The report that what the answer means has left the home while the question was open; None where it is there.

        Of several, what is still there is asked about, or done; the act itself tells of the others.
        """
        if not question.offers or answer.kind in ("no", "cancel"):
            return None
        meant = answer.entities or question.options
        gone = self._registry.gone(meant)
        if not gone or len(gone) < len(meant):
            return None
        return Report("reject", (say("gone", len(gone), names=Names(tuple(gone))),), "gone", meant)

    def _still_open(self, question: Question, answer: Answer) -> Question | None:
        """The question that is left to be answered; None where none is, or nobody has patience for it."""
        match answer.kind:
            case "narrowed":
                left = dimension(answer.entities, self._registry)
                return replace(question, options=answer.entities, dimension=left)
            case "misheard" if question.attempt == 1:
                return replace(question, attempt=2)
            case "wait" | "again" if question.prolonged < _MOST_PATIENCE:
                return replace(question, prolonged=question.prolonged + 1)
            case _:
                return None

    def _asked_again(self, question: Question) -> Report:
        left = tuple(item for item in question.options if not (question.offers and self._registry.gone((item,))))
        return asking(replace(question, options=left, expires_at=self._clock() + EXPIRY_S))

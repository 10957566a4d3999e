"""What an answer comes to: a task, the report that ends it, or the question once more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from daemon.core.ir import Program
from daemon.core.messages import Names, say
from daemon.core.questions import EXPIRY_S, NOTHING_SETTLED, Answer, Question, Settled
from daemon.core.result import Report, asking
from daemon.core.turn import Task
from daemon.core.values import replace
from daemon.dialogue.answers import confirmed, less_refused, refusal
from daemon.dialogue.options import dimension
from daemon.home.registry import Registry
from daemon.memory.teaching import Teaching
from daemon.resolve.readings import Readings

_MOST_PATIENCE: Final = 3
"""So often a question waits longer, or is said again."""


class Settling:
    """Settles questions, in one home.

    Args:
        registry: The home.
        readings: What this home makes of readings.
        teaching: What may be learnt of a choice.
        clock: Seconds that never go back.
    """

    def __init__(self, registry: Registry, readings: Readings, teaching: Teaching, clock: Callable[[], float]) -> None:
        self._registry = registry
        self._readings = readings
        self._teaching = teaching
        self._clock = clock

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

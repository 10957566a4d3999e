"""What one utterance is about, in the conversation that it belongs to."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from daemon.core.entities import Value
from daemon.core.questions import NOTHING_SETTLED
from daemon.core.reports import Occasion, Report
from daemon.core.resolution import Context
from daemon.core.trace import Trace
from daemon.core.turn import Turn, Utterance
from daemon.core.values import replace
from daemon.dialogue.dialogue import Dialogue, Dialogues
from daemon.dialogue.speakers import Speakers
from daemon.dialogue.tasks import Task, Tasks
from daemon.resolve.readings import Readings


@dataclass(frozen=True, slots=True)
class Exchange:
    """One utterance with what it is about, what is known around it, and the conversation so far."""

    utterance: Utterance
    task: Task | Report
    """What is to be done, or the report that ends it."""
    context: Context
    dialogue: Dialogue

    def turns(self, task: Task, trace: Trace) -> list[Turn]:
        """The clauses of the task."""
        said = self.utterance
        return [
            Turn(
                task.program,
                index,
                self.context,
                task.settled.get(index, NOTHING_SETTLED),
                task.heard,
                trace,
                said.text,
                said.satellite,
                task.choice,
            )
            for index in range(len(task.program.clauses))
        ]

    def occasion(self, task: Task) -> Occasion:
        """What was said, and where, for what is written down of it."""
        said, context = self.utterance, self.context
        return Occasion(said.text, context.lang, said.satellite, context.speaker, task.program.source)


class Conversations:
    """The conversations of one home. One event loop."""

    def __init__(
        self,
        *,
        tasks: Tasks,
        readings: Readings,
        speakers: Speakers,
        last_known: Callable[[str, str], Value | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`last_known` tells the last value seen of (entity id, attribute), however old."""
        self._tasks = tasks
        self._readings = readings
        self._speakers = speakers
        self._last_known = last_known
        self._clock = clock
        self._dialogues = Dialogues()

    def now(self) -> float:
        """The time by which questions wait and "it" is forgotten, in monotonic seconds."""
        return self._clock()

    def check(self, utterance: Utterance) -> None:
        """Whether its area and its speaker are known here.

        Raises:
            UsageError: one of them is not.
        """
        self._speakers.check(utterance)

    async def exchange(self, utterance: Utterance, trace: Trace) -> Exchange:
        """What this utterance is about. A question that it answers, or drops, is taken out of its conversation."""
        now = self._clock()
        trace.note("normalize", utterance=trace.id, satellite=utterance.satellite)
        utterance = self._speakers.placed(utterance)
        dialogue = self._dialogues.of(utterance.satellite, now)
        asked = dialogue.question(now)
        if utterance.lang is None and asked is not None:
            # "20" is of no language: it answers in that of the question.
            utterance = replace(utterance, lang=asked.program.lang)
        hypotheses = self._readings.of(utterance, trace)
        first = next(hypotheses)
        context = Context(
            lang=first.lang,
            area=utterance.area,
            speaker=utterance.speaker,
            last=dialogue.last,
            before_last=dialogue.before_last,
            state_of=self._last_known,
        )
        _note(trace, context, asked.reason if asked is not None else None)
        task = await self._tasks.of(first, hypotheses, dialogue, context, trace)
        answered = isinstance(task, Task) and task.program.source == "dialogue"
        if asked is not None and asked.kind == "confirm" and not answered:
            # "Shall I really open the gate?" - "Close it."
            context = replace(context, last=asked.options, before_last=context.last)
        return Exchange(utterance, task, context, dialogue)


def _note(trace: Trace, context: Context, asked: str | None) -> None:
    """What is known before anything is looked up; what is not known is left out."""
    known = {
        "area": context.area,
        "speaker": context.speaker,
        "last": list(context.last),
        "before_last": list(context.before_last),
        "asked": asked,
    }
    trace.note("context", **{name: value for name, value in known.items() if value})

"""What one utterance is about, in the conversation that it belongs to: who speaks, where, and what is to be done."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from daemon.core.entities import Entity, Person, Value
from daemon.core.errors import UsageError
from daemon.core.questions import NOTHING_SETTLED
from daemon.core.resolution import Context
from daemon.core.result import Occasion, Report
from daemon.core.trace import Trace
from daemon.core.turn import Task, Turn, Utterance
from daemon.core.values import replace
from daemon.dialogue.dialogue import Dialogue, Dialogues
from daemon.dialogue.tasks import Tasks
from daemon.home.config import Microphone
from daemon.home.registry import Registry
from daemon.resolve.readings import Readings

_COLON = re.compile("[:：]")
"""Stands behind a name in a line as in a play: "Amal: turn on the TV"."""


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
        registry: Registry,
        satellites: Mapping[str, Microphone],
        tasks: Tasks,
        readings: Readings,
        last_known: Callable[[str, str], Value | None],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`satellites` says where each stands and whose it is, by the id that it gives itself.

        `last_known` tells the last value seen of (entity id, attribute), however old.
        """
        self._tasks = tasks
        self._readings = readings
        self._speakers = _Speakers(registry, satellites)
        self._last_known = last_known
        self._clock = clock
        self._dialogues = Dialogues()

    def now(self) -> float:
        """The time by which questions wait and "it" is forgotten, in monotonic seconds."""
        return self._clock()

    def of(self, satellite: str) -> Dialogue:
        """The conversation at one satellite, as it stands."""
        return self._dialogues.of(satellite, self._clock())

    def check(self, utterance: Utterance) -> None:
        """Whether its area and its speaker are known here.

        Raises:
            UsageError: one of them is not.
        """
        self._speakers.check(utterance)

    def passed_over(self, turn: Turn) -> tuple[str, ...]:
        """The ids of what is named in a clause that nothing comes of: it is spoken of all the same."""
        return self._tasks.passed_over(turn.program, turn.context)

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
            spoken=dialogue.spoken,
            state_of=self._last_known,
        )
        _note(trace, context, asked.reason if asked is not None else None)
        task = await self._tasks.of(first, hypotheses, dialogue, context, trace)
        if isinstance(task, Report):
            dialogue.mention(task.entities, now)
        answered = isinstance(task, Task) and task.program.source == "dialogue"
        if asked is not None and (answered or isinstance(task, Report)):
            context = replace(context, area=asked.area)
        if asked is not None and asked.kind in ("confirm", "choose") and not (answered or asked.proposed):
            # "Shall I really open the gate?" - "Close it." - "Which lamp?" - "Both, to 40 percent."
            context = replace(context, spoken=context.spoken.then(asked.options))
        return Exchange(utterance, task, context, dialogue)


def _note(trace: Trace, context: Context, asked: str | None) -> None:
    """What is known before anything is looked up; what is not known is left out."""
    known = {
        "area": context.area,
        "speaker": context.speaker,
        "last": list(context.last),
        "before_last": list(context.spoken.before),
        "asked": asked,
    }
    trace.note("context", **{name: value for name, value in known.items() if value})


class _Speakers:
    """Knows the people and the satellites of one home.

    Args:
        registry: The people and the areas.
        satellites: By the id that a satellite gives itself, where it stands and whose it is.
    """

    def __init__(self, registry: Registry, satellites: Mapping[str, Microphone]) -> None:
        self._registry = registry
        self._satellites = satellites

    def check(self, utterance: Utterance) -> None:
        """Whether its area and its speaker are known here.

        Raises:
            UsageError: one of them is not.
        """
        for kind, name, among in (
            ("area", utterance.area, self._registry.areas),
            ("speaker", utterance.speaker, self._registry.people),
        ):
            if name is not None and _called(name, among) is None:
                known = ", ".join(item.id for item in among) or "none"
                raise UsageError(f"there is no {kind} {name!r} in this home; known: {known}")

    def placed(self, utterance: Utterance) -> Utterance:
        """The utterance with area and speaker as ids where they are known, and without the name that it begins with.

        Only the name of somebody who lives here is one; before a colon, anything else is just words.
        """
        own = self._satellites.get(utterance.satellite, Microphone())
        people, text = self._registry.people, utterance.text
        speaker = _called(utterance.speaker, people) or own.speaker
        name, *said = _COLON.split(text, maxsplit=1)
        if said and said[0].strip() and (named := _called(name.strip(), people)) is not None:
            speaker, text = named, said[0].lstrip()
        area = _called(utterance.area, self._registry.areas) or own.area
        return replace(utterance, text=text, area=area, speaker=speaker)


def _called(name: str | None, among: Sequence[Entity | Person]) -> str | None:
    """The id of what is called so, or has that id; None where nothing is."""
    if name is None:
        return None
    wanted = name.casefold()
    found = (item.id for item in among if item.id == name or wanted in (word.casefold() for word in item.names))
    return next(found, None)

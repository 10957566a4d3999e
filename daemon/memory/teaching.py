"""What Hearken is taught: names, preferences and habits, from a sentence, an "always" or the same choice again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import cast

from msgspec import Struct

from daemon.core.decisions import Act, Keep, Query, Teach
from daemon.core.entities import Entity
from daemon.core.ir import Lesson, Parameter, Program, Target, Unit
from daemon.core.messages import Asked, Message, Names, Said, Topic, Words, say
from daemon.core.questions import EXPIRY_S, Answer, Choice, Question
from daemon.core.result import Report
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.home.actions import is_risky
from daemon.home.names import tokens
from daemon.home.registry import Registry
from daemon.memory.learnt import LONGEST, AllLearnt, Called, How, Learnt, LearntNow, Meant, Naming, Origin
from daemon.memory.memory import Memory
from daemon.resolve.comprehension import Comprehension
from daemon.resolve.request import Need
from daemon.resolve.resolver import Resolver

_PROBLEMS = {
    "empty": "learn_empty",
    "too_long": "learn_too_long",
    "unfit": "learn_unfit",
    "reserved": "learn_reserved",
    "taken": "learn_taken",
    "already": "learn_already",
}
"""Why a word cannot be a name -> the sentence that says so."""


class Objection(Struct, frozen=True):
    """Why a lesson is not simply taken: `ask` for a yes, else it is refused with this."""

    reason: str
    ask: bool = False
    said: Said = ()


class Teaching:
    """Teaches one home's memory. One event loop."""

    def __init__(
        self,
        *,
        registry: Registry,
        memory: Memory,
        resolver: Resolver,
        comprehension: Comprehension,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._registry = registry
        self._memory = memory
        self._resolver = resolver
        self._kind_words = resolver.kind_words
        self._clock = clock
        self._naming = Naming(registry, comprehension.reserved)

    def respelled(self, turn: Turn) -> Turn:
        """The turn with the word as its speaker wrote it: after a question only the answer is there to be looked at."""
        lesson = _lesson(turn)
        if lesson.word is None or (spelled := _spelled(lesson.word, turn.said)) == lesson.word:
            return turn
        return turn.instead(replace(lesson, word=spelled))

    def objection(self, turn: Turn, entities: Sequence[str]) -> Objection | None:
        """What speaks against a lesson about these entities; None where it may be taken."""
        lesson = _lesson(turn)
        if lesson.op not in ("name", "prefer"):
            return None
        if not self._memory.has_room(lesson.word or ""):
            return _refused(turn, "learn_full")
        if lesson.value is not None:
            return _refused(turn, "learn_too_long") if len(_plain(lesson.value)) > LONGEST else None
        entity = self._one(turn, entities)
        if entity is None:
            return _refused(turn, "learn_one_thing")
        if lesson.op == "name" and self._nameable(lesson.word or ""):
            problem = self._naming.problem(lesson.word or "", entity)
            if problem is not None:
                return _refused(turn, _PROBLEMS[problem.reason], problem.bearers)
        elif (other := self._naming.bearer(lesson.word or "", entity)) is not None:
            return _refused(turn, "learn_taken", (other,))
        if is_risky(entity) and not turn.settled.confirmed:
            return Objection("learn_risk", ask=True)
        return None

    async def teach(self, decision: Teach) -> Report:
        """Takes the lesson, or tells what has been learnt."""
        turn = decision.turn
        lesson = _lesson(turn)
        match lesson.op:
            case "list":
                known = tuple(item for item in reversed(self._memory.items) if self._memory.applies(item))
                return _told(AllLearnt(known))
            case "names" if turn.clause.targets:
                return _told(Called(decision.entities), entities=decision.entities)
            case "names":
                wishes = self._registry.wishes(turn.context.speaker, (lesson.word or "",))
                return _told(Meant(lesson.word or "", wishes[0] if wishes else None))
            case "forget":
                return await self._forget(turn, lesson.word)
            case _:
                return await self._take(turn, lesson, decision.entities)

    def filled(self, turn: Turn) -> Turn | None:
        """The turn with what the speaker likes best as its value; None where nobody has said what that is."""
        parameter = turn.clause.parameter
        assert parameter is not None
        for wish in self._registry.wishes(turn.context.speaker, (parameter.wish or "", parameter.attribute)):
            if wish.meaning not in self._registry:
                valued = _valued(parameter, wish.meaning, wish.unit)
                clause = replace(turn.clause, parameter=valued)  # type: ignore[arg-type]  # it has one
                turn.trace.note("resolve", wish=parameter.wish, meaning=wish.meaning, speaker=wish.speaker)
                return turn.instead(clause)
        return None

    def used(self, decision: Act | Keep | Query) -> None:
        """Counts what was learnt and helped to find what was acted on."""
        targets = decision.turn.clause.targets
        words = [word for target in targets for word in (target.mention, target.kind) if word]
        if words:
            self._memory.used(words, decision.turn.context.speaker, decision.entities)

    def chosen(self, question: Question, answer: Answer) -> Choice | None:
        """What an answer has chosen, where that could be remembered; else what was chosen before."""
        names = question.kind == "choose" or question.reason == "confirm_name"
        before = question.choice
        if before is None and names and question.word is not None and len(answer.entities) == 1:
            areas = self._registry.rooms_of(question.options)
            area = areas.pop() if len(areas) == 1 and len(question.options) > 1 else None
            before = Choice(question.word, answer.entities[0], area)
        return replace(before, always=True) if before is not None and answer.always else before

    async def after(self, choice: Choice | None, reports: Sequence[Report], turn: Turn) -> tuple[Report, ...]:
        """What is learnt from a choice, once it was acted on; never from what did not work."""
        outcomes = [item for report in reports for item in report.outcomes]
        if choice is None or not outcomes:
            return ()
        mine = [item for item in outcomes if item.write.entity == choice.entity]
        done = bool(mine) and all(item.status == "done" for item in mine)
        lang = turn.lang
        if not choice.always:
            habit = done and await self._memory.chose(choice, turn.context.speaker)
            return (self.question(choice, lang, "learn_habit"),) if habit else ()
        if not done:
            return (Report("execute", (say("learn_not_done"),)),)
        taught = replace(turn, program=self.program(choice, lang), at=0, choice=choice)
        objection = self.objection(taught, (choice.entity,))
        if objection is None:
            return (replace(await self._take(taught, _lesson(taught), (choice.entity,)), outcome="execute"),)
        return (self.question(choice, lang, "learn_risk") if objection.ask else Report("execute", objection.said),)

    async def declined(self, question: Question, speaker: str | None) -> None:
        """Somebody does not want to be understood so; they are not asked again."""
        if question.reason == "learn_habit" and question.choice is not None:
            await self._memory.declined(question.choice, speaker)

    def question(self, choice: Choice, lang: str, reason: str) -> Report:
        """Asks whether a choice shall hold from now on."""
        program = self.program(choice, lang)
        asked = Question(
            "confirm", reason, program, (choice.entity,), self._clock() + EXPIRY_S, choice=choice, word=choice.word
        )
        return Report("execute", (Asked(asked),), reason, question=asked)

    def program(self, choice: Choice, lang: str) -> Program:
        """The lesson that a choice would be: a name where the word is nobody's, else a preference."""
        entity = self._registry.get(choice.entity)
        free = entity is not None and self._nameable(choice.word) and self._naming.problem(choice.word, entity) is None
        lesson = Lesson("name" if free else "prefer", choice.word, (Target(mention=choice.word),))
        return Program((lesson,), "dialogue", lang, text=choice.word)

    async def _take(self, turn: Turn, lesson: Lesson, entities: Sequence[str]) -> Report:
        word, choice = lesson.word or "", turn.choice
        how: How = "told" if choice is None else "always" if choice.always else "repeated"
        origin = Origin(
            how, self._memory.now(), turn.context.speaker, turn.satellite, turn.trace.id, turn.said or turn.program.text
        )
        entity = self._one(turn, entities)
        if lesson.op == "name" and entity is not None and self._nameable(word):
            learnt = Learnt("name", word, entity.id, origin)
        else:
            meaning = entity.id if entity is not None else _plain(lesson.value)
            area = choice.area if choice is not None else None
            learnt = Learnt("preference", self._topic(word), meaning, origin, lesson.unit, turn.context.speaker, area)
        kept = await self._memory.learn(learnt)
        turn.trace.note("converse", learnt=learnt.to_dict(), kept=kept)
        parts: Said = (LearntNow(learnt),) if kept else (LearntNow(learnt), say("learn_unsaved"))
        return _told(*parts, entities=(entity.id,) if entity is not None else ())

    async def _forget(self, turn: Turn, word: str | None) -> Report:
        speaker = turn.context.speaker
        if word is None:
            return Report("reject", (say("forget_what"),))
        found = [item for item in self._memory.called(self._topic(word)) if item.speaker in (None, speaker)]
        found += [item for item in self._memory.called(word) if item not in found and item.speaker in (None, speaker)]
        if not found:
            given = self._naming.bearers(word)
            if not given:
                return Report("ignore", (say("forget_unknown", word=Words(word)),))
            names = Names(tuple(item.id for item in given))
            return Report("reject", (say("forget_given", word=Words(word), names=names),))
        kept = await self._memory.forget(found)
        forgotten = say("forgotten", word=Topic(found[0].word))
        return _told(forgotten) if kept else _told(forgotten, say("learn_unsaved"))

    def _one(self, turn: Turn, entities: Sequence[str]) -> Entity | None:
        """The one thing that is meant: a device, or the group or the room that was named as a whole."""
        if len(entities) == 1:
            return self._registry.get(entities[0])
        for target in turn.clause.targets:
            found = self._resolver.resolve(target, Need(), turn.context)
            via = self._registry.get(found.via) if found.via is not None else None
            named_whole = via is not None and (via.kind == "group" or (target.mention is None and target.kind is None))
            if via is not None and named_whole:
                return via
        return None

    def _nameable(self, word: str) -> bool:
        """Whether a word can be a name at all; one that says a kind can only be preferred."""
        return self._kind_words.said(tokens(word)) is None

    def _topic(self, word: str) -> str:
        kind = self._kind_words.said(tokens(word))
        return kind if kind is not None and self._naming.plain(word) else word


def _refused(turn: Turn, reason: str, bearers: Sequence[Entity] = ()) -> Objection:
    names = Names(tuple(item.id for item in bearers))
    return Objection(reason, said=(say(reason, len(bearers), word=Words(_lesson(turn).word or ""), names=names),))


def _told(*said: Message, entities: Sequence[str] = ()) -> Report:
    return Report("assistant", said, "learn", tuple(entities))


def _lesson(turn: Turn) -> Lesson:
    assert isinstance(turn.clause, Lesson)
    return turn.clause


def _plain(value: float | str | None) -> str:
    return f"{value:g}" if isinstance(value, float) else str(value or "")


def _valued(parameter: Parameter, meaning: str, unit: str | None) -> Parameter:
    if meaning in ("max", "min"):
        return replace(parameter, op="max" if meaning == "max" else "min")
    try:
        return replace(parameter, value=float(meaning), unit=cast("Unit | None", unit))
    except ValueError:
        return replace(parameter, value=meaning)


def _spelled(word: str, said: str) -> str:
    """A word as its speaker wrote it, where that can be told: the grammar only reads lower case."""
    at = said.casefold().find(word.casefold())
    return said[at : at + len(word)] if at >= 0 and len(said.casefold()) == len(said) else word

"""What Hearken is taught: names, preferences and habits, from a sentence, an "always" or the same choice again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import cast

from daemon.converse import recalling
from daemon.converse.replies import Replies
from daemon.converse.wording import question as worded
from daemon.core.entities import Entity
from daemon.core.ir import Clause, Lesson, Parameter, Program, Target, Unit
from daemon.core.learnt import Choice, How, Learnt, Origin
from daemon.core.outcomes import Outcome
from daemon.core.questions import EXPIRY_S, Answer, Question
from daemon.core.turn import Judged, Report, Turn
from daemon.core.values import replace
from daemon.home.actions import is_risky
from daemon.home.kindwords import KindWords
from daemon.home.names import tokens
from daemon.home.registry import Registry
from daemon.memory.memory import Memory
from daemon.memory.naming import LONGEST, Naming
from daemon.resolve.comprehension import Comprehension
from daemon.resolve.needs import Need
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


@dataclass(frozen=True, slots=True)
class Objection:
    """Why a lesson is not simply taken: `ask` for a yes, else it is refused with these words."""

    reason: str
    ask: bool = False
    words: str = ""


class Lessons:
    """Teaches one home's memory. One event loop."""

    def __init__(
        self,
        *,
        registry: Registry,
        memory: Memory,
        resolver: Resolver,
        comprehension: Comprehension,
        kind_words: KindWords,
        replies: Replies,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._registry = registry
        self._memory = memory
        self._resolver = resolver
        self._kind_words = kind_words
        self._replies = replies
        self._clock = clock
        self._naming = Naming(registry, comprehension.reserved)

    def respelled(self, turn: Turn) -> Turn:
        """The turn with the word as its speaker wrote it: after a question only the answer is there to be looked at."""
        lesson = _lesson(turn)
        if lesson.word is None or (spelled := _spelled(lesson.word, turn.said)) == lesson.word:
            return turn
        clause = replace(turn.clause, lesson=replace(lesson, word=spelled))
        return replace(turn, program=_with_clause(turn, clause))

    def objection(self, turn: Turn, entities: Sequence[str]) -> Objection | None:
        """What speaks against a lesson about these entities; None where it may be taken."""
        lesson = _lesson(turn)
        if lesson.op not in ("name", "prefer"):
            return None
        if self._memory.full and not self._memory.called(lesson.word or ""):
            return self._refused(turn, "learn_full")
        if lesson.value is not None:
            return self._refused(turn, "learn_too_long") if len(_plain(lesson.value)) > LONGEST else None
        entity = self._one(turn, entities)
        if entity is None:
            return self._refused(turn, "learn_one_thing")
        if lesson.op == "name" and self._nameable(lesson.word or ""):
            problem = self._naming.problem(lesson.word or "", entity)
            if problem is not None:
                return self._refused(turn, _PROBLEMS[problem.reason], names=problem.bearers)
        elif (other := self._naming.bearer(lesson.word or "", entity)) is not None:
            return self._refused(turn, "learn_taken", names=(other,))
        if is_risky(entity) and not turn.settled.confirmed:
            return Objection("learn_risk", ask=True)
        return None

    async def carry_out(self, judged: Judged) -> Report:
        """Takes the lesson, or tells what has been learnt."""
        turn = judged.turn
        lesson = _lesson(turn)
        match lesson.op:
            case "list":
                return self._told(recalling.everything(self._memory, self._registry, self._replies, turn.lang))
            case "names" if turn.clause.targets:
                words = recalling.names(judged.decision.entities, self._registry, self._replies, turn.lang)
                return self._told(words, judged.decision.entities)
            case "names":
                return self._told(self._meaning(turn, lesson.word or ""))
            case "forget":
                return await self._forget(turn, lesson.word)
            case _:
                return await self._take(turn, lesson, judged.decision.entities)

    def filled(self, turn: Turn) -> Turn | None:
        """The turn with what the speaker likes best as its value; None where nobody has said what that is."""
        parameter = turn.clause.parameter
        assert parameter is not None
        for wish in self._registry.wishes(turn.context.speaker, (parameter.wish or "", parameter.attribute)):
            if wish.meaning not in self._registry:
                clause = replace(turn.clause, parameter=_valued(parameter, wish.meaning, wish.unit))
                turn.trace.note("resolve", wish=parameter.wish, meaning=wish.meaning, speaker=wish.speaker)
                return replace(turn, program=_with_clause(turn, clause))
        return None

    def used(self, judged: Judged) -> None:
        """Counts what was learnt and helped to find what was acted on."""
        targets = judged.turn.clause.targets
        words = [word for target in targets for word in (target.mention, target.kind) if word]
        if words:
            self._memory.used(words, judged.turn.context.speaker, judged.decision.entities)

    def chosen(self, question: Question, answer: Answer) -> Choice | None:
        """What an answer has chosen, where that could be remembered; else what was chosen before."""
        names = question.kind == "choose" or question.reason == "confirm_name"
        before = question.choice
        if before is None and names and question.word is not None and len(answer.entities) == 1:
            areas = {found.id for item in question.options if (found := self._registry.area_of(item)) is not None}
            area = areas.pop() if len(areas) == 1 and len(question.options) > 1 else None
            before = Choice(question.word, answer.entities[0], area)
        return replace(before, always=True) if before is not None and answer.always else before

    async def after(self, choice: Choice, outcomes: Sequence[Outcome], turn: Turn) -> Report | None:
        """What is learnt from a choice, once it was acted on; never from what did not work."""
        mine = [item for item in outcomes if item.write.entity == choice.entity]
        done = bool(mine) and all(item.status == "done" for item in mine)
        lang = turn.lang
        if choice.always:
            if not done:
                return Report("execute", self._replies.say("learn_not_done", lang))
            taught = replace(turn, program=self.program(choice, lang), at=0, choice=choice)
            objection = self.objection(taught, (choice.entity,))
            if objection is None:
                return replace(await self._take(taught, _lesson(taught), (choice.entity,)), outcome="execute")
            return self.question(choice, lang, "learn_risk") if objection.ask else Report("execute", objection.words)
        if done and await self._memory.chose(choice, turn.context.speaker):
            return self.question(choice, lang, "learn_habit")
        return None

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
        return Report("execute", worded(asked, self._registry, self._replies, lang), reason, question=asked)

    def program(self, choice: Choice, lang: str) -> Program:
        """The lesson that a choice would be: a name where the word is nobody's, else a preference."""
        entity = self._registry.get(choice.entity)
        free = entity is not None and self._nameable(choice.word) and self._naming.problem(choice.word, entity) is None
        lesson = Lesson("name" if free else "prefer", choice.word)
        clause = Clause("learn", targets=(Target(mention=choice.word),), lesson=lesson)
        return Program((clause,), "dialogue", "zh" if lang == "zh" else "en", text=choice.word)

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
        words = recalling.taken(learnt, self._registry, self._replies, turn.lang)
        parts = [words] if kept else [words, self._replies.say("learn_unsaved", turn.lang)]
        return self._told(self._replies.sentences(parts, turn.lang), (entity.id,) if entity is not None else ())

    async def _forget(self, turn: Turn, word: str | None) -> Report:
        lang, speaker = turn.lang, turn.context.speaker
        if word is None:
            return Report("reject", self._replies.say("forget_what", lang))
        found = [item for item in self._memory.called(self._topic(word)) if item.speaker in (None, speaker)]
        found += [item for item in self._memory.called(word) if item not in found and item.speaker in (None, speaker)]
        if not found:
            given = self._naming.bearers(word)
            if not given:
                return Report("ignore", self._replies.say("forget_unknown", lang, word=word))
            names = self._replies.names([item.name(lang) for item in given], lang)
            return Report("reject", self._replies.say("forget_given", lang, word=word, names=names))
        kept = await self._memory.forget(found)
        parts = [self._replies.say("forgotten", lang, word=recalling.spoken(found[0].word, self._replies, lang))]
        return self._told(
            self._replies.sentences(parts if kept else [*parts, self._replies.say("learn_unsaved", lang)], lang)
        )

    def _meaning(self, turn: Turn, word: str) -> str:
        wishes = self._registry.wishes(turn.context.speaker, (word,))
        return recalling.meaning(word, wishes, self._registry, self._replies, turn.lang)

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

    def _refused(self, turn: Turn, reason: str, names: Sequence[Entity] = ()) -> Objection:
        lang = turn.lang
        said = self._replies.names([item.name(lang) for item in names], lang)
        words = self._replies.say(reason, lang, n=len(names), word=_lesson(turn).word or "", names=said)
        return Objection(reason, words=words)

    def _told(self, words: str, entities: Sequence[str] = ()) -> Report:
        return Report("assistant", words, "learn", tuple(entities))


def _with_clause(turn: Turn, clause: Clause) -> Program:
    clauses = (*turn.program.clauses[: turn.at], clause, *turn.program.clauses[turn.at + 1 :])
    return replace(turn.program, clauses=clauses)


def _lesson(turn: Turn) -> Lesson:
    assert turn.clause.lesson is not None
    return turn.clause.lesson


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

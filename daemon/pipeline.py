"""The whole way of one utterance: understand, find, ask or act, read back, reply."""

from __future__ import annotations

import contextlib
import time
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, replace

from daemon.act.audit import Audit, Entry
from daemon.act.executor import Executor
from daemon.act.job import Patience
from daemon.act.reader import Reader
from daemon.act.states import States
from daemon.converse.dialogue import Dialogue
from daemon.converse.interpret import interpret
from daemon.converse.questions import Answer, Question
from daemon.converse.replies import Replies
from daemon.home.config import HomeConfig
from daemon.home.entities import Entity, Person
from daemon.home.gate import Gate
from daemon.home.registry import Registry
from daemon.home.resolution import Context
from daemon.home.resolver import Resolver
from daemon.ir import Clause, Lang, Program, to_dict
from daemon.mqtt.bus import Bus
from daemon.mqtt.dialects import DIALECTS
from daemon.result import Result, ResultOutcome
from daemon.steps import NOTHING_SETTLED, Access, Report, Settled, Steps, Turn
from daemon.trace import Trace
from daemon.understand.grammar import Grammar
from daemon.understand.names import NamedThing, NameTable
from daemon.understand.normalize import normalize

_MOST_READINGS = 6
"""How many readings of one utterance the home is asked about."""
_STATUS_WORTH = {"resolved": 1.0, "ambiguous": 0.95, "missing": 0.6, "empty": 0.5, "unsupported": 0.4, "not_found": 0.3}
"""What a reading is still worth when the home has such an answer to its names."""


@dataclass(frozen=True, slots=True)
class Utterance:
    """One thing said or typed. `area` and `speaker` are ids or names; `heard` is the transcript's confidence."""

    text: str
    lang: str | None = None
    area: str | None = None
    speaker: str | None = None
    satellite: str = "console"
    heard: float = 1.0


@dataclass(frozen=True, slots=True)
class _Task:
    """What is to be done in one turn: a program, and what answers have settled about its first clause."""

    program: Program
    settled: Settled = NOTHING_SETTLED


class Pipeline:
    """Text in, result out. One event loop; utterances of one satellite are to be handled one after the other."""

    def __init__(
        self,
        *,
        registry: Registry,
        grammar: Grammar,
        resolver: Resolver,
        steps: Steps,
        replies: Replies,
        languages: tuple[str, ...] = ("en", "zh"),
        audit: Audit | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._languages = languages
        self.registry = registry
        self._grammar = grammar
        self._resolver = resolver
        self._steps = steps
        self._replies = replies
        self._audit = audit
        self._clock = clock
        self._names: tuple[int, NameTable] = (-1, NameTable(()))
        self._dialogues: dict[str, Dialogue] = {}

    @classmethod
    @contextlib.asynccontextmanager
    async def open(
        cls,
        home: HomeConfig,
        bus: Bus,
        *,
        grammar: Grammar,
        replies: Replies,
        audit: Audit | None = None,
        patience: Patience | None = None,
    ) -> AsyncIterator[Pipeline]:
        """A pipeline for one home on one bus, listening to its devices while the block runs."""
        registry = Registry(home.entities, home.people)
        states = States(bus, registry, DIALECTS)
        resolver = Resolver(registry, grammar.kind_words, home.thresholds)
        steps = Steps(
            registry=registry,
            resolver=resolver,
            gate=Gate(registry, home.thresholds),
            access=Access(
                states=states,
                reader=Reader(bus, registry, DIALECTS, states),
                executor=Executor(bus, registry, DIALECTS, states, patience),
                connected=lambda: bus.connected,
            ),
            replies=replies,
            scenes=home.scene_steps,
        )
        await states.start()
        if audit is not None:
            audit.start()
        try:
            yield cls(
                registry=registry,
                grammar=grammar,
                resolver=resolver,
                steps=steps,
                replies=replies,
                languages=home.languages,
                audit=audit,
            )
        finally:
            await states.stop()
            if audit is not None:
                await audit.stop()

    async def handle(self, utterance: Utterance) -> Result:
        """Carries one utterance all the way; never raises for anything that was said."""
        trace = Trace()
        dialogue = self._dialogues.setdefault(utterance.satellite, Dialogue())
        with trace.timed("normalize"):
            normalized = normalize(utterance.text, _language(utterance.lang))
        trace.note("normalize", text=normalized.text, lang=normalized.lang, original=utterance.text)
        with trace.timed("grammar"):
            readings = self._grammar.read(normalized, self.names)
        for program in readings[:_MOST_READINGS]:
            trace.note(
                "understand", source=program.source, confidence=round(program.confidence, 3), ir=to_dict(program)
            )
        lang = normalized.lang
        context = self._context(utterance, dialogue, lang)
        task = self._task(normalized.text, readings, dialogue, context, trace)
        if isinstance(task, Report):
            return self._result(utterance, None, (task,), lang, trace, dialogue)
        reports = await self._carry_out(task, context, utterance, dialogue, trace)
        return self._result(utterance, task.program, reports, lang, trace, dialogue)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages of the home, its main one first."""
        return self._languages

    def spoken_names(self, lang: str) -> list[str]:
        """The names that a speech engine should know, in one language; those said most go first."""
        order = {"area": 0, "device": 1, "group": 2, "scene": 3, "floor": 4, "person": 5}
        entities = sorted(self.registry, key=lambda item: order[item.kind])
        names = [name for item in entities for name in item.names if _is_chinese(name) == (lang == "zh")]
        return list(dict.fromkeys(names))

    def incomplete(self, text: str) -> bool:
        """Whether a sentence breaks off, so that its speaker should get more time."""
        readings = self._grammar.read(normalize(text), self.names)
        return bool(readings) and readings[0].missing is not None

    @property
    def names(self) -> NameTable:
        """The home's own names for the grammar; made anew when the home changes."""
        if self._names[0] != self.registry.version:
            self._names = (self.registry.version, name_table(self.registry))
        return self._names[1]

    def _task(
        self, text: str, readings: Sequence[Program], dialogue: Dialogue, context: Context, trace: Trace
    ) -> _Task | Report:
        """What this turn is about: the answer to a pending question, or a new program, or nothing."""
        question = dialogue.question(self._clock())
        if question is not None:

            def read(whole: str) -> Sequence[Program]:
                return self._grammar.read(normalize(whole, _language(question.program.lang)), self.names)

            answer = interpret(question, text, readings, read, self.registry)
            trace.note("converse", question=question.reason, answer=answer.kind, entities=answer.entities)
            if answer.kind != "other":
                return self._answered(question, answer, dialogue, context.lang)
            dialogue.pending = None
        if not readings:
            return self._nothing(text, context.lang)
        with trace.timed("resolve"):
            return _Task(self._choose(readings, context))

    def _answered(self, question: Question, answer: Answer, dialogue: Dialogue, lang: str) -> _Task | Report:
        dialogue.pending = None
        program = replace(question.program, source="dialogue")
        match answer.kind:
            case "chosen":
                return _Task(program, Settled((*question.choices, answer.entities)))
            case "yes":
                return _Task(program, Settled(question.choices, question.options))
            case "value" | "target" if answer.program is not None:
                return _Task(answer.program)
            case "misheard" if question.attempt == 1:
                again = replace(question, attempt=2, expires_at=self._steps.expiry())
                return self._steps.asked(again, lang)
            case "misheard":
                return Report("ignore", self._replies.say("gave_up", lang))
            case "no":
                return Report("ignore", self._replies.say("confirmed_no", lang))
            case _:
                return Report("ignore", self._replies.say("cancelled", lang))

    def _nothing(self, text: str, lang: str) -> Report:
        return Report("ignore", self._replies.say("not_understood" if text else "not_heard", lang))

    def _choose(self, readings: Sequence[Program], context: Context) -> Program:
        """The reading that this home can make most of; of equals the grammar's first."""
        best, best_worth = readings[0], -1.0
        for program in readings[:_MOST_READINGS]:
            worth = program.confidence * self._worth(program, context)
            if worth > best_worth + 1e-9:
                best, best_worth = program, worth
            if worth >= program.confidence:
                break  # all of it resolves: no later reading, being less sure, can be worth more
        return best

    def _worth(self, program: Program, context: Context) -> float:
        worth = 1.0
        for clause in program.clauses:
            if clause.intent in ("act", "query", "scene") and not clause.negated:
                worth = min(worth, self._clause_worth(clause, context))
        return worth

    def _clause_worth(self, clause: Clause, context: Context) -> float:
        found = self._resolver.resolve_clause(clause, context)
        return min((_STATUS_WORTH[item.status] for item in found.targets), default=_STATUS_WORTH["missing"])

    async def _carry_out(
        self, task: _Task, context: Context, utterance: Utterance, dialogue: Dialogue, trace: Trace
    ) -> tuple[Report, ...]:
        """Each clause in its order; what has to be asked is asked once, for the first clause that needs it."""
        reports: list[Report] = []
        open_clauses: list[Clause] = []
        asked: Report | None = None
        for index, clause in enumerate(task.program.clauses):
            settled = task.settled if index == 0 else NOTHING_SETTLED
            turn = Turn(clause, task.program, context, settled, utterance.heard, trace)
            if clause.dialogue is not None and clause.dialogue.move == "undo":
                report = await self._steps.undo(turn, dialogue.outcomes)
            else:
                report = await self._steps.carry_out(turn)
            if report.question is not None:
                asked = asked or report
                open_clauses.append(clause)
                continue
            reports.append(report)
            dialogue.mention(report.entities)
            context = replace(context, last=dialogue.last, before_last=dialogue.before_last)
            self._record(utterance, task.program, report, context)
        if asked is not None and asked.question is not None:
            rest = replace(task.program, clauses=tuple(open_clauses))
            dialogue.pending = replace(asked.question, program=rest)
            reports.append(asked)
        if any(report.outcomes for report in reports):
            dialogue.program = task.program
            dialogue.outcomes = tuple(item for report in reports for item in report.outcomes)
        return tuple(reports)

    def _record(self, utterance: Utterance, program: Program, report: Report, context: Context) -> None:
        if self._audit is None or not (report.outcomes or report.outcome == "reject"):
            return
        self._audit.record(
            Entry(
                said=utterance.text,
                lang=program.lang,
                allowed_because=report.reason,
                outcomes=report.outcomes,
                satellite=utterance.satellite,
                speaker=context.speaker,
                source=program.source,
                refused=not report.outcomes,
            )
        )

    def _context(self, utterance: Utterance, dialogue: Dialogue, lang: str) -> Context:
        return Context(
            lang=lang,
            area=_called(utterance.area, self.registry.areas),
            speaker=_called(utterance.speaker, self.registry.people),
            last=dialogue.last,
            before_last=dialogue.before_last,
            state_of=self._steps.last_known,
        )

    def _result(
        self,
        utterance: Utterance,
        program: Program | None,
        reports: Sequence[Report],
        lang: str,
        trace: Trace,
        dialogue: Dialogue,
    ) -> Result:
        asked = next((report for report in reports if report.question is not None), None)
        if asked is not None and dialogue.pending is None:
            dialogue.pending = asked.question
        reply = self._replies.sentences([report.reply for report in reports], lang)
        outcome = _outcome(reports)
        trace.note("converse", outcome=outcome, reply=reply)
        return Result(
            text=utterance.text,
            outcome=outcome,
            reply=reply,
            lang=lang,
            commands=tuple(command for report in reports for command in report.commands),
            outcomes=tuple(item for report in reports for item in report.outcomes),
            read=tuple(dict.fromkeys(item for report in reports for item in report.read)),
            answer=next((report.reply for report in reports if report.outcome == "query"), None),
            question=asked.reply if asked is not None else None,
            program=program,
            source=program.source if program is not None else None,
            confidence=program.confidence if program is not None else 0.0,
            ms=trace.timings(),
            trace=tuple(trace.events),
        )


def name_table(registry: Registry) -> NameTable:
    """The names of a home, as the grammar takes them."""
    return NameTable(NamedThing(text, role) for text, role in registry.named())


def _called(name: str | None, among: Sequence[Entity | Person]) -> str | None:
    """The id of what is called so, or has that id; None where nothing is."""
    if name is None:
        return None
    wanted = name.casefold()
    found = (item.id for item in among if item.id == name or wanted in (word.casefold() for word in item.names))
    return next(found, None)


def _is_chinese(name: str) -> bool:
    return any("\u4e00" <= character <= "\u9fff" for character in name)


def _outcome(reports: Sequence[Report]) -> ResultOutcome:
    """The one word for all clauses together."""
    words = {report.outcome for report in reports}
    if "clarify" in words:
        return "clarify"
    done = words & {"execute", "schedule"}
    if done and "reject" in words:
        return "mixed"
    for word in ("execute", "schedule", "query", "reject", "assistant"):
        if word in words:
            return word  # type: ignore[return-value] # the tuple holds nothing else
    return "ignore"


def _language(lang: str | None) -> Lang | None:
    if lang is None:
        return None
    return "zh" if lang.lower().startswith("zh") else "en"

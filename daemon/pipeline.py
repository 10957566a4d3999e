"""The whole way of one utterance: understand, find, ask or act, read back, reply."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from daemon.act.audit import Audit, Entry
from daemon.comprehension import Comprehension, language
from daemon.converse.dialogue import Dialogue
from daemon.converse.interpret import interpret
from daemon.converse.questions import NOTHING_SETTLED, Answer, Question, Settled
from daemon.converse.replies import Replies
from daemon.deeds import Deeds
from daemon.errors import UsageError
from daemon.home.entities import Entity, Person, Value
from daemon.home.needs import Need
from daemon.home.registry import Registry
from daemon.home.resolution import Context
from daemon.home.resolver import Resolver
from daemon.ir import Clause, Program, Target, to_dict
from daemon.judgement import Judged, Judgement
from daemon.result import Result, ResultOutcome
from daemon.trace import Trace
from daemon.turn import Report, Turn, Utterance
from daemon.understand.normalize import normalize

_MOST_READINGS = 6
"""How many readings of one utterance the home is asked about."""
_STATUS_WORTH = {"resolved": 1.0, "ambiguous": 0.95, "missing": 0.6, "empty": 0.5, "unsupported": 0.4, "not_found": 0.3}
"""What a reading is still worth when the home has such an answer to its names."""
_ANSWER_WORTH = 0.5
"""What a reading as an answer is still worth while no question is pending."""


@dataclass(frozen=True, slots=True)
class _Task:
    """What is to be done in one turn: a program, and what answers have settled about each of its clauses."""

    program: Program
    settled: Mapping[int, Settled] = field(default_factory=dict)
    heard: float = 1.0
    """How sure the hearing of it was, where it was heard before this turn."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a pipeline is made of; `daemon.assembly` puts them together."""

    registry: Registry
    comprehension: Comprehension
    resolver: Resolver
    judgement: Judgement
    deeds: Deeds
    replies: Replies
    last_known: Callable[[str, str], Value | None]
    """The last value seen of (entity id, attribute), however old."""
    languages: tuple[str, ...] = ("en", "zh")
    audit: Audit | None = None


class Pipeline:
    """Text in, result out. One event loop; utterances of one satellite are to be handled one after the other."""

    def __init__(self, parts: Parts, clock: Callable[[], float] = time.monotonic) -> None:
        self.registry = parts.registry
        self.languages = parts.languages
        """The languages of the home, its main one first."""
        self.comprehension = parts.comprehension
        self._resolver = parts.resolver
        self._judgement = parts.judgement
        self._deeds = parts.deeds
        self._replies = parts.replies
        self._audit = parts.audit
        self._last_known = parts.last_known
        self._clock = clock
        self._dialogues: dict[str, Dialogue] = {}

    def prepare(self) -> None:
        """Makes now what the first command would otherwise wait for: the index of names, the rules that it needs.

        Blocking; seconds for thousands of devices. Nothing else may use the pipeline meanwhile.
        """
        for lang in self.languages:
            name = next((item.name(lang) for item in self.registry.devices), "")
            for sentence in (name, self._replies.say("help.examples", lang, name=name)):
                self.comprehension.read_text(sentence, lang)
            self._resolver.resolve(Target(mention=name), Need(), Context(lang=lang))

    def check(self, utterance: Utterance) -> None:
        """Whether its area and its speaker are known here.

        Raises:
            UsageError: one of them is not.
        """
        for kind, name, among in (
            ("area", utterance.area, self.registry.areas),
            ("speaker", utterance.speaker, self.registry.people),
        ):
            if name is not None and _called(name, among) is None:
                known = ", ".join(item.id for item in among) or "none"
                raise UsageError(f"there is no {kind} {name!r} in this home; known: {known}")

    def sorry(self, utterance: Utterance) -> Result:
        """What to say where Hearken itself failed; what had been begun is not known."""
        lang = normalize(utterance.text, language(utterance.lang)).lang
        return Result(utterance.text, "reject", self._replies.say("went_wrong", lang), lang, ms={"total": 0.0})

    async def handle(self, utterance: Utterance) -> Result:
        """Carries one utterance all the way; never raises for anything that was said."""
        trace = Trace()
        dialogue = self._dialogues.setdefault(utterance.satellite, Dialogue())
        with trace.timed("normalize"):
            normalized = normalize(utterance.text, language(utterance.lang))
        trace.note("normalize", text=normalized.text, lang=normalized.lang, original=utterance.text)
        with trace.timed("grammar"):
            readings = self.comprehension.read(normalized)
        for program in readings[:_MOST_READINGS]:
            trace.note(
                "understand", source=program.source, confidence=round(program.confidence, 3), ir=to_dict(program)
            )
        lang = normalized.lang
        context = self._context(utterance, dialogue, lang)
        task = self._task(normalized.text, readings, utterance.heard, dialogue, context, trace)
        if isinstance(task, Report):
            return self._result(utterance, None, (task,), lang, trace, dialogue)
        reports = await self._carry_out(task, context, utterance, dialogue, trace)
        return self._result(utterance, task.program, reports, lang, trace, dialogue)

    def _task(
        self,
        text: str,
        readings: Sequence[Program],
        heard: float,
        dialogue: Dialogue,
        context: Context,
        trace: Trace,
    ) -> _Task | Report:
        """What this turn is about: the answer to a pending question, or a new program, or nothing."""
        if not text:
            return self._nothing(text, context.lang)  # silence answers no question, and drops none
        question = dialogue.question(self._clock())
        if question is not None:

            def read(whole: str) -> Sequence[Program]:
                return self.comprehension.read_text(whole, question.program.lang)

            answer = interpret(question, text, readings, read, self.registry)
            if answer.kind == "yes" and self._judgement.doubtful(heard):
                answer = Answer("misheard")  # a yes that may have been noise opens no door
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
        before = question.settled.get(question.at, NOTHING_SETTLED)
        match answer.kind:
            case "chosen":
                now = replace(before, choices=(*before.choices, answer.entities))
                return _Task(program, {**question.settled, question.at: now}, question.heard)
            case "yes":
                now = replace(before, confirmed=question.options)
                return _Task(program, {**question.settled, question.at: now}, question.heard)
            case "value" | "target" if answer.program is not None:
                return _Task(answer.program, heard=question.heard)
            case "misheard" if question.attempt == 1:
                again = replace(question, attempt=2, expires_at=self._judgement.expiry())
                return self._judgement.asked(again, lang)
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
        if all(clause.intent == "dialogue" for clause in program.clauses):
            return _ANSWER_WORTH  # nothing was asked: a reading that says something by itself goes first
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
        """Judges every clause before anything is done; only when no question is open, each is carried out in order."""
        judged: list[Judged] = []
        for index in range(len(task.program.clauses)):
            settled = task.settled.get(index, NOTHING_SETTLED)
            turn = Turn(task.program, index, context, settled, min(utterance.heard, task.heard), trace)
            judged.append(await self._judgement.judge(turn, dialogue.outcomes))
            context = self._after(context, judged[-1])
        asked = next((item.report for item in judged if item.report is not None and item.report.question), None)
        if asked is not None and asked.question is not None:
            dialogue.pending = replace(asked.question, settled=task.settled)
            return (asked,)
        reports: list[Report] = []
        for item in judged:
            report = await self._deeds.carry_out(item)
            reports.append(report)
            dialogue.mention(report.entities)
            self._record(utterance, task.program, report, context)
        if any(report.outcomes for report in reports):
            dialogue.program = task.program
            dialogue.outcomes = tuple(item for report in reports for item in report.outcomes)
        return tuple(reports)

    def _after(self, context: Context, judged: Judged) -> Context:
        """What "it" and an unnamed place mean in the next clause: "close the bedroom blinds and dim the lights"."""
        entities = judged.decision.entities
        if entities and entities != context.last:
            context = replace(context, last=entities, before_last=context.last)
        named = any(target.areas for target in judged.turn.clause.targets)
        areas = {area.id for item in entities if (area := self.registry.area_of(item)) is not None}
        return replace(context, area=areas.pop()) if named and len(areas) == 1 else context

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
            state_of=self._last_known,
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


def _called(name: str | None, among: Sequence[Entity | Person]) -> str | None:
    """The id of what is called so, or has that id; None where nothing is."""
    if name is None:
        return None
    wanted = name.casefold()
    found = (item.id for item in among if item.id == name or wanted in (word.casefold() for word in item.names))
    return next(found, None)


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
            return word
    return "ignore"

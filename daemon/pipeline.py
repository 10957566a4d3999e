"""The whole way of one utterance: understand, find, ask or act, read back, reply."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from daemon.act.audit import Audit, Entry
from daemon.comprehension import Comprehension, language
from daemon.conclusion import conclude
from daemon.converse.dialogue import Dialogue, Dialogues
from daemon.converse.interpret import interpret
from daemon.converse.questions import NOTHING_SETTLED, Answer, Question, Settled
from daemon.converse.replies import Replies
from daemon.deeds import Deeds
from daemon.home.config import Microphone
from daemon.home.entities import Value
from daemon.home.needs import Need
from daemon.home.registry import Registry
from daemon.home.resolution import Context
from daemon.home.resolver import Resolver
from daemon.ir import Program, Target
from daemon.judgement import Judgement
from daemon.lessons import Lessons
from daemon.memory.learnt import Choice
from daemon.readings import Heard, Readings
from daemon.result import Result
from daemon.speakers import Speakers
from daemon.trace import Trace
from daemon.turn import Judged, Report, Turn, Utterance
from daemon.understand.normalize import normalize


@dataclass(frozen=True, slots=True)
class _Task:
    """What is to be done in one turn: a program, and what answers have settled about each of its clauses."""

    program: Program
    settled: Mapping[int, Settled] = field(default_factory=dict)
    heard: float = 1.0
    """How sure the hearing of it was, where it was heard before this turn."""
    choice: Choice | None = None
    """What answers have chosen."""


@dataclass(frozen=True, slots=True)
class Parts:
    """What a pipeline is made of; `daemon.assembly` puts them together."""

    registry: Registry
    comprehension: Comprehension
    resolver: Resolver
    judgement: Judgement
    deeds: Deeds
    lessons: Lessons
    replies: Replies
    last_known: Callable[[str, str], Value | None]
    """The last value seen of (entity id, attribute), however old."""
    languages: tuple[str, ...] = ("en", "zh")
    satellites: Mapping[str, Microphone] = field(default_factory=dict)
    """By the id that a satellite gives itself, where it stands and whose it is."""
    audit: Audit | None = None


class Pipeline:
    """Text in, result out. One event loop; utterances of one satellite are to be handled one after the other."""

    def __init__(self, parts: Parts, clock: Callable[[], float] = time.monotonic) -> None:
        self.registry = parts.registry
        self.languages = parts.languages
        """The languages of the home, its main one first."""
        self.comprehension = parts.comprehension
        self._resolver = parts.resolver
        self._readings = Readings(parts.comprehension, parts.resolver)
        self._judgement = parts.judgement
        self._deeds = parts.deeds
        self._lessons = parts.lessons
        self._speakers = Speakers(parts.registry, parts.satellites)
        self._replies = parts.replies
        self._audit = parts.audit
        self._last_known = parts.last_known
        self._clock = clock
        self._dialogues = Dialogues()

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
        self._speakers.check(utterance)

    def sorry(self, utterance: Utterance) -> Result:
        """What to say where Hearken itself failed; what had been begun is not known."""
        lang = normalize(utterance.text, language(utterance.lang)).lang
        return Result(utterance.text, "reject", self._replies.say("went_wrong", lang), lang, ms={"total": 0.0})

    async def handle(self, utterance: Utterance) -> Result:
        """Carries one utterance all the way; never raises for anything that was said."""
        trace = Trace()
        now = self._clock()
        trace.note("normalize", utterance=trace.id, satellite=utterance.satellite)
        utterance = self._speakers.placed(utterance)
        dialogue = self._dialogues.of(utterance.satellite, now)
        hypotheses = self._readings.of(utterance, trace)
        first = next(hypotheses)
        context = self._context(utterance, dialogue, first.lang)
        task = await self._task(first, hypotheses, dialogue, context, trace)
        if isinstance(task, Report):
            return self._result(utterance, None, (task,), context.lang, trace, dialogue)
        reports = await self._carry_out(task, context, utterance, dialogue, trace)
        return self._result(utterance, task.program, reports, context.lang, trace, dialogue)

    async def _task(
        self, first: Heard, others: Iterator[Heard], dialogue: Dialogue, context: Context, trace: Trace
    ) -> _Task | Report:
        """What this turn is about: the answer to a pending question, or a new program, or nothing."""
        if not first.text:
            return self._nothing(first.text, context.lang)  # silence answers no question, and drops none
        question = dialogue.question(self._clock())
        if question is not None:
            answer, heard = self._answer(question, first, others, trace)
            if answer.kind != "other":
                asked = replace(question, heard=min(question.heard, heard))
                if answer.kind == "no":
                    await self._lessons.declined(question, context.speaker)
                return self._answered(asked, answer, dialogue, context.lang)
            dialogue.pending = None
        with trace.timed("resolve"):
            choice = self._readings.chosen(first, others, context, trace)
        if choice is None:
            return self._nothing(first.text, context.lang)
        if (habit := dialogue.choice) is not None and _says_always(choice.program):
            worked = all(item.status == "done" for item in dialogue.outcomes)
            if not worked:
                return Report("reject", self._replies.say("learn_not_done", context.lang))
            settled = {0: Settled(confirmed=(habit.entity,))}
            return _Task(self._lessons.program(habit, context.lang), settled, choice.heard, replace(habit, always=True))
        return _Task(choice.program, heard=choice.heard)

    def _answer(self, question: Question, first: Heard, others: Iterator[Heard], trace: Trace) -> tuple[Answer, float]:
        """What was said means as the answer, and how surely it was heard.

        A lower hypothesis counts only where the better ones fit nothing, and never as a yes.
        """

        def read(whole: str) -> Sequence[Program]:
            return self.comprehension.read_text(whole, question.program.lang)

        answer = interpret(question, first.text, first.readings, read, self.registry)
        if answer.kind == "yes" and self._judgement.doubtful(first.confidence):
            answer = Answer("misheard")  # a yes that may have been noise opens no door
        trace.note("converse", question=question.reason, answer=answer.kind, entities=answer.entities)
        if answer.kind == "misheard":
            for heard in others:
                lower = interpret(question, heard.text, heard.readings, read, self.registry)
                if lower.kind not in ("misheard", "other", "yes"):
                    trace.note("hear", taken=heard.text, instead_of=first.text, answer=lower.kind)
                    return lower, heard.confidence
        return answer, first.confidence

    def _answered(self, question: Question, answer: Answer, dialogue: Dialogue, lang: str) -> _Task | Report:
        dialogue.pending = None
        program = replace(question.program, source="dialogue")
        before = question.settled.get(question.at, NOTHING_SETTLED)
        choice = self._lessons.chosen(question, answer)
        match answer.kind:
            case "chosen":
                now = replace(before, choices=(*before.choices, answer.entities))
                return _Task(program, {**question.settled, question.at: now}, question.heard, choice)
            case "yes":
                now = replace(before, confirmed=question.options)
                return _Task(program, {**question.settled, question.at: now}, question.heard, choice)
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

    async def _carry_out(
        self, task: _Task, context: Context, utterance: Utterance, dialogue: Dialogue, trace: Trace
    ) -> tuple[Report, ...]:
        """Judges every clause before anything is done; only when no question is open, each is carried out in order."""
        judged: list[Judged] = []
        for index in range(len(task.program.clauses)):
            settled = task.settled.get(index, NOTHING_SETTLED)
            turn = Turn(
                task.program,
                index,
                context,
                settled,
                task.heard,
                trace,
                utterance.text,
                utterance.satellite,
                task.choice,
            )
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
            dialogue.mention(report.entities, self._clock())
            self._record(utterance, task.program, report, context)
        if any(report.outcomes for report in reports):
            outcomes = [item for report in reports for item in report.outcomes]
            dialogue.did(task.program, outcomes, self._clock())
            dialogue.choice = task.choice
            if task.choice is not None and (more := await self._lessons.after(task.choice, outcomes, judged[-1].turn)):
                reports.append(more)
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
            area=utterance.area,
            speaker=utterance.speaker,
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
        return conclude(utterance.text, program, reports, lang, trace, self._replies)


def _says_always(program: Program) -> bool:
    move = program.clauses[0].dialogue
    return len(program.clauses) == 1 and move is not None and move.move == "always"

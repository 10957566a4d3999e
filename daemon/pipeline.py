"""The whole way of one utterance: understand, find, ask or act, read back, reply."""

from __future__ import annotations

import asyncio
import itertools
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from daemon.act.audit import Audit, Entry
from daemon.act.dispatch import Deeds
from daemon.act.tracking import Aftermath, Occasion
from daemon.compiler.compiler import Compiler
from daemon.converse import wording
from daemon.converse.announcements import Announcements
from daemon.converse.conclusion import conclude
from daemon.converse.replies import Replies
from daemon.core.entities import Value
from daemon.core.ir import Clause, Program, Target
from daemon.core.outcomes import Outcome
from daemon.core.questions import DEED, NOTHING_SETTLED, Question
from daemon.core.resolution import Context
from daemon.core.result import Result
from daemon.core.trace import Trace
from daemon.core.turn import Judged, Report, Turn, Utterance
from daemon.core.values import replace
from daemon.decide.judgement import Judgement
from daemon.dialogue.dialogue import Dialogue, Dialogues
from daemon.dialogue.last_resort import LastResort
from daemon.dialogue.speakers import Speakers
from daemon.dialogue.tasks import Task, Tasks
from daemon.home.config import Microphone
from daemon.home.registry import Registry
from daemon.memory.teaching import Lessons
from daemon.resolve.comprehension import Comprehension, language
from daemon.resolve.needs import Need
from daemon.resolve.readings import Readings
from daemon.resolve.resolver import Resolver
from daemon.understand.normalize import normalize


@dataclass(frozen=True, slots=True)
class Parts:
    """What a pipeline is made of; `daemon.app` puts them together."""

    registry: Registry
    comprehension: Comprehension
    resolver: Resolver
    judgement: Judgement
    deeds: Deeds
    lessons: Lessons
    replies: Replies
    announcements: Announcements
    aftermath: Aftermath
    last_known: Callable[[str, str], Value | None]
    """The last value seen of (entity id, attribute), however old."""
    languages: tuple[str, ...] = ("en", "zh")
    satellites: Mapping[str, Microphone] = field(default_factory=dict)
    """By the id that a satellite gives itself, where it stands and whose it is."""
    audit: Audit | None = None
    compiler: Compiler | None = None
    """What reads where the grammar has no sure reading; None where there is no model."""


class Pipeline:
    """Text in, result out. One event loop; utterances of one satellite are to be handled one after the other."""

    def __init__(self, parts: Parts, clock: Callable[[], float] = time.monotonic) -> None:
        self.registry = parts.registry
        self.languages = parts.languages
        """The languages of the home, its main one first."""
        self.announcements = parts.announcements
        """What is said without having been asked just now."""
        self.comprehension = parts.comprehension
        self._resolver = parts.resolver
        self._readings = Readings(parts.comprehension, parts.resolver)
        self._tasks = Tasks(
            registry=parts.registry,
            comprehension=parts.comprehension,
            readings=self._readings,
            judgement=parts.judgement,
            lessons=parts.lessons,
            replies=parts.replies,
            last=LastResort(parts.resolver, parts.judgement.asking),
            compiler=parts.compiler,
            clock=clock,
        )
        self._compiler = parts.compiler
        self._judgement = parts.judgement
        self._deeds = parts.deeds
        self._lessons = parts.lessons
        self._speakers = Speakers(parts.registry, parts.satellites)
        self._replies = parts.replies
        self._audit = parts.audit
        self._aftermath = parts.aftermath
        self._last_known = parts.last_known
        self._clock = clock
        self._dialogues = Dialogues()

    def prepare(self) -> None:
        """Makes now what the first command would otherwise wait for: the index of names, the rules that it needs.

        Blocking; seconds for thousands of devices. Nothing else may use the pipeline meanwhile. The models are only
        begun to be loaded, in a thread of their own.
        """
        for lang in self.languages:
            name = next((item.name(lang) for item in self.registry.devices), "")
            for sentence in (name, self._replies.say("help.examples", lang, name=name)):
                self.comprehension.read_text(sentence, lang)
            self._resolver.resolve(Target(mention=name), Need(), Context(lang=lang))
        self._resolver.warm(self.languages)
        if self._compiler is not None:
            self._compiler.prepare()

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
        if utterance.lang is None and (open_ := dialogue.question(now)) is not None:
            # "20" is of no language: it answers in that of the question.
            utterance = replace(utterance, lang=open_.program.lang)
        hypotheses = self._readings.of(utterance, trace)
        first = next(hypotheses)
        context = self._context(utterance, dialogue, first.lang)
        asked = dialogue.question(now)
        _note_context(trace, context, asked.reason if asked is not None else None)
        task = await self._tasks.of(first, hypotheses, dialogue, context, trace)
        if isinstance(task, Report):
            return self._result(utterance, None, (task,), context.lang, trace, dialogue)
        if asked is not None and asked.kind == "confirm" and task.program.source != "dialogue":
            # "Shall I really open the gate?" - "Close it."
            context = replace(context, last=asked.options, before_last=context.last)
        reports = await self._carry_out(task, context, utterance, dialogue, trace)
        return self._result(utterance, task.program, reports, context.lang, trace, dialogue)

    async def _carry_out(
        self, task: Task, context: Context, utterance: Utterance, dialogue: Dialogue, trace: Trace
    ) -> tuple[Report, ...]:
        """Judges every clause before anything is done; only when no question is open, each is carried out in order.

        Questions one after another are answered together: what is silent is waited for once.
        """
        judged: list[Judged] = []
        unknown = False
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
            now = self._clock()
            if unknown and _leans(turn.clause):
                # What "it" is was told already: nothing that this home knows.
                judged.append(Judged(turn, report=Report("reject", "", "no_last")))
                continue
            done, kept = dialogue.just_acted(now), dialogue.just_kept(now)
            judged.append(await self._judgement.judge(turn, dialogue.outcomes, done, kept))
            context = self._after(context, judged[-1])
            unknown = judged[-1].decision.reason == "not_found"
        ended = [item.report for item in judged if item.report is not None]
        asked = next((report for report in ended if report.outcome == "clarify"), None)
        if asked is not None and asked.question is not None:
            self._waits(replace(asked.question, settled=task.settled), dialogue)
            return (asked,)
        if task.whole and ended:
            # What is offered instead would be half of it.
            return tuple(replace(report, question=None) for report in ended)
        reports: list[Report] = []
        for _, alike in itertools.groupby(enumerate(judged), lambda item: item[0] if _acts(item[1]) else None):
            told = await asyncio.gather(*(self._deeds.carry_out(item) for _, item in alike))
            reports += told
            for report in told:
                dialogue.mention(report.entities, self._clock())
                self._record(utterance, task.program, report, context)
                self._aftermath.follow(
                    report.outcomes,
                    Occasion(utterance.text, context.lang, utterance.satellite, context.speaker, task.program.source),
                )
        self._remember(task, judged, reports, dialogue)
        if task.choice is not None and any(report.outcomes for report in reports):
            outcomes = [item for report in reports for item in report.outcomes]
            more = await self._lessons.after(task.choice, outcomes, judged[-1].turn)
            reports += [more] if more is not None else []
        return tuple(reports)

    def _remember(self, task: Task, judged: Sequence[Judged], reports: Sequence[Report], dialogue: Dialogue) -> None:
        """Keeps what a remark about it may be about: an undo, "no, the other one", "again"."""
        dialogue.kept = tuple(number for report in reports for number in report.kept)
        if dialogue.kept:
            dialogue.touched = self._clock()
        done = any(report.outcome in ("execute", "query") for report in reports)
        dialogue.kept_alone = bool(dialogue.kept) and not done
        if done or dialogue.kept or any(item.dropped for item in judged):
            dialogue.planned = task.program if dialogue.kept_alone else None
        if not done:
            return
        # What was taken back on the way is not what "undo that" means next.
        new = [index for index, item in enumerate(judged) if item.back is None] or range(len(judged))
        program = replace(task.program, clauses=tuple(task.program.clauses[index] for index in new))
        outcomes = [item for index in new for item in reports[index].outcomes]
        dialogue.did(program, outcomes, task.answered, self._clock())
        if outcomes:
            dialogue.choice = task.choice

    def _waits(self, question: Question, dialogue: Dialogue) -> None:
        """The question is open. What it is about, where only that was understood, is "it" from now on."""
        dialogue.pending = question
        if question.reason == DEED:
            dialogue.mention(question.options, self._clock())
            dialogue.last = question.options

    def _after(self, context: Context, judged: Judged) -> Context:
        """What "it" and an unnamed place mean in the next clause: "close the bedroom blinds and dim the lights"."""
        entities = judged.decision.entities
        if entities and entities != context.last:
            context = replace(context, last=entities, before_last=context.last)
        named = any(target.areas for target in judged.turn.clause.targets)
        areas = {area.id for item in entities if (area := self.registry.area_of(item)) is not None}
        if not named or len(areas) != 1:
            return context
        room = areas.pop()
        return replace(context, area=room, area_assumed=context.area_assumed or room != context.area)

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
        if asked is not None and asked.question is not None and dialogue.pending is None:
            self._waits(asked.question, dialogue)

        def words(outcomes: Sequence[Outcome]) -> str:
            return wording.outcomes(outcomes, self.registry, self._replies, lang)

        return conclude(utterance.text, program, reports, lang, trace, self._replies, words)


_BACK = frozenset({"it", "that", "them", "other", "rest"})
"""References to what was spoken of before."""


def _note_context(trace: Trace, context: Context, asked: str | None) -> None:
    """What is known before anything is looked up; what is not known is left out."""
    known = {
        "area": context.area,
        "speaker": context.speaker,
        "last": list(context.last),
        "before_last": list(context.before_last),
        "asked": asked,
    }
    trace.note("context", **{name: value for name, value in known.items() if value})


def _acts(judged: Judged) -> bool:
    """Whether it may change anything; nothing else of the utterance is done meanwhile."""
    changes = judged.turn.clause.intent != "query" or judged.back is not None or bool(judged.dropped)
    return changes and judged.report is None


def _leans(clause: Clause) -> bool:
    """Whether all that it is about is what was spoken of before it: "turn it off", "the others"."""
    named = (item.mention or item.kind or item.areas or item.floors for item in clause.targets)
    back = (item.reference in _BACK for item in clause.targets)
    return bool(clause.targets) and all(back) and not any(named)

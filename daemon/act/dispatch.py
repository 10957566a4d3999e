"""Carrying out one judged clause: a plan, the act and its proof, or an answer; and the words for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from daemon.act import answers, planner
from daemon.act.tracing import seen
from daemon.converse import wording
from daemon.converse.answering import Answerer
from daemon.converse.replies import Replies
from daemon.core.entities import SceneStep
from daemon.core.ir import Clause, Parameter
from daemon.core.outcomes import Outcome, Write
from daemon.core.plans import Plan, Problem
from daemon.core.questions import EXPIRY_S, NEAREST, STILL_OFF, Question, QuestionKind
from daemon.core.resolution import Decision
from daemon.core.result import Command, ResultOutcome
from daemon.core.turn import Access, Judged, Report, Turn
from daemon.core.values import replace
from daemon.home.registry import Registry
from daemon.memory.teaching import Lessons
from daemon.schedule.appointments import Appointments
from daemon.schedule.endings import THEM
from daemon.schedule.keeping import Schedule

_MAY_PASS = frozenset({"no_value", "is_off", "above_already", "below_already"})
"""Problems of now that may be none when the moment has come."""


class Deeds:
    """Carries out clauses in one home. One event loop."""

    def __init__(
        self,
        *,
        registry: Registry,
        access: Access,
        replies: Replies,
        scenes: Mapping[str, Sequence[SceneStep]],
        lessons: Lessons,
        schedule: Schedule,
        appointments: Appointments,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._registry = registry
        self._access = access
        self._replies = replies
        self._scenes = scenes
        self._lessons = lessons
        self._schedule = schedule
        self._appointments = appointments
        self._clock = clock

    async def carry_out(self, judged: Judged) -> Report:
        """Does or answers what was judged possible; never raises for what the home does."""
        if judged.report is not None:
            return judged.report
        if judged.back is not None:
            return await self._undo(judged)
        if judged.turn.clause.intent == "learn":
            return await self._lessons.carry_out(judged)
        if judged.dropped or judged.turn.clause.intent in ("timer", "later"):
            return await self._appointments.carry_out(judged)
        self._lessons.used(judged)
        if judged.turn.clause.intent == "query":
            return await self._query(judged.turn, judged.decision)
        if judged.later:
            return await self._keep(judged)
        began = self._schedule.clock.wall()
        return await self._schedule.end(judged, await self._act(judged.turn, judged.decision), began)

    async def _keep(self, judged: Judged) -> Report:
        """Keeps what can be done at all; what is out of range is said now, not at the moment."""
        turn = judged.turn
        plan = await self._plan(turn, judged.decision)
        if not set(decided := judged.decision.entities) - set(gone := self._gone(turn, judged.decision)) and gone:
            return self._missing(gone, decided, turn.lang)
        if stops := [item for item in plan.problems if item.reason not in _MAY_PASS]:
            reply = Answerer(self._registry, self._replies, turn.lang).problem(stops)
            return Report("reject", reply, stops[0].reason, judged.decision.entities)
        return await self._schedule.keep(judged, self._foreseen(judged, plan.writes))

    def _foreseen(self, judged: Judged, writes: Sequence[Write]) -> tuple[Command, ...]:
        """What will be sent, as far as that can be known now: of a relative change only by how much."""
        clause, entities = judged.turn.clause, judged.decision.entities
        scenes = tuple(item for item in entities if self._registry[item].kind == "scene")
        if scenes:
            return (Command("activate", scenes),)
        if clause.action == "toggle" or not writes:
            parameter = clause.parameter
            if parameter is None:
                return (Command(clause.action or "activate", entities),)
            value = parameter.value if parameter.op == "set" else None
            return (Command(clause.action or "set", entities, parameter.attribute, value, parameter.unit),)
        grouped: dict[tuple[object, ...], list[Write]] = {}
        for item in writes:
            change = replace(item, value="") if item.delta is not None else item
            grouped.setdefault((change.action, change.attribute, change.value, change.delta), []).append(item)
        commands = (Command.of(group) for group in grouped.values())
        return tuple(replace(item, value=None) if item.delta is not None else item for item in commands)

    async def _act(self, turn: Turn, decision: Decision) -> Report:
        lang = turn.lang
        plan = await self._plan(turn, decision)
        if (gone := self._gone(turn, decision)) and not plan.writes and not plan.problems:
            return self._missing(gone, decision.entities, lang)
        words = Answerer(self._registry, self._replies, lang)
        if not plan.writes:
            reply = words.problem(plan.problems) if plan.problems else self._replies.say("empty", lang)
            reason = plan.problems[0].reason if plan.problems else "empty"
            report = Report("reject", reply, reason, decision.entities, read=decision.entities)
            return self._offered(report, turn, plan.problems)
        outcomes = await self._access.executor.execute(plan.writes, trace=turn.trace)
        parts = [wording.outcomes(outcomes, self._registry, self._replies, lang)]
        if decision.everywhere:
            parts[0] = self._replies.say("everywhere", lang, words=parts[0])
        off = self._still_off(outcomes) if turn.clause.intent == "act" else []
        parts.append(wording.still_off(off, outcomes, self._registry, self._replies, lang))
        if plan.problems:
            parts.append(words.problem(plan.problems))
        if missing := [item for item in gone if item not in {write.entity for write in plan.writes}]:
            parts.append(wording.gone(missing, self._registry, self._replies, lang))
        if decision.left_out:
            parts.append(wording.left_out(decision.left_out, self._registry, self._replies, lang))
        report = self._report(decision, outcomes, parts, lang)
        return self._asking_for_more(report, turn) if off and set(off) == set(decision.entities) else report

    def _gone(self, turn: Turn, decision: Decision) -> tuple[str, ...]:
        """Who was meant, and has left the home since it was asked or judged."""
        settled = turn.settled
        said = (*decision.entities, *(item for chosen in settled.choices for item in chosen), *settled.confirmed)
        return self._registry.gone(said)

    def _missing(self, gone: Sequence[str], entities: tuple[str, ...], lang: str) -> Report:
        return Report("reject", wording.gone(gone, self._registry, self._replies, lang), "gone", entities)

    def _asking_for_more(self, report: Report, turn: Turn) -> Report:
        """The report with the question whether what was set, and is off, is to be switched on."""
        last = turn.at == len(turn.program.clauses) - 1
        if not turn.attended or not last:
            return report
        on = Clause("act", "turn_on", (THEM,))
        program = replace(turn.program, clauses=(on,), missing=None, source="dialogue")
        until = self._clock() + EXPIRY_S
        question = Question("confirm", STILL_OFF, program, report.entities, until, heard=turn.heard)
        asked = wording.question(question, self._registry, self._replies, turn.lang)
        return replace(report, reply=self._replies.sentences([report.reply, asked], turn.lang), question=question)

    def _offered(self, report: Report, turn: Turn, problems: Sequence[Problem]) -> Report:
        """The report with the question what is to be set instead, where it is the same for all.

        That is the nearest possible value, what was said in another unit, or whatever the speaker says now.
        """
        parameter = turn.clause.parameter
        if parameter is None or len({replace(item, entity="") for item in problems}) != 1:
            return report
        wished, kind, reason = _instead(problems[0], parameter)
        if wished is None:
            return report
        program = replace(turn.alone().program, clauses=(replace(turn.clause, parameter=wished),), source="dialogue")
        question = Question(
            kind,
            reason,
            program,
            report.entities,
            self._clock() + EXPIRY_S,
            settled={0: turn.settled},
            heard=turn.heard,
        )
        asked = wording.question(question, self._registry, self._replies, turn.lang)
        outcome: ResultOutcome = "clarify" if problems[0].reason == "implausible" else report.outcome
        reply = self._replies.sentences([report.reply, asked], turn.lang)
        return replace(report, outcome=outcome, reply=reply, question=question)

    def _still_off(self, outcomes: Sequence[Outcome]) -> list[str]:
        """Devices that took a setting and are off all the same: a set point warms nobody."""
        switched = {item.write.entity for item in outcomes if item.write.attribute in ("state", "command")}
        found = dict.fromkeys(item.write.entity for item in outcomes if item.status == "done")
        off = []
        for entity in found:
            seen = self._access.states.seen(entity, "state")
            if entity not in switched and seen.fresh and seen.value == "off":
                off.append(entity)
        return off

    async def _undo(self, judged: Judged) -> Report:
        assert judged.back is not None
        turn = judged.turn
        await self._schedule.agenda.drop(judged.dropped)
        outcomes = await self._access.executor.execute(judged.back.writes, trace=turn.trace)
        unknown = judged.back.unknown
        whole = not unknown and all(item.status == "done" for item in outcomes)
        parts = [self._replies.say("undone", turn.lang)] if whole else []
        parts.append(wording.outcomes(outcomes, self._registry, self._replies, turn.lang))
        if unknown:
            parts.append(wording.cannot_undo(unknown, self._registry, self._replies, turn.lang))
        return self._report(judged.decision, outcomes, parts, turn.lang)

    def _report(self, decision: Decision, outcomes: Sequence[Outcome], parts: Sequence[str], lang: str) -> Report:
        return Report(
            "execute" if any(item.sent for item in outcomes) else "reject",
            self._replies.sentences(parts, lang),
            decision.reason,
            decision.entities,
            tuple(outcomes),
            _commands(decision, outcomes, self._registry),
        )

    async def _plan(self, turn: Turn, decision: Decision) -> Plan:
        with turn.trace.timed("read"):
            needed = planner.needs(turn.clause, decision.entities, self._registry)
            observed = self._access.executor.bound.instead(await self._access.reader.read(needed, trace=turn.trace))
        plan = planner.plan(turn.clause, decision.entities, self._registry, observed, self._scenes, decision.cleans)
        turn.trace.note(
            "plan",
            writes=[
                {"device": item.entity, "attribute": item.attribute, "value": item.value, "action": item.action}
                for item in plan.writes
            ],
            problems=[{"device": item.entity, "reason": item.reason} for item in plan.problems],
        )
        return plan

    async def _query(self, turn: Turn, decision: Decision) -> Report:
        clause, entities = turn.clause, decision.entities
        if (gone := self._gone(turn, decision)) and not set(entities) - set(gone):
            return self._missing(gone, entities, turn.lang)
        with turn.trace.timed("read"):
            needed = answers.needs(clause, entities, self._registry)
            observed = await self._access.reader.read(needed, trace=turn.trace)
        answer = answers.answer(clause, entities, self._registry, observed)
        turn.trace.note("answer", verdict=answer.verdict, facts=[seen(item) for item in answer.facts])
        reply = Answerer(self._registry, self._replies, turn.lang).answer(answer)
        if clause.query == "where" and not answer.facts and (places := self._places(entities, turn.lang)):
            return Report("query", places, decision.reason, entities, read=entities)
        outcome: ResultOutcome = "query" if answer.facts else "reject"
        readings = tuple(item.observation for item in answer.facts)
        # "Turn them off" after "which lights are on" means these.
        told = answer.matching if answer.kind in ("which", "any", "count") and answer.matching else entities
        return Report(outcome, reply, decision.reason, told, read=entities, readings=readings)

    def _places(self, entities: Sequence[str], lang: str) -> str:
        """Where things are that do not go about, as the home file says; empty where it does not."""
        by_area: dict[str, list[str]] = {}
        for entity in entities:
            if (area := self._registry.area_of(entity)) is not None:
                by_area.setdefault(area.name(lang), []).append(self._registry[entity].name(lang))
        said = [
            self._replies.say("answer.where", lang, n=len(them), names=self._replies.names(them, lang), place=place)
            for place, them in by_area.items()
        ]
        return self._replies.sentences(said, lang)


def _commands(decision: Decision, outcomes: Sequence[Outcome], registry: Registry) -> tuple[Command, ...]:
    """What was sent, alike writes together; a scene that Hearken carries out counts as the scene."""
    scenes = tuple(item for item in decision.entities if registry[item].kind == "scene")
    if scenes and any(item.sent for item in outcomes):
        return (Command("activate", scenes),)
    grouped: dict[tuple[object, ...], list[Outcome]] = {}
    for item in outcomes:
        if item.sent:
            write = item.write
            grouped.setdefault((write.action, write.attribute, write.value, write.delta), []).append(item)
    return tuple(Command.of([item.write for item in group]) for group in grouped.values())


def _instead(problem: Problem, parameter: Parameter) -> tuple[Parameter | None, QuestionKind, str]:
    """What a clause would set instead, and the sort and reason of the question; None where nothing is to be asked."""
    if problem.reason != "implausible":
        if problem.nearest is None:
            return None, "confirm", NEAREST
        # In the device's own unit.
        return replace(parameter, op="set", value=problem.nearest, unit=None, toward=None), "confirm", NEAREST
    if problem.other is not None:
        return replace(parameter, unit=problem.other), "confirm", NEAREST
    if problem.attribute == "volume":
        return replace(parameter, op="max", value=None, unit=None, toward=None), "confirm", NEAREST
    return replace(parameter, op="set", value=None, unit=None, toward=None), "value", problem.reason

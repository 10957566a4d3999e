"""Acting and answering: from a decision to what was planned, read, sent and seen. Facts, no words."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from daemon.act import answers, planner
from daemon.act.answers import Able, Acted, Does, Hindered, Presses, StillOff, Told, Where
from daemon.act.bans import broken
from daemon.act.executor import Access
from daemon.act.senses import only_pressed
from daemon.core.decisions import Act, Keep, Query, Undo
from daemon.core.entities import SceneStep
from daemon.core.ir import Inquiry, Order, Parameter, Target
from daemon.core.messages import Asked, Message, Names, Said, say
from daemon.core.outcomes import Ban, Outcome, Plan, Problem, Write
from daemon.core.questions import EXPIRY_S, NEAREST, STILL_OFF, Question, QuestionKind
from daemon.core.result import Command, Report, ResultOutcome
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.home.registry import Registry
from daemon.home.settings import is_setting

_CHANGES = frozenset({"increase", "decrease"})
_THEM = Target(reference="them")


@dataclass(frozen=True)
class Acting:
    """Acts and answers in one home. One event loop."""

    registry: Registry
    access: Access
    scenes: Mapping[str, Sequence[SceneStep]]
    clock: Callable[[], float] = time.monotonic

    async def act(self, decision: Act) -> Report:
        """Does it, and looks what became of it."""
        turn = decision.turn
        plan = await self.plan(decision)
        if (gone := self.gone(decision)) and not plan.writes and not plan.problems:
            return missing(gone, decision.entities)
        if not plan.writes:
            said: Said = (Hindered(plan.problems),) if plan.problems else (_spared(plan.broken) or (say("empty"),))
            reason = plan.problems[0].reason if plan.problems else "empty"
            report = Report("reject", said, reason, decision.entities, read=decision.entities)
            return self._offered(report, turn, plan.problems)
        outcomes = await self.access.executor.execute(plan.writes, trace=turn.trace)
        parts: list[Message] = [Acted(outcomes, decision.everywhere)]
        if off := self._still_off(outcomes) if not turn.clause.is_scene else ():
            parts.append(StillOff(off, outcomes))
        if plan.problems:
            parts.append(Hindered(plan.problems))
        if left := tuple(item for item in gone if item not in {write.entity for write in plan.writes}):
            parts.append(say("gone", len(left), names=Names(left)))
        parts += _spared(plan.broken)
        if decision.left_out:
            parts.append(say("left_out", len(decision.left_out), names=Names(decision.left_out)))
        report = self._report(decision, outcomes, parts)
        return self._asking_for_more(report, turn) if off and set(off) == set(decision.entities) else report

    async def undo(self, decision: Undo) -> Report:
        """Puts back what was done."""
        assert decision.back is not None
        forbidden = broken(decision.back.writes, decision.bans)
        spared = {ban.entity for ban in forbidden}
        writes = tuple(item for item in decision.back.writes if item.entity not in spared)
        outcomes = await self.access.executor.execute(writes, trace=decision.turn.trace)
        unknown = decision.back.unknown
        whole = not unknown and not spared and all(item.status == "done" for item in outcomes)
        parts: list[Message] = [say("undone")] if whole else []
        parts.append(Acted(outcomes))
        if unknown:
            parts.append(say("cannot_undo", len(unknown), names=Names(unknown)))
        parts += _spared(forbidden)
        return self._report(decision, outcomes, parts)

    async def query(self, decision: Query) -> Report:
        """Answers from fresh readings."""
        turn, entities = decision.turn, decision.entities
        clause = turn.clause
        assert isinstance(clause, Inquiry)
        if (gone := self.gone(decision)) and not set(entities) - set(gone):
            return missing(gone, entities)
        if scenes := [item for item in entities if item in self.registry and self.registry[item].kind == "scene"]:
            said = tuple(Does(item, tuple(self.scenes.get(item, ()))) for item in scenes)
            return Report("query", said, decision.reason, entities, read=entities)
        if clause.query == "can" and (presses := only_pressed(entities, self.registry)) is not None:
            return Report("query", (Presses(*presses),), decision.reason, entities, read=entities)
        if clause.query == "can":
            able = Able(entities, clause.parameter.attribute if clause.parameter is not None else None)
            return Report("query", (able,), decision.reason, entities, read=entities)
        with turn.trace.timed("read"):
            needed = answers.needs(clause, entities, self.registry)
            observed = await self.access.reader.read(needed, trace=turn.trace)
        answer = answers.answer(clause, entities, self.registry, observed)
        turn.trace.note("answer", verdict=answer.verdict, facts=[item.to_dict() for item in answer.facts])
        placed = any(self.registry.area_of(item) is not None for item in entities)
        if clause.query == "where" and not answer.facts and placed:
            return Report("query", (Where(entities),), decision.reason, entities, read=entities)
        outcome: ResultOutcome = "query" if answer.facts else "reject"
        readings = tuple(item.observation for item in answer.facts)
        # "Turn them off" after "which lights are on" means these.
        told = answer.matching if answer.kind in ("which", "any", "count") and answer.matching else entities
        return Report(outcome, (Told(answer),), decision.reason, told, read=entities, readings=readings)

    async def plan(self, decision: Act | Keep) -> Plan:
        """What would be sent, from fresh readings."""
        turn, entities = decision.turn, decision.entities
        with turn.trace.timed("read"):
            needed = planner.needs(turn.order, entities, self.registry)
            observed = self.access.executor.bound.instead(await self.access.reader.read(needed, trace=turn.trace))
        bans = decision.bans if isinstance(decision, Act) else ()
        plan = planner.plan(turn.order, entities, self.registry, observed, self.scenes, decision.cleans, bans)
        turn.trace.note(
            "plan",
            writes=[
                {"device": item.entity, "attribute": item.attribute, "value": item.value, "action": item.action}
                for item in plan.writes
            ],
            problems=[{"device": item.entity, "reason": item.reason} for item in plan.problems],
            **({"spared": list(plan.spared)} if plan.spared else {}),
        )
        return plan

    def gone(self, decision: Act | Keep | Query) -> tuple[str, ...]:
        """Who was meant, and has left the home since it was asked or decided."""
        settled = decision.turn.settled
        said = (*decision.entities, *(item for chosen in settled.choices for item in chosen), *settled.confirmed)
        return self.registry.gone(said)

    def _asking_for_more(self, report: Report, turn: Turn) -> Report:
        """The report with the question whether what was set, and is off, is to be switched on."""
        last = turn.at == len(turn.program.clauses) - 1
        if not turn.attended or not last:
            return report
        on = Order("turn_on", (_THEM,))
        program = replace(turn.program, clauses=(on,), missing=None, source="dialogue")
        until = self.clock() + EXPIRY_S
        question = Question("confirm", STILL_OFF, program, report.entities, until, heard=turn.heard)
        return replace(report, said=(*report.said, Asked(question)), question=question)

    def _offered(self, report: Report, turn: Turn, problems: Sequence[Problem]) -> Report:
        """The report with the question what is to be set instead, where it is the same for all.

        That is the nearest possible value, what was said in another unit, or whatever the speaker says now.
        """
        clause, parameter = turn.clause, turn.clause.parameter
        if (
            not isinstance(clause, Order)
            or parameter is None
            or len({replace(item, entity="") for item in problems}) != 1
        ):
            return report
        wished, kind, reason = _instead(problems[0], parameter)
        if wished is None:
            return report
        action = clause.action if wished.op != "set" or clause.action not in _CHANGES else "set"
        instead = replace(clause, action=action, parameter=wished)
        program = replace(turn.alone().program, clauses=(instead,), source="dialogue")
        question = Question(
            kind,
            reason,
            program,
            report.entities,
            self.clock() + EXPIRY_S,
            settled={0: turn.settled},
            heard=turn.heard,
        )
        outcome: ResultOutcome = "clarify" if problems[0].reason == "implausible" else report.outcome
        return replace(report, outcome=outcome, said=(*report.said, Asked(question)), question=question)

    def _still_off(self, outcomes: Sequence[Outcome]) -> tuple[str, ...]:
        """Devices that took a setting and are off all the same: a set point warms nobody."""
        switched = {item.write.entity for item in outcomes if item.write.attribute in ("state", "command")}
        done = (item.write for item in outcomes if item.status == "done")
        found = dict.fromkeys(item.entity for item in done if not is_setting(item.attribute))

        def off(entity: str) -> bool:
            seen = self.access.states.seen(entity, "state")
            return entity not in switched and seen.fresh and seen.value == "off"

        return tuple(entity for entity in found if off(entity))

    def _report(self, decision: Act | Undo, outcomes: Sequence[Outcome], parts: Sequence[Message]) -> Report:
        return Report(
            "execute" if any(item.sent for item in outcomes) else "reject",
            tuple(parts),
            decision.reason,
            decision.entities,
            tuple(outcomes),
            _commands(decision.entities, outcomes, self.registry),
        )


def _spared(bans: Sequence[Ban]) -> Said:
    """Who was left alone, and why where that was forbidden for good."""
    by_why: dict[Message | None, dict[str, None]] = {}
    for ban in bans:
        by_why.setdefault(ban.why, {})[ban.entity] = None
    said: list[Message] = []
    for why, them in by_why.items():
        said.append(say("spared", len(them), names=Names(tuple(them))))
        if why is not None:
            said.append(why)
    return tuple(said)


def missing(gone: Sequence[str], entities: tuple[str, ...]) -> Report:
    """That all who were meant have left the home."""
    return Report("reject", (say("gone", len(gone), names=Names(tuple(gone))),), "gone", entities)


def foreseen(decision: Keep, writes: Sequence[Write], registry: Registry) -> tuple[Command, ...]:
    """What will be sent, as far as that can be known now: of a relative change only by how much."""
    clause, entities = decision.turn.clause, decision.entities
    scenes = tuple(item for item in entities if registry[item].kind == "scene")
    if scenes:
        return (Command("activate", scenes),)
    if clause.action == "toggle" or not writes:
        parameter = clause.parameter
        if parameter is None:
            return (Command(clause.action or "activate", entities),)
        value = parameter.value if parameter.op == "set" else None
        return (Command(clause.action or "set", entities, parameter.attribute, value, parameter.unit),)
    commands = Command.all(replace(item, value="") if item.delta is not None else item for item in writes)
    return tuple(replace(item, value=None) if item.delta is not None else item for item in commands)


def _commands(entities: Sequence[str], outcomes: Sequence[Outcome], registry: Registry) -> tuple[Command, ...]:
    """What was sent, alike writes together; a scene that Hearken carries out counts as the scene."""
    scenes = tuple(item for item in entities if registry[item].kind == "scene")
    if scenes and any(item.sent for item in outcomes):
        return (Command("activate", scenes),)
    return Command.all(item.write for item in outcomes if item.sent)


def _instead(problem: Problem, parameter: Parameter) -> tuple[Parameter | None, QuestionKind, str]:
    """What a clause would set instead, and the sort and reason of the question; None where nothing is to be asked."""
    if problem.reason != "implausible":
        if problem.nearest is None:
            return None, "confirm", NEAREST
        # In the device's own unit.
        return replace(parameter, op="set", value=problem.nearest, unit=None, toward=None), "confirm", NEAREST
    if problem.attribute == "volume":
        return replace(parameter, op="max", value=None, unit=None, toward=None), "confirm", NEAREST
    return replace(parameter, op="set", value=None, unit=None, toward=None), "value", problem.reason

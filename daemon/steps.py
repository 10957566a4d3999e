"""One clause: conditions, who is meant, the gate, a plan, the act and its proof, or an answer; and the words for it."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from daemon.act import answers, conditions, planner
from daemon.act.executor import Executor
from daemon.act.facts import Fact
from daemon.act.outcomes import Outcome, Write
from daemon.act.plans import Plan
from daemon.act.reader import Reader
from daemon.act.states import States
from daemon.act.undo import undo
from daemon.converse import wording
from daemon.converse.answering import Answerer
from daemon.converse.questions import EXPIRY_S, Question, QuestionKind
from daemon.converse.replies import Replies
from daemon.home.entities import SceneStep, Value
from daemon.home.gate import Gate
from daemon.home.needs import need_of
from daemon.home.registry import Registry
from daemon.home.resolution import ClauseResolution, Context, Decision, Resolution
from daemon.home.resolver import Resolver
from daemon.ir import Clause, Program, Target, to_dict
from daemon.result import Command, ResultOutcome
from daemon.trace import Trace


@dataclass(frozen=True, slots=True)
class Report:
    """What became of one clause."""

    outcome: ResultOutcome
    reply: str
    reason: str = ""
    """The gate's reason, for the audit."""
    entities: tuple[str, ...] = ()
    """What was spoken of."""
    outcomes: tuple[Outcome, ...] = ()
    commands: tuple[Command, ...] = ()
    read: tuple[str, ...] = ()
    question: Question | None = None


@dataclass(frozen=True, slots=True)
class Settled:
    """What answers have settled about a clause."""

    choices: tuple[tuple[str, ...], ...] = ()
    """The entities chosen for each of its ambiguous names, in the order of the questions."""
    confirmed: tuple[str, ...] = ()
    """The entities that a yes was given for."""


NOTHING_SETTLED = Settled()


@dataclass(frozen=True, slots=True)
class Turn:
    """One clause with everything around it. `heard` is the transcript's confidence, 0 to 1."""

    clause: Clause
    program: Program
    context: Context
    settled: Settled
    heard: float
    trace: Trace


@dataclass(frozen=True, slots=True)
class Access:
    """The way to the devices: what was seen, fresh readings, acts, and whether the broker is there."""

    states: States
    reader: Reader
    executor: Executor
    connected: Callable[[], bool]


class Steps:
    """Carries out single clauses in one home. One event loop."""

    def __init__(
        self,
        *,
        registry: Registry,
        resolver: Resolver,
        gate: Gate,
        access: Access,
        replies: Replies,
        scenes: Mapping[str, Sequence[SceneStep]],
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._registry = registry
        self._resolver = resolver
        self._gate = gate
        self._states = access.states
        self._reader = access.reader
        self._executor = access.executor
        self._connected = access.connected
        self._replies = replies
        self._scenes = scenes
        self._clock = clock

    def last_known(self, entity: str, attribute: str) -> Value | None:
        """The last value seen, however old; None where there is none."""
        return self._states.seen(entity, attribute).value

    def expiry(self) -> float:
        """When a question that is asked now expires."""
        return self._clock() + EXPIRY_S

    def asked(self, question: Question, lang: str) -> Report:
        """A question in words."""
        return Report(
            "clarify",
            wording.question(question, self._registry, self._replies, lang),
            question.reason,
            question=question,
        )

    async def carry_out(self, turn: Turn) -> Report:
        """Does, answers, asks or refuses what one clause says; never raises for anything that was said."""
        clause, lang = turn.clause, turn.context.lang
        if clause.negated:
            return Report("ignore", self._say("negated", lang))
        match clause.intent:
            case "act" | "scene":
                return await self._act(turn)
            case "query":
                return await self._query(turn)
            case "timer":
                return Report("reject", self._say("timers", lang), "timers")
            case "rule":
                return Report("reject", self._say("rules", lang), "rules")
            case "help":
                name = next((item.name(lang) for item in self._registry.devices), "")
                examples = self._replies.say("help.examples", lang, name=name)
                return Report("assistant", self._replies.say("help", lang, examples=examples))
            case "dialogue":
                return self._move(clause, lang)
            case _:
                return Report("ignore", self._say("chat", lang))

    async def undo(self, turn: Turn, done: Sequence[Outcome]) -> Report:
        """Puts back what the last act changed, verified like any other act; what is risky only after a yes."""
        lang = turn.context.lang
        back = undo(done, self._registry)
        if not back.writes:
            key = "cannot_undo" if back.unknown else "nothing_to_undo"
            names = self._replies.names([self._registry[item].name(lang) for item in back.unknown], lang)
            return Report("reject", self._replies.say(key, lang, n=len(back.unknown), names=names), key)
        if not self._connected():
            return Report("reject", self._say("broker_away", lang), "broker_away")
        if unconfirmed := tuple(item for item in back.risky if item not in turn.settled.confirmed):
            program = replace(turn.program, clauses=(turn.clause,))
            return self.asked(Question("confirm", "confirm_risk", program, unconfirmed, self.expiry()), lang)
        outcomes = await self._executor.execute(back.writes, trace=turn.trace)
        parts = [self._say("undone", lang)] if all(item.status == "done" for item in outcomes) else []
        parts.append(wording.outcomes(outcomes, self._registry, self._replies, lang))
        entities = tuple(dict.fromkeys(item.entity for item in back.writes))
        return Report(
            "execute",
            self._replies.sentences(parts, lang),
            "undo",
            entities,
            outcomes,
            _commands(Decision("act", "undo", entities), outcomes, self._registry),
        )

    def _move(self, clause: Clause, lang: str) -> Report:
        """A remark about the conversation while no question is pending."""
        move = clause.dialogue.move if clause.dialogue is not None else None
        if move in ("cancel", "stop", "no", "neither"):
            return Report("ignore", self._say("cancelled", lang))
        return Report("ignore", self._say("nothing_pending", lang))

    async def _act(self, turn: Turn) -> Report:
        clause, lang = turn.clause, turn.context.lang
        if clause.when is not None:
            return Report("reject", self._say("later", lang), "later")
        stopped, resolution, decision = self._decide(turn)
        if stopped is not None:
            return stopped
        if clause.conditions and (unmet := await self._unmet(turn, resolution)) is not None:
            return unmet
        if decision.verdict == "ask":
            return self._ask(turn, decision)
        plan = await self._plan(turn, decision)
        words = Answerer(self._registry, self._replies, lang)
        if not plan.writes:
            reply = words.problem(plan.problems) if plan.problems else self._say("empty", lang)
            reason = plan.problems[0].reason if plan.problems else "empty"
            return Report("reject", reply, reason, decision.entities, read=decision.entities)
        outcomes = await self._executor.execute(plan.writes, trace=turn.trace)
        parts = [wording.outcomes(outcomes, self._registry, self._replies, lang)]
        if plan.problems:
            parts.append(words.problem(plan.problems))
        if decision.left_out:
            parts.append(wording.left_out(decision.left_out, self._registry, self._replies, lang))
        return Report(
            "execute" if any(item.sent for item in outcomes) else "reject",
            self._replies.sentences(parts, lang),
            decision.reason,
            decision.entities,
            outcomes,
            _commands(decision, outcomes, self._registry),
        )

    async def _plan(self, turn: Turn, decision: Decision) -> Plan:
        with turn.trace.timed("read"):
            needed = planner.needs(turn.clause, decision.entities, self._registry)
            observed = await self._reader.read(needed, trace=turn.trace)
        plan = planner.plan(turn.clause, decision.entities, self._registry, observed, self._scenes)
        turn.trace.note(
            "plan",
            writes=[
                {"device": item.entity, "attribute": item.attribute, "value": item.value, "action": item.action}
                for item in plan.writes
            ],
            problems=[{"device": item.entity, "reason": item.reason} for item in plan.problems],
        )
        return plan

    def _decide(self, turn: Turn) -> tuple[Report | None, ClauseResolution, Decision]:
        """Who is meant and what the gate says; a report where the clause ends here."""
        clause, lang = turn.clause, turn.context.lang
        nobody = ClauseResolution()
        if not self._connected():
            away = Decision("refuse", "broker_away")
            return Report("reject", self._say("broker_away", lang), "broker_away"), nobody, away
        if turn.program.missing is not None and clause is turn.program.clauses[-1]:
            return self._ask_missing(turn), nobody, Decision("ask", "missing")
        with turn.trace.timed("resolve"):
            resolution = self._settle(self._resolver.resolve_clause(clause, turn.context), turn)
            decision = self._gate.decide(clause, resolution, turn.program.confidence, turn.heard, turn.context)
        if turn.settled.confirmed and decision.reason.startswith("confirm"):
            # What was not part of the question was not confirmed.
            agreed = tuple(item for item in decision.entities if item in turn.settled.confirmed)
            decision = replace(decision, verdict="act", reason="confirmed", entities=agreed)
        _note(turn.trace, resolution, decision)
        return (self._refused(turn, decision) if decision.verdict == "refuse" else None), resolution, decision

    def _settle(self, found: ClauseResolution, turn: Turn) -> ClauseResolution:
        """Puts what was chosen in the place of what was ambiguous, in the order in which the gate asks."""
        choices = iter(turn.settled.choices)
        need = need_of(turn.clause)

        def settled(items: Sequence[Resolution]) -> tuple[Resolution, ...]:
            return tuple(
                self._resolver.chosen(item, ids, need, turn.context)
                if item.status == "ambiguous" and (ids := next(choices, None)) is not None
                else item
                for item in items
            )

        if not turn.settled.choices:
            return found
        targets, excluded = settled(found.targets), settled(found.excluded)
        gone = {entity for item in excluded for entity in item.entities}
        entities = [entity for item in targets if item.status == "resolved" for entity in item.entities]
        return replace(
            found,
            targets=targets,
            excluded=excluded,
            conditions=settled(found.conditions),
            entities=tuple(entity for entity in dict.fromkeys(entities) if entity not in gone),
            left_out=tuple(dict.fromkeys(entity for item in targets for entity in item.left_out)),
        )

    async def _unmet(self, turn: Turn, resolution: ClauseResolution) -> Report | None:
        """The report that ends the clause, where its conditions do not hold or cannot be told."""
        tests = [
            conditions.Test(condition, found.entities)
            for condition, found in zip(turn.clause.conditions, resolution.conditions, strict=True)
        ]
        with turn.trace.timed("read"):
            observed = await self._reader.read(conditions.needs(tests, self._registry), trace=turn.trace)
        verdict = conditions.evaluate(tests, turn.clause.condition_join, observed, self._registry)
        turn.trace.note("condition", holds=verdict.holds, facts=[_fact(item) for item in verdict.facts])
        if verdict.holds:
            return None
        words = Answerer(self._registry, self._replies, turn.context.lang)
        reply = words.condition(verdict.facts, holds=verdict.holds)
        read = tuple(item.entity for item in verdict.facts)
        # "If" about now that does not hold is carried out by doing nothing; what cannot be told is refused.
        return Report("reject" if verdict.holds is None else "execute", reply, "condition", read=read)

    async def _query(self, turn: Turn) -> Report:
        stopped, _, decision = self._decide(turn)
        if stopped is not None:
            return stopped
        if decision.verdict == "ask":
            return self._ask(turn, decision)
        clause, entities = turn.clause, decision.entities
        with turn.trace.timed("read"):
            observed = await self._reader.read(answers.needs(clause, entities, self._registry), trace=turn.trace)
        answer = answers.answer(clause, entities, self._registry, observed)
        turn.trace.note("answer", verdict=answer.verdict, facts=[_fact(item) for item in answer.facts])
        reply = Answerer(self._registry, self._replies, turn.context.lang).answer(answer)
        outcome: ResultOutcome = "query" if answer.facts else "reject"
        return Report(outcome, reply, decision.reason, entities, read=entities)

    def _refused(self, turn: Turn, decision: Decision) -> Report:
        lang = turn.context.lang
        if decision.reason == "not_understood":
            return Report("ignore", self._say("not_understood", lang), decision.reason)
        mention = next((_spoken(target) for target in turn.clause.targets), None)
        reply = wording.refusal(decision, mention, self._registry, self._replies, lang)
        return Report("reject", reply, decision.reason, decision.entities)

    def _ask(self, turn: Turn, decision: Decision) -> Report:
        confirm = decision.reason.startswith("confirm")
        kind: QuestionKind = "confirm" if confirm else "choose" if decision.options else "target"
        question = Question(
            kind=kind,
            reason=decision.reason,
            program=replace(turn.program, clauses=(turn.clause,)),
            options=decision.entities if confirm else decision.options,
            expires_at=self.expiry(),
            choices=turn.settled.choices,
            dimension=decision.dimension,
        )
        return self.asked(question, turn.context.lang)

    def _ask_missing(self, turn: Turn) -> Report:
        kind: QuestionKind = "value" if turn.program.missing == "value" else "target"
        question = Question(kind, f"missing_{kind}", turn.program, (), self.expiry())
        return self.asked(question, turn.context.lang)

    def _say(self, key: str, lang: str) -> str:
        return self._replies.say(key, lang)


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
    return tuple(_command([item.write for item in group]) for group in grouped.values())


def _command(writes: Sequence[Write]) -> Command:
    first = writes[0]
    targets = tuple(dict.fromkeys(item.entity for item in writes))
    if first.action in ("set", "increase", "decrease"):
        return Command(first.action, targets, first.attribute, first.value, first.unit, first.delta)
    return Command(first.action, targets)


def _spoken(target: Target) -> str | None:
    return target.mention or " ".join((*target.areas, *target.floors)) or None


def _shown(write: Write) -> dict[str, object]:
    return {"device": write.entity, "attribute": write.attribute, "value": write.value, "action": write.action}


def _fact(fact: Fact) -> dict[str, object]:
    seen = fact.observation
    return {
        "device": fact.entity,
        "attribute": fact.attribute,
        "value": seen.value,
        "source": seen.source,
        "holds": fact.holds,
    }


def _note(trace: Trace, resolution: ClauseResolution, decision: Decision) -> None:
    for found in resolution.targets:
        trace.note(
            "resolve",
            target=to_dict(found.target),
            status=found.status,
            via=found.via,
            entities=list(found.entities),
            candidates=[
                {"entity": item.entity, "score": round(item.score, 3), "features": item.features}
                for item in found.candidates[:5]
            ],
            rounds=[to_dict(item) for item in found.rounds],
        )
    trace.note(
        "gate",
        verdict=decision.verdict,
        reason=decision.reason,
        entities=list(decision.entities),
        options=list(decision.options),
        dimension=decision.dimension,
    )

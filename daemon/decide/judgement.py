"""Judging one clause: conditions, who is meant, what the gate says. Reads, but changes nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence

from daemon.act import conditions
from daemon.act.tracing import note, seen
from daemon.converse.answering import Answerer
from daemon.converse.help import Help
from daemon.converse.replies import Replies
from daemon.core.ir import Clause, When
from daemon.core.outcomes import Outcome
from daemon.core.questions import QuestionKind
from daemon.core.resolution import ClauseResolution, Decision
from daemon.core.result import ResultOutcome
from daemon.core.turn import Access, Judged, Report, Turn
from daemon.core.values import replace
from daemon.decide.asking import Asking
from daemon.decide.comfort import switched_on
from daemon.decide.diaries import Diaries
from daemon.decide.gate import Gate
from daemon.decide.remarks import Remarks
from daemon.decide.settling import one_of, settle
from daemon.home.config import Thresholds
from daemon.home.registry import Registry
from daemon.home.sensing import TOLD
from daemon.memory.teaching import Lessons
from daemon.resolve.resolver import Resolver
from daemon.resolve.senses import another_sense
from daemon.schedule.appointments import Appointments
from daemon.schedule.edges import cannot_tell
from daemon.schedule.keeping import Schedule, begins

_ASKED: Mapping[str | None, QuestionKind] = {"vague": "when", "half": "half"}
"""What of a time is asked about, and how."""


class Judgement:
    """Judges clauses in one home. One event loop."""

    def __init__(  # noqa: PLR0913 - the parts of one home
        self,
        *,
        registry: Registry,
        resolver: Resolver,
        gate: Gate,
        access: Access,
        replies: Replies,
        lessons: Lessons,
        schedule: Schedule,
        appointments: Appointments,
        thresholds: Thresholds | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._registry = registry
        self._resolver = resolver
        self._gate = gate
        self._access = access
        self._replies = replies
        self._lessons = lessons
        self._schedule = schedule
        self._appointments = appointments
        self._help = Help(registry, replies)
        self._diaries = Diaries(registry, access, replies)
        self._thresholds = thresholds or Thresholds()
        self.asking = Asking(registry=registry, gate=gate, replies=replies, schedule=schedule, clock=clock)
        """What puts questions and refusals."""
        self._remarks = Remarks(
            registry=registry,
            resolver=resolver,
            gate=gate,
            access=access,
            replies=replies,
            asking=self.asking,
            thresholds=self._thresholds,
        )

    async def judge(
        self, turn: Turn, done: Sequence[Outcome] = (), just: Sequence[Outcome] = (), kept: Sequence[int] = ()
    ) -> Judged:
        """What is to be done about one clause; never raises for anything that was said.

        Args:
            turn: The clause.
            done: What the last act of this conversation led to ("undo that").
            just: The same, where it was so short ago that a "no" or a "cancel" can only be about it.
            kept: The ids of what was just kept for later.
        """
        clause = turn.clause
        noise = self.is_noise(min(turn.heard, turn.program.confidence))
        ended = "not_understood" if noise else "negated" if clause.negated else "anyone" if clause.anyone else None
        if ended is not None:
            return self.asking.ends(turn, "reject" if ended == "anyone" else "ignore", ended)
        if (broken := self._broken_off(turn)) is not None:
            return broken
        match clause.intent:
            case "help" | "query" if clause.intent == "help" or _lists(clause):
                return self._advised(turn)
            case "act" | "scene" | "query" | "rule":
                judged = await self._in_time(turn)
                return self._remarks.unset(judged, just)
            case "timer" | "later":
                return await self._diaries.beside(self._about_kept(turn))
            case "learn":
                return await self._taught(turn)
            case "dialogue":
                return self._remarks.judge(turn, done, just, kept)
            case _:
                return self.asking.ends(turn, "ignore", "chat")

    def doubtful(self, confidence: float) -> bool:
        """Whether what was heard or read so surely has to be asked back before anything is done."""
        return confidence < self._thresholds.reading

    def is_noise(self, confidence: float) -> bool:
        """Whether what was heard or read is so doubtful that it is not for us."""
        return confidence < self._thresholds.noise

    def _advised(self, turn: Turn) -> Judged:
        """What can be said, or what there is."""
        clause = turn.clause
        if clause.query is not None:
            topic = turn.program.text if clause.intent == "query" else clause.topic
            return Judged(turn, report=Report("query", self._help.listing(topic, turn.lang).words, "help"))
        advice = self._help.answer(clause.topic, turn.lang, turn.context.area)
        return Judged(turn, report=Report("assistant" if advice.known else "ignore", advice.words, "help"))

    def _broken_off(self, turn: Turn) -> Judged | None:
        """The question for what is missing at the end; None where nothing is."""
        missing = turn.program.missing
        if missing is None or turn.at != len(turn.program.clauses) - 1:
            return None
        if self.doubtful(min(turn.heard, turn.program.confidence)):
            return self.asking.ends(turn, "ignore", "not_understood")
        kinds: dict[str, QuestionKind] = {"value": "value", "above": "value", "below": "value", "target": "target"}
        kind = kinds.get(missing, "rest")
        return Judged(turn, report=self.asking.question(turn, kind, f"missing_{missing}", ()))

    async def _taught(self, turn: Turn) -> Judged:
        """A lesson is taken where it is clear who is meant and nothing speaks against it."""
        turn = self._lessons.respelled(turn)
        lesson = turn.clause.lesson
        assert lesson is not None
        judged = Judged(turn, Decision("act", "learn", turn.settled.confirmed))
        if turn.clause.targets and lesson.op != "forget" and not turn.settled.confirmed:
            judged = await self._decided(turn)
            if judged.report is not None:
                return judged
        elif self.doubtful(min(turn.heard, turn.program.confidence)) and not turn.settled.confirmed:
            return self.asking.ends(turn, "ignore", "not_understood")
        objection = self._lessons.objection(turn, judged.decision.entities)
        if objection is None:
            return judged
        if objection.ask:
            return replace(
                judged, report=self.asking.question(turn, "confirm", objection.reason, judged.decision.entities)
            )
        return replace(judged, report=Report("reject", objection.words, objection.reason))

    async def _in_time(self, turn: Turn) -> Judged:
        when = turn.clause.when
        if when is None or _for_now(turn.clause):
            return await self._decided(turn)
        return await (self._timed(turn) if when.beyond is None else self._beyond(turn, when))

    async def _timed(self, turn: Turn) -> Judged:
        """What is not for now, or only for so long: judged as if it were for now, but for its conditions."""
        clause = turn.clause
        when = clause.when
        assert when is not None
        if clause.intent == "query":
            return self.asking.ends(turn, "reject", "later.query")
        if clause.intent == "rule":
            plain = replace(clause, intent="scene" if clause.action == "activate" else "act")
            clauses = (*turn.program.clauses[: turn.at], plain, *turn.program.clauses[turn.at + 1 :])
            turn = replace(turn, program=replace(turn.program, clauses=clauses))
        later = begins(when)
        judged = await self._decided(turn, later=later)
        if judged.report is not None and not judged.decision.reason.startswith("confirm"):
            return judged
        # Whoever is asked for a yes should know when it will be.
        if (doubt := self._schedule.doubt(when)) is not None:
            if doubt in _ASKED:
                asked = self.asking.question(judged.turn, _ASKED[doubt], f"later.{doubt}", ())
                return Judged(turn, judged.decision, asked)
            return self.asking.ends(turn, "reject", f"later.{doubt}")
        if when.repeating and judged.report is None:
            judged = await self._awaited(judged)
        if judged.report is not None:
            return judged
        risky = self._schedule.risky_end(clause, judged.decision.entities)
        if unconfirmed := tuple(item for item in risky if item not in turn.settled.confirmed):
            asked = self.asking.question(judged.turn, "confirm", "confirm_after", unconfirmed)
            return Judged(turn, judged.decision, asked)
        return replace(judged, later=later)

    async def _beyond(self, turn: Turn, when: When) -> Judged:
        """What depends on something that nothing here can go by is not done.

        Where nobody understood what that is, its speaker may say that it is to be done without.
        """
        if when.beyond == "unread" and turn.settled.confirmed:
            left = replace(when, beyond=None)
            return await self._in_time(turn.instead(replace(turn.clause, when=left if left != When() else None)))
        judged = await self._decided(turn, later=True)
        if judged.decision.verdict == "refuse":
            return judged
        if when.beyond == "unread":
            asked = judged.report or self.asking.question(turn, "confirm", "confirm_reading", judged.decision.entities)
            return replace(judged, report=asked)
        key = f"later.beyond.{when.beyond}"
        words = self._replies.say(key, turn.lang, said=when.said or "")
        return Judged(turn, judged.decision, Report("reject", words, key))

    async def _awaited(self, judged: Judged) -> Judged:
        """What waits for something to happen: refused where nothing would tell; else with how things stand."""
        turn, watched = judged.turn, judged.watched
        tests = [conditions.Test(item, ids) for item, ids in zip(turn.clause.conditions, watched, strict=True)]
        if blind := cannot_tell(turn.clause.conditions, watched, self._registry):
            names = self._replies.names([self._registry[item].name(turn.lang) for item in blind], turn.lang)
            words = self._replies.say("later.no_senses", turn.lang, n=len(blind), names=names)
            return Judged(turn, judged.decision, Report("reject", words, "later.no_senses", blind))
        with turn.trace.timed("read"):
            observed = await self._access.reader.read(conditions.needs(tests, self._registry), trace=turn.trace)
        verdict = conditions.evaluate(tests, turn.clause.condition_join, observed, self._registry)
        return replace(judged, holds=verdict.holds is True)

    def _about_kept(self, turn: Turn) -> Judged:
        """What is said about timers and about what is kept: nothing but a doubtful hearing stands against it."""
        if self.doubtful(min(turn.heard, turn.program.confidence)) and not turn.settled.confirmed:
            return self.asking.ends(turn, "ignore", "not_understood")
        timer = turn.clause.timer
        if timer is not None and timer.reminds is not None and timer.op == "start":
            return self._reminding(turn)
        if timer is not None and timer.seconds is None and timer.op in ("start", "increase", "decrease"):
            return Judged(turn, report=self.asking.question(turn, "length", "later.length", ()))
        return self._appointments.judge(turn)

    def _reminding(self, turn: Turn) -> Judged:
        """A reminder is one for a moment; when, is asked where nobody said it."""
        clause = turn.clause
        when = clause.when or When(vague=True)
        if when.repeating or clause.conditions or (when.days and not when.once):
            return self.asking.ends(turn, "reject", "reminder.once")
        if (doubt := self._schedule.doubt(when)) is None:
            return self._appointments.judge(turn)
        if doubt in _ASKED:
            return Judged(turn, report=self.asking.question(turn, _ASKED[doubt], f"later.{doubt}", ()))
        return self.asking.ends(turn, "reject", f"later.{doubt}")

    async def _decided(self, turn: Turn, *, later: bool = False) -> Judged:
        if (wished := turn.clause.parameter) is not None and wished.wish is not None and wished.value is None:
            filled = self._lessons.filled(turn)
            if filled is None:
                word = self._replies.topic(wished.wish, turn.lang)
                return Judged(
                    turn, report=Report("reject", self._replies.say("no_wish", turn.lang, word=word), "no_wish")
                )
            turn = filled
        clause = turn.clause
        if clause.intent != "learn" and not later and not self._access.connected():
            return self.asking.ends(turn, "reject", "broker_away")
        with turn.trace.timed("resolve"):
            turn, resolution = self._resolved(turn)
            clause = turn.clause
            if later:
                turn = replace(turn, watched=tuple(item.entities for item in resolution.conditions))
            decision = self._gate.decide(clause, resolution, turn.program.confidence, turn.heard, turn.context)
        if turn.settled.confirmed and decision.reason.startswith("confirm"):
            # What was not part of the question was not confirmed.
            agreed = tuple(item for item in decision.entities if item in turn.settled.confirmed)
            decision = replace(decision, verdict="act", reason="confirmed", entities=agreed)
        note(turn.trace, resolution, decision)
        if decision.verdict == "refuse":
            return Judged(turn, decision, self.asking.refused(turn, decision, resolution))
        # A condition that does not hold needs no question about the rest, unless that question is about its place too.
        now = not later and clause.intent != "query" and not (decision.options and self._depends(turn, resolution))
        if now and clause.conditions and (unmet := await self._unmet(turn, resolution)) is not None:
            return Judged(turn, decision, unmet)
        if decision.verdict == "ask":
            if clause.implicit and not decision.options and not decision.entities:
                return self.asking.ends(turn, "ignore", "not_understood")  # "too much", and nobody knows of what
            on = switched_on(clause, decision.entities, turn.context, self._registry)
            return Judged(turn, decision, self.asking.about(turn if on is None else turn.instead(on), decision))
        return Judged(turn, decision, watched=turn.watched)

    def _resolved(self, turn: Turn) -> tuple[Turn, ClauseResolution]:
        """What the clause means, in its other sense where only that is possible, with what is settled."""
        clause = turn.clause
        found = self._resolver.resolve_clause(clause, turn.context)
        if (other := another_sense(clause, found)) is not None:
            again = self._resolver.resolve_clause(other, turn.context)
            if all(item.status in ("resolved", "ambiguous") for item in again.targets):
                turn, found = turn.instead(other), again
        return turn, settle(one_of(found) if clause.either else found, turn, self._resolver)

    async def _unmet(self, turn: Turn, resolution: ClauseResolution) -> Report | None:
        """The report that ends the clause, where its conditions do not hold or cannot be told."""
        tests = [
            conditions.Test(condition, found.entities)
            for condition, found in zip(turn.clause.conditions, resolution.conditions, strict=True)
        ]
        with turn.trace.timed("read"):
            observed = await self._access.reader.read(conditions.needs(tests, self._registry), trace=turn.trace)
        verdict = conditions.evaluate(tests, turn.clause.condition_join, observed, self._registry)
        turn.trace.note("condition", holds=verdict.holds, facts=[seen(item) for item in verdict.facts])
        if verdict.holds:
            return None
        words = Answerer(self._registry, self._replies, turn.lang)
        reply = words.condition(verdict.facts, holds=verdict.holds)
        read = tuple(item.entity for item in verdict.facts)
        # "If" about now that does not hold is carried out by doing nothing; what cannot be told is refused.
        outcome: ResultOutcome = "reject" if verdict.holds is None else "execute"
        readings = tuple(item.observation for item in verdict.facts)
        return Report(outcome, reply, "condition", read=read, readings=readings)

    def _depends(self, turn: Turn, resolution: ClauseResolution) -> bool:
        """Whether the conditions are about the place of what is acted on: they can be told once that is known."""
        return self._resolver.conditions(turn.clause, (), turn.context) != resolution.conditions


def _lists(clause: Clause) -> bool:
    """Whether nothing is asked but what there is: "what is in the kitchen"."""
    told = clause.parameter is not None or clause.conditions or any(target.state for target in clause.targets)
    return clause.query in ("which", "count") and not told and clause.when is None


def _for_now(clause: Clause) -> bool:
    """Whether it is meant now. A question about today is; and what others tell in words is told as they tell it."""
    when = clause.when
    if when is None or clause.intent != "query":
        return when is None
    told = clause.parameter is not None and clause.parameter.attribute in TOLD
    return told or replace(when, confidence=1.0) == When(day_offset=0)

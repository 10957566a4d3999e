"""Judging one clause: conditions, who is meant, what the gate says. Reads, but changes nothing."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from daemon.act import conditions
from daemon.act.facts import Fact
from daemon.act.outcomes import Outcome
from daemon.act.undo import undo
from daemon.appointments import Appointments
from daemon.converse import wording
from daemon.converse.answering import Answerer
from daemon.converse.help import Help
from daemon.converse.questions import EXPIRY_S, Question, QuestionKind
from daemon.converse.replies import Replies
from daemon.diaries import Diaries
from daemon.home.config import Thresholds
from daemon.home.gate import Gate
from daemon.home.names import fold
from daemon.home.needs import Need
from daemon.home.registry import Registry
from daemon.home.resolution import Candidate, ClauseResolution, Decision, Resolution
from daemon.home.resolver import Resolver
from daemon.home.senses import another_sense
from daemon.home.sensing import TOLD
from daemon.ir import Attribute, Clause, DialogueMove, Target, When, to_dict
from daemon.later.edges import cannot_tell
from daemon.lessons import Lessons
from daemon.result import ResultOutcome
from daemon.schedule import Schedule, begins
from daemon.settling import open_to, settle
from daemon.trace import Trace
from daemon.turn import Access, Judged, Report, Turn

_ASKED: Mapping[str | None, QuestionKind] = {"vague": "when", "half": "half"}
"""What of a time is asked about, and how."""
_UNASKED: Mapping[str | None, str] = {
    "leave": "goodbye",
    "enough": "all_right",
    **dict.fromkeys(("yes", "both", "always"), "nothing_pending"),
}
"""What is said to a remark that answers nothing."""
_OFFERED = 2
"""So many names that are nearly what was said are offered."""
_MOST_CHOICES = 12
"""Of more than so many nobody can choose: then the name is asked for."""


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
        self._clock = clock

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
        noise = min(turn.heard, turn.program.confidence) < self._thresholds.noise
        if noise or clause.negated:
            return self._ends(turn, "ignore", "not_understood" if noise else "negated")
        if (broken := self._broken_off(turn)) is not None:
            return broken
        match clause.intent:
            case "help" | "query" if clause.intent == "help" or _lists(clause):
                return self._advised(turn)
            case "act" | "scene" | "query" | "rule":
                return await (self._decided(turn) if _for_now(clause) else self._timed(turn))
            case "timer" | "later":
                return await self._diaries.beside(self._about_kept(turn))
            case "learn":
                return await self._taught(turn)
            case "dialogue":
                return self._move(turn, done, just, kept)
            case _:
                return self._ends(turn, "ignore", "chat")

    def doubtful(self, confidence: float) -> bool:
        """Whether what was heard or read so surely has to be asked back before anything is done."""
        return confidence < self._thresholds.reading

    def dimension(self, options: Sequence[str]) -> str:
        """What tells options apart best."""
        return self._gate.dimension(options)

    def expiry(self) -> float:
        """When a question that is asked now expires."""
        return self._clock() + EXPIRY_S

    def asked(self, question: Question, lang: str) -> Report:
        """A question in words."""
        words = wording.question(question, self._registry, self._replies, lang)
        when = self._schedule.asked(question.clause.when, lang) if question.clause.when is not None else None
        if when is not None and question.kind == "confirm":
            words = self._replies.say("later.asked", lang, when=when, question=words)
        return Report("clarify", words, question.reason, question=question)

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
            return self._ends(turn, "ignore", "not_understood")
        kinds: dict[str, QuestionKind] = {"value": "value", "above": "value", "below": "value", "target": "target"}
        kind = kinds.get(missing, "rest")
        return Judged(turn, report=self._question(turn, kind, f"missing_{missing}", ()))

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
            return self._ends(turn, "ignore", "not_understood")
        objection = self._lessons.objection(turn, judged.decision.entities)
        if objection is None:
            return judged
        if objection.ask:
            return replace(judged, report=self._question(turn, "confirm", objection.reason, judged.decision.entities))
        return replace(judged, report=Report("reject", objection.words, objection.reason))

    async def _timed(self, turn: Turn) -> Judged:
        """What is not for now, or only for so long: judged as if it were for now, but for its conditions."""
        clause = turn.clause
        when = clause.when
        assert when is not None
        if clause.intent == "query":
            return self._ends(turn, "reject", "later.query")
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
                return Judged(turn, judged.decision, self._question(turn, _ASKED[doubt], f"later.{doubt}", ()))
            return self._ends(turn, "reject", f"later.{doubt}")
        if when.repeating and judged.report is None:
            judged = await self._awaited(judged)
        if judged.report is not None:
            return judged
        risky = self._schedule.risky_end(clause, judged.decision.entities)
        if unconfirmed := tuple(item for item in risky if item not in turn.settled.confirmed):
            return Judged(turn, judged.decision, self._question(turn, "confirm", "confirm_after", unconfirmed))
        return replace(judged, later=later)

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
            return self._ends(turn, "ignore", "not_understood")
        timer = turn.clause.timer
        if timer is not None and timer.reminds is not None and timer.op == "start":
            return self._reminding(turn)
        if timer is not None and timer.seconds is None and timer.op in ("start", "increase", "decrease"):
            return Judged(turn, report=self._question(turn, "length", "later.length", ()))
        return self._appointments.judge(turn)

    def _reminding(self, turn: Turn) -> Judged:
        """A reminder is one for a moment; when, is asked where nobody said it."""
        clause = turn.clause
        when = clause.when or When(vague=True)
        if when.repeating or clause.conditions or (when.days and not when.once):
            return self._ends(turn, "reject", "reminder.once")
        if (doubt := self._schedule.doubt(when)) is None:
            return self._appointments.judge(turn)
        if doubt in _ASKED:
            return Judged(turn, report=self._question(turn, _ASKED[doubt], f"later.{doubt}", ()))
        return self._ends(turn, "reject", f"later.{doubt}")

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
            return self._ends(turn, "reject", "broker_away")
        with turn.trace.timed("resolve"):
            turn, resolution = self._resolved(turn)
            clause = turn.clause
            decision = self._gate.decide(clause, resolution, turn.program.confidence, turn.heard, turn.context)
        if turn.settled.confirmed and decision.reason.startswith("confirm"):
            # What was not part of the question was not confirmed.
            agreed = tuple(item for item in decision.entities if item in turn.settled.confirmed)
            decision = replace(decision, verdict="act", reason="confirmed", entities=agreed)
        _note(turn.trace, resolution, decision)
        if decision.verdict == "refuse":
            return Judged(turn, decision, self._refused(turn, decision, resolution))
        # A condition that does not hold needs no question about the rest, unless that question is about its place too.
        now = not later and clause.intent != "query" and not (decision.options and self._depends(turn, resolution))
        if now and clause.conditions and (unmet := await self._unmet(turn, resolution)) is not None:
            return Judged(turn, decision, unmet)
        if decision.verdict == "ask":
            if clause.implicit and not decision.options and not decision.entities:
                return self._ends(turn, "ignore", "not_understood")  # "too much", and nobody knows of what
            return Judged(turn, decision, self._ask(turn, decision))
        if later:
            return Judged(turn, decision, watched=tuple(item.entities for item in resolution.conditions))
        return Judged(turn, decision)

    def _resolved(self, turn: Turn) -> tuple[Turn, ClauseResolution]:
        """What the clause means, in its other sense where only that is possible, with what is settled."""
        clause = turn.clause
        found = self._resolver.resolve_clause(clause, turn.context)
        if (other := another_sense(clause, found)) is not None:
            again = self._resolver.resolve_clause(other, turn.context)
            if all(item.status in ("resolved", "ambiguous") for item in again.targets):
                turn, found = turn.instead(other), again
        return turn, settle(one_of(found) if clause.either else found, turn, self._resolver)

    def _move(self, turn: Turn, done: Sequence[Outcome], just: Sequence[Outcome], kept: Sequence[int]) -> Judged:
        """A remark about the conversation while no question is pending."""
        move = turn.clause.dialogue.move if turn.clause.dialogue is not None else None
        if kept and move == "undo" and just:
            return replace(self._undo(turn, done), dropped=tuple(kept))
        if kept and move in ("cancel", "no", "undo", "stop"):
            return Judged(turn, Decision("act", "cancelled"), dropped=tuple(kept))
        if move == "undo":
            return self._undo(turn, done)
        if move == "stop" and (stopped := self._stopped(turn)) is not None:
            return stopped
        if move in ("cancel", "stop", "no", "neither"):
            return self._taken_back(turn, just) or self._ends(turn, "ignore", "cancelled")
        if move == "time":
            return self._what_then(turn)
        if move == "select" and (named := self._only_named(turn)) is not None:
            return named
        return self._ends(turn, "ignore", _UNASKED.get(move, "not_understood"))

    def _only_named(self, turn: Turn) -> Judged | None:
        """As "the kitchen light", and nothing more: the beginning was not heard. What is to be done with it?"""
        said = turn.clause.dialogue
        text = said.text if said is not None else None
        if text is None or self.doubtful(turn.heard) or self._is_place(text):
            return None
        found = self._resolver.resolve(Target(mention=text), Need(), turn.context)
        ids = found.entities or tuple(item.entity for item in found.candidates)
        if found.status not in ("resolved", "ambiguous") or not ids or self._registry[ids[0]].kind == "person":
            return None
        begun = replace(turn, program=replace(turn.program, missing="more", needs_fallback=True))
        return Judged(turn, report=self._question(begun, "rest", "missing_deed", (), word=text))

    def _is_place(self, text: str) -> bool:
        places = (*self._registry.areas, *self._registry.floors)
        return any(fold(text) == fold(name) for item in places for name in item.names)

    def _what_then(self, turn: Turn) -> Judged:
        """As "in ten minutes", and nothing more: what is to be done then?"""
        when = turn.clause.dialogue.when if turn.clause.dialogue is not None else None
        if when is None or (when.delay_s is None and when.time is None):
            return self._ends(turn, "ignore", "not_understood")
        begun = replace(turn, program=replace(turn.program, missing="more", needs_fallback=True))
        return Judged(turn, report=self._question(begun, "rest", "missing_more", ()))

    def _stopped(self, turn: Turn) -> Judged | None:
        """As "stop" while what was set going is under way: the shutter, the vacuum, the music."""
        them = Clause("act", "stop", (Target(reference="them"),))
        stop = replace(turn, program=replace(turn.program, clauses=(them,)), at=0)
        resolution = self._resolver.resolve_clause(them, turn.context)
        decision = self._gate.decide(them, resolution, turn.program.confidence, turn.heard, turn.context)
        return Judged(stop, decision) if decision.verdict == "act" and self._access.connected() else None

    def _taken_back(self, turn: Turn, just: Sequence[Outcome]) -> Judged | None:
        """The question whether to take back what was done just now; None where there is nothing to take back."""
        back = undo(just, self._registry)
        if not back.writes:
            return None
        entities = tuple(dict.fromkeys(item.entity for item in back.writes))
        again = replace(turn.program, clauses=(Clause("dialogue", dialogue=DialogueMove("undo")),), source="dialogue")
        return Judged(turn, report=self._question(replace(turn, program=again, at=0), "confirm", "undo", entities))

    def _undo(self, turn: Turn, done: Sequence[Outcome]) -> Judged:
        back = undo(done, self._registry)
        if not back.writes:
            if not back.unknown:
                return self._ends(turn, "reject", "nothing_to_undo")
            words = wording.cannot_undo(back.unknown, self._registry, self._replies, turn.lang)
            return Judged(turn, report=Report("reject", words, "cannot_undo"))
        if not self._access.connected():
            return self._ends(turn, "reject", "broker_away")
        entities = tuple(dict.fromkeys(item.entity for item in back.writes))
        if unconfirmed := tuple(item for item in back.risky if item not in turn.settled.confirmed):
            return Judged(turn, report=self._question(turn, "confirm", "confirm_risk", unconfirmed))
        if self.doubtful(min(turn.heard, turn.program.confidence)) and not turn.settled.confirmed:
            return Judged(turn, report=self._question(turn, "confirm", "confirm_reading", entities))
        return Judged(turn, Decision("act", "undo", entities), back=back)

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

    def _refused(self, turn: Turn, decision: Decision, found: ClauseResolution) -> Report:
        lang = turn.lang
        if decision.reason == "not_understood":
            return Report("ignore", self._replies.say("not_understood", lang), decision.reason)
        named = turn.clause.parameter.attribute if turn.clause.parameter is not None else None
        asked, changed = (named, None) if turn.clause.intent == "query" else (None, named)
        names = (*found.targets, *found.excluded, *found.conditions)
        unknown = next((item for item in names if open_to(item, "not_found")), None)
        asked = asked or _untold(turn.clause, found)
        if unknown is not None and decision.mention is not None and unknown.nearest == decision.nearest:
            return self._offered(turn, decision)
        reply = wording.refusal(
            decision,
            self._registry,
            self._replies,
            lang,
            asked=asked,
            action=turn.clause.action,
            attribute=changed,
        )
        return Report("reject", reply, decision.reason, decision.entities)

    def _offered(self, turn: Turn, decision: Decision) -> Report:
        """A refusal that names what comes nearest, and waits a while whether that was meant."""
        nearest = decision.nearest[:_OFFERED]
        alone = turn.alone()
        question = self._question(alone, "choose", decision.reason, nearest, "name", word=decision.mention).question
        assert question is not None
        question = replace(question, settled={0: turn.settled})
        return replace(self.asked(question, turn.lang), outcome="reject")

    def _ask(self, turn: Turn, decision: Decision) -> Report:
        if decision.reason.startswith("confirm"):
            return self._question(turn, "confirm", decision.reason, decision.entities, word=decision.mention)
        if 0 < len(decision.options) <= _MOST_CHOICES:
            return self._question(
                turn, "choose", decision.reason, decision.options, decision.dimension, word=decision.mention
            )
        return self._question(turn, "target", decision.reason, ())

    def _question(
        self,
        turn: Turn,
        kind: QuestionKind,
        reason: str,
        options: tuple[str, ...],
        dimension: str | None = None,
        *,
        word: str | None = None,
    ) -> Report:
        question = Question(
            kind,
            reason,
            turn.program,
            options,
            self.expiry(),
            turn.at,
            dimension=dimension,
            heard=turn.heard,
            word=word,
            choice=turn.choice,
        )
        return self.asked(question, turn.lang)

    def _ends(self, turn: Turn, outcome: ResultOutcome, key: str) -> Judged:
        return Judged(turn, report=Report(outcome, self._replies.say(key, turn.lang), key))


def one_of(found: ClauseResolution) -> ClauseResolution:
    """Where only one of several names is meant, an ambiguity between all that they may mean.

    A set is offered as the place or group that was named. What is not found, or not settled, stays as it is.
    """
    if len(found.targets) < 2 or any(item.status not in ("resolved", "ambiguous") for item in found.targets):  # noqa: PLR2004 - one or another
        return found
    ids: dict[str, None] = {}
    for item in found.targets:
        if item.status == "ambiguous":
            ids |= dict.fromkeys(candidate.entity for candidate in item.candidates)
        elif len(item.entities) > 1 and item.via is not None:
            ids[item.via] = None
        else:
            ids |= dict.fromkeys(item.entities)
    if len(ids) == 1:
        return found
    candidates = tuple(Candidate(entity, 1.0) for entity in ids)
    asked = Resolution(found.targets[0].target, "ambiguous", candidates=candidates)
    return replace(found, targets=(asked,), entities=(), left_out=())


def _untold(clause: Clause, found: ClauseResolution) -> Attribute | None:
    """What nothing here tells, of what the conditions are about: the weather, whether somebody is at home."""
    if any(item.status not in ("resolved", "ambiguous") for item in found.targets):
        return None
    tests = zip(found.conditions, clause.conditions, strict=False)
    blind = (test for item, test in tests if item.status not in ("resolved", "ambiguous"))
    return next((test.attribute for test in blind if test.target.mention is None and test.target.kind is None), None)


def _lists(clause: Clause) -> bool:
    """Whether nothing is asked but what there is: "what is in the kitchen"."""
    told = clause.parameter is not None or clause.conditions or any(target.state for target in clause.targets)
    return clause.query in ("which", "count") and not told and clause.when is None


def seen(fact: Fact) -> dict[str, object]:
    """One reading for the trace."""
    observation = fact.observation
    return {
        "device": fact.entity,
        "attribute": fact.attribute,
        "value": observation.value,
        "source": observation.source,
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
            evidence=found.evidence,
            steps=[to_dict(item) for item in found.steps] or "none needed",
        )
    trace.note(
        "gate",
        verdict=decision.verdict,
        reason=decision.reason,
        entities=list(decision.entities),
        options=list(decision.options),
        dimension=decision.dimension,
    )


def _for_now(clause: Clause) -> bool:
    """Whether it is meant now. A question about today is; and what others tell in words is told as they tell it."""
    when = clause.when
    if when is None or clause.intent != "query":
        return when is None
    told = clause.parameter is not None and clause.parameter.attribute in TOLD
    return told or replace(when, confidence=1.0) == When(day_offset=0)

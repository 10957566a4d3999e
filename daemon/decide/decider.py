"""Deciding one clause: what it means, whether its conditions hold, what the gate says. No I/O, no words.

In two steps, as what must be read is known only once it is known who is meant: `look` resolves the clause, once, and
says what to read; `decide` takes the readings.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daemon.act import facts
from daemon.act.bans import forbidden
from daemon.act.messages import Unmet
from daemon.core.decisions import Act, Ask, Decision, Keep, Query, Refuse, Teach
from daemon.core.ir import Clause, When
from daemon.core.messages import Names, Topic, Words, say
from daemon.core.outcomes import Ban, Observed
from daemon.core.questions import QuestionKind
from daemon.core.resolution import ClauseResolution, Ruling, note, union
from daemon.core.result import ResultOutcome
from daemon.core.thresholds import Thresholds
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.decide.asking import Asking
from daemon.decide.comfort import switched_on
from daemon.decide.gate import Gate
from daemon.decide.kept import KeptThings
from daemon.decide.parts import unheeded, unheeded_at_all
from daemon.decide.remarks import Remarks
from daemon.decide.settling import one_of, settle
from daemon.dialogue.dialogue import Open
from daemon.dialogue.leaning import after, leans
from daemon.home.registry import Registry
from daemon.home.sensing import TOLD
from daemon.memory.teaching import Teaching
from daemon.resolve.request import another_sense
from daemon.resolve.resolver import Resolver
from daemon.schedule.times import Times, begins

_ASKED: Mapping[str | None, QuestionKind] = {"vague": "when", "half": "half"}
"""What of a time is asked about, and how."""
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Look:
    """One clause that is about things in the home: what it means, and what must be read before it is decided."""

    turn: Turn
    open: Open
    resolution: ClauseResolution
    ruling: Ruling
    needs: tuple[Pair, ...] = ()
    """(entity id, attribute)."""
    later: bool = False
    """It is to be kept, not carried out now."""
    bans: tuple[Ban, ...] = ()
    """What another clause of the utterance forbids: "good night, and don't lock the door"."""


class Decider:
    """Decides clauses in one home."""

    def __init__(
        self,
        *,
        registry: Registry,
        resolver: Resolver,
        gate: Gate,
        teaching: Teaching,
        times: Times,
        kept: KeptThings,
        asking: Asking,
        thresholds: Thresholds | None = None,
    ) -> None:
        self._registry = registry
        self._resolver = resolver
        self._gate = gate
        self._teaching = teaching
        self._times = times
        self._kept = kept
        self._asking = asking
        self._thresholds = thresholds or Thresholds()
        self._remarks = Remarks(
            registry=registry, resolver=resolver, gate=gate, asking=asking, thresholds=self._thresholds
        )

    def look(self, turn: Turn, open_: Open) -> Look | Decision:
        """What a clause means and what must be read before `decide`; or the decision, where nothing must.

        Never raises for anything that was said.
        """
        clause = turn.clause
        noise = self._thresholds.is_noise(turn.sure)
        ended = "not_understood" if noise else _let_be(clause)
        if ended is not None:
            return self._asking.ends(turn, "reject" if ended in ("anyone", "no_promise") else "ignore", ended)
        if (broken := self._broken_off(turn)) is not None:
            return broken
        match clause.intent:
            case "help" | "query" if clause.intent == "help" or lists(clause):
                return unheeded_at_all(turn.instead(replace(clause, intent="help"))) or Query(turn, "help")
            case "act" | "scene" | "query" | "rule":
                return self._in_time(turn, open_)
            case "timer" | "later":
                return unheeded_at_all(turn) or self._about_kept(turn)
            case "learn":
                return unheeded_at_all(turn) or self._taught(turn, open_)
            case "dialogue":
                return unheeded_at_all(turn) or self._remarks.decide(
                    turn, open_.done, open_.just, open_.kept, connected=open_.connected
                )
            case _:
                return self._asking.ends(turn, "ignore", "chat")

    def looks(self, turns: Sequence[Turn], open_: Open) -> list[Look | Decision]:
        """What each clause of an utterance means; what "it" is in one is what the one before it was about."""
        looks: list[Look | Decision] = []
        bans: list[Ban] = []
        context, unknown = turns[0].context, False
        for turn in turns:
            if unknown and leans(turn.clause):
                # What "it" is was told already: nothing that this home knows.
                looks.append(Refuse(turn, (), "no_last"))
                continue
            look = self.look(replace(turn, context=context), open_)
            found = look.ruling if isinstance(look, Look) else look
            context = after(context, look.turn.clause, found.entities, self._registry)
            unknown = not isinstance(found, Ask) and found.reason == "not_found"
            looks.append(look)
            bans += self._forbidden(replace(turn, context=context))
        return [replace(item, bans=tuple(bans)) if isinstance(item, Look) and bans else item for item in looks]

    def _forbidden(self, turn: Turn) -> tuple[Ban, ...]:
        """What "and don't lock the door" forbids all else that is said with it: rather too much than too little."""
        clause = turn.clause
        if not clause.negated or clause.intent not in ("act", "scene", "rule"):
            return ()
        every = tuple(replace(item, quantifier="all") for item in clause.targets)
        asked = replace(clause, negated=False, targets=every, excluded=(), conditions=(), when=None)
        found = self._resolver.resolve_clause(asked, replace(turn.context, area=None))
        perhaps = union((item.entity for item in target.candidates) for target in found.targets)
        return forbidden(clause, union((found.entities, found.left_out, perhaps)), self._registry)

    def decide(self, look: Look, observed: Observed) -> Decision:
        """What is to be done about a clause, with the readings that `look` asked for."""
        turn, when = look.turn, look.turn.clause.when
        if turn.clause.intent == "learn":
            decision = self._decided(look, observed)
            return self._unobjected(turn, look.ruling.entities) if isinstance(decision, Act) else decision
        if when is None or for_now(turn.clause):
            return self._remarks.unset(self._decided(look, observed), look.open.just)
        if when.beyond is not None:
            return self._beyond(look, when, observed)
        return self._remarks.unset(self._timed(look, when, observed), look.open.just)

    def _broken_off(self, turn: Turn) -> Ask | Refuse | None:
        """The question for what is missing at the end; None where nothing is."""
        missing = turn.program.missing
        if missing is None or turn.at != len(turn.program.clauses) - 1:
            return None
        if self._thresholds.is_doubtful(turn.sure):
            return self._asking.ends(turn, "ignore", "not_understood")
        kinds: dict[str, QuestionKind] = {"value": "value", "above": "value", "below": "value", "target": "target"}
        return self._asking.question(turn, kinds.get(missing, "rest"), f"missing_{missing}", ())

    def _taught(self, turn: Turn, open_: Open) -> Look | Decision:
        """A lesson is taken where it is clear who is meant and nothing speaks against it."""
        turn = self._teaching.respelled(turn)
        lesson = turn.clause.lesson
        assert lesson is not None
        if turn.clause.targets and lesson.op != "forget" and not turn.settled.confirmed:
            return self._looked(turn, open_)
        if self._thresholds.is_doubtful(turn.sure) and not turn.settled.confirmed:
            return self._asking.ends(turn, "ignore", "not_understood")
        return self._unobjected(turn, turn.settled.confirmed)

    def _unobjected(self, turn: Turn, entities: tuple[str, ...]) -> Decision:
        objection = self._teaching.objection(turn, entities)
        if objection is None:
            return Teach(turn, "learn", entities)
        if objection.ask:
            return self._asking.question(turn, "confirm", objection.reason, entities)
        return Refuse(turn, objection.said, objection.reason)

    def _in_time(self, turn: Turn, open_: Open) -> Look | Decision:
        clause, when = turn.clause, turn.clause.when
        if when is None or for_now(clause):
            return self._looked(turn, open_)
        if when.beyond == "unread" and turn.settled.confirmed:
            # Its speaker said that it is to be done without what nobody understood.
            left = replace(when, beyond=None)
            return self._in_time(turn.instead(replace(clause, when=left if left != When() else None)), open_)
        if when.beyond is not None:
            return self._looked(turn, open_, later=True)
        if clause.intent == "query":
            return self._asking.ends(turn, "reject", "later.query")
        if clause.intent == "rule":
            turn = turn.instead(replace(clause, intent="scene" if clause.action == "activate" else "act"))
        return self._looked(turn, open_, later=begins(when))

    def _looked(self, turn: Turn, open_: Open, *, later: bool = False) -> Look | Decision:
        """The clause, resolved, with its wishes filled in, and what its conditions rest on."""
        wished = turn.clause.parameter
        if wished is not None and wished.wish is not None and wished.value is None:
            filled = self._teaching.filled(turn)
            if filled is None:
                return Refuse(turn, (say("no_wish", word=Topic(wished.wish)),), "no_wish")
            turn = filled
        if turn.clause.intent != "learn" and not later and not open_.connected:
            return self._asking.ends(turn, "reject", "broker_away")
        with turn.trace.timed("resolve"):
            turn, resolution = self._resolved(turn)
            clause = turn.clause
            if later:
                turn = replace(turn, watched=tuple(item.entities for item in resolution.conditions))
            ruling = self._gate.decide(clause, resolution, turn.program.confidence, turn.heard, turn.context)
        if turn.settled.confirmed and ruling.reason.startswith("confirm"):
            # What was not part of the question was not confirmed.
            agreed = tuple(item for item in ruling.entities if item in turn.settled.confirmed)
            ruling = replace(ruling, verdict="act", reason="confirmed", entities=agreed)
        note(turn.trace, resolution, ruling)
        look = Look(turn, open_, resolution, ruling, later=later)
        return replace(look, needs=self._needs(look))

    def _needs(self, look: Look) -> tuple[Pair, ...]:
        """What the conditions rest on, where anything hangs on how they stand now."""
        clause = look.turn.clause
        if look.ruling.verdict == "refuse" or not clause.conditions:
            return ()
        waits = look.later and clause.when is not None and clause.when.repeating
        if not (waits or self._hangs_on_now(look)):
            return ()
        return facts.needs(_tests(look), self._registry)

    def _hangs_on_now(self, look: Look) -> bool:
        """Whether the conditions are to hold now, and can be told already.

        One that does not hold needs no question about the rest, unless that question is about its place too.
        """
        clause = look.turn.clause
        return not look.later and clause.intent != "query" and not (look.ruling.options and self._depends(look))

    def _decided(self, look: Look, observed: Observed) -> Act | Query | Ask | Refuse:
        turn, ruling = look.turn, look.ruling
        clause = turn.clause
        if ruling.verdict == "refuse":
            return self._asking.refused(turn, ruling, look.resolution)
        excepted = union(item.entities for item in look.resolution.excluded)
        spared = union((excepted, (item.entity for item in look.bans)))
        if (dropped := unheeded(turn, ruling.entities, self._registry, spared, kept=look.later)) is not None:
            return dropped
        hangs = clause.conditions and self._hangs_on_now(look)
        if hangs and (unmet := self._unmet(look, observed)) is not None:
            return unmet
        if (
            ruling.reason == "confirm_reading"
            and (named := self._remarks.only_named(turn, ruling.entities)) is not None
        ):
            return named
        if ruling.verdict == "ask":
            if clause.implicit and not ruling.options and not ruling.entities:
                return self._asking.ends(turn, "ignore", "not_understood")  # "too much", and nobody knows of what
            on = switched_on(clause, ruling.entities, turn.context, self._registry)
            return self._asking.about(turn if on is None else turn.instead(on), ruling)
        if clause.intent == "query":
            return Query(turn, ruling.reason, ruling.entities)
        bans = (*(Ban(item) for item in excepted), *look.bans)
        return Act(turn, ruling.reason, ruling.entities, ruling.left_out, ruling.cleans, ruling.everywhere, bans)

    def _timed(self, look: Look, when: When, observed: Observed) -> Decision:
        """What is not for now, or only for so long: decided as if it were for now, but for its conditions."""
        turn = look.turn
        decision = self._decided(look, observed)
        act = decision if isinstance(decision, Act) else None
        if act is None and not look.ruling.reason.startswith("confirm"):
            return decision
        # Whoever is asked for a yes should know when it will be.
        if (doubt := self._times.doubt(when)) is not None:
            if doubt in _ASKED:
                return self._asking.question(turn, _ASKED[doubt], f"later.{doubt}", ())
            return self._asking.ends(turn, "reject", f"later.{doubt}")
        if act is None:
            return decision
        if when.repeating and (blind := facts.blind(turn.clause.conditions, turn.watched, self._registry)):
            said = say("later.no_senses", len(blind), names=Names(tuple(blind)))
            return Refuse(turn, (said,), "later.no_senses", entities=tuple(blind))
        risky = self._times.risky_end(turn.clause, act.entities)
        if unconfirmed := tuple(item for item in risky if item not in turn.settled.confirmed):
            return self._asking.question(turn, "confirm", "confirm_after", unconfirmed)
        if not look.later:
            return act
        holds = when.repeating and self._verdict(look, observed).holds is True
        within = {member for item in act.entities for member in self._registry[item].members}
        spared = tuple(item.entity for item in act.bans if item.entity in within)
        return Keep(turn, act.reason, act.entities, act.cleans, turn.watched, holds, spared)

    def _beyond(self, look: Look, when: When, observed: Observed) -> Decision:
        """What depends on something that nothing here can go by is not done.

        Where nobody understood what that is, its speaker may say that it is to be done without.
        """
        turn, decision = look.turn, self._decided(look, observed)
        if look.ruling.verdict == "refuse":
            return decision
        if when.beyond == "unread":
            if not isinstance(decision, Act):
                return decision
            return self._asking.question(turn, "confirm", "confirm_reading", decision.entities)
        key = f"later.beyond.{when.beyond}"
        return Refuse(turn, (say(key, said=Words(when.said or "")),), key)

    def _about_kept(self, turn: Turn) -> Decision:
        """What is said about timers and about what is kept: nothing but a doubtful hearing stands against it."""
        if self._thresholds.is_doubtful(turn.sure) and not turn.settled.confirmed:
            return self._asking.ends(turn, "ignore", "not_understood")
        timer = turn.clause.timer
        if timer is not None and timer.reminds is not None and timer.op == "start":
            return self._reminding(turn)
        if timer is not None and timer.seconds is None and timer.op in ("start", "increase", "decrease"):
            return self._asking.question(turn, "length", "later.length", ())
        return self._kept.decide(turn)

    def _reminding(self, turn: Turn) -> Decision:
        """A reminder is one for a moment; when, is asked where nobody said it."""
        clause = turn.clause
        when = clause.when or When(vague=True)
        if when.repeating or clause.conditions or (when.days and not when.once):
            return self._asking.ends(turn, "reject", "reminder.once")
        if (doubt := self._times.doubt(when)) is None:
            return self._kept.decide(turn)
        if doubt in _ASKED:
            return self._asking.question(turn, _ASKED[doubt], f"later.{doubt}", ())
        return self._asking.ends(turn, "reject", f"later.{doubt}")

    def _resolved(self, turn: Turn) -> tuple[Turn, ClauseResolution]:
        """What the clause means, in its other sense where only that is possible, with what is settled."""
        clause = turn.clause
        found = self._resolver.resolve_clause(clause, turn.context)
        if (other := another_sense(clause, found)) is not None:
            again = self._resolver.resolve_clause(other, turn.context)
            if all(item.status in ("resolved", "ambiguous") for item in again.targets):
                turn, found = turn.instead(other), again
        return turn, settle(one_of(found) if clause.either else found, turn, self._resolver)

    def _unmet(self, look: Look, observed: Observed) -> Refuse | None:
        """The refusal, where conditions do not hold or cannot be told."""
        verdict = self._verdict(look, observed)
        look.turn.trace.note("condition", holds=verdict.holds, facts=[item.to_dict() for item in verdict.facts])
        if verdict.holds:
            return None
        # "If" about now that does not hold is carried out by doing nothing; what cannot be told is refused.
        outcome: ResultOutcome = "reject" if verdict.holds is None else "execute"
        return Refuse(
            look.turn,
            (Unmet(verdict.facts, verdict.holds),),
            "condition",
            outcome,
            read=tuple(item.entity for item in verdict.facts),
            readings=tuple(item.observation for item in verdict.facts),
        )

    def _verdict(self, look: Look, observed: Observed) -> facts.Verdict:
        return facts.evaluate(_tests(look), look.turn.clause.condition_join, observed, self._registry)

    def _depends(self, look: Look) -> bool:
        """Whether the conditions are about the place of what is acted on: they can be told once that is known."""
        turn = look.turn
        return self._resolver.conditions(turn.clause, (), turn.context) != look.resolution.conditions


def _let_be(clause: Clause) -> str | None:
    """Why nothing is to be done; None where something is.

    Nothing here keeps to what is forbidden for good: better to say so than to promise it.
    """
    if clause.negated:
        return "no_promise" if clause.conditions or clause.when is not None else "negated"
    return "anyone" if clause.anyone else None


def lists(clause: Clause) -> bool:
    """Whether nothing is asked but what there is: "what is in the kitchen"."""
    told = clause.parameter is not None or clause.conditions or any(target.state for target in clause.targets)
    return clause.query in ("which", "count") and not told and clause.when is None


def for_now(clause: Clause) -> bool:
    """Whether it is meant now. A question about today is; and what others tell in words is told as they tell it."""
    when = clause.when
    if when is None or clause.intent != "query":
        return when is None
    told = clause.parameter is not None and clause.parameter.attribute in TOLD
    return told or replace(when, confidence=1.0) == When(day_offset=0)


def _tests(look: Look) -> Sequence[facts.Test]:
    clause = look.turn.clause
    if look.later:
        return [facts.Test(item, ids) for item, ids in zip(clause.conditions, look.turn.watched, strict=True)]
    pairs = zip(clause.conditions, look.resolution.conditions, strict=True)
    return [facts.Test(condition, found.entities) for condition, found in pairs]

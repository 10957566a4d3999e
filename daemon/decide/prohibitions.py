"""What was forbidden for good, held against all that is about to be done, whoever wishes it. Data only: no I/O."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from msgspec import Struct

from daemon.act import facts, planner, senses
from daemon.act.bans import broken, forbidden
from daemon.core.decisions import Act, Ask, Decision, Keep, Refuse, Undo
from daemon.core.ir import Clause, Order, Permission, Prohibition
from daemon.core.messages import Names, say
from daemon.core.outcomes import Ban, Observed, Plan
from daemon.core.questions import FORBIDDEN
from daemon.core.resolution import Context, union
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.decide.asking import Asking
from daemon.home.registry import Registry
from daemon.resolve.resolver import Resolver
from daemon.schedule.agenda import Agenda
from daemon.schedule.entries import Entry, Forbidden, Kept
from daemon.schedule.moments import Moments

Pair = tuple[str, str]


class _Held(Struct, frozen=True):
    """A prohibition that is in force, or of which nobody can tell whether it is."""

    entry: Entry
    why: Forbidden
    bans: tuple[Ban, ...]


@dataclass(frozen=True, slots=True)
class Prohibitions:
    """Holds the prohibitions of one home's agenda against decisions; changes nothing in it."""

    _agenda: Agenda
    _moments: Moments
    _registry: Registry
    _scenes: planner.Scenes
    _resolver: Resolver
    _asking: Asking

    def needs(self, clause: Clause, entities: Sequence[str]) -> tuple[Pair, ...]:
        """What must be read before `weigh` can tell which prohibitions are in force, and what would be done."""
        entries = list(self._about(entities))
        if not entries:
            return ()
        tests = [test for entry in entries for test in _tests(entry)]
        planned = planner.needs(clause, entities, self._registry) if isinstance(clause, Order) else ()
        return (*facts.needs(tests, self._registry), *planned)

    def weigh(self, decision: Decision, observed: Observed, named: Collection[str] = ()) -> Decision:
        """The decision, less what is forbidden.

        Of a set, or of a scene, the rest is done. Where nothing is left, or what is forbidden was `named`, a person is
        asked; what fires by itself is not done.
        """
        turn = decision.turn
        match decision:
            case Act():
                return self._acting(decision, self._held(turn, decision.entities, observed), observed, named)
            case Keep() if isinstance(turn.clause, Order):
                return self._planned(decision, named)
            case Undo() if decision.back is not None:
                held = self._held(turn, decision.entities, observed)
                hit = _hit(held, broken(decision.back.writes, _bans(held)))
                if hit and {item.entity for item in decision.back.writes} <= {ban.entity for ban in _bans(hit)}:
                    return self._objected(turn, decision.entities, hit)
                return replace(decision, bans=_bans(held))
            case Ask() if decision.question.reason == "confirm_risk" and turn.clause.when is None:
                # One yes for both: that it is risky, and that it was forbidden.
                asked = self.weigh(Act(turn, "confirmed", decision.question.options), observed, named)
                return asked if isinstance(asked, Ask) else decision
            case _:
                return decision

    def said_with(self, turn: Turn) -> tuple[Ban, ...]:
        """What "and don't lock the door" forbids all else that is said with it: rather too much than too little."""
        clause = turn.clause
        if not isinstance(clause, Prohibition) and not (isinstance(clause, Order) and clause.negated):
            return ()
        every = tuple(replace(item, quantifier="all") for item in clause.targets)
        clause = replace(clause, targets=every, excluded=() if isinstance(clause, Prohibition) else clause.excluded)
        return forbidden(clause, self._perhaps(clause, replace(turn.context, area=None)), self._registry)

    def kept(self, act: Act) -> Keep | Refuse:
        """What is to be forbidden for good, where it can be told when that holds."""
        turn, clause = act.turn, act.turn.clause
        assert isinstance(clause, Prohibition)
        if self._agenda.full:
            return self._asking.ends(turn, "reject", "later.full")
        if clause.hours is not None and self._moments.within(clause.hours, self._agenda.clock.wall()) is None:
            return self._asking.ends(turn, "reject", "later.no_location")
        if blind := senses.blind(clause.conditions, turn.watched, self._registry, asked=True):
            said = say("later.no_senses", len(blind), names=Names(blind))
            return Refuse(turn, (said,), "later.no_senses", entities=blind)
        return Keep(turn, act.reason, union((act.entities, act.left_out)), watched=turn.watched)

    def lifted(self, turn: Turn) -> Undo | Refuse:
        """What is forbidden no longer: whatever would be broken by what is permitted."""
        clause = turn.clause
        assert isinstance(clause, Permission)
        entities = self._perhaps(clause, turn.context)
        found = [entry for entry in self._about(entities) if self._permits(clause, entities, entry)]
        if not found:
            said = say("forbidden.none", len(entities), names=Names(entities))
            return Refuse(turn, (said,), "forbidden.none")
        if len({entry.entities for entry in found}) > 1 and len(entities) > 1 and len(turn.clause.targets) == 1:
            which = say("later.which", len(found), options=Kept(tuple(found), "choices"))
            return Refuse(turn, (which,), "later.which", "clarify")
        return Undo(turn, "permit", dropped=tuple(entry.id for entry in found))

    def _perhaps(self, clause: Clause, context: Context) -> tuple[str, ...]:
        """All that may be meant by the names of a clause."""
        act = replace(clause, negated=False, conditions=(), when=None)
        found = self._resolver.resolve_clause(act, context)
        candidates = union((item.entity for item in target.candidates) for target in found.targets)
        return union((found.entities, found.left_out, candidates))

    def _acting(
        self, decision: Act, held: Sequence[_Held], observed: Observed, named: Collection[str]
    ) -> Act | Ask | Refuse:
        if not held:
            return decision
        barred = replace(decision, bans=(*decision.bans, *_bans(held)))
        plan = self._plan(barred, observed)
        hit = _hit(held, plan.broken)
        struck = {ban.entity for ban in plan.broken if ban.why is not None}
        if hit and (not plan.writes or not struck.isdisjoint(named)):
            return self._objected(decision.turn, decision.entities, hit)
        return barred

    def _planned(self, decision: Keep, named: Collection[str]) -> Keep | Ask | Refuse:
        """What is to be done later is held against what will surely be forbidden then; the rest is seen then."""
        turn = decision.turn
        when = turn.clause.when
        start = self._moments.first(when) if when is not None and not when.repeating else None
        then = start if isinstance(start, float) else None
        held = [item for item in self._held(turn, decision.entities, {}, then) if not item.why.unknown]
        act = Act(replace(turn, attended=turn.attended), decision.reason, decision.entities, cleans=decision.cleans)
        weighed = self._acting(act, held, {}, named)
        return decision if isinstance(weighed, Act) else weighed

    def _plan(self, decision: Act, observed: Observed) -> Plan:
        clause, entities = decision.turn.order, decision.entities
        return planner.plan(clause, entities, self._registry, observed, self._scenes, decision.cleans, decision.bans)

    def _about(self, entities: Iterable[str]) -> Iterable[Entry]:
        """The prohibitions that are about any of these, or about what is in them."""
        known = self._registry.present(entities)
        touched = {part for item in known for part in (item.id, *item.members)}
        steps = {step.entity for item in known for step in self._scenes.get(item.id, ())}
        return (
            item
            for item in self._agenda.entries
            if item.sort == "ban" and not {*touched, *steps}.isdisjoint(item.entities)
        )

    def _held(self, turn: Turn, entities: Sequence[str], observed: Observed, at: float | None = None) -> list[_Held]:
        """What is in force at a moment, by default now, and was not agreed to be gone against."""
        found = []
        for entry in self._about(entities):
            holds = self._in_force(entry, observed, self._agenda.clock.wall() if at is None else at)
            if holds is False or entry.id in turn.settled.despite:
                continue
            why = Forbidden(entry, unknown=holds is None)
            known = (item for item in entry.entities if item in self._registry)
            bans = tuple(replace(ban, why=why) for ban in forbidden(entry.clause, known, self._registry))
            found.append(_Held(entry, why, bans))
        return found

    def _in_force(self, entry: Entry, observed: Observed, at: float) -> bool | None:
        """Whether it holds; None where that cannot be told."""
        hours = entry.clause.hours if isinstance(entry.clause, Prohibition) else None
        timely = self._moments.within(hours, at) if hours is not None else True
        if timely is False:
            return False
        holds = facts.evaluate(_tests(entry), entry.clause.condition_join, observed, self._registry).holds
        return holds if timely or holds is False else None

    def _permits(self, clause: Permission, entities: Sequence[str], entry: Entry) -> bool:
        """Whether what is permitted would break this one; of what names no deed, all that is about it."""
        if clause.action is None:
            return True
        known = (item for item in entry.entities if item in self._registry)
        bans = forbidden(entry.clause, known, self._registry)
        act = replace(clause.order(), conditions=())
        free = planner.plan(act, entities, self._registry, {}, self._scenes, bans=bans)
        return bool(free.broken)

    def _objected(self, turn: Turn, entities: tuple[str, ...], hit: Sequence[_Held]) -> Ask | Refuse:
        """The question whether to do it all the same; where nobody is there to be asked, that it is not done."""
        said = tuple(item.why for item in hit)
        if not turn.attended:
            return Refuse(turn, (*said, say("forbidden.undone")), FORBIDDEN, entities=entities)
        asked = self._asking.question(turn, "confirm", FORBIDDEN, entities)
        question = replace(asked.question, despite=tuple(item.entry.id for item in hit))
        return replace(asked, question=question, before=said)


def _bans(held: Iterable[_Held]) -> tuple[Ban, ...]:
    return tuple(ban for item in held for ban in item.bans)


def _hit(held: Iterable[_Held], bans: Iterable[Ban]) -> list[_Held]:
    """The prohibitions because of which these bans would be broken."""
    whys = {ban.why for ban in bans}
    return [item for item in held if item.why in whys]


def _tests(entry: Entry) -> list[facts.Test]:
    return [facts.Test(item, ids) for item, ids in zip(entry.clause.conditions, entry.watched, strict=True)]

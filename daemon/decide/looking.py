"""Who a clause is about, and what must be read before it is decided: resolved once, with what answers have settled."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from msgspec import Struct

from daemon.act import facts
from daemon.core.decisions import Decision, Refuse
from daemon.core.ir import Clause, Inquiry, Lesson, Order, Prohibition, Timer, When
from daemon.core.messages import Topic, say
from daemon.core.outcomes import Ban
from daemon.core.resolution import Candidate, ClauseResolution, Context, Resolution, Ruling, note
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.core.vocabulary import TOLD
from daemon.decide.asking import Asking
from daemon.decide.gate import Gate
from daemon.dialogue.dialogue import Open
from daemon.home.actions import pursues
from daemon.home.registry import Registry
from daemon.memory.teaching import Teaching
from daemon.resolve.request import another_sense, heated, need_of, other_help
from daemon.resolve.resolver import Resolver
from daemon.schedule.times import begins

Pair = tuple[str, str]


class Look(Struct, frozen=True):
    """One clause that is about things in the home: what it means, and what must be read before it is decided."""

    turn: Turn
    open: Open
    resolution: ClauseResolution
    ruling: Ruling
    later: bool = False
    """It is to be kept, not carried out now."""
    hangs: bool = False
    """Whether its conditions are to hold now, and can be told already."""
    needs: tuple[Pair, ...] = ()
    """(entity id, attribute)."""
    bans: tuple[Ban, ...] = ()
    """What another clause of the utterance forbids: "good night, and don't lock the door"."""
    decided: Decision | None = None
    """What is decided already, but for what was forbidden for good."""

    def barred(self, bans: Sequence[Ban]) -> Look:
        """The same with what the utterance forbids; nothing of that is done by forbidding more."""
        return self if isinstance(self.turn.clause, Prohibition) else replace(self, bans=tuple(bans))

    @property
    def tests(self) -> Sequence[facts.Test]:
        """Its conditions, each with those that it is about."""
        conditions = self.turn.clause.conditions
        if self.later:
            return [facts.Test(item, ids) for item, ids in zip(conditions, self.turn.watched, strict=True)]
        pairs = zip(conditions, self.resolution.conditions, strict=True)
        return [facts.Test(condition, found.entities) for condition, found in pairs]


@dataclass(frozen=True, slots=True)
class Looking:
    """Looks who is meant in one home."""

    registry: Registry
    resolver: Resolver
    gate: Gate
    teaching: Teaching
    asking: Asking

    def look(self, turn: Turn, open_: Open) -> Look | Decision:
        """Who is meant by a command or a question, for now or for later."""
        clause, when = turn.clause, turn.clause.when
        if when is None or for_now(clause):
            return self.now(turn, open_, later=isinstance(clause, Prohibition))
        if when.beyond == "unread" and turn.settled.confirmed:
            # Its speaker said that it is to be done without what nobody understood.
            left = replace(when, beyond=None)
            return self.look(turn.instead(replace(clause, when=left if left != When() else None)), open_)
        if when.beyond is not None:
            return self.now(turn, open_, later=True)
        if isinstance(clause, Inquiry):
            return self.asking.ends(turn, "reject", "later.query")
        return self.now(turn, open_, later=begins(when))

    def now(self, turn: Turn, open_: Open, *, later: bool = False) -> Look | Decision:
        """The clause, resolved, with its wishes filled in, and what its conditions rest on."""
        wished = turn.clause.parameter
        if wished is not None and wished.wish is not None and wished.value is None:
            filled = self.teaching.filled(turn)
            if filled is None:
                return Refuse(turn, (say("no_wish", word=Topic(wished.wish)),), "no_wish")
            turn = filled
        if not isinstance(turn.clause, Lesson | Timer) and not later and not open_.connected:
            return self.asking.ends(turn, "reject", "broker_away")
        with turn.trace.timed("resolve"):
            turn, resolution = self._resolved(turn)
            if later or (turn.clause.when is not None and turn.clause.when.until_so):
                turn = replace(turn, watched=tuple(item.entities for item in resolution.conditions))
            ruling = self.gate.decide(turn.clause, resolution, turn.program.confidence, turn.heard, turn.context)
        if turn.settled.confirmed and ruling.reason.startswith("confirm"):
            # What was not part of the question was not confirmed.
            agreed = tuple(item for item in ruling.entities if item in turn.settled.confirmed)
            ruling = replace(ruling, verdict="act", reason="confirmed", entities=agreed)
        note(turn.trace, resolution, ruling)
        look = Look(turn, open_, resolution, ruling, later)
        look = replace(look, hangs=self._hangs(look))
        when = turn.clause.when
        waits = later and when is not None and when.repeating and ruling.verdict != "refuse"
        return replace(look, needs=facts.needs(look.tests, self.registry)) if look.hangs or waits else look

    def _hangs(self, look: Look) -> bool:
        """Conditions that do not hold need no question about the rest, unless that is about their place too."""
        clause, ruling = look.turn.clause, look.ruling
        if not clause.conditions or look.later or isinstance(clause, Inquiry) or ruling.verdict == "refuse":
            return False
        if not ruling.options:
            return True
        return self.resolver.conditions(clause, (), look.turn.context) == look.resolution.conditions

    def _resolved(self, turn: Turn) -> tuple[Turn, ClauseResolution]:
        """What the clause means, in its other sense where only that is possible, with what is settled."""
        clause = turn.clause
        measured = [item.target for item in clause.conditions if isinstance(item.value, float)]
        if turn.context.area is None and isinstance(clause, Order) and measured:
            # "If the bedroom is above 26 turn on the AC", and nobody knows where that was said.
            tested = replace(clause, targets=tuple(measured))
            turn = replace(turn, context=replace(turn.context, area=self.resolver.room_of(tested, turn.context)))
        found = self.resolver.resolve_clause(clause, turn.context)
        other, again = another_sense(clause, found), found
        while other is not None:
            again = self.resolver.resolve_clause(other, turn.context)
            if all(item.status in ("resolved", "ambiguous") for item in again.targets):
                turn, found = turn.instead(other), again
            other = another_sense(other, again)
        if (other := heated(clause)) is not None and turn.clause is clause:
            again = self.resolver.resolve_clause(other, turn.context)
            if _likeness(again) > _likeness(found):
                turn, found = turn.instead(other), again
        if (other := other_help(clause)) is not None and self._is_no_help(clause, found, turn.context):
            again = self.resolver.resolve_clause(other, turn.context)
            if all(item.status == "resolved" and self._is_idle(item, turn.context) for item in again.targets):
                turn, found = turn.instead(other), again
        return turn, _settle(_one_of(found) if clause.either else found, turn, self.resolver)

    def _is_no_help(self, clause: Clause, found: ClauseResolution, context: Context) -> bool:
        """Whether nothing there does what is needed: a heating that is off is no help against heat, nor a dark lamp."""
        if all(item.status in ("empty", "unsupported", "missing") for item in found.targets):
            return True
        less = clause.parameter is not None and clause.parameter.op == "decrease"
        able = [self.registry[item] for item in found.entities]
        cools = any(pursues(item, "cool") for item in able)
        return less and bool(able) and not cools and all(self._is_off(item.id, context) for item in able)

    def _is_idle(self, found: Resolution, context: Context) -> bool:
        """Whether it does not help already."""
        return any(context.state_of(item, "state") in (None, "off", "closed", "open") for item in found.entities)

    @staticmethod
    def _is_off(entity: str, context: Context) -> bool:
        return context.state_of(entity, "state") == "off"


def _likeness(found: ClauseResolution) -> float:
    """How much what was found is like what was named, at least; 0 where anything was not found, or can't do it."""
    return min((item.confidence if item.status == "resolved" else 0.0) for item in found.targets)


def for_now(clause: Clause) -> bool:
    """Whether it is meant now. A question about today is; and what others tell in words is told as they tell it."""
    when = clause.when
    if when is None or not isinstance(clause, Inquiry):
        return when is None
    told = clause.parameter is not None and clause.parameter.attribute in TOLD
    return told or replace(when, confidence=1.0) == When(day_offset=0)


def _one_of(found: ClauseResolution) -> ClauseResolution:
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


def _settle(found: ClauseResolution, turn: Turn, resolver: Resolver) -> ClauseResolution:
    """The resolution with what was chosen, in the order in which the gate asks.

    Names that nothing has come first, wherever they stand; then those of several things. What is spared comes before
    conditions in both, and targets before all.
    """
    if turn.settled.meant and len(found.targets) == 1:
        need = need_of(turn.clause)
        item = resolver.chosen(found.targets[0], turn.settled.meant, need, turn.context)
        return replace(found, targets=(item,), entities=item.entities, left_out=item.left_out)
    if not turn.settled.choices:
        return found
    choices = iter(turn.settled.choices)
    found = _settled(found, turn, resolver, choices, "not_found")
    return _settled(found, turn, resolver, choices, "ambiguous")


def _settled(
    found: ClauseResolution, turn: Turn, resolver: Resolver, choices: Iterator[tuple[str, ...]], status: str
) -> ClauseResolution:
    need = need_of(turn.clause)

    def chosen(items: Sequence[Resolution], *, spared: bool = False) -> tuple[Resolution, ...]:
        return tuple(
            resolver.chosen(item, ids, need, turn.context, spared=spared)
            if item.open_to(status) and (ids := next(choices, None)) is not None
            else item
            for item in items
        )

    targets, excluded = chosen(found.targets), chosen(found.excluded, spared=True)
    gone = {entity for item in excluded for entity in item.entities}
    entities = [entity for item in targets if item.status == "resolved" for entity in item.entities]
    # What they are about may follow from the targets; what was chosen for them already stays.
    conditions = tuple(
        before if now.status == "not_found" else now
        for before, now in zip(found.conditions, resolver.conditions(turn.clause, targets, turn.context), strict=True)
    )
    return replace(
        found,
        targets=targets,
        excluded=excluded,
        conditions=chosen(conditions),
        entities=tuple(entity for entity in dict.fromkeys(entities) if entity not in gone),
        left_out=tuple(dict.fromkeys(entity for item in targets for entity in item.left_out)),
    )

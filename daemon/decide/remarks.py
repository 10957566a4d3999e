"""Remarks about the conversation while no question is pending: "undo that", "stop", "cancel"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from daemon.act.planner import undo
from daemon.core.decisions import Act, Ask, Decision, Refuse, Undo
from daemon.core.ir import DialogueMove, Order, Target
from daemon.core.messages import Names, say
from daemon.core.outcomes import Outcome
from daemon.core.questions import DEED
from daemon.core.thresholds import Thresholds
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.decide.asking import Asking
from daemon.decide.gate import Gate
from daemon.dialogue.dialogue import Open
from daemon.home.names import fold
from daemon.home.registry import Registry
from daemon.home.verbs import ROVERS
from daemon.resolve.request import Need
from daemon.resolve.resolver import Resolver

_UNASKED: Mapping[str | None, str] = {
    "leave": "goodbye",
    "thank": "welcome",
    "enough": "all_right",
    **dict.fromkeys(("yes", "both", "always"), "nothing_pending"),
}
"""What is said to a remark that answers nothing."""

_SWITCHED = {"open": "turn_on", "close": "turn_off"}
_ENDS = frozenset({"stop", "turn_off", "close"})
"""What is said to put an end to something."""


@dataclass(frozen=True, slots=True)
class Remarks:
    """Decides on remarks in one home."""

    registry: Registry
    resolver: Resolver
    gate: Gate
    asking: Asking
    thresholds: Thresholds

    def decide(self, turn: Turn, open_: Open) -> Decision:
        """A remark about the conversation while no question is pending."""
        done, just, kept, connected = open_.done, open_.just, open_.kept, open_.connected
        move = turn.clause.move if isinstance(turn.clause, DialogueMove) else None
        alone = len(turn.program.clauses) == 1  # and not as part of a correction
        if move == "undo" and open_.missed and alone and not (turn.settled.confirmed or turn.clause.targets):
            return self._whichever(turn, open_)
        if kept and open_.fresh and move == "undo" and just:
            decision = self._undo(turn, done, connected=connected)
            return replace(decision, dropped=kept) if isinstance(decision, Undo) else decision
        if kept and (move == "cancel" or (move in ("no", "undo", "stop") and open_.fresh)):
            return Undo(turn, "cancelled", dropped=kept)
        if move == "undo" or (open_.noted and move in ("cancel", "no", "neither")):
            return self._undone(turn, open_)
        if move == "stop" and connected and (stopped := self._stopped(turn)) is not None:
            return stopped
        if move in ("cancel", "stop", "no", "neither"):
            return self._taken_back(turn, just) or self.asking.ends(turn, "ignore", "cancelled")
        if move == "time":
            return self._what_then(turn)
        named = self._only_named(turn) if move == "select" else None
        return named or self.asking.ends(turn, "ignore", _UNASKED.get(move, "not_understood"))

    def not_that(self, turn: Turn, open_: Open) -> Decision | None:
        """As "don't turn off the attic", 书房的别关 behind that: it is put back; None where that was not done."""
        wished = _SWITCHED.get(turn.clause.action or "", turn.clause.action)
        done = [item for item in open_.just if _SWITCHED.get(item.write.action, item.write.action) == wished]
        alone = len(turn.program.clauses) == 1  # and not "don't turn off everything, just the TV"
        decision = self._undo(turn, done, connected=open_.connected) if done and alone else None
        return decision if isinstance(decision, Undo | Ask) else None

    def unset(self, decision: Decision, just: Sequence[Outcome]) -> Decision:
        """As "stop movie night": no scene stops, but what it set just now can be put back, which is offered."""
        if not isinstance(decision, Refuse) or decision.reason != "unsupported":
            return decision
        if decision.turn.clause.action not in _ENDS:
            return decision
        scenes = [self.registry[item] for item in decision.entities]
        touched = {member for item in scenes if item.kind == "scene" for member in item.members}
        if not just or not touched.issuperset(item.write.entity for item in just):
            return decision
        back = self._taken_back(decision.turn, just)
        return decision if back is None else replace(back, before=decision.said)

    def only_named(self, turn: Turn, entities: Sequence[str]) -> Ask | None:
        """As "kettle", where only a guess says more: no yes to a name does anything. What is to be done with it?"""
        text = turn.program.text
        spoken = [item for item in entities if any(fold(text) == fold(name) for name in self.registry[item].names)]
        if not spoken or self.registry[spoken[0]].kind != "device":
            return None
        named = DialogueMove("select", text=text)
        begun = replace(turn.program, clauses=(named,), missing="more", needs_fallback=True)
        return self.asking.question(replace(turn, program=begun, at=0), "rest", DEED, tuple(spoken), word=text)

    def _only_named(self, turn: Turn) -> Ask | None:
        """As "the kitchen light", and nothing more: the beginning was not heard. What is to be done with it?"""
        text = turn.clause.text if isinstance(turn.clause, DialogueMove) else None
        if text is None or self.thresholds.is_doubtful(turn.heard) or self._is_place(text):
            return None
        found = self.resolver.resolve(Target(mention=text), Need(), turn.context)
        ids = found.entities or tuple(item.entity for item in found.candidates)
        if found.status not in ("resolved", "ambiguous") or not ids or self.registry[ids[0]].kind == "person":
            return None
        begun = replace(turn, program=replace(turn.program, missing="more", needs_fallback=True))
        named = self.resolver.spoken_of(text, turn.context)
        meant = found.entities or (named.entities if named is not None else ())
        return self.asking.question(begun, "rest", DEED, meant, word=text)

    def _is_place(self, text: str) -> bool:
        places = (*self.registry.areas, *self.registry.floors)
        return any(fold(text) == fold(name) for item in places for name in item.names)

    def _what_then(self, turn: Turn) -> Decision:
        """As "in ten minutes", and nothing more: what is to be done then?"""
        when = turn.clause.when
        if when is None or (when.delay_s is None and when.time is None):
            return self.asking.ends(turn, "ignore", "not_understood")
        begun = replace(turn, program=replace(turn.program, missing="more", needs_fallback=True))
        return self.asking.question(begun, "rest", "missing_more", ())

    def _stopped(self, turn: Turn) -> Act | None:
        """As "stop" while what was set going is under way: the shutter, the vacuum, the music."""
        them = Order("stop", (Target(reference="them"),))
        stop = replace(turn, program=replace(turn.program, clauses=(them,)), at=0)
        resolution = self.resolver.resolve_clause(them, turn.context)
        if all(self.registry[item].type in ROVERS for item in resolution.entities):
            them = replace(them, action="pause")  # nobody shouts "stop" for it to drive home
            stop = replace(stop, program=replace(stop.program, clauses=(them,)))
        ruling = self.gate.decide(them, resolution, turn.program.confidence, turn.heard, turn.context)
        return Act(stop, ruling.reason, ruling.entities, ruling.left_out) if ruling.verdict == "act" else None

    def _taken_back(self, turn: Turn, just: Sequence[Outcome]) -> Ask | None:
        """The question whether to take back what was done just now; None where there is nothing to take back."""
        back = undo(just, self.registry)
        if not back.writes:
            return None
        entities = tuple(dict.fromkeys(item.entity for item in back.writes))
        again = replace(turn.program, clauses=(DialogueMove("undo"),), source="dialogue")
        reason, about = ("confirm_risk", back.risky) if back.risky else ("undo", entities)
        return self.asking.question(replace(turn, program=again, at=0), "confirm", reason, about)

    def _whichever(self, turn: Turn, open_: Open) -> Decision:
        """What was done last is taken back only where that was meant, not what was asked for since and not done."""
        back = undo(open_.done, self.registry)
        other = open_.kept or open_.changes
        if other or not back.writes:
            return self.asking.ends(turn, "reject", "not_done_yet" if other else "nothing_to_undo")
        entities = tuple(dict.fromkeys(item.entity for item in back.writes))
        return self.asking.question(turn, "confirm", "confirm_risk" if back.risky else "confirm_reading", entities)

    def _undone(self, turn: Turn, open_: Open) -> Decision:
        """What was done last is taken back: to the home, to lists, or to both in the same breath."""
        if open_.changes and not open_.done:
            return Undo(turn, "undo", changes=open_.changes)
        if getattr(turn.clause, "first", False):
            last = {item.write.entity for item in open_.done}
            done = [item for item in open_.all if turn.clause.targets or item.write.entity in last]
            return self._undo(turn, done, connected=open_.connected)
        decision = self._undo(turn, open_.done, connected=open_.connected)
        return replace(decision, changes=open_.changes) if isinstance(decision, Undo) else decision

    def _undo(self, turn: Turn, done: Sequence[Outcome], *, connected: bool) -> Decision:
        if turn.clause.targets:  # "except the lamp", after the act
            named = {item for target in turn.clause.targets for item in self._that_may_be(target, turn)}
            done = [item for item in done if item.write.entity in named]
            if not done:
                return self.asking.ends(turn, "reject", "nothing_to_spare")
        back = undo(done, self.registry)
        if not back.writes:
            if not back.unknown:
                return self.asking.ends(turn, "reject", "nothing_to_undo")
            said = say("cannot_undo", len(back.unknown), names=Names(back.unknown))
            return Refuse(turn, (said,), "cannot_undo")
        if not connected:
            return self.asking.ends(turn, "reject", "broker_away")
        entities = tuple(dict.fromkeys(item.entity for item in back.writes))
        if unconfirmed := tuple(item for item in back.risky if item not in turn.settled.confirmed):
            return self.asking.question(turn, "confirm", "confirm_risk", unconfirmed)
        if self.thresholds.is_doubtful(turn.sure) and not turn.settled.confirmed:
            return self.asking.question(turn, "confirm", "confirm_reading", entities)
        return Undo(turn, "undo", entities, back, tuple(done))

    def _that_may_be(self, target: Target, turn: Turn) -> tuple[str, ...]:
        """The entities that a target means, or one of which it may mean."""
        found = self.resolver.resolve(target, Need(), turn.context)
        return found.entities or tuple(item.entity for item in found.candidates if found.status == "ambiguous")

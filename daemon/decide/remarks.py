"""Remarks about the conversation while no question is pending: "undo that", "stop", "cancel"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from daemon.act.undo import undo
from daemon.converse import wording
from daemon.converse.replies import Replies
from daemon.core.ir import Clause, DialogueMove, Target
from daemon.core.outcomes import Outcome
from daemon.core.questions import DEED
from daemon.core.resolution import Decision
from daemon.core.turn import Access, Judged, Report, Turn
from daemon.core.values import replace
from daemon.decide.asking import Asking
from daemon.decide.gate import Gate
from daemon.home.config import Thresholds
from daemon.home.names import fold
from daemon.home.registry import Registry
from daemon.resolve.needs import Need
from daemon.resolve.resolver import Resolver

_UNASKED: Mapping[str | None, str] = {
    "leave": "goodbye",
    "enough": "all_right",
    **dict.fromkeys(("yes", "both", "always"), "nothing_pending"),
}
"""What is said to a remark that answers nothing."""

_ENDS = frozenset({"stop", "turn_off", "close"})
"""What is said to put an end to something."""


class Remarks:
    """Judges remarks in one home."""

    def __init__(
        self,
        *,
        registry: Registry,
        resolver: Resolver,
        gate: Gate,
        access: Access,
        replies: Replies,
        asking: Asking,
        thresholds: Thresholds,
    ) -> None:
        self._registry = registry
        self._resolver = resolver
        self._gate = gate
        self._access = access
        self._replies = replies
        self._asking = asking
        self._thresholds = thresholds

    def judge(self, turn: Turn, done: Sequence[Outcome], just: Sequence[Outcome], kept: Sequence[int]) -> Judged:
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
            return self._taken_back(turn, just) or self._asking.ends(turn, "ignore", "cancelled")
        if move == "time":
            return self._what_then(turn)
        if move == "select" and (named := self._only_named(turn)) is not None:
            return named
        return self._asking.ends(turn, "ignore", _UNASKED.get(move, "not_understood"))

    def unset(self, judged: Judged, just: Sequence[Outcome]) -> Judged:
        """As "stop movie night": no scene stops, but what it set just now can be put back, which is offered."""
        decision, refused = judged.decision, judged.report
        if refused is None or decision.reason != "unsupported" or judged.turn.clause.action not in _ENDS:
            return judged
        scenes = [self._registry[item] for item in decision.entities]
        touched = {member for item in scenes if item.kind == "scene" for member in item.members}
        if not just or not touched.issuperset(item.write.entity for item in just):
            return judged
        back = self._taken_back(judged.turn, just)
        if back is None or back.report is None:
            return judged
        words = self._replies.sentences([refused.reply, back.report.reply], judged.turn.lang)
        return replace(back, report=replace(back.report, reply=words))

    def _only_named(self, turn: Turn) -> Judged | None:
        """As "the kitchen light", and nothing more: the beginning was not heard. What is to be done with it?"""
        said = turn.clause.dialogue
        text = said.text if said is not None else None
        if text is None or turn.heard < self._thresholds.reading or self._is_place(text):
            return None
        found = self._resolver.resolve(Target(mention=text), Need(), turn.context)
        ids = found.entities or tuple(item.entity for item in found.candidates)
        if found.status not in ("resolved", "ambiguous") or not ids or self._registry[ids[0]].kind == "person":
            return None
        begun = replace(turn, program=replace(turn.program, missing="more", needs_fallback=True))
        named = self._resolver.spoken_of(text, turn.context)
        meant = found.entities or (named.entities if named is not None else ())
        return Judged(turn, report=self._asking.question(begun, "rest", DEED, meant, word=text))

    def _is_place(self, text: str) -> bool:
        places = (*self._registry.areas, *self._registry.floors)
        return any(fold(text) == fold(name) for item in places for name in item.names)

    def _what_then(self, turn: Turn) -> Judged:
        """As "in ten minutes", and nothing more: what is to be done then?"""
        when = turn.clause.dialogue.when if turn.clause.dialogue is not None else None
        if when is None or (when.delay_s is None and when.time is None):
            return self._asking.ends(turn, "ignore", "not_understood")
        begun = replace(turn, program=replace(turn.program, missing="more", needs_fallback=True))
        return Judged(turn, report=self._asking.question(begun, "rest", "missing_more", ()))

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
        return Judged(
            turn, report=self._asking.question(replace(turn, program=again, at=0), "confirm", "undo", entities)
        )

    def _undo(self, turn: Turn, done: Sequence[Outcome]) -> Judged:
        if turn.clause.targets:  # "except the lamp", after the act
            named = {item for target in turn.clause.targets for item in self._that_may_be(target, turn)}
            done = [item for item in done if item.write.entity in named]
            if not done:
                return self._asking.ends(turn, "reject", "nothing_to_spare")
        back = undo(done, self._registry)
        if not back.writes:
            if not back.unknown:
                return self._asking.ends(turn, "reject", "nothing_to_undo")
            words = wording.cannot_undo(back.unknown, self._registry, self._replies, turn.lang)
            return Judged(turn, report=Report("reject", words, "cannot_undo"))
        if not self._access.connected():
            return self._asking.ends(turn, "reject", "broker_away")
        entities = tuple(dict.fromkeys(item.entity for item in back.writes))
        if unconfirmed := tuple(item for item in back.risky if item not in turn.settled.confirmed):
            return Judged(turn, report=self._asking.question(turn, "confirm", "confirm_risk", unconfirmed))
        if min(turn.heard, turn.program.confidence) < self._thresholds.reading and not turn.settled.confirmed:
            return Judged(turn, report=self._asking.question(turn, "confirm", "confirm_reading", entities))
        return Judged(turn, Decision("act", "undo", entities), back=back)

    def _that_may_be(self, target: Target, turn: Turn) -> tuple[str, ...]:
        """The entities that a target means, or one of which it may mean."""
        found = self._resolver.resolve(target, Need(), turn.context)
        return found.entities or tuple(item.entity for item in found.candidates if found.status == "ambiguous")

"""What is to be heard by people, and where: places as they were said -> areas. No words."""

from __future__ import annotations

from collections.abc import Iterator

from daemon.core.decisions import Ask, Decision, Place, Refuse, Tell
from daemon.core.ir import Broadcast, Target
from daemon.core.messages import Refused, Words, say
from daemon.core.resolution import Ruling
from daemon.core.thresholds import Thresholds
from daemon.core.turn import Turn
from daemon.decide.asking import Asking
from daemon.resolve.resolver import Resolver


class Telling:
    """Decides where words are said in one home. Where no place was said, that is everywhere; else never."""

    def __init__(self, resolver: Resolver, thresholds: Thresholds, asking: Asking) -> None:
        self._resolver = resolver
        self._thresholds = thresholds
        self._asking = asking

    def decide(self, turn: Turn) -> Decision:
        """What is to be done about a clause of words for people."""
        clause = turn.clause
        assert isinstance(clause, Broadcast)
        chosen = iter(turn.settled.choices)
        found = [self._place(target, turn, chosen) for target in (*clause.places, *clause.spared)]
        known: list[Place] = []
        for item in found:
            if not isinstance(item, Place):
                return item
            known.append(item)
        places, spared = known[: len(clause.places)], known[len(clause.places) :]
        return Tell(turn, "broadcast", tuple(places), frozenset(area for item in spared for area in item.areas))

    def _place(self, target: Target, turn: Turn, chosen: Iterator[tuple[str, ...]]) -> Place | Ask | Refuse:
        """The areas that are meant; or why that is not known."""
        scope = self._resolver.scope(target, turn.context)
        words = " ".join((*target.floors, *target.areas))
        if scope.things:  # a room that nothing but the names of devices tell of
            return Refuse(turn, (say("broadcast.silent", places=Words(words)),), "broadcast")
        if not scope.areas and (target.areas or not scope.floors):
            said = Refused(Ruling("refuse", "not_found", mention=words))
            return Refuse(turn, (said,), "not_found")
        options = tuple(sorted(scope.areas))
        if scope.split:
            if (meant := next(chosen, None)) is None:
                return self._asking.question(turn, "choose", "ambiguous", options, "area", word=words)
            return Place(meant, frozenset(meant))
        if scope.confidence < self._thresholds.sure and not set(options) <= set(turn.settled.confirmed):
            return self._asking.question(turn, "confirm", "confirm_name", options, word=words)
        return Place((scope.via,) if scope.via is not None else options, scope.areas)

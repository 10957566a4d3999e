"""Where covers that are on their way are bound for: what "a bit more" is counted from while they still move."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping

from daemon.act.values import number
from daemon.core.entities import Capability, Value
from daemon.core.outcomes import Observation, Outcome, Write
from daemon.core.values import replace
from daemon.home.registry import Registry

_ON_THE_WAY_S = 60.0
"""No cover is longer on its way; what it says after that is where it stands."""
_POSITION = "position"


class Bound:
    """Remembers the goals of what was seen to move. One event loop."""

    def __init__(self, registry: Registry, clock: Callable[[], float] = time.monotonic) -> None:
        self._registry = registry
        self._clock = clock
        self._goals: dict[str, tuple[float, float]] = {}

    def note(self, outcomes: Iterable[Outcome]) -> None:
        """Takes in what became of an act; a newer act of any sort, such as a stop, ends the older way."""
        for outcome in outcomes:
            if not outcome.sent:
                continue
            goal = self._goal(outcome.write) if outcome.reason == "moving" else None
            self._goals.pop(outcome.write.entity, None)
            if goal is not None:
                self._goals[outcome.write.entity] = (goal, self._clock())

    def instead(self, observed: Mapping[tuple[str, str], Observation]) -> dict[tuple[str, str], Observation]:
        """The readings, with the goal in place of where a cover happens to be on its way there."""
        return {pair: replace(item, value=self._value(item)) for pair, item in observed.items()}

    def _value(self, item: Observation) -> Value | None:
        goal, since = self._goals.get(item.entity, (None, 0.0))
        if goal is None or item.attribute != _POSITION or not item.fresh or self._clock() - since > _ON_THE_WAY_S:
            return item.value
        return goal

    def _goal(self, write: Write) -> float | None:
        if write.attribute == _POSITION:
            return number(write.value)
        entity = self._registry.get(write.entity)
        position = entity.capability(_POSITION) if entity is not None else None
        return None if position is None else _end(position, write.value)


def _end(position: Capability, state: Value) -> float | None:
    return {"open": position.maximum, "closed": position.minimum}.get(str(state))

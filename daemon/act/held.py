"""Since when what is so has been so, as far as it was watched. Pure but for its clock."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from daemon.core.entities import Value
from daemon.core.outcomes import Held
from daemon.core.values import replace


@dataclass(frozen=True, slots=True)
class _Stretch:
    value: Value
    since: float
    seen: bool
    """Whether its beginning was seen: the value before it was known, and watched until then."""
    watched: bool = True
    """Whether nothing can have been missed up to now."""


class Lasting:
    """For each attribute of each device, the stretch of time in which it has kept its value.

    It begins anew where something may have been missed: while the connection was lost, the device away, or messages
    passed over. What a broker retained, and what may be an echo, begins and ends nothing.

    Args:
        clock: `time.monotonic()` seconds.
    """

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._stretches: dict[str, dict[str, _Stretch]] = {}

    def saw(self, entity: str, attribute: str, value: Value, at: float) -> None:
        """The device itself said this, live."""
        known = self._stretches.setdefault(entity, {})
        before = known.get(attribute)
        if before is None or not before.watched:
            known[attribute] = _Stretch(value, at, seen=False)
        elif before.value != value:
            known[attribute] = _Stretch(value, at, seen=True)

    def missed(self, entity: str | None = None) -> None:
        """From now on it is not known what this device (or any) does, until it says something again."""
        for one in self._stretches if entity is None else (entity,):
            known = self._stretches.get(one, {})
            known.update({attribute: replace(item, watched=False) for attribute, item in known.items()})

    def of(self, entity: str, attribute: str, value: Value) -> Held | None:
        """How long it has had this value; None where that is not its value, or nothing is known."""
        stretch = self._stretches.get(entity, {}).get(attribute)
        if stretch is None or not stretch.watched or stretch.value != value:
            return None
        return Held(max(0.0, self._clock() - stretch.since), exact=stretch.seen)

    def forget(self, known: Callable[[str], bool]) -> None:
        """Drops what is about devices that are no longer known."""
        for gone in [entity for entity in self._stretches if not known(entity)]:
            del self._stretches[gone]

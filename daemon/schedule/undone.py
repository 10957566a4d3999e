"""The ends that acts have done away with, as long as the acts may be undone: an undo brings back what was before."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Mapping, Sequence
from typing import Final, NamedTuple

from daemon.core.outcomes import Outcome
from daemon.core.values import replace
from daemon.schedule.endings import Kept
from daemon.schedule.entries import Entry

_MOST: Final = 256


class Gone(NamedTuple):
    """An end of one device, and the act that did away with it."""

    outcome: Outcome
    due: float
    entry: Entry


class DoneAway:
    """Remembers the latest of them. One event loop."""

    def __init__(self) -> None:
        self._gone: deque[Gone] = deque(maxlen=_MOST)

    def note(self, outcomes: Sequence[Outcome], kept: Kept, gone: Mapping[int, Collection[str]]) -> None:
        """These outcomes did away with these of what was kept, for these devices."""
        for due, entry in kept:
            for device in gone.get(entry.id, ()):
                outcome = next(item for item in reversed(outcomes) if item.write.entity == device)
                end = replace(entry, due=due, them=(device,), entities=(device,))
                self._gone.append(Gone(outcome, due, end))

    def taken(self, undone: Sequence[Outcome], devices: Collection[str]) -> list[Gone]:
        """What these outcomes did away with for these devices, which are put back now; it is forgotten."""
        found = [
            item
            for item in self._gone
            if item.entry.them[0] in devices and any(item.outcome is outcome for outcome in undone)
        ]
        self._gone = deque((item for item in self._gone if item not in found), _MOST)
        return found

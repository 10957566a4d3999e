"""What a device was told, in its own log, against what was asked for: nothing twice, act by act.

Each act tells its device once. What can be said again without harm may come once more, where the device kept silent or
spoke against it for long enough; "next" and "play" never. Whatever else comes is told too often, however few it is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from daemon.act.reader import Patience
from daemon.core.entities import Value
from daemon.core.outcomes import Write

_PATIENCE: Final = Patience()
AGAIN_S: Final = _PATIENCE.deadline_s * _PATIENCE.retry_after / 2
"""What is said once more comes so long after the first time, however busy the machine: half of what it waits for."""
_EARLY_S: Final = 0.05

Told = tuple[float, Mapping[str, Value]]
"""When a device was told what, by its own log."""


@dataclass(frozen=True, slots=True)
class Asked:
    """One act: what was asked for, from when on; and how many messages it says that it sent."""

    write: Write
    begun: float
    sent: int = 0

    @property
    def wish(self) -> dict[str, Value]:
        """As a device hears it."""
        return {self.write.attribute: self.write.value}


def unasked(told: Sequence[Told], asked: Sequence[Asked]) -> list[Told]:
    """What a device was told that nobody asked of it."""
    wishes = [act.wish for act in asked]
    return [item for item in told if dict(item[1]) not in wishes]


def too_often(told: Sequence[Told], asked: Sequence[Asked]) -> list[Told]:
    """What a device was told though it had been told; each time is that of the first act that may account for it."""
    first: dict[int, float] = {}
    again: set[int] = set()
    excess: list[Told] = []
    for at, wish in told:
        acts = [number for number, act in enumerate(asked) if act.wish == dict(wish) and act.begun <= at + _EARLY_S]
        fresh = next((number for number in acts if number not in first), None)
        late = next((number for number in acts if _may_be_again(number, at, first, again, asked)), None)
        if fresh is not None:
            first[fresh] = at
        elif late is not None:
            again.add(late)
        elif acts:
            excess.append((at, wish))
    return excess


def _may_be_again(number: int, at: float, first: Mapping[int, float], again: set[int], asked: Sequence[Asked]) -> bool:
    harmless = asked[number].write.attribute != "command"
    return harmless and number in first and number not in again and at - first[number] >= AGAIN_S

"""Who a question is for that names nobody: "how warm is it", "is anyone home"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from daemon.core.resolution import Resolution
from daemon.core.values import replace
from daemon.resolve.places import Scope
from daemon.resolve.request import House, Request
from daemon.resolve.sets import in_place

_WHEREABOUTS: Final = frozenset({"location", "occupancy", "presence"})


def whatever_tells(house: House, request: Request, beside: Iterable[str] = ()) -> Resolution:
    """What tells a value in the room of the microphone, else in the areas `beside`, else anywhere."""
    area = request.context.area
    for areas in (frozenset({area} if area is not None else ()), frozenset(beside)):
        if areas:
            via = next(iter(areas)) if len(areas) == 1 else None
            found = in_place(house, replace(request, scope=Scope(areas=areas, spoken=True, via=via)))
            if found.status != "empty":
                return found
    return in_place(house, replace(request, scope=Scope(spoken=True, whole=True)))


def everybody(house: House, request: Request) -> Resolution | None:
    """Everybody of whom it is known whether they are home, where that is asked; None where it is not."""
    nowhere = not request.scope.spoken or request.scope.whole
    if not nowhere or request.need.attribute not in _WHEREABOUTS:
        return None
    if request.target.kind not in (None, "sensor", "device") or request.target.senses is not None:
        return None
    if request.target.kind == "device" and any(request.need.fits(item) for item in house.registry.devices):
        return None  # a phone is at home as well as its owner
    found = tuple(item.id for item in house.registry.persons if request.need.fits(item))
    return Resolution(request.target, "resolved", found, is_set=True) if found else None

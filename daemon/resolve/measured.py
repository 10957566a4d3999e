"""What is meant where only a sensor was spoken of, and a sensor does nothing: "how warm is it?" - "get it up to 21"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from daemon.core.entities import Entity
from daemon.core.ir import Kind
from daemon.core.resolution import Resolution
from daemon.core.values import replace
from daemon.home.registry import Registry
from daemon.home.sensing import AMBIENT
from daemon.resolve.places import Scope
from daemon.resolve.request import IMPLIED, House, Request
from daemon.resolve.sets import everything_of

_PERHAPS: Final = 0.7
"""How sure it is that what is in another room is meant: enough for a question, never for an act."""


def acting_there(house: House, request: Request, meant: Sequence[Entity]) -> Resolution | None:
    """What does it where these sensors measure, or to the floor of that room; else the only thing that can, asked.

    None where other than sensors was spoken of, or where nothing in the home can do it.
    """
    areas = {area for item in meant if (area := house.index.area(item.id)) is not None}
    if request.need.reads or len(areas) != 1 or any(item.type != "sensor" for item in meant):
        return None
    kind = request.target.kind or request.need.implied_kind or _kind_of(meant)
    if kind is None:
        return None
    (area,) = areas
    unsaid = replace(request.target, reference=None, kind=kind)
    room = Scope(areas=frozenset({area}), spoken=True, exact=True, via=area)
    found = everything_of(house, replace(request, target=unsaid, scope=room), kind)
    if found.status in ("resolved", "ambiguous"):
        return replace(found, target=request.target)
    # What was left out is rather here; "it" is what was spoken of, wherever that may be.
    elsewhere = Scope() if request.target.unsaid else Scope(spoken=True, whole=True)
    found = everything_of(house, replace(request, target=unsaid, scope=elsewhere), kind)
    if found.status not in ("resolved", "ambiguous"):
        return None
    return replace(found, target=request.target, confidence=min(found.confidence, _PERHAPS))


def indoors(house: House, request: Request, found: Resolution) -> Resolution:
    """What tells how it is in the whole home, or in a room that nobody knows: nothing outdoors, where anything else."""
    target = request.target
    whole = target.whole_home or (target.reference == "here" and not request.scope.spoken)
    if not whole or target.mention is not None or request.need.attribute not in AMBIENT or not request.need.reads:
        return found
    within = tuple(item for item in found.entities if not house.places.outdoors(house.registry[item]))
    return replace(found, entities=within) if within else found


def _kind_of(sensors: Sequence[Entity]) -> Kind | None:
    """What changes that which these measure."""
    found = {IMPLIED.get(item.attribute) for sensor in sensors for item in sensor.capabilities} - {None}
    return found.pop() if len(found) == 1 else None


PASSING: Final = frozenset({"occupancy", "motion"})
"""What tells that somebody is there."""


def passing_there(registry: Registry, found: Resolution, acted: Sequence[Resolution]) -> Resolution:
    """What sees whoever passes where that is which is acted on, if anything there does."""
    rooms = {area.id for item in acted for one in item.entities if (area := registry.area_of(one)) is not None}
    there = tuple(item for item in found.entities if (area := registry.area_of(item)) is not None and area.id in rooms)
    return replace(found, entities=there) if there else found

"""What is to be cleaned, and by which vacuum: "clean the kitchen" says where to work, not where the vacuum stands."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.core.entities import Entity
from daemon.core.resolution import Resolution
from daemon.core.values import replace
from daemon.home import kinds
from daemon.resolve.candidates import by_name, of_kind
from daemon.resolve.places import Scope
from daemon.resolve.request import House, Request

CAPABILITY = "clean_area"


def cleaned(house: House, request: Request) -> Resolution | None:
    """The vacuum that is to clean the place that was said, where one is meant."""
    target, registry = request.target, house.registry
    if not _is_about_rooms(request):
        return None
    if target.mention is None:
        vacuums = [item for item, fit in house.index.of_kind("vacuum") if fit >= kinds.MEMBER]
        return _cleaner(house, request, vacuums) if target.kind == "vacuum" else None
    elsewhere = replace(request, scope=Scope(), target=replace(target, areas=(), floors=(), reference=None))
    named = [item for item in by_name(house, elsewhere, target.mention) if item.features["capability"] > 0]
    vacuums = [item for item in (registry[found.entity] for found in named) if item.type == "vacuum"]
    return _cleaner(house, request, vacuums) if len(vacuums) == len(named) else None


def _is_about_rooms(request: Request) -> bool:
    """Whether a place was said as what is to be cleaned."""
    scope = request.scope
    return (
        request.target.cleans
        and request.need.action == "start"
        and scope.spoken
        and not scope.whole
        and scope.unknown is None
    )


def _cleaner(house: House, request: Request, among: Sequence[Entity]) -> Resolution | None:
    """Which of these vacuums is to clean the place that was said, and which rooms; None where there is none.

    The one that is there goes before those of no place, and these before all others. One that stands on the floor that
    was said, and no room, cleans whatever it can reach.
    """
    scope, places = request.scope, house.places
    there = [item for item in among if places.holds(scope, item)]
    nowhere = [item for item in among if item.area is None and item.floor is None]
    chosen = there or nowhere or list(among)
    if not chosen:
        return None
    rooms = () if there and not scope.exact else tuple(sorted(scope.areas))
    if len(chosen) > 1:
        found = tuple(of_kind(house, request, [(item, 1.0) for item in chosen]))
        return Resolution(request.target, "ambiguous", via=scope.via, candidates=found, cleans=rooms)
    return Resolution(
        request.target, "resolved", (chosen[0].id,), via=scope.via, confidence=scope.confidence, cleans=rooms
    )

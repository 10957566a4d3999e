"""What is to be cleaned, and by which vacuum: "clean the kitchen" says where to work, not where the vacuum stands."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.home.candidates import of_kind
from daemon.home.entities import Entity
from daemon.home.request import House, Request
from daemon.home.resolution import Resolution

CAPABILITY = "clean_area"


def is_about_rooms(request: Request) -> bool:
    """Whether a place was said as what is to be cleaned."""
    scope = request.scope
    return (
        request.target.cleans
        and request.need.action == "start"
        and scope.spoken
        and not scope.whole
        and scope.unknown is None
    )


def cleaner(house: House, request: Request, among: Sequence[Entity]) -> Resolution | None:
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

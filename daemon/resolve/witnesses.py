"""What tells for another thing how it is: the contact in the frame of a door, the sensor of its battery."""

from __future__ import annotations

from daemon.core.resolution import Resolution
from daemon.core.values import replace
from daemon.home.sensing import BINARY
from daemon.resolve.needs import Need
from daemon.resolve.request import House


def outspoken(house: House, found: Resolution, need: Need) -> Resolution:
    """Where one thing only lets guess what is asked (is a battery low?), the one named after it that says."""
    asked = need.attribute
    if found.status != "resolved" or len(found.entities) != 1 or asked not in BINARY:
        return found
    item = house.registry[found.entities[0]]
    if item.reads(asked) is not None:
        return found
    names = tuple(name.casefold() for name in item.names)
    told = [other for other in house.registry.devices if other.reads(asked) is not None and need.fits(other)]
    able = [other.id for other in told if any(name.casefold().startswith(names) for name in other.names)]
    return replace(found, entities=tuple(able)) if len(able) == 1 else found


def witness(house: House, found: Resolution, need: Need) -> Resolution:
    """Of what is found and cannot tell: the one sensor beside it that is of that kind, or named after it, and can.

    "Is the front door open", where the front door is a lock, is told by the contact in its frame.
    """
    beside = {house.index.area(item) for item in found.entities} - {None}
    names = tuple(name.casefold() for item in found.entities for name in house.registry[item].names)
    able = [
        item.id
        for item in house.registry.devices
        if house.index.area(item.id) in beside
        and need.fits(item)
        and (
            found.target.kind in item.tags or (names and any(name.casefold().startswith(names) for name in item.names))
        )
    ]
    return replace(found, status="resolved", entities=tuple(able)) if len(able) == 1 else found

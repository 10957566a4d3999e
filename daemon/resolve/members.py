"""Who belongs to a set: what can do it, where it is, and what is spared unless it is named."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from daemon.core.entities import CapabilityName, Entity
from daemon.home import kinds
from daemon.home.actions import member_for, readable_for, vague
from daemon.home.sensing import AT_WORK, BINARY, witness
from daemon.resolve.needs import Need
from daemon.resolve.request import House, Request

_NAMED_BY_KIND: Final = frozenset({"lock", "door", "garage_door", "gate", "valve", "alarm"})
"""Who says one of these kinds means its risky members too; they are asked back."""
ESSENTIAL: Final = "essential"
_SETTING: Final = "setting"
_WORKS: Final[tuple[CapabilityName, ...]] = ("on_off", "media_transport", "start_stop")
"""What is on or off rather than open, closed or measured."""


def takes(request: Request, item: Entity, kind: str) -> bool:
    """Whether it can do, or tell, what is wanted of a kind; "everything" is what is switched."""
    if request.target.senses is not None and witness(item, request.target.senses) is None:
        return False
    if request.need.reads and request.need.attribute in BINARY and says_little(request.need, item):
        return False
    if kind == "device" and request.need.attribute == "state" and request.need.state in ("on", "off"):
        # Nor does anybody who asks what is on think of an open curtain, or of a sensor.
        return request.need.fits(item) and any(item.capability(name) is not None for name in _WORKS)
    if kind == "device" and request.need.action == "stop":
        return request.need.fits(item) and _under_way(request, item)
    if kind == "device" and not request.need.reads and request.need.parameter is None:
        # "Everything" is what is switched; nobody closes the water main by that. Only locks are locked.
        return request.need.fits(item) and (item.capability("on_off") is not None or request.need.action == "lock")
    return request.need.fits(item)


def _under_way(request: Request, item: Entity) -> bool:
    """Whether it moves or plays, or may: of a shutter nobody knows. Nobody switches the plugs off by "stop"."""
    member = member_for(item, "stop")
    if member is None or member.capability == "on_off":
        return False
    return member.capability == "open_close" or request.context.state_of(item.id, "state") in AT_WORK


def says_little(need: Need, item: Entity) -> bool:
    """Whether nobody said what this sensor tells: it may answer for itself, not when a room is asked what is open."""
    if need.attribute == "state" and need.state in (None, "on", "off"):
        return False
    capability = readable_for(item, need.attribute or "state", need.state)
    return capability is not None and vague(capability)


def without_risks(request: Request, members: Sequence[Entity], kind: str) -> tuple[list[Entity], list[Entity]]:
    """The members that a set reaches, and those that it spares and tells of."""
    if request.need.reads:
        return list(members), []
    left = [
        item for item in members if ESSENTIAL in item.tags or (kind not in _NAMED_BY_KIND and request.need.risky(item))
    ]
    # Nobody who says "everything" thinks of a status LED.
    return [item for item in members if item not in left], [item for item in left if _SETTING not in item.tags]


def inside(house: House, request: Request, item: Entity) -> bool:
    """Whether it is where was said, and can do it."""
    return request.need.fits(item) and house.places.holds(request.scope, item)


def present(house: House, request: Request, kind: str) -> bool:
    """Whether there is one of the kind where was said that can do it and need not be asked about."""
    return any(
        fit >= kinds.MEMBER and inside(house, request, item) and not request.need.risky(item)
        for item, fit in house.index.of_kind(kind)
    )


def around(house: House, members: list[tuple[Entity, float]], area: str | None) -> list[tuple[Entity, float]]:
    """Those in an area, if one is known; what is only by its name in it where nothing else there is."""
    inside = [(item, fit) for item, fit in members if area is not None and house.index.area(item.id) == area]
    return [(item, fit) for item, fit in inside if item.area == area] or inside


def spread(house: House, members: Iterable[tuple[Entity, float]]) -> bool:
    """Whether these are in more than one area."""
    return len({house.index.area(item.id) for item, _ in members}) > 1


def areas_of(house: House, members: Iterable[tuple[Entity, float]]) -> Iterable[str]:
    """The area of each that is in one."""
    return (area for item, _ in members if (area := house.index.area(item.id)) is not None)

"""What "it", "them" and "the other one" mean: whatever was mentioned last, if it can do what is asked."""

from __future__ import annotations

from collections.abc import Iterable

from daemon.home import kinds
from daemon.home.candidates import of_kind
from daemon.home.entities import Entity
from daemon.home.request import House, Request
from daemon.home.resolution import Resolution

_SEVERAL = frozenset({"them", "again", "rest"})


def resolve_reference(house: House, request: Request) -> Resolution:
    """The entities that a pronoun stands for, in this conversation."""
    target = request.target
    meant = _meant(house, request)
    if not meant:
        return Resolution(target, "missing")
    able = [item for item in meant if request.need.fits(item) and kinds.fit(item, target.kind) > 0]
    if not able:
        return Resolution(target, "unsupported", tuple(item.id for item in meant))
    if len(able) > 1 and target.reference not in _SEVERAL and not request.plural and not request.need.reads:
        return Resolution(
            target, "ambiguous", candidates=tuple(of_kind(house, request, ((item, 1.0) for item in able)))
        )
    return Resolution(
        target, "resolved", tuple(item.id for item in able), evidence="last", is_set=len(able) > 1, confidence=1.0
    )


def _meant(house: House, request: Request) -> list[Entity]:
    context = request.context
    if request.target.reference not in ("other", "rest"):
        return _devices(house, context.last)
    others = [item for item in _devices(house, context.before_last) if item.id not in context.last]
    if others:
        return others
    # The others of the same kind in the same place.
    last = _devices(house, context.last)
    return [
        item
        for item in house.registry.devices
        if item.id not in context.last
        and any(item.type == one.type and house.index.area(item.id) == house.index.area(one.id) for one in last)
    ]


def _devices(house: House, ids: Iterable[str]) -> list[Entity]:
    found = dict.fromkeys(member for item in ids for member in house.registry.expand(item))
    return [house.registry[item] for item in found]

"""What "the rest", "the others" and "everything else" mean: a set, less what was spoken of last."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from daemon.core.entities import Entity
from daemon.core.ir import Kind
from daemon.core.resolution import Resolution
from daemon.core.values import replace
from daemon.home import kinds
from daemon.resolve.places import Scope
from daemon.resolve.request import House, Request
from daemon.resolve.sets import everything_of

_FAMILIES: Final[tuple[Kind, ...]] = ("light", "cover", "climate")
"""Beside a chandelier, the rest are lights; beside a television, the rest is everything."""


def remainder(house: House, request: Request, last: Sequence[Entity], before: Sequence[Entity]) -> Resolution:
    """Of what was spoken of before, or of its kind and its room, all that was not spoken of last.

    Args:
        house: The home.
        request: For "the rest"; its kind and its place are what was said beside it, if anything.
        last: What was spoken of last.
        before: What was spoken of before that: of several, one was picked out and the rest is meant.
    """
    target = request.target
    spoken_of = {item.id for item in last}
    if not last:
        return Resolution(target, "missing")
    several = [item for item in before if item.id not in spoken_of]
    if several and len(before) > len(several) and target.kind in (None, "device") and not request.scope.spoken:
        able = tuple(item.id for item in several if request.need.fits(item))
        if not able:
            return Resolution(target, "unsupported", tuple(item.id for item in several))
        return Resolution(target, "resolved", able, evidence="last", is_set=True)
    kind = target.kind or _family(last)
    wide = replace(request, target=replace(target, reference=None, kind=kind, quantifier="all", plural=True))
    found = Resolution(target, "empty")
    for place in _places(house, wide, last, kind):
        found = _less(everything_of(house, place, kind), spoken_of)
        if found.status != "empty":
            break
    return replace(found, target=target)


def _places(house: House, request: Request, last: Sequence[Entity], kind: str) -> list[Request]:
    """Where to look for the rest: in the place said, else in the room of what was spoken of, else everywhere."""
    if request.scope.spoken:
        return [request]
    anywhere = replace(request, context=replace(request.context, area=None))
    areas = {house.index.area(item.id) for item in last}
    area = areas.pop() if len(areas) == 1 else None
    if kind == "device" or area is None:
        return [request, anywhere]
    return [replace(request, scope=Scope(areas=frozenset({area}), spoken=True, exact=True, via=area)), anywhere]


def _family(last: Sequence[Entity]) -> Kind:
    return next((kind for kind in _FAMILIES if all(kinds.belongs(item, kind) for item in last)), "device")


def _less(found: Resolution, gone: set[str]) -> Resolution:
    kept = tuple(item for item in found.entities if item not in gone)
    left = tuple(item for item in found.left_out if item not in gone)
    if found.status != "resolved":
        return found
    return replace(found, status="resolved" if kept else "empty", entities=kept, left_out=left)

"""What a thing is told apart by: "the lamp next to the sofa" is the sofa lamp, and so is "the one by the sofa"."""

from __future__ import annotations

from daemon.core.resolution import Resolution
from daemon.home import kinds
from daemon.home.names import tokens
from daemon.resolve.candidates import of_kind
from daemon.resolve.request import House, Request


def told_apart(house: House, request: Request) -> Resolution | None:
    """What has in its name, or among its tags, what was said to tell it, of its kind or the sort spoken of last.

    None where something else was said, or nothing here is called so.
    """
    target, inside = request.target, house.kind_words.inside
    parts = house.kind_words.apart(tokens(target.mention or ""))
    ones = target.kind == "device"  # "the twinkly one"
    if not ones and (len(parts) < 2 or house.index.exact(target.mention or "")):  # noqa: PLR2004 - it and its landmark
        return None
    told = sum((part for part in parts if ones or house.kind_words.said(part) is None), ())
    if not told or (target.quantifier != "one" and not ones):
        return None
    able = [item for item in house.registry.devices if item.exposed and request.need.fits(item)]
    able = [item for item in able if house.places.holds(request.scope, item) and kinds.belongs(item, target.kind or "")]
    able = [item for item in able if any(inside(tokens(said), told) for said in (*item.names, *item.tags))]
    last = [house.registry[item] for item in request.context.last if ones and item in house.registry]
    kin = [item for item in able if all(kinds.akin(item, other) for other in last)] or able
    here = [item for item in kin if house.index.area(item.id) == request.context.area] or kin
    if len(here) == 1:
        return Resolution(target, "resolved", (here[0].id,), via=request.scope.via, evidence="name")
    found = tuple(of_kind(house, request, ((item, 1.0) for item in here)))
    return Resolution(target, "ambiguous", via=request.scope.via, candidates=found) if here else None

"""What a thing is told apart by, where nothing is called just that: "the lamp next to the sofa" is the sofa lamp."""

from __future__ import annotations

from daemon.core.entities import Entity
from daemon.core.resolution import Resolution
from daemon.core.values import replace
from daemon.home import kinds
from daemon.home.names import tokens
from daemon.resolve.candidates import of_kind
from daemon.resolve.request import House, Request
from daemon.resolve.rounds import joined
from daemon.understand.normalize import plain_text


def less_landmark(house: House, request: Request) -> Request:
    """The request by the name that something here has; as it was, where nothing has one of what was said."""
    mention = request.target.mention
    if mention is None or house.index.exact(mention):
        return request
    names = (_called(house, words) for words in house.kind_words.by_landmark(tokens(mention)))
    name = next((name for name in names if name is not None), None)
    return request if name is None else replace(request, target=replace(request.target, mention=name))


def the_one(house: House, request: Request) -> Resolution | None:
    """What "the twinkly one", "the one behind the sofa" is, of the sort that was spoken of last if one is called so.

    None where something else was said than what tells it, or nothing here is called so.
    """
    target, last = request.target, [house.registry[item] for item in request.context.last if item in house.registry]
    if target.mention is None or target.kind != "device":
        return None
    told = house.kind_words.less_beside(tokens(target.mention))
    able = [item for item in house.registry.devices if item.exposed and request.need.fits(item)]
    able = [item for item in able if house.places.holds(request.scope, item) and _is_told(house, item, told)]
    kin = [item for item in able if all(kinds.akin(item, other) for other in last)] or able
    here = [item for item in kin if house.index.area(item.id) == request.context.area] or kin
    if len(here) == 1:
        return Resolution(target, "resolved", (here[0].id,), via=request.scope.via, evidence="name")
    found = tuple(of_kind(house, request, ((item, 1.0) for item in here)))
    return Resolution(target, "ambiguous", via=request.scope.via, candidates=found) if here else None


def _is_told(house: House, item: Entity, words: tuple[str, ...]) -> bool:
    return bool(words) and any(house.kind_words.inside(tokens(said), words) for said in (*item.names, *item.tags))


def _called(house: House, words: tuple[str, ...]) -> str | None:
    """These words, where something is called so; else the name of the only thing with them in it: "sofa floor lamp".

    None where there is no such thing, or more than one.
    """
    kind, name = house.kind_words.last(words), joined(words)
    if house.index.exact(name) or (kind is not None and house.kind_words.telling(words) == words):
        return name
    landmark = house.kind_words.core(words)
    if kind is None or not landmark:
        return None
    inside = house.kind_words.inside
    found = [
        text
        for item, fit in house.index.of_kind(kind)
        if fit >= kinds.MEMBER
        for text in item.names[:1]
        if any(inside(tokens(one), landmark) for one in item.names)
    ]
    return plain_text(found[0]) if len(found) == 1 else None

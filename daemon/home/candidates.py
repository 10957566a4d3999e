"""Proposes entities for a mention, and scores them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from daemon.home import kinds
from daemon.home.entities import Entity
from daemon.home.index import Hit
from daemon.home.names import key, tokens
from daemon.home.request import House, Request
from daemon.home.resolution import Candidate
from daemon.home.scoring import ELSEWHERE, SIGNALS, likeness, name_signals, name_value, score

_LIKENESS: Final = frozenset({"fuzzy", "sound"})
_NAME_FLOOR: Final = 0.45
_NEAR: Final = 0.5
_NEAREST: Final = 3
_NOWHERE: Final = 0.5
"""The area feature of a device that is in no area, where an area was said or is known."""


def by_name(house: House, request: Request, mention: str) -> list[Candidate]:
    """Whatever bears this name, in the scope of the request or out of it. Best first."""
    hits = [hit for hit in house.index.exact(mention) if house.registry[hit.entity].kind not in ("area", "floor")]
    return _scored(house, request, ((hit, {"relative": 1.0} if hit.relative else _exact(mention, hit)) for hit in hits))


def by_likeness(house: House, request: Request, mention: str, core: tuple[str, ...]) -> list[Candidate]:
    """Whatever is called something like it, or is alike but for the word for its kind. Best first.

    A mention that is itself a word of this home is taken at its word: nothing that only looks or sounds like it.
    """
    index = house.index
    known = bool(index.exact(mention)) or house.kind_words.said(tokens(mention)) is not None
    kind = request.target.kind
    pairs = [
        (Hit(entity, mention), {"core": 1.0})
        for entity in (index.with_core(core) if kind is not None else ())
        if kinds.fit(house.registry[entity], kind) >= kinds.MEMBER
    ]
    cached: dict[str, dict[str, float]] = {}
    for hit in index.similar(mention):
        signals = cached.get(hit.name)
        if signals is None:
            signals = name_signals(mention, hit.name)
            cached[hit.name] = signals = {
                signal: value for signal, value in signals.items() if not (known and signal in _LIKENESS)
            }
        if name_value(signals) >= _NAME_FLOOR:
            pairs.append((hit, signals))
    named = [item for item in pairs if house.registry[item[0].entity].kind not in ("area", "floor")]
    return _scored(house, request, named)


def of_kind(house: House, request: Request, members: Iterable[tuple[Entity, float]]) -> list[Candidate]:
    """Candidates for members of a kind, whose name says nothing. Best first."""
    found = [_candidate(house, request, entity, {"name": fit, "kind": fit}) for entity, fit in members]
    return sorted(found, key=lambda item: -item.score)


def nearest(house: House, mention: str) -> tuple[str, ...]:
    """The ids of what is called something like it, nearest first, for "did you mean"."""
    best: dict[str, float] = {}
    for hit in house.index.similar(mention):
        best[hit.entity] = max(best.get(hit.entity, 0.0), likeness(mention, hit.name))
    ranked = sorted((item for item in best.items() if item[1] >= _NEAR), key=lambda item: -item[1])
    # A room is no answer to the name of a thing: "coffee machine" is not like "office".
    things = (house.registry[entity] for entity, _ in ranked)
    exposed = (item.id for item in things if item.exposed and item.kind in ("device", "group", "scene"))
    return tuple(entity for entity, _ in zip(exposed, range(_NEAREST), strict=False))


def _exact(mention: str, hit: Hit) -> dict[str, float]:
    return {"exact": 1.0 if key(mention) == key(hit.name) else 0.99}


def _scored(house: House, request: Request, hits: Iterable[tuple[Hit, dict[str, float]]]) -> list[Candidate]:
    best: dict[str, dict[str, float]] = {}
    for hit, signals in hits:
        value = name_value(signals)
        if value > best.get(hit.entity, {}).get("name", 0.0):
            best[hit.entity] = {"name": value, **signals}
    registry = house.registry
    found = [_candidate(house, request, registry[entity], features) for entity, features in best.items()]
    return sorted(found, key=lambda item: -item.score)


def _candidate(house: House, request: Request, entity: Entity, features: dict[str, float]) -> Candidate:
    whole = {
        "kind": _kind(house, request, entity),
        **features,
        "capability": float(can(house, request, entity)),
        "area": _area(house, request, entity),
        "history": _history(request, entity),
    }
    return Candidate(entity.id, score(whole), {name: round(value, 3) for name, value in whole.items()})


def can(house: House, request: Request, entity: Entity) -> bool:
    """Whether an entity, or any member of it, can do what is needed."""
    if entity.kind == "group":
        return any(request.need.fits(house.registry[member]) for member in house.registry.expand(entity.id))
    return request.need.fits(entity)


def _kind(house: House, request: Request, entity: Entity) -> float:
    """A group is of the kind that any of its members is."""
    members = house.registry.expand(entity.id) if entity.kind == "group" else (entity.id,)
    return max((kinds.fit(house.registry[member], request.target.kind) for member in members), default=0.0)


def _area(house: House, request: Request, entity: Entity) -> float:
    if request.scope.spoken:
        if entity.kind in ("scene", "person"):
            return 1.0
        if entity.kind == "group" and entity.area is None:
            members: Sequence[str] = house.registry.expand(entity.id)
            return float(all(house.places.holds(request.scope, house.registry[item]) for item in members))
        if house.places.holds(request.scope, entity):
            return 1.0
        return _NOWHERE if house.places.untold(request.scope, entity) else 0.0
    if request.context.area is None or entity.kind != "device":
        return 1.0
    area = house.index.area(entity.id)
    return _NOWHERE if area is None else 1.0 if area == request.context.area else ELSEWHERE


def _history(request: Request, entity: Entity) -> float:
    return 0.5 if entity.id in request.context.last else 0.0


def signal_of(candidate: Candidate) -> str:
    """The signal that a candidate's name rests on."""
    present = [name for name in candidate.features if name in SIGNALS]
    return max(present, key=lambda name: SIGNALS[name] * candidate.features[name], default="kind")

"""What bears on how something is, as far as it can be read: why it is cold in a room, why a lamp is dim.

Facts and nothing more: what follows from them is for people to say.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from daemon.act.facts import Fact, fact, telling
from daemon.core.entities import Entity
from daemon.core.ir import Condition, Kind, Target
from daemon.core.outcomes import Observed
from daemon.core.values import replace
from daemon.home import kinds
from daemon.home.registry import Registry
from daemon.home.sensing import AMBIENT

Pair = tuple[str, str]

BEARS_ON: Final[Mapping[str, tuple[tuple[Kind, str], ...]]] = {
    # what heats or cools, and to what; where the warmth goes out
    "temperature": (("climate", "set_point"), ("window", "state")),
    # what moistens and dries; where the damp goes out
    "humidity": (("humidifier", "state"), ("dehumidifier", "state"), ("fan", "state"), ("window", "state")),
    # what brings fresh air in
    "aqi": (("window", "state"), ("fan", "state"), ("air_purifier", "state")),
    # what lets daylight in, or shuts it out
    "brightness": (("curtain", "state"), ("blind", "state"), ("shutter", "state")),
}
"""Attribute -> the kinds of things in the same place that have a say in it, and what is told of those that are on."""
_REACHING: Final = "climate"
"""What may do it from another room: one thermostat for a floor, or for the home."""
_STATE: Final = Condition(Target(), "state")


def needs(asked: Condition, entities: Iterable[Entity], registry: Registry) -> Iterator[Pair]:
    """What is to be read besides the attribute that was asked about."""
    asked_of = tuple(entities)
    for entity, attribute in (*((item, "state") for item in asked_of), *_beside(asked, asked_of, registry)):
        for name in ("state", attribute):
            if (able := telling(entity, name)) is not None:
                yield entity.id, able.attribute


def within_reach(entities: Sequence[str], area: str | None, registry: Registry) -> tuple[str, ...]:
    """Of several thermostats of other rooms those of the floor where it was asked, if there are any."""
    them = [found for item in entities if (found := registry.get(item)) is not None]
    floor = registry.floor_of(area) if area is not None else None
    if floor is None or not all(kinds.belongs(item, _REACHING) for item in them):
        return tuple(entities)
    on_floor = [item.id for item in them if (at := registry.floor_of(item.id)) is not None and at.id == floor.id]
    whole = [item for item in on_floor if (room := registry.area_of(item)) is None or room.id == area]
    return tuple(whole or on_floor or entities)


def told(asked: Condition, facts: Sequence[Fact], registry: Registry, observed: Observed) -> list[Fact]:
    """The facts about what was asked, and about what bears on them; of what is off, that it is off."""
    found = [item if item.ambient else _as_it_is(item, registry[item.entity], observed) for item in facts]
    for entity, attribute in _beside(asked, [registry[item.entity] for item in facts], registry):
        item = fact(replace(_STATE, attribute=attribute), entity, observed)
        if item is not None:
            found.append(_as_it_is(item, entity, observed))
    return found


def _as_it_is(item: Fact, entity: Entity, observed: Observed) -> Fact:
    state = fact(_STATE, entity, observed)
    known = state is not None and state.observation.fresh
    return state if state is not None and known and state.observation.value == "off" else item


def _beside(asked: Condition, entities: Sequence[Entity], registry: Registry) -> list[tuple[Entity, str]]:
    """What is in the places of these, where it is asked of a place: nothing else makes a lamp dim."""
    target, areas = asked.target, {item.area for item in entities if item.area}
    if target.mention is not None or not (asked.attribute in AMBIENT or target.quantifier == "all"):
        return []
    floors = {floor.id for item in entities if (floor := registry.floor_of(item.id)) is not None}
    found: dict[tuple[str, str], Entity] = {}
    for kind, attribute in BEARS_ON.get(asked.attribute, ()):
        members = [item for item in registry.devices if kinds.belongs(item, kind)]
        there = [item for item in members if item.area in areas]
        if kind == _REACHING and not there:
            on_floor = [item for item in members if (at := registry.floor_of(item.id)) is not None and at.id in floors]
            there = on_floor or (members if len(members) == 1 else [])
        found |= {(item.id, attribute): item for item in there}
    return [(item, attribute) for (_, attribute), item in found.items()]

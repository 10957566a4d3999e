"""What devices can be watched for: which of them tell it, what buttons tell of moments, and what bears on a reading."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from daemon.act.facts import Fact, Pair, fact, telling
from daemon.core.entities import Entity
from daemon.core.ir import Condition, Kind, Target
from daemon.core.outcomes import Observed
from daemon.core.values import replace
from daemon.home import events, kinds
from daemon.home.events import Press
from daemon.home.registry import Registry
from daemon.home.sensing import AMBIENT


def blind(
    conditions: Iterable[Condition], watched: Iterable[Iterable[str]], registry: Registry, *, asked: bool = False
) -> tuple[str, ...]:
    """Those of the devices that cannot tell what they are watched for; or, where they are to be asked, not then."""
    return tuple(
        item
        for condition, ids in zip(conditions, watched, strict=True)
        for item in ids
        if item in registry
        and (
            condition.comparator == "than"  # nobody watches two for which is more
            or (able := telling(registry[item], condition.attribute, condition.value)) is None
            or (asked and able.name == events.NAME)
        )
    )


def pressed(entities: Iterable[str], registry: Registry) -> tuple[tuple[str, ...], tuple[Press, ...]]:
    """Those of these devices that tell of moments, and all that they tell."""
    able = {item: found for item in entities if item in registry and (found := registry[item].capability(events.NAME))}
    told = (press for capability in able.values() for press in events.offered(capability.options))
    return tuple(able), tuple(dict.fromkeys(told))


def only_pressed(entities: Sequence[str], registry: Registry) -> tuple[tuple[str, ...], tuple[Press, ...]] | None:
    """What all of these tell, where nothing can be done with any: nobody tells a button on the wall what to do."""
    able, presses = pressed(entities, registry)
    obeys = any(
        capability.name not in ("read", events.NAME) for item in able for capability in registry[item].capabilities
    )
    return (able, presses) if able and set(able) == set(entities) and not obeys else None


def lacks(
    conditions: Iterable[Condition], watched: Iterable[Iterable[str]], registry: Registry
) -> tuple[tuple[str, ...], tuple[Press, ...]] | None:
    """The buttons of which none ever tells what a condition waits for, and what they tell instead."""
    for condition, ids in zip(conditions, watched, strict=True):
        able, told = pressed(ids, registry) if condition.attribute == events.NAME else ((), ())
        if able and not any(events.able(registry[item], condition) for item in able):
            return able, told
    return None


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


def bearing(asked: Condition, entities: Iterable[Entity], registry: Registry) -> Iterator[Pair]:
    """What is to be read besides the attribute that was asked about."""
    asked_of = tuple(entities)
    for entity, attribute in (*((item, "state") for item in asked_of), *_beside(asked, asked_of, registry)):
        for name in ("state", attribute):
            if (able := telling(entity, name)) is not None:
                yield entity.id, able.attribute


def borne_out(asked: Condition, facts: Sequence[Fact], registry: Registry, observed: Observed) -> list[Fact]:
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
            there = [item for item in members if (at := registry.floor_of(item.id)) is not None and at.id in floors]
            there = there or (members if len(members) == 1 else [])
        found |= {(item.id, attribute): item for item in there}
    return [(item, attribute) for (_, attribute), item in found.items()]

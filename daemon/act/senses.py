"""What devices can be watched for: which of them tell it, and what buttons tell of moments."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daemon.act.facts import telling
from daemon.core.entities import Capability
from daemon.core.ir import Condition
from daemon.home import events
from daemon.home.events import Press
from daemon.home.registry import Registry


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
            or (asked and _fleeting(able))
        )
    )


def _fleeting(capability: Capability) -> bool:
    return capability.name == events.NAME


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

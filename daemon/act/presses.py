"""What may be waited for of buttons, and what may not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daemon.act.messages import Presses
from daemon.core.ir import Condition
from daemon.home import events
from daemon.home.registry import Registry


def lacking(conditions: Iterable[Condition], watched: Iterable[Sequence[str]], registry: Registry) -> Presses | None:
    """What there is instead, where none of the buttons that a condition is about ever tells what it waits for."""
    for condition, ids in zip(conditions, watched, strict=True):
        if condition.attribute == events.NAME:
            found = presses(ids, registry, lacked=True)
            if found.presses and not any(events.able(registry[item], condition) for item in found.entities):
                return found
    return None


def presses(ids: Iterable[str], registry: Registry, *, lacked: bool = False) -> Presses:
    """All that the buttons among these devices tell."""
    able = {item: found for item in ids if item in registry and (found := registry[item].capability(events.NAME))}
    told = (press for capability in able.values() for press in events.offered(capability.options))
    return Presses(tuple(able), tuple(dict.fromkeys(told)), lacked)

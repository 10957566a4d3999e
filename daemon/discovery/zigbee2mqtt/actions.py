"""What zigbee2mqtt's `action` tells of buttons, knobs and cubes, shared out among the gangs of a device."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from daemon.core.entities import Capability
from daemon.home import events

if TYPE_CHECKING:
    from daemon.discovery.zigbee2mqtt.exposes import Part

PROPERTY: Final = "action"
_EVENTFUL: Final = frozenset({"light", "switch", "fan", "cover", "climate"})
"""What has buttons beside, where its actions say how they are pressed; those of a lock say how it was turned."""


def is_action(item: Mapping[str, Any]) -> bool:
    """Whether an expose tells what is pressed."""
    access = item.get("access")
    return item.get("name") == PROPERTY and item.get("type") == "enum" and access in (1, 4, 5)


def shared(words: Sequence[str], able: Sequence[Part], body: Part) -> Iterator[tuple[Part, Capability]]:
    """What each part of a device tells of these actions.

    Of a device that is nothing else, each is told; of another, how something is pressed. Of several gangs each has its
    own; what is of none of them, or of two, nobody could ask for.
    """
    gangs = [frozenset(events.button_of(part.endpoint).split()) for part in able]
    if not able:
        yield from _told(body, words)
    for part, gang in zip(able, gangs, strict=True):
        mine: Iterable[str] = filter(events.is_told, words) if part.main in _EVENTFUL else ()
        if len(able) > 1:
            others = frozenset().union(*gangs) - gang
            mine = [item for item in mine if gang and _of(item) >= gang and others.isdisjoint(_of(item))]
        yield from _told(part, mine)


def _of(option: str) -> frozenset[str]:
    return frozenset(events.read(option).button.split())


def _told(part: Part, words: Iterable[str]) -> Iterator[tuple[Part, Capability]]:
    if (capability := events.event(words)) is not None:
        yield part, capability

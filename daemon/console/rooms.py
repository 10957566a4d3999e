"""The home as its page shows it: floors, rooms in them, devices in those, each with what it last told."""

from __future__ import annotations

import hashlib
import math
import unicodedata
from collections.abc import Iterable, Iterator
from typing import Final

from msgspec import Struct

from daemon.act.states import States
from daemon.converse.words import Speech
from daemon.core.entities import Entity
from daemon.core.messages import Amount, AttributeWord
from daemon.home.registry import Registry

_SHOWN: Final = 3
"""So many values of a device stand in its line."""
_UNSAID: Final = frozenset({"state", "command", "event"})
"""What is told without the word for it, and what is never told."""
_Place = tuple[str, str]
"""The ids of a floor and of an area; empty where there is none."""


class Told(Struct, frozen=True):
    """One value that a device told."""

    attribute: str
    """In words; empty where the value says all."""
    value: str
    age_s: float | None
    """None: it was told while nobody here listened, so its age is not known."""
    fresh: bool


class Line(Struct, frozen=True):
    """One device."""

    id: str
    mark: str
    """What its element on the page is called."""
    name: str
    searched: str
    """What it is found by, beside its place."""
    told: tuple[Told, ...]
    away: bool
    """Whether it says that it can't be reached."""


class Room(Struct, frozen=True):
    """The devices of one room; without a name, those that are in none."""

    name: str
    searched: str
    """What all of them are found by."""
    lines: tuple[Line, ...]


class Floor(Struct, frozen=True):
    """The rooms of one floor; without a name, those that are on none."""

    name: str
    rooms: tuple[Room, ...]


class Rooms:
    """Shows the devices of one home. One event loop."""

    def __init__(self, registry: Registry, states: States, speech: Speech) -> None:
        self._registry = registry
        self._states = states
        self._speech = speech

    def floors(self, lang: str, wanted: str = "") -> list[Floor]:
        """All devices that are found by these words, on their floors; what has no place comes last."""
        words = folded(wanted).split()
        inside: dict[_Place, list[Line]] = {}
        searched: dict[_Place, str] = {}
        for device in self._registry.devices:
            place = self._place(device)
            if place not in searched:
                searched[place] = folded(" ".join(name for at in self._registry.present(place) for name in at.names))
            own = folded(" ".join((*device.names, device.id, device.type or "", *device.tags)))
            if all(word in own or word in searched[place] for word in words):
                inside.setdefault(place, []).append(self._line(device, own, lang))
        found = []
        for floor in (*(item.id for item in self._registry.floors), ""):
            places = [place for place in self._places() if place in inside and place[0] == floor]
            rooms = tuple(Room(self._name(at[1], lang), searched[at], tuple(inside[at])) for at in places)
            if rooms:
                found.append(Floor(self._name(floor, lang), rooms))
        return found

    def lines(self, ids: Iterable[str], lang: str) -> Iterator[Line]:
        """Those of these that are there."""
        for device in self._registry.present(ids):
            yield self._line(device, "", lang)

    def told(self, device: Entity, lang: str) -> tuple[Told, ...]:
        """All that a device has told of what it is known for."""
        attributes = dict.fromkeys(item.attribute for item in device.capabilities)
        return tuple(found for name in attributes if (found := self._told(device, name, lang)) is not None)

    def _line(self, device: Entity, searched: str, lang: str) -> Line:
        told = self.told(device, lang)[:_SHOWN]
        away = self._states.online(device.id) is False
        return Line(device.id, mark(device.id), device.name(lang), searched, told, away)

    def _told(self, device: Entity, attribute: str, lang: str) -> Told | None:
        seen = self._states.seen(device.id, attribute)
        if seen.value is None:
            return None
        able = device.reads(attribute)
        unit = able.unit if able is not None else None
        return Told(
            "" if attribute in _UNSAID else self._speech.words(AttributeWord(attribute), lang),
            self._speech.words(Amount(seen.value, attribute, unit), lang),
            None if math.isinf(seen.age_s) else seen.age_s,
            seen.fresh,
        )

    def _place(self, device: Entity) -> _Place:
        floor, area = self._registry.floor_of(device.id), self._registry.area_of(device.id)
        return (floor.id if floor is not None else "", area.id if area is not None else "")

    def _places(self) -> Iterator[_Place]:
        """All places there may be, each with its floor."""
        for area in self._registry.areas:
            yield (area.floor or "", area.id)
        for floor in self._registry.floors:
            yield (floor.id, "")
        yield ("", "")

    def _name(self, place: str, lang: str) -> str:
        return self._registry[place].name(lang) if place else ""


def folded(text: str) -> str:
    """How what is looked for is compared: however wide or large it is written."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def mark(device: str) -> str:
    """What the element of a device is called on a page: its id may hold anything."""
    return f"d-{hashlib.sha256(device.encode(errors='replace')).hexdigest()[:12]}"

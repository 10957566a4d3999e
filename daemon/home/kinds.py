"""What counts as which kind. A kind is a hint: a capability decides what can be done."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from daemon.core.entities import Entity

MEMBER: Final = 0.8
"""From this fit on, an entity belongs to the kind; below it, it is only taken where nothing else fits."""
KIN: Final = 0.7
"""From this fit on, people call it by the word for the kind: a shutter may be somebody's blinds."""

# For each kind as spoken, the types and tags that fit it, 0 to 1, beside the kind itself (1).
_FITS: Final[Mapping[str, Mapping[str, float]]] = {
    "light": {"lamp": 1.0},
    "lamp": {"light": 0.75},
    "switch": {"plug": 0.9},
    "plug": {"switch": 0.6},
    "cover": {
        "curtain": 1.0,
        "blind": 1.0,
        "shade": 1.0,
        "shutter": 1.0,
        "awning": 1.0,
        "window": 0.8,
        "garage_door": 0.8,
        "gate": 0.8,
    },
    "curtain": {"cover": 0.75, "shade": 0.6, "blind": 0.6, "shutter": 0.5},
    "blind": {"shade": 0.77, "cover": 0.75, "shutter": 0.7, "curtain": 0.6},
    "shade": {"blind": 0.77, "cover": 0.75, "shutter": 0.7, "curtain": 0.6},
    "shutter": {"blind": 0.7, "cover": 0.75, "shade": 0.7, "curtain": 0.5},
    "awning": {"cover": 0.6, "shade": 0.5},
    "garage_door": {"gate": 0.5},
    "gate": {"garage_door": 0.5},
    "door": {"lock": 0.8, "garage_door": 0.6, "gate": 0.5},
    "window": {},
    "climate": {"thermostat": 1.0, "air_conditioner": 1.0, "heater": 1.0},
    "thermostat": {"climate": 1.0, "heater": 0.6, "air_conditioner": 0.5},
    "air_conditioner": {"climate": 0.9, "thermostat": 0.5},
    "heater": {"climate": 0.7, "thermostat": 0.7},
    "fan": {"air_purifier": 0.4},
    "media_player": {"tv": 1.0, "speaker": 1.0},
    "tv": {"media_player": 0.6},
    "speaker": {"media_player": 0.8},
    "valve": {},
}


_SETTING: Final = "setting"
"""The tag of what is a part of a device rather than a thing of the house: its status LED is no light."""
_SCREENS: Final = frozenset({"tv", "projector"})


def fit(entity: Entity, kind: str | None) -> float:
    """How well an entity fits a kind as spoken, 0 to 1; 1 where no kind was said.

    Its tags are its owner's words: a plug tagged "lamp" is a lamp.
    """
    if kind is None or (kind == "device" and entity.kind == "device"):
        return 1.0
    if entity.kind != "device":
        return 1.0 if kind == entity.kind else 0.0
    if _SETTING in entity.tags:
        return 0.0
    table = _FITS.get(kind, {})
    labels = {entity.type, *entity.tags}
    return 1.0 if kind in labels else max((table.get(label, 0.0) for label in labels if label), default=0.0)


def shows(entity: Entity) -> bool:
    """Whether it has a picture, of things that play."""
    return not _SCREENS.isdisjoint((entity.type, *entity.tags))


def narrower_than(kind: str) -> frozenset[str]:
    """The kinds that a broad one has among its own: a curtain is a cover."""
    return frozenset(_FITS.get(kind, {}))


def related(one: str, other: str) -> bool:
    """Whether the same thing may be called both: a lamp is a light, a curtain may be somebody's blinds."""
    return one == other or other in _FITS.get(one, {}) or one in _FITS.get(other, {})


def belongs(entity: Entity, kind: str) -> bool:
    """Whether an entity is a member of "all the <kind>s"."""
    return fit(entity, kind) >= MEMBER

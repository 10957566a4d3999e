"""What a home is made of. Plain frozen values: no look-ups, no state, no MQTT library.

Canonical attributes and values, the same everywhere behind the dialects:

| attribute             | values                                                                                      |
| --------------------- | ------------------------------------------------------------------------------------------- |
| state                 | on off · open closed opening closing stopped · locked unlocked · playing paused idle ·      |
|                       | cleaning paused returning docked · home not_home (people) · on off (binary sensors)         |
| brightness position   | 0 to 100 (percent; a position of 100 is fully open)                                         |
| volume humidity speed | 0 to 100 (percent); a speed may be a word from its capability's options instead             |
| color                 | "#rrggbb"                                                                                   |
| color_temp            | kelvin                                                                                      |
| temperature           | the set point, in the capability's unit (C or F); the measured one is current_temperature   |
| humidity              | the set point; the measured one is current_humidity                                         |
| muted                 | True False                                                                                  |
| mode preset source .. | a word from the capability's options                                                        |
| of a `setting`        | whatever the device calls it; on off, a word of its options, or a number                    |
| command               | write-only: next previous play pause stop start resume dock press activate                  |
| event                 | never known, only told: a word of its maker for what happens just now (`daemon.home.events`) |
| a sensor's own        | temperature humidity illuminance power energy battery co2 ... are numbers                   |
| motion contact smoke  | on off (also occupancy, moisture, vibration ...): `on` is motion, an open door, an alarm    |
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from msgspec import Struct

Value = bool | float | str
EntityKind = Literal["device", "area", "floor", "group", "scene", "person"]
CapabilityName = Literal[
    "on_off",
    "brightness",
    "color",
    "color_temp",
    "open_close",
    "position",
    "lock",
    "temperature",
    "humidity",
    "mode",
    "preset",
    "swing",
    "fan_speed",
    "volume",
    "mute",
    "media_transport",
    "media_select",
    "play_media",
    "start_stop",
    "dock",
    "clean_area",
    "activate",
    "value",
    "option",
    "arm",
    "setting",
    "read",
    "event",
]
Risk = Literal["none", "confirm"]


class Capability(Struct, frozen=True):
    """One thing a device can do or tell."""

    name: CapabilityName
    attribute: str
    """The canonical attribute that it reads or writes."""
    minimum: float | None = None
    maximum: float | None = None
    step: float | None = None
    """What "a bit" changes; None where `daemon.home.actions` knows a default."""
    unit: str | None = None
    options: tuple[str, ...] = ()
    """The words it takes, lower case, where it takes words."""
    coded: tuple[str, ...] = ()
    """The words that it takes together with a code only, which Hearken neither has nor says."""
    readable: bool = True
    gettable: bool = True
    """Whether the device answers an active get; False where it only pushes (battery devices)."""
    stoppable: bool = False
    """For covers: takes `stop`."""
    label: str | None = None
    """What a setting is called beside its own name."""


@dataclass(frozen=True, slots=True)
class Address:
    """Where a device lives on the broker; what the fields mean is the dialect's business."""

    dialect: str
    topic: str = ""
    options: dict[str, Any] = field(default_factory=dict, hash=False)


class Selector(Struct, frozen=True):
    """Members by what they are rather than by id: all that fit every field that is given."""

    areas: tuple[str, ...] = ()
    floors: tuple[str, ...] = ()
    types: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Entity:
    """Anything that has a name and can be meant: a device, an area, a floor, a group, a scene, a person."""

    id: str
    kind: EntityKind
    names: tuple[str, ...]
    """The display names first (one per language, the home's main language first), then the aliases, the learnt last."""
    display: dict[str, str] = field(default_factory=dict, hash=False)
    """Language -> display name."""
    type: str | None = None
    """A device's weak type, a word of `daemon.core.ir.Kind`."""
    area: str | None = None
    """An area's id (devices, groups)."""
    floor: str | None = None
    """A floor's id (areas, and devices that have a floor but no area)."""
    level: int | None = None
    """Of a floor: how high it is, 0 being the ground floor; None where only its name or its place in the file tells."""
    capabilities: tuple[Capability, ...] = ()
    tags: frozenset[str] = frozenset()
    risk: dict[str, Risk] = field(default_factory=dict, hash=False)
    """Action word ("unlock", "open", "turn_off") -> risk; what is absent has the type's default."""
    members: tuple[str, ...] = ()
    """A group's own members, or what a scene touches."""
    selector: Selector | None = None
    """A dynamic group: its members are whatever fits, beside `members`."""
    numbered: bool = False
    """A group of so many alike: its name is that of each of them, too."""
    address: Address | None = None
    max_age_s: float = 60.0
    """How old a pushed value may be and still count as fresh."""
    description: str = ""
    exposed: bool = True
    """False: exists, but may not be controlled or read by voice."""
    learnt: tuple[str, ...] = ()
    """Those of its names that were learnt in conversation rather than given."""

    def capability(self, name: str) -> Capability | None:
        """The capability of that name, or None."""
        for item in self.capabilities:  # asked ten thousand times for one name in a large home
            if item.name == name:
                return item
        return None

    def reads(self, attribute: str) -> Capability | None:
        """The capability that tells this attribute, or None."""
        return next((item for item in self.capabilities if item.attribute == attribute and item.readable), None)

    def name(self, lang: str) -> str:
        """The name to say in this language."""
        return self.display.get(lang) or (self.names[0] if self.names else self.id)


@dataclass(frozen=True, slots=True)
class Person:
    """Someone who lives here, and what they mean by "my lamp"."""

    id: str
    names: tuple[str, ...]
    preferences: dict[str, str] = field(default_factory=dict, hash=False)
    """A mention or kind ("lamp", "show") -> an entity id or a word."""


class Preference(Struct, frozen=True):
    """What someone means by a word, beside what it means to everybody."""

    word: str
    """A mention, a kind or a topic, as spoken: "lamp", "show"; an attribute by its own name: "brightness"."""
    meaning: str
    """An entity id, or a value in words; a number in its canonical unit."""
    speaker: str | None = None
    """A person's id; None for the whole household."""
    unit: str | None = None
    """Of a number."""


class SceneStep(Struct, frozen=True):
    """One write of a scene that Hearken itself carries out."""

    entity: str
    attribute: str
    value: Value

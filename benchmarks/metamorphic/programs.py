"""What is to be done in a home, and what it comes to: computed from the program alone, never from a sentence."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from benchmarks.metamorphic.homes import SINGLE, Home, Room, Thing
from benchmarks.utterances import chance
from daemon.core.entities import Value

Key = tuple[str, str]
"""A device's id and an attribute."""
States = dict[str, dict[str, Value]]

_SWITCHED: Final = ("light", "fan", "ac", "heater", "tv", "speaker")
_COVERS: Final = ("curtain", "blind")


@dataclass(frozen=True, slots=True)
class Deed:
    """One sort of act.

    `form` says what `value` is: "to" a value that stands here, "level" a number of its own, "color", "by" an amount,
    "bit" nothing but a direction, "share" a part.
    """

    sorts: tuple[str, ...]
    attribute: str
    form: str
    before: Value
    """How the device stands before, where that doesn't follow from the value."""
    value: Value = 0
    sign: int = 0
    unit: str = "percent"
    risky: bool = False


DEEDS: Final[Mapping[str, Deed]] = {
    "on": Deed(_SWITCHED, "state", "to", "off", "on"),
    "off": Deed(_SWITCHED, "state", "to", "on", "off"),
    "open": Deed(_COVERS, "position", "to", 0, 100),
    "close": Deed(_COVERS, "position", "to", 100, 0),
    "lock": Deed(("lock",), "state", "to", "unlocked", "locked"),
    "unlock": Deed(("lock",), "state", "to", "locked", "unlocked", risky=True),
    "start": Deed(("vacuum",), "command", "to", "docked", "start"),
    "dock": Deed(("vacuum",), "command", "to", "cleaning", "dock"),
    "brightness": Deed(("light",), "brightness", "level", 0),
    "position": Deed(_COVERS, "position", "level", 0),
    "speed": Deed(("fan",), "speed", "level", 0),
    "volume": Deed(("tv", "speaker"), "volume", "level", 0),
    "temperature": Deed(("ac", "heater"), "temperature", "level", 0, unit="degrees"),
    "color": Deed(("light",), "color", "color", "#ffffff"),
    "brighter_by": Deed(("light",), "brightness", "by", 50, sign=1),
    "dimmer_by": Deed(("light",), "brightness", "by", 60, sign=-1),
    "warmer_by": Deed(("ac", "heater"), "temperature", "by", 20, sign=1, unit="degrees"),
    "cooler_by": Deed(("ac", "heater"), "temperature", "by", 24, sign=-1, unit="degrees"),
    "louder_by": Deed(("tv", "speaker"), "volume", "by", 40, sign=1),
    "quieter_by": Deed(("tv", "speaker"), "volume", "by", 50, sign=-1),
    "brighter": Deed(("light",), "brightness", "bit", 50, sign=1),
    "dimmer": Deed(("light",), "brightness", "bit", 60, sign=-1),
    "warmer": Deed(("ac", "heater"), "temperature", "bit", 20, sign=1),
    "cooler": Deed(("ac", "heater"), "temperature", "bit", 24, sign=-1),
    "louder": Deed(("tv", "speaker"), "volume", "bit", 40, sign=1),
    "quieter": Deed(("tv", "speaker"), "volume", "bit", 50, sign=-1),
    "lower_share": Deed(_COVERS, "position", "share", 60, sign=-1),
    "raise_share": Deed(_COVERS, "position", "share", 40, sign=1),
    "dim_share": Deed(("light",), "brightness", "share", 80, sign=-1),
}
SHARES: Final = {"half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4}
COLORS: Final = {"red": 0, "yellow": 60, "green": 120, "blue": 240}
"""By their hue in degrees."""
OPPOSITE: Final = {"on": "off", "off": "on", "open": "close", "close": "open", "lock": "unlock"}
_SETTABLE: Final = ("brightness", "position", "speed", "volume", "temperature", "color")
_COMMON: Final = ("on", "off", "on", "off", "open", "close", *_SETTABLE)


@dataclass(frozen=True, slots=True)
class Ref:
    """What is meant: one thing, two, or all of a sort, in a room, on a floor or in the house, but for some."""

    things: tuple[Thing, ...]
    every: bool = False
    room: Room | None = None
    floor: int | None = None

    @property
    def only(self) -> Thing:
        """The one thing, or the first."""
        return self.things[0]


@dataclass(frozen=True, slots=True)
class Act:
    """One deed to something. `value` is a number, a colour or the name of a share, as the deed takes."""

    name: str
    ref: Ref
    value: Any = None

    @property
    def deed(self) -> Deed:
        """What sort of act it is."""
        return DEEDS[self.name]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an attribute must become: one of `values`, or, where there are none, whatever lies in the direction."""

    values: tuple[Value, ...]
    sign: int
    """1 up, -1 down, 0 neither."""


Effect = dict[Key, Wanted]


def effect_of(acts: Iterable[Act], states: States) -> Effect:
    """What some acts come to in a home that stands so."""
    return {
        (thing.id, act.deed.attribute): _wanted(act, states[thing.id].get(act.deed.attribute))
        for act in acts
        for thing in act.ref.things
    }


def before(act: Act, states: States) -> None:
    """Puts the things of an act into a state in which it has something to do."""
    deed = act.deed
    for thing in act.ref.things:
        state = states[thing.id]
        if deed.attribute == "command":
            state["state"] = deed.before
            continue
        if thing.sort in _SWITCHED:
            state["state"] = "on"
        state[deed.attribute] = _level_before(act) if deed.form == "level" else deed.before
        if act.value == "half" and deed.attribute == "position":
            state["position"] = 100 if deed.sign < 0 else 0  # "half" may be half of the way, or half of what is left
        if deed.attribute == "position":
            state["state"] = "open" if state["position"] else "closed"


def random_states(home: Home, dice: random.Random) -> States:
    """How everything stands that nobody speaks of."""
    states: States = {}
    for thing in home.things:
        match thing.sort:
            case "curtain" | "blind":
                position = dice.choice((0, 100))
                states[thing.id] = {"state": "open" if position else "closed", "position": position}
            case "lock":
                states[thing.id] = {"state": dice.choice(("locked", "unlocked"))}
            case "vacuum":
                states[thing.id] = {"state": "docked"}
            case _:
                states[thing.id] = {"state": dice.choice(("on", "off"))}
    return states


def random_act(
    home: Home, dice: random.Random, taken: Sequence[Thing] = (), *, among: Sequence[str] = ()
) -> Act | None:
    """An act to things that are not `taken`, with a deed `among` some; None where the dice find none."""
    names = among or (_COMMON if chance(dice, 0.6) else tuple(DEEDS))
    name = dice.choice(names)
    free = [item for item in home.of(*DEEDS[name].sorts) if item not in taken]
    if not free:
        return None
    thing = dice.choice(free)
    ref = Ref((thing,))
    if chance(dice, 0.25) and thing.sort not in SINGLE:
        ref = _several(home, dice, thing, free) or ref
    return None if set(ref.things) & set(taken) else Act(name, ref, random_value(name, dice))


def every(home: Home, dice: random.Random, thing: Thing) -> Ref | None:
    """All of the sort of a thing, in some place; None where that is no set."""
    room, floor = dice.choice(((thing.room, None), (None, thing.room.floor), (None, None)))
    things = [
        item
        for item in home.of(thing.sort)
        if (room is None or item.room == room) and (floor is None or item.room.floor == floor)
    ]
    return Ref(tuple(things), every=True, room=room, floor=floor) if len(things) > 1 else None


def random_value(name: str, dice: random.Random) -> Any:
    """What such a deed takes."""
    deed = DEEDS[name]
    match deed.form:
        case "level" if deed.unit == "degrees":
            return dice.randint(17, 28)
        case "level":
            return dice.choice((10, 15, 20, 25, 30, 35, 40, 45, 60, 65, 70, 75, 80, 85, 90))
        case "color":
            return dice.choice(tuple(COLORS))
        case "by" if deed.unit == "degrees":
            return dice.randint(1, 3)
        case "by":
            return dice.choice((5, 10, 15, 20, 25))
        case "share":
            return dice.choice(tuple(SHARES))
    return None


def _several(home: Home, dice: random.Random, thing: Thing, free: Sequence[Thing]) -> Ref | None:
    if chance(dice, 0.5):
        return every(home, dice, thing)
    others = [item for item in free if item.names != thing.names and item.sort == thing.sort]
    return Ref((thing, dice.choice(others))) if others else None


def _level_before(act: Act) -> float:
    """Far enough from the value, and on a side that the value tells."""
    if act.deed.unit == "degrees":
        return float(act.value + (4 if act.value < 22 else -4))  # noqa: PLR2004 - within what is usual
    return float(act.value + (30 if act.value < 50 else -30))  # noqa: PLR2004 - percent


def _wanted(act: Act, was: Value | None) -> Wanted:
    deed = act.deed
    if deed.form in ("to", "color"):
        value = act.value if deed.form == "color" else deed.value
        up = deed.attribute == "position" and (1 if value else -1)
        return Wanted((value,), up or 0)
    if deed.form == "bit":
        return Wanted((), deed.sign)
    now = float(was or 0)
    if deed.form == "level":
        return Wanted((act.value,), 1 if act.value > now else -1)
    if deed.form == "by":
        points = now + deed.sign * act.value
        # Of a light or a sound, "by 20 percent" may be points or a part of what it was.
        part = () if deed.unit == "degrees" else (now * (1 + deed.sign * act.value / 100),)
        return Wanted((points, *part), deed.sign)
    share = deed.sign * SHARES[act.value]
    return Wanted((now + share * 100, *((now * (1 + share),) if now else ())), deed.sign)

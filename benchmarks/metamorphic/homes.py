"""Homes at random: rooms on floors, and what stands there, each with a name in both languages."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from benchmarks.utterances import chance
from daemon.core.entities import Address, Entity, Value
from daemon.core.values import replace
from daemon.home.capabilities import STANDARD
from daemon.home.config import HomeConfig, SimulatedDevice

Names = tuple[str, str]
"""English, Mandarin."""

HERE: Final = Path(__file__).parent
SINGLE: Final = ("lock", "vacuum")
"""Of these a home has one at most, and nobody says where."""
_FLOORS: Final = ("ground", "upper")
_KINDS: Final[Mapping[str, tuple[str, tuple[str, ...]]]] = {
    "light": ("light", ("on_off", "brightness", "color")),
    "curtain": ("curtain", ("open_close", "position")),
    "blind": ("blind", ("open_close", "position")),
    "fan": ("fan", ("on_off", "fan_speed")),
    "ac": ("air_conditioner", ("on_off", "temperature")),
    "heater": ("thermostat", ("on_off", "temperature")),
    "tv": ("tv", ("on_off", "volume")),
    "speaker": ("speaker", ("on_off", "volume")),
    "vacuum": ("vacuum", ("start_stop", "dock")),
    "lock": ("lock", ("lock",)),
    "unrelated": ("appliance", ("on_off",)),
}
"""Sort -> the type that a device of it has, and what it can do."""
_SHARES: Final = {"cover": 0.6, "fan": 0.5, "ac": 0.4, "heater": 0.3, "tv": 0.4, "speaker": 0.3}
"""How many of the rooms have one; "cover" is whatever this home has at its windows."""


@dataclass(frozen=True, slots=True)
class Room:
    """A room; `floor` is 0 or 1."""

    id: str
    names: Names
    floor: int


@dataclass(frozen=True, slots=True)
class Thing:
    """A device. `names` are without its room, which `full` puts before them where the home file does."""

    id: str
    sort: str
    names: Names
    room: Room
    proper: bool = False
    """Whether it has a name of its own, with which nobody says a place."""
    full: bool = False


@dataclass(frozen=True, slots=True)
class Home:
    """What there is."""

    rooms: tuple[Room, ...]
    things: tuple[Thing, ...]
    cover: str
    """What is at its windows: "curtain" or "blind"."""

    def of(self, *sorts: str) -> list[Thing]:
        """The things of some sorts."""
        return [item for item in self.things if item.sort in sorts]

    def alike(self, thing: Thing) -> list[Thing]:
        """Those elsewhere that are called the same."""
        return [item for item in self.things if item.names == thing.names and item.id != thing.id]

    def with_things(self, things: Iterable[Thing]) -> Home:
        """The same home with other things."""
        return replace(self, things=tuple(things))

    def config(self, states: Mapping[str, Mapping[str, Value]], languages: Sequence[str]) -> HomeConfig:
        """As a home file would say it, each device in its state."""
        return HomeConfig(
            entities=tuple(self._entities()),
            languages=tuple(languages),
            simulation=replace(
                HomeConfig(()).simulation,
                devices={item: SimulatedDevice(state=dict(state)) for item, state in states.items()},
            ),
        )

    def _entities(self) -> Iterator[Entity]:
        for floor, words in zip(_FLOORS, words_of()["floors"], strict=True):
            yield _entity(floor, "floor", tuple(words["name"]), aliases=words["said"])
        for room in self.rooms:
            yield replace(_entity(room.id, "area", _titled(room.names)), floor=_FLOORS[room.floor])
        for item in self.things:
            kind, capabilities = _KINDS[item.sort]
            english, chinese = item.names
            if item.full:
                english, chinese = f"{item.room.names[0]} {english}", item.room.names[1] + chinese
            yield replace(
                _entity(item.id, "device", _titled((english, chinese))),
                type=kind,
                area=item.room.id,
                capabilities=tuple(STANDARD[name] for name in capabilities),
                address=Address("plain", f"home/{item.id}"),
            )


@cache
def words_of() -> dict[str, Any]:
    """What homes are made of."""
    made: dict[str, Any] = yaml.safe_load((HERE / "things.yaml").read_text(encoding="utf-8"))
    return made


def random_home(dice: random.Random) -> Home:
    """A home of two to four rooms on two floors."""
    words = words_of()
    chosen = dice.sample(words["rooms"], dice.randint(2, 4))
    rooms = tuple(Room(_slug(names[0]), tuple(names), number % 2) for number, names in enumerate(chosen))
    cover = dice.choice(("curtain", "blind"))
    things = [thing for room in rooms for thing in _furniture(room, cover, dice)]
    things += [_thing(sort, words["sorts"][sort]["one"], rooms[0], dice) for sort in SINGLE if chance(dice, 0.5)]
    things += [
        replace(_thing("light", names, dice.choice(rooms), dice), proper=True, full=False)
        for names in dice.sample(words["proper"], dice.randint(0, 2))
    ]
    return Home(rooms, tuple(things), cover)


def renamed(home: Home, dice: random.Random) -> Home:
    """The same home in which some things have names that say nothing of what they are."""
    names = words_of()["renamed"]
    chosen = dice.sample(home.things, min(len(names), len(home.things) * 2 // 3))
    new = {
        thing.id: replace(thing, names=tuple(name), proper=True, full=False)
        for thing, name in zip(chosen, dice.sample(names, len(chosen)), strict=True)
    }
    return home.with_things(new.get(item.id, item) for item in home.things)


def enlarged(home: Home, dice: random.Random) -> Home:
    """The same home with something in it that nobody speaks of."""
    more = [
        _thing("unrelated", names, dice.choice(home.rooms), dice) for names in dice.sample(words_of()["unrelated"], 2)
    ]
    return home.with_things((*home.things, *more))


def _furniture(room: Room, cover: str, dice: random.Random) -> Iterator[Thing]:
    words = words_of()
    for names in dice.sample(words["lights"], dice.choice((1, 1, 2, 2, 3))):
        yield _thing("light", names, room, dice)
    for what, share in _SHARES.items():
        if chance(dice, share):
            sort = cover if what == "cover" else what
            yield _thing(sort, words["sorts"][sort]["one"], room, dice)


def _thing(sort: str, names: Sequence[str], room: Room, dice: random.Random) -> Thing:
    full = sort not in SINGLE and chance(dice, 0.5)
    return Thing(f"{room.id}_{_slug(names[0])}", sort, (names[0], names[1]), room, full=full)


def _entity(item: str, kind: Any, names: Names, aliases: Sequence[str] = ()) -> Entity:
    return Entity(item, kind, (*names, *aliases), display={"en": names[0], "zh": names[1]})


def _titled(names: Names) -> Names:
    return names[0][:1].upper() + names[0][1:], names[1]


def _slug(name: str) -> str:
    return name.casefold().replace(" ", "_")

"""What a source of discovery is and finds; one home of that and of what the file says: found below, the file above."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Final, Literal, Protocol

from msgspec import Struct

from daemon.core.entities import Capability, Entity
from daemon.core.values import loads, replace
from daemon.home.config import HomeConfig, Override
from daemon.home.names import key
from daemon.mqtt.bus import Message
from daemon.system.languages import Mark, naming
from daemon.system.worker import Limit


class Find(Struct, frozen=True):
    """One entity that the broker tells of: a device, a group or a scene."""

    entity: Entity
    """Its id outlives a renaming. It has no area of its own (`area` is empty): where it is, stands beside it."""
    area: str = ""
    """The area's name as it was told; empty where nothing was."""
    called: frozenset[str] = frozenset()
    """All by which a home file may mean it (`discovered:`): its name on the broker, its address, its unique id."""
    hints: tuple[str, ...] = ()
    """What may be the name of an area; the first one that is known counts, where `area` is empty."""


class Source(Protocol):
    """One way in which a broker tells of devices. Pure: messages in, finds out.

    Messages are untrusted: `take` accepts any bytes and never raises; what cannot be used becomes a problem.
    """

    @property
    def version(self) -> int:
        """Grows whenever `finds` has changed."""

    def filters(self) -> tuple[str, ...]:
        """The topic filters on which it listens."""

    def take(self, message: Message) -> None:
        """Follows one message."""

    def finds(self) -> Iterable[Find]:
        """Everything that is there now, in a stable order, each id once."""

    def problems(self) -> Mapping[str, str]:
        """Topic or device -> why it could not be used. Bounded."""


_MOST_PROBLEMS: Final = 200


class Problems(dict[str, str]):
    """Topic or device -> why it can't be used; so many at most."""

    def __init__(self, log: logging.Logger) -> None:
        super().__init__()
        self._limit = Limit(log, "of what cannot be used only the first %d are listed")

    def add(self, name: str, why: str) -> None:
        """One more, or another reason."""
        if name in self or len(self) < _MOST_PROBLEMS:
            self[name] = why
        else:
            self._limit.cuts(_MOST_PROBLEMS)


def object_in(payload: bytes, most: int) -> dict[str, Any] | str:
    """The JSON object in a payload of at most so many bytes, else why there is none."""
    if len(payload) > most:
        return f"is longer than {most} bytes"
    try:
        found = loads(payload.decode())
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, dict) else "this is no JSON object"


_ALLOWED: Final[Mapping[str, tuple[str, frozenset[str]]]] = {
    "light": ("light", frozenset({"lamp"})),
    "switch": (
        "switch",
        frozenset(
            {
                "plug",
                "valve",
                "fan",
                "heater",
                "alarm",
                "humidifier",
                "dehumidifier",
                "air_purifier",
                "garage_door",
                "gate",
            }
        ),
    ),
    "cover": ("cover", frozenset({"garage_door", "gate", "blind", "shutter", "shade", "awning", "curtain", "valve"})),
    "lock": ("lock", frozenset()),
    "fan": ("fan", frozenset({"air_purifier"})),
    "climate": ("thermostat", frozenset({"heater", "air_conditioner"})),
    "sensor": ("sensor", frozenset()),
}
"""The main thing that it is -> what it is where nothing more is said, and what it may turn out to be."""


def kind_of(main: str, *texts: str) -> str:
    """What a device with this main thing is, going by what it is called and described as, the first text before."""
    standard, allowed = _ALLOWED[main]
    for text in texts:
        plain = text.casefold().replace("_", " ")
        found = next(
            (kind for kind, told in _patterns("types").items() if kind in allowed and told.search(plain)), None
        )
        if found is None and main == "cover" and has_mark(plain, "garage"):
            found = "garage_door"  # a switch there may be its light
        if found is not None:
            return found
    return standard


def has_mark(text: str, mark: Mark) -> bool:
    """Whether a name tells this, in any language."""
    pattern = _patterns("marks").get(mark)
    return pattern is not None and pattern.search(text.casefold()) is not None


@lru_cache(maxsize=2)
def _patterns(table: Literal["types", "marks"]) -> Mapping[str, re.Pattern[str]]:
    """The patterns of all languages together, in the order of the first."""
    every: list[dict[str, str]] = [getattr(told.found, table) for told in naming().values()]
    keys = dict.fromkeys(key for one in every for key in one)
    return {key: re.compile("|".join(one[key] for one in every if key in one)) for key in keys}


_NO_ID: Final = re.compile(r"[^\w.-]+")
_MAX_ID: Final = 64


class Merged(Struct, frozen=True):
    """A home, and how it came about."""

    entities: tuple[Entity, ...]
    """The file's first, then what was found and not mentioned there."""
    overridden: Mapping[str, tuple[Entity, Entity]]
    """Id -> the device as found, and as the file has it."""
    missing: tuple[Override, ...]
    """What the file expects to be found and nobody told of."""
    added: tuple[str, ...]
    """The ids of what the file does not mention."""


def merge(home: HomeConfig, finds: Iterable[Find]) -> Merged:
    """Joins a home file with what was found.

    A find is the file's own device where one stands at the same address, and then adds nothing; it is the device that
    an entry with `discovered:` means, and then keeps whatever that entry does not give. Its area is the file's area of
    that name, else a new one. Groups that were found have the file's devices among their members.
    """
    finds = tuple(finds)
    wanted = {called: item for item in home.overrides for called in (item.discovered, key(item.discovered))}
    taken = {item.id for item in home.entities}
    addresses = {_place(item): item.id for item in home.entities if item.address is not None}
    renamed: dict[str, str] = {}
    areas = _Areas(home.entities)
    for find in finds:
        if find.area:
            areas.named(find.area)
    entities, added = [], []
    overridden: dict[str, tuple[Entity, Entity]] = {}
    for find in finds:
        if find.entity.address is not None and (own := addresses.get(_place(find.entity))) is not None:
            renamed[find.entity.id] = own
            continue
        override = next((wanted[called] for called in _names(find) if called in wanted), None)
        if override is not None and override.entity.id not in overridden:
            found = _placed(find, areas)
            entity = _over(found, override)
            overridden[entity.id] = (found, entity)
            renamed[found.id] = entity.id
        elif find.entity.id not in taken:
            entity = _placed(find, areas)
            added.append(entity.id)
        else:
            continue
        taken.add(entity.id)
        entities.append(entity)
    return Merged(
        entities=(*home.entities, *areas.new, *(_with_members(item, renamed) for item in entities)),
        overridden=overridden,
        missing=tuple(item for item in home.overrides if item.entity.id not in overridden),
        added=tuple(added),
    )


class _Areas:
    """The areas by name; makes the ones that the file does not know."""

    def __init__(self, entities: Iterable[Entity]) -> None:
        self.new: list[Entity] = []
        self._ids = {item.id for item in entities}
        self._by_name = {key(name): item.id for item in entities if item.kind == "area" for name in item.names}

    def named(self, name: str) -> str:
        """The id of the area of this name."""
        found = self._by_name.get(key(name))
        if found is None:
            found = self._free(_NO_ID.sub("_", key(name))[: _MAX_ID - 4].strip("_") or "area")
            self._ids.add(found)
            self._by_name[key(name)] = found
            self.new.append(Entity(id=found, kind="area", names=(name,)))
        return found

    def known(self, names: Iterable[str]) -> str | None:
        """The id of the first of these that is an area's name."""
        return next((self._by_name[key(name)] for name in names if key(name) in self._by_name), None)

    def _free(self, wanted: str) -> str:
        return next(
            name
            for number in range(1, 10_000)
            if (name := f"{wanted}_{number}" if number > 1 else wanted) not in self._ids
        )


def _names(find: Find) -> Iterable[str]:
    for called in (find.entity.id, *sorted(find.called)):
        yield called
        yield key(called)


def _place(entity: Entity) -> tuple[str, str, str]:
    address = entity.address
    if address is None:
        return ("", entity.id, "")
    return (address.dialect, address.topic, str(address.options.get("endpoint", "")))


def _placed(find: Find, areas: _Areas) -> Entity:
    area = areas.named(find.area) if find.area else areas.known(find.hints)
    return find.entity if area is None else replace(find.entity, area=area)


def _with_members(entity: Entity, renamed: Mapping[str, str]) -> Entity:
    """A group that was found, with its members by the ids that they have in this home."""
    members = tuple(renamed.get(item, item) for item in entity.members)
    return entity if members == entity.members else replace(entity, members=members)


def _over(found: Entity, override: Override) -> Entity:
    said, given = override.entity, override.given
    names = said.names if "name" in given else (*found.names, *said.names)
    return replace(
        found,
        id=said.id,
        names=tuple(dict.fromkeys(names)),
        display=said.display or found.display,
        type=said.type if "type" in given else found.type,
        area=said.area if "area" in given else found.area,
        capabilities=_both(said, found),
        tags=said.tags | found.tags,
        risk={**found.risk, **said.risk},
        max_age_s=said.max_age_s if "max_age_s" in given else found.max_age_s,
        description=said.description or found.description,
        exposed=said.exposed if "exposed" in given else found.exposed,
        address=None
        if found.address is None
        else replace(
            found.address, options={**found.address.options, **(said.address.options if said.address else {})}
        ),
    )


def _both(said: Entity, found: Entity) -> tuple[Capability, ...]:
    given = {(item.name, item.attribute) for item in said.capabilities}
    return (*said.capabilities, *(item for item in found.capabilities if (item.name, item.attribute) not in given))

"""One home of what the file says and what the broker tells: found below, the file above."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from daemon.core.entities import Capability, Entity
from daemon.core.values import replace
from daemon.discovery.find import Find
from daemon.home.config import HomeConfig, Override
from daemon.home.names import key

_NO_ID: Final = re.compile(r"[^\w.-]+")
_MAX_ID: Final = 64


@dataclass(frozen=True, slots=True)
class Merged:
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

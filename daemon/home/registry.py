"""What is in the home, by id, and what belongs to what. Read-mostly; one event loop."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from daemon.core.entities import Entity, EntityKind, Person, Preference, Selector
from daemon.core.values import replace
from daemon.home.capabilities import bounded
from daemon.home.kinds import KindWords, belongs
from daemon.home.levels import Levels
from daemon.home.names import fold, presentable
from daemon.home.settings import labels
from daemon.system.worker import Derived

_MOST_FORMER = 2_000
"""So many entities that have gone, or not come yet, can still be called by their names."""


class Registry:
    """All entities of one home, in the order they were given; and those of each kind.

    Args:
        entities: What is there.
        people: Who lives there.
        expected: What may come, and can be called by its name until then: what a scene has of a device that the
            broker has not told of yet.
    """

    devices: tuple[Entity, ...]
    areas: tuple[Entity, ...]
    floors: tuple[Entity, ...]
    groups: tuple[Entity, ...]
    scenes: tuple[Entity, ...]
    persons: tuple[Entity, ...]
    """The people as entities: they have names, and some tell where they are."""

    def __init__(
        self, entities: Iterable[Entity], people: Iterable[Person] = (), expected: Iterable[Entity] = ()
    ) -> None:
        self._version = 0
        self._kind_words: KindWords | None = None
        self._place_words: Mapping[str, str] = {}
        self._given: dict[str, Entity] = {}
        self._entities: dict[str, Entity] = {}
        self._former: dict[str, Entity] = {item.id: item for item in expected}
        self._names: Mapping[str, Sequence[str]] = {}
        self._preferences: tuple[Preference, ...] = ()
        self._labels = Derived(lambda: self._version, lambda: labels(self))
        self.replace(entities, people)

    def label(self, setting: str, lang: str) -> str | None:
        """What its maker calls a setting in a language, by its own name; None where nobody tells."""
        return self._labels.get().get((setting, lang))

    @property
    def version(self) -> int:
        """Grows with every change; whoever caches what follows from the registry compares it."""
        return self._version

    @property
    def kind_words(self) -> KindWords:
        """The words for kinds, in any language."""
        return self._kind_words or KindWords({})

    @property
    def levels(self) -> Levels:
        """What lies above what."""
        return self._levels

    @property
    def people(self) -> tuple[Person, ...]:
        """The people with their preferences."""
        return tuple(self._people.values())

    def __iter__(self) -> Iterator[Entity]:
        return iter(self._entities.values())

    def __len__(self) -> int:
        return len(self._entities)

    def __contains__(self, entity: object) -> bool:
        return entity in self._entities

    def __getitem__(self, entity: str) -> Entity:
        """The entity of that id, for its name and its kind; KeyError where nobody ever spoke of one.

        A home changes at any moment, and what was spoken of may have gone since: then it is as it was last. Whoever is
        to act on it asks `get`, or `in`, which know only what is there.
        """
        found = self._entities.get(entity)
        return self._former[entity] if found is None else found

    def get(self, entity: str) -> Entity | None:
        """The entity of that id, or None."""
        return self._entities.get(entity)

    def present(self, entities: Iterable[str]) -> list[Entity]:
        """Those of these ids that are in the home, as often as they are named."""
        return [found for item in entities if (found := self._entities.get(item)) is not None]

    def gone(self, entities: Iterable[str]) -> tuple[str, ...]:
        """Those of these ids that are known and not in the home, or not any more, each once."""
        return tuple(item for item in dict.fromkeys(entities) if item not in self._entities and item in self._former)

    def person(self, person: str) -> Person | None:
        """The person of that id, or None."""
        return self._people.get(person)

    def wishes(self, speaker: str | None, words: Iterable[str]) -> tuple[Preference, ...]:
        """What a speaker means by any of these words, the likeliest first.

        What was learnt of the speaker goes before what the home file says, and that before what holds for everybody.
        """
        said = {fold(word) for word in words}
        own = self._people.get(speaker) if speaker is not None else None
        learnt = [item for item in self._preferences if fold(item.word) in said]
        found = [item for item in learnt if own is not None and item.speaker == own.id]
        if own is not None:
            given = (Preference(word, wish, own.id) for word, wish in own.preferences.items())
            found += [item for item in given if fold(item.word) in said]
        return (*found, *(item for item in learnt if item.speaker is None))

    def area_of(self, entity: str) -> Entity | None:
        """The area that an entity is in (an area is in itself), or None."""
        found = self._entities.get(entity) or self._former.get(entity)
        if found is None or found.kind == "area":
            return found
        return self._entities.get(found.area) if found.area else None

    def room_of(self, entity: str) -> str | None:
        """The id of the area that an entity is in, or None."""
        found = self.area_of(entity)
        return found.id if found is not None else None

    def rooms_of(self, entities: Iterable[str]) -> set[str]:
        """The ids of all areas that these are in."""
        return {room for item in entities if (room := self.room_of(item)) is not None}

    def floor_of(self, entity: str) -> Entity | None:
        """The floor that an entity is on (a floor is on itself), or None."""
        found = self._entities.get(entity) or self._former.get(entity)
        if found is None or found.kind == "floor":
            return found
        if found.floor:
            return self._entities.get(found.floor)
        area = self.area_of(entity)
        return self._entities.get(area.floor) if area is not None and area.floor else None

    def in_area(self, area: str) -> tuple[Entity, ...]:
        """The devices of an area."""
        return self._by_area.get(area, ())

    def expand(self, entity: str) -> tuple[str, ...]:
        """The devices that an id stands for: all of them, each once, in a stable order.

        A device, a scene and a person stand for themselves; an unknown id for nothing.
        """
        cached = self._expanded.get(entity)
        if cached is None:
            cached = self._expanded[entity] = tuple(dict.fromkeys(self._walk(entity, set())))
        return cached

    def named(self) -> tuple[tuple[str, EntityKind], ...]:
        """Every name and alias with the role of what bears it, each pair once; "upstairs" is a floor's name too."""
        given = ((name, item.kind) for item in self for name in item.names)
        levels: Iterator[tuple[str, EntityKind]] = ((word, "floor") for word in self._levels.words)
        return tuple(dict.fromkeys((*given, *levels)))

    def replace(self, entities: Iterable[Entity], people: Iterable[Person] | None = None) -> None:
        """Takes these entities instead of all present ones; people stay where none are given.

        Of two with one id the first stays: the file stands before what the broker tells.
        """
        self._given = {}
        for item in entities:
            self._given.setdefault(item.id, _tidied(item))
        named = [self._with_learnt(item) for item in self._given.values()]
        found = {item.id: item for item in (named if self._kind_words is None else self._kind_words.tagged(named))}
        former = {**self._former, **self._entities}
        left = [item for item in former.values() if item.id not in found]
        self._former = {item.id: item for item in left[-_MOST_FORMER:]}
        self._entities = found
        if people is not None:
            self._people = {item.id: item for item in people}
        kinds: dict[EntityKind, list[Entity]] = {
            kind: [] for kind in ("device", "area", "floor", "group", "scene", "person")
        }
        by_area: dict[str, list[Entity]] = {}
        for item in found.values():
            kinds[item.kind].append(item)
            if item.kind == "device" and item.area:
                by_area.setdefault(item.area, []).append(item)
        self.devices, self.areas, self.floors, self.groups, self.scenes, self.persons = map(tuple, kinds.values())
        self._levels = Levels(self.floors, self._place_words)
        self._by_area = {area: tuple(items) for area, items in by_area.items()}
        self._expanded: dict[str, tuple[str, ...]] = {}
        self._version += 1

    def imply(self, kind_words: KindWords, place_words: Mapping[str, str] | None = None) -> None:
        """From now on tags devices with the kinds that their names say, where their types say little.

        `place_words` have the place that a word says, in any language, for "upstairs".
        """
        self._kind_words = kind_words
        self._place_words = place_words or {}
        self.replace(tuple(self._given.values()))

    def teach(self, names: Mapping[str, Sequence[str]], preferences: Iterable[Preference]) -> None:
        """From now on entities (by id) bear these names too and these preferences hold, and none taught before.

        Names for what is not there are kept until it is.
        """
        self._preferences = tuple(preferences)
        if names != self._names:
            self._names = dict(names)
            self.replace(tuple(self._given.values()))

    def _with_learnt(self, item: Entity) -> Entity:
        learnt = tuple(name for name in self._names.get(item.id, ()) if name not in item.names)
        return replace(item, names=(*item.names, *learnt), learnt=learnt) if learnt else item

    def _walk(self, entity: str, seen: set[str]) -> Iterator[str]:
        found = self._entities.get(entity)
        if found is None or entity in seen:
            return
        seen.add(entity)
        match found.kind:
            case "area":
                yield from (item.id for item in self.in_area(entity))
            case "floor":
                yield from self._selected(Selector(floors=(entity,)))
            case "group":
                for member in found.members:
                    yield from self._walk(member, seen)
                if found.selector is not None:
                    yield from self._selected(found.selector)
            case _:
                yield entity

    def _selected(self, selector: Selector) -> Iterator[str]:
        for item in self.devices:
            floor = self.floor_of(item.id)
            if (
                (not selector.areas or item.area in selector.areas)
                and (not selector.floors or (floor is not None and floor.id in selector.floors))
                and (not selector.types or any(belongs(item, kind) for kind in selector.types))
                and item.tags.issuperset(selector.tags)
            ):
                yield item.id


def _tidied(item: Entity) -> Entity:
    """The entity with names that can be shown and ranges that can be meant: a broker tells of whatever there is."""
    names = tuple(dict.fromkeys(shown for name in item.names if (shown := presentable(name))))
    display = {lang: shown for lang, name in item.display.items() if (shown := presentable(name))}
    capabilities = tuple(bounded(able) for able in item.capabilities)
    same = names == item.names and display == item.display and capabilities == item.capabilities
    return item if same else replace(item, names=names, display=display, capabilities=capabilities)

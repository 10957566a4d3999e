"""Finds entities by name: exact look-ups in dicts, and what `daemon.resolve.proposers` propose.

Made once per version of the registry. Per entity: its names and aliases, with and without that of its area; their
letters, sounds and letter groups; its tags, its description, its area and floor.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Final

from msgspec import Struct

from daemon.core.entities import Entity
from daemon.home import kinds
from daemon.home.kinds import KindWords
from daemon.home.names import fold, has_han, joined, key, owner, tokens, without
from daemon.home.registry import Registry
from daemon.resolve.alike import Contrasts
from daemon.resolve.proposers import Descriptions, Meaning, Names
from daemon.resolve.scoring import SIGNALS, name_signals, name_value


class Hit(Struct, frozen=True):
    """One name of one entity; `relative` where it lacks that of its area, or its owner's: 台灯 of 奶奶的台灯.

    `end` where more is lacking than the area: "desk lamp" of "left desk lamp", wherever that stands, "mayas" of hers.
    """

    entity: str
    name: str
    relative: bool = False
    end: bool = False


class Index:
    """The names of one registry."""

    def __init__(
        self,
        registry: Registry,
        kind_words: KindWords,
        meanings: Sequence[Meaning] = (),
        contrasts: Contrasts | None = None,
    ) -> None:
        self._contrasts = contrasts or Contrasts()
        self._registry = registry
        self._kind_words = kind_words
        self._exact: defaultdict[str, list[Hit]] = defaultdict(list)
        self._folded: defaultdict[str, list[Hit]] = defaultdict(list)
        self._cores: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        self._names = Names()
        self._descriptions = Descriptions()
        self._meanings = tuple(meanings)
        self._bearers: list[list[Hit]] = []
        self._numbers: dict[tuple[str, bool], int] = {}
        self._of_kind: dict[str, tuple[tuple[Entity, float], ...]] = {}
        self._area: dict[str, str] = {}
        places = {item.id: tuple(tokens(name) for name in item.names) for item in (*registry.areas, *registry.floors)}
        self._place_runs = sorted(
            ((run, place.id) for place in registry.areas for run in places[place.id]), key=lambda item: -len(item[0])
        )
        for entity in registry:
            self._add(entity, places)
        every = (word for entity in registry for name in entity.names for word in tokens(name))
        self._words = frozenset(word for word in every if word.isalpha() and not has_han(word))

    def exact(self, mention: str) -> tuple[Hit, ...]:
        """Whose name or alias this is, whole, with or without that of its area."""
        return tuple(dict.fromkeys((*self._exact.get(key(mention), ()), *self._folded.get(fold(mention), ()))))

    @property
    def words(self) -> frozenset[str]:
        """The Latin words of all names: what this home can be heard to speak of."""
        return self._words

    def similar(self, mention: str) -> Iterator[tuple[Hit, ...]]:
        """Names that look or sound alike, the most alike first, each with all who bear it."""
        for number in self._names.similar(mention):
            yield from self._not_apart(mention, number)

    def close(self, mention: str, least: float, most: int) -> Iterator[tuple[Hit, ...]]:
        """Names of as many words that are spelt so much alike, the most alike first, each with all who bear it."""
        for number in self._names.close(mention, least, most):
            yield from self._not_apart(mention, number)

    def _not_apart(self, mention: str, number: int) -> Iterator[tuple[Hit, ...]]:
        bearers = self._bearers[number]
        if not self._contrasts.apart(mention, bearers[0].name):
            yield tuple(bearers)

    def described(self, words: Sequence[str]) -> Iterator[tuple[str, float]]:
        """Entities of which most of these words are told somewhere, with their share."""
        return self._descriptions.fitting(words)

    def meant(self, mention: str) -> Iterator[tuple[str, float]]:
        """Entities that mean something like it, with how well they fit; none without a model of meaning."""
        for meaning in self._meanings:
            yield from meaning.propose(mention)

    def prepare(self) -> None:
        """Has the models of meaning get ready, beside whoever asks."""
        for meaning in self._meanings:
            meaning.prepare()

    @property
    def knows_meanings(self) -> bool:
        """Whether there is a model of meaning."""
        return bool(self._meanings)

    def with_core(self, core: tuple[str, ...]) -> tuple[str, ...]:
        """The devices that have this core in a name of theirs, less that of their area."""
        return tuple(dict.fromkeys(self._cores.get(core, ()))) if core else ()

    def of_kind(self, kind: str) -> tuple[tuple[Entity, float], ...]:
        """The devices that fit a kind at all, with how well."""
        found = self._of_kind.get(kind)
        if found is None:
            fits = ((item, kinds.fit(item, kind)) for item in self._registry.devices)
            found = self._of_kind[kind] = tuple((item, fit) for item, fit in fits if fit > 0)
        return found

    def area(self, entity: str) -> str | None:
        """The id of the area that an entity is in: as the home says, else as its name says."""
        return self._area.get(entity)

    def _add(self, entity: Entity, places: Mapping[str, tuple[tuple[str, ...], ...]]) -> None:
        area = entity.area or (self._named_area(entity) if entity.kind == "device" else None)
        if area is not None:
            self._area[entity.id] = area
        if entity.kind in ("device", "group", "scene"):
            self._descriptions.add(entity.id, self._told(entity, area))
        own = frozenset(places.get(area or "", ()))
        longest = max((len(run) for run in own), default=0)
        for name in entity.names:
            words = tokens(name)
            rest = without(words, own, longest) if own else words
            self._register(Hit(entity.id, name), words)
            if rest and rest != words:
                self._register(Hit(entity.id, joined(rest), relative=True), rest)
            for part in self._parts(entity, name, rest):
                self._register(Hit(entity.id, joined(part), relative=True, end=True), part)
            for place in own if rest else ():
                qualified = Hit(entity.id, name)
                for order in ((*place, *rest), (*rest, *place)):
                    if order != words:
                        self._folded["".join(order)].append(qualified)
            if core := self._kind_words.core(rest):
                self._cores[core].append(entity.id)

    def _parts(self, entity: Entity, name: str, rest: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
        """What of a name may be said for all of it: its end that tells what it is, and whose it is."""
        tail = self._kind_words.telling(rest)
        if tail and (entity.kind != "device" or kinds.fit(entity, self._kind_words.said(tail))):
            yield tail
        if entity.kind == "device" and (whose := owner(name)) is not None:
            yield tokens(whose[1])

    def _told(self, entity: Entity, area: str | None) -> Iterator[str]:
        floor = self._registry.floor_of(area) if area is not None else None
        places = (
            self._registry.get(item) for item in (area, entity.floor, floor.id if floor is not None else None) if item
        )
        yield from (*entity.names, entity.description, *entity.tags)
        yield from (name for place in places if place is not None for name in place.names)

    def _register(self, hit: Hit, words: tuple[str, ...]) -> None:
        if not hit.relative:
            self._exact[key(hit.name)].append(hit)
        folded = "".join(words)
        self._folded[folded].append(hit)
        number = self._numbers.get((folded, hit.relative))
        if number is None:
            number = self._numbers[folded, hit.relative] = self._names.add(hit.name)
            self._bearers.append([])
        self._bearers[number].append(hit)

    def _named_area(self, entity: Entity) -> str | None:
        for name in entity.names:
            words = tokens(name)
            for run, area in self._place_runs:
                if len(words) > len(run) and any(
                    words[start : start + len(run)] == run for start in range(len(words) - len(run) + 1)
                ):
                    return area
        return None


_LATIN, _HAN = 3, 6
"""So many words, and so many Chinese characters, are looked up together at the most."""
_PER_HAN: Final = 3
"""A Chinese character tells as much as so many letters."""
_PLAUSIBLE: Final = 0.6
"""What fits less than this is not told at all."""


def nearby(registry: Registry, index: Index, text: str, most: int) -> tuple[str, ...]:
    """Of the entities that are like some part of a text, the names by which they are; each entity once, best first.

    Every run of words is looked up as a mention is: by exact and similar names, and by meaning. A long name that was
    said in whole tells more than a short one, which any text may have in it.
    """
    best: dict[str, tuple[float, str]] = {}
    for run in _runs(text):
        for entity, name, value in _found(registry, index, _spoken(run), most):
            found = (value * min(_told(run), _told(tokens(name))), name)
            if found[0] >= _PLAUSIBLE and found > best.get(entity, (0.0, "")):
                best[entity] = found
    ranked = sorted(best.values(), key=lambda item: (-item[0], -len(item[1])))
    return tuple(dict.fromkeys(name for _, name in ranked))[:most]


def _found(registry: Registry, index: Index, mention: str, most: int) -> Iterator[tuple[str, str, float]]:
    """Entities with a name of theirs and how well it fits, 0 to 1."""
    for hit in index.exact(mention):
        yield hit.entity, hit.name, 1.0
    for hits in islice(index.similar(mention), most):
        value = name_value(name_signals(mention, hits[0].name, index.words))
        yield from ((hit.entity, hit.name, value) for hit in hits)
    for entity, fit in index.meant(mention):
        yield entity, registry[entity].names[0], SIGNALS["meaning"] * fit


def _told(words: tuple[str, ...]) -> float:
    """How much so many letters tell, 0 to 1: one of them half of all."""
    return 1 - 0.5 ** sum(_PER_HAN if has_han(word) else len(word) for word in words)


def _runs(text: str) -> Iterator[tuple[str, ...]]:
    """Every run of words that may be a name."""
    words = tokens(text)
    for start in range(len(words)):
        for end in range(start + 1, min(len(words), start + _HAN) + 1):
            run = words[start:end]
            if len(run) <= _LATIN or all(map(has_han, run)):
                yield run


def _spoken(run: tuple[str, ...]) -> str:
    return ("" if all(map(has_han, run)) else " ").join(run)

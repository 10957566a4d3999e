"""Finds entities by name: exact look-ups in dicts, similar names through an inverted index of letter groups.

Made once per version of the registry. Similar names are first proposed by shared letter groups of spelling and sound,
so that only a few dozen of ten thousand are ever compared.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from daemon.home import kinds
from daemon.home.entities import Entity
from daemon.home.kindwords import KindWords
from daemon.home.names import fold, has_han, key, tokens, without
from daemon.home.registry import Registry
from daemon.home.sounds import confusable, readings

_PROPOSED: Final = 48
"""So many names are compared in full."""
_COMMON: Final = 60_000
"""Letter groups are looked up rarest first until so many postings were read."""


@dataclass(frozen=True, slots=True)
class Hit:
    """One name of one entity; `relative` where it is its name less that of its area."""

    entity: str
    name: str
    relative: bool = False


class Index:
    """The names of one registry.

    Args:
        registry: The entities.
        kind_words: What tells the kind in a name from what is special about it.
    """

    def __init__(self, registry: Registry, kind_words: KindWords) -> None:
        self._registry = registry
        self._kind_words = kind_words
        self._exact: defaultdict[str, list[Hit]] = defaultdict(list)
        self._folded: defaultdict[str, list[Hit]] = defaultdict(list)
        self._cores: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
        self._names: list[str] = []
        self._bearers: list[list[Hit]] = []
        self._numbers: dict[tuple[str, bool], int] = {}
        self._postings: defaultdict[str, list[int]] = defaultdict(list)
        self._of_kind: dict[str, tuple[tuple[Entity, float], ...]] = {}
        self._area: dict[str, str] = {}
        places = {item.id: tuple(tokens(name) for name in item.names) for item in (*registry.areas, *registry.floors)}
        self._place_runs = sorted(
            ((run, place.id) for place in registry.areas for run in places[place.id]), key=lambda item: -len(item[0])
        )
        for entity in registry:
            self._add(entity, places)

    def exact(self, mention: str) -> tuple[Hit, ...]:
        """Whose name or alias this is, whole, with or without that of its area."""
        return tuple(dict.fromkeys((*self._exact.get(key(mention), ()), *self._folded.get(fold(mention), ()))))

    def similar(self, mention: str) -> Iterator[Hit]:
        """Names that look or sound alike, the most alike first, whoever bears them."""
        postings = sorted((self._postings[gram] for gram in _grams(mention) if gram in self._postings), key=len)
        counts: Counter[int] = Counter()
        read = 0
        for posting in postings:
            read += len(posting)
            if read > _COMMON and counts:
                break
            counts.update(posting)
        # Of two names that share as much, the shorter is the more alike.
        best = sorted(counts, key=lambda number: -counts[number] / (len(self._names[number]) + len(mention)))
        for number in best[:_PROPOSED]:
            yield from self._bearers[number]

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
        own = frozenset(places.get(area or "", ()))
        longest = max((len(run) for run in own), default=0)
        for name in entity.names:
            words = tokens(name)
            rest = without(words, own, longest) if own else words
            self._register(Hit(entity.id, name), words)
            if rest and rest != words:
                self._register(Hit(entity.id, _joined(rest), relative=True), rest)
            for place in own if rest else ():
                qualified = Hit(entity.id, name)
                for order in ((*place, *rest), (*rest, *place)):
                    if order != words:
                        self._folded["".join(order)].append(qualified)
            if core := self._kind_words.core(rest):
                self._cores[core].append(entity.id)

    def _register(self, hit: Hit, words: tuple[str, ...]) -> None:
        if not hit.relative:
            self._exact[key(hit.name)].append(hit)
        folded = "".join(words)
        self._folded[folded].append(hit)
        number = self._numbers.get((folded, hit.relative))
        if number is None:
            number = self._numbers[folded, hit.relative] = len(self._names)
            self._names.append(folded)
            self._bearers.append([])
            for gram in _grams(hit.name):
                self._postings[gram].append(number)
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


def _joined(words: tuple[str, ...]) -> str:
    return "".join(words) if any(has_han(word) for word in words) else " ".join(words)


def _grams(text: str) -> set[str]:
    """Letter groups of the spelling, and of how it sounds; the two never mix."""
    folded = fold(text)
    if has_han(folded):
        spelled = {f"{one}{two}" for one, two in zip(f"^{folded}", f"{folded}$", strict=True)} | set(folded)
    else:
        padded = f"^{folded}$"
        spelled = {padded[start : start + 3] for start in range(max(1, len(padded) - 2))}
    for reading in readings(text)[:2]:
        sound = f"^{confusable(reading).replace(' ', '')}$"
        spelled |= {f"~{sound[start : start + 3]}" for start in range(max(1, len(sound) - 2))}
    return spelled

"""Where something is said to be: areas and floors as spoken, or rooms that only names tell of -> what is meant."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from functools import cached_property
from typing import Final

from msgspec import Struct

from daemon.core.entities import Entity
from daemon.core.ir import Target
from daemon.core.resolution import Context
from daemon.core.values import replace
from daemon.home.levels import OTHER_WORD, ToldRooms
from daemon.home.names import fold, has_han, tokens
from daemon.home.registry import Registry
from daemon.resolve.alike import Contrasts
from daemon.resolve.index import Index
from daemon.resolve.proposers import Names
from daemon.resolve.scoring import likeness, name_signals, name_value
from daemon.system.languages import singular

_SURE: Final = 0.84
"""From this likeness on, a place that was misheard is still taken, where no other is as near."""
_MARGIN: Final = 0.05
_NEAR: Final = 0.6
_BEGUN: Final = 0.8
"""How sure a place is by the beginning of its name ("hall" of "Hallway") or another word: never enough to act."""
_SHORTEST: Final = 4
_CERTAIN: Final = 1.0
_OF_SOMEBODY: Final = 2
"""From so many words more on, the sort of a room says whose it is: "girl kids room"."""


class Scope(Struct, frozen=True):
    """The areas and floors to look in."""

    areas: frozenset[str] = frozenset()
    things: frozenset[str] = frozenset()
    """What is there by its name, in a place that the home does not have."""
    floors: frozenset[str] = frozenset()
    spoken: bool = False
    """False where nothing was said: everywhere."""
    exact: bool = False
    """Areas were said, not only floors."""
    whole: bool = False
    """The whole home was meant, in so many words."""
    via: str | None = None
    """The one place that was named."""
    split: bool = False
    """One name fits several places: a set has to ask which."""
    confidence: float = 1.0
    unknown: str | None = None
    """The words for a place that this home does not have."""
    nearest: tuple[str, ...] = ()
    """Ids of places that are called something like it."""

    @property
    def is_certain(self) -> bool:
        """Whether nothing else may be called so."""
        return self.confidence == _CERTAIN


class Places:
    """The areas and floors of a home by name."""

    def __init__(self, registry: Registry, index: Index, contrasts: Contrasts | None = None) -> None:
        self._contrasts = contrasts or Contrasts()
        self._registry = registry
        self._index = index
        self._all = (*registry.areas, *registry.floors)
        self._names = Names()
        self._bearers = {self._names.add(name): item for item in self._all for name in item.names}
        self._called: defaultdict[str, list[Entity]] = defaultdict(list)
        for item in self._all:
            for folded in dict.fromkeys(map(fold, item.names)):
                self._called[folded].append(item)
        self._words = tuple((item, frozenset(tokens(name)), fold(name)) for item in self._all for name in item.names)

    def scope(self, target: Target, context: Context) -> Scope:
        """Where a target is said to be."""
        if target.whole_home and not (target.areas or target.floors):  # "in every room upstairs" is upstairs
            return Scope(spoken=True, whole=True)
        areas = list(target.areas)
        here = (context.here or context.area) if target.reference == "here" else None
        if not areas and not target.floors and here is None:
            return Scope()
        found: set[str] = {here} if here is not None else set()
        via: list[str] = list(found)
        split, confidence = False, 1.0
        for words in areas:
            places, sure = self.find(words, context.area)
            if not places or (sure < 1.0 and self._is_told_elsewhere(words, places)):
                return self._told_by_names(words, target)
            places = [item for item in places if item.id == context.area] or places
            split |= len(places) > 1 and not (target.floors or self._is_plural(words))
            confidence = min(confidence, sure)
            via += [item.id for item in places]
            found |= {area for item in places for area in self._areas(item)}
        floors, on_floors = set[str](), set[str]()
        over: list[str] = []
        for words in target.floors:
            places, sure = self.find(words, context.area)
            if not places:
                return self._told_by_names(words, target)
            confidence = min(confidence, sure)
            floors |= {item.id for item in places if item.kind == "floor"}
            on_floors |= {area for item in places for area in self._areas(item)}
            over += [item.id for item in places]
        if floors or on_floors:
            found = found & on_floors if found else on_floors
            via = [item for item in via if item in on_floors] or over
        return Scope(
            areas=frozenset(found),
            floors=frozenset(floors),
            spoken=True,
            exact=bool(areas) or here is not None,
            via=via[0] if len(via) == 1 else None,
            split=split,
            confidence=confidence,
        )

    def find(self, words: str, here: str | None = None) -> tuple[list[Entity], float]:
        """The places of that name, and how sure that is: exactly so called, in part, or nearly.

        "Upstairs" is another floor on each: `here` is the speaker's area, where it is known.
        """
        folded, said = fold(words), tokens(words)
        exact = self._called.get(folded)
        if exact or not said:
            return list(exact or ()), 1.0
        floor = self._registry.floor_of(here) if here is not None else None
        above, sure = self._registry.levels.meant(words, floor.id if floor is not None else None)
        if above:
            return [self._registry[item] for item in above], sure
        if alike := self._of_the_sort(words):
            return alike, OTHER_WORD
        if part := self._partly(said) or self._narrower(words):
            return part, 1.0 if self._is_plural(words) else 0.95
        begun = {item for item, _, known in self._words if known.startswith(folded)}
        if len(begun) == 1 and len(folded) >= _SHORTEST:
            return list(begun), _BEGUN
        values = self._values(words)
        best = max((value for value, _ in values), default=0.0)
        leaders = [item for value, item in values if value > best - _MARGIN]
        return (leaders, best) if best >= _SURE and len(leaders) == 1 else ([], 0.0)

    def _told_by_names(self, words: str, target: Target) -> Scope:
        """The things that are by their names in a place which the home does not have; unknown where none is."""
        alone = len(target.areas) + len(target.floors) == 1 and not target.cleans
        things, sure = self._rooms.find(words) if alone else (frozenset[str](), 0.0)
        if alone and self._registry.levels.place(words) == "outside":
            things, sure = things | frozenset(item.id for item in self._registry.devices if self.outdoors(item)), 1.0
        if not things:
            return Scope(spoken=True, unknown=words, nearest=self.near(words))
        return Scope(things=things, spoken=True, exact=True, confidence=sure)

    def outdoors(self, entity: Entity) -> bool:
        """Whether something stands outdoors by the name of its room, or where it has none, by its own."""
        area = self._index.area(entity.id)
        return any(map(self._registry.levels.outdoors, self._registry[area or entity.id].names))

    def _is_told_elsewhere(self, words: str, places: list[Entity]) -> bool:
        """Whether something outside of these places is so called by this very word for its room."""
        areas = {area for item in places for area in self._areas(item)}
        return any(self._index.area(item) not in areas for item in self._rooms.called(words))

    @cached_property
    def _rooms(self) -> ToldRooms:
        return ToldRooms((item for item in self._registry.devices if item.exposed), self._registry.levels)

    def in_a_row(self, words: tuple[str, ...]) -> tuple[str, ...]:
        """The names of the places that these words are, in a row and nothing else; empty where they are not."""
        for length in range(len(words), 0, -1):
            named = self._called.get("".join(words[:length]))
            if named is None:
                continue
            after = self.in_a_row(words[length:])
            if after or length == len(words):
                return (named[0].names[0], *after)
        return ()

    def _is_plural(self, words: str) -> bool:
        """Whether all places of a sort are meant: "the bedrooms"."""
        return singular(words) != words and fold(words) not in self._called

    def _partly(self, said: tuple[str, ...]) -> list[Entity]:
        """The places of whose names these words are a part: in any order; of Chinese, two characters in a row."""
        if has_han(run := "".join(said)):
            found = (item for item, _, known in self._words if len(said) > 1 and run in known)
        else:
            words = set(said)
            found = (item for item, name, _ in self._words if words <= name)
        return list(dict.fromkeys(found))

    def _narrower(self, words: str) -> list[Entity]:
        """The places of a narrower sort, where none is of this: of 卧室, 主卧 and 次卧."""
        place = self._registry.levels.place
        if (sort := place(words)) is None:
            return []
        return [item for item in self._all if any((place(name) or "").endswith(f" {sort}") for name in item.names)]

    def _of_the_sort(self, words: str) -> list[Entity]:
        """The only place of a sort, by another word for it: the basement where there is a cellar.

        Names in the language of the words go before those in others, which draw their lines elsewhere. Where none is of
        the sort of somebody's room, that of all who are like him is meant: of 爷爷那屋, 爷爷奶奶房.
        """
        levels = self._registry.levels
        sort, han = levels.place(words), has_han(words)
        while sort:
            called = [(item, name) for item in self._all for name in item.names if levels.place(name) == sort]
            alike = [item for item, name in called if has_han(name) == han] or [item for item, _ in called]
            if found := list(dict.fromkeys(alike)):
                return found if len(found) == 1 else []
            _, _, sort = sort.partition(" ") if sort.count(" ") >= _OF_SOMEBODY else ("", "", None)
        return []

    def near(self, words: str) -> tuple[str, ...]:
        """The ids of the places that are called something like it, nearest first."""
        found = ((max(likeness(words, name) for name in item.names), item.id) for item in self._alike(words))
        values = sorted(found, reverse=True)
        return tuple(item for value, item in values[:3] if value >= _NEAR)

    def there(self, target: Target, context: Context, room: str | None) -> tuple[Target, Context]:
        """A target "there" as if it were said in that room; "up there" is its floor, where that is the one up there."""
        level = replace(target, reference=None)
        if target.floors and (room in (None, context.area) or room in self.scope(level, context).areas):
            return level, context
        if room is None:
            return target, context
        return replace(target, reference="here", floors=()), replace(context, area=room, here=None)

    def holds(self, scope: Scope, entity: Entity) -> bool:
        """Whether an entity is within the scope."""
        if not scope.spoken or scope.whole:
            return True
        if scope.things:
            return entity.id in scope.things
        area = entity.id if entity.kind == "area" else self._index.area(entity.id)
        if area is not None:
            return area in scope.areas
        return (entity.floor or entity.id) in scope.floors

    def only(self, targets: Iterable[Target], context: Context) -> str | None:
        """The one area in which all of these are said to be."""
        found = frozenset[str]().union(*(self.scope(target, context).areas for target in targets))
        return next(iter(found)) if len(found) == 1 else None

    def untold(self, scope: Scope, entity: Entity) -> bool:
        """Whether nobody said where an entity is, so that it may be within the scope."""
        if scope.things:
            return False
        area = self._index.area(entity.id)
        if area is None:
            return entity.floor is None
        return bool(scope.floors) and not scope.exact and self._registry.floor_of(area) is None

    def told(self, scope: Scope, entity: Entity) -> bool:
        """Whether the home itself says that an entity is within the scope, not only its name."""
        named = entity.id in scope.things or entity.area in scope.areas or entity.floor in scope.floors
        return not scope.spoken or scope.whole or named

    def _areas(self, place: Entity) -> tuple[str, ...]:
        if place.kind == "area":
            return (place.id,)
        return tuple(area.id for area in self._registry.areas if area.floor == place.id)

    def _alike(self, words: str) -> list[Entity]:
        found = dict.fromkeys(self._bearers[number] for number in self._names.similar(words))
        return [item for item in found if not self._contrasts.another(words, item)]

    def _values(self, words: str) -> list[tuple[float, Entity]]:
        """How like these words the names of places are, of those that are alike at all."""
        found = self._alike(words)
        return [
            (max(name_value(name_signals(words, name, self._index.words)) for name in item.names), item)
            for item in found
        ]


def inside_of(place: Entity) -> Scope:
    """All that is in an area, or on a floor."""
    places = frozenset({place.id})
    return Scope(areas=places, spoken=True) if place.kind == "area" else Scope(floors=places, spoken=True)


def moved(target: Target, place: Entity, unknown: str | None = None) -> Target:
    """The target with a place of this home in the stead of one that it does not have: of several, `unknown`."""
    name, mention = place.names[0], target.mention
    if unknown in target.areas and len(target.areas) > 1 and place.kind == "area":
        return replace(target, areas=tuple(name if area == unknown else area for area in target.areas))
    for spoken in (*target.areas, *target.floors):
        mention = mention.replace(spoken, name) if mention is not None else None
    if place.kind == "floor":
        return replace(target, areas=(), floors=(name,), mention=mention)
    return replace(target, areas=(name,), floors=(), mention=mention)

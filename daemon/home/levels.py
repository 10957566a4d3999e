"""Places that nobody listed: the floors that "upstairs" and "downstairs" mean, the rooms in the names of things."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Final

from daemon.core.entities import Entity
from daemon.home.names import fold, tokens

_HEIGHTS: Final[Mapping[str, float]] = {
    "basement": -1,
    "ground floor": 0,
    "first floor": 1,
    "second floor": 2,
    "third floor": 3,
    "upper floor": 50,
    "attic": 90,
}
"""What the name of a floor says about its height. Only their order counts: a first floor may be the lowest."""
OUTSIDE: Final = frozenset(
    {"outside", "garden", "back garden", "front garden", "balcony", "terrace", "porch", "driveway", "roof"}
)
"""The sorts of places that lie outdoors, with what is said of all of them."""
_GUESS: Final = 0.8
"""How sure it is that "upstairs" is the only floor above the basement, said from nobody knows where."""
_TWO: Final = 2


class Levels:
    """The floors of a home by height.

    Args:
        floors: In the order of the home: the lowest first, where nothing else tells.
        words: Words for places in any language and the place that they say, as the lexicons have them: "楼上" is
            "upstairs", "1st floor" is "first floor".
    """

    def __init__(self, floors: Sequence[Entity], words: Mapping[str, str]) -> None:
        self._spoken = tuple(words)
        self._words = {fold(word): place for word, place in words.items()}
        self.runs = {tokens(word): place for word, place in words.items()}
        """The words for places, each as its tokens, and the sort of place that they say."""
        self._longest = max(map(len, self.runs), default=0)
        self._floors = floors
        self._heights = self._order()

    @property
    def words(self) -> tuple[str, ...]:
        """The words that mean floors here, as they are spoken."""
        return tuple(word for word in self._spoken if self.meant(word, None)[0])

    def called(self, floor: str) -> tuple[str, ...]:
        """The words that mean this floor, maybe beside others, as they are spoken."""
        return tuple(word for word in self._spoken if floor in self.meant(word, None)[0])

    def place(self, words: str) -> str | None:
        """The sort of place that these words say, where they say one: "lounge" and "sitting room" are living rooms."""
        return self._words.get(fold(words))

    def outdoors(self, name: str) -> bool:
        """Whether a name says a place that lies outdoors, as the last that it says: 后阳台, "back yard lights"."""
        said = tokens(name)
        found = [
            (at + size, size, self.runs[run])
            for at in range(len(said))
            for size in range(1, min(self._longest, len(said) - at) + 1)
            if (run := said[at : at + size]) in self.runs
        ]
        return bool(found) and max(found)[2] in OUTSIDE

    def meant(self, words: str, here: str | None) -> tuple[tuple[str, ...], float]:
        """The ids of the floors that such a word means, lowest first, and how sure that is; none where it means none.

        Upstairs is what lies above the ground floor, or above the speaker if he is upstairs himself and there is more;
        downstairs is the ground floor, or what lies below a speaker who is `here`.
        """
        heights = self._heights
        if len(heights) < _TWO:
            return (), 0.0
        ordered = sorted(heights, key=lambda floor: heights[floor])
        above_ground = [floor for floor in ordered if heights[floor] >= 0] or ordered
        ground = heights[above_ground[0]]
        match self._words.get(fold(words)):
            case "upstairs":
                over = [floor for floor in ordered if heights[floor] > ground]
                mine = heights.get(here) if here is not None else None
                if (
                    mine is not None
                    and mine != ground
                    and (higher := [item for item in ordered if heights[item] > mine])
                ):
                    return tuple(higher), 1.0
                return (tuple(over), 1.0) if over else (tuple(above_ground), 1.0 if mine is not None else _GUESS)
            case "downstairs":
                below = [floor for floor in ordered if heights[floor] < ground]
                if here is not None and heights.get(here) == ground:
                    return tuple(below), 1.0
                return (above_ground[0],), 1.0
            case "ground floor":
                return (above_ground[0],), 1.0
            case "upper floor":
                return (ordered[-1],), 1.0
            case _:
                return (), 0.0

    def _order(self) -> Mapping[str, float]:
        """The height of each floor; empty where it cannot be told.

        The `level` that the home gives goes before what all names say, and that before the order of the home, which
        must not contradict the names that do say something.
        """
        given = {floor.id: floor.level for floor in self._floors if floor.level is not None}
        if len(given) == len(self._floors):
            return given
        named = {floor.id: height for floor in self._floors if (height := self._said(floor)) is not None}
        if len(named) == len(self._floors):
            return named
        if [*named.values()] != sorted(named.values()):
            return {}
        lowest = sum(height < 0 for height in named.values())
        return {floor.id: place - lowest for place, floor in enumerate(self._floors)}

    def _said(self, floor: Entity) -> float | None:
        found = (_HEIGHTS.get(self._words.get(fold(name), "")) for name in floor.names)
        return next((height for height in found if height is not None), None)


OTHER_WORD: Final = 0.95
"""How sure it is that a room is meant by another word for it, where the names have one such room."""
_DOUBTFUL: Final = 0.8
"""As sure is a room of which only a part was said, or one of two that have words for the same: never enough to act."""


class ToldRooms:
    """The rooms in the names of things."""

    def __init__(self, things: Iterable[Entity], levels: Levels) -> None:
        self._levels = levels
        self._there: defaultdict[tuple[str, ...], set[str]] = defaultdict(set)
        runs = levels.runs
        longest = max(map(len, runs), default=0)
        for item in things:
            for name in item.names:
                for run in _rooms_in(tokens(name), runs, longest):
                    self._there[run].add(item.id)

    def called(self, words: str) -> frozenset[str]:
        """The ids of the things that have this very word for their room in a name."""
        return frozenset(self._there.get(tokens(words), ()))

    def find(self, words: str) -> tuple[frozenset[str], float]:
        """The ids of the things of a room, and how sure that is; none where no name tells of it.

        What is so called goes before what has another word for the same room, "corridor" for the hall.
        """
        said, sort = tokens(words), self._levels.place(words)
        alike = [run for run in self._there if sort is not None and self._levels.runs[run] == sort]
        if said in self._there:
            return frozenset(self._there[said]), 1.0 if len(alike) <= 1 else _DOUBTFUL
        if len(alike) == 1:
            return frozenset(self._there[alike[0]]), OTHER_WORD
        partly = alike or [run for run in self._there if said and set(said) < set(run)]
        return frozenset[str]().union(*(self._there[run] for run in partly)), _DOUBTFUL


def _rooms_in(name: tuple[str, ...], runs: Iterable[tuple[str, ...]], longest: int) -> Iterable[tuple[str, ...]]:
    """The words for places in a name, the longest that fit; a name that is nothing else tells of no room."""
    at = 0
    while at < len(name):
        sizes = range(min(longest, len(name) - at), 0, -1)
        size = next((size for size in sizes if name[at : at + size] in runs), 0)
        if 0 < size < len(name):
            yield name[at : at + size]
        at += size or 1

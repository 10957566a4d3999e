"""Words that tell two things apart, however alike the rest of their names is."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Final

from daemon.core.entities import Entity
from daemon.home.names import tokens

_PLACE: Final = "place"
_NUMBER: Final = "number"
_LETTER: Final = "letter"

Sides = Mapping[str, frozenset[str]]


class Contrasts:
    """What contradicts what: front and back, upstairs and downstairs, 主 and 次, kitchen and bathroom, 1 and 2.

    Args:
        words: A word in any language and its side: "front" is "depth front", "back" is "depth back", "lounge" is
            "place living room".
    """

    def __init__(self, words: Mapping[str, str] | None = None) -> None:
        self._runs: dict[tuple[str, ...], list[tuple[str, str]]] = defaultdict(list)
        for word, side in (words or {}).items():
            axis, _, value = side.partition(" ")
            self._runs[tokens(word)].append((axis, value))
        self._longest = max(map(len, self._runs), default=0)
        self._sides = lru_cache(maxsize=16_384)(self._told)

    def apart(self, said: str, name: str) -> bool:
        """Whether these words cannot be meant for that name: on some axis they are on different sides."""
        one, other = self._sides(said), self._sides(name)
        return any(_apart(axis, one[axis], other[axis]) for axis in one.keys() & other.keys())

    def another(self, said: str, item: Entity, places: Iterable[str] = ()) -> bool:
        """Whether these words can be meant for none of the names of an entity, nor for one without its place.

        Args:
            said: As spoken.
            item: What may be meant.
            places: The names of the area that it is in.
        """
        if not item.names or all(self.apart(said, name) for name in item.names):
            return bool(item.names)
        one = self._sides(said).get(_PLACE)
        if not one or any(_PLACE in self._sides(name) for name in item.names):
            return False
        around = [known for place in places if (known := self._sides(place).get(_PLACE))]
        return bool(around) and all(_apart(_PLACE, one, known) for known in around)

    def _told(self, text: str) -> Sides:
        words = tokens(text)
        found: defaultdict[str, set[str]] = defaultdict(set)
        for start in range(len(words)):
            for end in range(start + 1, min(len(words), start + self._longest) + 1):
                for axis, side in self._runs.get(words[start:end], ()):
                    found[axis].add(side)
        for word in words:
            if word.isdigit():
                found[_NUMBER].add(str(int(word)))
            elif len(word) == 1 and word.isascii() and word.isalpha():
                found[_LETTER].add(word)
        return {axis: frozenset(sides) for axis, sides in found.items()}


def _apart(axis: str, one: frozenset[str], other: frozenset[str]) -> bool:
    if axis == _PLACE:
        # A master bedroom may be the only bedroom; a bathroom never is.
        return not any(_within(here, there) or _within(there, here) for here in one for there in other)
    return one.isdisjoint(other)


def _within(place: str, other: str) -> bool:
    return set(place.split()) <= set(other.split())

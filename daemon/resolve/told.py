"""The rooms that the names of things tell of, where the home itself has no such room."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Final

from daemon.core.entities import Entity
from daemon.home.levels import Levels
from daemon.home.names import tokens

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

"""Other ways to say a name that mean the same: its numbers in words, and whose room it is."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import product

from daemon.understand.numbers import Numbers

_SHORTEST = 2
"""Characters of who may have a room: the 书 of 书房 is nobody."""


class Spellings:
    """Knows them for any name.

    Args:
        numbers: Numbers, however they are written.
        rooms: How a room is said behind whose it is.
        shorter: What is said in short for a name.
    """

    def __init__(
        self, numbers: Numbers, rooms: Collection[str], shorter: Mapping[str, Sequence[str]] | None = None
    ) -> None:
        self._numbers = numbers
        self._shorter = shorter or {}
        self._rooms = sorted(rooms, key=len, reverse=True)

    def __call__(self, name: str) -> Iterator[str]:
        """All of them."""
        yield from self._numbers.spellings(name)
        yield from self._shorter.get(name, ())
        said = next((room for room in self._rooms if name.endswith(room)), "")
        whose = name.removesuffix(said)
        if said and len(whose) >= _SHORTEST:
            yield from (f"{whose}{room}" for room in self._rooms if room != said)  # 妞妞那屋 is 妞妞房间


def rooms_of(whose: Mapping[str, Iterable[str]], ends: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Every way to say whose room it is, and the sort of room: of sorts and those whose they are, before these ends."""
    for sort, owners in whose.items():
        for owner, end in product(owners, tuple(ends)):
            yield f"{owner} {end}" if owner.isascii() else owner + end, sort

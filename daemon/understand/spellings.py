"""Other ways to say or write the same: a name's numbers in words, whose room it is; Chinese words by their sound."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from itertools import product

from daemon.system.languages import folded, syllables
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


_LEAST = 2
"""Characters of a word that can be told by its sound: single syllables are found in anything."""
_MOST = 4


class Homophones:
    """Finds words that were written otherwise.

    Args:
        words: What may have been meant, of two to four Chinese characters; others are left out.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(word for word in words if _LEAST <= len(word) <= _MOST and _is_han(word))
        self._by_sound: dict[tuple[str, ...], str] | None = None

    def mended(self, text: str) -> str | None:
        """The text with each word that sounds like one of these, and is none, replaced by it; None where there is none.

        The longest goes first. What stands there rightly is never taken apart: 打开关 keeps its 打开.
        """
        parts: list[str] = []
        at = changed = 0
        while at < len(text):
            length, word = next(self._at(text, at), (1, text[at]))
            changed += word != text[at : at + length]
            parts.append(word)
            at += length
        return "".join(parts) if changed else None

    def _at(self, text: str, at: int) -> Iterator[tuple[int, str]]:
        lengths = [length for length in range(_MOST, _LEAST - 1, -1) if at + length <= len(text)]
        for length in lengths:
            if text[at : at + length] in self._words:
                yield length, text[at : at + length]
        for length in lengths:
            said = text[at : at + length]
            if _is_han(said):
                for sound in product(*map(_sounds, said)):
                    if (word := self._sounding().get(sound)) is not None:
                        yield length, word

    def _sounding(self) -> dict[tuple[str, ...], str]:
        """Made at the first use: most texts are understood, and the dictionary of sounds takes long to load."""
        if self._by_sound is None:
            self._by_sound = {}
            for word in sorted(self._words):
                for sound in product(*map(_sounds, word)):
                    self._by_sound.setdefault(sound, word)
        return self._by_sound


def _is_han(text: str) -> bool:
    return all("\u4e00" <= character <= "\u9fff" for character in text)


@lru_cache(maxsize=1024)
def _sounds(character: str) -> tuple[str, ...]:
    """Every way one character is read, toneless, without the differences that many speakers do not make."""
    return tuple(dict.fromkeys(map(folded, syllables(character, every=True)[0])))

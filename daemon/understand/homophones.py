"""Chinese words by their sound: an ear that knows no homes writes 大开 for 打开, 官掉 for 关掉."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import product

from daemon.system.scripts import folded, syllables

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

"""What an ear, or a hurry, makes of a phrase. Only words around the slots are touched."""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from models.train.phrases import SLOT
from models.train.words import Words

_HAN: Final = re.compile("[\u4e00-\u9fff]")
_WORDS: Final = re.compile(rf"{SLOT.pattern}|[^\s{{}}]+")
_CHARACTERS: Final = re.compile(rf"{SLOT.pattern}|[a-z0-9]+|[^\s{{}}]")


class Noise:
    """Spoils phrases of one language.

    Args:
        words: The tables.
        phrases: All that is said: the characters that an ear may hear in place of others are taken from here.
    """

    def __init__(self, words: Words, phrases: Iterable[str]) -> None:
        self._words = words
        self._alike: Mapping[str, str] = _alike(phrases) if words.lang == "zh" else {}

    def spoiled(self, rng: random.Random, phrase: str, share: float) -> str:
        """The phrase, spoilt in `share` of the cases in one way or two."""
        if rng.random() >= share:
            return phrase
        for _ in range(rng.choice((1, 1, 2))):
            way = rng.choice((self._dropped, self._heard, self._hesitating, self._trailing, self._again))
            phrase = way(rng, phrase)
        return phrase

    def _pieces(self, phrase: str) -> list[str]:
        """Words or characters, slots whole."""
        pattern = re.compile(
            rf"{SLOT.pattern}|[^\s{{}}]" if self._words.lang == "zh" else rf"{SLOT.pattern}|[^\s{{}}]+"
        )
        return [match[0] for match in pattern.finditer(phrase)]

    def _joined(self, pieces: list[str]) -> str:
        if self._words.lang != "zh":
            return " ".join(piece for piece in pieces if piece)
        out = ""
        for piece in pieces:
            gap = (
                out and piece and out[-1].isascii() and piece[0].isascii() and out[-1].isalnum() and piece[0].isalnum()
            )
            out += f" {piece}" if gap else piece
        return out

    def _dropped(self, rng: random.Random, phrase: str) -> str:
        small = self._words.tables["droppable"]
        pieces = self._pieces(phrase)
        at = [index for index, piece in enumerate(pieces) if piece in small]
        if at and len(pieces) > 2:
            del pieces[rng.choice(at)]
        return self._joined(pieces)

    def _heard(self, rng: random.Random, phrase: str) -> str:
        pieces = self._pieces(phrase)
        at = [index for index, piece in enumerate(pieces) if piece in self._alike or piece in MISHEARD]
        if at:
            index = rng.choice(at)
            pieces[index] = rng.choice(self._alike.get(pieces[index]) or MISHEARD[pieces[index]])
        return self._joined(pieces)

    def _hesitating(self, rng: random.Random, phrase: str) -> str:
        pieces = self._pieces(phrase)
        at = rng.choice((0, 0, rng.randrange(len(pieces)) if pieces else 0))
        pieces.insert(at, self._words.pick(rng, "fillers"))
        return self._joined(pieces)

    def _trailing(self, rng: random.Random, phrase: str) -> str:
        return self._joined([*self._pieces(phrase), self._words.pick(rng, "ends")])

    def _again(self, rng: random.Random, phrase: str) -> str:
        pieces = self._pieces(phrase)
        plain = [index for index, piece in enumerate(pieces) if not SLOT.fullmatch(piece)]
        if plain:
            index = rng.choice(plain)
            pieces.insert(index, pieces[index])
        return self._joined(pieces)


MISHEARD: Final[Mapping[str, tuple[str, ...]]] = {
    "turn": ("tern", "torn"), "to": ("too", "two"), "the": ("da", "a"), "for": ("four", "fer"), "would": ("wood",),
    "write": ("right",), "hear": ("here",), "there": ("their",), "your": ("you",), "down": ("town",),
    "lights": ("lites",),
    "set": ("sat",), "and": ("an", "end"), "is": ("his",), "can": ("ken",), "dim": ("din",), "light": ("lite",),
    "lamp": ("lamb",), "up": ("op",), "make": ("mate",), "heat": ("heed",), "put": ("pod",), "switch": ("swish",),
}  # fmt: skip
"""English words and what they are heard as."""


def _alike(phrases: Iterable[str]) -> dict[str, str]:
    """For each Chinese character, those of the phrases that sound the same, less the tone."""
    from pypinyin import lazy_pinyin

    by_sound: defaultdict[str, set[str]] = defaultdict(set)
    for character in {character for phrase in phrases for character in phrase if _HAN.match(character)}:
        by_sound[lazy_pinyin(character)[0]].add(character)
    return {
        character: "".join(sorted(same - {character}))
        for same in by_sound.values()
        for character in same
        if len(same) > 1
    }

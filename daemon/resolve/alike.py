"""How alike two names are: by letters, by sound, and whether another word was said."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import Indel

from daemon.home.names import REMEMBERED, fold, has_han, tokens
from daemon.resolve.sounds import classes, confusable, phones, readings

_PHONES: Final = 0.3
_CLASSES: Final = 0.5
_LETTERS: Final = 0.2
"""How English sounds alike: by its sounds, by their classes, and by letters, for sounds are only guessed from them."""
_SYLLABLES: Final = 0.8
_SOUNDS: Final = 0.2
"""How Chinese sounds alike: by whole syllables, and by what is in them."""
_CONFUSED: Final = 0.96
"""What is left of a perfect match of sounds where they are only among those that are confused."""


@dataclass(frozen=True, slots=True)
class Likeness:
    """How alike a mention and a name are, 0 to 1."""

    letters: float
    """How much of the folded spelling is the same (normalized indel similarity)."""
    sound: float
    """How alike it sounds; 1 for the same toneless pinyin in any reading of either."""
    another: bool
    """Whether something else was said than this name, however alike they are.

    That is so where a number is another ("lamp 12", "lamp 13"), where a word of the mention is one that this home
    knows, but not in this name ("hall light", where there are a hall and a wall light), and where a Chinese syllable is
    neither the same nor one that is confused with it ("左边", "右边").
    """


@lru_cache(maxsize=4_096)  # one search asks again and again for the same
def compare(mention: str, name: str, words: frozenset[str]) -> Likeness:
    """How alike they are.

    Args:
        mention: What was heard.
        name: What it may be.
        words: The Latin words that are in any name of this home.
    """
    said, known = fold(mention), fold(name)
    letters = Indel.normalized_similarity(said, known)
    another = _numbers(said) != _numbers(known) or any(word in words and word not in known for word in tokens(mention))
    if not has_han(said) or not has_han(known):
        return Likeness(letters, _english(mention, name, letters), another)
    sound, all_heard = _chinese(readings(mention), readings(name))
    return Likeness(letters, sound, another or not all_heard)


def _english(mention: str, name: str, letters: float) -> float:
    return (
        _PHONES * Indel.normalized_similarity(phones(mention), phones(name))
        + _CLASSES * Indel.normalized_similarity(classes(mention), classes(name))
        + _LETTERS * letters
    )


def _chinese(heard: Sequence[str], known: Sequence[str]) -> tuple[float, bool]:
    """How alike readings sound, and whether every syllable of one is in the other, in a pair of readings."""
    if not set(heard).isdisjoint(known):
        return 1.0, True
    best, all_heard = 0.0, False
    # An unusual reading on one side is enough: nobody misreads both.
    said, named = [_syllables(one) for one in heard], [_syllables(one) for one in known]
    pairs = [(said[0], other) for other in named] + [(one, named[0]) for one in said[1:]]
    for (one, row), (other, other_row) in pairs:
        apart = Indel.distance(one, other)
        value = _SYLLABLES * (1 - apart / (len(one) + len(other)))
        if value + _SOUNDS > best:
            best = max(best, value + _SOUNDS * Indel.normalized_similarity(row, other_row))
        all_heard = all_heard or apart <= abs(len(one) - len(other))
    return _CONFUSED * best, all_heard


@lru_cache(maxsize=REMEMBERED)
def _syllables(reading: str) -> tuple[tuple[str, ...], str]:
    """The syllables, and all of them in one row."""
    found = tuple(confusable(reading).split(" "))
    return found, "".join(found)


@lru_cache(maxsize=REMEMBERED)
def _numbers(folded: str) -> tuple[float, ...]:
    """The digits and numerals of a text, in order, in any script."""
    found = (unicodedata.numeric(character, None) for character in folded)
    return tuple(number for number in found if number is not None)

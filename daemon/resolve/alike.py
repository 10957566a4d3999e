"""How alike two names are, by letters and by sound; and words that tell two things apart, however alike the rest."""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Final

from msgspec import Struct
from rapidfuzz.distance import Indel

from daemon.core.entities import Entity
from daemon.core.values import replace
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


class Likeness(Struct, frozen=True):
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


def compare(mention: str, name: str, words: frozenset[str]) -> Likeness:
    """How alike they are.

    Args:
        mention: What was heard.
        name: What it may be.
        words: The Latin words that are in any name of this home.
    """
    alike = _compared(mention, name)
    if alike.another or words.isdisjoint(tokens(mention)):
        return alike
    known = fold(name)
    another = any(word in words and word not in known for word in tokens(mention))
    return replace(alike, another=another)


@lru_cache(maxsize=REMEMBERED)  # one search asks again and again for the same; not all the words of a home with it
def _compared(mention: str, name: str) -> Likeness:
    """How alike they are in a home that knows no other word."""
    said, known = fold(mention), fold(name)
    letters = Indel.normalized_similarity(said, known)
    another = _numbers(said) != _numbers(known)
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
        self._sides = lru_cache(maxsize=2_048)(self._told)

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

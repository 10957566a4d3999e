"""What proposes names for a mention: by letters, by sound, by letter groups, by what is told of a thing, by meaning.

A proposer only proposes; what a proposal is worth, `daemon.resolve.scoring` says. Names are compared one by one where
that is fast enough (a tenth of a microsecond each), so that nothing is missed that is alike.
"""

from __future__ import annotations

import math
from collections import Counter, OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from heapq import nsmallest
from typing import Final, Protocol

from rapidfuzz import process
from rapidfuzz.distance import Indel

from daemon.home.names import fold, has_han, tokens
from daemon.resolve.sounds import sound_keys

_LIKE: Final = 32
"""So many names are proposed for their letters, and for their sound."""
_CONTAINING: Final = 16
"""So many for their letter groups."""
_PROPOSED: Final = 56
"""So many altogether."""
_HEARD: Final = 0.95
"""Where a name sounds so alike as it is usually read, no other reading is looked up."""
_REMEMBERED: Final = 64
_COMMON: Final = 10_000
"""Letter groups are looked up rarest first until so many postings were read."""
_FLOOR: Final = 0.4
"""Names less alike than this are no proposals."""
_FUNCTION_WORD: Final = 3
"""An unknown Latin word of so few letters ("the", "by") is not missed in a description."""


class Meaning(Protocol):
    """Proposes entities by what they mean: the place where a model of meaning goes."""

    def propose(self, mention: str) -> Iterable[tuple[str, float]]:
        """Entity ids, each with how well it fits, 0 to 1."""

    def prepare(self) -> None:
        """Begins to get ready for the first of them, beside whoever asks."""


class Names:
    """Names by number, found by what they look and sound like."""

    def __init__(self) -> None:
        self._letters: list[str] = []
        self._sounds: list[str] = []
        self._rare: list[str] = []
        self._rarely: list[int] = []
        self._postings: defaultdict[str, list[int]] = defaultdict(list)
        self._of_length: defaultdict[int, list[int]] = defaultdict(list)
        self._spelt: dict[int, list[str]] = {}
        # The readings of one sentence share their mentions.
        self._remembered: OrderedDict[str, tuple[int, ...]] = OrderedDict()

    def add(self, name: str) -> int:
        """The number of a new name."""
        self._remembered.clear()
        self._spelt.clear()
        number = len(self._letters)
        folded = fold(name)
        self._letters.append(folded)
        self._of_length[len(tokens(name))].append(number)
        usual, *others = sound_keys(name)
        self._sounds.append(usual)
        self._rare += others
        self._rarely += [number] * len(others)
        for gram in _grams(folded):
            self._postings[gram].append(number)
        return number

    def similar(self, mention: str) -> tuple[int, ...]:
        """The numbers of the names that look or sound alike, or have the mention in them; the most alike first."""
        found = self._remembered.get(mention)
        if found is None:
            found = self._remembered[mention] = self._similar(mention)
            if len(self._remembered) > _REMEMBERED:
                self._remembered.popitem(last=False)
        return found

    def close(self, mention: str, least: float, most: int) -> Iterator[int]:
        """The numbers of names of as many words, whose letters are at least so much alike (0 to 1), best first.

        Much faster than `similar`: for looking up every run of words of an utterance.
        """
        length = len(tokens(mention))
        numbers = self._of_length.get(length, ())
        spelt = self._spelt.get(length)
        if spelt is None:
            spelt = self._spelt[length] = [self._letters[number] for number in numbers]
        found = process.extract(
            fold(mention), spelt, scorer=Indel.normalized_similarity, processor=None, limit=most, score_cutoff=least
        )
        yield from (numbers[at] for _, _, at in found)

    def _similar(self, mention: str) -> tuple[int, ...]:
        found: dict[int, float] = {}
        for number, worth in (*self._spelled(fold(mention)), *self._sounded(mention), *self._containing(fold(mention))):
            found[number] = max(found.get(number, 0.0), worth)
        return tuple(sorted(found, key=lambda number: -found[number])[:_PROPOSED])

    def _spelled(self, folded: str) -> Iterator[tuple[int, float]]:
        yield from _most_alike(folded, self._letters)

    def _sounded(self, mention: str) -> Iterator[tuple[int, float]]:
        usual, *others = sound_keys(mention)
        best = 0.0
        for at, worth in _most_alike(usual, self._sounds):
            best = max(best, worth)
            yield at, worth
        if best >= _HEARD:
            return
        # Then one of the two may be read in an unusual way.
        for at, worth in _most_alike(usual, self._rare):
            yield self._rarely[at], worth
        for sound in others:
            yield from _most_alike(sound, self._sounds)

    def _containing(self, folded: str) -> Iterator[tuple[int, float]]:
        grams = _grams(folded)
        postings = sorted((self._postings[gram] for gram in grams if gram in self._postings), key=len)
        counts: Counter[int] = Counter()
        read = 0
        for posting in postings:
            read += len(posting)
            if read > _COMMON and counts:
                break
            counts.update(posting)
        # Of two names that have as much of it, the shorter is the more alike.
        best = nsmallest(_CONTAINING, counts.items(), key=lambda item: (-item[1], len(self._letters[item[0]])))
        for number, shared in best:
            if (worth := shared / len(grams)) >= _FLOOR:
                yield number, worth


class Descriptions:
    """Entities by all that is told of them: names, tags, description, where they are."""

    def __init__(self) -> None:
        self._told: defaultdict[str, set[str]] = defaultdict(set)
        self._entities: set[str] = set()

    def add(self, entity: str, texts: Iterable[str]) -> None:
        """Adds what is told of an entity."""
        self._entities.add(entity)
        for text in texts:
            for word in tokens(text):
                self._told[word].add(entity)

    def fitting(self, words: Sequence[str]) -> Iterator[tuple[str, float]]:
        """The entities of which most of these words are told, with their share; a rare word counts more."""
        weights = {word: self._weight(word) for word in words if self._counts(word)}
        total = sum(weights.values())
        shares: Counter[str] = Counter()
        for word, weight in weights.items():
            for entity in self._told.get(word, ()):
                shares[entity] += weight / total  # type: ignore[assignment] # a Counter adds floats as well
        yield from ((entity, share) for entity, share in shares.items() if share > 0.5)  # noqa: PLR2004 - the most of it

    def _counts(self, word: str) -> bool:
        return word in self._told or len(word) > _FUNCTION_WORD or has_han(word) or word.isdigit()

    def _weight(self, word: str) -> float:
        return math.log(1 + len(self._entities) / (1 + len(self._told.get(word, ()))))


def _most_alike(text: str, choices: Sequence[str]) -> Iterator[tuple[int, float]]:
    found = process.extract(
        text, choices, scorer=Indel.normalized_similarity, processor=None, limit=_LIKE, score_cutoff=_FLOOR
    )
    for _, worth, at in found:
        yield at, worth


def _grams(folded: str) -> set[str]:
    """Trigrams of Latin spelling; of Chinese, characters and pairs of them."""
    if has_han(folded):
        return {f"{one}{two}" for one, two in zip(f"^{folded}", f"{folded}$", strict=True)} | set(folded)
    padded = f"^{folded}$"
    return {padded[start : start + 3] for start in range(max(1, len(padded) - 2))}

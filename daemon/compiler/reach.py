"""How far the words of a slot reach: a number to its unit, a time to its half of the day. The grammar reads them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from daemon.compiler.draft import Draft, Said, pieces
from daemon.core.ir import Attribute, Unit, When
from daemon.understand.build_value import PERCENT
from daemon.understand.grammar import Grammar
from daemon.understand.normalize import Normalized
from daemon.understand.openings import END

_FURTHEST: Final = 6
"""Words, or characters of Chinese, on either side: "tomorrow at half past six in the evening"."""
_MEASURED: Final[Mapping[Attribute, frozenset[Unit | None]]] = {
    "brightness": frozenset({"%", "step"}),
    "volume": frozenset({"%", "step"}),
    "speed": frozenset({None, "%", "step"}),
    "position": frozenset({"%"}),
    "humidity": frozenset({"%"}),
    "temperature": frozenset({None, "C", "F"}),
}
"""What a number of each may be in; None is whatever the device counts in."""
_OTHER: Final = ("UNIT", "TIMEUNIT", "OTHERUNIT")
"""Classes of words that make another number of the one before them."""


class Amount(Struct, frozen=True):
    """A number as the IR has it."""

    value: float
    unit: Unit | None


class Reach:
    """Reads the words of slots with what belongs to them, as far as they are no other slot's; `draft` is placed."""

    def __init__(self, grammar: Grammar, said: Normalized, draft: Draft) -> None:
        self._grammar = grammar
        self._said = said
        self._taken = [False] * len(said.text)
        for item in (item for part in draft.parts for piece in (part, *part.frames) for item in piece.said):
            start, end = _span(item)
            self._taken[start:end] = [True] * (end - start)

    def amount(self, item: Said, attribute: Attribute) -> Amount | None:
        """What a number is with its unit; None where it is none, or is one of something else than the attribute."""
        if self._grammar.numbers.match(item.words + END, 0) <= 0:
            return None
        for start, end in self._stretches(item):
            found = self._grammar.fragments.value(self._said.text[start:end], self._said.lang)
            if found is None or not isinstance(found.value, float):
                continue
            unit = found.unit or ("%" if attribute in PERCENT else None)
            fits = found.attribute in ("value", attribute) and unit in _MEASURED.get(attribute, ())
            return Amount(found.value, unit) if fits and not self._counts_other(end) else None
        return None

    def time(self, item: Said) -> When | None:
        """The time of day, with its day and half of the day."""
        return next((when for when in self._moments(item) if when.time is not None), None)

    def duration(self, item: Said) -> float | None:
        """The length of time, in seconds."""
        lengths = (when.duration_s for when in self._moments(item) if when == When(duration_s=when.duration_s))
        return next(lengths, None)

    def waits(self, item: Said) -> bool:
        """Whether a length of time is said as one to wait for, with the words around it: "in ten minutes"."""
        return any(when.delay_s is not None for when in self._moments(item))

    def _moments(self, item: Said) -> Iterator[When]:
        for start, end in self._stretches(item):
            if (when := self._grammar.fragments.moment(self._said.text[start:end], self._said.lang)) is not None:
                yield when

    def _counts_other(self, end: int) -> bool:
        """Whether a number that ends here counts what the grammar did not take for its unit: "20 minutes"."""
        closed, classes = self._said.text + END, self._grammar.lexicon.classes
        at = end + (closed[end] == " ")
        return any(name in classes and classes[name].match(closed, at) > at for name in _OTHER)

    def _stretches(self, item: Said) -> Iterator[tuple[int, int]]:
        """The words with those around them that no other slot has, the most first; at last the words alone."""
        start, end = _span(item)
        words = pieces(self._said.text)
        inside = [at for at, (low, high) in enumerate(words) if low < end and high > start]
        first, last = inside[0], inside[-1]
        lows = [first, *self._free(words, range(first - 1, -1, -1))]
        highs = [last, *self._free(words, range(last + 1, len(words)))]
        wide = sorted(((low, high) for low in lows for high in highs), key=lambda pair: pair[0] - pair[1])
        yield from dict.fromkeys([*((words[low][0], words[high][1]) for low, high in wide), (start, end)])

    def _free(self, words: list[tuple[int, int]], numbers: range) -> Iterator[int]:
        for number in numbers[:_FURTHEST]:
            start, end = words[number]
            if any(self._taken[start:end]):
                return
            yield number


def _span(item: Said) -> tuple[int, int]:
    assert item.at is not None, "the draft was not placed"
    return item.at, item.at + len(item.words)

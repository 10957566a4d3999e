"""Who said yes to what, seen from outside: what a risky act of a fuzzed home may rest on, and for how long.

A yes counts for what its own question was about, in the utterance that says it; so do several said straight one after
the other. What was kept for later at that yes may act on it as long as it is kept, and what comes of that, too. A yes
to another question, one that was said before, and one of which nothing is kept any more are none.
"""

from __future__ import annotations

from collections.abc import Iterable
from collections.abc import Set as AbstractSet
from typing import Protocol

from benchmarks.fuzz_checks import is_yes


class Kept(Protocol):
    """What is kept for later, as far as it matters here."""

    @property
    def id(self) -> int:
        """Its number; no two have the same."""

    @property
    def of(self) -> int | None:
        """The number of what made it, unless somebody said it."""


class Consents:
    """The open questions of a home, and what was agreed to."""

    def __init__(self) -> None:
        self._asked: dict[str, tuple[str, frozenset[str]]] = {}
        self._chains: dict[str, frozenset[str]] = {}
        self._kept: dict[int, frozenset[str]] = {}

    @property
    def waiting(self) -> list[str]:
        """The satellites that have asked something."""
        return sorted(self._asked)

    def question(self, satellite: str) -> str | None:
        """What was asked there last, if nothing else was said since."""
        return self._asked[satellite][0] if satellite in self._asked else None

    def asks(self, satellite: str, question: str, about: Iterable[str]) -> None:
        """A question is open, about these devices."""
        self._asked[satellite] = question, frozenset(about)

    def drop(self, satellite: str) -> None:
        """The question there is open no more."""
        self._asked.pop(satellite, None)

    def expire(self) -> None:
        """No question is open any more, and no yes is straight before the next."""
        self._asked.clear()
        self._chains.clear()

    def agreed(self, satellite: str, text: str) -> frozenset[str]:
        """The devices that what is said there now agrees to; to be asked once for each utterance."""
        before, (question, about) = (
            self._chains.pop(satellite, frozenset()),
            self._asked.get(satellite, ("", frozenset())),
        )
        if not question or not is_yes(text):
            return frozenset()
        self._chains[satellite] = before | about
        return before | about

    def keep(self, entries: Iterable[Kept], agreed: AbstractSet[str] = frozenset()) -> None:
        """What is kept for later now; what is new of it was made by what was agreed to, or by what had been kept."""
        for entry in entries:
            if entry.id not in self._kept:
                self._kept[entry.id] = frozenset(agreed) | self._kept.get(entry.of or 0, frozenset())

    def for_later(self, entries: Iterable[Kept]) -> frozenset[str]:
        """What these may act on while nobody speaks."""
        return frozenset().union(*(self._kept.get(entry.id, frozenset()) for entry in entries))

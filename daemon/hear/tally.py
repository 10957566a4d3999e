"""How often a place was woken by its word, and how often for nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

REFRACTORY_S: Final = 1.0
"""A wake word that is told again within so long is the same one: it is told in two ways, or its echo was heard."""


class Tally:
    """Of one place, since the daemon was started. One event loop."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.wakes = 0
        """How often the wake word was heard."""
        self.in_vain = 0
        """How often nobody spoke then, or nothing was understood: most often nobody had said it."""
        self._clock = clock
        self._last = float("-inf")
        self._open = False

    @property
    def just(self) -> bool:
        """Whether the last wake word was heard just now, so that another one is still the same."""
        return self._clock() - self._last < REFRACTORY_S

    def woken(self) -> None:
        """Counts a wake word."""
        self.wakes += 1
        self._last = self._clock()
        self._open = True

    def vain(self) -> None:
        """What came of the last wake word is nothing."""
        self.in_vain += self._open
        self._open = False

    def served(self) -> None:
        """Something came of it."""
        self._open = False

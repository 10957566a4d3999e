"""What words a text lacks: a choice is only tried where all that it needs is said somewhere."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

from daemon.understand.openings import Openings


class Needs:
    """The needs of one grammar, each a bit; a need is filled by any of some openings.

    New needs and new openings turn up while texts are read, in any thread; what is known of them changes under a lock.
    """

    def __init__(self, openings: Openings) -> None:
        self._openings = openings
        self._bits: dict[int, int] = {}
        self._filled: dict[str, int] = {}
        self._all = 0
        self._lock = Lock()

    def of(self, masks: Iterable[int]) -> int:
        """The bits of these needs, each given as the mask of the openings that fill it."""
        found = 0
        for mask in masks:
            found |= self._bits.get(mask) or self._new(mask)
        return found

    def lacking(self, openings: Iterable[str]) -> int:
        """The bits of the needs that none of these openings fills. A need that is not known yet is none of them."""
        known, filled = self._all, 0
        for said in openings:
            filled |= self._filled[said] if said in self._filled else self._filling(said)
        return known & ~filled

    def _new(self, mask: int) -> int:
        with self._lock:
            bit = self._bits.get(mask)
            if bit is None:
                bit = 1 << len(self._bits)
                for said in self._filled:
                    if mask & self._openings.bits[said]:
                        self._filled[said] |= bit
                self._bits[mask] = bit
                self._all |= bit
            return bit

    def _filling(self, said: str) -> int:
        with self._lock:
            opening = self._openings.bits[said]
            filled = 0
            for mask, bit in self._bits.items():
                if mask & opening:
                    filled |= bit
            self._filled[said] = filled
            return filled

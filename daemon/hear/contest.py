"""Several places hear the same words at once: the one that heard them best answers, the others are silent.

Heard best is where the voice stands out most of what else is heard there, in decibels: how loud a microphone is set, or
sets itself, makes no difference. It is decided at the speaker's first pause, before anything is done.
"""

from __future__ import annotations

import asyncio
import contextlib
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

import numpy as np

from daemon.hear.audio import frames, level

if TYPE_CHECKING:
    from numpy.typing import NDArray

TOGETHER_S: Final = 1.5
"""Wake words that are heard within so long were one: some boxes hear theirs late, and radio takes its time."""
WAIT_S: Final = 0.5
"""So long the first that knows how well it heard waits for the others; who comes later lost."""
_FLOOR_DB: Final = -70.0
"""Noise suppression leaves digital silence: nothing is clearer than this."""


class Rivals:
    """All that listens in one house. One event loop."""

    def __init__(self, wait_s: float = WAIT_S, clock: Callable[[], float] = time.monotonic) -> None:
        self._wait_s = wait_s
        self._clock = clock
        self._latest: Contest | None = None

    def woken(self, who: object) -> Contest:
        """The wake word was heard there."""
        now = self._clock()
        if self._latest is None or now - self._latest.began > TOGETHER_S or who in self._latest.heard:
            self._latest = Contest(now, self._wait_s)
        self._latest.heard[who] = None
        return self._latest


class Contest:
    """Those who heard one wake word, each with how well it heard what came then, as soon as it knows."""

    def __init__(self, began: float, wait_s: float) -> None:
        self.began = began
        self.heard: dict[object, float | None] = {}
        self._wait_s = wait_s
        self._all = asyncio.Event()
        self._best: object | None = None

    async def won(self, who: object, samples: NDArray[np.float32]) -> bool:
        """Whether this one is to answer what it heard; waits for the others only where there are any."""
        self.heard[who] = clarity(samples)
        self._check()
        if self._best is None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(self._wait_s):
                    await self._all.wait()
        if self._best is None:
            known = {item: value for item, value in self.heard.items() if value is not None}
            self._best = max(known, key=lambda item: known[item])
        return self._best is who

    def without(self, who: object) -> None:
        """Nothing was said there, or nothing can be heard there any more."""
        self.heard.pop(who, None)
        self._check()

    def _check(self) -> None:
        if None not in self.heard.values():
            self._all.set()


def clarity(samples: NDArray[np.float32]) -> float:
    """By how many decibels the voice in mono samples at 16 kHz stands out of what is heard beside it."""
    levels = [max(_FLOOR_DB, level(frame)) for frame in frames(samples)]
    return float(np.percentile(levels, 95) - np.percentile(levels, 5)) if levels else 0.0

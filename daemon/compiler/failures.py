"""How often a model may fail: what fails now and then is asked again, what keeps failing is left alone for a while."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Callable
from typing import Final

from daemon.core.errors import HearkenError

_LOG = logging.getLogger(__name__)
IN_A_ROW: Final = 3
"""So often in a row a model fails before it is given up."""
REST_S: Final = 600.0
"""For so long; then it is tried once more."""


class Failures:
    """Keeps count of how one model fails, and logs each kind of failure once. Any thread.

    Args:
        name: What is said to fail: "the small model".
        without: What is done without it: "the grammar goes on alone".
        clock: Seconds that never go back.
    """

    def __init__(self, name: str, without: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._without = without
        self._clock = clock
        self._in_a_row = 0
        self._until = 0.0
        self._told: set[str] = set()
        self.problem: str | None = None
        """Why it is out of use, in one line; None while it is not."""

    @property
    def out(self) -> bool:
        """Whether it is not to be asked now."""
        return self.problem is not None and self._clock() < self._until

    def worked(self) -> None:
        """It did what it was asked: what failed before is forgiven."""
        self._in_a_row, self.problem = 0, None

    def failed(self, error: BaseException) -> None:
        """It failed at one utterance, or was too late."""
        self._in_a_row += 1
        if self._in_a_row < IN_A_ROW:
            self._say(type(error).__name__, f"{self._name} failed, this once {self._without}: {_why(error)}")
            return
        self.problem, self._until = _why(error), self._clock() + REST_S
        self._say(
            f"out: {type(error).__name__}",
            f"{self._name} is out of use for {REST_S / 60:.0f} minutes, {self._without}: {self.problem}",
        )

    def lacking(self, error: BaseException, *, for_good: bool = True) -> None:
        """It cannot be had: for good, or for a while, if what it needs may be there later."""
        self.problem, self._until = _why(error), math.inf if for_good else self._clock() + REST_S
        self._say("lacking", f"{self._name} is out of use, {self._without}: {self.problem}")

    def _say(self, kind: str, told: str) -> None:
        if kind not in self._told:
            self._told.add(kind)
            _LOG.warning("%s", told)


def _why(error: BaseException) -> str:
    return str(error) if isinstance(error, HearkenError) else f"{type(error).__name__}: {error}"

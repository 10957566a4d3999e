"""One trace per utterance: what was heard, understood, found, read, sent and seen, and how long each stage took."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

STAGES = ("hear", "normalize", "grammar", "model", "resolve", "read", "act", "verify", "speak")


@dataclass(slots=True)
class Trace:
    """Collects facts in order. Values are JSON-ready data; secrets never go in."""

    id: str = field(default_factory=lambda: uuid4().hex[:12])
    """Tells this utterance from all others."""
    started: float = field(default_factory=time.perf_counter)
    events: list[dict[str, Any]] = field(default_factory=list)
    ms: dict[str, float] = field(default_factory=dict)
    _running: dict[str, tuple[int, float]] = field(default_factory=dict)
    """Stage -> how often it is entered now, and since when without a break."""

    def note(self, stage: str, **facts: object) -> None:
        """Adds one fact of a stage, stamped with milliseconds since the start."""
        self.events.append({"at_ms": round(self.elapsed_ms(), 3), "stage": stage, **facts})

    @contextmanager
    def timed(self, stage: str) -> Iterator[None]:
        """Adds the time spent inside to the stage's total; a stage may be entered more than once, also at once."""
        others, since = self._running.get(stage, (0, time.perf_counter()))
        self._running[stage] = (others + 1, since)
        try:
            yield
        finally:
            others = self._running[stage][0] - 1
            if others:
                self._running[stage] = (others, since)
            else:
                del self._running[stage]
                self.ms[stage] = self.ms.get(stage, 0.0) + (time.perf_counter() - since) * 1000

    def elapsed_ms(self) -> float:
        """Milliseconds since the utterance came in."""
        return (time.perf_counter() - self.started) * 1000

    def timings(self) -> dict[str, float]:
        """Milliseconds by stage, and `total`; stages that never ran are left out."""
        return {stage: round(self.ms[stage], 3) for stage in STAGES if stage in self.ms} | {
            "total": round(self.elapsed_ms(), 3)
        }

"""What is to be said in one home, and what came of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Final

from benchmarks.fuzz_checks import Fault

_MOST_FOUND: Final = 20
"""So many findings of one sort are kept of one home."""
WORST: Final = 5


@dataclass(frozen=True, slots=True)
class Chunk:
    """So many utterances in one home; the same numbers make the same ones."""

    seed: int
    number: int
    size: int
    lang: str | None
    """None mixes the languages."""
    model: bool


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that must not be."""

    fault: Fault
    said: str
    what: str
    before: tuple[str, ...] = ()
    """What was said before it, the last first."""

    def __str__(self) -> str:
        return f"{self.fault}: {self.said[:300]!r} after {list(self.before)}\n    {self.what}"


@dataclass(slots=True)
class Tally:
    """What came of some utterances."""

    utterances: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: Counter[Fault] = field(default_factory=Counter)
    shown: Counter[Fault] = field(default_factory=Counter)
    confirmed: int = 0
    times: list[float] = field(default_factory=list)
    """Seconds of processor for each."""
    worst: list[tuple[float, str]] = field(default_factory=list)
    findings: list[Finding] = field(default_factory=list)

    def found(self, finding: Finding) -> None:
        """One more; what has been found often is only counted."""
        self.faults[finding.fault] += 1
        if self.faults[finding.fault] <= _MOST_FOUND:
            self.findings.append(finding)

    def took(self, seconds: float, text: str) -> None:
        """So long one utterance took."""
        self.utterances += 1
        self.times.append(seconds)
        self.worst = sorted([*self.worst, (seconds, text)], reverse=True)[:WORST]

    def add(self, other: Tally) -> None:
        """Another one's numbers."""
        self.utterances += other.utterances
        self.outcomes += other.outcomes
        self.faults += other.faults
        self.confirmed += other.confirmed
        self.times += other.times
        self.worst = sorted([*self.worst, *other.worst], reverse=True)[:WORST]

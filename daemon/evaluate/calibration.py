"""Whether a confidence means what it says: how often readings of each confidence are right."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from daemon.evaluate.results import Scored

_BINS = 10
_MISREAD = frozenset({"not_understood", "wrong_reading", "wrong_value", "acted_out_of_scope"})
"""Faults of the reading; the others are of the home, of the gate or of the devices."""


@dataclass(frozen=True, slots=True)
class Bin:
    """The readings of one tenth of the scale."""

    low: float
    count: int
    confidence: float
    """Their mean confidence."""
    right: float
    """The share of them that is right."""

    def __str__(self) -> str:
        """One line, with a bar."""
        numbers = f"{self.count:8d}  {self.confidence:5.2f}  {self.right:5.2f}"
        return f"{self.low:.1f} to {self.low + 1 / _BINS:.1f}  {numbers}  {'#' * round(self.right * 40)}"


@dataclass(frozen=True, slots=True)
class Calibration:
    """The reliability of the confidences of one file; files are never pooled."""

    name: str
    bins: tuple[Bin, ...]
    """Those that hold anything, lowest first."""
    count: int
    error: float
    """Expected calibration error: the distance of confidence and share right, over the bins by what they hold."""
    brier: float
    """The mean square of (confidence - 1 if right else 0): 0 is best, 0.25 a coin's."""

    @classmethod
    def of(cls, name: str, scored: Sequence[Scored]) -> Calibration:
        """The curve over the cases that were read as anything."""
        return cls.over(name, (pair for item in scored if (pair := _pair(item)) is not None))

    @classmethod
    def over(cls, name: str, pairs: Iterable[tuple[float, bool]]) -> Calibration:
        """The curve over pairs of a confidence, 0 to 1, and whether the reading is right."""
        listed = list(pairs)
        held: dict[int, list[tuple[float, bool]]] = {}
        for confidence, right in listed:
            held.setdefault(min(int(confidence * _BINS), _BINS - 1), []).append((confidence, right))
        bins = tuple(_bin(place, held[place]) for place in sorted(held))
        total = max(len(listed), 1)
        return cls(
            name,
            bins,
            len(listed),
            sum(item.count * abs(item.confidence - item.right) for item in bins) / total,
            sum((confidence - right) ** 2 for confidence, right in listed) / total,
        )

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        bins = [{"low": b.low, "count": b.count, "confidence": b.confidence, "right": b.right} for b in self.bins]
        return {"file": self.name, "count": self.count, "ece": self.error, "brier": self.brier, "bins": bins}

    def __str__(self) -> str:
        """A table with a bar for the share that is right."""
        lines = [
            f"{self.name}: {self.count} readings, calibration error {self.error:.3f}, Brier score {self.brier:.3f}"
        ]
        lines.append("confidence  readings   mean  right")
        return "\n".join([*lines, *map(str, self.bins)])


def _bin(place: int, pairs: Sequence[tuple[float, bool]]) -> Bin:
    count = len(pairs)
    mean = sum(confidence for confidence, _ in pairs) / count
    return Bin(place / _BINS, count, mean, sum(right for _, right in pairs) / count)


def _pair(item: Scored) -> tuple[float, bool] | None:
    """The confidence of a case's reading and whether it is right; None where nothing was read or expected.

    A sentence that is not for us has no right reading as a command; one that is only talk or an answer, has.
    """
    clauses = (item.line.get("ir") or {}).get("clauses")
    if item.verdict is None or item.case.expect is None or not clauses:
        return None
    if item.case.expect.outcome in ("ignore", "assistant"):
        return item.line.get("confidence", 0.0), all(c["intent"] not in ("act", "scene", "query") for c in clauses)
    return item.line.get("confidence", 0.0), item.verdict.exact or item.verdict.fault not in _MISREAD

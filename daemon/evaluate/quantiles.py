"""Quantiles of a handful of timings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from math import ceil


@dataclass(frozen=True, slots=True)
class Quantiles:
    """The nearest-rank quantiles of some numbers: each is one of them."""

    count: int
    p50: float
    p95: float
    p99: float

    @classmethod
    def of(cls, values: Iterable[float]) -> Quantiles:
        """From at least one number.

        Raises:
            ValueError: there is none.
        """
        ordered = sorted(values)
        if not ordered:
            raise ValueError("no values")
        at = [ordered[max(0, ceil(len(ordered) * share) - 1)] for share in (0.50, 0.95, 0.99)]
        return cls(len(ordered), *at)

    def to_dict(self) -> dict[str, float]:
        """JSON-ready."""
        return {"count": self.count, "p50": self.p50, "p95": self.p95, "p99": self.p99}

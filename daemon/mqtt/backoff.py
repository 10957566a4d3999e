"""How long to wait before the next attempt."""

from __future__ import annotations

import random
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Backoff:
    """Exponential, with jitter, so that a house full of clients does not come back to a broker in step."""

    first_s: float = 0.25
    cap_s: float = 10.0
    refused_cap_s: float = 60.0
    """The cap after a "no": trying a wrong password often may get a client banned."""

    def delay(self, attempt: int, dice: random.Random, *, refused: bool = False) -> float:
        """Seconds to wait after the `attempt`-th failure in a row, from 1: half to all of first_s * 2^(attempt - 1)."""
        cap = self.refused_cap_s if refused else self.cap_s
        full: float = min(cap, self.first_s * 2.0 ** min(attempt - 1, 30))
        return full * dice.uniform(0.5, 1.0)

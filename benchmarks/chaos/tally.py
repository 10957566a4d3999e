"""What must not be, counted."""

from __future__ import annotations

import logging
from collections import Counter
from dataclasses import dataclass, field
from typing import Final

FAULTS: Final = ("false done", "late unsaid", "twice", "lost", "crash")


@dataclass
class Tally:
    """One kind of disturbance.

    Args:
        name: What was done to the house.
    """

    name: str
    rounds: int = 0
    acts: int = 0
    """Commands, or writes."""
    outcomes: Counter[str] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    told: int = 0
    """What had been left open by a reply, and was told later."""
    notes: list[str] = field(default_factory=list)

    def fault(self, kind: str, note: str) -> None:
        """Counts one of `FAULTS`."""
        assert kind in FAULTS
        self.faults[kind] += 1
        self.notes.append(f"{self.name}: {kind}: {note}")

    def row(self) -> list[str]:
        """For the table."""
        ends = ", ".join(f"{count} {what}" for what, count in self.outcomes.most_common(4))
        faults = (str(self.faults[kind]) for kind in FAULTS)
        return [self.name, str(self.rounds), str(self.acts), *faults, str(self.told), ends]


class Crashes(logging.Handler):
    """Counts errors in the log: tracebacks, and stores that cannot be used."""

    def __init__(self, tally: Tally) -> None:
        super().__init__(logging.ERROR)
        self._tally = tally

    def emit(self, record: logging.LogRecord) -> None:
        """Takes one record."""
        self._tally.fault("crash", record.getMessage().splitlines()[0])

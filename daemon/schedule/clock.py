"""The two clocks of the machine, and its time zone."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo


@dataclass(frozen=True, slots=True)
class Clock:
    """`wall` may be set and jump; `monotonic` only ever goes on. Both in seconds, `wall` since the epoch."""

    wall: Callable[[], float] = time.time
    monotonic: Callable[[], float] = time.monotonic
    zone: tzinfo | None = None
    """None is the zone of this machine, with its summer time."""

    def local(self, at: float) -> datetime:
        """The local date and time of a moment."""
        return datetime.fromtimestamp(at, self.zone)

    def today(self, at: float) -> date:
        """The local date of a moment."""
        return self.local(at).date()

    def moment(self, day: date, minutes: int) -> float | None:
        """The moment of a local time, in minutes after midnight; None where the day is none that this zone has had.

        An hour that summer time leaves out is the hour after it, of the same day; of one that comes twice it is the
        first.
        """
        local = datetime(day.year, day.month, day.day, tzinfo=self.zone) + timedelta(minutes=minutes)
        found = (local.replace(fold=fold).timestamp() for fold in (0, 1))
        return next((at for at in found if self.today(at) == day), None)

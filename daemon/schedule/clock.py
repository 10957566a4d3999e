"""The two clocks of the machine and its time zone; and the sun where the house stands."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta, tzinfo
from typing import Literal

from daemon.home.config import Location


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


SunEvent = Literal["sunrise", "sunset"]


@dataclass(frozen=True, slots=True)
class Sun:
    """The sun over one place."""

    location: Location

    def at(self, event: SunEvent, day: date) -> float | None:
        """The moment of an event on a day of Greenwich, to a minute or so; None where the sun does not do that then."""
        from astral import Observer
        from astral.sun import sunrise, sunset

        observer = Observer(self.location.latitude, self.location.longitude)
        try:
            return (sunrise if event == "sunrise" else sunset)(observer, day).timestamp()
        except ValueError:  # the sun of the far north
            return None

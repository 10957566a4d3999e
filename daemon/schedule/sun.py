"""Sunrise and sunset where the house stands."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Literal

from daemon.home.config import Location

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

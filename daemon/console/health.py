"""The page of how Hearken does: what `doctor` says, the satellites, memory, what became of what was said."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from pathlib import Path
from statistics import quantiles
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from starlette.responses import RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from daemon.console.doctor import Doctor
from daemon.console.feed import Put
from daemon.console.view import View
from daemon.core.outcomes import Status

if TYPE_CHECKING:
    from starlette.requests import Request

_DAYS: Final = 14
_LATEST: Final = 200
"""So many of the latest utterances are plotted."""
_HIGH: Final = 100.0
"""What both plots are high."""
_STEP: Final = 24.0
"""How far apart the days are in their plot."""
_STATUSES: Final[Sequence[Status]] = ("done", "unconfirmed", "failed", "not_found", "refused")
_STATUS: Final = Path("/proc/self/status")
_KIB: Final = 1024


class Day(Struct, frozen=True):
    """What became of what was asked for on one day."""

    date: str
    counts: Mapping[str, int]


class Bar(Struct, frozen=True):
    """A part of a bar of a plot."""

    x: float
    y: float
    high: float
    status: str


def routes(view: View) -> Sequence[BaseRoute]:
    """The routes of the page."""
    health = Health(view)
    view.listen(health.took)
    return [
        Route("/health", health.show),
        Route("/health/events", health.events),
        Route("/health/examine", health.examine, methods=["POST"]),
    ]


class Health:
    """Answers the requests of the page."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._doctor = Doctor(view.paths)
        self._ms: deque[float] = deque(maxlen=_LATEST)

    def took(self, result: Mapping[str, Any]) -> None:
        """Something was said, with this result."""
        self._ms.append(result["ms"]["total"])

    async def show(self, request: Request) -> Response:
        """How it does now."""
        days, ms = await self._days(), tuple(self._ms)
        values: dict[str, Any] = {
            "connected": self._view.opened.pipeline.parts.access.connected(),
            "places": self._view.places,
            "memory": await asyncio.to_thread(_memory),
            "devices": len(self._view.opened.inventory.registry.devices),
            "model": self._view.home.model,
            "statuses": _STATUSES,
            "days": days,
            "bars": tuple(_bars(days)),
            "wide": _STEP * _DAYS,
            "high": _HIGH,
            "said": len(ms),
            "median": quantiles(ms, n=100)[49] if len(ms) > 1 else None,
            "slow": quantiles(ms, n=100)[94] if len(ms) > 1 else None,
            "line": " ".join(f"{x},{_HIGH * (1 - value / max(ms)):.1f}" for x, value in enumerate(ms)),
        }
        return self._view.page(request, "health.html", **values, **self._said())

    async def examine(self, _: Request) -> Response:
        """The doctor begins to look at everything."""
        self._doctor.examine()
        return RedirectResponse("/health#doctor", status_code=303)

    async def events(self, request: Request) -> Response:
        """What the doctor says, once it has looked."""

        def subscribe(put: Put) -> Callable[[], None]:
            def tell() -> None:
                put(self._view.part(request, "doctor.html", **self._said()))

            tell()  # it may have said it since the page was made
            return self._doctor.heed(tell)

        return self._view.feeds.feed(subscribe)

    def _said(self) -> dict[str, Any]:
        doctor, now = self._doctor, asyncio.get_running_loop().time()
        return {"doctor": doctor, "looked": None if doctor.at is None else now - doctor.at}

    async def _days(self) -> list[Day]:
        """The last days, today last; none where no log is kept."""
        audit, clock = self._view.opened.inventory.audit, self._view.opened.later.clock
        if audit is None:
            return []
        today, found = clock.today(clock.wall()), []
        for day in (today - timedelta(days=ago) for ago in reversed(range(_DAYS))):
            begins, ends = clock.moment(day, 0), clock.moment(day + timedelta(days=1), 0)
            counts = await audit.counts(begins, ends) if begins is not None and ends is not None else {}
            found.append(Day(day.isoformat(), counts))
        return found


def _bars(days: Sequence[Day]) -> Iterator[Bar]:
    """A bar for each day, its parts one upon the other."""
    most = max((sum(day.counts.values()) for day in days), default=0)
    for number, day in enumerate(days):
        top = _HIGH
        for status in _STATUSES:
            if count := day.counts.get(status, 0):
                high = _HIGH * count / most
                top -= high
                yield Bar(number * _STEP, top, high, status)


def _memory() -> dict[str, float]:
    """What this process takes, and took at most, in MiB; nothing where the system does not tell."""
    try:
        told = dict(line.split(":", 1) for line in _STATUS.read_text().splitlines())
        return {name: int(told[key].split()[0]) / _KIB for name, key in (("now", "VmRSS"), ("most", "VmHWM"))}
    except (OSError, KeyError, ValueError):
        return {}

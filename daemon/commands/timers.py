"""Timers as the satellites show them at which they were set."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

from daemon.satellites.satellite import TimerNews

if TYPE_CHECKING:
    from daemon.satellites.satellite import Change, Satellite
    from daemon.schedule.agenda import Agenda
    from daemon.schedule.entries import Entry

_PUNCTUAL_S: Final = 0.5
"""A timer that goes so long before its end has rung; before that it was cancelled."""


def show_timers(agenda: Agenda, satellites: Mapping[str, Satellite]) -> Callable[[], None]:
    """Tells the satellites what becomes of their timers from now on; returns what ends it."""
    shown = dict(_timers(agenda))

    def look() -> None:
        now, clock = dict(_timers(agenda)), agenda.clock.monotonic()
        for number, (entry, end) in now.items():
            if number not in shown:
                tell("started", entry, end - clock)
            elif shown[number][0] != entry:
                tell("updated", entry, end - clock)
        for number in shown.keys() - now.keys():
            entry, end = shown[number]
            rang = entry.left is None and clock >= end - _PUNCTUAL_S
            tell("finished" if rang else "cancelled", entry, 0.0 if rang else end - clock)
        shown.clear()
        shown.update(now)

    def tell(kind: Change, entry: Entry, left: float) -> None:
        if (satellite := satellites.get(entry.origin.satellite)) is not None:
            left = max(0.0, left if entry.left is None else entry.left)
            satellite.timer(TimerNews(kind, str(entry.id), entry.name, entry.seconds, left, entry.left is None))

    return agenda.on_change(look)


def _timers(agenda: Agenda) -> Iterator[tuple[int, tuple[Entry, float]]]:
    """Each timer by its id, with when it ends by the monotonic clock."""
    ahead = agenda.clock.monotonic() - agenda.clock.wall()
    for entry in agenda.entries:
        if entry.sort == "timer" and entry.reminds is None:
            yield entry.id, (entry, agenda.due(entry) + ahead)

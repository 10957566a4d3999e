"""What stands for a time again and again: its next moment, whatever becomes of the clock on the wall."""

from __future__ import annotations

from daemon.core.values import replace
from daemon.schedule.agenda import Agenda
from daemon.schedule.entries import Entry
from daemon.schedule.moments import Moments

_DRIFT_S = 5.0
"""By so much the clock on the wall may go wrong before it counts as set."""
_BACK_S = 25 * 3600.0
"""A clock that was put back by more was wrong before; what it had fired counts no more."""


class Standing:
    """The standing times of one agenda. One event loop."""

    def __init__(self, agenda: Agenda, moments: Moments) -> None:
        self._agenda = agenda
        self._clock = agenda.clock
        self._moments = moments
        self._apart: float | None = None
        """What the clock on the wall was ahead of the time that goes by, when it was last looked at."""

    async def put_off(self, entry: Entry, *, done: bool) -> None:
        """Sets an entry to its next moment, and drops one that has none; `done` says whether it is carried out now."""
        now = self._clock.wall()
        following = self._following(entry, now)
        if following is None:
            await self._agenda.drop([entry.id])
        else:
            await self._agenda.put(replace(entry, due=following, fired=now if done else entry.fired))

    async def follow_clock(self) -> None:
        """Finds the next moments anew where the clock was put back: on a day that comes again, only what was not done.

        At the first call it may have been put back while nothing ran.
        """
        now = self._clock.wall()
        apart = now - self._clock.monotonic()
        if self._apart is not None and abs(apart - self._apart) <= _DRIFT_S:
            return
        self._apart = apart
        for entry in self._agenda.entries:
            if entry.due is None or entry.due <= now:
                continue
            fired = entry.fired if entry.fired is not None and entry.fired - now <= _BACK_S else now
            following = self._following(entry, max(now, fired))
            if following is not None and following < entry.due:
                await self._agenda.put(replace(entry, due=following))

    def _following(self, entry: Entry, after: float) -> float | None:
        when = entry.clause.when if entry.standing else None
        if when is None or entry.due is None:
            return None
        # Which half of the day was meant is settled for good, not for the first day only.
        return self._moments.following(self._moments.settled(when, entry.due), after)

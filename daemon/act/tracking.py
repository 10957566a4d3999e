"""What comes of an act after its reply: a door that was closing and did not close, a lock that opened after all."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Final, Protocol

from daemon.act.answers import Ended
from daemon.act.audit import Audit, Entry
from daemon.core.outcomes import Outcome
from daemon.core.result import Notice, Notify, Occasion, Report

FOLLOWING: Final = "tracking"
"""The name of the tasks that follow."""
_LOG = logging.getLogger(__name__)


class Ends(Protocol):
    """Finds out how something ended that the reply could not tell the end of."""

    def concerned(self, outcome: Outcome) -> bool:
        """Whether the last word on this outcome is still to come, and this may find it out."""

    async def to_the_end(self, outcome: Outcome) -> Outcome | None:
        """What became of it; None where that is of no interest any more, or cannot be known."""


class Tracking:
    """Follows what was under way when its reply was given, says what is worth saying, and logs it. One event loop."""

    def __init__(self, ends: Sequence[Ends], announce: Notify, audit: Audit | None) -> None:
        self._ends = tuple(ends)
        self._announce = announce
        self._audit = audit
        self._tasks: set[asyncio.Task[None]] = set()

    def note(self, report: Report, occasion: Occasion) -> None:
        """Writes down what was done or refused, and follows what is still under way."""
        if self._audit is not None and (report.outcomes or report.outcome == "reject"):
            self._audit.record(Entry(occasion, report.reason, report.outcomes, refused=not report.outcomes))
        self.follow(report.outcomes, occasion)

    def follow(self, outcomes: Sequence[Outcome], occasion: Occasion) -> None:
        """Returns at once; announces, once for all of these, only what differs from what the reply let one expect."""
        concerned = [(ends, item) for item in outcomes for ends in self._ends if ends.concerned(item)]
        if concerned:
            task = asyncio.get_running_loop().create_task(self._follow(concerned, occasion), name=FOLLOWING)
            self._tasks.add(task)
            task.add_done_callback(self._ended)

    async def stop(self) -> None:
        """Follows nothing any more."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow(self, concerned: Sequence[tuple[Ends, Outcome]], occasion: Occasion) -> None:
        found = await asyncio.gather(*(ends.to_the_end(item) for ends, item in concerned))
        pairs = zip(concerned, found, strict=True)
        both = [(item, end) for (_, item), end in pairs if end is not None and end.reason != item.reason]
        # A failure that has been told is not told again, nor is an arrival that was to be expected.
        worth = [end for item, end in both if item.reason != "moving" or end.reason]
        if self._audit is not None and both:
            self._audit.record(Entry(occasion, "followed", tuple(end for _, end in both)))
        if worth:
            self._announce(Notice(occasion.satellite, occasion.lang, (Ended(tuple(worth)),)))

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("what was under way could not be followed", exc_info=error)

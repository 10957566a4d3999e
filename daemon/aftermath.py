"""What comes of an act after its reply: a door that was closing and did not close, or one that closed after all."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from daemon.act.audit import Audit, Entry
from daemon.act.follower import Follower
from daemon.act.outcomes import Outcome
from daemon.converse import wording
from daemon.converse.replies import Replies
from daemon.home.registry import Registry
from daemon.turn import Announcement, Announcer

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Occasion:
    """What was said when the act was done, and where."""

    said: str
    lang: str
    satellite: str
    speaker: str | None = None
    source: str | None = None


class Aftermath:
    """Follows what was under way when its reply was given. One event loop.

    Args:
        follower: Sees how it ends.
        registry: For names.
        replies: The words.
        announce: Where what is worth saying is said.
        audit: Where the end is written down.
    """

    def __init__(
        self, follower: Follower, registry: Registry, replies: Replies, announce: Announcer, audit: Audit | None
    ) -> None:
        self._follower = follower
        self._registry = registry
        self._replies = replies
        self._announce = announce
        self._audit = audit
        self._tasks: set[asyncio.Task[None]] = set()

    def follow(self, outcomes: Sequence[Outcome], occasion: Occasion) -> None:
        """Returns at once; announces, once for all of these, only what differs from what the reply let one expect."""
        concerned = [item for item in outcomes if self._follower.concerned(item)]
        if concerned:
            task = asyncio.get_running_loop().create_task(self._follow(concerned, occasion), name="aftermath")
            self._tasks.add(task)
            task.add_done_callback(self._ended)

    async def stop(self) -> None:
        """Follows nothing any more."""
        tasks = tuple(self._tasks)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _follow(self, outcomes: Sequence[Outcome], occasion: Occasion) -> None:
        ends = await asyncio.gather(*(self._follower.to_the_end(item) for item in outcomes))
        pairs = zip(outcomes, ends, strict=True)
        both = [(item, end) for item, end in pairs if end is not None and end.reason != item.reason]
        # A failure that has been told is not told again, nor is an arrival that was to be expected.
        worth = [end for item, end in both if item.reason != "moving" or end.reason]
        if self._audit is not None and both:
            self._audit.record(
                Entry(
                    said=occasion.said,
                    lang=occasion.lang,
                    allowed_because="followed",
                    outcomes=tuple(end for _, end in both),
                    satellite=occasion.satellite,
                    speaker=occasion.speaker,
                    source=occasion.source,
                )
            )
        if worth:
            reply = wording.aftermath(worth, self._registry, self._replies, occasion.lang)
            self._announce(Announcement(occasion.satellite, occasion.lang, reply))

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("what was under way could not be followed", exc_info=error)

"""Following what was under way when it was told: to its end, or to where it got stuck; and what is said of it then."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from daemon.act.answers import Ended
from daemon.act.audit import Audit, Entry
from daemon.act.judging import goal_of, takes_time
from daemon.act.reader import Patience, Reader, wait
from daemon.act.states import Sighting, States
from daemon.act.values import fulfilled, number
from daemon.core.entities import Entity
from daemon.core.outcomes import Observation, Outcome, Write
from daemon.core.result import Notice, Notify, Occasion, Report
from daemon.core.values import replace
from daemon.home.registry import Registry
from daemon.home.verbs import fulfilling
from daemon.mqtt.bus import Bus
from daemon.system.worker import ended

_REST = 1.0
"""Percent: a cover that has moved less between two answers stands still."""
AT_MOST_S = 1.0
"""However much a cover tells of its way, it is not asked more often."""
_NEAR = 5.0
"""Percent: a cover that rests so near its goal has come to its own end."""
_MOVING = frozenset({"opening", "closing", "locking", "unlocking"})


@dataclass(frozen=True, slots=True)
class Follower:
    """Follows covers and locks; a newer act (`acts` has another number) ends the interest in one. One event loop."""

    _states: States
    _reader: Reader
    _registry: Registry
    _acts: Callable[[str], int]
    _patience: Patience = field(default_factory=Patience)

    def concerned(self, outcome: Outcome) -> bool:
        """Whether the last word on this outcome is still to come: under way, or slow to start."""
        entity = self._registry.get(outcome.write.entity)
        if entity is None or not outcome.sent or not takes_time(outcome.write, entity):
            return False
        return outcome.reason == "moving" or outcome.reason in ("disagrees", "no_answer")

    async def to_the_end(self, outcome: Outcome) -> Outcome | None:
        """What became of what is `concerned`: `done`, `failed` ("halfway"), `unconfirmed` ("no_answer").

        None after a newer act. What had not started when that was told, and never did, is as it was, and so is what
        nobody answered for and whose last word is the wish. An answer that shows the wish is believed when it is given
        twice.
        """
        write = outcome.write
        # Nothing more is sent for it.
        outcome = replace(outcome, published=(), attempts=0)
        act = self._acts(write.entity)
        clock = asyncio.get_running_loop().time
        end = clock() + self._patience.follow_s
        woken = asyncio.Event()
        way = _Way(moves=outcome.reason == "moving", since=clock(), rest_s=self._patience.look_s * 0.9)

        def hear(sighting: Sighting) -> None:
            way.heard(sighting)
            woken.set()

        with self._states.watching(write.entity, hear):
            while clock() < end:
                await asyncio.sleep(AT_MOST_S)
                await wait(woken, min(self._patience.look_s, end - clock()))
                entity = self._registry.get(write.entity)
                seen = await self._look(write, entity) if entity is not None else None
                woken.clear()  # the answer was looked at
                if entity is None or self._acts(write.entity) != act:
                    return None
                if seen is not None and (ended := way.ended(outcome, entity, seen, clock())) is not None:
                    return ended
        entity = self._registry.get(write.entity)
        if entity is None or not way.moves or way.shows(write, entity):
            # There is nothing new to tell, or nothing was said against it.
            return outcome
        return replace(outcome, status="unconfirmed", reason="no_answer", evidence=way.here)

    async def _look(self, write: Write, entity: Entity) -> Observation | None:
        """Where it is now: its position where it has one, else its state; None where that is not known."""
        pair = (write.entity, telling(write, entity))
        seen = (await self._reader.read([pair], listen_s=self._patience.slow_settle_s))[pair]
        return seen if seen.fresh else None


@dataclass
class _Way:
    """What was seen of it so far."""

    moves: bool
    since: float
    """When it was first seen where it is."""
    rest_s: float
    """After so long at one place it rests."""
    here: Observation | None = None
    arrived: bool = False
    last: Sighting | None = None
    """The last that was heard of it, proof or not."""

    def heard(self, sighting: Sighting) -> None:
        told = "position" if self.last is not None and self.last.attribute == "position" else sighting.attribute
        if not sighting.retained and sighting.attribute in (told, "position") and told in ("position", "state"):
            self.last = sighting

    def shows(self, write: Write, entity: Entity) -> bool:
        """Whether what was heard last is what was wished."""
        last = self.last
        return last is not None and fulfilled(entity, write.attribute, write.value, last.attribute, last.value)

    def ended(self, outcome: Outcome, entity: Entity, seen: Observation, now: float) -> Outcome | None:
        """What became of it, where this answer tells."""
        if self.here is not None and seen.sequence == self.here.sequence:
            return None  # nothing new: neither that it moves nor that it rests
        before, self.arrived = self.arrived, arrived(outcome.write, entity, seen)
        if self.arrived and (before or seen.source == "push"):
            return replace(outcome, status="done", reason="", evidence=seen)
        if self.here is None or not _alike(self.here, seen):
            self.moves = self.moves or self.here is not None
            self.here, self.since = seen, now
        elif self.moves and not self.arrived and seen.value not in _MOVING and now - self.since >= self.rest_s:
            return _stopped(outcome, entity, seen)
        return None


def telling(write: Write, entity: Entity) -> str:
    """The attribute that tells how far it is: of a cover its position, where it has one."""
    if takes_time(write, entity):
        return "position" if entity.reads("position") is not None else "state"
    return "state" if write.attribute == "command" else write.attribute


def arrived(write: Write, entity: Entity, seen: Observation) -> bool:
    """Whether this shows what was wished."""
    goal = goal_of(write, entity)
    now = number(seen.value)
    if goal is not None and now is not None:
        return abs(goal - now) <= _REST
    return fulfilled(entity, write.attribute, write.value, seen.attribute, seen.value)


def _alike(one: Observation, other: Observation) -> bool:
    first, second = number(one.value), number(other.value)
    if first is not None and second is not None:
        return abs(first - second) < _REST
    return one.value == other.value


def _stopped(outcome: Outcome, entity: Entity, seen: Observation) -> Outcome:
    goal, now = goal_of(outcome.write, entity), number(seen.value)
    if goal is not None and now is not None and abs(goal - now) <= _NEAR:
        return replace(outcome, status="done", reason="", evidence=seen)
    return replace(outcome, status="failed", reason="halfway", evidence=seen)


@dataclass(frozen=True, slots=True)
class Regained:
    """Looks after what was sent and never acknowledged. One event loop.

    A broker, or a network, that stood still may hand it on when it wakes, whatever was replied meanwhile. A newer act
    (`acts` has another number) ends the interest in an older one; `follower` takes over what turns out to take its
    time.
    """

    _bus: Bus
    _states: States
    _reader: Reader
    _registry: Registry
    _acts: Callable[[str], int]
    _follower: Follower
    _patience: Patience = field(default_factory=Patience)

    def concerned(self, outcome: Outcome) -> bool:
        """Whether it may have arrived, and the device could tell."""
        entity = self._registry.get(outcome.write.entity)
        if entity is None or outcome.reason != "connection_lost" or not outcome.sent:
            return False
        tells = outcome.write.attribute != "command" or bool(fulfilling(entity, outcome.write.value))
        return tells and entity.reads(telling(outcome.write, entity)) is not None

    async def to_the_end(self, outcome: Outcome) -> Outcome | None:
        """`done` as soon as it shows, `failed` ("disagrees") where it does not come true for a while.

        None after a newer act, or where the device does not tell: then nothing is known that was not said.
        """
        write = outcome.write
        act = self._acts(write.entity)
        # Nothing more is sent for it.
        outcome = replace(outcome, published=(), attempts=0)
        await self._back()
        clock = asyncio.get_running_loop().time
        end = clock() + self._patience.late_s
        last: Observation | None = None
        woken = asyncio.Event()
        with self._states.watching(write.entity, lambda _: woken.set()):
            while self._acts(write.entity) == act and (entity := self._registry.get(write.entity)) is not None:
                pair = (entity.id, telling(write, entity))
                seen = (await self._reader.read([pair], listen_s=self._patience.slow_settle_s))[pair]
                if self._acts(write.entity) != act:
                    return None
                woken.clear()  # the answer was looked at
                last = seen if seen.fresh else last
                if last is not None and arrived(write, entity, last):
                    return replace(outcome, status="done", reason="", evidence=last)
                if clock() >= end:
                    if last is not None and goal_of(write, entity) is not None:
                        return await self._follower.to_the_end(replace(outcome, status="done", reason="moving"))
                    return (
                        None if last is None else replace(outcome, status="failed", reason="disagrees", evidence=last)
                    )
                await asyncio.sleep(AT_MOST_S)
                await wait(woken, min(self._patience.look_s, end - clock()))
        return None

    async def _back(self) -> None:
        """Waits for the connection."""
        back = asyncio.Event()
        end = self._bus.on_connection(lambda up: back.set() if up else back.clear())
        try:
            while not self._bus.connected:
                await back.wait()
                back.clear()
        finally:
            end()


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
        await ended(self._tasks)

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

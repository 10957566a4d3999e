"""Carrying out what was kept when its moment has come, like anything else; what rules watch when the home changes."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from daemon.act.executor import Access
from daemon.core.messages import Listing, Moment, Said, say
from daemon.core.questions import Settled
from daemon.core.resolution import Context, Spoken, union
from daemon.core.result import Notice, Notify, Occasion, Report
from daemon.core.trace import Trace
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.home.registry import Registry
from daemon.resolve.resolver import Resolver
from daemon.schedule.agenda import Agenda, Standing
from daemon.schedule.edges import Edges
from daemon.schedule.endings import moot
from daemon.schedule.entries import Entry, Happens, ToDo, left_over, without
from daemon.schedule.moments import Moments
from daemon.schedule.timers import Timers
from daemon.schedule.times import Times, as_now
from daemon.system.worker import ended

_LOG = logging.getLogger(__name__)

_LOOK_S = 15.0
"""So often the clock on the wall is looked at: it may have been set."""
_PUNCTUAL_S = 20.0
"""A timer that rings so late was not late for anybody."""


@dataclass
class Firing:
    """Watches the agenda of one home. One event loop.

    `carry_out` does one clause, as if it were said now. Later than `late_s`, it is only said that it was missed.
    """

    agenda: Agenda
    moments: Moments
    edges: Edges
    registry: Registry
    access: Access
    carry_out: Callable[[Turn, Occasion], Awaitable[Report]]
    announce: Notify
    late_s: float = 300.0
    _woken: asyncio.Event = field(default_factory=asyncio.Event, init=False)

    def __post_init__(self) -> None:
        self._times = Times(self.agenda, self.moments, self.registry)
        self._standing = Standing(self.agenda, self.moments)
        self._timers = Timers(self.agenda, self.moments, self.registry)

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Carries out what becomes due while the block runs."""
        end = self.agenda.on_change(self._woken.set)
        self.edges.wake = self._woken.set
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            end()
            await ended([task])

    async def tick(self) -> None:
        """Carries out all that is due now."""
        await self.agenda.follow_clock()
        await self._standing.follow_clock()
        now = self.agenda.clock.wall()
        rules = [(item.id, item.clause.when) for item in self.agenda.entries if item.sort == "rule"]
        if lapsed := [number for number, when in rules if when is not None and self.moments.over(when.hours)]:
            await self.agenda.drop(lapsed)
        due = [(item, at) for item in self.agenda.entries if (at := self.agenda.due(item)) <= now]
        happened, too_often = await self.edges.due()
        for entry in too_often:
            await self._stop(entry)
        await asyncio.gather(self._due(due, now), *map(self._happened, happened))

    async def fire(self, entry: Entry, since: float | None = None) -> Report:
        """Carries one command out now, which was planned for `since`, and says what became of it."""
        with self.edges.own(entry.of):
            report = await self._done(entry, since)
        trouble = report.outcome not in ("execute", "schedule", "assistant") or any(
            item.status not in ("done", "unconfirmed") for item in report.outcomes
        )
        said = report.said or ((self._timers.rings(entry, 0.0),) if entry.reminds is not None else ())
        if trouble and report.reason != "condition":
            act, reply = ToDo(entry.clause, entry.entities), Listing(said, "sentences")
            if entry.sort == "rule":
                said = (say("later.failed.rule", act=act, what=Happens.of(entry.clause, entry.watched), reply=reply),)
            else:
                said = (say("later.failed", act=act, when=Moment(entry.due or self.agenda.clock.wall()), reply=reply),)
        plan = self.agenda.get(entry.of) if entry.of is not None else None
        standing = entry.standing or (plan is not None and plan.standing)
        quiet = standing and (report.reason == "condition" or not (trouble or entry.reminds is not None))
        self._say(entry, said, aloud=not quiet)
        return report

    async def _run(self) -> None:
        while True:
            self._woken.clear()
            try:
                await self.tick()
            except Exception:  # noqa: BLE001 - a bug in one entry must not silence all others
                _LOG.exception("what is kept for later could not be looked at")
            first = min((self.agenda.due(item) for item in self.agenda.entries), default=float("inf"))
            wait = min(_LOOK_S, max(0.05, min(first - self.agenda.clock.wall(), self.edges.wait_s())))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait if self.access.connected() else max(1.0, wait)):
                    await self._woken.wait()

    async def _due(self, due: Sequence[tuple[Entry, float]], now: float) -> None:
        """Carries out in its order what is due; of several commands for one device only the last.

        What switches off, closes or locks at the end of something is never too late.
        """
        timely: dict[int, tuple[Entry, float]] = {}
        for entry, at in due:
            if entry.sort == "timer":
                await self.agenda.drop([entry.id])
                late = now - at
                self._say(entry, (self._timers.rings(entry, late if late > _PUNCTUAL_S else 0.0),))
            elif now - at > self.late_s and self._times.calms(entry):
                if self.access.connected():
                    self._given_up(entry, at, "later.late")
                    timely[entry.id] = entry, at
            elif now - at > self.late_s or self._times.over(entry, at, now):
                await self._standing.put_off(entry, done=False)
                self._given_up(entry, at, "later.missed" if self.access.connected() else "later.missed.away")
            elif self.access.connected() or entry.reminds is not None:  # else it may come back in time
                timely[entry.id] = entry, at
        left = left_over([entry for entry, _ in timely.values()])
        for entry, at in timely.values():
            if self.agenda.get(entry.id) is not entry:
                continue  # what was carried out just now has done away with it
            # Before the act, so that nothing is ever done twice, whatever happens meanwhile.
            await self._standing.put_off(entry, done=True)
            if entry.entities and not left[entry.id]:
                self._given_up(entry, at, "later.overruled")
                continue
            gone = set(entry.entities) - set(left[entry.id])
            await self.fire(without(entry, gone) if entry.them else entry, since=at)

    def _given_up(self, entry: Entry, at: float, key: str) -> None:
        """Says what was due and is not done, or not in time."""
        self._say(entry, (say(key, act=ToDo(entry.clause, entry.entities), when=Moment(at)),))

    async def _happened(self, entry: Entry) -> None:
        """What a rule waited for has happened; not in other hours than its own."""
        hours = entry.clause.when.hours if entry.clause.when is not None else None
        if hours is not None and not self.moments.within(hours, self.agenda.clock.wall()):
            self.edges.done(entry.id)
            return
        if entry.standing:
            await self.agenda.put(replace(entry, fired=self.agenda.clock.wall()))
        else:
            await self.agenda.drop([entry.id])
        try:
            await self.fire(entry)
        finally:
            self.edges.done(entry.id)

    async def _stop(self, entry: Entry) -> None:
        """Ends a rule that goes round in circles."""
        await self.agenda.drop([entry.id])
        self._say(
            entry,
            (say("later.busy", act=ToDo(entry.clause, entry.entities), what=Happens.of(entry.clause, entry.watched)),),
        )

    async def _done(self, entry: Entry, since: float | None) -> Report:
        lang = entry.origin.lang
        off = [item for item in entry.them if self.access.states.seen(item, "state").value == "off"]
        if spared := moot(entry, off):
            entry = without(entry, spared)
            if not entry.them:
                return Report("execute", (), "moot")
        gone = [item for item in entry.them if item not in self.registry]
        if entry.them and len(gone) == len(entry.them):
            return Report("reject", (say("later.gone"),), "gone")
        trace = Trace()
        assert entry.program is not None
        # "Them" can only be what was said to be about; a set is whatever it is now.
        context = Context(
            lang=lang,
            area=entry.origin.area,
            speaker=entry.origin.speaker,
            spoken=Spoken(tuple(item for item in entry.them if item in self.registry)),
            state_of=lambda entity, attribute: self.access.states.seen(entity, attribute).value,
        )
        turn = Turn(
            as_now(entry.program),
            0,
            context,
            Settled(confirmed=entry.confirmed, despite=entry.despite),
            1.0,
            trace,
            entry.origin.said,
            entry.origin.satellite,
            attended=False,
            plan=entry.id,
            ends=entry.sort == "end",
            since=since,
        )
        origin = entry.origin
        occasion = Occasion(origin.said, lang, origin.satellite, origin.speaker, "later")
        report = await self.carry_out(turn, occasion)
        if report.question is not None or report.outcome == "clarify":
            return Report("reject", (say("later.unclear"),), "unclear", report.entities)
        return report

    def _say(self, entry: Entry, said: Said, *, aloud: bool = True) -> None:
        if said:
            self.announce(Notice(entry.origin.satellite, entry.origin.lang, said, aloud))


@dataclass(frozen=True, slots=True)
class Rewatching:
    """Keeps the watched sets of one home's rules. One event loop.

    One device that was said back stays the one that is watched, whatever else is called so by now; and a set stays as
    it was where nothing fits any more, as before a broker has told of its devices.
    """

    _agenda: Agenda
    _registry: Registry
    _resolver: Resolver
    _edges: Edges

    async def start(self) -> None:
        """Begins to watch, in the home as it is now."""
        await self.follow()
        self._edges.start()

    async def follow(self) -> None:
        """Finds anew whom each rule is about, and watches them; what has changed is kept so."""
        for entry in self._agenda.entries:
            if (entry.watches or entry.sort == "ban") and (found := self._as_now(entry)) != entry:
                await self._agenda.put(found)
        self._edges.follow()

    def _as_now(self, entry: Entry) -> Entry:
        """The entry with the sets that it is about as they are now; of a prohibition, also what it forbids."""
        origin = entry.origin
        context = Context(
            lang=origin.lang,
            area=origin.area,
            speaker=origin.speaker,
            spoken=Spoken(tuple(item for item in entry.them if item in self._registry)),
        )
        clause = replace(entry.clause, when=None)
        found = self._resolver.resolve_clause(clause, context)
        watched = tuple(
            new.entities if new.status == "resolved" and new.is_set else old
            for new, old in zip(found.conditions, entry.watched, strict=True)
        )
        entities = entry.entities
        if entry.sort == "ban" and found.entities and all(item.is_set for item in found.targets):
            entities = union((found.entities, found.left_out))
        return replace(entry, watched=watched, entities=entities)

"""Carrying out what was kept for later when its moment has come: judged, done and reported like anything else."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Sequence

from daemon.act.audit import Audit
from daemon.act.audit import Entry as Record
from daemon.act.dispatch import Deeds
from daemon.act.tracking import Aftermath, Occasion
from daemon.core.questions import Settled
from daemon.core.resolution import Context
from daemon.core.trace import Trace
from daemon.core.turn import Access, Announcement, Announcer, Report, Turn
from daemon.core.values import replace
from daemon.decide.judgement import Judgement
from daemon.schedule.edges import Edges
from daemon.schedule.endings import moot
from daemon.schedule.entries import Entry
from daemon.schedule.keeping import Schedule, as_now
from daemon.schedule.standing import Standing
from daemon.schedule.timers import Timers
from daemon.schedule.tracks import left_over, without

_LOG = logging.getLogger(__name__)

_LOOK_S = 15.0
"""So often the clock on the wall is looked at: it may have been set."""
_PUNCTUAL_S = 20.0
"""A timer that rings so late was not late for anybody."""


class Firing:
    """Watches the agenda of one home. One event loop.

    Args:
        schedule: What is kept.
        late_s: How late a command may still be carried out; after that it is only said that it was missed.
    """

    def __init__(  # noqa: PLR0913 - the parts of one home
        self,
        *,
        schedule: Schedule,
        timers: Timers,
        judgement: Judgement,
        deeds: Deeds,
        access: Access,
        edges: Edges,
        announce: Announcer,
        aftermath: Aftermath,
        audit: Audit | None = None,
        late_s: float = 300.0,
    ) -> None:
        self._schedule = schedule
        self._agenda = schedule.agenda
        self._clock = schedule.clock
        self._replies = schedule.replies
        self._registry = schedule.registry
        self._timers = timers
        self._judgement = judgement
        self._deeds = deeds
        self._access = access
        self._edges = edges
        self._announce = announce
        self._aftermath = aftermath
        self._audit = audit
        self._late_s = late_s
        self._standing = Standing(schedule.agenda, schedule.clock, schedule.moments)
        self._woken = asyncio.Event()

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Carries out what becomes due while the block runs."""
        end = self._agenda.on_change(self._woken.set)
        self._edges.wake = self._woken.set
        task = asyncio.create_task(self._run())
        try:
            yield
        finally:
            end()
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    async def tick(self) -> None:
        """Carries out all that is due now."""
        await self._agenda.follow_clock()
        await self._standing.follow_clock()
        now = self._clock.wall()
        due = [(item, at) for item in self._agenda.entries if (at := self._agenda.due(item)) <= now]
        happened, too_often = await self._edges.due()
        for entry in too_often:
            await self._stop(entry)
        await asyncio.gather(self._due(due, now), *map(self._happened, happened))

    async def fire(self, entry: Entry, since: float | None = None) -> Report:
        """Carries one command out now, which was planned for `since`, and says what became of it."""
        with self._edges.own(entry.of):
            report = await self._done(entry, since)
        lang = entry.origin.lang
        trouble = report.outcome not in ("execute", "schedule") or any(
            item.status not in ("done", "unconfirmed") for item in report.outcomes
        )
        text = report.reply
        if trouble and report.reason != "condition":
            act = self._schedule.act(entry.clause, entry.entities, lang)
            if entry.sort == "rule":
                what = self._schedule.what(entry, lang)
                text = self._replies.say("later.failed.rule", lang, act=act, what=what, reply=text)
            else:
                when = self._schedule.phrases.past(entry.due or self._clock.wall(), lang)
                text = self._replies.say("later.failed", lang, act=act, when=when, reply=text)
        plan = self._agenda.get(entry.of) if entry.of is not None else None
        standing = entry.standing or (plan is not None and plan.standing)
        quiet = standing and (not trouble or report.reason == "condition")
        self._say(entry, text, aloud=not quiet)
        return report

    async def _run(self) -> None:
        while True:
            self._woken.clear()
            try:
                await self.tick()
            except Exception:  # noqa: BLE001 - a bug in one entry must not silence all others
                _LOG.exception("what is kept for later could not be looked at")
            first = min((self._agenda.due(item) for item in self._agenda.entries), default=float("inf"))
            wait = min(_LOOK_S, max(0.05, min(first - self._clock.wall(), self._edges.wait_s())))
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(wait if self._access.connected() else max(1.0, wait)):
                    await self._woken.wait()

    async def _due(self, due: Sequence[tuple[Entry, float]], now: float) -> None:
        """Carries out in its order what is due; of several commands for one device only the last."""
        timely: dict[int, tuple[Entry, float]] = {}
        for entry, at in due:
            if entry.sort == "timer":
                await self._agenda.drop([entry.id])
                late = now - at
                self._say(entry, self._timers.rings(entry, late if late > _PUNCTUAL_S else 0.0, entry.origin.lang))
            elif now - at > self._late_s or self._schedule.over(entry, at, now):
                await self._standing.put_off(entry, done=False)
                self._given_up(entry, at, "later.missed" if self._access.connected() else "later.missed.away")
            elif self._access.connected():  # else it may come back in time
                timely[entry.id] = entry, at
        left = left_over([entry for entry, _ in timely.values()])
        for entry, at in timely.values():
            if self._agenda.get(entry.id) is not entry:
                continue  # what was carried out just now has done away with it
            # Before the act, so that nothing is ever done twice, whatever happens meanwhile.
            await self._standing.put_off(entry, done=True)
            if entry.entities and not left[entry.id]:
                self._given_up(entry, at, "later.overruled")
                continue
            gone = set(entry.entities) - set(left[entry.id])
            await self.fire(without(entry, gone) if entry.them else entry, since=at)

    def _given_up(self, entry: Entry, at: float, key: str) -> None:
        """Says what was due and is not done."""
        lang = entry.origin.lang
        act, when = self._schedule.act(entry.clause, entry.entities, lang), self._schedule.phrases.past(at, lang)
        self._say(entry, self._replies.say(key, lang, act=act, when=when))

    async def _happened(self, entry: Entry) -> None:
        """What a rule waited for has happened."""
        if entry.standing:
            await self._agenda.put(replace(entry, fired=self._clock.wall()))
        else:
            await self._agenda.drop([entry.id])
        try:
            await self.fire(entry)
        finally:
            self._edges.done(entry.id)

    async def _stop(self, entry: Entry) -> None:
        """Ends a rule that goes round in circles."""
        await self._agenda.drop([entry.id])
        lang = entry.origin.lang
        act, what = self._schedule.act(entry.clause, entry.entities, lang), self._schedule.what(entry, lang)
        self._say(entry, self._replies.say("later.busy", lang, act=act, what=what))

    async def _done(self, entry: Entry, since: float | None) -> Report:
        lang = entry.origin.lang
        off = [item for item in entry.them if self._access.states.seen(item, "state").value == "off"]
        if spared := moot(entry, off):
            entry = without(entry, spared)
            if not entry.them:
                return Report("execute", "", "moot")
        gone = [item for item in entry.them if item not in self._registry]
        if entry.them and len(gone) == len(entry.them):
            return Report("reject", self._replies.say("later.gone", lang), "gone")
        trace = Trace()
        assert entry.program is not None
        # "Them" can only be what was said to be about; a set is whatever it is now.
        context = Context(
            lang=lang,
            area=entry.origin.area,
            speaker=entry.origin.speaker,
            last=tuple(item for item in entry.them if item in self._registry),
            state_of=lambda entity, attribute: self._access.states.seen(entity, attribute).value,
        )
        turn = Turn(
            as_now(entry.program),
            0,
            context,
            Settled(confirmed=entry.confirmed),
            1.0,
            trace,
            entry.origin.said,
            entry.origin.satellite,
            attended=False,
            plan=entry.id,
            since=since,
        )
        judged = await self._judgement.judge(turn)
        report = await self._deeds.carry_out(judged)
        if report.question is not None or report.outcome == "clarify":
            report = Report("reject", self._replies.say("later.unclear", lang), "unclear", report.entities)
        self._record(entry, report)
        origin = entry.origin
        occasion = Occasion(origin.said, lang, origin.satellite, origin.speaker, "later")
        self._aftermath.follow(report.outcomes, occasion)
        return report

    def _record(self, entry: Entry, report: Report) -> None:
        if self._audit is None or not (report.outcomes or report.outcome == "reject"):
            return
        self._audit.record(
            Record(
                said=entry.origin.said,
                lang=entry.origin.lang,
                allowed_because=report.reason,
                outcomes=report.outcomes,
                satellite=entry.origin.satellite,
                speaker=entry.origin.speaker,
                source="later",
                refused=not report.outcomes,
            )
        )

    def _say(self, entry: Entry, text: str, *, aloud: bool = True) -> None:
        if text:
            self._announce(Announcement(entry.origin.satellite, entry.origin.lang, text, aloud))

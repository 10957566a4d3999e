"""One device's part of an act: the set, the gets, and the wait for proof.

The set goes out; as soon as it is echoed, or after a short grace, a get; then another one to be sure of the answer, or
more, ever more slowly, until every write is proven (see `daemon.act.judging`) or the deadline has come. An idempotent
set is repeated once where the device contradicts it or stays silent, unless a newer command has taken its place; a
command ("next") never is.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Sequence

from daemon.act.judging import Judge, goal_of, leaves, takes_time, watched
from daemon.act.reader import ECHOES, Asker, Patience, Together
from daemon.act.states import Sighting, States
from daemon.act.values import fulfilled
from daemon.core.entities import Entity
from daemon.core.errors import BrokerError, BrokerLost, BrokerUnavailable, HearkenError, TemplateError
from daemon.core.outcomes import Observation, Outcome, Status, Write
from daemon.core.values import replace
from daemon.mqtt.bus import Bus, Publication
from daemon.mqtt.dialects import Dialect
from daemon.mqtt.dialects.templates import asked


class Job:
    """Carries out the writes of one device. Used once."""

    def __init__(  # noqa: PLR0913 - all that one act needs
        self,
        *,
        bus: Bus,
        dialect: Dialect,
        asker: Asker,
        states: States,
        patience: Patience,
        entity: Entity,
        writes: Sequence[Write],
        superseded: Callable[[Write], bool],
        former: Sequence[Write] = (),
        together: Together | None = None,
    ) -> None:
        self._bus = bus
        self._dialect = dialect
        self._asker = asker
        self._states = states
        self._patience = patience
        self._entity = entity
        self._superseded = superseded
        self._former = tuple(goal for write in former if (goal := goal_of(write, entity)) is not None)
        self._together = together
        self._woken = asyncio.Event()
        self._lost = False
        self._attempts = 0
        self._why_not = "unsupported"
        """Where nothing left."""
        self._published: list[tuple[str, str]] = []
        self._judges = [self._judge(write) for write in writes]

    @property
    def caught(self) -> bool:
        """Whether the wish was said after a get that was not so."""
        return any(judge.caught for judge in self._judges)

    def _judge(self, write: Write) -> Judge:
        placed = self._states.sighting(self._entity.id, "position") is not None
        slow = takes_time(write, self._entity)
        return Judge(
            write,
            self._entity,
            askable=self._asker.askable(self._entity, watched(write, self._entity, placed=placed)),
            placed=placed,
            former=self._former,
            settle_s=self._patience.slow_settle_s if slow else self._patience.settle_s,
        )

    async def run(self, sent: Callable[[], None]) -> list[Outcome]:
        """Sends and watches; returns one outcome per write, in order. `sent` is called when the first set is out."""
        already = [self._already(judge) for judge in self._judges]
        before = [self._before(judge) for judge in self._judges]
        stop_listening = self._bus.on_connection(self._on_connection)
        try:
            with self._states.watching(self._entity.id, self._see):
                await self._send([judge.write for judge in self._judges])
                sent()
                if self._published and not self._lost:
                    await self._watch()
        finally:
            stop_listening()
        if not self._published:
            status: Status = "unconfirmed" if self._why_not == "superseded" else "refused"
            return [Outcome(judge.write, status, self._why_not) for judge in self._judges]
        return [
            replace(self._outcome(judge, was), before=known)
            for judge, was, known in zip(self._judges, already, before, strict=True)
        ]

    async def _send(self, writes: Sequence[Write]) -> bool:
        """Publishes the set; False where the dialect has no words for it, or no broker would take them.

        What has gone out is in `_published`, even where the rest could not follow: then only what is seen tells what
        became of it. What is shared with others of a group is so the first time only: who needs more is told alone.
        """
        shared, self._together = self._together, None
        publications = await self._encoded(writes) if shared is None else (shared.publication,)
        if not publications:
            return False
        self._attempts += 1
        echoes = len(publications) if shared is None else ECHOES
        for judge in self._judges:
            if judge.write in writes:
                judge.sent()
                for attribute, value in () if judge.candid else judge.expected:
                    self._states.sent(self._entity.id, attribute, value, echoes)
        for publication in publications:
            try:
                await (shared.publish(self._bus) if shared else self._bus.publish(publication))
            except BrokerLost:
                # It may have left before the connection broke, so it is neither refused nor repeated.
                self._lost = True
            except BrokerError as error:
                self._why_not = "broker_away" if isinstance(error, BrokerUnavailable) else "unsupported"
                return False
            self._published.append((publication.topic, publication.payload.decode("utf-8", "replace")))
            if self._lost:
                break
        return True

    async def _encoded(self, writes: Sequence[Write]) -> tuple[Publication, ...]:
        """The messages of a set; empty where there are none, or a template of the device couldn't be rendered in time.

        While one is, a newer command may be faster, and the connection be lost: then it isn't sent any more.
        """
        try:
            async with asyncio.timeout(self._patience.encoding_s):
                publications = await asked(lambda: self._dialect.encode(self._entity, writes))
        except (TemplateError, TimeoutError):
            self._why_not = "template_late"
            return ()
        except HearkenError:
            return ()
        if self._lost or any(map(self._superseded, writes)):
            self._why_not = "broker_away" if self._lost else "superseded"
            return ()
        return publications

    async def _watch(self) -> None:
        clock = asyncio.get_running_loop().time
        start = clock()
        pause = self._patience.pause_s
        next_get = start + self._patience.grace_s
        retry_at: float | None = start + self._patience.deadline_s * self._patience.retry_after
        last_get: float | None = None
        asked = -math.inf
        echoes = 0
        while not self._lost and (waiting := self._waiting(now := clock())):
            askable = [judge for judge in waiting if judge.askable and judge.proven_s is None]
            limit = start + self._limit(waiting) if last_get is None else last_get + self._last(waiting)
            if now >= limit:
                unclear = [judge for judge in waiting if judge.askable and (judge.contradicted or judge.hinted)]
                if last_get is not None or not unclear:
                    return
                last_get, retry_at = now, None
                next_get = now + self._patience.last_s / 2
                for judge in unclear:
                    judge.final()
                await self._ask(unclear)
                continue
            if (heard := sum(judge.echoes for judge in waiting)) > echoes:
                # An echo says that the set is through: now is the time to ask, but not again for whatever repeats it.
                echoes, next_get = heard, min(next_get, max(now, asked + self._patience.grace_s / 5))
            next_get = min([next_get, *(judge.check_s for judge in askable if judge.check_s is not None)])
            if askable and now >= next_get:
                asked, next_get = now, now + pause
                pause = min(pause * 2, self._patience.longest_pause_s)
                await self._ask(askable)
                continue
            if retry_at is not None and now >= retry_at:
                retry_at = None
                again = [judge.write for judge in askable if self._may_repeat(judge)]
                if again and await self._send(again):
                    next_get = clock() + self._patience.grace_s
                continue
            proven = [judge.proven_s for judge in waiting if judge.proven_s is not None]
            upcoming = [limit, *proven, *([next_get] if askable else []), *([] if retry_at is None else [retry_at])]
            await self._wait(min(upcoming) - now)

    def _waiting(self, now: float) -> list[Judge]:
        for judge in self._judges:
            judge.settle(now)
        return [judge for judge in self._judges if judge.open]

    def _last(self, waiting: Sequence[Judge]) -> float:
        """Seconds from the last get to the end; what came true at the last moment has the time to be proven."""
        return self._patience.last_s + max((judge.settle_s for judge in waiting if judge.hinted), default=0.0)

    def _limit(self, waiting: Sequence[Judge]) -> float:
        """Seconds from the set to the deadline, as things stand."""
        if any(judge.nearing or (judge.slow and (judge.contradicted or not judge.askable)) for judge in waiting):
            return self._patience.slow_s
        telling = any(judge.askable or judge.candid for judge in waiting)
        return self._patience.deadline_s if telling else self._patience.mute_s

    async def _ask(self, judges: Sequence[Judge]) -> None:
        sequence, now = self._bus.sequence, asyncio.get_running_loop().time()
        for judge in judges:
            judge.asked(sequence, now)
        attributes = [judge.watched for judge in judges]
        if any(judge.slow or judge.write.value == "stop" for judge in judges):
            attributes.append("position")
        for publication in self._asker.publications(self._entity, attributes):
            try:
                await self._bus.publish(publication)
            except BrokerError as error:
                self._lost = self._lost or isinstance(error, BrokerUnavailable)
                return

    async def _wait(self, seconds: float) -> None:
        try:
            async with asyncio.timeout(max(0.0, seconds)):
                await self._woken.wait()
        except TimeoutError:
            return
        self._woken.clear()

    def _may_repeat(self, judge: Judge) -> bool:
        unanswered = not (judge.nearing or judge.hinted)
        return judge.write.attribute != "command" and unanswered and not self._superseded(judge.write)

    def _see(self, sighting: Sighting) -> None:
        for judge in self._judges:
            judge.see(sighting)
        self._woken.set()

    def _on_connection(self, up: bool) -> None:  # noqa: FBT001 - the bus calls it so
        if not up:
            self._lost = True
            self._woken.set()

    def _already(self, judge: Judge) -> bool:
        """Whether a fresh reading showed the wished value before the set."""
        write = judge.write
        if write.attribute == "command" or leaves(write, self._states.seen(self._entity.id, "state").value):
            return False
        seen = self._states.seen(self._entity.id, judge.watched)
        told = write.before if judge.watched == write.attribute else None
        before = told if told is not None else seen.value if seen.fresh else None
        return fulfilled(self._entity, write.attribute, write.value, judge.watched, before)

    def _before(self, judge: Judge) -> tuple[Observation, ...]:
        attributes = dict.fromkeys((judge.write.attribute, "state", judge.watched))
        seen = (self._states.seen(self._entity.id, attribute) for attribute in attributes)
        return tuple(item for item in seen if item.value is not None)

    def _outcome(self, judge: Judge, already: bool) -> Outcome:  # noqa: FBT001 - private
        base = Outcome(judge.write, "unconfirmed", sent=True, attempts=self._attempts, published=tuple(self._published))
        if judge.verdict is not None and judge.evidence is not None and not self._superseded(judge.write):
            for attribute in dict.fromkeys((judge.watched, *dict(judge.expected))):
                self._states.settled(self._entity.id, attribute)
            reason = "moving" if judge.verdict == "moving" else "already" if already else ""
            seen = self._states.observation(judge.evidence, reply=judge.askable)
            return replace(base, status="done", reason=reason, evidence=seen)
        refuted = judge.contradicted and not judge.untold
        if refuted and judge.evidence is not None and not self._lost and not self._superseded(judge.write):
            seen = self._states.observation(judge.evidence, reply=judge.askable)
            return replace(base, status="failed", reason="disagrees", evidence=seen)
        last = self._states.seen(self._entity.id, judge.watched)
        if already and judge.candid and not judge.askable and last.fresh and not self._lost:
            # Some devices only tell what changes.
            return replace(base, status="done", reason="already", evidence=last)
        return replace(base, reason=self._why_unconfirmed(judge), evidence=last if last.source != "none" else None)

    def _why_unconfirmed(self, judge: Judge) -> str:
        if self._lost:
            return "connection_lost"
        if self._superseded(judge.write):
            return "superseded"
        if not judge.observable:
            return "sent"
        if self._states.online(self._entity.id) is False:
            return "offline"
        return "no_answer" if judge.askable or judge.candid else "cannot_ask"

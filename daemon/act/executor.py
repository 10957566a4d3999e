"""The way to the devices: sends writes and finds out what became of them, many at once, each with its own deadline.

Nothing is kept for later: where the broker is away nothing is sent, and where it goes away nothing is sent again.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence

from msgspec import Struct

from daemon.act.job import Job
from daemon.act.reader import Asker, Patience, Reader, Together, together
from daemon.act.states import States
from daemon.act.values import number
from daemon.core.entities import Capability, Entity, Value
from daemon.core.outcomes import Observation, Outcome, Write
from daemon.core.trace import Trace
from daemon.core.values import replace
from daemon.home.registry import Registry
from daemon.mqtt.bus import Bus
from daemon.mqtt.dialects import Dialect

_ON_THE_WAY_S = 60.0
"""No cover is longer on its way; what it says after that is where it stands."""
_POSITION = "position"


class Bound:
    """Remembers the goals of what was seen to move. One event loop."""

    def __init__(self, registry: Registry, clock: Callable[[], float] = time.monotonic) -> None:
        self._registry = registry
        self._clock = clock
        self._goals: dict[str, tuple[float, float]] = {}

    def note(self, outcomes: Iterable[Outcome]) -> None:
        """Takes in what became of an act; a newer act of any sort, such as a stop, ends the older way."""
        for outcome in outcomes:
            if not outcome.sent:
                continue
            goal = self._goal(outcome.write) if outcome.reason == "moving" else None
            self._goals.pop(outcome.write.entity, None)
            if goal is not None:
                self._goals[outcome.write.entity] = (goal, self._clock())

    def instead(self, observed: Mapping[tuple[str, str], Observation]) -> dict[tuple[str, str], Observation]:
        """The readings, with the goal in place of where a cover happens to be on its way there."""
        return {pair: replace(item, value=self._value(item)) for pair, item in observed.items()}

    def _value(self, item: Observation) -> Value | None:
        goal, since = self._goals.get(item.entity, (None, 0.0))
        if goal is None or item.attribute != _POSITION or not item.fresh or self._clock() - since > _ON_THE_WAY_S:
            return item.value
        return goal

    def _goal(self, write: Write) -> float | None:
        if write.attribute == _POSITION:
            return number(write.value)
        entity = self._registry.get(write.entity)
        position = entity.capability(_POSITION) if entity is not None else None
        return None if position is None else _end(position, write.value)


def _end(position: Capability, state: Value) -> float | None:
    return {"open": position.maximum, "closed": position.minimum}.get(str(state))


_MOST_REMEMBERED = 10_000
_DISTRUST_S = 3600.0


class Executor:
    """Carries writes out. One event loop, not thread-safe."""

    def __init__(
        self,
        bus: Bus,
        registry: Registry,
        dialects: Mapping[str, Dialect],
        states: States,
        patience: Patience | None = None,
    ) -> None:
        self._bus = bus
        self._registry = registry
        self._dialects = dialects
        self._states = states
        self._patience = patience or Patience()
        self._asker = Asker(bus, dialects)
        self.bound = Bound(registry)
        """Where what still moves is bound for."""
        self._caught: dict[str, float] = {}
        """When a device, or its bridge, last answered with the wish what was not so."""
        self._turn = 0
        self._latest: dict[tuple[str, str], tuple[int, Write]] = {}
        """What was wished last, and the turn from which on nothing else was."""
        self._acts: dict[str, int] = {}

    def acts(self, entity: str) -> int:
        """A number that changes whenever something is sent to this device."""
        return self._acts.get(entity, 0)

    async def execute(self, writes: Sequence[Write], *, trace: Trace | None = None) -> tuple[Outcome, ...]:
        """Sends the writes, all devices at once, and waits for what can be seen of them; an outcome for each, in order.

        The writes are absolute; those of one device are sent in their order. A group that its bridge knows, and all of
        whose members are told the same, is told by one message. The trace's stages "act" and "verify" are timed.
        """
        self._turn += 1
        by_device: dict[str, list[int]] = {}
        for index, write in enumerate(writes):
            by_device.setdefault(write.entity, []).append(index)
        started = asyncio.get_running_loop().time()
        published = [started]
        outcomes: dict[int, Outcome] = {}

        refused = {item: self._refused(item, [writes[at] for at in its]) for item, its in by_device.items()}
        acts = {
            item: (self._registry[item], [writes[at] for at in its])
            for item, its in by_device.items()
            if not refused[item]
        }
        shared = together(acts, self._registry.groups, self._dialects)

        async def carry_out(entity_id: str, indices: Sequence[int]) -> None:
            result = refused[entity_id]
            if not result:
                job = self._job(*acts[entity_id], shared.get(entity_id))
                result = await job.run(lambda: published.append(asyncio.get_running_loop().time()))
                if job.caught:
                    self._caught[entity_id] = asyncio.get_running_loop().time()
            outcomes.update(zip(indices, result, strict=True))

        async with asyncio.TaskGroup() as group:
            for entity_id, indices in by_device.items():
                group.create_task(carry_out(entity_id, indices))
        ordered = tuple(outcomes[index] for index in range(len(writes)))
        self.bound.note(ordered)
        if trace is not None:
            ended = asyncio.get_running_loop().time()
            _note(trace, ordered, act=max(published) - started, verify=ended - max(published))
        return ordered

    def _refused(self, entity_id: str, writes: Sequence[Write]) -> list[Outcome]:
        """The outcomes of what may not be sent; empty where it may."""
        entity = self._registry.get(entity_id)
        if entity is None:
            return [Outcome(write, "not_found", "gone") for write in writes]
        reason = self._refusal(entity)
        return [] if reason is None else [Outcome(write, "refused", reason) for write in writes]

    def _refusal(self, entity: Entity) -> str | None:
        """Why nothing may be sent to this device, as a key of the reply tables; None where it may."""
        if not self._bus.connected:
            return "broker_away"
        if not entity.exposed or entity.address is None or entity.address.dialect not in self._dialects:
            return "not_controllable"
        if self._states.online(entity.id) is False:
            return "offline"
        return None

    def _job(self, entity: Entity, writes: Sequence[Write], shared: Together | None) -> Job:
        assert entity.address is not None  # _refusal has seen to it
        if len(self._latest) > _MOST_REMEMBERED:
            self._latest.clear()
        turn = self._turn
        self._acts[entity.id] = turn
        former = tuple(self._latest[_subject(write)][1] for write in writes if _subject(write) in self._latest)
        for write in writes:
            since, last = self._latest.get(_subject(write), (turn, write))
            same = (last.attribute, last.value) == (write.attribute, write.value)
            self._latest[_subject(write)] = (since if same else turn, write)
        return Job(
            bus=self._bus,
            dialect=self._dialects[entity.address.dialect],
            asker=self._asker,
            states=self._states,
            patience=self._for(entity.id),
            entity=entity,
            writes=writes,
            together=shared,
            former=former,
            superseded=lambda write: self._superseded(write, turn),
        )

    def _superseded(self, write: Write, turn: int) -> bool:
        """Whether something else has been wished since."""
        return self._latest.get(_subject(write), (turn, write))[0] > turn

    def _for(self, entity_id: str) -> Patience:
        """Who was caught lately is believed only when there was time for every answer."""
        since = asyncio.get_running_loop().time() - self._caught.get(entity_id, -math.inf)
        if since > _DISTRUST_S:
            return self._patience
        return replace(self._patience, settle_s=self._patience.deadline_s, slow_settle_s=self._patience.deadline_s)


def _subject(write: Write) -> tuple[str, str]:
    """What a write decides: where a cover stands is one thing, whatever tells it; so is what a player does."""
    return write.entity, "state" if write.attribute in ("state", "command", "position") else write.attribute


def _note(trace: Trace, outcomes: Sequence[Outcome], *, act: float, verify: float) -> None:
    trace.ms["act"] = trace.ms.get("act", 0.0) + act * 1000
    trace.ms["verify"] = trace.ms.get("verify", 0.0) + verify * 1000
    for outcome in outcomes:
        for topic, payload in outcome.published:
            trace.note("act", device=outcome.write.entity, topic=topic, payload=payload)
    for outcome in outcomes:
        seen = outcome.evidence
        trace.note(
            "verify",
            device=outcome.write.entity,
            attribute=outcome.write.attribute,
            wished=outcome.write.value,
            status=outcome.status,
            reason=outcome.reason,
            attempts=outcome.attempts,
            seen=None if seen is None else seen.value,
            source=None if seen is None else seen.source,
            sequence=None if seen is None else seen.sequence,
        )


class Access(Struct, frozen=True):
    """What was seen of the devices, fresh readings, acts, and whether the broker is there."""

    states: States
    reader: Reader
    executor: Executor
    connected: Callable[[], bool]

"""A simulated home: it plays every device of a registry that has an address, over any bus."""

from __future__ import annotations

import asyncio
import random
from collections import deque
from collections.abc import Callable, Iterable, Mapping
from typing import Self

from daemon.core.entities import Entity, Value
from daemon.core.errors import BrokerError
from daemon.home.config import SimulatedDevice, Simulation
from daemon.mqtt.bus import Bus, Message, Publication
from daemon.mqtt.dialects import DEVICES, Device
from daemon.simulate.actor import Actor, State, Timing, changed, initial

_REMEMBERED = 10_000
_AT_ONCE = 20


class SimulatedHome:
    """Behaves as zigbee2mqtt does at its worst; `Simulation` says how each device misbehaves.

    Those with an address in a known dialect are played. The bus is not the one of the house that talks to it.
    """

    def __init__(
        self,
        bus: Bus,
        entities: Iterable[Entity],
        simulation: Simulation | None = None,
        timing: Timing | None = None,
        sides: Mapping[str, Device] = DEVICES,
    ) -> None:
        self.timing = timing or Timing()
        self.received: deque[tuple[str, dict[str, Value]]] = deque(maxlen=_REMEMBERED)
        """Which commands came, as (entity id, canonical changes), oldest first."""
        self._bus = bus
        self._simulation = simulation or Simulation()
        self._dice = random.Random(self._simulation.seed)  # noqa: S311 - a simulation is to be repeatable
        self._actors: dict[str, Actor] = {}
        self._groups: dict[str, tuple[str, ...]] = {}
        for entity in entities:
            if entity.address is None or (side := sides.get(entity.address.dialect)) is None:
                continue
            script = self._simulation.devices.get(entity.id, SimulatedDevice())
            truth = initial(entity, script.state)
            self._actors[entity.id] = Actor(entity, side, script.behaviour, truth, self)
            if entity.kind == "group":
                self._groups[entity.id] = entity.members
        self._lines: dict[str, deque[Callable[[], None]]] = {}
        self._not_before: dict[str, float] = {}
        self._timers: set[asyncio.TimerHandle] = set()
        self._due = 0
        self._outbox: list[Publication] = []
        self._busy = False
        self._filled = asyncio.Event()
        self._quiet = asyncio.Event()
        self._quiet.set()
        self._endings: list[Callable[[], None]] = []
        self._publisher: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Listens for commands, and publishes the retained first states; returns when they are out."""
        if self._publisher is not None:
            return
        self._publisher = asyncio.create_task(self._publish_all(), name="simulated home")
        self._endings.append(self._bus.on_connection(self._on_connection))
        inboxes = [(actor, topic) for actor in self._actors.values() for topic in actor.side.inbox(actor.entity)]
        self._endings += await asyncio.gather(
            *(self._bus.subscribe(topic, self._ear(actor)) for actor, topic in inboxes)
        )
        for actor in self._actors.values():
            actor.begin()
        await self.settled()

    async def stop(self) -> None:
        """Falls silent."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()
        for end in self._endings:
            end()
        self._endings.clear()
        if self._publisher is not None:
            self._publisher.cancel()
            await asyncio.gather(self._publisher, return_exceptions=True)
            self._publisher = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()

    def truth(self, entity: str) -> State:
        """What a device really is; canonical attribute -> value, a copy. A group is on where one of its members is."""
        if entity in self._groups:
            return self._group_truth(entity)
        return dict(self._actors[entity].truth)

    async def place(self, entity: str, values: Mapping[str, Value]) -> None:
        """Changes a device from outside, as if by hand; returns when its report is published."""
        self._actors[entity].place(values)
        await self.settled()

    async def settled(self) -> None:
        """Waits until all that is due is published; naps, journeys and late answers are not waited for."""
        await self._quiet.wait()

    def say(self, publication: Publication) -> None:
        """Publishes, in the order of the calls."""
        self._outbox.append(publication)
        self._filled.set()
        self._quiet.clear()

    def soon(self, actor: Actor, act: Callable[[], None], extra_s: float = 0.0) -> None:
        """Calls `act` after the device's latency; what one device does stays in order."""
        script = self._simulation.devices.get(actor.entity.id)
        latency_ms = script.latency_ms if script is not None else None
        delay = (self._simulation.latency_ms if latency_ms is None else latency_ms) / 1000
        delay += self._dice.uniform(0, self._simulation.jitter_ms) / 1000 + extra_s
        line, now = self._lines.setdefault(actor.entity.id, deque()), asyncio.get_running_loop().time()
        at = max(now + delay, self._not_before.get(actor.entity.id, 0.0))
        if at <= now and not line:
            act()
            return
        # Whichever timer rings, the first in the line acts: timers of one moment ring in any order.
        line.append(act)
        self._not_before[actor.entity.id] = at
        awaited = extra_s <= 0
        self._due += awaited

        def ring() -> None:
            self._due -= awaited
            line.popleft()()
            self._settle()

        self.later(at - now, ring)
        if awaited:
            self._quiet.clear()

    def later(self, delay_s: float, act: Callable[[], None]) -> Callable[[], None]:
        """Calls `act` after `delay_s`; returns what calls it off."""

        def run() -> None:
            self._timers.discard(timer)
            act()

        timer = asyncio.get_running_loop().call_later(max(0.0, delay_s), run)
        self._timers.add(timer)

        def call_off() -> None:
            timer.cancel()
            self._timers.discard(timer)

        return call_off

    def _ear(self, actor: Actor) -> Callable[[Message], None]:
        def listen(message: Message) -> None:
            if message.retained:
                # A command that somebody retained by mistake is not one for now.
                return
            members = self._groups.get(actor.entity.id)
            if members is None:
                wishes = actor.hear(message)
            else:
                actor.truth = self._group_truth(actor.entity.id)
                wishes = actor.hear(message)
                for member in members if wishes else ():
                    self._pass_on(member, wishes or {})
            if wishes:
                self.received.append((actor.entity.id, wishes))

        return listen

    def _pass_on(self, member: str, wishes: Mapping[str, Value]) -> None:
        actor = self._actors.get(member)
        if actor is None:
            return
        known = {item.attribute for item in actor.entity.capabilities}
        if fitting := {key: value for key, value in wishes.items() if key in known}:
            actor.command(fitting)

    def _group_truth(self, group: str) -> State:
        states = [self.truth(member) for member in self._groups[group] if member in self._actors]
        together: State = {}
        for state in reversed(states):
            together |= state
        if any(state.get("state") == "on" for state in states):
            together = changed(self._actors[group].entity, together, {"state": "on"})
        return together

    def _on_connection(self, up: bool) -> None:  # noqa: FBT001 - the bus calls it so
        if up:
            # The broker may have forgotten what was retained.
            for actor in self._actors.values():
                actor.announce()

    async def _publish_all(self) -> None:
        while True:
            await self._filled.wait()
            self._filled.clear()
            self._busy = True
            while self._outbox:
                some, self._outbox = self._outbox[:_AT_ONCE], self._outbox[_AT_ONCE:]
                # What the broker does not take is lost, as with a real bridge.
                results = await asyncio.gather(*(self._bus.publish(item) for item in some), return_exceptions=True)
                for error in results:
                    if error is not None and not isinstance(error, BrokerError):
                        raise error
            self._busy = False
            self._settle()

    def _settle(self) -> None:
        if not self._due and not self._outbox and not self._busy:
            self._quiet.set()

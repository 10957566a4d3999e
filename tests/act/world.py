"""A bus without a broker, and a zigbee2mqtt device that does as it is told by a test."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from daemon.act.executor import Executor
from daemon.act.reader import Patience, Reader
from daemon.act.states import States
from daemon.core.entities import Address, Capability, CapabilityName, Entity
from daemon.core.errors import BrokerLost, BrokerUnavailable
from daemon.home.registry import Registry
from daemon.mqtt.bus import Bus, Message, Publication
from daemon.mqtt.dialects import DIALECTS
from tests.virtual_time import run as run  # noqa: PLC0414 - most who use this world run it

Connect = Callable[[], Awaitable[Bus]]
"""Makes one more connection to a broker."""


class FakeBus:
    """Hands each publication to `on_publish`, and to the listeners what a test `deliver`s."""

    def __init__(self) -> None:
        self.connected = True
        self.sequence = 0
        self.published: list[Publication] = []
        self.on_publish: list[Callable[[Publication], None]] = []
        self.broken = False
        """The connection breaks at the next publish."""
        self._listeners: dict[str, list[Callable[[Message], None]]] = {}
        self._watchers: list[Callable[[bool], None]] = []

    async def publish(self, publication: Publication) -> None:
        if not self.connected:
            raise BrokerUnavailable("away")
        if self.broken:
            self.lose()
            raise BrokerLost("broken")
        self.published.append(publication)
        for hear in self.on_publish:
            hear(publication)

    async def subscribe(
        self, topic_filter: str, listener: Callable[[Message], None], *, longest: int = 0
    ) -> Callable[[], None]:
        listeners = self._listeners.setdefault(topic_filter, [])
        listeners.append(listener)
        return lambda: listeners.remove(listener)

    def on_connection(self, listener: Callable[[bool], None]) -> Callable[[], None]:
        self._watchers.append(listener)
        return lambda: self._watchers.remove(listener)

    def deliver(self, topic: str, payload: object, *, retained: bool = False, gap: bool = False) -> None:
        self.sequence += 1
        body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
        message = Message(topic, body, retained, asyncio.get_running_loop().time(), self.sequence, gap)
        for listener in tuple(self._listeners.get(topic, ())):
            listener(message)

    def breaks(self) -> None:
        self.broken = True

    def lose(self) -> None:
        self._change(up=False)

    def regain(self) -> None:
        self.broken = False
        self._change(up=True)

    def _change(self, *, up: bool) -> None:
        self.connected = up
        for watcher in tuple(self._watchers):
            watcher(self.connected)


def device(
    entity: str = "lamp", *capabilities: CapabilityName | Capability, kind: str = "light", **options: Any
) -> Entity:
    """A zigbee2mqtt device; capabilities by name have percent ranges."""
    attributes = {"on_off": "state", "open_close": "state", "lock": "state", "media_transport": "state"}
    made = [
        item
        if isinstance(item, Capability)
        else Capability(item, attributes.get(item, item), minimum=0, maximum=100, unit="%")
        for item in capabilities or ("on_off",)
    ]
    address = Address("zigbee2mqtt", f"zigbee2mqtt/{entity}", options)
    return Entity(entity, "device", (entity,), type=kind, capabilities=tuple(made), address=address)


@dataclass
class Home:
    """The act package over a fake bus."""

    bus: FakeBus
    states: States
    reader: Reader
    executor: Executor
    registry: Registry

    @classmethod
    async def of(cls, *entities: Entity, patience: Patience | None = None) -> "Home":
        bus, registry = FakeBus(), Registry(entities)
        states = States(bus, registry, DIALECTS, clock=asyncio.get_running_loop().time)
        await states.start()
        return cls(
            bus,
            states,
            Reader(bus, registry, DIALECTS, states),
            Executor(bus, registry, DIALECTS, states, patience),
            registry,
        )


@dataclass
class Bridge:
    """One device behind zigbee2mqtt: what the device is (`truth`) and what the bridge believes (`cache`)."""

    bus: FakeBus
    topic: str
    truth: dict[str, Any]
    cache: dict[str, Any] = field(default_factory=dict)
    echo_s: float | None = 0.05
    """After a set, until the bridge publishes what it was told; None: never."""
    old_first: bool = False
    obeys_s: Sequence[float | None] = (0.04,)
    """After the n-th set, until the device really does it; None: never."""
    answers_s: float | None = 0.05
    """After a get, until the device's true state is published; None: never."""
    twice: bool = False
    """Whether everything is said twice."""
    becomes: Sequence[tuple[float, dict[str, Any]]] = ()
    """After the first set, in so many seconds, what the device becomes by itself, and says."""
    journey: Sequence[float] = ()
    """A cover: seconds after the first set, then the positions of the seconds from then on."""
    silent_after_s: float | None = None
    """After the first set, until nothing more is said."""
    group: str = ""
    """The topic of a group that it belongs to: what that is told is echoed twice, for the group and for itself."""
    sets: int = 0
    gets: int = 0
    silent: bool = False

    def __post_init__(self) -> None:
        self.cache = self.cache or dict(self.truth)
        self.bus.on_publish.append(self._hear)

    def publish(self) -> None:
        """The bridge says what it believes."""
        for _ in range(0 if self.silent else 2 if self.twice else 1):
            self.bus.deliver(self.topic, self.cache)

    def tell(self, **truth: Any) -> None:
        """The device changes by itself, and says so."""
        self.truth |= truth
        self._report()

    def _hear(self, publication: Publication) -> None:
        loop = asyncio.get_running_loop()
        if publication.topic == f"{self.topic}/get":
            self.gets += 1
            if self.answers_s is not None:
                loop.call_later(self.answers_s, self._report)
        elif publication.topic in (f"{self.topic}/set", f"{self.group}/set"):
            wish = json.loads(publication.payload)
            obeys = self.obeys_s[min(self.sets, len(self.obeys_s) - 1)]
            self.sets += 1
            if self.sets == 1:
                self._begin(loop)
            if self.old_first:
                self.publish()
            if self.echo_s is not None:
                loop.call_later(self.echo_s, self._echo, wish)
                if publication.topic != f"{self.topic}/set":
                    loop.call_later(self.echo_s * 2, self._echo, wish)
            if obeys is not None:
                loop.call_later(obeys, self.truth.update, wish)

    def _begin(self, loop: asyncio.AbstractEventLoop) -> None:
        for at, truth in self.becomes:
            loop.call_later(at, partial(self.tell, **truth))
        for second, position in enumerate(self.journey[1:]):
            state = "OPEN" if position else "CLOSE"
            loop.call_later(self.journey[0] + second, partial(self.tell, state=state, position=position))
        if self.silent_after_s is not None:
            loop.call_later(self.silent_after_s, self._fall_silent)

    def _fall_silent(self) -> None:
        self.silent = True

    def _echo(self, wish: dict[str, Any]) -> None:
        self.cache |= wish
        self.publish()

    def _report(self) -> None:
        self.cache |= self.truth
        self.publish()

"""The brokers without a machine of their own: amqtt on the loopback interface, and one inside this process."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
import socket
import time
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING, Self

from daemon.core.errors import BrokerRefused, BrokerUnavailable
from daemon.mqtt.bus import LONGEST, Listener, Message, Publication, Routes, Watchers, valid_filter, valid_topic

if TYPE_CHECKING:
    from amqtt.broker import Broker as Amqtt

_log = logging.getLogger(__name__)

HOST = "127.0.0.1"
_STOP_S = 5.0
_PORTS = range(20_000, 32_000)
_LOGGERS = ("amqtt", "transitions")


class EmbeddedBroker:
    """An MQTT 3.1.1 broker in this process. Anyone on this machine may use it, nobody else can reach it.

    `port` is a free one that it finds when it first starts.
    """

    def __init__(self) -> None:
        self.port = 0
        self._broker: Amqtt | None = None
        self._writers: set[asyncio.StreamWriter] = set()

    async def start(self) -> None:
        """Listens.

        Raises:
            BrokerUnavailable: the port is taken, or none is free.
        """
        # Slow to import, and not needed where a real broker is configured.
        from amqtt.broker import Broker
        from amqtt.errors import AMQTTError

        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL)
        self.port = self.port or free_port()

        broker = Broker(
            {
                "listeners": {"default": {"type": "tcp", "bind": f"{HOST}:{self.port}"}},
                "plugins": {"amqtt.plugins.authentication.AnonymousAuthPlugin": {"allow_anonymous": True}},
            }
        )
        broker.stream_connected = self._closing(broker.stream_connected)
        try:
            await broker.start()
        except (AMQTTError, OSError):
            raise BrokerUnavailable(
                f"the embedded broker cannot listen on {HOST}:{self.port}; is another one running there?"
            ) from None
        self._broker = broker

    async def stop(self) -> None:
        """Ends all connections, and forgets everything that was retained."""
        broker, self._broker = self._broker, None
        if broker is not None:
            async with asyncio.timeout(_STOP_S):
                await broker.shutdown()
            for writer in self._writers:
                writer.close()

    def _closing(self, serve: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
        """`serve`, and the socket closed after it: amqtt leaves those that it turns away to the collector."""

        async def served(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, listener_name: str) -> None:
            self._writers.add(writer)
            try:
                await serve(reader, writer, listener_name)
            except Exception:  # noqa: BLE001 - amqtt stumbles over clients that it turns away and that are gone
                _log.debug("a client of the embedded broker was not served", exc_info=True)
            finally:
                self._writers.discard(writer)
                writer.close()

        return served

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.stop()


def free_port() -> int:
    """A TCP port of the loopback interface where nothing listens.

    It is none of those that systems give to who calls others (32768 and above): such a port may be taken again before
    it is listened to, and who calls it in vain may reach itself.
    """
    # Not by the seed of a test: two of them would take the same.
    for port in random.SystemRandom().sample(_PORTS, len(_PORTS)):
        with socket.socket() as probe, contextlib.suppress(OSError):
            probe.bind((HOST, port))
            return port
    raise BrokerUnavailable(f"no port of {HOST} from {_PORTS[0]} to {_PORTS[-1]} is free")


class MemoryBroker:
    """Hands every message to every connection that subscribed to it, before `publish` returns.

    `clock` is what messages are stamped with, in seconds: that of whoever tells how old they are.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self.clock = clock
        self._buses: list[MemoryBus] = []
        self._retained: dict[str, bytes] = {}
        self._up = True

    @property
    def up(self) -> bool:
        """Whether it can be reached."""
        return self._up

    @property
    def retained(self) -> dict[str, bytes]:
        """Topic -> what is retained there; a copy."""
        return dict(self._retained)

    def connect(self) -> MemoryBus:
        """A new connection."""
        bus = MemoryBus(self)
        self._buses.append(bus)
        return bus

    def go_down(self) -> None:
        """Breaks all connections, as a broker that is killed does; what was retained is kept."""
        self._set_up(up=False)

    def come_up(self) -> None:
        """Takes the connections back."""
        self._set_up(up=True)

    def take(self, publication: Publication) -> None:
        """Retains where asked to, and hands on."""
        if publication.retain:
            if publication.payload:
                self._retained[publication.topic] = publication.payload
            else:
                self._retained.pop(publication.topic, None)
        for bus in list(self._buses):
            bus.hand_out(publication.topic, publication.payload, retained=False)

    def repeat(self, topic_filter: str, bus: MemoryBus) -> None:
        """Hands a connection what is retained on the topics of a filter."""
        if not {"+", "#"}.intersection(topic_filter):
            if (payload := self._retained.get(topic_filter)) is not None:
                bus.hand_out(topic_filter, payload, retained=True)
            return
        only = Routes()
        only.add(topic_filter, lambda _: None)
        for topic, payload in list(self._retained.items()):
            if only.matches(topic):
                bus.hand_out(topic, payload, retained=True)

    def _set_up(self, *, up: bool) -> None:
        if up == self._up:
            return
        self._up = up
        for bus in list(self._buses):
            bus.tell(up=up)


class MemoryBus:
    """One connection with a `MemoryBroker`; a `daemon.mqtt.bus.Bus`."""

    def __init__(self, broker: MemoryBroker) -> None:
        self._broker = broker
        self._routes = Routes()
        self._watchers = Watchers()
        self._sequence = 0

    @property
    def connected(self) -> bool:
        """Whether the broker is up."""
        return self._broker.up

    @property
    def sequence(self) -> int:
        """The number of the last message handed out."""
        return self._sequence

    async def publish(self, publication: Publication) -> None:
        """Hands the message to all who listen."""
        if not valid_topic(publication.topic):
            raise BrokerRefused(f"{publication.topic!r} is no topic that can be published to")
        if not self._broker.up:
            raise BrokerUnavailable("the broker in memory is down")
        self._broker.take(publication)

    async def subscribe(self, topic_filter: str, listener: Listener, *, longest: int = LONGEST) -> Callable[[], None]:
        """Calls `listener` for each message of at most `longest` bytes that matches, retained ones at once.

        Returns what ends it.
        """
        if not valid_filter(topic_filter):
            raise BrokerRefused(f"{topic_filter!r} is no topic filter")
        remove = self._routes.add(topic_filter, listener, longest)
        if self._broker.up:
            self._broker.repeat(topic_filter, self)

        def end() -> None:
            remove()

        return end

    def on_connection(self, listener: Callable[[bool], None]) -> Callable[[], None]:
        """Calls `listener` when the broker goes down or comes up; returns what ends it."""
        return self._watchers.add(listener)

    def hand_out(self, topic: str, payload: bytes, *, retained: bool) -> None:
        """Delivers one message, if anybody listens."""
        if self._routes.matches(topic):
            self._sequence += 1
            self._routes.deliver(Message(topic, payload, retained, self._broker.clock(), self._sequence))

    def tell(self, *, up: bool) -> None:
        """The broker went down or came up. All subscriptions are made again, as a real connection does."""
        if up:
            for topic_filter in self._routes.filters:
                self._broker.repeat(topic_filter, self)
        self._watchers.tell(up=up)

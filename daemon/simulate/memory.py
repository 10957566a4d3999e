"""A broker and its connections inside this process: no sockets, no waiting, the same order as on a real one."""

from __future__ import annotations

import time
from collections.abc import Callable

from daemon.core.errors import BrokerRefused, BrokerUnavailable
from daemon.mqtt.bus import LONGEST, Listener, Message, Publication, Routes, Watchers, valid_filter, valid_topic


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

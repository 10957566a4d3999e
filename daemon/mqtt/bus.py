"""What the rest of the daemon sees of MQTT: publish, listen, whether it is there; and what is read of a flood."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import math
from collections import Counter
from collections.abc import Callable
from typing import Any, Final, Protocol

from msgspec import Struct
from paho.mqtt.matcher import MQTTMatcher

from daemon.core.values import replace

LONGEST: Final = 256 * 1024
"""Bytes of what a device says; more is no device."""
LONGEST_LIST: Final = 64 * 1024 * 1024
"""Bytes of what tells of many devices at once: zigbee2mqtt's list of 1,000 has about 10 MB."""


class Message(Struct, frozen=True):
    """One received message.

    `at` is `time.monotonic()` seconds at arrival; `retained` is the flag of the packet as received (a retained
    message delivered because of a subscription), `sequence` grows by one for each message that a bus receives.
    """

    topic: str
    payload: bytes
    retained: bool
    at: float
    sequence: int
    gap: bool = False
    """Messages of this topic that came before it were passed over: there were too many."""


class Publication(Struct, frozen=True):
    """One message to send. What is not retained is meant now: with MQTT 5, it expires where it cannot be handed on."""

    topic: str
    payload: bytes
    retain: bool = False


Listener = Callable[[Message], None]
"""Called on the event loop, in order of arrival; must not block and must not raise."""


class Bus(Protocol):
    """A connection to the home. One event loop, not thread-safe."""

    @property
    def connected(self) -> bool:
        """Whether the broker can be reached now."""

    @property
    def sequence(self) -> int:
        """The number of the last message received; what is received after a publish has a higher one."""

    async def publish(self, publication: Publication) -> None:
        """Sends now, or not at all: nothing is queued for later.

        Returns when the broker has acknowledged it (QoS 1).

        Raises:
            BrokerUnavailable: no connection, or a broker that does not answer; nothing was sent.
            BrokerLost: the connection broke before the broker acknowledged; it may have arrived.
            BrokerRefused: no broker would take this topic.
        """

    async def subscribe(self, topic_filter: str, listener: Listener, *, longest: int = LONGEST) -> Callable[[], None]:
        """Calls `listener` for each message that matches, also after reconnects; returns what ends it.

        Messages of more than `longest` bytes are ignored, with one line in the log per topic.

        Raises:
            BrokerRefused: it is no valid topic filter.
        """

    def on_connection(self, listener: Callable[[bool], None]) -> Callable[[], None]:
        """Calls `listener` with True when the connection is made and False when it is lost; returns what ends it."""


_log = logging.getLogger(__name__)

_MOST_NAMED = 100


def valid_filter(topic_filter: str) -> bool:
    """Whether it may be subscribed to (MQTT 3.1.1, section 4.7): `+` and `#` fill a level, `#` is the last one."""
    levels = topic_filter.split("/")
    return (
        0 < len(topic_filter.encode("utf-8", "replace")) <= 65535  # noqa: PLR2004 - the size of the length field
        and "\0" not in topic_filter
        and all(level in ("+", "#") or not {"+", "#"}.intersection(level) for level in levels)
        and "#" not in levels[:-1]
    )


def valid_topic(topic: str) -> bool:
    """Whether it may be published to: a filter without wildcards."""
    return valid_filter(topic) and not {"+", "#"}.intersection(topic)


class _Route:
    __slots__ = ("faulty", "listener", "longest")

    def __init__(self, listener: Listener, longest: int) -> None:
        self.listener = listener
        self.longest = longest
        self.faulty = False


class Routes:
    """Topic filters and their listeners. The cost of a message grows with its levels, not with the filters."""

    def __init__(self) -> None:
        self._matcher: Any = MQTTMatcher()  # type: ignore[no-untyped-call]
        self._routes: dict[str, list[_Route]] = {}
        self._oversized: set[str] = set()

    @property
    def filters(self) -> tuple[str, ...]:
        """The filters that have a listener, in the order in which they came."""
        return tuple(self._routes)

    def add(self, topic_filter: str, listener: Listener, longest: int = LONGEST) -> Callable[[], bool]:
        """Adds a listener for messages of at most `longest` bytes.

        Calling what is returned takes it away, once, and says whether it was the filter's last.
        """
        route = _Route(listener, longest)
        self._set(topic_filter, [*self._routes.get(topic_filter, ()), route])

        def remove() -> bool:
            known = self._routes.get(topic_filter, ())
            if route not in known:
                return False
            self._set(topic_filter, [item for item in known if item is not route])
            return topic_filter not in self._routes

        return remove

    def matches(self, topic: str) -> bool:
        """Whether anybody listens to this topic."""
        return next(self._matcher.iter_match(topic), None) is not None

    def deliver(self, message: Message) -> None:
        """Calls each listener of the message's topic that takes one of this length.

        One that raises is logged once and does not stop the others.
        """
        found: list[list[_Route]] = list(self._matcher.iter_match(message.topic))
        for route in (route for routes in found for route in routes):
            if len(message.payload) > route.longest:
                self._ignore(message, route.longest)
                continue
            try:
                route.listener(message)
            except Exception:  # noqa: BLE001 - whatever it is, the other listeners get their message
                if not route.faulty:
                    route.faulty = True
                    _log.exception(
                        "a listener failed on a message of %r; its further failures are not logged", message.topic
                    )

    def _ignore(self, message: Message, longest: int) -> None:
        if message.topic not in self._oversized and len(self._oversized) < _MOST_NAMED:
            self._oversized.add(message.topic)
            _log.warning("ignoring messages of %r above %d bytes", message.topic, longest)

    def _set(self, topic_filter: str, routes: list[_Route]) -> None:
        # Always another list: a listener may subscribe or leave while a message is being delivered.
        if routes:
            self._routes[topic_filter] = self._matcher[topic_filter] = routes
        else:
            del self._routes[topic_filter], self._matcher[topic_filter]


class Watchers:
    """Who wants to know when a connection is made and when it is lost."""

    def __init__(self) -> None:
        self._listeners: list[Callable[[bool], None]] = []

    def add(self, listener: Callable[[bool], None]) -> Callable[[], None]:
        """One more; returns what takes it away."""
        self._listeners.append(listener)

        def end() -> None:
            with contextlib.suppress(ValueError):
                self._listeners.remove(listener)

        return end

    def tell(self, *, up: bool) -> None:
        """Calls all of them."""
        for listener in list(self._listeners):
            try:
                listener(up)
            except Exception:  # noqa: BLE001 - whatever it is, the others hear of it
                _log.exception("a listener failed on a change of the connection")


MOMENT_S = 0.25
FREE = 500
"""Messages of one moment that are all read, whatever their topics: 2,000 a second are no flood."""
EACH = 5
"""Messages of one topic that are read in a moment in which more than `FREE` come."""
_QUIET_S = 60.0
"""After so long without a flood, the next one is worth a line again."""


class Intake:
    """Hands messages on as they come.

    In a flood, of a topic with more than its share only the last message of each moment is handed on, at the end of
    the moment and marked with `gap`. Each topic keeps its order. The numbers of messages are those of their arrival.
    """

    def __init__(self, deliver: Callable[[Message], None]) -> None:
        self.shed = 0
        """How many messages were never handed on."""
        self._deliver = deliver
        self._since = -math.inf
        self._total = 0
        self._counts: Counter[str] = Counter()
        self._held: dict[str, Message] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._last_shed = -math.inf

    def take(self, message: Message) -> None:
        """Hands a message on, now or at the end of the moment."""
        if message.at - self._since >= MOMENT_S:
            self.end_moment(message.at)
        topic = message.topic
        self._total += 1
        self._counts[topic] += 1
        if self._total <= FREE or self._counts[topic] <= EACH:
            self._deliver(message)
        else:
            self._hold(message)

    def end_moment(self, now: float) -> None:
        """Hands on what is held back, and begins the next moment."""
        self._since = now
        self._total = 0
        self._counts.clear()
        held = list(self._held.values())
        self.forget()
        for message in held:
            self._deliver(message)

    def forget(self) -> None:
        """Drops what is held back: the connection that it came over is gone."""
        self._held.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _hold(self, message: Message) -> None:
        # The one that came last goes last.
        before = self._held.pop(message.topic, None)
        self._held[message.topic] = message if before is None else replace(message, gap=True)
        if before is not None:
            self._lose(message)
        if self._timer is None:
            loop = asyncio.get_running_loop()
            self._timer = loop.call_later(max(0.0, self._since + MOMENT_S - message.at), self._end)

    def _lose(self, message: Message) -> None:
        self.shed += 1
        if message.at - self._last_shed > _QUIET_S:
            _log.warning("too many messages a second, many of them on %r: only the last ones are read", message.topic)
        self._last_shed = message.at

    def _end(self) -> None:
        self._timer = None
        self.end_moment(self._since + MOMENT_S)

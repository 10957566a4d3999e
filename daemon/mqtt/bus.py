"""What the rest of the daemon sees of MQTT: publish, listen, and whether the broker is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

LONGEST: Final = 256 * 1024
"""Bytes of what a device says; more is no device."""
LONGEST_LIST: Final = 64 * 1024 * 1024
"""Bytes of what tells of many devices at once: zigbee2mqtt's list of 1,000 has about 10 MB."""


@dataclass(frozen=True, slots=True)
class Message:
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


@dataclass(frozen=True, slots=True)
class Publication:
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

"""A bus that notes when the first command went out."""

from __future__ import annotations

import time
from collections.abc import Callable

from daemon.mqtt.bus import LONGEST, Bus, Listener, Publication


class Stopwatch:
    """Hands everything on to another bus; times are those of `time.perf_counter`. Topics tell commands from reads."""

    def __init__(self, bus: Bus, is_command: Callable[[str], bool]) -> None:
        self._bus = bus
        self._is_command = is_command
        self.handed: float | None = None
        """When the first command since `reset` was handed to the connection."""
        self.acknowledged: float | None = None
        """When the broker had acknowledged it."""

    def reset(self) -> None:
        """Forgets what was noted."""
        self.handed = self.acknowledged = None

    @property
    def connected(self) -> bool:
        """As the real bus says."""
        return self._bus.connected

    @property
    def sequence(self) -> int:
        """As the real bus says."""
        return self._bus.sequence

    async def publish(self, publication: Publication) -> None:
        """Sends through the real bus."""
        first = self.handed is None and self._is_command(publication.topic)
        if first:
            self.handed = time.perf_counter()
        await self._bus.publish(publication)
        if first:
            self.acknowledged = time.perf_counter()

    async def subscribe(self, topic_filter: str, listener: Listener, *, longest: int = LONGEST) -> Callable[[], None]:
        """Subscribes on the real bus."""
        return await self._bus.subscribe(topic_filter, listener, longest=longest)

    def on_connection(self, listener: Callable[[bool], None]) -> Callable[[], None]:
        """Listens on the real bus."""
        return self._bus.on_connection(listener)

"""What is read of a flood: everything of the topics that say little, and the last word of those that do not stop."""

from __future__ import annotations

import asyncio
import logging
import math
from collections import Counter
from collections.abc import Callable

from daemon.core.values import replace
from daemon.mqtt.bus import Message

_log = logging.getLogger(__name__)

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

"""Messages that can be read only later, because a template of the device is being rendered; each device's in order."""

from __future__ import annotations

import asyncio
import logging
from collections import deque
from collections.abc import Callable
from typing import Final

from daemon.core.errors import TemplateError, TemplatePending
from daemon.core.values import replace
from daemon.mqtt.bus import Message
from daemon.mqtt.dialects.templates import asked

_log = logging.getLogger(__name__)

_MOST: Final = 64
"""Messages of one device; of more the oldest are passed over, and the next one says so (`gap`)."""


class Backlog:
    """Takes what devices say, at once wherever it can be. One event loop, not thread-safe.

    Args:
        take: Reads a message of the device with this id, and says whether it was understood; before it has done
            anything, it may raise `TemplatePending`.
    """

    def __init__(self, take: Callable[[str, Message], bool]) -> None:
        self._take = take
        self._lines: dict[str, deque[Message]] = {}
        self._tasks: dict[str, asyncio.Task[None]] = {}

    def __contains__(self, entity: str) -> bool:
        """Whether something that this device has said is not read yet."""
        return entity in self._lines

    def take(self, entity: str, message: Message) -> bool:
        """Reads a message, now or after those that wait; whether it was understood, as far as that is known."""
        line = self._lines.get(entity)
        if line is None:
            try:
                return self._take(entity, message)
            except TemplatePending:
                self._lines[entity] = deque([message])
                self._tasks[entity] = asyncio.create_task(self._read(entity, self._lines[entity]))
                return True
        line.append(message)
        if len(line) > _MOST:
            # The first one is being read.
            del line[1]
            line[1] = replace(line[1], gap=True)
        return True

    async def read(self, entity: str, timeout_s: float) -> None:
        """Waits until all is read that this device has said, at most so long."""
        task = self._tasks.get(entity)
        if task is not None:
            await asyncio.wait([task], timeout=timeout_s)

    async def stop(self) -> None:
        """What is not read yet never will be."""
        tasks = list(self._tasks.values())
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _read(self, entity: str, line: deque[Message]) -> None:
        try:
            while line:
                message = line[0]
                try:
                    await asked(lambda message=message: self._take(entity, message))  # type: ignore[misc]
                except TemplateError:
                    pass  # it says too much at once to be understood
                except Exception:  # noqa: BLE001 - whatever it is, the next message gets its turn
                    _log.exception("a message of %r could not be taken", message.topic)
                line.popleft()
        finally:
            del self._lines[entity], self._tasks[entity]

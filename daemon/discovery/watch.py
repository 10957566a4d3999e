"""Follows what the broker tells of the home, and keeps the registry as it is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence

from daemon.discovery.find import Source
from daemon.discovery.merge import Merged, merge
from daemon.home.config import HomeConfig
from daemon.home.registry import Registry
from daemon.mqtt.bus import Bus, Message

_log = logging.getLogger(__name__)

QUIET_S = 0.2
"""A broker tells of many devices at once: so long nothing more must come before the home is made anew ..."""
LATEST_S = 0.8
"""... but never later than this after the first change."""


class Watch:
    """Keeps a registry up to date with some sources. One event loop, not thread-safe.

    Args:
        home: What the file says.
        registry: Holds what the file says; gets what is found as well.
        sources: Who is asked.
        changed: Awaited after each change of the registry.
    """

    def __init__(
        self,
        bus: Bus,
        home: HomeConfig,
        registry: Registry,
        sources: Sequence[Source],
        changed: Callable[[], Awaitable[None]],
    ) -> None:
        self.merged: Merged = merge(home, ())
        """The home as it is now."""
        self.sources = tuple(sources)
        self._bus = bus
        self._home = home
        self._registry = registry
        self._changed = changed
        self._versions = self._seen()
        self._ends: list[Callable[[], None]] = []
        self._heard = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begins to listen."""
        self._task = asyncio.create_task(self._follow())
        for source in self.sources:
            for topic in source.filters():
                self._ends.append(await self._bus.subscribe(topic, self._listener(source)))

    async def stop(self) -> None:
        """Ends every subscription; what was found stays."""
        for end in self._ends:
            end()
        self._ends.clear()
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
            self._task = None

    async def settled(self, timeout_s: float) -> None:
        """Waits until what the broker has retained is part of the home, as far as one can know: until it is quiet."""
        loop = asyncio.get_running_loop()
        until = loop.time() + timeout_s
        before = -1
        while loop.time() < until and (before != self._bus.sequence or self._versions != self._seen()):
            before = self._bus.sequence
            await asyncio.sleep(min(QUIET_S, max(0.0, until - loop.time())))
        await self._apply()

    @property
    def problems(self) -> dict[str, str]:
        """What was told of and can't be used, with the reason."""
        return {what: why for source in self.sources for what, why in source.problems().items()}

    def _listener(self, source: Source) -> Callable[[Message], None]:
        def listen(message: Message) -> None:
            before = source.version
            source.take(message)
            if source.version != before:
                self._heard.set()

        return listen

    async def _follow(self) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._heard.wait()
            latest = loop.time() + LATEST_S
            while self._heard.is_set() and loop.time() < latest:
                self._heard.clear()
                await asyncio.sleep(QUIET_S)
            self._heard.clear()
            try:
                await self._apply()
            except Exception:  # noqa: BLE001 - what a broker tells must not end the daemon; the home stays as it was
                _log.exception("the home could not be brought up to date with what the broker tells")

    async def _apply(self) -> None:
        versions = self._seen()
        if versions == self._versions:
            return
        merged = merge(self._home, (find for source in self.sources for find in source.finds()))
        self._versions = versions
        if merged.entities != self.merged.entities:
            known = {item.id for item in self.merged.entities}
            here = {item.id for item in merged.entities}
            self.merged = merged
            self._registry.replace(merged.entities)
            await self._changed()
            _log.info("discovery: %d came, %d went, %d in all", len(here - known), len(known - here), len(here))
        self.merged = merged

    def _seen(self) -> tuple[int, ...]:
        return tuple(source.version for source in self.sources)

"""Follows what the broker tells of the home, by the sources that its file asks for, and keeps the registry as it is."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Final

from daemon.discovery.find import Merged, Source, merge
from daemon.discovery.homeassistant import HomeAssistantSource
from daemon.discovery.tasmota import TasmotaSource
from daemon.discovery.zigbee2mqtt import Zigbee2MqttSource
from daemon.home.config import Discovery, HomeConfig
from daemon.home.registry import Registry
from daemon.mqtt.bus import LONGEST_LIST, Bus, Message
from daemon.system.worker import Limit

_log = logging.getLogger(__name__)

QUIET_S = 0.2
"""A broker tells of many devices at once: so long nothing more must come before the home is made anew ..."""
LATEST_S = 0.8
"""... but never later than this after the first change."""
_QUICK: Final = 2 * 1024
"""Bytes of news; more is read beside the event loop, which has commands to carry out: a device's templates may take
long to read."""
_MOST_NEWS: Final = 20_000
"""Topics."""
_MOST_BROKEN: Final = 200


class Watch:
    """Keeps a registry up to date with some sources. One event loop, not thread-safe.

    It holds what the file says, and gets what is found as well; `changed` is awaited after each change.
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
        self._flooded = Limit(_log, "more than %d announcements came at once; those after them were not read")
        self._news: dict[tuple[int, str], Message] = {}
        self._applying = asyncio.Lock()
        self._problems: dict[str, str] = {}
        self._broken: dict[str, str] = {}
        """Topic -> what its message led to that nobody foresaw."""
        self._ends: list[Callable[[], None]] = []
        self._heard = asyncio.Event()
        self._task: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Begins to listen."""
        self._task = asyncio.create_task(self._follow())
        for number, source in enumerate(self.sources):
            for topic in source.filters():
                listener = self._listener(number)
                self._ends.append(await self._bus.subscribe(topic, listener, longest=LONGEST_LIST))

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
        while loop.time() < until and (before != self._bus.sequence or self._news):
            before = self._bus.sequence
            await asyncio.sleep(min(QUIET_S, max(0.0, until - loop.time())))
        await self._apply()

    @property
    def problems(self) -> dict[str, str]:
        """What was told of and can't be used, with the reason."""
        return dict(self._problems)

    def _listener(self, number: int) -> Callable[[Message], None]:
        def listen(message: Message) -> None:
            # What a topic says stands until it says something else: of several messages the last one counts.
            self._news.pop((number, message.topic), None)
            if len(self._news) < _MOST_NEWS:
                self._news[number, message.topic] = message
            else:
                self._flooded.cuts(_MOST_NEWS)
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
        async with self._applying:
            news, self._news = self._news, {}
            if sum(len(message.payload) for message in news.values()) > _QUICK:
                merged = await asyncio.to_thread(self._read, news)
            else:
                merged = self._read(news)
            self._problems = {what: why for source in self.sources for what, why in source.problems().items()}
            self._problems |= self._broken
            if merged is not None:
                await self._become(merged)

    def _read(self, news: dict[tuple[int, str], Message]) -> Merged | None:
        """The home after these messages; None where nothing has changed."""
        for (number, topic), message in news.items():
            try:
                self.sources[number].take(message)
            except Exception as error:  # noqa: BLE001 - a message that nobody foresaw must not hide those after it
                self._breaks(topic, error)
            else:
                self._broken.pop(topic, None)
        versions = self._seen()
        if versions == self._versions:
            return None
        self._versions = versions
        return merge(self._home, (find for source in self.sources for find in source.finds()))

    def _breaks(self, topic: str, error: Exception) -> None:
        if topic not in self._broken and len(self._broken) < _MOST_BROKEN:
            _log.error("what was told on %s could not be read", topic, exc_info=error)
            self._broken[topic] = f"could not be read: {type(error).__name__}"

    async def _become(self, merged: Merged) -> None:
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


def sources_of(discovery: Discovery | None) -> tuple[Source, ...]:
    """New sources; none where nothing is to be asked."""
    if discovery is None:
        return ()
    sources: list[Source] = [Zigbee2MqttSource(base) for base in discovery.zigbee2mqtt]
    if discovery.homeassistant is not None:
        sources.append(HomeAssistantSource(discovery.homeassistant, discovery.zigbee2mqtt))
    if discovery.tasmota is not None:
        sources.append(TasmotaSource(discovery.tasmota))
    return tuple(sources)

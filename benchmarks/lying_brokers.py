"""Brokers for `benchmarks.liars`: a mosquitto of its own, the embedded one, or one in memory; and the way to them."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import subprocess
import tempfile
from collections import Counter, deque
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from daemon.core.errors import BrokerError
from daemon.mqtt.bus import Bus, Message, Publication
from daemon.mqtt.connection import Connection
from daemon.mqtt.settings import Broker
from daemon.simulate.broker import EmbeddedBroker
from daemon.simulate.memory import MemoryBroker

_READY_S: Final = 10.0
_CONNECTIONS: Final = 8
"""Of the liars."""
_AT_ONCE: Final = 20
"""Messages of one connection on their way."""
_PROBED_S: Final = 0.2


@contextlib.asynccontextmanager
async def _mosquitto() -> AsyncIterator[Broker]:
    program = shutil.which("mosquitto") or shutil.which("mosquitto", path="/usr/sbin:/usr/local/sbin")
    if program is None:
        raise SystemExit("mosquitto is not installed (apt install mosquitto); --broker embedded needs none")
    async with EmbeddedBroker() as probe:
        port = probe.port  # one that is free, a moment later
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "mosquitto.conf"
        file.write_text(f"listener {port} 127.0.0.1\nallow_anonymous true\nlog_type none\n", encoding="utf-8")
        process = subprocess.Popen([program, "-c", str(file)], stderr=subprocess.DEVNULL)  # noqa: ASYNC220
        try:
            yield Broker(port=port, status_topic=None)
        finally:
            process.terminate()
            process.wait()


@contextlib.asynccontextmanager
async def buses(broker: str) -> AsyncIterator[tuple[Bus, list[Bus]]]:
    """The connection of the house, and those of the liars."""
    async with contextlib.AsyncExitStack() as stack:
        if broker == "memory":
            memory = MemoryBroker(asyncio.get_running_loop().time)
            yield memory.connect(), [memory.connect()]
            return
        if broker == "mosquitto":
            settings = await stack.enter_async_context(_mosquitto())
        else:
            settings = Broker(port=(await stack.enter_async_context(EmbeddedBroker())).port, status_topic=None)
        buses = [await stack.enter_async_context(Connection(settings)) for _ in range(1 + _CONNECTIONS)]
        await asyncio.gather(*(bus.ready(_READY_S) for bus in buses))
        yield buses[0], list(buses[1:])


class Postman:
    """Carries what some liars say to the broker, in its order, and knows how long that took."""

    def __init__(self, bus: Bus) -> None:
        self.bus = bus
        self.held: Counter[str] = Counter()
        """Device -> the longest that something it said was held up, in milliseconds."""
        self._outbox: deque[tuple[float, Publication]] = deque()
        self._filled = asyncio.Event()

    def say(self, publication: Publication) -> None:
        """Takes it; never waits."""
        self._outbox.append((asyncio.get_running_loop().time(), publication))
        self._filled.set()

    async def work(self) -> None:
        """Carries, for ever."""
        while True:
            await self._filled.wait()
            self._filled.clear()
            while self._outbox:
                some = [self._outbox.popleft() for _ in range(min(_AT_ONCE, len(self._outbox)))]
                await asyncio.gather(*(self._carry(*item) for item in some))

    async def _carry(self, since: float, publication: Publication) -> None:
        with contextlib.suppress(BrokerError):
            await self.bus.publish(publication)
        held = int((asyncio.get_running_loop().time() - since) * 1000)
        device = publication.topic.split("/")[1]
        self.held[device] = max(held, self.held[device])


class Probe:
    """Knows how long a message takes from one connection to another."""

    def __init__(self, sender: Bus, receiver: Bus) -> None:
        self._sender, self._receiver = sender, receiver
        self._took: deque[tuple[float, float]] = deque(maxlen=1000)
        self._waiting: dict[bytes, float] = {}

    def slowest(self, since: float) -> int:
        """The longest that one took which came after `since`, or is still on its way; milliseconds."""
        now = asyncio.get_running_loop().time()
        took = [seconds for at, seconds in self._took if at >= since - 1]
        return int(1000 * max([*took, *(now - at for at in self._waiting.values())], default=0))

    async def work(self) -> None:
        """Sends one after another, for ever."""
        clock = asyncio.get_running_loop().time
        await self._receiver.subscribe("liars/-/probe", self._hear)
        number = 0
        while True:
            number += 1
            self._waiting[str(number).encode()] = clock()
            with contextlib.suppress(BrokerError):
                await self._sender.publish(Publication("liars/-/probe", str(number).encode()))
            await asyncio.sleep(_PROBED_S)

    def _hear(self, message: Message) -> None:
        now = asyncio.get_running_loop().time()
        if (sent := self._waiting.pop(message.payload, None)) is not None:
            self._took.append((now, now - sent))

"""A box in another room: the real program wyoming-satellite, its microphone and loudspeaker in the test."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from wyoming.audio import AudioChunk
from wyoming.event import Event, Eventable, async_read_event, async_write_event
from wyoming.wake import Detection

from daemon.hear.audio import SAMPLE_RATE, to_pcm16
from daemon.simulate.broker import free_port
from tests.brokers import SOON_S
from tests.serving import Serving

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

PYTHON = Path(sys.prefix) / "satellite" / "bin" / "python"
_STEP = 1_600


class End:
    """A Wyoming service of the test: whoever connects reads what is told, and what it tells is kept."""

    def __init__(self) -> None:
        self.events: list[Event] = []
        self.port = 0
        self._writer: asyncio.StreamWriter | None = None
        self._news = asyncio.Condition()

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[End]:
        server = await Serving.start(self._connected)
        self.port = server.port
        try:
            yield self
        finally:
            await server.end()

    async def until(self, holds: Callable[[list[Event]], bool]) -> list[Event]:
        """Waits until what came is enough."""
        async with asyncio.timeout(SOON_S), self._news:
            await self._news.wait_for(lambda: holds(self.events))
        return self.events

    async def has(self, *types: str) -> list[Event]:
        """Waits until these came in this order, whatever else came in between."""
        return await self.until(lambda events: _in_order([item.type for item in events], types))

    async def tell(self, *items: Eventable) -> None:
        async with asyncio.timeout(SOON_S), self._news:
            await self._news.wait_for(lambda: self._writer is not None)
        assert self._writer is not None
        for item in items:
            await async_write_event(item.event(), self._writer)

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        async with self._news:
            self._writer = writer
            self._news.notify_all()
        while (event := await async_read_event(reader)) is not None:
            async with self._news:
                self.events.append(event)
                self._news.notify_all()


def _in_order(given: list[str], wanted: tuple[str, ...]) -> bool:
    rest = iter(given)
    return all(item in rest for item in wanted)


@dataclass
class Box:
    """The program, once it is started. `lights` are told whatever is going on."""

    name: str = "kitchen"
    wakes_itself: bool = False
    port: int = field(default_factory=free_port)
    microphone: End = field(default_factory=End)
    loudspeaker: End = field(default_factory=End)
    lights: End = field(default_factory=End)
    ear: End = field(default_factory=End)
    _process: asyncio.subprocess.Process | None = None

    @contextlib.asynccontextmanager
    async def open(self) -> AsyncIterator[Box]:
        if not PYTHON.exists():
            pytest.skip("wyoming-satellite is not installed (make dev)")
        async with contextlib.AsyncExitStack() as stack:
            for end in (self.microphone, self.loudspeaker, self.lights, self.ear):
                await stack.enter_async_context(end.open())
            await self.start()
            try:
                yield self
            finally:
                await self.kill()

    async def start(self) -> None:
        """Starts the program, and waits until it serves."""
        ends = {"mic": self.microphone, "snd": self.loudspeaker, "event": self.lights}
        if self.wakes_itself:
            ends["wake"] = self.ear
        options = [part for name, end in ends.items() for part in (f"--{name}-uri", f"tcp://127.0.0.1:{end.port}")]
        self._process = await asyncio.create_subprocess_exec(
            PYTHON,
            *("-m", "wyoming_satellite", "--name", self.name, "--uri", f"tcp://127.0.0.1:{self.port}"),
            *("--no-zeroconf", *options),
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.DEVNULL,
        )
        async with asyncio.timeout(SOON_S):
            while not await serves(self.port):  # noqa: ASYNC110 - a program tells nobody that it serves
                await asyncio.sleep(0.02)

    async def kill(self) -> None:
        """As if its plug was pulled."""
        if self._process is not None and self._process.returncode is None:
            self._process.kill()
            await self._process.wait()

    async def play(self, samples: NDArray[np.float32]) -> None:
        """What its microphone hears, as fast as it is taken."""
        sound = [samples[at : at + _STEP] for at in range(0, len(samples), _STEP)]
        await self.microphone.tell(*(AudioChunk(SAMPLE_RATE, 2, 1, to_pcm16(item)) for item in sound))

    async def wake(self) -> None:
        """Its own wake word service heard the word."""
        await self.lights.has("streaming-stopped")
        await self.ear.tell(Detection(name="okay_nabu"))

    def spoken(self) -> int:
        """Bytes of sound that its loudspeaker got."""
        return sum(len(item.payload or b"") for item in self.loudspeaker.events)


async def serves(port: int) -> bool:
    """Whether somebody listens there."""
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True

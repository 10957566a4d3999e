"""Brokers for `benchmarks.liars`: a mosquitto of its own, the embedded one, or one in memory."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
import subprocess
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from daemon.mqtt.bus import Bus
from daemon.mqtt.connection import Connection
from daemon.mqtt.settings import Broker
from daemon.simulate.broker import EmbeddedBroker
from daemon.simulate.memory import MemoryBroker

_READY_S: Final = 10.0
_CONNECTIONS: Final = 8
"""Of the liars."""


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

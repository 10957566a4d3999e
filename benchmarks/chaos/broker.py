"""A real mosquitto that can be killed and stopped, and a way to it that can fall silent, delay, and cut."""

from __future__ import annotations

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Final, Literal

from daemon.simulate.broker import free_port

_SOON_S: Final = 20.0
Mode = Literal["pass", "hold", "delay", "cut"]


def found() -> str | None:
    """Where mosquitto is."""
    return shutil.which("mosquitto", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")


class Mosquitto:
    """One process after the other on one port."""

    def __init__(self, folder: Path) -> None:
        self.port = free_port()
        self._file = folder / "mosquitto.conf"
        # It would otherwise become a user who may not read this folder.
        root = "user root\n" if os.geteuid() == 0 else ""
        self._file.write_text(f"{root}listener {self.port} 127.0.0.1\nallow_anonymous true\nlog_type none\n")
        self._process: subprocess.Popen[bytes] | None = None

    async def start(self) -> None:
        """Returns when it listens."""
        command = [found() or "mosquitto", "-c", str(self._file)]
        self._process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: ASYNC220
        async with asyncio.timeout(_SOON_S):
            while not await _listens(self.port):  # noqa: ASYNC110 - another process
                await asyncio.sleep(0.01)

    def send(self, number: signal.Signals) -> None:
        """A signal."""
        assert self._process is not None
        self._process.send_signal(number)

    async def kill(self) -> None:
        """Ends it as a power cut would."""
        if self._process is not None:
            self._process.kill()
            await asyncio.to_thread(self._process.wait)
            self._process = None


class Proxy:
    """The network between Hearken and the broker.

    `hold` lets nothing through, as a link does that hangs, and hands all of it on afterwards, also what was sent over
    connections that are gone by then. `cut` ends a connection after so many bytes, in the middle of a packet.
    """

    def __init__(self, target: int) -> None:
        self.port = 0
        self.mode: Mode = "pass"
        self.delay_s = 0.0
        self.left = 0
        """Bytes until the cut."""
        self._target = target
        self._open = asyncio.Event()
        self._open.set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._server: asyncio.Server | None = None

    def become(self, mode: Mode, *, delay_s: float = 0.0, left: int = 0) -> None:
        """Behaves so from now on."""
        self.mode, self.delay_s, self.left = mode, delay_s, left
        if mode == "hold":
            self._open.clear()
        else:
            self._open.set()

    async def start(self) -> None:
        """Listens on a port of its own."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Ends all connections."""
        if self._server is not None:
            self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        try:
            await self._open.wait()
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", self._target)
            pumps = [
                asyncio.create_task(self._pump(reader, up_writer)),
                asyncio.create_task(self._pump(up_reader, writer)),
            ]
            try:
                await asyncio.wait(pumps, return_when=asyncio.FIRST_COMPLETED)
                # What one side has said before it went away still goes through.
                await asyncio.wait(pumps[:1], timeout=0.05)
            finally:
                for pump in pumps:
                    pump.cancel()
                await asyncio.gather(*pumps, return_exceptions=True)
                up_writer.close()
        except (OSError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            self._tasks.discard(task)

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(4096):
                # What is in here cannot be taken back by whoever sent it.
                await self._open.wait()
                if self.delay_s:
                    await asyncio.sleep(self.delay_s)
                if self.mode == "cut":
                    data = data[: self.left]
                    self.left -= len(data)
                    writer.write(data)
                    if self.left <= 0:
                        return
                    continue
                writer.write(data)
                await writer.drain()


@asynccontextmanager
async def network(folder: Path) -> AsyncIterator[tuple[Mosquitto, Proxy]]:
    """A broker, and the way to it."""
    broker = Mosquitto(folder)
    await broker.start()
    proxy = Proxy(broker.port)
    await proxy.start()
    try:
        yield broker, proxy
    finally:
        await proxy.stop()
        await broker.kill()


async def _listens(port: int) -> bool:
    try:
        _, writer = await asyncio.open_connection("127.0.0.1", port)
    except OSError:
        return False
    writer.close()
    return True

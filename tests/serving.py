"""A simulated peer's end of a connection, that leaves nothing open behind the test."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable

Handler = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


class Serving:
    """A server at 127.0.0.1; `handler` has each connection."""

    def __init__(self, handler: Handler) -> None:
        self._handler = handler
        self._open: dict[asyncio.StreamWriter, asyncio.Future[None]] = {}
        self._server: asyncio.Server

    @classmethod
    async def start(cls, handler: Handler, port: int = 0) -> Serving:
        made = cls(handler)
        made._server = await asyncio.start_server(made._connected, "127.0.0.1", port)
        return made

    @property
    def port(self) -> int:
        return int(self._server.sockets[0].getsockname()[1])

    async def end(self) -> None:
        """As if its plug was pulled; returns when the last connection is closed."""
        self._server.close()
        for _ in range(10):  # who has just been let in is seen some turns of the loop later
            await asyncio.sleep(0)
        while self._open:
            for writer in self._open:
                writer.transport.abort()
            await asyncio.wait(self._open.values())

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        ended = self._open[writer] = asyncio.get_running_loop().create_future()
        try:
            await self._handler(reader, writer)
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()
            del self._open[writer]
            ended.set_result(None)

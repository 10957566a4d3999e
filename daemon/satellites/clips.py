"""Replies as sound that satellites fetch over HTTP: each under a name that nobody can guess, for a short time.

Nothing else is served, and only at the addresses of this machine that a satellite is reached from.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import secrets
import socket
from collections.abc import AsyncIterator, Iterator
from typing import Final

from daemon.core.errors import AudioError

_PORT: Final = 10_801
"""Where it can be had; a firewall knows what to let through."""
_PATIENCE_S: Final = 30.0
"""Who asks more slowly, or takes more slowly, gets nothing."""
_MOST_CONNECTIONS: Final = 32
_MOST_BYTES: Final = 8_192


class Clip:
    """One of them, while it can be had."""

    def __init__(self, url: str, data: bytes, kind: str) -> None:
        self.url = url
        self.data = data
        self.kind = kind
        self.fetched = False
        """Whether somebody has asked for it."""


class Clips:
    """A server for them. One event loop."""

    def __init__(self, port: int = _PORT) -> None:
        self._port = port
        self._clips: dict[str, Clip] = {}
        self._servers: dict[str, asyncio.Server] = {}
        self._open: set[asyncio.Task[None]] = set()
        self._closed = False

    @contextlib.asynccontextmanager
    async def running(self) -> AsyncIterator[Clips]:
        """Serves what there is while the block runs."""
        try:
            yield self
        finally:
            self._closed = True  # somebody may have been let in and not yet been seen
            for server in self._servers.values():
                server.close()
            for task in self._open:
                task.cancel()
            await asyncio.gather(*self._open, return_exceptions=True)

    async def base(self, peer: str) -> str:
        """The address under which a satellite can fetch from here.

        Raises:
            AudioError: there is none.
        """
        own = _own_address(peer)
        if own not in self._servers:
            self._servers[own] = await self._serving(own)
        port = self._servers[own].sockets[0].getsockname()[1]
        return f"http://[{own}]:{port}" if ":" in own else f"http://{own}:{port}"

    @contextlib.contextmanager
    def served(self, base: str, data: bytes, kind: str) -> Iterator[Clip]:
        """A clip ("wav" or "flac") that can be fetched while the block runs."""
        path = f"/{secrets.token_urlsafe(32)}.{kind}"
        self._clips[path] = clip = Clip(base + path, data, kind)
        try:
            yield clip
        finally:
            del self._clips[path]

    async def _serving(self, own: str) -> asyncio.Server:
        try:
            with contextlib.suppress(OSError):  # where somebody else has the port, another one will do
                return await asyncio.start_server(self._connected, own, self._port, limit=_MOST_BYTES)
            return await asyncio.start_server(self._connected, own, 0, limit=_MOST_BYTES)
        except OSError as error:
            raise AudioError(f"nothing can be served at {own} ({error.strerror or error})") from None

    def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._closed or len(self._open) >= _MOST_CONNECTIONS:
            writer.transport.abort()
            return
        task = asyncio.create_task(self._serve(reader, writer))
        self._open.add(task)
        task.add_done_callback(self._open.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            with contextlib.suppress(OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
                async with asyncio.timeout(_PATIENCE_S):
                    writer.write(self._answer(await reader.readuntil(b"\r\n\r\n")))
                    writer.close()
                    await writer.wait_closed()
        finally:  # also where the server ends: nobody is left waiting for an answer
            writer.transport.abort()

    def _answer(self, head: bytes) -> bytes:
        method, path, *_ = [*head.split(b"\r\n", 1)[0].decode("latin-1").split(" "), "", ""]
        clip = self._clips.get(path)
        if clip is None or method not in ("GET", "HEAD"):
            return b"HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
        told = f"HTTP/1.1 200 OK\r\nContent-Type: audio/{clip.kind}\r\nContent-Length: {len(clip.data)}\r\n"
        clip.fetched = clip.fetched or method == "GET"
        return f"{told}Connection: close\r\n\r\n".encode() + (clip.data if method == "GET" else b"")


def _own_address(peer: str) -> str:
    """The address of this machine on the way to another."""
    try:
        family = socket.AF_INET6 if ipaddress.ip_address(peer).version == 6 else socket.AF_INET  # noqa: PLR2004
        with socket.socket(family, socket.SOCK_DGRAM) as way:
            way.connect((peer, 9))  # of a datagram socket this sends nothing
            return str(way.getsockname()[0])
    except (OSError, ValueError) as error:
        raise AudioError(f"there is no way back from {peer} ({error})") from None

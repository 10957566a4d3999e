"""One Wyoming connection to a peer that may be broken, slow or hostile: every event is bounded."""

from __future__ import annotations

import asyncio
import contextlib
import io
import socket
import time
from typing import TYPE_CHECKING, Any, Final, TypeVar

from daemon.core.errors import AudioError
from daemon.system.nodes import quoted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from wyoming.event import Event, Eventable
    from wyoming.info import Info

    from daemon.home.config import Server

T = TypeVar("T")
MOST_BYTES: Final = 1 << 20
"""Of one part of an event. The longest that is sent by anybody is a second of sound in stereo."""
CONNECT_S: Final = 5.0
_MOST_UNREAD: Final = 8 << 20
"""Bytes that wait for a peer that reads nothing: a minute of sound and more."""
_PER_S: Final = 1 << 18
_BURST: Final = 4 << 20
"""A peer may send so many bytes a second, and so many at once: four times what a microphone brings."""
_LEAST: Final = 512
"""What an event costs at least, however short it is."""


class LinkLost(AudioError):
    """A peer is away, went away, or sends what is none of its protocol."""


class Allowance:
    """How much a peer may send: what flows faster than sound drowns everybody else."""

    def __init__(self) -> None:
        self._left: float = _BURST
        self._at = time.monotonic()

    def take(self, size: int) -> None:
        """Takes note of so many bytes.

        Raises:
            LinkLost: that was too much.
        """
        now = time.monotonic()
        self._left = min(_BURST, self._left + (now - self._at) * _PER_S) - max(size, _LEAST)
        self._at = now
        if self._left < 0:
            raise LinkLost("it sends more than anybody can hear")


class Link:
    """An open connection. `read` and `send` are for one task each at a time; `tell` for any."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader: Any = _Bounded(reader)
        self._writer = writer
        self._allowance = Allowance()

    @classmethod
    async def to(cls, server: Server) -> Link:
        """Connects.

        Raises:
            LinkLost: nobody answers there.
        """
        try:
            async with asyncio.timeout(CONNECT_S):
                reader, writer = await asyncio.open_connection(server.host, server.port)
        except (OSError, ValueError, TimeoutError) as error:
            raise LinkLost(f"nobody answers at {server} ({reason(error)})") from None
        keep_alive(writer)
        return cls(reader, writer)

    async def read(self) -> Event:
        """The next event.

        Raises:
            LinkLost: there is none, or what came is no event.
        """
        from wyoming.event import async_read_event

        try:
            event = await async_read_event(self._reader)
        except (OSError, EOFError, *MALFORMED) as error:
            raise LinkLost(f"the connection broke ({reason(error)})") from None
        event = checked(event)
        self._allowance.take(len(event.payload or b""))
        return event

    def tell(self, item: Eventable) -> None:
        """Sends an event without waiting until it has gone; one that cannot go is lost with the connection."""
        if self._writer.transport.get_write_buffer_size() > _MOST_UNREAD:
            self._writer.transport.abort()
        elif not self._writer.is_closing():
            self._writer.write(packed(item))

    async def send(self, item: Eventable, within_s: float = 10.0) -> None:
        """Sends an event, and waits while the peer is slow to take it.

        Raises:
            LinkLost: it has gone, or does not take it.
        """
        self.tell(item)
        try:
            async with asyncio.timeout(within_s):
                await self._writer.drain()
        except (OSError, TimeoutError) as error:
            self._writer.transport.abort()
            raise LinkLost(f"it takes nothing ({reason(error)})") from None
        if self._writer.is_closing():
            raise LinkLost("the connection is closed")

    async def close(self) -> None:
        """Ends it, whatever state it is in."""
        self._writer.close()
        with contextlib.suppress(OSError, TimeoutError):
            async with asyncio.timeout(1.0):
                await self._writer.wait_closed()


async def ask(server: Server, question: Callable[[Link], Awaitable[T]], within_s: float) -> T:
    """The answer of a peer to one question, over a connection of its own.

    Raises:
        LinkLost: there is none in time.
    """
    try:
        async with asyncio.timeout(within_s):
            link = await Link.to(server)
            try:
                return await question(link)
            finally:
                await link.close()
    except TimeoutError:
        raise LinkLost(f"{server} takes longer than {within_s:g} s") from None


async def describe(link: Link) -> Info:
    """What a peer says that it is.

    Raises:
        LinkLost: it says nothing.
    """
    from wyoming.info import Describe, Info

    await link.send(Describe())
    return decoded(Info, await until(link, Info.is_type))


def described(info: Info) -> str:
    """What a peer is, on one line: each of its services with its programs."""
    satellite = [info.satellite] if info.satellite is not None else []
    services: dict[str, Any] = {"satellite": satellite} | {
        name: getattr(info, name) for name in ("asr", "tts", "handle", "intent", "wake")
    }
    told = (
        f"{name} {', '.join(quoted(str(item.name)) for item in found)}" for name, found in services.items() if found
    )
    return "; ".join(told)


async def until(link: Link, wanted: Callable[[str], bool]) -> Event:
    """The next event of a type.

    Raises:
        LinkLost: there is none, or the peer says that it failed.
    """
    from wyoming.error import Error

    while not wanted((event := await link.read()).type):
        if Error.is_type(event.type):
            raise LinkLost(f"it failed: {decoded(Error, event).text!s:.80}")
    return event


MALFORMED: Final = (ValueError, TypeError, KeyError, AttributeError, RecursionError)
"""What the library raises where bytes are no event, or an event has not the fields of its type."""


def checked(event: Event | None) -> Event:
    """The event, if it is one.

    Raises:
        LinkLost: the connection ended, or this is none.
    """
    if event is None:
        raise LinkLost("the connection ended, or what came over it is not Wyoming")
    kind: Any = event.type
    data: Any = event.data  # the library does not look
    if not isinstance(kind, str) or not isinstance(data, dict):
        raise LinkLost("what came over it is not Wyoming")
    return event


def decoded(kind: type[T], event: Event) -> T:
    """An event as what it says it is.

    Raises:
        LinkLost: it has not the fields of that.
    """
    try:
        return kind.from_event(event)  # type: ignore[attr-defined,no-any-return]
    except MALFORMED as error:
        raise LinkLost(f"a broken {event.type!r:.40} ({reason(error)})") from None


def packed(item: Eventable) -> bytes:
    """An event as it goes over the wire."""
    from wyoming.event import write_event

    buffer = io.BytesIO()
    write_event(item.event(), buffer)
    return buffer.getvalue()


def reason(error: BaseException) -> str:
    """One line, whatever was said."""
    return " ".join(str(error).split())[:120] or type(error).__name__


def keep_alive(writer: asyncio.StreamWriter) -> None:
    """A peer that lost its power says no goodbye: TCP asks whether it is still there."""
    own: socket.socket = writer.get_extra_info("socket")
    own.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in ((socket.TCP_KEEPIDLE, 10), (socket.TCP_KEEPINTVL, 5), (socket.TCP_KEEPCNT, 3)):
        own.setsockopt(socket.IPPROTO_TCP, option, value)


class _Bounded:
    """A stream that reads no more at once than an event may have."""

    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def readline(self) -> bytes:
        return await self._reader.readline()

    async def readexactly(self, count: int) -> bytes:
        if count > MOST_BYTES:
            raise ValueError(f"an event of {count} bytes")
        return await self._reader.readexactly(count)

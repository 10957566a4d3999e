"""One connection of a browser: there are only so many, and each has only so long to ask and to take its answer."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import Any, Final

from uvicorn.protocols.http.h11_impl import H11Protocol, RequestResponseCycle

MOST: Final = 256
"""Connections at once ..."""
MOST_OF_ONE: Final = 64
"""... and of one peer, so that it can't keep all others out."""
ASKING_S: Final = 10.0
"""So long a whole request may take, its body too."""
TAKING_S: Final = 30.0
"""So long nothing at all of an answer may be taken."""


class Connection(H11Protocol):
    """Aborts what is too many or too slow; with `tls`, from the first moment on, before anything is encrypted."""

    _asking: asyncio.TimerHandle | None = None
    _taking: asyncio.TimerHandle | None = None
    _greeting: asyncio.Task[None] | None = None

    def __init__(self, *args: Any, tls: ssl.SSLContext | None = None, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._tls = tls
        self._early = b""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Lets it in, or not."""
        super().connection_made(transport)
        mine = sum(isinstance(item, Connection) and item.peer == self.peer for item in self.connections)
        if len(self.connections) > MOST or mine > MOST_OF_ONE:
            transport.abort()
            return
        self._asking = self.loop.call_later(ASKING_S, transport.abort)
        if self._tls is not None:
            transport.pause_reading()
            self._greeting = self.loop.create_task(self._greet(transport, self._tls))

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        for timer in (self._asking, self._taking):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """More of a request."""
        if self._greeting is not None:
            self._early += data  # the encryption stands, and our answers don't go through it yet
            return
        super().data_received(data)
        if self._asking is not None and self._answering:
            self._asking.cancel()

    def on_response_complete(self) -> None:
        """From now on it has its time for the next request."""
        if self._asking is not None:
            self._asking.cancel()
        super().on_response_complete()
        if not (self._answering or self.transport.is_closing()):
            self._asking = self.loop.call_later(ASKING_S + self.timeout_keep_alive, self.transport.abort)

    def pause_writing(self) -> None:
        """It takes nothing for now."""
        super().pause_writing()
        self._taking = self.loop.call_later(TAKING_S, self.transport.abort)

    def resume_writing(self) -> None:
        """It does again."""
        super().resume_writing()
        if self._taking is not None:
            self._taking.cancel()

    def shutdown(self) -> None:
        """The server ends."""
        if self._answering:
            super().shutdown()
        else:
            self.transport.abort()

    async def _greet(self, transport: asyncio.Transport, tls: ssl.SSLContext) -> None:
        """Agrees on the encryption; who doesn't is gone."""
        found = None
        with contextlib.suppress(OSError):  # that it took too long is one too
            if not transport.is_closing():
                found = await self.loop.start_tls(
                    transport, self, tls, server_side=True, ssl_handshake_timeout=ASKING_S
                )
        if found is None or found.is_closing():
            self.connections.discard(self)
            transport.abort()
            return
        super().connection_made(found)
        self._greeting = None
        if self._early:
            self.data_received(self._early)

    @property
    def peer(self) -> str:
        """The address at its other end."""
        return self.client[0] if self.client is not None else ""

    @property
    def _answering(self) -> bool:
        """Whether a whole request is being answered."""
        cycle: RequestResponseCycle | None = self.cycle  # before the first request there is none
        return cycle is not None and not cycle.more_body and not cycle.response_complete

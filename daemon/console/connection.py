"""One connection of a browser: there are only so many, and each has only so long to ask and to take its answer."""

from __future__ import annotations

import asyncio
from typing import Final

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
    """Aborts what is too many or too slow."""

    _asking: asyncio.TimerHandle | None = None
    _taking: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Lets it in, or not."""
        super().connection_made(transport)
        mine = sum(isinstance(item, Connection) and item.peer == self.peer for item in self.connections)
        if len(self.connections) > MOST or mine > MOST_OF_ONE:
            transport.abort()
        else:
            self._asking = self.loop.call_later(ASKING_S, transport.abort)

    def connection_lost(self, exc: Exception | None) -> None:
        """It is gone."""
        for timer in (self._asking, self._taking):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """More of a request."""
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

    @property
    def peer(self) -> str:
        """The address at its other end."""
        return self.client[0] if self.client is not None else ""

    @property
    def _answering(self) -> bool:
        """Whether a whole request is being answered."""
        cycle: RequestResponseCycle | None = self.cycle  # before the first request there is none
        return cycle is not None and not cycle.more_body and not cycle.response_complete

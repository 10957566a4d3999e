"""What happens, told to the pages that are open, as server-sent events."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Final

from starlette.responses import Response, StreamingResponse

_MOST: Final = 32
"""Pages at once."""
_MOST_WAITING: Final = 64
"""What one that takes nothing has waiting; of more, it has to come again."""
_QUIET_S: Final = 20.0
"""After so long without anything a sign of life is sent, by which it shows whether the page is still there."""

Put = Callable[[str], None]


class Feeds:
    """The pages that are open. One event loop."""

    def __init__(self) -> None:
        self._open: set[asyncio.Queue[str | None]] = set()

    def feed(self, subscribe: Callable[[Put], Callable[[], None]]) -> Response:
        """Sends a page whatever `put` is called with, as HTML for an element with `data-feed`.

        `subscribe` is called with `put` when the page listens; what it gives ends that when the page is gone.
        """
        if len(self._open) >= _MOST:
            return Response(status_code=503)
        return StreamingResponse(self._sent(subscribe), media_type="text/event-stream")

    def end(self) -> None:
        """The server ends: no page is to keep it waiting."""
        for queue in tuple(self._open):
            _end(queue)

    async def _sent(self, subscribe: Callable[[Put], Callable[[], None]]) -> AsyncIterator[str]:
        queue: asyncio.Queue[str | None] = asyncio.Queue(_MOST_WAITING)

        def put(html: str) -> None:
            if queue.full():
                _end(queue)
            else:
                queue.put_nowait(html)

        self._open.add(queue)
        end = subscribe(put)
        try:
            yield ":\n\n"
            while (item := await _next(queue)) is not None:
                yield "".join(f"data: {line}\n" for line in item.splitlines()) + "\n" if item else ":\n\n"
        finally:
            end()
            self._open.discard(queue)


async def _next(queue: asyncio.Queue[str | None]) -> str | None:
    """What comes next; nothing after a while without."""
    try:
        async with asyncio.timeout(_QUIET_S):
            return await queue.get()
    except TimeoutError:
        return ""


def _end(queue: asyncio.Queue[str | None]) -> None:
    while not queue.empty():
        queue.get_nowait()
    queue.put_nowait(None)

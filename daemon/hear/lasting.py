"""A microphone that is opened again when it fails: cables come loose, and USB devices are reset."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import TYPE_CHECKING, Self

from daemon.core.errors import AudioError
from daemon.hear.microphone import FrameSource, reread

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_FIRST_S = 0.5
_LONGEST_S = 30.0

log = logging.getLogger(__name__)


class LastingMicrophone:
    """Frames of one microphone after another. Logs once when it is lost and once when it is back.

    Before each new attempt `reread` looks anew at what is plugged in; it blocks.

    Raises:
        AudioError: on entering: there is no microphone to begin with.
    """

    def __init__(
        self,
        microphone: Callable[[], AbstractAsyncContextManager[FrameSource]],
        pause_for: Callable[[float], Awaitable[None]] = asyncio.sleep,
        reread: Callable[[], None] = reread,
    ) -> None:
        self._open = microphone
        self._pause_for = pause_for
        self._reread = reread
        self._stack = contextlib.AsyncExitStack()
        self._source: FrameSource | None = None
        self._paused = False

    async def __aenter__(self) -> Self:
        await self._take(self._open())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._source = None
        await self._stack.aclose()

    async def __aiter__(self) -> AsyncIterator[NDArray[np.float32]]:
        while self._source is not None:
            try:
                async for frame in self._source:
                    yield frame
            except AudioError as error:
                log.warning("%s; it is opened again as soon as it is there", error)
                await self._again()
            else:
                return

    def pause(self) -> None:
        """Drops what is captured from now on."""
        self._paused = True
        if self._source is not None:
            self._source.pause()

    def resume(self) -> None:
        """Captures again."""
        self._paused = False
        if self._source is not None:
            self._source.resume()

    async def _again(self) -> None:
        await self._stack.aclose()
        delay_s = _FIRST_S
        while True:
            await self._pause_for(delay_s)
            await asyncio.to_thread(self._reread)
            try:
                await self._take(self._open())
            except AudioError:
                delay_s = min(2 * delay_s, _LONGEST_S)
            else:
                log.info("the microphone is back")
                return

    async def _take(self, microphone: AbstractAsyncContextManager[FrameSource]) -> None:
        source = await self._stack.enter_async_context(microphone)
        if self._paused:
            source.pause()
        self._source = source

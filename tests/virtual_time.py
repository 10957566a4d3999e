"""An event loop in virtual time: where it would sleep, its clock moves on instead."""

from __future__ import annotations

import asyncio
import math
import selectors
from collections.abc import Callable, Coroutine, Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any, TypeVar

from daemon.system.worker import at_work

T = TypeVar("T")
_GLANCE_S = 0.002
"""Of real time, between two looks at whether a worker is done: nobody may be told."""


class _Hasty(selectors.SelectSelector):
    """What would be waited for has come at once. While a thread works for the loop, time stands still."""

    def __init__(self) -> None:
        super().__init__()
        self.now = 0.0
        self.working = 0

    def select(self, timeout: float | None = None) -> Any:
        # With nothing to wait for but another thread, it is that which wakes the loop.
        ready = super().select(None if timeout is None or (self.working and timeout > 0) else 0)
        if ready or not timeout:
            return ready
        if at_work():
            return super().select(_GLANCE_S)
        self.now += timeout
        return ready


class VirtualLoop(asyncio.SelectorEventLoop):
    """Time goes by as fast as the work is done, so that nothing depends on how busy the machine is.

    Only for what is inside this process: what comes over a socket comes late, measured by this clock.
    """

    def __init__(self) -> None:
        self._hasty = _Hasty()
        super().__init__(self._hasty)

    def time(self) -> float:
        """Seconds since the loop was made."""
        return self._hasty.now

    @property
    def _clock_resolution(self) -> float:
        """What asyncio runs a timer before its time by: nothing.

        Its nanosecond goes by on any other clock. Here, two who wait for its end woke each other for ever.
        """
        return math.ulp(self._hasty.now)

    @_clock_resolution.setter
    def _clock_resolution(self, _: float) -> None:
        """As the base class finds it out, it is that of another clock."""

    def run_in_executor(  # type: ignore[override]  # the base class tells a coroutine's type too
        self, executor: Executor | None, func: Callable[..., T], *args: Any
    ) -> asyncio.Future[T]:
        """As any loop does; time stands still until it is done."""
        future = super().run_in_executor(executor, func, *args)
        self._hasty.working += 1
        future.add_done_callback(self._done)
        return future

    @contextmanager
    def still(self) -> Iterator[None]:
        """No time goes by during the block, whatever thread it waits for."""
        self._hasty.working += 1
        try:
            yield
        finally:
            self._hasty.working -= 1

    async def shutdown_default_executor(self, _: float | None = None) -> None:
        """Waits for the threads, however long in virtual time."""
        await super().shutdown_default_executor()

    def _done(self, _: asyncio.Future[Any]) -> None:
        self._hasty.working -= 1


def now() -> float:
    """The time of the loop that runs, for whoever takes a clock."""
    return asyncio.get_running_loop().time()


def run(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Runs to the end in virtual time: a deadline of seconds passes at once."""
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(main())

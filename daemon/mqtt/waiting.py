"""Waiting for an answer of the broker, as long as there is a connection over which it may come."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable, Coroutine
from typing import Any

from daemon.core.errors import BrokerLost

STEP_S = 0.5
"""A wait is cut into steps so long: a process that stood still, and let an answer lie, has lost one of them."""


_BEHIND = 2.0
"""A broker, or a machine, that is behind with a flood gets so many times the limit."""


async def unless(
    gone: asyncio.Future[None],
    call: Coroutine[Any, Any, None],
    limit_s: float = math.inf,
    silent_s: Callable[[], float] = lambda: math.inf,
) -> None:
    """Awaits `call`, which is cancelled where it does not end.

    Args:
        gone: Done when the connection is.
        call: What the broker is to answer.
        limit_s: How long; time in which this process stood still does not count.
        silent_s: Seconds since the broker last said anything: one that talks has only not come to this yet.

    Raises:
        BrokerLost: the connection was `gone` first.
        TimeoutError: it took longer.
    """
    task = asyncio.ensure_future(call)
    try:
        while limit_s > 0 and not (task.done() or gone.done()):
            step = min(limit_s, STEP_S)
            await asyncio.wait((task, gone), timeout=step, return_when=asyncio.FIRST_COMPLETED)
            limit_s -= step if silent_s() >= step else step / _BEHIND
    finally:
        if not task.done():
            task.cancel()
    if gone.done() and (task.cancelled() or not task.done()):
        raise BrokerLost("the connection with the broker broke")
    if not task.done():
        raise TimeoutError
    task.result()


def awaited() -> asyncio.Future[Any]:
    """A future that may be left alone: asyncio would log an exception that nobody has seen."""
    future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
    future.add_done_callback(lambda done: done.cancelled() or done.exception())
    return future


class Answers:
    """What the broker has still to answer, by the number of the packet."""

    def __init__(self) -> None:
        self._open: dict[int, asyncio.Future[Any]] = {}

    async def of(self, number: int) -> Any:
        """Waits for the answer to a packet."""
        answer = self._open[number] = awaited()
        try:
            return await answer
        finally:
            del self._open[number]

    def take(self, number: int, answer: Any) -> None:
        """The broker has answered; perhaps nobody waits any more."""
        waiting = self._open.get(number)
        if waiting is not None and not waiting.done():
            waiting.set_result(answer)

    def fail(self, error: Exception) -> None:
        """There will be no answers."""
        for waiting in self._open.values():
            if not waiting.done():
                waiting.set_exception(error)

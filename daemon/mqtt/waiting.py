"""Waiting for an answer of the broker, as long as there is a connection over which it may come."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Coroutine
from typing import Any

from daemon.errors import BrokerLost

STEP_S = 0.5
"""A wait is cut into steps so long: a process that stood still, and let an answer lie, has lost one of them."""


async def unless(gone: asyncio.Future[None], call: Coroutine[Any, Any, None], limit_s: float = math.inf) -> None:
    """Awaits `call`, which is cancelled where it does not end.

    Raises:
        BrokerLost: the connection was `gone` first.
        TimeoutError: it took longer than `limit_s`; time in which this process stood still does not count.
    """
    task = asyncio.ensure_future(call)
    try:
        while limit_s > 0 and not (task.done() or gone.done()):
            step = min(limit_s, STEP_S)
            await asyncio.wait((task, gone), timeout=step, return_when=asyncio.FIRST_COMPLETED)
            limit_s -= step
    finally:
        if not task.done():
            task.cancel()
    if gone.done() and (task.cancelled() or not task.done()):
        raise BrokerLost("the connection with the broker broke")
    if not task.done():
        raise TimeoutError
    task.result()

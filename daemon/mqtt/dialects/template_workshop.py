"""The daemon's side of `template_worker`: starts it with the first job, hands it one job after the other."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
import json
import os
import random
import signal
import sys
from asyncio.subprocess import PIPE, Process
from collections import OrderedDict
from dataclasses import dataclass, field
from pathlib import Path
from subprocess import DEVNULL
from typing import Final

from daemon.errors import TemplateError, TemplateWorkerError
from daemon.mqtt.backoff import Backoff

_LIMITS_S: Final = (0.05, 0.25)
"""Seconds of processor time for a job, and for its second try, which comes after all other jobs: a slow machine, or one
that killed the process by itself, is no fault of the template."""
_WALL_S: Final = 5.0
"""After which an answer is no longer waited for, whatever the processor did meanwhile."""
_MOST_KNOWN: Final = 4_096
_ROOT: Final = Path(__file__).resolve().parents[3]
_COMMAND: Final = (sys.executable, "-m", "daemon.mqtt.dialects.template_worker")
_KEPT: Final = ("TZ", "LD_LIBRARY_PATH")


@dataclass(frozen=True, slots=True)
class Job:
    """One rendering."""

    source: str
    text: str
    payload: bool
    """Whether the text is what a device said; else it is the variables, as JSON."""


@dataclass(order=True, slots=True)
class _Waiting:
    cost: float
    number: int
    job: Job = field(compare=False)
    made: asyncio.Future[str | None] = field(compare=False)


class _DiedError(Exception):
    """The process, or its child, ended while it was at work."""


class Workshop:
    """Renders templates in another process. One event loop, not thread-safe.

    The jobs that are expected to take least, as those of the same template did before, are done first: what takes long
    delays nobody but its own kind.
    """

    def __init__(self) -> None:
        self._waiting: list[_Waiting] = []
        self._costs: OrderedDict[str, float] = OrderedDict()
        self._numbers = itertools.count(1)
        self._process: Process | None = None
        self._task: asyncio.Task[None] | None = None
        self._backoff = Backoff()
        self._failures = 0
        self._not_before = 0.0
        self._dice = random.Random()  # noqa: S311 - no secret

    @property
    def pid(self) -> int | None:
        """The process that renders, as far as there is one."""
        return None if self._process is None else self._process.pid

    async def render(self, job: Job) -> str | None:
        """The text that a template makes, None where it makes none.

        Raises:
            TemplateError: it needs too much time or memory.
            TemplateWorkerError: there is no process that could render it now.
        """
        made: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._put(job, self._costs.get(job.source, _LIMITS_S[0]), made)
        return await made

    async def stop(self) -> None:
        """Ends the process; who still waits is told so."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        for item in self._waiting:
            _fail(item.made, TemplateWorkerError("the process that renders templates has ended"))
        self._waiting.clear()
        await self._end()

    def _put(self, job: Job, cost: float, made: asyncio.Future[str | None]) -> None:
        heapq.heappush(self._waiting, _Waiting(cost, next(self._numbers), job, made))
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work(), name="template workshop")

    async def _work(self) -> None:
        while self._waiting:
            item = heapq.heappop(self._waiting)
            if not item.made.done():
                try:
                    await self._try(item)
                except asyncio.CancelledError:
                    _fail(item.made, TemplateWorkerError("the process that renders templates has ended"))
                    raise
                except Exception as error:  # noqa: BLE001 - whatever it is, the next job gets its turn
                    _fail(item.made, TemplateWorkerError(str(error)))

    async def _try(self, item: _Waiting) -> None:
        first = item.cost < _LIMITS_S[1]
        clock = asyncio.get_running_loop().time
        begun = clock()
        try:
            text, too_much = await self._rendered(item, _LIMITS_S[0] if first else _LIMITS_S[1])
        except _DiedError:
            if first:
                self._put(item.job, _LIMITS_S[1], item.made)
            else:
                _fail(item.made, TemplateError("needs too much time"))
            return
        self._note(item.job.source, min(clock() - begun, _LIMITS_S[0]))
        if too_much:
            _fail(item.made, TemplateError("needs too much memory"))
        elif not item.made.done():
            item.made.set_result(text)

    def _note(self, source: str, cost: float) -> None:
        self._costs[source] = cost
        self._costs.move_to_end(source)
        if len(self._costs) > _MOST_KNOWN:
            self._costs.popitem(last=False)

    async def _rendered(self, item: _Waiting, seconds: float) -> tuple[str | None, bool]:
        process = self._process or await self._started()
        job, number = item.job, item.number
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            async with asyncio.timeout(_WALL_S):
                process.stdin.write(json.dumps([number, seconds, job.source, job.text, job.payload]).encode() + b"\n")
                await process.stdin.drain()
                answer = [-1, None, False]
                while answer[0] not in (0, number):
                    answer = json.loads(await process.stdout.readline())
        except (TimeoutError, OSError, ValueError):
            await self._end()
            self._failed()
            raise _DiedError from None
        if answer[0] == 0:
            raise _DiedError
        self._failures = 0
        return answer[1], answer[2]

    async def _started(self) -> Process:
        clock = asyncio.get_running_loop().time
        if clock() < self._not_before:
            await asyncio.sleep(self._not_before - clock())
        environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
        try:
            self._process = await asyncio.create_subprocess_exec(
                *_COMMAND, stdin=PIPE, stdout=PIPE, stderr=DEVNULL, cwd=_ROOT, env=environment, start_new_session=True
            )
        except OSError:
            self._failed()
            raise
        return self._process

    def _failed(self) -> None:
        self._failures += 1
        now = asyncio.get_running_loop().time()
        self._not_before = now + (self._backoff.delay(self._failures, self._dice) if self._failures > 1 else 0.0)

    async def _end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        process.stdin.close()
        with contextlib.suppress(ProcessLookupError):
            # The process and its child, which a hopeless job keeps busy.
            os.killpg(process.pid, signal.SIGKILL)
        await process.wait()


def _fail(made: asyncio.Future[str | None], error: Exception) -> None:
    if not made.done():
        made.set_exception(error)

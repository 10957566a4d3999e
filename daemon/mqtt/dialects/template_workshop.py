"""Rendering in another process: started with the first job, killed with one that takes too long; what comes next."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
import json
import os
import random
import signal
import subprocess
import sys
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from daemon.core.errors import TemplateError, TemplateWorkerError
from daemon.core.values import replace
from daemon.mqtt.failures import Backoff

_ROOT: Final = Path(__file__).resolve().parents[3]
_COMMAND: Final = (sys.executable, "-m", "daemon.mqtt.dialects.template_worker")
_KEPT: Final = ("TZ", "LD_LIBRARY_PATH")
"""What it needs to know of the environment."""
_LONGEST: Final = 128 * 1024
"""Bytes of an answer."""


class TemplateProcess:
    """One process at a time. `answer` blocks, and is for one thread at a time; `kill` is for any."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._lock = threading.Lock()

    @property
    def pid(self) -> int | None:
        """Of the process, as far as there is one."""
        process = self._process
        return None if process is None else process.pid

    def answer(self, request: list[Any]) -> list[Any]:
        """The answer to a request, as `template_worker` has them.

        Raises:
            OSError: the process can't be started, or has ended.
            ValueError: it has ended while it answered.
        """
        process = self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(json.dumps(request).encode() + b"\n")
        process.stdin.flush()
        while True:
            answer: list[Any] = json.loads(process.stdout.readline(_LONGEST))
            # Of a request before, it is no longer waited for; the one with 0 tells of a death.
            if answer[0] in (0, request[0]):
                return answer

    def kill(self) -> None:
        """Ends the process, whatever it does; the next request starts another."""
        with self._lock:
            process, self._process = self._process, None
        if process is None:
            return
        with contextlib.suppress(ProcessLookupError):
            # With its child, which a hopeless job keeps busy.
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        for pipe in (process.stdin, process.stdout):
            with contextlib.suppress(OSError):
                pipe.close()  # type: ignore[union-attr]  # both are pipes

    def _started(self) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._process is None:
                environment = {name: os.environ[name] for name in _KEPT if name in os.environ}
                self._process = subprocess.Popen(  # noqa: S603 - nothing of it comes from outside
                    _COMMAND,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    cwd=_ROOT,
                    env=environment,
                    start_new_session=True,
                )
            return self._process


_LIMITS_S: Final = (0.05, 0.25)
"""Seconds of processor time for a job, and for its second try, which comes after all other jobs."""
_WALL_S: Final = 5.0
"""After which an answer is no longer waited for, whatever the processor did meanwhile."""
_MOST_KNOWN: Final = 4_096


class Job(Struct, frozen=True):
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
    """What did the work was ended, for it had used up its time or memory."""


class Workshop:
    """Renders templates in another process. One event loop, not thread-safe.

    The jobs that are expected to take least, as those of the same template did before, are done first: what takes long
    delays nobody but its own kind.
    """

    def __init__(self) -> None:
        self._waiting: list[_Waiting] = []
        self._open: set[asyncio.Future[str | None]] = set()
        self._costs: dict[str, float] = {}
        self._numbers = itertools.count(1)
        self._process = TemplateProcess()
        self._task: asyncio.Task[None] | None = None
        self._backoff = Backoff()
        self._failures = 0
        self._dice = random.Random()  # noqa: S311 - no secret

    @property
    def pid(self) -> int | None:
        """The process that renders, as far as there is one."""
        return self._process.pid

    async def render(self, job: Job) -> str | None:
        """The text that a template makes, None where it makes none.

        Raises:
            TemplateError: it needs too much time or memory.
            TemplateWorkerError: there is no process that could render it now.
        """
        made: asyncio.Future[str | None] = asyncio.get_running_loop().create_future()
        self._open.add(made)
        made.add_done_callback(self._open.discard)
        self._put(_Waiting(self._costs.get(job.source, _LIMITS_S[0]), next(self._numbers), job, made))
        return await made

    async def stop(self) -> None:
        """Ends the process; who still waits is told so."""
        if self._task is not None:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._waiting.clear()
        for made in list(self._open):
            _fail(made, TemplateWorkerError("the process that renders templates has ended"))
        self._process.kill()

    def _put(self, item: _Waiting) -> None:
        heapq.heappush(self._waiting, item)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work(), name="template workshop")

    async def _work(self) -> None:
        clock = asyncio.get_running_loop().time
        while self._waiting:
            item = heapq.heappop(self._waiting)
            if item.made.done():
                continue
            begun, second = clock(), item.cost >= _LIMITS_S[1]
            try:
                text = await self._rendered(item, _LIMITS_S[second])
            except _DiedError:
                if second:
                    self._give_up(item)
                else:
                    self._put(replace(item, cost=_LIMITS_S[1]))
            except Exception as error:  # noqa: BLE001 - whatever it is, the next job gets its turn
                _fail(item.made, TemplateWorkerError(f"templates can't be rendered: {error}"))
            else:
                self._note(item.job.source, min(clock() - begun, _LIMITS_S[0]))
                if not item.made.done():
                    item.made.set_result(text)

    def _give_up(self, item: _Waiting) -> None:
        """No other job of this template is tried either."""
        for other in (item, *self._waiting):
            if other.job.source == item.job.source:
                _fail(other.made, TemplateError("needs too much time or memory"))

    def _note(self, source: str, cost: float) -> None:
        self._costs.pop(source, None)
        self._costs[source] = cost
        if len(self._costs) > _MOST_KNOWN:
            del self._costs[next(iter(self._costs))]

    async def _rendered(self, item: _Waiting, seconds: float) -> str | None:
        """What comes of a job; once more where the process ended by no fault of its own."""
        request = [item.number, seconds, item.job.source, item.job.text, item.job.payload]
        try:
            number, text = await self._answer(request)
        except (OSError, ValueError):
            number, text = await self._answer(request)
        if number != item.number:
            raise _DiedError
        made: str | None = text
        return made

    async def _answer(self, request: list[Any]) -> list[Any]:
        if self._failures > 1:
            await asyncio.sleep(self._backoff.delay(self._failures, self._dice))
        # In a thread, which waits for the process; it is freed where that is killed.
        answering = asyncio.get_running_loop().run_in_executor(None, self._process.answer, request)
        try:
            await asyncio.wait([answering], timeout=_WALL_S)
        finally:
            if not answering.done():
                self._process.kill()
                await asyncio.wait([answering])
        if answering.exception() is not None:
            self._process.kill()
            self._failures += 1
        else:
            self._failures = 0
        return answering.result()


def _fail(made: asyncio.Future[str | None], error: Exception) -> None:
    if not made.done():
        made.set_exception(error)

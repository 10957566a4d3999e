"""A thread for what may take long, or hang: it does one thing after the other, and keeps no process from ending."""

from __future__ import annotations

import asyncio
import gc
import logging
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

T = TypeVar("T")
_PREFIX = "worker: "


def at_work() -> bool:
    """Whether any worker of this process has something to do."""
    return any(thread.name.startswith(_PREFIX) for thread in threading.enumerate())


async def ended(tasks: Iterable[asyncio.Future[Any]]) -> None:
    """Ends these tasks, and waits until they have."""
    them = tuple(tasks)
    for task in them:
        task.cancel()
    await asyncio.gather(*them, return_exceptions=True)


class Worker:
    """Does one thing after the other, in a thread that is there while there is something to do.

    The threads of an executor are waited for when the process ends, however long they hang; this one is not.
    """

    def __init__(self, name: str) -> None:
        self._name = name
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Future[Any], Callable[[], Any]]] = deque()
        self._thread: threading.Thread | None = None

    def submit(self, work: Callable[[], T]) -> Future[T]:
        """What comes of some work. Until it is begun it may be cancelled. Any thread may ask; never raises."""
        task: Future[T] = Future()
        with self._lock:
            self._waiting.append((task, work))
            if self._thread is None:
                thread = threading.Thread(target=self._run, name=_PREFIX + self._name, daemon=True)
                try:
                    thread.start()
                except RuntimeError as error:  # the machine has no thread left
                    self._waiting.pop()
                    task.set_exception(error)
                else:
                    self._thread = thread
        return task

    def close(self, wait_s: float) -> None:
        """Gives up what waits. What is being done has so many seconds to end: an engine that is cut off may crash."""
        with self._lock:
            waiting, self._waiting = self._waiting, deque()
            thread = self._thread
        for task, _ in waiting:
            task.cancel()
        if thread is not None:
            thread.join(wait_s)

    def _run(self) -> None:
        while (following := self._next()) is not None:
            task, work = following
            if not task.set_running_or_notify_cancel():
                continue
            try:
                task.set_result(work())
            except BaseException as error:  # noqa: BLE001 - it belongs to whoever asks
                task.set_exception(error)

    def _next(self) -> tuple[Future[Any], Callable[[], Any]] | None:
        with self._lock:
            if self._waiting:
                return self._waiting.popleft()
            self._thread = None
            return None


class Derived(Generic[T]):
    """What follows from something that changes, made again when it is asked for after a change. Any thread may ask.

    `version` is another number after each change; `make` blocks.
    """

    def __init__(self, version: Callable[[], int], make: Callable[[], T]) -> None:
        self._version = version
        self._make = make
        self._making = threading.Lock()
        self._made: tuple[int, T] | None = None

    def get(self) -> T:
        """As it is now; while another thread makes that, as it was before: nobody who speaks waits for it."""
        made = self._made
        if made is None or (made[0] != self._version() and not self._making.locked()):
            return self.renewed()
        return made[1]

    def renewed(self) -> T:
        """As it is now, also where another thread has begun to make it."""
        with self._making:
            version, made = self._version(), self._made
            if made is None or made[0] != version:
                with resting():
                    # The version of the beginning: what changed meanwhile, in another thread, is looked at again.
                    self._made = made = (version, self._make())
            return made[1]


@contextmanager
def resting() -> Iterator[None]:
    """During the block nothing is collected: a third of the time in which a large home is made would go to it."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class Limit:
    """What is said of one limit; `message` is a logging format: what is cut off, and from where on."""

    def __init__(self, log: logging.Logger, message: str) -> None:
        self._log = log
        self._message = message
        self._told = False

    def cuts(self, *args: object) -> None:
        """Something is cut off now; `args` are the message's."""
        if not self._told:
            self._told = True
            self._log.warning(self._message, *args)

    def clipped(self, text: str, most: int) -> str:
        """At most so many characters of a text from outside; the message is told how many, and what is left."""
        if len(text) > most:
            self.cuts(most, text[:most])
        return text[:most]

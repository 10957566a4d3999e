"""The segmenter of this installation: loaded when it is first needed, in its own thread, never a reason to fail."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from functools import partial
from typing import Final

from daemon.compiler.failures import Failures
from daemon.compiler.segmenter import Atom, Segmenter
from daemon.core.errors import ModelLate
from daemon.system.worker import Worker

_FIRST_LIMIT_S: Final = 5.0
"""The first time, the model is loaded."""


class Cutter:
    """Cuts utterances into their clauses.

    Args:
        load: Makes the segmenter; may raise anything.
        limit_s: So long an utterance may take.
    """

    def __init__(self, load: Callable[[], Segmenter], limit_s: float) -> None:
        self._load = load
        self._limit_s = limit_s
        self._segmenter: Segmenter | None = None
        self._worker = Worker("segmenter")
        self._failures = Failures("the segmenter", "long sentences are read without it")

    @property
    def problem(self) -> str | None:
        """Why it is out of use, in one line; None where it is not."""
        return self._failures.problem

    def prepare(self) -> Future[Segmenter]:
        """Begins to load the model; nobody waits for it."""
        return self._worker.submit(self._loaded)

    async def atoms(self, text: str) -> tuple[Atom, ...]:
        """What the clauses of a normalized utterance are made of; none where it cannot be told. Never raises."""
        if self._failures.out or not text:
            return ()
        limit = self._limit_s if self._segmenter is not None else self._limit_s + _FIRST_LIMIT_S
        work = self._worker.submit(partial(self._atoms, text))
        try:
            found = await asyncio.wait_for(asyncio.wrap_future(work), limit)
        except TimeoutError:
            self._failures.failed(ModelLate(f"it took longer than {limit:.1f} s"))
            return ()
        except Exception as error:  # noqa: BLE001 - a model may fail in any way; the sentence is read without it
            if self._segmenter is not None:
                self._failures.failed(error)
            return ()
        self._failures.worked()
        return found

    def close(self, wait_s: float) -> None:
        """Ends its thread, which is waited for so long."""
        self._worker.close(wait_s)

    def _atoms(self, text: str) -> tuple[Atom, ...]:
        return self._loaded().atoms(text)

    def _loaded(self) -> Segmenter:
        if self._segmenter is None:
            try:
                self._segmenter = self._load()
            except BaseException as error:
                self._failures.lacking(error)
                raise
        return self._segmenter

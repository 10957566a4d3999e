"""The models beside the tagger: loaded beside everything else, given up where they keep failing."""

from __future__ import annotations

import asyncio
import logging
import math
import time
from collections.abc import Callable
from concurrent.futures import Future
from typing import Final, Generic, TypeVar

from msgspec import Struct

from daemon.compiler.calibration import Calibration, Curves
from daemon.compiler.drafting import Drafted, Drafting, Writing
from daemon.core.errors import HearkenError, ModelCorrupt, ModelLate
from daemon.system.worker import Worker
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized

IN_A_ROW: Final = 3
"""So often in a row a model fails before it is given up."""
REST_S: Final = 600.0
"""For so long; then it is tried once more."""
_Model = TypeVar("_Model")
_Told = TypeVar("_Told")


class Failures:
    """Keeps count of how one model fails, and logs each kind of failure once. Any thread.

    Args:
        name: What is said to fail: "the small model".
        without: What is done without it: "the grammar goes on alone".
        clock: Seconds that never go back.
    """

    def __init__(self, name: str, without: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._without = without
        self._clock = clock
        self._in_a_row = 0
        self._until = 0.0
        self._told: set[str] = set()
        self.problem: str | None = None
        """Why it is out of use, in one line; None while it is not."""

    @property
    def out(self) -> bool:
        """Whether it is not to be asked now."""
        return self.problem is not None and self._clock() < self._until

    def worked(self) -> None:
        """It did what it was asked: what failed before is forgiven."""
        self._in_a_row, self.problem = 0, None

    def failed(self, error: BaseException) -> None:
        """It failed at one utterance, or was too late."""
        self._in_a_row += 1
        if self._in_a_row < IN_A_ROW:
            self._say(type(error).__name__, f"{self._name} failed, this once {self._without}: {_why(error)}")
            return
        self.problem, self._until = _why(error), self._clock() + REST_S
        self._say(
            f"out: {type(error).__name__}",
            f"{self._name} is out of use for {REST_S / 60:.0f} minutes, {self._without}: {self.problem}",
        )

    def lacking(self, error: BaseException, *, for_good: bool = True) -> None:
        """It cannot be had: for good, or for a while, if what it needs may be there later."""
        self.problem, self._until = _why(error), math.inf if for_good else self._clock() + REST_S
        self._say("lacking", f"{self._name} is out of use, {self._without}: {self.problem}")

    def _say(self, kind: str, told: str) -> None:
        if kind not in self._told:
            self._told.add(kind)
            _LOG.warning("%s", told)


def _why(error: BaseException) -> str:
    return str(error) if isinstance(error, HearkenError) else f"{type(error).__name__}: {error}"


_LOG = logging.getLogger(__name__)


class Second(Struct, frozen=True):
    """A loaded decoder."""

    decoder: Writing
    curves: Curves | None = None
    """How sure it and the tagger are together; None: it can only object (`daemon/compiler/drafting.py`)."""


class Advice(Struct, frozen=True):
    """What it says of an utterance, and the curve for both."""

    drafted: Drafted
    curve: Calibration | None


class Adviser:
    """Asks the second model; loads it when it is first asked, in a thread of its own. To be asked from one thread.

    Args:
        load: Makes it, or None where there is none; may raise anything.
        drafting: Makes programs of its drafts.
        limit_s: So long it may take. Of loading, only the first who asks waits so long.
    """

    def __init__(self, load: Callable[[], Second | None], drafting: Drafting, limit_s: float) -> None:
        self._load = load
        self._drafting = drafting
        self._limit_s = limit_s
        self._worker = Worker("decoder")
        self._loading: Future[Second | None] | None = None
        self._none = self._waited = False
        self._failures = Failures("the decoder", "the tagger goes on alone")

    @property
    def problem(self) -> str | None:
        """Why it is out of use, in one line; None where it is not."""
        return self._failures.problem

    def prepare(self) -> Future[Second | None]:
        """What comes of loading it, which is begun if it was not yet."""
        if self._loading is None:
            self._loading = self._worker.submit(self._load)
        return self._loading

    def advice(self, said: Normalized, names: NameTable) -> Advice | None:
        """What it says; None where there is none yet or any more, or it takes too long.

        Never raises.
        """
        if self._none or self._failures.out:
            return None
        deadline = time.monotonic() + self._limit_s
        second = self._second()
        if second is None:
            return None
        try:
            drafted = self._drafting.written(second.decoder, said, names, deadline)
        except ModelLate:
            self._failures.failed(ModelLate(f"it took longer than {self._limit_s:.1f} s"))
        except Exception as error:  # noqa: BLE001 - a model may fail in any way; the tagger goes on without it
            self._failures.failed(error)
        else:
            self._failures.worked()
            return Advice(drafted, second.curves[said.lang] if second.curves is not None else None)
        return None

    def close(self, wait_s: float) -> None:
        """Ends its thread, which is waited for so long."""
        self._worker.close(wait_s)

    def _second(self) -> Second | None:
        """The model, once it is loaded; None before, and where there is none."""
        waits, self._waited = 0.0 if self._waited else self._limit_s, True
        try:
            second = self.prepare().result(waits)
        except TimeoutError:
            _LOG.debug("the decoder is still being loaded")
            return None
        except Exception as error:  # noqa: BLE001 - as above
            # llama-cpp-python may still be being built.
            self._loading, final = None, isinstance(error, ModelCorrupt)
            self._failures.lacking(error, for_good=final)
            return None
        self._none = second is None
        return second


_FIRST_LIMIT_S: Final = 5.0
"""The first time, the model is loaded."""


class Beside(Generic[_Model]):
    """A model beside the tagger, in a thread of its own: it is asked, and gone on without where it fails or is late.

    Args:
        load: Makes it; may raise anything.
        name: What is said to fail: "the segmenter".
        without: What is done without it.
        limit_s: So long it may take.
    """

    def __init__(self, load: Callable[[], _Model], name: str, without: str, limit_s: float) -> None:
        self._load = load
        self._limit_s = limit_s
        self._model: _Model | None = None
        self._worker = Worker(name.rsplit(maxsplit=1)[-1])
        self._failures = Failures(name, without)

    @property
    def problem(self) -> str | None:
        """Why it is out of use, in one line; None where it is not."""
        return self._failures.problem

    def prepare(self) -> Future[_Model]:
        """Begins to load the model; nobody waits for it."""
        return self._worker.submit(self._loaded)

    async def ask(self, work: Callable[[_Model], _Told], otherwise: _Told) -> _Told:
        """What comes of this work with the model; `otherwise` where there is none, or it fails. Never raises."""
        if self._failures.out:
            return otherwise
        limit = self._limit_s if self._model is not None else self._limit_s + _FIRST_LIMIT_S
        begun = self._worker.submit(lambda: work(self._loaded()))
        try:
            found = await asyncio.wait_for(asyncio.wrap_future(begun), limit)
        except TimeoutError:
            self._failures.failed(ModelLate(f"it took longer than {limit:.1f} s"))
            return otherwise
        except Exception as error:  # noqa: BLE001 - a model may fail in any way; the sentence is read without it
            if self._model is not None:
                self._failures.failed(error)
            return otherwise
        self._failures.worked()
        return found

    def close(self, wait_s: float) -> None:
        """Ends its thread, which is waited for so long."""
        self._worker.close(wait_s)

    def _loaded(self) -> _Model:
        if self._model is None:
            try:
                self._model = self._load()
            except BaseException as error:
                self._failures.lacking(error)
                raise
        return self._model

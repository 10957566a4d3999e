"""The second model in the house: loaded beside everything else, given up where it keeps failing, no reason to fail."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from daemon.compiler.calibration import Calibration, Curves
from daemon.compiler.drafting import Drafted, Drafting, Writing
from daemon.compiler.failures import Failures
from daemon.core.errors import ModelCorrupt, ModelLate
from daemon.system.worker import Worker
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Second:
    """A loaded decoder."""

    decoder: Writing
    curves: Curves | None = None
    """How sure it and the tagger are together; None: it can only object (`daemon/compiler/drafting.py`)."""


@dataclass(frozen=True, slots=True)
class Advice:
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

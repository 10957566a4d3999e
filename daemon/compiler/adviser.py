"""The second model in the house: loaded beside everything else, out of use once it fails, never a reason to fail."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass

from daemon.compiler.calibration import Calibration
from daemon.compiler.drafting import Drafted, Drafting, Writing
from daemon.errors import HearkenError, ModelLate
from daemon.understand.names import NameTable
from daemon.understand.normalize import Normalized
from daemon.worker import Worker

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Second:
    """A loaded decoder."""

    decoder: Writing
    calibration: Calibration | None = None
    """How sure it and the tagger are together; None: it can only object (`daemon/compiler/drafting.py`)."""


@dataclass(frozen=True, slots=True)
class Advice:
    """What it says of an utterance, and the curve for both."""

    drafted: Drafted
    calibration: Calibration | None


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
        self._late = self._out = False
        self.problem: str | None = None
        """Why it is out of use, in one line."""

    def advice(self, tagged: Drafted, said: Normalized, names: NameTable) -> Advice | None:
        """What it says, and of what the tagger says; None where there is none yet or any more, or it takes too long.

        Never raises.
        """
        if self._out:
            return None
        deadline, waits = time.monotonic() + self._limit_s, 0.0
        try:
            if self._loading is None:
                self._loading, waits = self._worker.submit(self._load), self._limit_s
            second = self._loading.result(waits)
            if second is not None:
                return Advice(self._drafting.written(second.decoder, tagged, said, names, deadline), second.calibration)
            self._out = True
        except TimeoutError:
            _LOG.debug("the decoder is still being loaded")
        except ModelLate:
            if not self._late:
                self._late = True
                _LOG.warning("the decoder took longer than %.1f s: the tagger goes on alone for so long", self._limit_s)
        except Exception as error:  # noqa: BLE001 - a model may fail in any way; the tagger goes on without it
            self._out, self._loading = True, None
            self.problem = str(error) if isinstance(error, HearkenError) else f"{type(error).__name__}: {error}"
            _LOG.warning("the decoder is out of use, the tagger goes on alone: %s", self.problem)
        return None

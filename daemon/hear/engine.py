"""A speech engine at work: in a thread of its own, for all who listen."""

from __future__ import annotations

import asyncio
import logging
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from msgspec import Struct

from daemon.core.errors import HearkenError
from daemon.hear.audio import Transcriber, Transcript

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_LOG = logging.getLogger(__name__)


class Recognized(Struct, frozen=True):
    """What became of one clip: `ms` is how long it took, waiting included; `problem` why there is no text."""

    transcript: Transcript
    ms: float
    problem: str | None = None


class Engine:
    """One transcriber, loaded once. Clips are heard one after the other, in the order in which they came."""

    def __init__(self, transcriber: Transcriber) -> None:
        self.name = transcriber.name
        self._transcriber = transcriber
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hear")

    async def transcribe(self, samples: NDArray[np.float32], lang: str) -> Recognized:
        """Mono float32 samples at 16 kHz to text; an engine that fails heard nothing, and says why."""
        loop = asyncio.get_running_loop()
        start = time.perf_counter()
        problem = None
        try:
            transcript = await loop.run_in_executor(self._thread, self._transcriber.transcribe, samples, lang)
        except HearkenError as error:
            _LOG.warning("%s could not hear this: %s", self.name, error)
            transcript, problem = Transcript((), lang, self.name), str(error)
        return Recognized(transcript, (time.perf_counter() - start) * 1000, problem)

    def close(self) -> None:
        """Ends the thread; what still waits is dropped."""
        self._thread.shutdown(wait=False, cancel_futures=True)

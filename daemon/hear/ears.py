"""From frames to what was said: the listener, an engine in a thread of its own, and the wait for the rest."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daemon.core.errors import HearkenError
from daemon.hear.listener import Expired, Listener, Opening, Paused, Utterance, Woken
from daemon.hear.transcript import Transcriber, Transcript

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from daemon.hear.microphone import FrameSource

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Heard:
    """One utterance as text.

    `ms` is what the engine took, most often while the end of the command was still awaited; `problem` says why there is
    no text, where the engine failed.
    """

    transcript: Transcript
    opening: Opening
    start_s: float
    end_s: float
    ms: float
    problem: str | None = None


@dataclass(frozen=True, slots=True)
class _Result:
    transcript: Transcript
    ms: float
    problem: str | None


class Ears:
    """Turns frames into what was said.

    Args:
        source: A microphone or a recording.
        listener: Decides what is an utterance.
        transcriber: The speech engine; it runs in a thread of its own.
        lang: The language to hear; may be set again at any time.
        incomplete: Whether a text so far breaks off ("turn on the"); then the speaker gets more time.
        notice: Told at once of `Woken` and `Expired` (a chime, a light).
    """

    def __init__(
        self,
        *,
        source: FrameSource,
        listener: Listener,
        transcriber: Transcriber,
        lang: str,
        incomplete: Callable[[str], bool] = lambda _text: False,
        notice: Callable[[Woken | Expired], None] = lambda _event: None,
    ) -> None:
        self.lang = lang
        self._source = source
        self._listener = listener
        self._transcriber = transcriber
        self._incomplete = incomplete
        self._notice = notice
        self._early: tuple[int | None, _Result] | None = None

    def mute(self) -> None:
        """Hearken speaks."""
        self._source.pause()
        self._listener.mute()

    def unmute(self) -> None:
        """Hearken has spoken."""
        self._listener.unmute()
        self._source.resume()

    def reopen(self, seconds: float) -> None:
        """Listens for an answer, without the wake word."""
        self._listener.reopen(seconds)

    def push_to_talk(self) -> None:
        """Listens now, without the wake word."""
        self._listener.push_to_talk()

    def skip(self, seconds: float) -> None:
        """A chime plays for so long: what the microphone hears of it is dropped."""
        self._listener.skip(seconds)

    async def utterances(self) -> AsyncIterator[Heard]:
        """Each utterance as text, until the source ends. An empty text means: sound, but no words."""
        with ThreadPoolExecutor(max_workers=1, thread_name_prefix="hear") as thread:
            async for frame in self._source:
                for event in self._listener.feed(frame):
                    if (heard := await self._on(event, thread)) is not None:
                        yield heard
            for event in self._listener.finish():
                if (heard := await self._on(event, thread)) is not None:
                    yield heard

    async def _on(self, event: Woken | Paused | Utterance | Expired, thread: ThreadPoolExecutor) -> Heard | None:
        if isinstance(event, (Woken, Expired)):
            self._notice(event)
            return None
        if isinstance(event, Paused):
            # What was said so far is heard while the silence is still awaited: most often it is all there will be.
            result = await self._transcribe(event.samples, thread)
            self._early = (event.number, result)
            if self._incomplete(result.transcript.text):
                self._listener.extend()
            return None
        early, self._early = self._early, None
        result = early[1] if early and early[0] == event.pause else await self._transcribe(event.samples, thread)
        return Heard(result.transcript, event.opening, event.start_s, event.end_s, result.ms, result.problem)

    async def _transcribe(self, samples: NDArray[np.float32], thread: ThreadPoolExecutor) -> _Result:
        loop = asyncio.get_running_loop()
        start = time.perf_counter()
        problem = None
        try:
            transcript = await loop.run_in_executor(thread, self._transcriber.transcribe, samples, self.lang)
        except HearkenError as error:
            log.warning("%s could not hear this: %s", self._transcriber.name, error)
            transcript, problem = Transcript((), self.lang, self._transcriber.name), str(error)
        return _Result(transcript, (time.perf_counter() - start) * 1000, problem)

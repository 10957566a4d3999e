"""One connection with a Wyoming satellite, from run-satellite to its end."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from typing import TYPE_CHECKING, Final

import numpy as np

from daemon.hear.audio import SAMPLE_RATE
from daemon.hear.ears import Ears
from daemon.hear.listener import Expired, Listener, Woken
from daemon.hear.microphone import FrameQueue
from daemon.satellites.link import LinkLost, decoded
from daemon.satellites.sound import Sound, chunks

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from wyoming.event import Event

    from daemon.hear.detectors import WakeDetector
    from daemon.hear.ears import Heard
    from daemon.satellites.link import Link
    from daemon.satellites.remote import Hearing
    from daemon.speak.voice import Speech

_LOG = logging.getLogger(__name__)
_QUIET: Final = np.zeros(round(2.5 * SAMPLE_RATE), np.float32)
"""More than ends any utterance: who stops sending is silent."""
_SLACK_S: Final = 0.5
"""So long after its last sample a reply has been heard, where the satellite does not tell that it was played."""
_LATE_S: Final = 5.0
"""So long it is waited for where it tells."""


class Session:
    """What is going on between a satellite and Hearken. `read` runs beside whoever takes the utterances.

    Args:
        link: Open, and nothing sent yet.
        hearing: What listens; None: it only speaks.
        answered: Called when the satellite has answered for the first time.
    """

    def __init__(self, link: Link, hearing: Hearing | None, answered: Callable[[], None]) -> None:
        self.wakes_itself = False
        """Whether it listens for the wake word: then it sends sound only from there on, until it is shown a text."""
        self._link = link
        self._hearing = hearing
        self._answered = answered
        self._wake = _Wake()
        self._sound = Sound()
        self._frames = _Frames(self._spoke)
        self._ears = None if hearing is None else self._make(hearing)
        self._speech = False
        self._played = asyncio.Event()
        self._tells_played = False
        self._over = asyncio.Event()
        self._cut = asyncio.Event()
        """Nobody listens to the reply any more: the wake word was heard in the midst of it, or the connection ended."""

    @property
    def listens(self) -> bool:
        """Whether what is said would be taken as a command now."""
        return self._ears is not None and self._ears.listener.is_open

    async def utterances(self) -> AsyncGenerator[Heard]:
        """What is said, until the connection ends.

        Raises:
            AudioError: it has ended.
        """
        if self._ears is None:
            await self._over.wait()
            return
        async for heard in self._ears.utterances():
            self._spoke()
            yield heard

    async def read(self) -> None:
        """Takes what comes, until the connection ends.

        Raises:
            LinkLost: how it ended.
        """
        from wyoming.info import Describe
        from wyoming.satellite import RunSatellite

        try:
            await self._link.send(RunSatellite())
            await self._link.send(Describe())
            await self._take(await self._link.read())
            self._answered()
            while True:
                await self._take(await self._link.read())
        except LinkLost as error:
            self._frames.fail(error)
            raise
        finally:
            self._frames.fail(LinkLost("the connection failed"))
            self._over.set()
            self._cut.set()

    def end(self) -> None:
        """Says goodbye, if anybody is there."""
        from wyoming.satellite import PauseSatellite

        self._link.tell(PauseSatellite())

    def understood(self, text: str) -> None:
        """Shows what was understood; a satellite that sent sound after its wake word sends no more."""
        from wyoming.asr import Transcript

        self._link.tell(Transcript(text))

    def announce(self, text: str, lang: str) -> None:
        """Shows what is about to be said."""
        from wyoming.tts import Synthesize, SynthesizeVoice

        self._link.tell(Synthesize(text, voice=SynthesizeVoice(language=lang)))

    def reopen(self, seconds: float) -> None:
        """Listens for an answer, without the wake word."""
        if self._ears is not None:
            self._ears.reopen(seconds)

    async def play(self, speech: Speech) -> None:
        """Returns when it has been heard, or cut off; meanwhile nothing is taken from the microphone.

        Raises:
            LinkLost: the connection ended before.
        """
        loop = asyncio.get_running_loop()
        if self._ears is not None:
            self._ears.mute()
        try:
            until = loop.time() + speech.seconds
            self._played.clear()
            if not self._over.is_set():
                self._cut.clear()
            for item in chunks(speech):
                await self._link.send(item)
            # A tone that it plays on its own may be told of as well: nothing is heard faster than it is said.
            await self._any_within(until - loop.time(), self._cut)
            await self._any_within(_LATE_S if self._tells_played else _SLACK_S, self._cut, self._played)
        finally:
            if self._ears is not None:
                self._ears.unmute()
        if self._over.is_set():
            raise LinkLost("it went away while it spoke")

    @staticmethod
    async def _any_within(seconds: float, *events: asyncio.Event) -> None:
        waiting = [asyncio.create_task(item.wait()) for item in events]
        await asyncio.wait(waiting, timeout=max(0.0, seconds), return_when=asyncio.FIRST_COMPLETED)
        for task in waiting:
            task.cancel()

    def _make(self, hearing: Hearing) -> Ears:
        return Ears(
            source=self._frames,
            listener=Listener(hearing.vad(), self._wake),
            engine=hearing.engine,
            lang=hearing.lang,
            incomplete=hearing.incomplete,
            notice=self._noticed,
        )

    async def _take(self, event: Event) -> None:
        from wyoming.audio import AudioChunk, AudioStop
        from wyoming.ping import Ping, Pong
        from wyoming.pipeline import PipelineStage, RunPipeline
        from wyoming.snd import Played
        from wyoming.wake import Detection

        if AudioChunk.is_type(event.type):
            if self._ears is not None:
                self._frames.take(self._sound.samples(decoded(AudioChunk, event)))
        elif RunPipeline.is_type(event.type):
            stage = decoded(RunPipeline, event).start_stage
            if stage is PipelineStage.ASR:
                self._woken()
            elif stage is PipelineStage.WAKE:
                await self._listen_for_wake()
        elif Detection.is_type(event.type):
            self._woken()
        elif AudioStop.is_type(event.type):
            self._frames.take(_QUIET)
        elif Played.is_type(event.type):
            self._tells_played = True
            self._played.set()
        elif Ping.is_type(event.type):
            self._link.tell(Pong(text=decoded(Ping, event).text))

    def _woken(self) -> None:
        """It heard its wake word: what comes now is the command."""
        self.wakes_itself = True
        self._wake.detector = None
        if self._ears is not None and self._hearing is not None:
            self._cut.set()
            self._frames.clear()
            self._frames.resume()
            self._ears.listener.wake()
            self._listens(self._hearing.lang)

    async def _listen_for_wake(self) -> None:
        """It streams: the wake word is to be heard here."""
        self.wakes_itself = False
        if self._wake.detector is None and self._hearing is not None:
            self._wake.detector = await asyncio.to_thread(self._hearing.wake)

    def _noticed(self, event: Woken | Expired) -> None:
        from wyoming.wake import Detection

        if isinstance(event, Expired):
            self.understood("")  # nobody spoke: it need not light up any longer
        elif self._hearing is not None:
            self._link.tell(Detection(name=event.word))
            self._listens(self._hearing.lang)

    def _listens(self, lang: str) -> None:
        from wyoming.asr import Transcribe

        self._link.tell(Transcribe(language=lang))

    def _spoke(self) -> None:
        """A frame was listened to."""
        from wyoming.vad import VoiceStarted, VoiceStopped

        assert self._ears is not None
        if self._ears.listener.hears_speech != self._speech:
            self._speech = not self._speech
            self._link.tell(VoiceStarted() if self._speech else VoiceStopped())


class _Frames(FrameQueue):
    """The frames of a satellite; `after` is called when one has been listened to."""

    def __init__(self, after: Callable[[], None]) -> None:
        super().__init__()
        self._after = after

    async def __aiter__(self) -> AsyncIterator[NDArray[np.float32]]:
        async for frame in FrameQueue.__aiter__(self):
            yield frame
            self._after()


class _Wake:
    """A wake word that is listened for here, or not."""

    def __init__(self) -> None:
        self.detector: WakeDetector | None = None

    def feed(self, frame: NDArray[np.float32]) -> str | None:
        """The word that was just completed, or None."""
        return self.detector.feed(frame) if self.detector is not None else None

    def reset(self) -> None:
        """Forgets what it heard."""
        if self.detector is not None:
            self.detector.reset()

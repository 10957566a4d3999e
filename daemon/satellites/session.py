"""One connection with a Wyoming satellite, from run-satellite to its end."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable
from typing import TYPE_CHECKING, Final

from daemon.hear.listener import Expired, Outdone, Woken
from daemon.satellites.hearing import QUIET, Frames, Wake, any_within
from daemon.satellites.link import Link, LinkLost, decoded
from daemon.satellites.sound import Sound, chunks
from daemon.speak.voice import NO_MORE, at_rate

if TYPE_CHECKING:
    from wyoming.event import Event, Eventable

    from daemon.hear.ears import Heard
    from daemon.home.config import Server
    from daemon.satellites.hearing import Hearing
    from daemon.satellites.satellite import TimerNews
    from daemon.speak.voice import Speech

_LOG = logging.getLogger(__name__)
_SLACK_S: Final = 0.5
"""So long after its last sample a reply has been heard, where the satellite does not tell that it was played."""
_AHEAD_S: Final = 0.75
"""So much of a reply a satellite has got before it is heard: radio stumbles."""
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
        self._wake = Wake()
        self._sound = Sound()
        self._frames = Frames(self._spoke)
        self._ears = None if hearing is None else hearing.ears(self._frames, self._wake, self._noticed)
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

    @classmethod
    @contextlib.asynccontextmanager
    async def connected(
        cls, server: Server, hearing: Hearing | None, answered: Callable[[], None]
    ) -> AsyncIterator[Session]:
        """One connection.

        Raises:
            LinkLost: nobody answers there; or, on leaving, how it ended.
        """
        link = await Link.to(server)
        session = cls(link, hearing, answered)
        reading = asyncio.create_task(session.read())
        try:
            yield session
            await reading
        finally:
            session.end()
            reading.cancel()
            await asyncio.gather(reading, return_exceptions=True)
            await link.close()

    def end(self) -> None:
        """Says goodbye, if anybody is there."""
        from wyoming.satellite import PauseSatellite

        self._link.tell(PauseSatellite())

    def understood(self, text: str, *, asks: bool = False) -> None:
        """Shows what was understood; a satellite that sent sound after its wake word sends no more."""
        from wyoming.asr import Transcript

        if not (asks and self.wakes_itself):  # it goes on listening until it is shown a text
            self._link.tell(Transcript(text))

    def timer(self, news: TimerNews) -> None:
        """Shows what became of a timer."""
        from wyoming import timer

        left = round(news.left_s)
        told: dict[str, Eventable] = {
            "started": timer.TimerStarted(news.id, left, news.name),
            "updated": timer.TimerUpdated(news.id, news.active, left),
            "cancelled": timer.TimerCancelled(news.id),
            "finished": timer.TimerFinished(news.id),
        }
        self._link.tell(told[news.kind])

    def announce(self, text: str, lang: str) -> None:
        """Shows what is about to be said."""
        from wyoming.tts import Synthesize, SynthesizeVoice

        self._link.tell(Synthesize(text, voice=SynthesizeVoice(language=lang)))

    def reopen(self, seconds: float) -> None:
        """Listens for an answer, without the wake word."""
        if self._ears is not None:
            self._ears.reopen(seconds)

    async def play(self, speech: Speech, more: AsyncIterable[Speech] = NO_MORE) -> None:
        """Returns when it has been heard, or cut off; meanwhile nothing is taken from the microphone.

        Raises:
            LinkLost: the connection ended before.
        """
        loop = asyncio.get_running_loop()
        if self._ears is not None:
            self._ears.mute()
        try:
            self._played.clear()
            if not self._over.is_set():
                self._cut.clear()
            until = await self._send(speech, more)
            # A tone that it plays on its own may be told of as well: nothing is heard faster than it is said.
            await any_within(until - loop.time(), self._cut)
            await any_within(_LATE_S if self._tells_played else _SLACK_S, self._cut, self._played)
        finally:
            if self._ears is not None:
                self._ears.unmute()
        if self._over.is_set():
            raise LinkLost("it went away while it spoke")

    async def _send(self, speech: Speech, more: AsyncIterable[Speech]) -> float:
        """Sends sound hardly faster than it is heard, so that a satellite has little left to say when it is cut off.

        Returns when all of it has been heard, in seconds of the loop.
        """
        from wyoming.audio import AudioStart, AudioStop

        rate, loop = speech.rate, asyncio.get_running_loop()
        await self._link.send(AudioStart(rate=rate, width=2, channels=1, timestamp=0))
        until, sent = await self._follow(speech, loop.time(), 0.0)
        async for item in more:
            if self._cut.is_set():
                break
            until, sent = await self._follow(at_rate(item, rate), max(until, loop.time()), sent)
        await self._link.send(AudioStop(timestamp=round(1000 * sent)))
        return until

    async def _follow(self, speech: Speech, begins: float, sent: float) -> tuple[float, float]:
        """Sends a piece that begins then; when it has been heard, and seconds that were sent in all."""
        loop = asyncio.get_running_loop()
        for item in chunks(speech, sent):
            if self._cut.is_set():
                break
            await self._link.send(item)
            begins, sent = begins + item.seconds, sent + item.seconds
            if (early := begins - _AHEAD_S - loop.time()) > 0:
                await any_within(early, self._cut)
        return begins, sent

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
            run = decoded(RunPipeline, event)
            if run.start_stage is PipelineStage.ASR:
                self._woken(run.wake_word_name)
            elif run.start_stage is PipelineStage.WAKE:
                await self._listen_for_wake()
        elif Detection.is_type(event.type):
            self._woken(decoded(Detection, event).name)
        elif AudioStop.is_type(event.type):
            self._frames.take(QUIET)
        elif Played.is_type(event.type):
            self._tells_played = True
            self._played.set()
        elif Ping.is_type(event.type):
            self._link.tell(Pong(text=decoded(Ping, event).text))

    def _woken(self, word: object) -> None:
        """It heard its wake word: what comes now is the command. Some tell of it twice, once by name."""
        self.wakes_itself = True
        self._wake.detector = None
        if self._ears is None or self._hearing is None:
            return
        if self._ears.listener.is_open and self._hearing.tally.just:
            if word:
                self._ears.attend(str(word))
        else:
            self._hearing.tally.woken()
            self._cut.set()
            self._frames.clear()
            self._frames.resume()
            self._ears.wake(str(word or ""))
        self._listens()

    async def _listen_for_wake(self) -> None:
        """It streams: the wake word is to be heard here."""
        self.wakes_itself = False
        if self._wake.detector is None and self._hearing is not None:
            self._wake.detector = await asyncio.to_thread(self._hearing.wake)

    def _noticed(self, event: Woken | Expired | Outdone) -> None:
        from wyoming.wake import Detection

        if not isinstance(event, Woken):
            self.understood("")  # nobody spoke, or not to this one: it need not light up any longer
        else:
            self._link.tell(Detection(name=event.word))
            self._listens()

    def _listens(self) -> None:
        from wyoming.asr import Transcribe

        if self._ears is not None:
            self._link.tell(Transcribe(language=self._ears.speaks.lang))

    def _spoke(self) -> None:
        """A frame was listened to."""
        from wyoming.vad import VoiceStarted, VoiceStopped

        assert self._ears is not None
        if self._ears.listener.hears_speech != self._speech:
            self._speech = not self._speech
            self._link.tell(VoiceStarted() if self._speech else VoiceStopped())

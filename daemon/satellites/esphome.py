"""What is going on between an ESPHome box and Hearken: runs of its voice assistant, and what is played there.

A run is one command: the box asks for it (its wake word, a button, an answer to a question), sends sound, is told stage
by stage what becomes of it, and plays the reply. What it plays otherwise is an announcement.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable
from typing import TYPE_CHECKING, Any, Final

from daemon.core.questions import EXPIRY_S
from daemon.hear.audio import from_pcm16, resample, to_pcm16
from daemon.hear.listener import Expired, Outdone, Woken
from daemon.satellites.box import Box
from daemon.satellites.hearing import QUIET, Frames, Hearing, Wake, any_within
from daemon.satellites.link import LinkLost
from daemon.speak.encoded import encoded
from daemon.speak.voice import NO_MORE, joined

if TYPE_CHECKING:
    from daemon.hear.ears import Heard
    from daemon.home.config import EspHome
    from daemon.home.secrets import Secret
    from daemon.satellites.clips import Clips
    from daemon.satellites.satellite import TimerNews
    from daemon.speak.voice import Speech

_SLACK_S: Final = 0.5
"""So long after its end a reply has been heard, where the box does not tell that it was played."""
_LATE_S: Final = 10.0
"""So long it is waited for where it tells."""
_BUSY_S: Final = 20.0
"""So long an announcement waits while somebody speaks to the box."""
_PIECE: Final = 1_024
"""Bytes of sound in one message, as its firmware takes them; 32 ms."""
_AHEAD: Final = 0.9
"""A piece is sent after this share of the one before it: a box has room for half a second."""


class Session:
    """One connection with a box.

    Args:
        box: Connected, and not yet listened to.
        hearing: What listens; None: it only speaks.
        clips: Where it fetches what it is to play.
    """

    def __init__(self, box: Box, hearing: Hearing | None, clips: Clips) -> None:
        self._box = box
        self._hearing = hearing
        self._clips = clips
        self._wake = Wake()
        self._frames = Frames(self._spoke)
        self._ears = None if hearing is None else hearing.ears(self._frames, self._wake, self._noticed)
        self._run: object | None = None
        self._turn: object | None = None
        """The run whose command is being carried out, or whose reply is being said."""
        self._free = asyncio.Event()
        """Nobody is speaking to it."""
        self._free.set()
        self._speech = False
        self._asks = False
        self._text = ""
        self._played = asyncio.Event()
        self._cut = asyncio.Event()
        """Nobody listens to the reply any more: somebody speaks to the box again, or it has gone."""

    @classmethod
    @contextlib.asynccontextmanager
    async def connected(
        cls,
        place: EspHome,
        key: Callable[[], Secret | None],
        clips: Clips,
        hearing: Hearing | None,
        answered: Callable[[], None],
    ) -> AsyncIterator[Session]:
        """One connection.

        Raises:
            HearkenError: nobody answers there, or the key cannot be had; or, on leaving, how it ended.
        """
        secret = await asyncio.to_thread(key)
        async with Box.connected(place.server, secret) as box:
            box.ability.check()
            session = cls(box, hearing, clips)
            box.listen(
                handle_start=session._started,
                handle_stop=session._stopped,
                handle_audio=session._sounded,
                handle_announcement_finished=session._finished,
            )
            answered()
            ending = asyncio.create_task(session._until_lost())
            try:
                yield session
                await ending
                raise LinkLost(box.why)
            finally:
                ending.cancel()

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
            await self._box.lost.wait()
            return
        async for heard in self._ears.utterances():
            self._spoke()
            self._turn = run = self._run
            self._free.set()
            if run is not None and heard.transcript.text:
                self._box.tell("STT_END", text=heard.transcript.text)
                self._box.tell("INTENT_START")
            yield heard
            self._turn = None
            self._end(run)

    def understood(self, text: str, *, asks: bool) -> None:
        """Shows what became of the command; where an answer is awaited, the box listens for it after the reply."""
        if self._turn is None or self._turn is not self._run:
            return
        if not text:
            self._box.tell("ERROR", code="stt-no-text-recognized", message="No words were heard")
            self._end(self._turn)
            return
        self._asks = asks
        self._box.tell("INTENT_END", conversation_id=self._box.ability.name, continue_conversation=str(int(asks)))

    def announce(self, text: str, lang: str) -> None:  # noqa: ARG002 - a box shows every language alike
        """It will be shown when it is said."""
        self._text = text

    async def play(self, speech: Speech, more: AsyncIterable[Speech] = NO_MORE) -> None:
        """Returns when it has been heard, or cut off; as the reply of a run, or as an announcement.

        Raises:
            LinkLost: the connection ended before, or it cannot be played there now.
        """
        if not self._free.is_set():
            if self._turn is not None:
                raise LinkLost("somebody speaks to it again, so that the reply is not said")
            await any_within(_BUSY_S, self._free, self._box.lost)
        run = self._run
        if not self._free.is_set() or self._box.lost.is_set():
            raise LinkLost("is in use, or away")
        if self._ears is not None:
            self._ears.mute()
        try:
            await self._say(await joined(speech, more), run)
        finally:
            if self._ears is not None:
                self._ears.unmute()
        if self._box.lost.is_set():
            raise LinkLost("it went away while it spoke")

    def reopen(self, seconds: float) -> None:
        """The box listens for an answer by itself: it was told so."""

    def timer(self, news: TimerNews) -> None:
        """Shows what became of a timer; when it is over, the box rings."""
        if self._box.ability.timers:
            self._box.timer(news)

    async def _say(self, speech: Speech, run: object | None) -> None:
        ability = self._box.ability
        self._played.clear()
        self._cut.clear()
        container, rate, channels = ability.clip or ("wav", 0, 1)
        data = await asyncio.to_thread(encoded, speech, container, rate or speech.rate, channels)
        with self._clips.served(await self._clips.base(self._box.peer), data, container) as clip:
            if self._cut.is_set():
                return  # meanwhile somebody has begun to speak to it again, or it has gone
            if run is None and ability.announces:
                await self._box.announce(clip.url, self._text, speech.seconds, asks=self._asks)
            elif run is None and not ability.speaks:
                raise LinkLost("its firmware takes no announcements")
            else:
                self._box.tell("TTS_START", text=self._text)
                self._box.tell("TTS_END", url=clip.url)
                if ability.speaks:
                    await self._stream(speech)
                self._end(run)
                rest = (1 - _AHEAD if ability.speaks else 1) * speech.seconds
                await any_within(rest + (_LATE_S if ability.announces else _SLACK_S), self._cut, self._played)
            if not (clip.fetched or ability.speaks or self._cut.is_set()):
                raise LinkLost(f"it did not fetch what it was to say: can it reach {clip.url.rpartition('/')[0]}?")

    async def _stream(self, speech: Speech) -> None:
        """Sends a reply as sound, about as fast as it is heard."""
        data = to_pcm16(await asyncio.to_thread(resample, speech.samples, speech.rate))
        self._box.tell("TTS_STREAM_START")
        for at in range(0, len(data), _PIECE):
            self._box.send(data[at : at + _PIECE])
            await any_within(_AHEAD * _PIECE / 32_000, self._cut)
            if self._cut.is_set():
                break
        self._box.tell("TTS_STREAM_END")

    async def _until_lost(self) -> None:
        await self._box.lost.wait()
        self._cut.set()
        self._free.set()
        self._frames.fail(LinkLost(self._box.why))

    async def _started(self, _conversation: str, flags: int, _settings: Any, word: str | None) -> int | None:
        """A run begins. The port is that for sound by UDP, which nobody wants any more."""
        from aioesphomeapi import VoiceAssistantCommandFlag

        if self._ears is None or self._hearing is None:
            return None
        here = bool(flags & VoiceAssistantCommandFlag.USE_WAKE_WORD)
        self._wake.detector = await asyncio.to_thread(self._hearing.wake) if here else None
        await self._stopped(aborted=True)  # whatever was going on
        self._ears.unmute()
        self._run = object()
        self._speech = False
        self._box.tell("RUN_START")
        if here:
            self._box.tell("WAKE_WORD_START")
        else:
            self._free.clear()
            self._box.tell("STT_START")
            if self._asks and not word:
                self._ears.reopen(EXPIRY_S)
            else:
                if word:  # else a button was pressed
                    self._hearing.tally.woken()
                self._ears.wake(word or "")
        self._asks = False
        return 0

    async def _stopped(self, aborted: bool) -> None:  # noqa: FBT001 - the library calls it so
        if not aborted:
            self._frames.take(QUIET)
            return
        self._run = None
        self._free.set()
        self._cut.set()
        self._frames.clear()
        if self._ears is not None:
            self._ears.dismiss()

    async def _sounded(self, data: bytes, _second: bytes | None) -> None:
        if len(data) % 2:
            self._box.fail("it sends half a sample")
        elif self._run is not None:
            self._frames.take(from_pcm16(data))

    async def _finished(self, _done: Any) -> None:
        self._played.set()

    def _noticed(self, event: Woken | Expired | Outdone) -> None:
        if isinstance(event, Woken):
            self._free.clear()
            self._box.tell("WAKE_WORD_END")
            self._box.tell("STT_START")
            return
        self._speech = False
        if isinstance(event, Outdone):
            self._box.tell("ERROR", code="duplicate_wake_up_detected", message="Another one heard it better")
        else:
            self._box.tell("ERROR", code="stt-no-text-recognized", message="Nobody spoke")
        self._end(self._run)

    def _end(self, run: object | None) -> None:
        """That is all of this run."""
        if run is not None and run is self._run:
            self._run = None
            self._free.set()
            self._box.tell("RUN_END")

    def _spoke(self) -> None:
        """A frame was listened to."""
        assert self._ears is not None
        listener = self._ears.listener
        if listener.hears_speech and not self._speech:
            self._speech = True
            self._box.tell("STT_VAD_START")
        elif self._speech and not listener.is_open:
            self._speech = False
            self._box.tell("STT_VAD_END")

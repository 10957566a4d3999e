"""Others' recognition and voices by Wyoming, such as a bigger machine in the house has; ours where they fail."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from daemon.core.errors import AudioError, TranscriptionError
from daemon.hear.audio import SAMPLE_RATE, Hypothesis, Roles, Transcriber, Transcript, from_pcm16, level
from daemon.hear.detectors import SileroVad, speech_seconds
from daemon.hear.whisper import MIN_LEVEL, MIN_SPEECH, is_hallucination, simplified
from daemon.satellites.link import Link, LinkLost, ask, decoded, describe, until
from daemon.satellites.sound import RATES, events
from daemon.speak.voice import Speech
from daemon.system.languages import LANGS, engines

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from daemon.home.config import Server

_LOG = logging.getLogger(__name__)
REST_S: Final = 30.0
"""So long after a failure a peer is not asked: nobody is to wait for it with every sentence."""
UNTOLD: Final = 0.8
"""The confidence of a text whose recogniser told none: enough to act on what is clear, and less than certain."""
_MOST_NAMES: Final = 200

T = TypeVar("T")


class Peer:
    """One server of somebody else. Blocking; any thread may ask."""

    def __init__(self, server: Server, limit_s: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._server = server
        self._limit_s = limit_s
        self._clock = clock
        self._rests_until = 0.0
        self._failed = False

    def __str__(self) -> str:
        return f"wyoming {self._server}"

    def ask(self, question: Callable[[Link], Awaitable[T]]) -> T:
        """The answer to a question; says once when the peer fails, and once when it is back.

        Raises:
            LinkLost: there is none, or it has failed just now.
        """
        if self._clock() < self._rests_until:
            raise LinkLost(f"{self._server} has just failed")
        try:
            # In a thread of ours, which has no loop.
            answer = asyncio.run(ask(self._server, question, self._limit_s))
        except LinkLost as error:
            self._rests_until = self._clock() + REST_S
            if not self._failed:
                _LOG.warning("%s fails, so our own is used: %s", self, error)
            self._failed = True
            raise
        if self._failed:
            _LOG.info("%s is back", self)
        self._failed = False
        return answer


class PeerTranscriber:
    """A `Transcriber` that asks a peer, and our own engine (None: there is none) where that fails."""

    def __init__(self, peer: Peer, own: Transcriber | None, lang: str) -> None:
        self.name = str(peer) if own is None else f"{peer}, else {own.name}"
        self.languages = frozenset({lang}) if own is None else own.languages | {lang}
        self._peer = peer
        self._own = own
        self._vad = SileroVad()
        self._names: list[str] = []

    def prepare(self, names: Sequence[str], roles: Roles | None = None) -> None:
        """Takes the home's names."""
        self._names = list(names)[:_MOST_NAMES]
        if self._own is not None:
            self._own.prepare(names, roles)

    def transcribe(self, samples: NDArray[np.float32], lang: str) -> Transcript:
        """Mono float32 samples at 16 kHz to text; no hypothesis where nobody speaks."""
        if level(samples) < MIN_LEVEL or speech_seconds(samples, self._vad) < MIN_SPEECH:
            return Transcript((), lang, str(self._peer))
        try:
            text = self._peer.ask(lambda link: self._text(link, samples, lang))
        except LinkLost as error:
            if self._own is None:
                raise TranscriptionError(f"{self._peer}: {error}") from None
            return self._own.transcribe(samples, lang)
        text = " ".join(text.split())
        if engines()[lang].simplified:
            text = simplified(text)
        made_up = not text or is_hallucination(text)
        return Transcript(() if made_up else (Hypothesis(text, UNTOLD),), lang, str(self._peer))

    async def _text(self, link: Link, samples: NDArray[np.float32], lang: str) -> str:
        from wyoming.asr import Transcribe, Transcript

        await link.send(Transcribe(language=lang, transcript_names=self._names))
        for item in events(Speech(samples, SAMPLE_RATE)):
            await link.send(item)
        return str(decoded(Transcript, await until(link, Transcript.is_type)).text)


class PeerVoice:
    """A `Voice` that a peer has. Which languages it speaks, it says only when it is asked."""

    languages = frozenset(LANGS)

    def __init__(self, peer: Peer) -> None:
        self.name = str(peer)
        self._peer = peer

    def synthesize(self, text: str, lang: str) -> Speech:
        """Says a text.

        Raises:
            AudioError: the peer failed, or has no voice for this language.
        """
        return self._peer.ask(lambda link: self._speech(link, text, lang))

    async def _speech(self, link: Link, text: str, lang: str) -> Speech:
        from wyoming.audio import AudioChunk, AudioStop
        from wyoming.tts import Synthesize, SynthesizeVoice

        told = await describe(link)
        named = [item for program in told.tts if program.installed for item in program.voices if item.installed]
        spoken = [item.name for item in named if any(_same(lang, other) for other in item.languages)]
        if named and not spoken:
            raise AudioError(f"{self.name} has no voice for {lang!r}")
        await link.send(Synthesize(text, voice=SynthesizeVoice(name=spoken[0]) if spoken else None))
        pieces: list[bytes] = []
        rate = 0
        while not AudioStop.is_type((event := await until(link, lambda name: name.startswith("audio-"))).type):
            if AudioChunk.is_type(event.type):
                chunk = decoded(AudioChunk, event)
                if (chunk.width, chunk.channels) != (2, 1) or chunk.rate not in RATES:
                    raise LinkLost("its sound is not 16-bit mono")
                rate = chunk.rate
                pieces.append(chunk.audio)
        sound = b"".join(pieces)
        if not sound or len(sound) % 2:
            raise LinkLost("it said nothing")
        return Speech(from_pcm16(sound), rate)


def _same(lang: str, other: object) -> bool:
    """Whether "en" is the language of "en_GB"."""
    return str(other).casefold().replace("_", "-").split("-")[0] == lang

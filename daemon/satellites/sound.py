"""Sound as Wyoming sends it, and as Hearken takes it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from daemon.hear.audio import SAMPLE_RATE, from_pcm16
from daemon.satellites.link import MALFORMED, LinkLost, reason

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray
    from wyoming.audio import AudioChunk
    from wyoming.event import Eventable

    from daemon.speak.voice import Speech

RATES: Final = range(4_000, 192_001)
"""Samples per second that there are."""
_MOST_WIDE: Final = 4
_CHUNK: Final = 2_048
"""Bytes of sound in one event, as most send it."""


class Sound:
    """Chunks of any format as samples, one stream after the other."""

    def __init__(self) -> None:
        from wyoming.audio import AudioChunkConverter

        self._converter = AudioChunkConverter(rate=SAMPLE_RATE, width=2, channels=1)

    def samples(self, chunk: AudioChunk) -> NDArray[np.float32]:
        """Mono float32 samples at 16 kHz.

        Raises:
            LinkLost: it is no sound.
        """
        try:
            if chunk.rate not in RATES or not 0 < chunk.width <= _MOST_WIDE or chunk.channels not in (1, 2):
                raise LinkLost("it sends sound of a format that there is not")
            return from_pcm16(self._converter.convert(chunk).audio)
        except _broken() as error:
            raise LinkLost(f"it sends broken sound ({reason(error)})") from None


def _broken() -> tuple[type[Exception], ...]:
    """What the converter raises, also where a chunk is cut in the middle of a sample."""
    from wyoming import audio

    return (*MALFORMED, ArithmeticError, getattr(vars(audio)["audioop"], "error", ValueError))


def events(speech: Speech) -> Iterator[Eventable]:
    """Sound as events: audio-start, audio-chunk ..., audio-stop."""
    from wyoming.audio import AudioStart, AudioStop

    yield AudioStart(rate=speech.rate, width=2, channels=1, timestamp=0)
    yield from chunks(speech)
    yield AudioStop(timestamp=round(1000 * speech.seconds))


def chunks(speech: Speech, after_s: float = 0.0) -> Iterator[AudioChunk]:
    """Sound as audio-chunk ..., behind so many seconds of it."""
    from wyoming.audio import AudioChunk

    data = speech.to_pcm16()
    for at in range(0, len(data), _CHUNK):
        moment = round(1000 * after_s) + at * 500 // speech.rate
        yield AudioChunk(rate=speech.rate, width=2, channels=1, audio=data[at : at + _CHUNK], timestamp=moment)

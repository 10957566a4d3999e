"""Speech as a file of sound, as who plays it wants it."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Final

import numpy as np

from daemon.core.errors import AudioError

if TYPE_CHECKING:
    import av

    from daemon.speak.voice import Speech

_CODECS: Final = {"wav": "pcm_s16le", "flac": "flac"}


def encoded(speech: Speech, container: str, rate: int, channels: int) -> bytes:
    """A "wav" or "flac" file of 16-bit samples, `rate` per second, for one or two channels. Blocking.

    Raises:
        AudioError: there is no such file.
    """
    import av

    layout = "mono" if channels == 1 else "stereo"
    buffer = io.BytesIO()
    try:
        frame = av.AudioFrame.from_ndarray(np.ascontiguousarray(speech.samples)[None, :], format="flt", layout="mono")
        frame.sample_rate = speech.rate
        resampler = av.AudioResampler(format="s16", layout=layout, rate=rate)
        with av.open(buffer, mode="w", format=container) as file:
            stream: av.AudioStream = file.add_stream(_CODECS[container], rate=rate, layout=layout)  # type: ignore[assignment]
            for piece in [*resampler.resample(frame), *resampler.resample(None), None]:
                file.mux(stream.encode(piece))
    except (av.FFmpegError, ValueError) as error:
        raise AudioError(f"a reply cannot be written as {container} with {rate} samples a second ({error})") from None
    return buffer.getvalue()

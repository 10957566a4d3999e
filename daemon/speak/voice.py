"""What a voice gives: sound for a sentence."""

from __future__ import annotations

import io
import wave
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np

from daemon.core.errors import AudioError

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Speech:
    """Mono float32 samples in -1 to 1 at `rate` Hz."""

    samples: NDArray[np.float32]
    rate: int

    @property
    def seconds(self) -> float:
        """How long it takes to say."""
        return len(self.samples) / self.rate

    def to_pcm16(self) -> bytes:
        """Little-endian 16-bit integers."""
        return (np.clip(self.samples, -1.0, 1.0) * 32767.0).astype("<i2").tobytes()

    def to_wav(self) -> bytes:
        """A WAV file."""
        buffer = io.BytesIO()
        with wave.open(buffer, "wb") as file:
            file.setnchannels(1)
            file.setsampwidth(2)
            file.setframerate(self.rate)
            file.writeframes(self.to_pcm16())
        return buffer.getvalue()

    @classmethod
    def from_wav(cls, path: Path) -> Speech:
        """Reads a 16-bit mono WAV file.

        Raises:
            AudioError: it is not one.
        """
        try:
            with wave.open(str(path), "rb") as file:
                if file.getnchannels() != 1 or file.getsampwidth() != 2:  # noqa: PLR2004 - bytes of 16 bits
                    raise AudioError(f"{path}: not 16-bit mono")
                data = np.frombuffer(file.readframes(file.getnframes()), dtype="<i2")
                return cls(data.astype(np.float32) / 32768.0, file.getframerate())
        except (OSError, EOFError, wave.Error) as error:
            raise AudioError(f"{path}: not a WAV file ({error})") from error


class Voice(Protocol):
    """A speech synthesizer. Blocking: the caller gives it a thread of its own."""

    name: str
    languages: frozenset[str]

    def synthesize(self, text: str, lang: str) -> Speech:
        """Says a text, which has been through `daemon.speak.speaker`.

        Raises:
            AudioError: the voice failed.
            ModelMissing: it is not installed.
        """

"""Sound: files to samples, mono float32 in -1 to 1 at `SAMPLE_RATE`; what a speech engine is told, and hands on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

import numpy as np
from msgspec import Struct

from daemon.core.entities import Entity
from daemon.core.errors import AudioError

if TYPE_CHECKING:
    import av
    from numpy.typing import NDArray

SAMPLE_RATE = 16_000
"""Hz; all audio inside Hearken is mono float32 in -1 to 1 at this rate."""


Roles = Mapping[str, frozenset[str]]
"""Name -> what it may stand for in a sentence: its entity's kind, type and capabilities."""


class Hypothesis(Struct, frozen=True):
    """One thing that may have been said; `confidence` is 0 to 1, calibrated per engine."""

    text: str
    confidence: float


class Transcript(Struct, frozen=True):
    """The best hypotheses for one clip, best first; empty where nothing was said."""

    hypotheses: tuple[Hypothesis, ...]
    lang: str
    engine: str

    @property
    def text(self) -> str:
        """The best hypothesis' text, or an empty string."""
        return self.hypotheses[0].text if self.hypotheses else ""

    @property
    def confidence(self) -> float:
        """The best hypothesis' confidence; 0 where there is none."""
        return self.hypotheses[0].confidence if self.hypotheses else 0.0


class Transcriber(Protocol):
    """A speech engine. Blocking: the caller gives it a thread of its own."""

    name: str
    languages: frozenset[str]

    def prepare(self, names: Sequence[str], roles: Roles | None = None) -> None:
        """Tells the engine the home's names, the most important first (again when they change)."""

    def transcribe(self, samples: NDArray[np.float32], lang: str) -> Transcript:
        """Mono float32 samples at `SAMPLE_RATE` to text.

        Raises:
            TranscriptionError: the engine failed on this clip.
            ModelMissing: its model is not installed.
        """


def spoken_roles(entities: Iterable[Entity]) -> Roles:
    """Name -> kind, type and capabilities of what is called so; a group can do what any of its members can.

    And the words that a capability may be set to: "netflix" is a `media_select_option`.
    """
    exposed = [entity for entity in entities if entity.exposed]
    own = {entity.id: {capability.name for capability in entity.capabilities} for entity in exposed}
    roles: dict[str, frozenset[str]] = {}
    for entity in exposed:
        found = {entity.kind, *own[entity.id], *([entity.type] if entity.type else [])}
        if entity.kind == "group":
            found |= {name for member in entity.members for name in own.get(member, ())}
        for name in entity.names:
            roles[name] = roles.get(name, frozenset()) | found
        for capability in entity.capabilities:
            for option in capability.options:
                word = option.replace("_", " ")
                roles[word] = roles.get(word, frozenset()) | {f"{capability.name}_option"}
    return roles


FRAME = SAMPLE_RATE // 100
"""Samples per frame: everything that listens takes 10 ms at a time."""

MAX_SECONDS = 120.0
"""A longer file is refused: it is no command, and it would fill the memory."""

FORMATS = ("wav", "flac", "mp3", "ogg", "w64", "aiff", "caf", "au", "matroska,webm", "mov,mp4,m4a,3gp,3g2,mj2", "aac")
"""The containers that are opened. Playlists are not among them: they would fetch what they list."""


def load(path: Path | str, *, max_seconds: float = MAX_SECONDS) -> NDArray[np.float32]:
    """Reads a sound file.

    Raises:
        AudioError: missing, unreadable, no sound in it, or longer than `max_seconds`.
    """
    import av

    path = Path(path)
    if not path.exists():
        raise AudioError(f"{path}: there is no such sound file")
    if not path.is_file():
        raise AudioError(f"{path}: this is not a sound file")
    try:
        with (
            path.open("rb") as file,
            av.open(file, mode="r", options={"format_whitelist": ",".join(FORMATS)}) as container,
        ):
            samples = _decode(container, int(max_seconds * SAMPLE_RATE))
    except (av.FFmpegError, OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "not a sound file"
        raise AudioError(f"{path}: cannot be read as sound ({reason})") from error
    if samples is None:
        raise AudioError(f"{path}: longer than {max_seconds:g} seconds; cut it to one command")
    if not samples.size:
        raise AudioError(f"{path}: there is no sound in this file")
    return samples


def frames(samples: NDArray[np.float32]) -> Iterator[NDArray[np.float32]]:
    """Cuts samples into frames of 10 ms; the last one is filled up with silence."""
    for start in range(0, len(samples), FRAME):
        frame = samples[start : start + FRAME]
        yield frame if len(frame) == FRAME else np.pad(frame, (0, FRAME - len(frame)))


def resample(samples: NDArray[np.float32], rate: int) -> NDArray[np.float32]:
    """Mono float32 samples of this rate, at 16 kHz."""
    if rate == SAMPLE_RATE:
        return samples
    resampler = Resampler(rate)
    return np.concatenate([resampler.feed(samples), resampler.finish()])


def to_pcm16(samples: NDArray[np.float32]) -> bytes:
    """Float samples as little-endian 16-bit integers; what is beyond -1 to 1 is clipped."""
    return (np.clip(samples, -1.0, 1.0) * 32767.0).astype("<i2").tobytes()


def from_pcm16(data: bytes) -> NDArray[np.float32]:
    """Little-endian 16-bit integers as float samples."""
    return np.frombuffer(data, dtype="<i2").astype(np.float32) / 32768.0


def level(samples: NDArray[np.float32]) -> float:
    """Root mean square in decibels below full scale; -120 for silence."""
    if not samples.size:
        return -120.0
    power = float(np.mean(np.square(samples, dtype=np.float64)))
    return max(-120.0, 10.0 * float(np.log10(power))) if power > 0.0 else -120.0


class Resampler:
    """Mono float32 samples from one rate to 16 kHz, piece by piece."""

    def __init__(self, rate: int) -> None:
        import av

        self._frame = av.AudioFrame
        self._rate = rate
        self._resampler = av.AudioResampler(format="flt", layout="mono", rate=SAMPLE_RATE)

    def feed(self, samples: NDArray[np.float32]) -> NDArray[np.float32]:
        """What is ready so far; a little stays inside until `finish`."""
        if not samples.size:
            return np.zeros(0, np.float32)
        frame = self._frame.from_ndarray(
            np.ascontiguousarray(samples, np.float32)[None, :], format="flt", layout="mono"
        )
        frame.sample_rate = self._rate
        return _joined([item.to_ndarray()[0] for item in self._resampler.resample(frame)])

    def finish(self) -> NDArray[np.float32]:
        """The rest."""
        return _joined([item.to_ndarray()[0] for item in self._resampler.resample(None)])


def _decode(container: av.container.InputContainer, limit: int) -> NDArray[np.float32] | None:
    """The first audio stream, resampled; None if it holds more than `limit` samples."""
    import av

    if not container.streams.audio:
        return np.zeros(0, np.float32)
    resampler = av.AudioResampler(format="flt", layout="mono", rate=SAMPLE_RATE)
    pieces: list[NDArray[np.float32]] = []
    total = 0
    for frame in container.decode(container.streams.audio[0]):
        for piece in resampler.resample(frame):
            pieces.append(piece.to_ndarray()[0])
            total += len(pieces[-1])
        if total > limit:
            return None
    if pieces:
        pieces += [piece.to_ndarray()[0] for piece in resampler.resample(None)]
    return _joined(pieces)


def _joined(pieces: list[NDArray[np.float32]]) -> NDArray[np.float32]:
    """One finite array in -1 to 1; a file of floats may hold anything."""
    if not pieces:
        return np.zeros(0, np.float32)
    samples = np.concatenate(pieces).astype(np.float32, copy=False)
    return np.clip(np.nan_to_num(samples, nan=0.0, posinf=1.0, neginf=-1.0), -1.0, 1.0)

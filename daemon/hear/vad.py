"""Silero VAD, frame by frame. The model of the faster-whisper wheel takes [1, 576] samples, h and c [1, 1, 128]."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from daemon.core.errors import ModelMissing
from daemon.system import onnx

if TYPE_CHECKING:
    from numpy.typing import NDArray

_SPEECH = 0.5
"""From this probability on somebody speaks."""
WINDOW = 512
"""Samples the model takes at once (32 ms)."""
CONTEXT = 64
"""Samples of the window before, which it wants in front."""


class VoiceDetector(Protocol):
    """How likely it is that somebody speaks."""

    def feed(self, frame: NDArray[np.float32]) -> float:
        """The probability, 0 to 1, as of the last whole window."""

    def reset(self) -> None:
        """Forgets what it heard."""


class SileroVad:
    """One stream of audio, one detector: the model remembers what came before."""

    def __init__(self) -> None:
        """Loads the model.

        Raises:
            ModelMissing: faster-whisper is not installed.
        """
        self._session: Any = onnx.session(bundled_model())
        self.reset()

    def reset(self) -> None:
        """Forgets what it heard."""
        self._h = self._c = np.zeros((1, 1, 128), np.float32)
        self._window = np.zeros(CONTEXT + WINDOW, np.float32)
        self._filled = 0
        self._probability = 0.0

    def feed(self, frame: NDArray[np.float32]) -> float:
        """The probability of speech, 0 to 1, as of the last whole window; frames may have any length."""
        while frame.size:
            taken = frame[: WINDOW - self._filled]
            start = CONTEXT + self._filled
            self._window[start : start + len(taken)] = taken
            self._filled += len(taken)
            frame = frame[len(taken) :]
            if self._filled == WINDOW:
                self._run()
        return self._probability

    def _run(self) -> None:
        output, self._h, self._c = self._session.run(None, {"input": self._window[None, :], "h": self._h, "c": self._c})
        self._probability = float(output.ravel()[0])
        self._window[:CONTEXT] = self._window[-CONTEXT:]
        self._filled = 0


def bundled_model() -> Path:
    """The newest Silero model in the faster-whisper wheel, found without importing the wheel.

    Raises:
        ModelMissing: faster-whisper is not installed or holds none.
    """
    spec = find_spec("faster_whisper")
    if spec is not None and spec.origin is not None:
        found = sorted((Path(spec.origin).parent / "assets").glob("silero_vad*.onnx"))
        if found:
            return found[-1]
    raise ModelMissing("silero-vad", "it comes with faster-whisper: `make setup` installs it")


def speech_seconds(samples: NDArray[np.float32], vad: VoiceDetector) -> float:
    """Seconds of a clip in which somebody speaks."""
    vad.reset()
    count = sum(
        vad.feed(samples[start : start + WINDOW]) >= _SPEECH for start in range(0, len(samples) - WINDOW + 1, WINDOW)
    )
    vad.reset()
    return count * WINDOW / 16_000

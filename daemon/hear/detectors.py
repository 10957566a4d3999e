"""What listens frame by frame: Silero VAD for speech, pymicro-wakeword for the wake word.

The VAD of the faster-whisper wheel takes [1, 576] samples, h and c [1, 1, 128].
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from daemon.core.errors import ModelCorrupt, ModelMissing
from daemon.hear.audio import to_pcm16
from daemon.home.config import WAKE_WORDS
from daemon.models.store import onnx_session
from daemon.system.config import make

if TYPE_CHECKING:
    from numpy.typing import NDArray

_LEAST = 0.001
"""No word is heard at a probability lower than this, or only at one higher than the rest to 1."""
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
        self._session: Any = _model()
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


@cache
def _model() -> Any:
    """One for all: what was heard before, each detector keeps for itself."""
    return onnx_session(bundled_model())


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
    raise ModelMissing("silero-vad", f"it comes with faster-whisper: `{make('setup')}` installs it")


def speech_seconds(samples: NDArray[np.float32], vad: VoiceDetector) -> float:
    """Seconds of a clip in which somebody speaks."""
    vad.reset()
    count = sum(
        vad.feed(samples[start : start + WINDOW]) >= _SPEECH for start in range(0, len(samples) - WINDOW + 1, WINDOW)
    )
    vad.reset()
    return count * WINDOW / 16_000


class WakeDetector(Protocol):
    """Tells when its word was said."""

    def feed(self, frame: NDArray[np.float32]) -> str | None:
        """The word that was just completed, or None."""

    def reset(self) -> None:
        """Forgets what it heard."""


class MicroWakeWord:
    """Listens for one or more wake words.

    Args:
        words: Names of built-in words, or paths of `.json` descriptions beside their `.tflite` model.
        sensitivity: 0 to 1. At 0.5 a word is heard from the probability on that its maker set; the odds of that are ten
            times as high at 0, and a tenth at 1.

    Raises:
        ModelMissing: no such word.
        ModelCorrupt: the model cannot be loaded.
    """

    def __init__(self, words: Sequence[str] = ("okay_nabu",), sensitivity: float = 0.5) -> None:
        import pymicro_wakeword

        self._features: Any = pymicro_wakeword.MicroWakeWordFeatures()
        self._models: list[Any] = [_load(pymicro_wakeword, word) for word in words]
        self._cutoffs = [cutoff(model.probability_cutoff, sensitivity) for model in self._models]

    @property
    def phrases(self) -> tuple[str, ...]:
        """What each of the words is called when it is heard."""
        return tuple(str(model.wake_word) for model in self._models)

    def feed(self, frame: NDArray[np.float32]) -> str | None:
        """The word that was just completed, or None; after a word, `reset` before the next."""
        heard: str | None = None
        for features in self._features.process_streaming(to_pcm16(frame)):
            for model, cutoff in zip(self._models, self._cutoffs, strict=True):
                if (model.process_streaming_prob(features) or 0.0) > cutoff:
                    heard = heard or str(model.wake_word)
        return heard

    def reset(self) -> None:
        """Forgets what it heard."""
        self._features.reset()
        for model in self._models:
            model.reset()


def cutoff(usual: float, sensitivity: float) -> float:
    """The probability from which on a word was heard."""
    usual = min(max(usual, _LEAST), 1 - _LEAST)
    odds = usual / (1 - usual) * 10 ** (1 - 2 * sensitivity)
    return odds / (1 + odds)


def _load(package: Any, word: str) -> Any:
    if word in WAKE_WORDS:
        return package.MicroWakeWord.from_builtin(package.Model(word))
    path = Path(word)
    if not path.is_file():
        raise ModelMissing(word, f"wake words that need no file: {', '.join(WAKE_WORDS)}")
    try:
        return package.MicroWakeWord.from_config(path)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ModelCorrupt(f"{path}: not a wake word model ({error})") from error

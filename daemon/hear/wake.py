"""The wake word: pymicro-wakeword with the models in its wheel, or one of your own."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from daemon.core.errors import ModelCorrupt, ModelMissing
from daemon.hear.audio import to_pcm16

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BUILT_IN = ("alexa", "hey_jarvis", "hey_mycroft", "okay_nabu")


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

    Raises:
        ModelMissing: no such word.
        ModelCorrupt: the model cannot be loaded.
    """

    def __init__(self, words: Sequence[str] = ("okay_nabu",)) -> None:
        import pymicro_wakeword

        self._features: Any = pymicro_wakeword.MicroWakeWordFeatures()
        self._models: list[Any] = [_load(pymicro_wakeword, word) for word in words]

    def feed(self, frame: NDArray[np.float32]) -> str | None:
        """The word that was just completed, or None; after a word, `reset` before the next."""
        heard: str | None = None
        for features in self._features.process_streaming(to_pcm16(frame)):
            for model in self._models:
                if (model.process_streaming_prob(features) or 0.0) > model.probability_cutoff:
                    heard = heard or str(model.wake_word)
        return heard

    def reset(self) -> None:
        """Forgets what it heard."""
        self._features.reset()
        for model in self._models:
            model.reset()


def _load(package: Any, word: str) -> Any:
    if word in BUILT_IN:
        return package.MicroWakeWord.from_builtin(package.Model(word))
    path = Path(word)
    if not path.is_file():
        raise ModelMissing(word, f"wake words that need no file: {', '.join(BUILT_IN)}")
    try:
        return package.MicroWakeWord.from_config(path)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise ModelCorrupt(f"{path}: not a wake word model ({error})") from error

"""The voice of this machine: piper where a voice of it is installed, espeak-ng for all else."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.errors import AudioError, ModelMissing
from daemon.models.store import Store
from daemon.speak.espeak import Espeak
from daemon.speak.piper import Piper

if TYPE_CHECKING:
    from daemon.speak.voice import Speech, Voice

_LOG = logging.getLogger(__name__)


class Voices:
    """The first voice that speaks a language, and the next where it fails."""

    name = "voices"

    def __init__(self, *voices: Voice) -> None:
        self._voices = voices
        self.languages = frozenset[str]().union(*(voice.languages for voice in voices))

    def synthesize(self, text: str, lang: str) -> Speech:
        """Says a text.

        Raises:
            AudioError: no voice for this language, or all of them failed.
        """
        problem: AudioError | None = None
        for voice in self._voices:
            if lang not in voice.languages:
                continue
            try:
                return voice.synthesize(text, lang)
            except AudioError as error:
                _LOG.warning("%s failed: %s", voice.name, error)
                problem = error
        raise problem or AudioError(f"no voice speaks {lang!r}")


def choose_voice(models: Path) -> Voice:
    """The best voices that are installed.

    Args:
        models: The folder of the models.

    Raises:
        ModelMissing: espeak-ng is not installed.
        ConfigError: the manifest of the models is wrong.
        ModelCorrupt: the folder's `lock.json` cannot be read.
    """
    store = Store(models)
    found: dict[str, Path | None] = {}
    for lang in ("en", "zh"):
        for model in store.installed("piper", lang):
            found.setdefault(lang, next(store.folder(model).glob("*.onnx"), None))
    installed = {lang: path for lang, path in found.items() if path is not None}
    if installed:
        try:
            return Voices(Piper(installed), Espeak())
        except ModelMissing as error:
            _LOG.warning("not speaking with piper: %s", error)
    return Espeak()

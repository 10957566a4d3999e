"""Which voices there are, and several of them as one."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Sequence
from pathlib import Path

from daemon.core.errors import AudioError, HearkenError
from daemon.models.store import Store
from daemon.speak.voice import Espeak, Piper, Speech, Voice
from daemon.system.languages import LANGS

log = logging.getLogger(__name__)


class Voices:
    """Several voices as one: the first that knows the language speaks, the next one if it fails."""

    def __init__(self, voices: Sequence[Voice]) -> None:
        self._voices = tuple(voices)
        self._problems: dict[str, str] = {}
        self.name = "+".join(voice.name for voice in voices)
        self.languages = frozenset().union(*(voice.languages for voice in voices))

    def synthesize(self, text: str, lang: str) -> Speech:
        """Says a text.

        Raises:
            AudioError: no voice knows the language, or all failed.
        """
        problem: HearkenError | None = None
        for voice in self._voices:
            if lang not in voice.languages:
                continue
            try:
                speech = voice.synthesize(text, lang)
            except HearkenError as error:
                if self._problems.get(voice.name) != str(error):
                    log.warning("%s cannot speak: %s", voice.name, error)
                self._problems[voice.name] = str(error)
                problem = error
            else:
                self._problems.pop(voice.name, None)
                return speech
        raise problem or AudioError(f"no voice for {lang!r}")


def choose_voice(models: Path, *, command: str = "piper") -> Voices:
    """The voices that are here, the best first.

    Raises:
        ModelMissing: not even espeak-ng is installed.
        ConfigError: the manifest is wrong.
    """
    store = Store(models)
    found: dict[str, Path] = {}
    for lang in LANGS:
        for model in store.installed("piper", lang):
            found.setdefault(lang, next(store.folder(model).glob("*.onnx")))
    voices: list[Voice] = [Piper(found, command)] if found and shutil.which(command) else []
    return Voices([*voices, Espeak()])

"""espeak-ng through the library in the espeakng-loader wheel: no system package, always there."""

from __future__ import annotations

import ctypes
import threading
from typing import Any

import numpy as np

from daemon.core.errors import AudioError, ModelMissing
from daemon.speak.voice import Speech
from daemon.system.speech import engines

# From espeak-ng's speak_lib.h.
_AUDIO_OUTPUT_SYNCHRONOUS = 2
_INITIALIZE_DONT_EXIT = 0x8000
_CHARS_UTF8 = 1
_POS_CHARACTER = 1
_RATE = 1
_OK = 0

_CALLBACK = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(ctypes.c_short), ctypes.c_int, ctypes.c_void_p)
_LOCK = threading.Lock()
"""The library has one state for the whole process."""


class Espeak:
    """Any number of these share the one library.

    Args:
        words_per_minute: 80 to 450.
        variant: One of espeak-ng's voice variants, such as "f2"; empty for the plain voice.

    Raises:
        ModelMissing: the library or its data is not installed.
    """

    name = "espeak-ng"

    def __init__(self, words_per_minute: int = 160, variant: str = "") -> None:
        self._voices = {lang: item.espeak for lang, item in engines().items() if item.espeak is not None}
        self.languages = frozenset(self._voices)
        self._words_per_minute = words_per_minute
        self._variant = f"+{variant}" if variant else ""
        try:
            import espeakng_loader

            self._library: Any = ctypes.CDLL(espeakng_loader.get_library_path())
            data = espeakng_loader.get_data_path()
        except (ImportError, OSError, RuntimeError) as error:
            raise ModelMissing("espeak-ng", "`make setup` installs it") from error
        with _LOCK:
            self._rate = int(
                self._library.espeak_Initialize(_AUDIO_OUTPUT_SYNCHRONOUS, 0, data.encode(), _INITIALIZE_DONT_EXIT)
            )
        if self._rate <= 0:
            raise ModelMissing("espeak-ng", "its data cannot be read: `make setup` installs it again")

    def synthesize(self, text: str, lang: str) -> Speech:
        """Says a text.

        Raises:
            AudioError: no voice for this language, or the library failed.
        """
        voice = self._voices.get(lang)
        if voice is None:
            raise AudioError(f"espeak-ng: no voice for {lang!r}")
        pieces: list[np.ndarray[Any, np.dtype[np.int16]]] = []

        def take(samples: Any, count: int, _events: Any) -> int:
            if count > 0:
                pieces.append(np.ctypeslib.as_array(samples, (count,)).copy())
            return 0

        callback = _CALLBACK(take)
        data = text.encode("utf-8", "replace").replace(b"\0", b" ")
        with _LOCK:
            self._library.espeak_SetSynthCallback(callback)
            self._check(
                self._library.espeak_SetVoiceByName(f"{voice}{self._variant}".encode()), "the voice cannot be loaded"
            )
            self._library.espeak_SetParameter(_RATE, self._words_per_minute, 0)
            self._check(
                self._library.espeak_Synth(
                    data, ctypes.c_size_t(len(data) + 1), 0, _POS_CHARACTER, 0, _CHARS_UTF8, None, None
                ),
                "it cannot say this",
            )
            self._check(self._library.espeak_Synchronize(), "it cannot say this")
        samples = np.concatenate(pieces) if pieces else np.zeros(0, np.int16)
        return Speech(samples.astype(np.float32) / 32768.0, self._rate)

    @staticmethod
    def _check(status: int, problem: str) -> None:
        if status != _OK:
            raise AudioError(f"espeak-ng: {problem} (code {status})")

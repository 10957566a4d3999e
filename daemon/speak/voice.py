"""What a voice gives, sound for a sentence; and the voices: espeak-ng and Piper."""

from __future__ import annotations

import ctypes
import io
import shutil
import subprocess
import tempfile
import threading
import wave
from collections.abc import AsyncIterable, AsyncIterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

import numpy as np

from daemon.core.errors import AudioError, ModelMissing
from daemon.system.config import make
from daemon.system.languages import engines

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


def at_rate(speech: Speech, rate: int) -> Speech:
    """The same at another rate: not all voices have one."""
    if speech.rate == rate:
        return speech
    moments = np.arange(round(len(speech.samples) * rate / speech.rate)) * speech.rate / rate
    return Speech(np.interp(moments, np.arange(len(speech.samples)), speech.samples).astype(np.float32), rate)


async def joined(first: Speech, more: AsyncIterable[Speech]) -> Speech:
    """All of it as one."""
    pieces = [first, *[at_rate(item, first.rate) async for item in more]]
    return first if len(pieces) == 1 else Speech(np.concatenate([item.samples for item in pieces]), first.rate)


class Nothing:
    """No more sound."""

    def __aiter__(self) -> AsyncIterator[Speech]:
        """Itself."""
        return self

    async def __anext__(self) -> Speech:
        """Ends at once."""
        raise StopAsyncIteration


NO_MORE: Final = Nothing()


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
            raise ModelMissing("espeak-ng", f"`{make('setup')}` installs it") from error
        with _LOCK:
            self._rate = int(
                self._library.espeak_Initialize(_AUDIO_OUTPUT_SYNCHRONOUS, 0, data.encode(), _INITIALIZE_DONT_EXIT)
            )
        if self._rate <= 0:
            raise ModelMissing("espeak-ng", f"its data cannot be read: `{make('setup')}` installs it again")

    def synthesize(self, text: str, lang: str) -> Speech:
        """Says a text."""
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


TIMEOUT = 30.0
"""Seconds for one sentence, the loading of the voice included."""


class Piper:
    """One process per sentence.

    Args:
        voices: Language -> the voice's `.onnx` file, its `.onnx.json` beside it.
        command: The program; found on the PATH.

    Raises:
        ModelMissing: no such program, or a voice's file is not there.
    """

    name = "piper"

    def __init__(self, voices: Mapping[str, Path], command: str = "piper") -> None:
        program = shutil.which(command)
        if program is None:
            raise ModelMissing("piper", "`pip install piper-tts` gets the program")
        for voice in voices.values():
            for file in (voice, voice.with_name(voice.name + ".json")):
                if not file.is_file():
                    raise ModelMissing(file.name, f"`{make('models')}` gets voices")
        self._program = program
        self._voices = dict(voices)
        self.languages = frozenset(voices)

    def synthesize(self, text: str, lang: str) -> Speech:
        """Says a text."""
        voice = self._voices.get(lang)
        if voice is None:
            raise AudioError(f"piper: no voice for {lang!r}")
        with tempfile.TemporaryDirectory(prefix="hearken-") as folder:
            out = Path(folder) / "speech.wav"
            try:
                # The text goes in by standard input: as an argument, a leading dash would be an option.
                subprocess.run(  # noqa: S603 - the program is the one configured, and no shell reads the text
                    [self._program, "--model", str(voice), "--output_file", str(out)],
                    input=text.replace("\n", " ").encode() + b"\n",
                    capture_output=True,
                    timeout=TIMEOUT,
                    check=True,
                )
            except subprocess.TimeoutExpired as error:
                raise AudioError(f"piper: took longer than {TIMEOUT:g} seconds") from error
            except (subprocess.CalledProcessError, OSError) as error:
                raise AudioError(f"piper: {_reason(error)}") from error
            return Speech.from_wav(out)


def _reason(error: Exception) -> str:
    """The last line of what the program said."""
    said = getattr(error, "stderr", None) or str(error).encode()
    lines = said.decode(errors="replace").strip().splitlines()
    return lines[-1][:200] if lines else "it failed without a word"

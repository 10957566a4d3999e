"""Piper as a program of its own (it is under the GPL): used where the `piper` command and a voice are installed."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from daemon.core.errors import AudioError, ModelMissing
from daemon.speak.voice import Speech

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
                    raise ModelMissing(file.name, "`make models` gets voices")
        self._program = program
        self._voices = dict(voices)
        self.languages = frozenset(voices)

    def synthesize(self, text: str, lang: str) -> Speech:
        """Says a text.

        Raises:
            AudioError: no voice for this language, or piper failed or took too long.
        """
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

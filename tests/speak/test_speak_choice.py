from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from daemon.core.errors import AudioError
from daemon.speak.choice import Voices, choose_voice
from daemon.speak.voice import Speech

MANIFEST = Path(__file__).resolve().parents[2] / "models" / "manifest.yaml"


class Toy:
    def __init__(self, name: str, languages: set[str], *, broken: bool = False) -> None:
        self.name, self.languages, self.broken = name, frozenset(languages), broken

    def synthesize(self, text: str, lang: str) -> Speech:
        if self.broken:
            raise AudioError(f"{self.name} is broken")
        return Speech(np.zeros(len(self.name), np.float32), 16_000)


def test_without_piper_espeak_speaks_both_languages(tmp_path: Path) -> None:
    shutil.copy(MANIFEST, tmp_path)
    voice = choose_voice(tmp_path)
    assert voice.name == "espeak-ng"
    assert voice.languages == {"en", "zh"}
    assert voice.synthesize("on", "en").seconds > 0.1


def test_piper_is_taken_where_the_program_and_a_voice_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shutil.copy(MANIFEST, tmp_path)
    folder = tmp_path / "piper-en"
    folder.mkdir()
    for name in ("en_US-ljspeech-medium.onnx", "en_US-ljspeech-medium.onnx.json"):
        (folder / name).write_text("{}")
    assert choose_voice(tmp_path, command="no-such-piper").name == "espeak-ng"
    program = tmp_path / "bin" / "piper"
    program.parent.mkdir()
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    assert choose_voice(tmp_path).name == "piper+espeak-ng"


def test_each_language_is_said_by_the_first_voice_that_knows_it() -> None:
    voices = Voices([Toy("a", {"en"}), Toy("bb", {"en", "zh"})])
    assert len(voices.synthesize("x", "en").samples) == 1
    assert len(voices.synthesize("x", "zh").samples) == 2
    with pytest.raises(AudioError, match="no voice for 'de'"):
        voices.synthesize("x", "de")


def test_a_voice_that_fails_is_stood_in_for() -> None:
    assert len(Voices([Toy("a", {"en"}, broken=True), Toy("bb", {"en"})]).synthesize("x", "en").samples) == 2
    with pytest.raises(AudioError, match="bb is broken"):
        Voices([Toy("a", {"en"}, broken=True), Toy("bb", {"en"}, broken=True)]).synthesize("x", "en")

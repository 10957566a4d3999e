from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from daemon.core.errors import AudioError, ModelMissing
from daemon.speak.voice import Espeak, Piper, Speech


@pytest.mark.parametrize(
    ("lang", "short", "long"),
    [("en", "On.", "The lamp in the living room is on."), ("zh", "好。", "客厅的灯已经打开了。")],
)
def test_espeak_says_both_languages(lang: str, short: str, long: str) -> None:
    voice = Espeak()
    speech = voice.synthesize(long, lang)
    assert 1.0 < speech.seconds < 6.0
    assert np.abs(speech.samples).max() > 0.1
    assert voice.synthesize(short, lang).seconds < speech.seconds


def test_each_chinese_character_is_said() -> None:
    """Without its dictionary, espeak-ng would spell characters out or skip them."""
    voice = Espeak()
    one, five = (voice.synthesize(text, "zh").seconds for text in ("灯", "客厅的台灯"))
    assert 2.0 < five / one < 6.0


def test_espeak_says_the_same_each_time_from_any_thread() -> None:
    voice = Espeak()
    expected = {
        (text, lang): len(voice.synthesize(text, lang).samples)
        for text, lang in [("The lamp is on.", "en"), ("灯开了。", "zh")]
    }
    with ThreadPoolExecutor(4) as pool:
        jobs = [(key, pool.submit(voice.synthesize, *key)) for key in list(expected) * 4]
        for key, job in jobs:
            assert len(job.result().samples) == pytest.approx(expected[key], rel=0.02)


def test_a_language_without_a_voice_is_one_line() -> None:
    with pytest.raises(AudioError, match="no voice for 'xx'"):
        Espeak().synthesize("hello", "xx")


FAKE_PIPER = """#!{python}
import sys, wave
model, out = sys.argv[sys.argv.index("--model") + 1], sys.argv[sys.argv.index("--output_file") + 1]
text = sys.stdin.read()
if "fail" in text:
    print("first line", file=sys.stderr)
    sys.exit("the model is broken")
with wave.open(out, "wb") as file:
    file.setnchannels(1); file.setsampwidth(2); file.setframerate(22050)
    file.writeframes(b"\\0\\1" * len(text.strip()) * 100)
"""


@pytest.fixture
def piper(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Piper:
    """A real process that takes piper's arguments."""
    program = tmp_path / "bin" / "piper"
    program.parent.mkdir()
    program.write_text(FAKE_PIPER.format(python=sys.executable))
    program.chmod(0o755)
    monkeypatch.setenv("PATH", str(program.parent))
    for name in ("en.onnx", "en.onnx.json"):
        (tmp_path / name).write_text("{}")
    return Piper({"en": tmp_path / "en.onnx"})


def test_piper_is_a_process(piper: Piper) -> None:
    speech = piper.synthesize("--help\nme", "en")
    assert speech.rate == 22_050
    assert len(speech.samples) == 100 * len("--help me")


def test_a_piper_that_fails_is_one_line(piper: Piper) -> None:
    with pytest.raises(AudioError) as caught:
        piper.synthesize("fail", "en")
    assert str(caught.value) == "piper: the model is broken"


def test_piper_must_be_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ModelMissing, match="piper"):
        Piper({})


def test_the_voice_of_piper_must_be_there(piper: Piper, tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match=r"zh\.onnx"):
        Piper({"zh": tmp_path / "zh.onnx"})


def test_speech_survives_a_wav_file(tmp_path: Path) -> None:
    speech = Speech(np.linspace(-1, 1, 2_000, dtype=np.float32), 22_050)
    (tmp_path / "x.wav").write_bytes(speech.to_wav())
    again = Speech.from_wav(tmp_path / "x.wav")
    assert again.rate == 22_050
    assert np.allclose(again.samples, speech.samples, atol=1e-4)


@pytest.mark.parametrize("content", [None, b"", b"RIFF but not really"])
def test_what_is_no_wav_file_is_one_line(tmp_path: Path, content: bytes | None) -> None:
    path = tmp_path / "x.wav"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(AudioError, match="not a WAV file"):
        Speech.from_wav(path)

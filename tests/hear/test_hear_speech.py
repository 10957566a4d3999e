"""Wake word, voice detection and end-pointing on recordings of people."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from daemon.core.errors import ModelMissing
from daemon.hear import audio
from daemon.hear.detectors import MicroWakeWord, SileroVad, speech_seconds
from daemon.hear.listener import Listener, Utterance, Woken
from daemon.home.config import WAKE_WORDS

if TYPE_CHECKING:
    from numpy.typing import NDArray

pytestmark = pytest.mark.speech

WORDS = {"wake_001": "alexa", "wake_002": "hey_jarvis", "wake_003": "hey_mycroft", "wake_004": "okay_nabu"}
QUIET = (np.random.default_rng(7).standard_normal(16_000) * 1e-4).astype(np.float32)


def hear(samples: NDArray[np.float32], *words: str) -> list[object]:
    listener = Listener(SileroVad(), MicroWakeWord(words) if words else None)
    frames = audio.frames(np.concatenate([QUIET, samples, QUIET]))
    events = [event for frame in frames for event in listener.feed(frame)]
    return [*events, *listener.finish()]


@pytest.mark.parametrize("number", range(1, 6))
def test_each_command_is_one_clip(speech: Path, number: int) -> None:
    samples = audio.load(speech / f"en_00{number}.flac")
    (clip,) = [event for event in hear(samples) if isinstance(event, Utterance)]
    vad = SileroVad()
    assert speech_seconds(clip.samples, vad) == pytest.approx(speech_seconds(samples, vad), abs=0.2)


def test_noise_is_no_utterance(speech: Path) -> None:
    assert hear(audio.load(speech / "noise_001.flac")) == []
    assert hear(audio.load(speech / "noise_001.flac"), *WAKE_WORDS) == []


@pytest.mark.parametrize("name", WORDS)
def test_each_wake_word_wakes_once_and_only_its_own_detector(speech: Path, name: str) -> None:
    samples = audio.load(speech / f"{name}.flac")
    for word in WAKE_WORDS:
        woken = [event for event in hear(samples, word) if isinstance(event, Woken)]
        assert len(woken) == (word == WORDS[name])


@pytest.mark.parametrize("number", range(1, 7))
def test_a_command_without_its_wake_word_wakes_nothing(speech: Path, number: int) -> None:
    assert hear(audio.load(speech / f"en_00{number}.flac"), *WAKE_WORDS) == []


def spoken(samples: NDArray[np.float32]) -> NDArray[np.float32]:
    """The part of a recording in which there is a voice."""
    vad = SileroVad()
    voiced = [i for i, frame in enumerate(audio.frames(samples)) if vad.feed(frame) > 0.5]
    return samples[max(0, voiced[0] - 8) * audio.FRAME : (voiced[-1] + 1) * audio.FRAME]


@pytest.mark.parametrize("name", WORDS)
@pytest.mark.parametrize("command", ["en_002", "en_005"])
@pytest.mark.parametrize("gap", [0.1, 1.5])
def test_wake_word_and_command(speech: Path, name: str, command: str, gap: float) -> None:
    """In one breath or after a pause, the clip is the command alone."""
    word = spoken(audio.load(speech / f"{name}.flac"))
    said = spoken(audio.load(speech / f"{command}.flac"))
    between = np.resize(QUIET, int(gap * 16_000))
    events = hear(np.concatenate([word, between, said]), WORDS[name])
    woken, clip = (next(event for event in events if isinstance(event, kind)) for kind in (Woken, Utterance))
    assert isinstance(woken, Woken)
    assert isinstance(clip, Utterance)
    assert clip.opening == "wake"
    voice = speech_seconds(clip.samples, SileroVad())
    assert voice == pytest.approx(speech_seconds(np.concatenate([QUIET, said, QUIET]), SileroVad()), abs=0.3)


def test_a_missing_wake_word_names_those_that_are_there() -> None:
    with pytest.raises(ModelMissing, match="okay_nabu"):
        MicroWakeWord(["computer"])

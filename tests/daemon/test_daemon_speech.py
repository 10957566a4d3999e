"""Speech into whole processes: sound files, and a microphone that plays a recording."""

import ctypes.util
import os
import wave
from pathlib import Path

import numpy as np
import pytest

from daemon.hear.audio import SAMPLE_RATE, load
from tests.daemon.processes import Place, command, running


@pytest.fixture
def recordings() -> Path:
    if not (folder := os.environ.get("HEARKEN_TEST_SPEECH")):
        pytest.skip("HEARKEN_TEST_SPEECH names no folder")
    return Path(folder)


@pytest.fixture
def house(place: Place) -> Place:
    """With a lamp that is called as in the recording."""
    return place.furnish(replacing=("[hall light]", "[hall light, standing light]"))


async def test_silence_leads_to_nothing(place: Place, tmp_path: Path) -> None:
    path = tmp_path / "silence.wav"
    with wave.open(str(path), "wb") as file:
        file.setparams((1, 2, SAMPLE_RATE, 0, "NONE", ""))
        file.writeframes(bytes(2 * 2 * SAMPLE_RATE))
    said = await command(place, "listen", "--json", str(path))
    [result] = said.objects
    assert (said.code, result["outcome"], result["commands"], result["file"]) == (1, "ignore", [], str(path))


@pytest.mark.speech
async def test_a_file_is_heard_and_carried_out(house: Place, recordings: Path) -> None:
    said = await command(house, "listen", "--json", str(recordings / "en_003.flac"), str(recordings / "noise_001.flac"))
    spoken, noise = said.objects
    assert spoken["heard"]["text"] == "turn on standing light"
    assert spoken["commands"] == [{"action": "turn_on", "targets": ["hall_light"]}]
    assert spoken["outcomes"][0]["status"] == "done"
    assert spoken["trace"][0]["stage"] == "hear"
    assert spoken["ms"]["hear"] > 0
    assert not noise["commands"]


@pytest.mark.speech
@pytest.mark.skipif(ctypes.util.find_library("portaudio") is not None, reason="PortAudio is asked before arecord")
async def test_the_microphone_hears_wake_word_and_command_in_one_breath(
    house: Place, recordings: Path, tmp_path: Path
) -> None:
    quiet = np.zeros(SAMPLE_RATE, np.float32)
    wake, spoken = load(recordings / "wake_004.flac"), load(recordings / "en_003.flac")
    # First without its wake word: then it is not for us.
    heard = np.concatenate([quiet, spoken, quiet, quiet, wake, spoken, quiet, quiet])
    raw, program = tmp_path / "raw", tmp_path / "bin" / "arecord"
    raw.write_bytes((np.clip(heard, -1, 1) * 32767).astype("<i2").tobytes())
    program.parent.mkdir()
    program.write_text(f"#!/bin/sh\ncat '{raw}'\nexec sleep 600\n", encoding="utf-8")
    program.chmod(0o755)
    house.extra = {"PATH": f"{program.parent}:{os.environ['PATH']}"}
    async with running(house, deaf=False) as daemon:
        assert await daemon.replies(1) == ["Hall (names) light is on."]
        assert await daemon.terminate() == 0
        assert sum("heard " in line for line in daemon.err) == 1

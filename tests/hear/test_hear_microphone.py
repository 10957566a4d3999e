"""The microphone through a real process that takes the arguments of `arecord`; PortAudio needs a device."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import numpy as np
import pytest

from daemon.core.errors import AudioError
from daemon.hear import microphone
from daemon.hear.audio import FRAME

if TYPE_CHECKING:
    from pathlib import Path

ARECORD = """#!{python}
import pathlib, sys, time
mode = pathlib.Path(__file__).with_name("mode").read_text()
if mode == "missing":
    sys.exit("arecord: main:831: audio open error: No such file or directory")
out = sys.stdout.buffer
for value in range(1, 6):
    out.write(value.to_bytes(2, "little") * 400)
    out.flush()
if mode == "forever":
    while True:
        time.sleep(1)
"""


@pytest.fixture
def arecord(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "arecord").write_text(ARECORD.format(python=sys.executable))
    (tmp_path / "arecord").chmod(0o755)
    (tmp_path / "mode").write_text("forever")
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(microphone, "_portaudio", lambda: None)
    return tmp_path


async def test_what_is_recorded_comes_in_frames_of_ten_milliseconds(arecord: Path) -> None:
    async with microphone.Microphone() as source:
        frames = []
        async for frame in source:
            frames.append(frame)
            if len(frames) == 12:
                break
    assert {len(frame) for frame in frames} == {FRAME}
    assert np.unique(np.round(np.concatenate(frames) * 32768)).tolist() == [1, 2, 3, 4, 5]


async def test_a_paused_microphone_drops_what_it_hears(arecord: Path) -> None:
    async with microphone.Microphone() as source:
        source.take(np.ones(FRAME, np.float32))
        source.pause()
        source.take(np.full(3 * FRAME, 0.5, np.float32))
        source.resume()
        assert 0.5 not in [frame[0] for frame in source._frames]


async def test_a_microphone_that_stops_is_an_error_after_its_last_frame(arecord: Path) -> None:
    (arecord / "mode").write_text("end")
    async with microphone.Microphone() as source:
        frames = aiter(source)
        heard = [await anext(frames) for _ in range(12)]
        with pytest.raises(AudioError, match="has stopped"):
            await anext(frames)
    assert len(heard) == 12


async def test_a_microphone_that_is_not_there_is_one_line(arecord: Path) -> None:
    (arecord / "mode").write_text("missing")
    with pytest.raises(AudioError, match="no microphone: arecord: main:831: audio open error") as caught:
        async with microphone.Microphone():
            pass
    assert "\n" not in str(caught.value)


async def test_without_any_way_to_record_it_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(microphone, "_portaudio", lambda: None)
    with pytest.raises(AudioError, match="libportaudio2"):
        async with microphone.Microphone():
            pass
    with pytest.raises(AudioError, match="PortAudio is not installed"):
        microphone.devices()

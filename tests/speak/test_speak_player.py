from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import numpy as np
import pytest

from daemon.core.errors import AudioError
from daemon.speak.speaker import Player, Speaker
from daemon.speak.voice import Espeak, Speech

BEEP = Speech(np.full(800, 0.5, np.float32), 16_000)


class Ear:
    def __init__(self) -> None:
        self.log: list[str] = []
        self.muted = asyncio.Event()

    def mute(self) -> None:
        self.log.append("deaf")
        self.muted.set()

    def unmute(self) -> None:
        self.log.append("hearing")


FAKE_APLAY = """#!{python}
import pathlib, signal, sys
data = sys.stdin.buffer.read()
folder = pathlib.Path(__file__).parent
mode = (folder / "mode").read_text()
(folder / "played.wav").write_bytes(data)
if mode == "hang":
    signal.pause()
if mode == "fail":
    sys.exit("aplay: main:831: audio open error")
"""


@pytest.fixture
def aplay(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A real process that takes aplay's arguments."""
    folder = tmp_path / "bin"
    folder.mkdir()
    (folder / "aplay").write_text(FAKE_APLAY.format(python=sys.executable))
    (folder / "aplay").chmod(0o755)
    (folder / "mode").write_text("play")
    monkeypatch.setenv("PATH", str(folder))
    return folder


async def test_without_a_sound_device_the_reply_is_a_file_and_nobody_goes_deaf(tmp_path: Path) -> None:
    ear = Ear()
    path = tmp_path / "replies" / "reply.wav"
    player = Player(path, ear=ear, route="file")
    assert await player.play(BEEP) == "file"
    assert len(Speech.from_wav(path).samples) == 800
    assert ear.log == []


async def test_a_file_that_cannot_be_written_is_one_line(tmp_path: Path) -> None:
    (tmp_path / "replies").write_text("in the way")
    with pytest.raises(AudioError, match="the reply cannot be written"):
        await Player(tmp_path / "replies" / "reply.wav", route="file").play(BEEP)


async def test_hearken_is_deaf_while_it_speaks(tmp_path: Path, aplay: Path) -> None:
    ear = Ear()
    assert await Player(tmp_path / "x.wav", ear=ear, route="aplay").play(BEEP) == "aplay"
    assert ear.log == ["deaf", "hearing"]
    assert len(Speech.from_wav(aplay / "played.wav").samples) == 800


async def test_a_device_that_fails_is_one_line_and_hearing_comes_back(tmp_path: Path, aplay: Path) -> None:
    (aplay / "mode").write_text("fail")
    ear = Ear()
    with pytest.raises(AudioError, match="audio open error"):
        await Player(tmp_path / "x.wav", ear=ear, route="aplay").play(BEEP)
    assert ear.log == ["deaf", "hearing"]


async def test_stop_ends_the_sound(tmp_path: Path, aplay: Path) -> None:
    (aplay / "mode").write_text("hang")
    ear = Ear()
    player = Player(tmp_path / "x.wav", ear=ear, route="aplay")
    playing = asyncio.create_task(player.play(BEEP))
    await ear.muted.wait()
    player.stop()
    assert await playing == "aplay"
    assert ear.log == ["deaf", "hearing"]


async def test_a_cancelled_reply_gives_hearing_back(tmp_path: Path, aplay: Path) -> None:
    (aplay / "mode").write_text("hang")
    ear = Ear()
    playing = asyncio.create_task(Player(tmp_path / "x.wav", ear=ear, route="aplay").play(BEEP))
    await ear.muted.wait()
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert ear.log == ["deaf", "hearing"]


async def test_two_replies_do_not_speak_at_once(tmp_path: Path, aplay: Path) -> None:
    ear = Ear()
    player = Player(tmp_path / "x.wav", ear=ear, route="aplay")
    await asyncio.gather(player.play(BEEP), player.play(BEEP))
    assert ear.log == ["deaf", "hearing"] * 2


async def test_saying_is_cleaning_synthesizing_and_playing(tmp_path: Path) -> None:
    path = tmp_path / "reply.wav"
    speaker = Speaker(Espeak(), Player(path, route="file"))
    said = await speaker.say("The **lamp** is on 🎉", "en")
    assert said.text == "The lamp is on"
    assert said.route == "file"
    assert Speech.from_wav(path).seconds > 0.3


async def test_nothing_to_say_is_no_sound(tmp_path: Path) -> None:
    path = tmp_path / "reply.wav"
    said = await Speaker(Espeak(), Player(path, route="file")).say("🎉", "en")
    assert said.route is None
    assert not path.exists()

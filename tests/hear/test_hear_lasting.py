"""A microphone that fails is opened again, and the house hears of it once."""

from __future__ import annotations

import contextlib
import logging
from collections.abc import AsyncIterator

import numpy as np
import pytest

from daemon.core.errors import AudioError
from daemon.hear import microphone
from daemon.hear.audio import FRAME
from daemon.hear.lasting import LastingMicrophone
from daemon.hear.microphone import FrameSource, Microphone, Recorded


class Failing(Recorded):
    """Brings its frames, then fails."""

    async def __aiter__(self) -> AsyncIterator[np.ndarray[tuple[int, ...], np.dtype[np.float32]]]:
        async for frame in super().__aiter__():
            yield frame
        raise AudioError("the microphone has stopped: unplugged")


class Socket:
    """What is plugged in, one after the other: a source, or nothing."""

    def __init__(self, *plugged: Recorded | None) -> None:
        self.plugged = list(plugged)
        self.open = 0
        self.waited: list[float] = []
        self.rereads = 0

    @contextlib.asynccontextmanager
    async def microphone(self) -> AsyncIterator[FrameSource]:
        found = self.plugged.pop(0)
        if found is None:
            raise AudioError("no microphone: nothing there")
        self.open += 1
        try:
            yield found
        finally:
            self.open -= 1

    async def wait(self, seconds: float) -> None:
        self.waited.append(seconds)

    def reread(self) -> None:
        self.rereads += 1


def sound(level: float, frames: int = 1) -> np.ndarray[tuple[int, ...], np.dtype[np.float32]]:
    return np.full(frames * FRAME, level, np.float32)


async def test_it_is_opened_again_and_says_so_once(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    socket = Socket(Failing(sound(0.1)), None, None, Failing(sound(0.2)), Recorded(sound(0.3)))
    async with LastingMicrophone(socket.microphone, socket.wait, socket.reread) as source:
        levels = [round(float(frame[0]), 1) async for frame in source]
        assert socket.open == 1
    assert levels == [0.1, 0.2, 0.3]
    assert socket.open == 0
    assert socket.waited == [0.5, 1.0, 2.0, 0.5]
    assert [(record.levelname, record.message.partition(";")[0]) for record in caplog.records] == [
        ("WARNING", "the microphone has stopped: unplugged"),
        ("INFO", "the microphone is back"),
    ] * 2
    # Before each attempt to open it again; what is plugged in has another number by then.
    assert socket.rereads == len(socket.waited) > 0


async def test_the_wait_has_an_end() -> None:
    socket = Socket(Failing(sound(0.1)), *[None] * 10, Recorded(sound(0.2)))
    async with LastingMicrophone(socket.microphone, socket.wait, socket.reread) as source:
        _ = [frame async for frame in source]
    assert max(socket.waited) == socket.waited[-1] == 30.0


async def test_one_that_was_paused_stays_so() -> None:
    second = Recorded(sound(0.2))
    socket = Socket(Failing(sound(0.1)), second, Recorded(sound(0.3)))
    async with LastingMicrophone(socket.microphone, socket.wait, socket.reread) as source:
        heard = []
        async for frame in source:
            heard.append(round(float(frame[0]), 1))
            source.pause()
    # The microphone that came back was told not to listen either.
    assert heard == [0.1]


async def test_none_to_begin_with_is_an_error() -> None:
    with pytest.raises(AudioError, match="nothing there"):
        async with LastingMicrophone(Socket(None).microphone):
            pytest.fail("it was opened")


async def test_a_microphone_that_brings_nothing_any_more_has_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(microphone, "SILENT_S", 0.01)
    source = Microphone()
    source.take(sound(0.1))
    frames = aiter(source)
    assert len(await anext(frames)) == FRAME
    with pytest.raises(AudioError, match="nothing came"):
        await anext(frames)

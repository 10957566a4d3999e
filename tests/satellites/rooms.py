"""What hears and answers in tests: engines and homes that do as they are told, and one satellite at work."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from daemon.hear.audio import FRAME, Hypothesis, Transcript
from daemon.hear.contest import Rivals
from daemon.hear.engine import Engine
from daemon.home.config import EspHome, Microphone, Server
from daemon.home.secrets import Secret
from daemon.satellites.clips import Clips
from daemon.satellites.esphome import Session as BoxSession
from daemon.satellites.hearing import Hearing
from daemon.satellites.remote import RemoteSatellite
from daemon.satellites.satellite import converse
from daemon.satellites.session import Session
from daemon.speak.voice import Speech, Voice
from tests.brokers import SOON_S
from tests.hear.levels import WORD, LevelVad
from tests.satellites.devices import Device

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from daemon.hear.audio import Roles


class Counting:
    """Says how many seconds of speech it was given."""

    name = "counting"
    languages = frozenset({"en", "zh"})

    def prepare(self, names: Sequence[str], roles: Roles | None = None) -> None:
        pass

    def transcribe(self, samples: NDArray[np.float32], lang: str) -> Transcript:
        spoken = np.count_nonzero(samples >= 0.5) / 16_000
        return Transcript((Hypothesis(f"{spoken:.1f}", 0.9),) if spoken else (), lang, self.name)


class RoundedWake:
    """Hears the level of the word as it is after its way through 16-bit integers."""

    def feed(self, frame: NDArray[np.float32]) -> str | None:
        return "okay nabu" if abs(frame[0] - WORD) < 0.001 else None

    def reset(self) -> None:
        pass


class Tone:
    """A voice that says everything in a tenth of a second."""

    name = "tone"
    languages = frozenset({"en", "zh"})

    def synthesize(self, text: str, lang: str) -> Speech:
        return Speech(np.full(2_205, 0.25, np.float32), 22_050)


def sound(*parts: tuple[float, float]) -> NDArray[np.float32]:
    """Pairs of a level and of seconds."""
    return np.concatenate([np.full(round(seconds * 100) * FRAME, level, np.float32) for level, seconds in parts])


class Home:
    """Answers what was asked; `questions` are texts that are answered by a question."""

    def __init__(self, questions: Sequence[str] = ()) -> None:
        self.asked: list[dict[str, Any]] = []
        self._questions = questions
        self._news = asyncio.Condition()

    async def handle(self, request: dict[str, Any]) -> dict[str, Any]:
        async with self._news:
            self.asked.append(request)
            self._news.notify_all()
        text = request["text"]
        question = f"Which {text}?" if text in self._questions else None
        reply = question or f"Heard {text}."
        return {"outcome": "execute", "reply": reply, "lang": "en", "question": question, "ms": {}, "trace": []}

    async def until(self, count: int) -> list[dict[str, Any]]:
        async with asyncio.timeout(SOON_S), self._news:
            await self._news.wait_for(lambda: len(self.asked) >= count)
        return self.asked


def satellite(
    port: int, name: str = "kitchen", rivals: Rivals | None = None, voice: Voice | None = None, **place: Any
) -> RemoteSatellite:
    """One whose detectors hear levels."""
    server = Server("127.0.0.1", port)
    where, connect = Microphone(wyoming=server, **place), partial(Session.connected, server)
    return RemoteSatellite(name, where, connect, hearing(rivals), voice or Tone(), briefly)


def box(
    device: Device, clips: Clips, name: str = "kitchen", rivals: Rivals | None = None, **place: Any
) -> RemoteSatellite:
    """An ESPHome box whose detectors hear levels."""
    what = EspHome(Server("127.0.0.1", device.port))
    key = device.key if "key" not in place else place.pop("key")
    connect = partial(BoxSession.connected, what, lambda: Secret(key) if key else None, clips)
    return RemoteSatellite(name, Microphone(esphome=what, **place), connect, hearing(rivals), Tone(), briefly)


def hearing(rivals: Rivals | None = None) -> Hearing:
    """What listens by levels; those that share `rivals` may hear the same."""
    return Hearing(Engine(Counting()), "en", LevelVad, RoundedWake, rivals or Rivals())


async def briefly(_: float) -> None:
    """Waits no longer before a satellite is tried again."""
    await asyncio.sleep(0.02)


@contextlib.asynccontextmanager
async def conversing(item: RemoteSatellite, home: Home) -> AsyncIterator[None]:
    """Holds the conversation while the block runs."""
    task = asyncio.create_task(converse(item, home.handle))
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)

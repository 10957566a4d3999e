"""What listens to a satellite, and what comes from there frame by frame."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np
from msgspec import Struct, field

from daemon.hear.audio import SAMPLE_RATE
from daemon.hear.contest import Rivals
from daemon.hear.detectors import VoiceDetector, WakeDetector
from daemon.hear.ears import Ears, Tongue
from daemon.hear.engine import Engine
from daemon.hear.listener import Expired, Listener, Outdone, Woken
from daemon.hear.microphone import FrameQueue
from daemon.hear.tally import Tally

if TYPE_CHECKING:
    from numpy.typing import NDArray

QUIET: Final = np.zeros(round(2.5 * SAMPLE_RATE), np.float32)
"""More than ends any utterance: who stops sending is silent."""


class Hearing(Struct, frozen=True):
    """What listens to a satellite; the detectors are made for each, the rest is shared."""

    engine: Engine
    lang: str
    vad: Callable[[], VoiceDetector]
    wake: Callable[[], WakeDetector]
    rivals: Rivals
    incomplete: Callable[[str], bool] = lambda _text: False
    complete: Callable[[str], bool] = lambda _text: False
    tally: Tally = field(default_factory=Tally)
    tongues: Mapping[str, Tongue] = field(default_factory=dict)

    def ears(self, source: Frames, wake: Wake, notice: Callable[[Woken | Expired | Outdone], None]) -> Ears:
        """Ears for one satellite."""
        return Ears(
            source=source,
            listener=Listener(self.vad(), wake),
            engine=self.engine,
            lang=self.lang,
            incomplete=self.incomplete,
            complete=self.complete,
            notice=notice,
            rivals=self.rivals,
            tally=self.tally,
            tongues=self.tongues,
        )


class Frames(FrameQueue):
    """The frames of a satellite; `after` is called when one has been listened to."""

    def __init__(self, after: Callable[[], None]) -> None:
        super().__init__()
        self._after = after

    async def __aiter__(self) -> AsyncIterator[NDArray[np.float32]]:
        async for frame in FrameQueue.__aiter__(self):
            yield frame
            self._after()


class Wake:
    """A wake word that is listened for here, or not."""

    def __init__(self) -> None:
        self.detector: WakeDetector | None = None

    def feed(self, frame: NDArray[np.float32]) -> str | None:
        """The word that was just completed, or None."""
        return self.detector.feed(frame) if self.detector is not None else None

    def reset(self) -> None:
        """Forgets what it heard."""
        if self.detector is not None:
            self.detector.reset()


async def any_within(seconds: float, *events: asyncio.Event) -> None:
    """Waits for one of them, but no longer than this."""
    waiting = [asyncio.create_task(item.wait()) for item in events]
    await asyncio.wait(waiting, timeout=max(0.0, seconds), return_when=asyncio.FIRST_COMPLETED)
    for task in waiting:
        task.cancel()

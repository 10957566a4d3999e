"""Says replies: text made speakable, a voice in a thread of its own, a player."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from daemon.speak.hygiene import speakable

if TYPE_CHECKING:
    from daemon.speak.player import Player, Route
    from daemon.speak.voice import Speech, Voice


@dataclass(frozen=True, slots=True)
class Said:
    """What was said, how it came out (None: there was nothing to say), and what the synthesis took."""

    text: str
    route: Route | None
    seconds: float
    ms: float


class Speaker:
    """A voice and a way out."""

    def __init__(self, voice: Voice, player: Player) -> None:
        self._voice = voice
        self._player = player

    async def say(self, text: str, lang: str) -> Said:
        """Returns when it has been said.

        Raises:
            AudioError: the voice or the sound device failed.
            ModelMissing: the voice is not installed.
        """
        text = speakable(text)
        if not text:
            return Said("", None, 0.0, 0.0)
        start = time.perf_counter()
        speech: Speech = await asyncio.to_thread(self._voice.synthesize, text, lang)
        ms = (time.perf_counter() - start) * 1000
        return Said(text, await self._player.play(speech), speech.seconds, ms)

    def stop(self) -> None:
        """Falls silent."""
        self._player.stop()

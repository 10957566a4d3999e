"""This machine's own microphone and loudspeaker, as far as it has them."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from typing import TYPE_CHECKING

from daemon.core.errors import HearkenError
from daemon.hear.tally import Tally

if TYPE_CHECKING:
    from daemon.hear.ears import Ears, Heard
    from daemon.home.config import Microphone
    from daemon.satellites.satellite import TimerNews
    from daemon.speak.speaker import Speaker

_LOG = logging.getLogger(__name__)


class Local:
    """A `Satellite` that may be deaf or mute."""

    name = "microphone"

    def __init__(self, place: Microphone, ears: Ears | None, speaker: Speaker | None) -> None:
        self.place = place
        self._ears = ears
        self._speaker = speaker
        self.tally = Tally() if ears is None else ears.tally

    @property
    def speaks(self) -> bool:
        """Whether it is not mute."""
        return self._speaker is not None

    async def utterances(self) -> AsyncIterator[Heard]:
        """What is said here; ends with the microphone."""
        if self._ears is None:
            return
        try:
            async for heard in self._ears.utterances():
                yield heard
        except HearkenError as error:
            _LOG.warning("the microphone stopped: %s", error)

    def heard(self, text: str, *, asks: bool) -> None:
        """Nothing here shows it."""

    async def say(self, text: str, lang: str) -> bool:
        """Speaks, if it is not mute; what is written to a file is heard by nobody."""
        said = await self._speaker.say(text, lang) if self._speaker is not None else None
        return said is not None and said.route not in (None, "file")

    def reopen(self, seconds: float) -> None:
        """Listens for an answer, without the wake word."""
        if self._ears is not None:
            self._ears.reopen(seconds)

    def timer(self, news: TimerNews) -> None:
        """Nothing here shows it."""

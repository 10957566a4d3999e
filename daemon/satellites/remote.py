"""A satellite over the network: Hearken connects to it, hears its microphone, and speaks from its loudspeaker.

Its wake word is heard there, or here (it then streams all that it hears). What it speaks, its session knows.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import AsyncGenerator, AsyncIterable, AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from typing import TYPE_CHECKING, Any, Final, Protocol

from daemon.core.errors import HearkenError
from daemon.hear.tally import Tally
from daemon.satellites.hearing import Hearing
from daemon.satellites.link import LinkLost
from daemon.speak.voice import NO_MORE

if TYPE_CHECKING:
    from daemon.hear.ears import Heard
    from daemon.home.config import Microphone
    from daemon.satellites.satellite import TimerNews
    from daemon.speak.speaker import Route
    from daemon.speak.voice import Speech, Voice

_FIRST_S: Final = 0.5
_LONGEST_S: Final = 30.0
_STEADY_S: Final = 60.0
"""A connection that lasted so long was a good one: the next is tried at once again."""

_LOG = logging.getLogger(__name__)


class Session(Protocol):
    """One connection with a satellite, from its beginning to its end."""

    @property
    def listens(self) -> bool:
        """Whether what is said would be taken as a command now."""

    def utterances(self) -> AsyncGenerator[Heard]:
        """What is said, until the connection ends.

        Raises:
            AudioError: it has ended.
        """

    def understood(self, text: str, *, asks: bool) -> None:
        """Shows what was understood; `asks`: an answer will be awaited."""

    def announce(self, text: str, lang: str) -> None:
        """Shows what is about to be said."""

    async def play(self, speech: Speech, more: AsyncIterable[Speech]) -> None:
        """Returns when it has been heard, and what follows it, or cut off.

        Raises:
            LinkLost: it could not be heard.
        """

    def reopen(self, seconds: float) -> None:
        """Listens for an answer, without the wake word."""

    def timer(self, news: TimerNews) -> None:
        """Shows what became of a timer."""


Connect = Callable[[Hearing | None, Callable[[], None]], AbstractAsyncContextManager[Session]]
"""Opens a connection. The second is to be called when the satellite has answered for the first time.

Raises:
    HearkenError: nobody answers there; or, on leaving, how the connection ended.
"""


class RemoteSatellite:
    """A `Satellite` over the network; one that is away is tried again and again. Deaf without `hearing`."""

    def __init__(
        self,
        name: str,
        place: Microphone,
        connect: Connect,
        hearing: Hearing | None,
        voice: Voice | None,
        pause_for: Callable[[float], Any] = asyncio.sleep,
    ) -> None:
        from daemon.speak.speaker import Speaker

        self.name = name
        self.place = place
        self._connect = connect
        self._hearing = hearing
        self.tally = Tally() if hearing is None else hearing.tally
        self._speaker = Speaker(voice, self) if voice is not None else None
        self._pause_for = pause_for
        self._session: Session | None = None
        self._speaking = asyncio.Lock()
        self._down = ""
        """Why it is away, once that has been said."""

    @property
    def there(self) -> bool:
        """Whether it is connected."""
        return self._session is not None

    @property
    def listens(self) -> bool:
        """Whether what is said there would be taken as a command now."""
        return self._session is not None and self._session.listens

    async def utterances(self) -> AsyncIterator[Heard]:
        """What is said there, for ever: where the connection breaks, what was being said is dropped."""
        delay_s, loop = _FIRST_S, asyncio.get_running_loop()
        while True:
            began = loop.time()
            try:
                async for heard in self._connected():
                    yield heard
            except HearkenError as error:
                self._away(str(error))
            except Exception as error:  # noqa: BLE001 - whatever a satellite brings about, the others go on
                _LOG.exception("%s: the connection failed", self.name)
                self._away(type(error).__name__)
            delay_s = _FIRST_S if loop.time() - began > _STEADY_S else delay_s
            await self._pause_for(delay_s)
            delay_s = min(2 * delay_s, _LONGEST_S)

    def heard(self, text: str, *, asks: bool) -> None:
        """Shows there what was understood."""
        if self._session is not None:
            self._session.understood(text, asks=asks)

    async def say(self, text: str, lang: str) -> bool:
        """Says it there; what is said at the same time waits."""
        if self._speaker is None or not text:
            return False
        async with self._speaking:
            if self._session is None:
                raise LinkLost("is away, so that it cannot say this")
            self._session.announce(text, lang)
            return (await self._speaker.say(text, lang)).route is not None

    async def play(self, speech: Speech, more: AsyncIterable[Speech] = NO_MORE) -> Route:
        """Returns when it has been heard there; meanwhile nothing is heard from there."""
        session = self._session
        if session is None:
            raise LinkLost("went away before it could speak")
        await session.play(speech, more)
        return "satellite"

    def reopen(self, seconds: float) -> None:
        """Listens for an answer, without the wake word."""
        if self._session is not None:
            self._session.reopen(seconds)

    def timer(self, news: TimerNews) -> None:
        """Shows there what became of a timer."""
        if self._session is not None:
            self._session.timer(news)

    async def _connected(self) -> AsyncIterator[Heard]:
        """One connection, from its beginning to its end."""
        async with self._connect(self._hearing, self._back) as session:
            self._session = session
            try:
                async with contextlib.aclosing(session.utterances()) as utterances:
                    async for heard in utterances:
                        yield heard
            finally:
                self._session = None

    def _away(self, why: str) -> None:
        if not self._down:
            _LOG.warning("satellite %s at %s is away: %s; it is tried again", self.name, self.place.server, why)
        self._down = why

    def _back(self) -> None:
        """It has answered."""
        _LOG.info("satellite %s at %s is %s", self.name, self.place.server, "back" if self._down else "there")
        self._down = ""

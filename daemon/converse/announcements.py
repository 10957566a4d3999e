"""Putting into words what is said without having been asked, and handing it on to whoever can say it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from daemon.converse.words import Speech
from daemon.core.result import Notice


@dataclass(frozen=True, slots=True)
class Announcement:
    """What is said without being asked just now: a shutter that stopped half-way, a timer that rang."""

    satellite: str
    """Where what it is about was said."""
    lang: str
    reply: str
    aloud: bool = True
    """Whether it is spoken; what happens again and again, and goes well, is only shown."""


Announcer = Callable[[Announcement], None]
"""Takes what is to be said somewhere. Called on the event loop; must not block and must not raise."""


class Announcements:
    """Tells all who listen. One event loop; with nobody listening, nothing is said."""

    def __init__(self, speech: Speech) -> None:
        self._speech = speech
        self._listeners: list[Announcer] = []

    def __call__(self, notice: Notice) -> None:
        """Hands it on, in words."""
        reply = self._speech.reply(notice.said, notice.lang)
        announcement = Announcement(notice.satellite, notice.lang, reply, notice.aloud)
        for listener in tuple(self._listeners) if reply else ():
            listener(announcement)

    def listen(self, listener: Announcer) -> Callable[[], None]:
        """Calls `listener` with each announcement; returns what ends it."""
        self._listeners.append(listener)

        def end() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return end

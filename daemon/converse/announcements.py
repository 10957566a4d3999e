"""Handing on what is said without having been asked, to whoever can say it."""

from __future__ import annotations

from collections.abc import Callable

from daemon.core.turn import Announcement, Announcer


class Announcements:
    """An `Announcer` that tells all who listen. One event loop; with nobody listening, nothing is said."""

    def __init__(self) -> None:
        self._listeners: list[Announcer] = []

    def __call__(self, announcement: Announcement) -> None:
        """Hands it on."""
        for listener in tuple(self._listeners):
            listener(announcement)

    def listen(self, listener: Announcer) -> Callable[[], None]:
        """Calls `listener` with each announcement; returns what ends it."""
        self._listeners.append(listener)

        def end() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return end

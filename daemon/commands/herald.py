"""Saying what nobody asked for just now where it belongs: at the satellite that it is about, else on this machine."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from daemon.commands.options import emit, printable
from daemon.converse.announcements import Announcement

if TYPE_CHECKING:
    from daemon.commands.mailbox import Mailbox
    from daemon.commands.voice import Voice

_LOG = logging.getLogger(__name__)
_MOST_WAITING = 32


class Herald:
    """An `Announcer`; one announcement after the other, so that they are not spoken into each other.

    Args:
        voice: This machine's loudspeaker.
        mailbox: The satellites on the broker, where there are any.
        as_json: Print objects rather than sentences.
    """

    def __init__(self, voice: Voice, mailbox: Mailbox | None, *, as_json: bool) -> None:
        self._voice = voice
        self._mailbox = mailbox
        self._as_json = as_json
        self._waiting: asyncio.Queue[Announcement] = asyncio.Queue(_MOST_WAITING)

    def __call__(self, announcement: Announcement) -> None:
        """Says it soon."""
        try:
            self._waiting.put_nowait(announcement)
        except asyncio.QueueFull:
            _LOG.warning("too much is to be said at once; dropped: %s", announcement.reply)

    async def serve(self) -> None:
        """Says what comes, until it is cancelled."""
        while True:
            announcement = await self._waiting.get()
            if self._mailbox is not None and self._mailbox.serves(announcement.satellite):
                await self._mailbox.tell(announcement)
                continue
            await asyncio.to_thread(_show, announcement, as_json=self._as_json)
            if announcement.aloud:
                await self._voice.say(announcement.reply, announcement.lang)


def _show(announcement: Announcement, *, as_json: bool) -> None:
    if as_json:
        emit({"announcement": announcement.reply, "lang": announcement.lang, "satellite": announcement.satellite})
    else:
        print(printable(announcement.reply), flush=True)

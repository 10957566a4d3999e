"""Says what nobody asked for just now, where it belongs."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from daemon.commands.options import emit, printable
from daemon.converse.conclusion import Announcement
from daemon.core.errors import HearkenError

if TYPE_CHECKING:
    from daemon.commands.mailbox import Mailbox
    from daemon.commands.voice import Voice

_LOG = logging.getLogger(__name__)
_MOST_WAITING = 32


class Herald:
    """An `Announcer`; in each place one announcement after the other, so that they are not spoken into each other."""

    def __init__(self, voice: Voice, mailbox: Mailbox | None, *, as_json: bool) -> None:
        self._voice = voice
        self._mailbox = mailbox
        self._as_json = as_json
        self._waiting: dict[str, asyncio.Queue[Announcement]] = {
            name: asyncio.Queue(_MOST_WAITING) for name in ("", *voice.satellites)
        }

    def __call__(self, announcement: Announcement) -> None:
        """Says it soon, where it belongs; what belongs to no satellite of ours, here, and for whoever else reads it."""
        name = announcement.satellite if announcement.satellite in self._waiting else ""
        try:
            self._waiting[name].put_nowait(announcement)
        except asyncio.QueueFull:
            _LOG.warning("too much is to be said at once; dropped: %s", announcement.reply)

    async def serve(self) -> None:
        """Says what comes, until it is cancelled."""
        await asyncio.gather(*(self._serve(name) for name in self._waiting))

    async def _serve(self, name: str) -> None:
        while True:
            announcement = await self._waiting[name].get()
            if not name:
                await self._tell(announcement)
                continue
            await asyncio.to_thread(_show, announcement, as_json=self._as_json)
            if not announcement.aloud:
                continue
            try:
                await self._voice.satellites[name].say(announcement.reply, announcement.lang)
            except HearkenError as error:
                _LOG.warning("%s: %s; this machine says it", name, error)
                await self._voice.say(announcement.reply, announcement.lang)

    async def _tell(self, announcement: Announcement) -> None:
        if self._mailbox is not None and self._mailbox.serves(announcement.satellite):
            await self._mailbox.tell(announcement)
            return
        await asyncio.to_thread(_show, announcement, as_json=self._as_json)
        if announcement.aloud:
            await self._voice.say(announcement.reply, announcement.lang)


def _show(announcement: Announcement, *, as_json: bool) -> None:
    if as_json:
        emit({"announcement": announcement.reply, "lang": announcement.lang, "satellite": announcement.satellite})
    else:
        print(printable(announcement.reply), flush=True)

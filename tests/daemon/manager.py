"""The receiving end of sd_notify, as systemd holds it."""

from __future__ import annotations

import asyncio
import socket
from typing import Self

from tests.daemon.processes import SOON_S, Place


class Manager:
    """What the processes of a place tell from now on, one assignment after the other."""

    def __init__(self, place: Place, **environment: str) -> None:
        address = str(place.runtime / "notify")
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self._socket.bind(address)
        self._waiting: list[str] = []
        place.extra |= {"NOTIFY_SOCKET": address, **environment}

    async def until(self, start: str) -> str:
        """The next assignment that starts so; what came before it is dropped."""
        async with asyncio.timeout(SOON_S):
            while True:
                while self._waiting:
                    if (found := self._waiting.pop(0)).startswith(start):
                        return found
                self._waiting = (await asyncio.get_running_loop().sock_recv(self._socket, 4096)).decode().split("\n")

    async def status(self) -> str:
        return await self.until("STATUS=")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._socket.close()

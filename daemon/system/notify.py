"""What the daemon tells systemd: that it is ready, what it does, and that it is alive (`man sd_notify`).

Without systemd there is no socket in the environment, and every method does nothing.
"""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import MutableMapping

_LOGGER = logging.getLogger(__name__)


class Notifier:
    """One way to the service manager. No method raises: a manager that cannot be told is no reason to stop.

    Args:
        address: The path of a datagram socket, `@name` for an abstract one, or None to tell nobody.
        watchdog_s: Seconds without a sign of life after which the manager restarts the daemon; None for no watchdog.
    """

    def __init__(self, address: str | None = None, watchdog_s: float | None = None) -> None:
        self._address = address
        self._watchdog_s = watchdog_s

    @classmethod
    def from_environment(cls, environment: MutableMapping[str, str] = os.environ) -> Notifier:
        """Takes what systemd set out of the environment, so that no child process speaks in the daemon's name."""
        address = environment.pop("NOTIFY_SOCKET", None)
        microseconds = environment.pop("WATCHDOG_USEC", "")
        addressee = environment.pop("WATCHDOG_PID", "")
        watched = microseconds.isdecimal() and int(microseconds) > 0 and addressee in {"", str(os.getpid())}
        return cls(address, int(microseconds) / 1_000_000 if watched else None)

    def ready(self, status: str = "") -> None:
        """The daemon serves; what waited for it may start."""
        self._send("READY=1", *_status(status))

    def status(self, status: str) -> None:
        """One line for `systemctl status`."""
        self._send(*_status(status))

    def stopping(self, status: str = "") -> None:
        """The daemon is on its way out, on purpose."""
        self._send("STOPPING=1", *_status(status))

    def alive(self) -> None:
        """One sign of life."""
        self._send("WATCHDOG=1")

    async def keep_alive(self) -> None:
        """Gives signs of life for as long as the event loop turns; returns at once where nobody watches."""
        while self._address and self._watchdog_s:
            self.alive()
            # Half the time allowed, as sd_watchdog_enabled(3) recommends.
            await asyncio.sleep(self._watchdog_s / 2)

    def _send(self, *assignments: str) -> None:
        if not self._address or not assignments:
            return
        address = f"\0{self._address[1:]}" if self._address.startswith("@") else self._address
        try:
            with socket.socket(
                socket.AF_UNIX, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK
            ) as sender:
                sender.sendto("\n".join(assignments).encode(), address)
        except (OSError, ValueError) as error:
            _LOGGER.debug("cannot notify the service manager at %s: %s", self._address, error)


def _status(status: str) -> tuple[str, ...]:
    # A line break would start the next assignment.
    return (f"STATUS={' '.join(status.split())}",) if status.strip() else ()

"""The control socket: how a second process asks the running daemon. One JSON object per line, each answered by one.

A request is `{"op": "text", ...}`; the answer is the result object, or `{"error": "..."}`. Only the daemon's own user
may connect: the socket's mode is 0600. Beside it, what the daemon tells systemd (`man sd_notify`).
"""

from __future__ import annotations

import asyncio
import contextlib
import fcntl
import json
import logging
import os
import socket
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, MutableMapping
from pathlib import Path
from typing import Any

from daemon.core.errors import HearkenError, UsageError
from daemon.core.values import loads
from daemon.system import storage
from daemon.system.worker import ended

_LOG = logging.getLogger(__name__)
_MOST_ASKED = 1 << 20
"""Bytes of one request; a longer one is refused, and ends the connection."""
_MOST_ANSWERED = 1 << 26
"""Bytes of one answer: the trace of a large home is long."""
_PATIENCE_S = 120.0
"""How long an answer may take; far more than any act."""
_REMEDY = "set XDG_RUNTIME_DIR to a folder of your own with a short name"

Handler = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


@contextlib.contextmanager
def claim(path: Path) -> Iterator[None]:
    """Makes this process the one daemon of a socket while the block runs; `serve` belongs inside.

    Raises:
        UsageError: another daemon is, or the folder cannot be used.
    """
    try:
        lock = os.open(storage.file(path.with_suffix(".lock")), os.O_RDWR | os.O_CLOEXEC)
    except OSError as error:
        raise UsageError(f"no control socket can be made at {path}: {error.strerror}; {_REMEDY}") from None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(lock)
        raise UsageError(f"another Hearken is running already (it answers at {path})") from None
    try:
        yield
    finally:
        os.close(lock)


@contextlib.asynccontextmanager
async def serve(path: Path, handler: Handler) -> AsyncIterator[None]:
    """Answers requests at `path` while the block runs.

    Raises:
        UsageError: there can be no socket.
    """
    open_ones: set[asyncio.Task[None]] = set()

    def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(_converse(reader, writer, handler))
        open_ones.add(task)
        task.add_done_callback(open_ones.discard)

    server = await asyncio.start_unix_server(connected, sock=_bound(path), limit=_MOST_ASKED)
    try:
        yield
    finally:
        server.close()
        await asyncio.to_thread(path.unlink, missing_ok=True)
        await ended(open_ones)


async def running(path: Path) -> bool:
    """Whether a daemon answers at this socket.

    Raises:
        UsageError: one may, but not to this user.
    """
    async with asking(path) as handler:
        return handler is not None


@contextlib.asynccontextmanager
async def asking(path: Path) -> AsyncIterator[Handler | None]:
    """A way to ask the running daemon, one request after the other; None where no daemon runs.

    The handler raises HearkenError where the daemon could not do it, or went away.

    Raises:
        UsageError: a daemon may run, but not for this user.
    """
    try:
        reader, writer = await asyncio.open_unix_connection(path, limit=_MOST_ANSWERED)
    except PermissionError:
        raise UsageError(f"{path} belongs to another user; ask as the user that runs the daemon") from None
    except OSError:
        yield None
        return

    async def ask(request: dict[str, Any]) -> dict[str, Any]:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                # ASCII, so that no text can be unfit to be sent.
                writer.write(json.dumps(request).encode() + b"\n")
                line = await reader.readline()
            answer = json.loads(line) if line else None
        except TimeoutError:
            raise HearkenError("the daemon does not answer") from None
        except (OSError, ValueError):
            answer = None
        if not isinstance(answer, dict):
            raise HearkenError("the daemon went away before it answered")
        if "error" in answer:
            kind = UsageError if answer.get("usage") else HearkenError
            raise kind(str(answer["error"]))
        return answer

    try:
        yield ask
    finally:
        writer.close()


def _bound(path: Path) -> socket.socket:
    """A listening socket; what a daemon that was killed left behind is removed."""
    made = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM | socket.SOCK_CLOEXEC | socket.SOCK_NONBLOCK)
    try:
        path.unlink(missing_ok=True)
        # On Linux the file is born with the mode of the socket: nobody else gets in between.
        os.fchmod(made.fileno(), 0o600)
        made.bind(str(path))
    except OSError as error:
        made.close()
        raise UsageError(f"no control socket can be made at {path}: {error.strerror or error}; {_REMEDY}") from None
    return made


async def _converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, handler: Handler) -> None:
    try:
        while True:
            try:
                line = await reader.readline()
            except ValueError:
                writer.write(_line({"error": f"a request has at most {_MOST_ASKED} bytes", "usage": True}))
                await writer.drain()
                return
            if not line:
                return
            writer.write(_line(await _answer(line, handler)))
            await writer.drain()
    except ConnectionError:
        _LOG.debug("a control connection ended early")
    finally:
        writer.close()


async def _answer(line: bytes, handler: Handler) -> dict[str, Any]:
    try:
        request = loads(line.decode())
    except (ValueError, RecursionError):
        request = None
    if not isinstance(request, dict):
        return {"error": "a request is one JSON object on a line", "usage": True}
    try:
        return await handler(request)
    except HearkenError as error:
        return {"error": str(error), "usage": isinstance(error, UsageError)}


def _line(answer: dict[str, Any]) -> bytes:
    return json.dumps(answer).encode() + b"\n"


_LOGGER = logging.getLogger(__name__)


class Notifier:
    """One way to the service manager. No method raises: a manager that cannot be told is no reason to stop.

    The address is the path of a datagram socket, or `@name` for an abstract one; after `watchdog_s` seconds without a
    sign of life the daemon is restarted.
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

"""Standard input as lines of text, without blocking the event loop."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import sys
import threading
from collections.abc import AsyncIterator

_AT_ONCE = 1 << 16
_LONGEST = 1 << 20
"""Bytes of one line. Of a longer one nothing is used: its end must not pass for a command."""


class Keyboard:
    """Whoever types: a person at a terminal, or a program at the other end of a pipe."""

    def __init__(self, descriptor: int = 0) -> None:
        self._descriptor = descriptor
        self.interactive = self.there and os.isatty(descriptor)

    @property
    def there(self) -> bool:
        """Whether anybody can type: a terminal, a pipe or a file; not under systemd, where it is /dev/null."""
        try:
            mode = os.fstat(self._descriptor).st_mode
        except OSError:
            return False
        if os.isatty(self._descriptor):
            try:
                # Reading from a terminal that another job owns would stop this process.
                return os.tcgetpgrp(self._descriptor) == os.getpgrp()
            except OSError:  # it controls no jobs
                return True
        return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)

    async def lines(self, prompt: str = "") -> AsyncIterator[str | None]:
        """Every line that holds something, until the end; None for one that is not text, or endless."""
        rest, skipping = b"", False
        while True:
            if prompt and not rest:
                print(prompt, end="", flush=True)
            piece = await self._read()
            *whole, rest = (rest + piece).split(b"\n")
            if not piece and rest:
                whole, rest = [*whole, rest], b""
            for line in whole:
                if skipping:
                    skipping = False
                    yield None
                elif (text := _decoded(line)) != "":
                    yield text
            if len(rest) > _LONGEST:
                rest, skipping = b"", True
            if not piece:
                return

    async def _read(self) -> bytes:
        """Some bytes; none at the end."""
        loop = asyncio.get_running_loop()
        done: asyncio.Future[bytes] = loop.create_future()

        def settle(piece: bytes) -> None:
            if not done.done():
                done.set_result(piece)

        def work() -> None:
            try:
                # Not sys.stdin: its lock, held by a read that never returns, would abort the process at its end.
                piece = os.read(self._descriptor, _AT_ONCE)
            except OSError:
                piece = b""
            with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
                loop.call_soon_threadsafe(settle, piece)

        # A daemonic thread: the process must be able to end while it reads.
        threading.Thread(target=work, name="keyboard", daemon=True).start()
        return await done


def complain(problem: str) -> None:
    """One line on standard error."""
    print(f"hearken: {problem}", file=sys.stderr, flush=True)


def _decoded(line: bytes) -> str | None:
    try:
        return line.decode("utf-8").strip()
    except UnicodeDecodeError:
        return None

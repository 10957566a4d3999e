"""The control socket: how a second process asks the running daemon. One JSON object per line, each answered by one.

A request is `{"op": "text", ...}`; the answer is the result object, or `{"error": "..."}`. Only the daemon's own user
may connect: the socket's mode is 0600.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any

from daemon.errors import HearkenError, UsageError

_LOG = logging.getLogger(__name__)
_LIMIT = 1 << 20
"""Bytes of one line; a longer one ends the connection."""

Handler = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


@contextlib.asynccontextmanager
async def serve(path: Path, handler: Handler) -> AsyncIterator[None]:
    """Answers requests at `path` while the block runs.

    Raises:
        UsageError: another daemon answers there already.
    """
    if await running(path):
        raise UsageError(f"another Hearken is running already (it answers at {path})")
    await asyncio.to_thread(_clear, path)

    async def connected(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while line := await reader.readline():
                writer.write(json.dumps(await _answer(line, handler), ensure_ascii=False).encode() + b"\n")
                await writer.drain()
        except (ConnectionError, ValueError, asyncio.LimitOverrunError):
            _LOG.debug("a control connection ended early")
        finally:
            writer.close()

    # The socket is born with the mode that it keeps: nobody else gets in between.
    before = os.umask(0o177)
    try:
        server = await asyncio.start_unix_server(connected, path, limit=_LIMIT)
    finally:
        os.umask(before)
    try:
        yield
    finally:
        server.close()
        await asyncio.to_thread(path.unlink, missing_ok=True)


async def running(path: Path) -> bool:
    """Whether a daemon answers at this socket."""
    try:
        _, writer = await asyncio.open_unix_connection(path)
    except OSError:
        return False
    writer.close()
    return True


async def ask(path: Path, requests: list[dict[str, Any]]) -> list[dict[str, Any]] | None:
    """The running daemon's answers, in order; None where no daemon runs.

    Raises:
        HearkenError: the daemon could not do it, or went away.
    """
    try:
        reader, writer = await asyncio.open_unix_connection(path, limit=_LIMIT)
    except OSError:
        return None
    try:
        answers = []
        for request in requests:
            writer.write(json.dumps(request, ensure_ascii=False).encode() + b"\n")
            await writer.drain()
            line = await reader.readline()
            if not line:
                raise HearkenError("the daemon went away before it answered")
            answer = json.loads(line)
            if "error" in answer:
                raise HearkenError(str(answer["error"]))
            answers.append(answer)
        return answers
    finally:
        writer.close()


def _clear(path: Path) -> None:
    """Makes room for the socket: a daemon that was killed leaves its own behind."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)


async def _answer(line: bytes, handler: Handler) -> dict[str, Any]:
    try:
        request = json.loads(line)
        if not isinstance(request, dict):
            return {"error": "a request is one JSON object"}
        return await handler(request)
    except ValueError:
        return {"error": "a request is one JSON object per line"}
    except HearkenError as error:
        return {"error": str(error)}

"""The daemon as real processes: started, talked to, watched, ended."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from daemon.system import control
from tests.brokers import PASSWORD

ROOT = Path(__file__).resolve().parents[2]
HOME = Path(__file__).with_name("home.yaml")
SOON_S = 120.0
"""Far more than anything here takes, on a busy machine too; reached only where a test fails."""


@dataclass(frozen=True)
class Finished:
    """What a process has left."""

    code: int
    out: str
    err: str

    @property
    def complaint(self) -> str:
        """The one line on standard error."""
        lines = self.err.splitlines()
        assert len(lines) == 1, self.err
        return lines[0]

    @property
    def objects(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.splitlines()]


@dataclass
class Place:
    """The folders of one test, with all that its processes said."""

    root: Path
    runtime: Path
    extra: dict[str, str] = field(default_factory=dict)
    heard: list[bytes] = field(default_factory=list)

    @property
    def socket(self) -> Path:
        return self.runtime / "hearken" / "control.sock"

    @property
    def home(self) -> Path:
        return self.root / "devices.yaml"

    @property
    def environment(self) -> dict[str, str]:
        kept = {name: os.environ[name] for name in ("PATH", "LANG", "LC_ALL") if name in os.environ}
        folders = {"XDG_STATE_HOME": str(self.root / "state"), "XDG_RUNTIME_DIR": str(self.runtime)}
        return (
            kept
            | folders
            | {"HOME": str(self.root), "HEARKEN_HOME": str(self.home), "PYTHONUNBUFFERED": "1"}
            | self.extra
        )

    def furnish(self, mqtt: dict[str, Any] | None = None, *, replacing: tuple[str, str] = ("", "")) -> Place:
        """Writes the home file, with the broker that is to be used."""
        text = HOME.read_text(encoding="utf-8")
        assert replacing[0] in text
        if replacing[0]:
            text = text.replace(*replacing)
        if mqtt is not None:
            # YAML reads JSON.
            text += f"\nmqtt: {json.dumps(mqtt)}\n"
        self.home.write_text(text, encoding="utf-8")
        return self

    def audit(self) -> list[dict[str, Any]]:
        """The rows of the audit log, oldest first."""
        base = sqlite3.connect(f"{(self.root / 'state' / 'hearken' / 'audit.db').as_uri()}?mode=ro", uri=True)
        with contextlib.closing(base):
            base.row_factory = sqlite3.Row
            return [dict(row) for row in base.execute("SELECT * FROM acts ORDER BY id")]

    def check(self) -> None:
        """Nothing that was said or written shows a traceback or the password."""
        for text in self.heard:
            assert b"Traceback" not in text, text.decode(errors="replace")
            assert PASSWORD.encode() not in text
        for path in (self.root / "state").rglob("*"):
            if path.is_file():
                assert PASSWORD.encode() not in path.read_bytes(), path


class Daemon:
    """A process that runs, with what it has said so far."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.out: list[str] = []
        self.err: list[str] = []
        self._news = asyncio.Condition()
        self._open = 2
        assert process.stdout is not None
        assert process.stderr is not None
        self._readers = asyncio.gather(self._read(process.stdout, self.out), self._read(process.stderr, self.err))

    async def ready(self) -> None:
        await self.until(lambda: any("ready after" in line for line in self.err))

    async def until(self, holds: Callable[[], bool]) -> None:
        """Waits until what was said makes it true; fails where the process ends before."""
        async with asyncio.timeout(SOON_S), self._news:
            await self._news.wait_for(lambda: holds() or self._open == 0)
        assert holds(), f"it said {self.out} and {self.err}"

    async def replies(self, count: int) -> list[str]:
        await self.until(lambda: len(self.out) >= count)
        return self.out[:count]

    def type(self, *lines: str | bytes) -> None:
        assert self.process.stdin is not None
        for line in lines:
            self.process.stdin.write((line.encode() if isinstance(line, str) else line) + b"\n")

    async def end(self) -> int:
        """Waits for the end, after the end of its input."""
        if self.process.stdin is not None:
            self.process.stdin.close()
        async with asyncio.timeout(SOON_S):
            await self._readers
            return await self.process.wait()

    async def terminate(self) -> int:
        self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(SOON_S):
            await self._readers
            return await self.process.wait()

    async def _read(self, stream: asyncio.StreamReader, lines: list[str]) -> None:
        async for line in stream:
            async with self._news:
                lines.append(line.decode().rstrip("\n"))
                self._news.notify_all()
        async with self._news:
            self._open -= 1
            self._news.notify_all()


@contextlib.asynccontextmanager
async def running(
    place: Place, *options: str, stdin: int = asyncio.subprocess.PIPE, deaf: bool = True
) -> AsyncIterator[Daemon]:
    """`run`, until it is ready; killed at the end where it still runs."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "daemon", "run", "--mute", *(["--deaf"] if deaf else []), *options),
        cwd=ROOT,
        env=place.environment,
        stdin=stdin,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        limit=1 << 24,
    )
    daemon = Daemon(process)
    try:
        await daemon.ready()
        yield daemon
    finally:
        if process.returncode is None:
            process.kill()
        with contextlib.suppress(TimeoutError):
            await daemon.end()
        place.heard += ["\n".join(lines).encode() for lines in (daemon.out, daemon.err)]


async def command(place: Place, *arguments: str | bytes, stdin: bytes | None = None) -> Finished:
    """One command from its start to its end."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "daemon", *arguments),
        cwd=ROOT,
        env=place.environment,
        stdin=asyncio.subprocess.DEVNULL if stdin is None else asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        async with asyncio.timeout(SOON_S):
            out, err = await process.communicate(stdin)
    finally:
        if process.returncode is None:
            process.kill()
    place.heard += [out, err]
    assert process.returncode is not None
    return Finished(process.returncode, out.decode(), err.decode())


async def say(place: Place, *sentences: str, satellite: str = "console") -> list[dict[str, Any]]:
    """The running daemon's answers, in one conversation."""
    async with control.asking(place.socket) as ask:
        assert ask is not None
        return [await ask({"op": "text", "text": text, "satellite": satellite}) for text in sentences]

"""What subcommands share: options, home files of either format, lines that are typed, and how results are printed."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import re
import stat
import sys
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.system.languages import LANGS

if TYPE_CHECKING:
    from daemon.home.config import HomeConfig

_UNFIT = re.compile("[\x7f-\x9f\u2028\u2029\ud800-\udfff]")
"""What JSON may hold but a line should not: some programs break lines there, and half characters do not print."""


def common(*, speech: bool = False) -> argparse.ArgumentParser:
    """A parent parser with `--json`, `--home`, and for spoken or typed commands `--lang`, `--area`, `--speaker`."""
    parser = argparse.ArgumentParser(add_help=False)
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.add_argument("--home", type=Path, metavar="FILE", help="the home file (default: devices.yaml)")
    if speech:
        parser.add_argument("--lang", choices=LANGS, help="the language (default: told from the text)")
        parser.add_argument("--area", help="the area where the microphone is")
        parser.add_argument("--speaker", help="who speaks")
        parser.add_argument("--trace", action="store_true", help="show every stage")
    return parser


def emit(value: dict[str, Any]) -> None:
    """Prints one JSON object on one line."""
    print(dumped(value), flush=True)


def dumped(value: object) -> str:
    """JSON on one line, readable, and fit for any terminal."""
    return _UNFIT.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(value, ensure_ascii=False))


def printable(text: str) -> str:
    """Text without what would move a cursor, change a colour or hide a word: names and values are not ours."""
    return "".join(character if character.isprintable() else "\ufffd" for character in text)


def show(result: dict[str, Any], *, as_json: bool, trace: bool) -> None:
    """Prints one result, as given by `Result.to_dict`."""
    if as_json:
        emit(result)
        return
    if trace:
        for event in result.get("trace", ()):
            facts = {key: value for key, value in event.items() if key not in ("at_ms", "stage")}
            print(f"  {event['at_ms']:9.2f} ms  {event['stage']:<10} {dumped(facts)}")
        timings = ", ".join(f"{stage} {ms:g}" for stage, ms in result["ms"].items())
        print(f"  {'':>12}  time (ms)  {timings}")
        print(f"  {'':>12}  read by    {result['source'] or 'nobody'}")
    badge = "  [model]" if result["source"] == "model" else ""
    print((printable(result["reply"]) or f"({result['outcome']})") + badge, flush=True)


def load_any(path: Path) -> HomeConfig:
    """Reads `devices.yaml`, or a JSON home as `eval` reads them.

    Raises:
        ConfigError: it is wrong; says where.
    """
    if path.suffix == ".json":
        from daemon.home.foreign import load_foreign

        return load_foreign(path)
    from daemon.home.loader import load_home

    return load_home(path)


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

"""`run`: the daemon. Typed commands on standard input, the microphone if there is one, the control socket."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import logging
import os
import signal
import stat
import sys
import threading
import time
from collections.abc import AsyncIterator, Callable
from typing import Any

from daemon import control
from daemon.commands.options import common, show
from daemon.commands.session import session
from daemon.commands.text import answer, request
from daemon.commands.voice import Voice, open_voice
from daemon.config import Paths
from daemon.errors import HearkenError, UsageError
from daemon.notify import Notifier

_LOG = logging.getLogger(__name__)


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser(
        "run",
        parents=[common(speech=True)],
        help="start the daemon",
        description="Starts the daemon: on the broker that the home file names, else on an embedded one with a "
        "simulated home. Reads commands from standard input; where that is a pipe, its end ends the daemon.",
    )
    parser.add_argument("--mute", action="store_true", help="do not speak")
    parser.add_argument("--deaf", action="store_true", help="do not use the microphone")
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    """Serves until told to stop, or until a pipe on standard input ends."""
    started = time.perf_counter()
    notifier = Notifier.from_environment()
    paths = Paths.of(args.home)
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, over.set)
    async with contextlib.AsyncExitStack() as stack:
        pipeline = await stack.enter_async_context(session(paths, wait=False))
        turn = asyncio.Lock()

        async def handle(asked: dict[str, Any]) -> dict[str, Any]:
            if asked.get("op") != "text":
                raise UsageError(f"there is no operation {asked.get('op')!r}")
            async with turn:
                return await answer(pipeline, asked)

        await stack.enter_async_context(control.serve(paths.socket, handle))
        voice = await stack.enter_async_context(open_voice(args, pipeline, paths, handle))
        tasks = [asyncio.create_task(notifier.keep_alive()), asyncio.create_task(voice.listen())]
        if _reads_stdin():
            tasks.append(asyncio.create_task(_typed(args, voice, handle, over)))
        _LOG.info("ready after %.1f s: %s", time.perf_counter() - started, voice.ability)
        notifier.ready(voice.ability)
        await over.wait()
        notifier.stopping()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
    return 0


async def _typed(args: argparse.Namespace, voice: Voice, handle: control.Handler, over: asyncio.Event) -> None:
    interactive = sys.stdin.isatty()
    if interactive:
        print('Type a command, for example "turn on the hall light" or 打开老伙计. Ctrl-D ends.', flush=True)
    async for line in _lines(prompt="> " if interactive else ""):
        try:
            result = await handle(request(args, line))
        except HearkenError as error:
            print(f"hearken: {error}", file=sys.stderr)
            continue
        show(result, as_json=args.json, trace=args.trace)
        await voice.say(result["reply"], result["lang"])
    over.set()


async def _lines(prompt: str) -> AsyncIterator[str]:
    """The lines of standard input, without blocking the loop; one that is not text is passed over."""
    while True:
        print(prompt, end="", flush=True)
        # A thread of its own, daemonic: a read that never returns must not keep the process from ending.
        raw = await _in_daemon_thread(sys.stdin.buffer.readline)
        if not raw:
            return
        line = raw.decode("utf-8", errors="replace").strip()
        if line:
            yield line


def _reads_stdin() -> bool:
    """Whether anybody can type: a terminal, a pipe or a file; not under systemd, where it is /dev/null."""
    if sys.stdin is None or sys.stdin.closed:
        return False
    if sys.stdin.isatty():
        return True
    mode = os.fstat(sys.stdin.fileno()).st_mode
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode) or stat.S_ISSOCK(mode)


async def _in_daemon_thread(read: Callable[[], bytes]) -> bytes:
    loop = asyncio.get_running_loop()
    done: asyncio.Future[bytes] = loop.create_future()

    def work() -> None:
        line = read()
        with contextlib.suppress(RuntimeError):  # the loop has ended meanwhile
            loop.call_soon_threadsafe(_settle, done, line)

    threading.Thread(target=work, name="stdin", daemon=True).start()
    return await done


def _settle(done: asyncio.Future[bytes], line: bytes) -> None:
    if not done.done():
        done.set_result(line)

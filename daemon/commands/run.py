"""`run`: the daemon. Typed commands on standard input, the microphone if there is one, the control socket."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import logging
import signal
import time
from typing import TYPE_CHECKING, Any

from daemon.commands.board import Board
from daemon.commands.herald import Herald
from daemon.commands.mailbox import Mailbox
from daemon.commands.options import Keyboard, common, complain, show
from daemon.commands.text import request
from daemon.commands.timers import show_timers
from daemon.core.errors import HearkenError
from daemon.system import control
from daemon.system.config import Paths
from daemon.system.control import Notifier
from daemon.system.worker import ended

if TYPE_CHECKING:
    from daemon.commands.session import House, Turns
    from daemon.commands.voice import Voice
    from daemon.home.config import Console as Settings

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
    parser.set_defaults(run=run, log_level=logging.INFO)


async def run(args: argparse.Namespace) -> int:
    """Serves until told to stop, or until a pipe on standard input ends."""
    started = time.perf_counter()
    from daemon.commands.session import Turns, session
    from daemon.commands.voice import open_voice

    notifier = Notifier.from_environment()
    paths = Paths.of(args.home)
    over = asyncio.Event()
    loop = asyncio.get_running_loop()
    for number in (signal.SIGINT, signal.SIGTERM):
        loop.add_signal_handler(number, over.set)
    async with contextlib.AsyncExitStack() as stack:
        stack.enter_context(control.claim(paths.socket))
        house = await stack.enter_async_context(session(paths, serving=True))
        await asyncio.to_thread(house.opened.prepare)
        # What there is now stays: the collector need not look through it again and again, for a tenth of a second.
        gc.freeze()
        turns = Turns(house.opened.pipeline, house.opened.inventory, house.opened.ledger, house.opened.later)
        turns.check(request(args, ""))
        await stack.enter_async_context(control.serve(paths.socket, turns.handle))
        voice = await stack.enter_async_context(open_voice(args, house, paths, turns))
        work = [notifier.keep_alive(), voice.listen()]
        mailbox = None
        if house.home.interface is not None:
            status = house.bus.broker.status_topic or ""
            mailbox = Mailbox(house.bus, house.home.interface, house.home.satellites, turns.handle, status)
            await mailbox.start()
            work.append(mailbox.serve())
            board = Board(house.bus, house.home.interface, house.opened.later.lists, house.list_name, status)
            work.append(board.serve())
        if house.home.console is not None:
            work.append(_console(house.home.console, house, paths, turns, voice))
        herald = Herald(voice, mailbox, as_json=args.json)
        stack.callback(house.opened.pipeline.parts.announcements.listen(herald))
        work.append(herald.serve())
        house.opened.pipeline.parts.broadcasting.through(voice.loudspeakers)
        stack.callback(show_timers(house.opened.later.agenda, voice.satellites))
        # Last, so that whoever is to say what was missed is there.
        await stack.enter_async_context(house.opened.firing.running())
        keyboard = Keyboard()
        if keyboard.there:
            work.append(_typed(args, keyboard, voice, turns, over))
        # Whether the broker is there has been said when it was found, or was not.
        told = _status(house, voice) if house.simulated else voice.ability
        _LOG.info("ready after %.1f s: %s", time.perf_counter() - started, told)
        notifier.ready(_status(house, voice))
        stack.callback(house.bus.on_connection(lambda _: notifier.status(_status(house, voice))))
        await _until(over, [asyncio.create_task(item) for item in work])
        notifier.stopping()
    return 0


async def _console(settings: Settings, house: House, paths: Paths, turns: Turns, voice: Voice) -> None:
    """Serves the pages in a browser until it is cancelled, where they can be served."""
    from daemon.console.server import Console
    from daemon.console.view import View
    from daemon.console.words import Words

    try:
        words = Words.load(paths.rules)
    except HearkenError as error:
        _LOG.warning("there is no console: %s", error)
        return
    view = View(house.home, house.opened, paths, turns.handle, turns.listen, words, voice.satellites)
    await Console(settings, view).serve()


async def _until(over: asyncio.Event, tasks: list[asyncio.Task[None]]) -> None:
    """Waits for the end; a task that fails is the end too, and its error is raised."""
    end = asyncio.create_task(over.wait())
    pending: set[asyncio.Task[Any]] = {end, *tasks}
    try:
        while not over.is_set():
            done, pending = await asyncio.wait(pending, return_when=asyncio.FIRST_COMPLETED)
            for task in done:
                task.result()
    finally:
        await ended(pending)


async def _typed(args: argparse.Namespace, keyboard: Keyboard, voice: Voice, turns: Turns, over: asyncio.Event) -> None:
    if keyboard.interactive:
        print('Type a command, for example "turn on the hall light" or 打开老伙计. "quit" ends.', flush=True)
    async for line in keyboard.lines(prompt="> " if keyboard.interactive else ""):
        if line is None:
            complain("a line that is no UTF-8 text, or far too long, was passed over")
            continue
        try:
            result = await turns.handle(request(args, line))
        except HearkenError as error:
            complain(str(error))
            continue
        # A reader that is slow to take what is printed must not hold up the house.
        await asyncio.to_thread(show, result, as_json=args.json, trace=args.trace)
        await voice.say(result["reply"], result["lang"])
        if _is_goodbye(result):
            break
    over.set()


def _is_goodbye(result: dict[str, Any]) -> bool:
    """Whether it was "quit" or "bye"."""
    clauses = (result.get("ir") or {}).get("clauses") or [{}]
    return bool(clauses[0].get("move") == "leave")


def _status(house: House, voice: Voice) -> str:
    """One line for the log and the service manager."""
    broker = house.bus.broker.address
    if house.simulated:
        where = "no broker configured, so the home is simulated"
    elif house.bus.connected:
        where = f"connected with the broker at {broker}"
    else:
        where = f"the broker at {broker} is away"
    return f"{where}; {voice.ability}"

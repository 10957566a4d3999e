"""`later`: what is kept for later (timers, times, rules), and its dropping."""

from __future__ import annotations

import argparse
import contextlib
import functools
from typing import TYPE_CHECKING, Any

from daemon.commands.options import common, emit, printable
from daemon.core.errors import HearkenError, UsageError
from daemon.schedule.entries import Entry, Kept
from daemon.system import control
from daemon.system.config import Paths

if TYPE_CHECKING:
    from daemon.app import Later


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser(
        "later",
        parents=[common()],
        help="list and cancel timers, planned commands and rules",
        description="Lists what is kept for later, the next first, or cancels some of it by its number.",
    )
    what = parser.add_subparsers(dest="do", metavar="WHAT")
    parser.set_defaults(run=run, do="list", ids=[])
    what.add_parser("list", help="everything (this is what happens where nothing is said)")
    cancel = what.add_parser("cancel", help="drop what has this number")
    cancel.add_argument("ids", metavar="ID", nargs="+", type=int)


async def run(args: argparse.Namespace) -> int:
    """Asks the running daemon, or reads what is kept where none runs."""
    paths = Paths.of(args.home)
    async with contextlib.AsyncExitStack() as stack:
        handle = None if args.home else await stack.enter_async_context(control.asking(paths.socket))
        if handle is None:
            from daemon.commands.session import kept

            handle = functools.partial(answer, await kept(paths))
        told = await handle({"op": "later", "do": args.do, "ids": args.ids})
    for facts in told["later"]:
        if args.json:
            emit(facts)
        else:
            print(printable(f"{facts['id']:>4}  {facts.get('due', ''):<25}  {facts['text']}"))
    if not told["later"] and not args.json:
        print("nothing is kept for later")
    return 0


async def answer(later: Later, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request `{"op": "later", "do": "list" | "cancel", "ids": [...]}`: what is kept then.

    Raises:
        UsageError: it is not a request.
        HearkenError: there is nothing with such a number.
    """
    ids = asked.get("ids", [])
    if asked.get("do") == "cancel":
        if not isinstance(ids, list) or not all(isinstance(item, int) for item in ids):
            raise UsageError("ids is no list of numbers")
        if (unknown := next((item for item in ids if later.agenda.get(item) is None), None)) is not None:
            raise HearkenError(f"nothing that is kept has the number {unknown}")
        await later.agenda.drop(ids)
    elif asked.get("do") != "list":
        raise UsageError(f"there is nothing to do as {asked.get('do')!r}")
    return {"later": facts(later)}


def facts(later: Later) -> list[dict[str, object]]:
    """Everything that is kept, JSON-ready; what does not apply is left out."""
    return [_facts(later, item) for item in later.agenda.entries]


def _facts(later: Later, entry: Entry) -> dict[str, object]:
    entry = later.agenda.as_now(entry)
    told: dict[str, object] = {
        "id": entry.id,
        "sort": entry.sort,
        "due": None if entry.due is None else later.clock.local(entry.due).astimezone().isoformat(timespec="seconds"),
        "standing": entry.standing,
        "text": later.speech.reply((Kept((entry,)),), entry.origin.lang),
        "said": entry.origin.said,
        "satellite": entry.origin.satellite,
        "entities": list(entry.entities),
        "name": entry.name,
        "paused": True if entry.left is not None else None,
    }
    return {name: value for name, value in told.items() if value not in (None, [])}

"""`learnt`: what Hearken has learnt of words, and its editing."""

from __future__ import annotations

import argparse
import contextlib
import functools
from datetime import datetime
from typing import Any

from daemon.commands.options import common, emit, printable
from daemon.core.errors import UsageError
from daemon.memory.ledger import Ledger
from daemon.system import control
from daemon.system.config import Paths

_FIELDS = ("word", "meaning", "speaker")


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser(
        "learnt",
        parents=[common()],
        help="list and edit the names and preferences that were learnt",
        description="Lists what was learnt of words, with its origin; adds, renames and removes it. A running daemon "
        "knows it at once.",
    )
    what = parser.add_subparsers(dest="do", metavar="WHAT")
    parser.set_defaults(run=run, do="list", yes=False)
    what.add_parser("list", help="everything (this is what happens where nothing is said)")
    add = what.add_parser("add", help="give a thing one name more")
    add.add_argument("word", metavar="NAME")
    add.add_argument("meaning", metavar="DEVICE", help="its id or name")
    add.add_argument("--yes", action="store_true", help="also for what is asked about before it acts")
    prefer = what.add_parser("prefer", help="say what a word means to somebody")
    prefer.add_argument("word", metavar="WORD")
    prefer.add_argument("meaning", metavar="MEANING", help="a device, or a value such as a programme")
    prefer.add_argument("--speaker", help="whose word it is (default: everybody's)")
    rename = what.add_parser("rename", help="put another name in the place of a learnt one")
    rename.add_argument("word", metavar="OLD")
    rename.add_argument("meaning", metavar="NEW")
    remove = what.add_parser("remove", help="forget a word")
    remove.add_argument("word", metavar="WORD")
    remove.add_argument("--speaker", help="only what is theirs")


async def run(args: argparse.Namespace) -> int:
    """Asks the running daemon, or edits what is kept where none runs."""
    paths = Paths.of(args.home)
    async with contextlib.AsyncExitStack() as stack:
        handle = None if args.home else await stack.enter_async_context(control.asking(paths.socket))
        if handle is None:
            from daemon.commands.session import reading

            handle = functools.partial(answer, await reading(paths))
        given = {name: getattr(args, name, None) for name in _FIELDS}
        asked = {"op": "learnt", "do": args.do, "yes": args.yes}
        told = await handle(asked | {name: value for name, value in given.items() if value is not None})
    for facts in told["learnt"]:
        if args.json:
            emit(facts)
        else:
            print(printable(_line(facts)))
    if not told["learnt"] and not args.json:
        print("nothing has been learnt")
    return 0


async def answer(ledger: Ledger, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request `{"op": "learnt", "do": "list" | "add" | "prefer" | "rename" | "remove", ...}`.

    Raises:
        UsageError: it is not a request.
        HearkenError: it cannot be done.
    """
    do = asked.get("do")
    word, meaning, speaker = (asked.get(name) for name in _FIELDS)
    if do != "list" and not isinstance(word, str):
        raise UsageError("a request to learn needs a word")
    if do not in ("list", "remove") and not isinstance(meaning, str):
        raise UsageError("a request to learn needs a meaning")
    if not isinstance(speaker, str | None):
        raise UsageError("speaker is not a word")
    match do:
        case "add":
            await ledger.name(str(word), str(meaning), agreed=asked.get("yes") is True)
        case "prefer":
            await ledger.prefer(str(word), str(meaning), speaker)
        case "rename":
            await ledger.rename(str(word), str(meaning))
        case "remove":
            await ledger.forget(str(word), speaker)
        case "list":
            pass
        case _:
            raise UsageError(f"there is nothing to do as {do!r}")
    return {"learnt": ledger.facts()}


def _line(facts: dict[str, Any]) -> str:
    origin = facts["origin"]
    when = datetime.fromtimestamp(origin["at"]).astimezone().strftime("%Y-%m-%d")
    whose = facts.get("speaker") or "everybody"
    means = f"{facts['meaning']} {facts.get('unit', '')}".strip()
    gone = "" if facts["applies"] else "  (there is no such device)"
    head = f"{facts['word']:<24} {facts['kind']:<11} {means:<24} {whose:<10}"
    return f"{head} {origin['how']:<8} {when}  {facts['uses']}x{gone}"

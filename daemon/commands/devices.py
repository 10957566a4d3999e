"""`devices`: what is in the home, as Hearken understands it; what the broker tells; a file to begin with."""

from __future__ import annotations

import argparse
import contextlib
import sys
from collections.abc import Awaitable, Callable
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from daemon.act.audit import Audit
from daemon.commands.adopting import skeleton
from daemon.commands.homes import load_any
from daemon.commands.options import common, emit, printable
from daemon.core.errors import UsageError
from daemon.discovery.inventory import Inventory
from daemon.home.registry import Registry
from daemon.memory.memory import Memory
from daemon.memory.store import Store
from daemon.system import control
from daemon.system.config import Paths

if TYPE_CHECKING:
    from daemon.commands.session import House

Ask = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser(
        "devices",
        parents=[common()],
        help="check the home file and list what is in it",
        description="Checks the home file and lists what is in it; with the daemon running, also what the broker tells "
        "of and what every device last said.",
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help="only what is called so, with everything about it")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--tags", action="store_true", help="the tags, each with what bears it")
    what.add_argument("--diff", action="store_true", help="what the file overrides or lacks of what the broker tells")
    what.add_argument("--adopt", type=Path, metavar="FILE", help="write a home file for what the broker tells of")
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    """Prints what was asked for; 1 where a name is not known."""
    paths = Paths.of(args.home)
    # What is wrong with the file is said, whoever answers then.
    home = load_any(paths.home)
    if args.names and (args.tags or args.diff or args.adopt):
        raise UsageError("NAME does not go with --tags, --diff or --adopt")
    async with contextlib.AsyncExitStack() as stack:
        ask: Ask | None = None if args.home else await stack.enter_async_context(control.asking(paths.socket))
        if home.discovery is None and (args.adopt or (args.diff and ask is None)):
            raise UsageError(f"{paths.home} names no broker that could tell of devices; add mqtt:")
        if ask is None and (args.diff or args.adopt):
            from daemon.commands.session import session

            ask = _asking(await stack.enter_async_context(session(paths, audit=False)))
        if ask is None:
            if home.discovery is not None:
                note = f"this is {paths.home} alone; a daemon that runs, asked without --home, knows the rest"
                print(note, file=sys.stderr)
            registry = Registry(home.entities, home.people)
            await Memory(registry, Store(paths.learnt)).open()
            file = Inventory(registry, audit=Audit(paths.state / "audit.db"))
            ask = _asking_inventory(file)
        told = await ask({"op": "devices", "names": args.names, "what": _what(args)})
    if args.adopt:
        _write(args.adopt, skeleton(home, told["devices"], datetime.now().astimezone().date()))
    elif args.tags or args.diff:
        _show_table(told, as_json=args.json)
    else:
        _show_devices(told["devices"], args)
    return 0


async def answer(inventory: Inventory, asked: dict[str, Any]) -> dict[str, Any]:
    """The answer to a request `{"op": "devices", "names": [...], "what": "list" | "tags" | "diff" | "found"}`.

    Raises:
        UsageError: it is not a request.
        HearkenError: a name is not known.
    """
    names = asked.get("names", [])
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise UsageError("names is no list of names")
    match asked.get("what", "list"):
        case "tags":
            return dict(inventory.tags())
        case "diff":
            return inventory.difference()
        case "found":
            return {"devices": [await inventory.describe(item) for item in inventory.find(())]}
        case "list":
            found = inventory.find(names)
            return {"devices": [await inventory.describe(item, acts=bool(names)) for item in found]}
    raise UsageError(f"there is nothing to tell as {asked.get('what')!r}")


def _what(args: argparse.Namespace) -> str:
    return "tags" if args.tags else "diff" if args.diff else "found" if args.adopt else "list"


def _asking(house: House) -> Ask:
    return _asking_inventory(house.opened.inventory)


def _asking_inventory(inventory: Inventory) -> Ask:
    async def ask(asked: dict[str, Any]) -> dict[str, Any]:
        return await answer(inventory, asked)

    return ask


def _write(file: Path, text: str) -> None:
    try:
        with file.open("x", encoding="utf-8") as out:
            out.write(text)
    except FileExistsError:
        raise UsageError(f"{file} is there already; name a new file") from None
    except OSError as error:
        raise UsageError(f"{file} cannot be written: {error.strerror}") from None
    print(f"{file} is written; python -m daemon devices --home {file} checks it")


def _show_table(told: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        emit(told)
        return
    for what, found in told.items():
        listed = found.items() if isinstance(found, dict) else [(name, "") for name in found]
        print(printable(f"{what}: {len(found)}"))
        for name, more in listed:
            text = ", ".join(map(str, more)) if isinstance(more, list) else str(more)
            print(printable(f"  {name:<32} {text}".rstrip()))


def _show_devices(found: list[dict[str, Any]], args: argparse.Namespace) -> None:
    for facts in found:
        if args.json or args.names:
            emit(facts)
        else:
            print(printable(_line(facts)))
    if not args.names and not args.json:
        kinds = [facts["kind"] for facts in found]
        print(", ".join(f"{kinds.count(kind)} {kind}s" for kind in ("device", "area", "floor", "group", "scene")))


def _line(facts: dict[str, Any]) -> str:
    able = ", ".join(dict.fromkeys(item["attribute"] for item in facts.get("capabilities", ())))
    inside = f"{len(facts['members'])} devices" if "members" in facts else ""
    place = facts.get("area") or facts.get("floor") or ""
    what = facts.get("type") or facts["kind"]
    names = ", ".join((*facts.get("names", ()), *facts.get("learnt_names", ())))
    return f"{facts['id']:<24} {what:<16} {place:<14} {able or inside:<44} {names}"

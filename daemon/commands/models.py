"""`models`: which models there are, which are installed; fetches, checks and adds them."""

from __future__ import annotations

import argparse
import asyncio
import sys
from pathlib import Path

from daemon.commands.options import emit
from daemon.core.errors import UsageError
from daemon.models.fetch import add, fetch
from daemon.models.progress import ProgressLine
from daemon.models.store import Status, Store
from daemon.system.config import Paths


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommand."""
    parser = subparsers.add_parser(
        "models",
        help="list, fetch and check model files",
        description="Lists the models; `fetch` gets those marked default or those named, `verify` reads every byte of "
        "what is installed, `add NAME FOLDER` installs one from files that are already here.",
    )
    parser.add_argument("action", nargs="?", choices=("list", "fetch", "verify", "add"), default="list")
    parser.add_argument("names", nargs="*", metavar="NAME")
    parser.add_argument("--json", action="store_true", help="one JSON object per line")
    parser.set_defaults(run=run)


async def run(args: argparse.Namespace) -> int:
    """1 where a model is corrupt or could not be had."""
    store = Store(Paths.of().models)
    if args.action == "add":
        if len(args.names) != 2:  # noqa: PLR2004 - a name and a folder
            raise UsageError("models add: give it a NAME and the FOLDER that has the files")
        model = await asyncio.to_thread(add, store, args.names[0], Path(args.names[1]))
        print(f"{model.name} is installed")
        return 0
    if args.action == "fetch":
        fetched = await asyncio.to_thread(fetch, store, args.names, progress=ProgressLine(sys.stderr))
        print(", ".join(model.name for model in fetched) + " installed" if fetched else "everything was here already")
        return 0
    statuses = await asyncio.to_thread(store.verify if args.action == "verify" else store.list)
    for status in statuses:
        _show(status, as_json=args.json)
    return 1 if any(status.state == "corrupt" for status in statuses) else 0


def _show(status: Status, *, as_json: bool) -> None:
    model = status.model
    size = f"{model.size / 1e6:.0f} MB" if model.size else "-"
    if as_json:
        emit(
            {
                "name": model.name,
                "kind": model.kind,
                "engine": model.engine,
                "languages": sorted(model.languages),
                "size": model.size,
                "licence": model.licence,
                "state": status.state,
                "problem": status.problem,
            }
        )
        return
    note = status.problem or (f"`{model.command}` gets it" if status.state == "missing" else "")
    langs = ",".join(sorted(model.languages))
    print(f"{model.name:<22} {model.kind:<12} {langs:<6} {size:>8}  {status.state:<10} {note}")

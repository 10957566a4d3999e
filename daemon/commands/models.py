"""`models`: which models there are, which are installed; fetches, checks and adds them."""

from __future__ import annotations

import argparse
import asyncio
import importlib.util
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from msgspec import Struct

from daemon.commands.options import emit
from daemon.core.errors import ConfigError, UsageError
from daemon.home.config import HomeConfig, ModelSettings
from daemon.models.fetch import ProgressLine, add, fetch
from daemon.models.store import Status, Store
from daemon.system.config import Paths, make
from daemon.system.nodes import nearest, quoted


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


_ENCODER: Final = "encoder"
_TAGGER: Final = "tagger"
_SEGMENTER: Final = "segmenter"
_FOLLOWUPS: Final = "followups"
_DECODER: Final = "decoder"
_LLAMA: Final = f"`{make('llama')}` builds llama-cpp-python; until then the tagger goes on alone"


class Standing(Struct, frozen=True):
    """How one model stands; `problem` says in one line what is wrong and what to do, and is empty where all is well."""

    name: str
    problem: str = ""
    wanted: bool = True
    """Whether this home uses it."""


def check_name(settings: ModelSettings | None, home: Path, models: Path) -> None:
    """Whether the model that the home file names can compile.

    Raises:
        ConfigError: there is none of that name, with the line and the names that there are; or the manifest is wrong.
    """
    if settings is None or settings.name is None:
        return
    listed = Store(models).manifest.models
    known = tuple(item.name for item in listed if item.kind == "compiler")
    if settings.name not in known:
        problem = f"unknown model {quoted(settings.name)}"
        remedy = f"{nearest(settings.name, known)}; known: {', '.join(known)}"
        raise ConfigError(home, settings.line, "model.name", problem, remedy)


def standings(home: HomeConfig | None, paths: Paths, *, deep: bool) -> Iterator[Standing]:
    """How each stands that is listed; `deep` reads every byte.

    Raises:
        ConfigError: the manifest is wrong.
        ModelCorrupt: the list of hashes is.
    """
    store = Store(paths.models)
    settings = home.model if home is not None else None
    second = (settings.name if settings is not None else None) or _DECODER
    for name in dict.fromkeys((_TAGGER, _SEGMENTER, _FOLLOWUPS, second, _ENCODER)):
        model = next((item for item in store.manifest.models if item.name == name), None)
        if model is None:
            continue
        wanted = name == _ENCODER or settings is not None
        status = store.status(model, deep=deep)
        if status.state == "missing":
            yield Standing(name, f"is not installed; `{model.command}` gets it", wanted)
        elif status.state == "corrupt":
            yield Standing(name, f"is damaged: {status.problem}; `{model.command}` mends it", wanted)
        elif model.engine == "llama-cpp" and importlib.util.find_spec("llama_cpp") is None:
            yield Standing(name, _LLAMA, settings is not None and settings.name == name)
        else:
            yield Standing(name, "", wanted)

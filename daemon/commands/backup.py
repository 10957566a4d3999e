"""`backup` and `restore`: the home file and what was kept, in one file and back."""

from __future__ import annotations

import argparse
import asyncio
from datetime import datetime
from pathlib import Path
from tempfile import TemporaryDirectory

from daemon import __version__
from daemon.act import audit
from daemon.commands.options import common, complain, emit, load_any, printable
from daemon.core.errors import BackupError, HearkenError
from daemon.home.secrets import places
from daemon.lists import lists
from daemon.memory import memory
from daemon.schedule import agenda
from daemon.system import control, storage
from daemon.system.archive import Manifest, Part, pack, unpack
from daemon.system.config import Paths
from daemon.system.exchange import clear, exchange

_AUDIT = "audit.db"


def add_parser(subparsers: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Adds the subcommands."""
    parser = subparsers.add_parser(
        "backup",
        parents=[common()],
        help="put the home file and what was kept into one file",
        description="Writes the home file, what was learnt, what is kept for later and the lists into one tar.gz that "
        "only you may read. The daemon may be running. Secrets are not in it: it says where they are.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="where to; no file may be there")
    parser.add_argument("--audit", action="store_true", help="the audit log as well: what was said and done")
    parser.set_defaults(run=run_backup)
    parser = subparsers.add_parser(
        "restore",
        parents=[common()],
        help="go back to what a backup holds",
        description="Checks a backup, and puts what it holds in the place of what there is, all or nothing. What is "
        "replaced is kept as a backup beside the state. The daemon must not be running.",
    )
    parser.add_argument("file", metavar="FILE", type=Path, help="what `backup` has written")
    parser.set_defaults(run=run_restore)


async def run_backup(args: argparse.Namespace) -> int:
    """Makes a backup, and tells what is in it."""
    return await asyncio.to_thread(_backup, args)


async def run_restore(args: argparse.Namespace) -> int:
    """Goes back to a backup, and tells what it was."""
    return await asyncio.to_thread(_restore, args)


def _backup(args: argparse.Namespace) -> int:
    paths = Paths.of(args.home)
    parts = {name: part for name, part in _parts(paths).items() if args.audit or name != _AUDIT}
    try:
        elsewhere = places(load_any(paths.home))
    except HearkenError as error:
        # Of a home file with mistakes a backup is wanted all the same.
        complain(f"{error}; until that is mended the backup cannot be restored")
        elsewhere = ()
    manifest = pack(args.file, parts, __version__, _now())
    if args.json:
        emit({"backup": str(args.file), "files": list(manifest.files), "elsewhere": list(elsewhere)})
        return 0
    print(f"{args.file}: {', '.join(_told(name, part) for name, part in parts.items())}")
    if elsewhere:
        print(printable(f"Not in it, and to be kept elsewhere: {', '.join(elsewhere)}"))
    return 0


def _restore(args: argparse.Namespace) -> int:
    paths = Paths.of(args.home)
    parts = _parts(paths)
    storage.folder(paths.state)
    with control.claim(paths.socket), TemporaryDirectory(prefix=".restore-", dir=paths.state) as name:
        staged = Path(name)
        manifest = unpack(args.file, parts, staged)
        found = {name: parts[name] for name in manifest.files}
        _check_home(staged / _home(paths))
        before = _kept_before(paths, found)
        exchange(found, staged)
    if args.json:
        emit({"restored": list(found), "made": manifest.made, "hearken": manifest.hearken, "before": str(before)})
        return 0
    print(f"Restored: {', '.join(_told(name, part) for name, part in found.items())}; {_whence(manifest)}")
    print(f"What was there before is kept as {before}")
    return 0


def _parts(paths: Paths) -> dict[str, Part]:
    """All that a backup can hold."""
    # A link is left as it is: where it leads to, the file is read and written.
    return {
        _home(paths): Part(paths.home.resolve()),
        paths.learnt.name: Part(paths.learnt, memory.SCHEMA),
        paths.later.name: Part(paths.later, agenda.SCHEMA),
        paths.lists.name: Part(paths.lists, lists.SCHEMA),
        _AUDIT: Part(paths.state / _AUDIT, audit.SCHEMA),
    }


def _home(paths: Paths) -> str:
    return f"home{paths.home.suffix}"


def _check_home(file: Path) -> None:
    if file.exists():
        try:
            load_any(file)
        except HearkenError as error:
            raise BackupError(
                f"its home file is not one that this Hearken takes, and nothing was changed: {error}"
            ) from None


def _kept_before(paths: Paths, parts: dict[str, Part]) -> Path:
    for part in parts.values():
        clear(part)
    there = {name: part for name, part in parts.items() if part.schema is not None or part.path.exists()}
    # In the order of their names they are in that of time.
    kept = paths.state / f"before-restore-{_now().replace(':', '')}.tar.gz"
    pack(kept, there, __version__, _now())
    storage.belongs(kept, paths.state)
    return kept


def _told(name: str, part: Part) -> str:
    return name if part.schema is None else part.schema.holds


def _whence(manifest: Manifest) -> str:
    return printable(f"made {manifest.made} by Hearken {manifest.hearken}")


def _now() -> str:
    return datetime.now().astimezone().isoformat(timespec="seconds")

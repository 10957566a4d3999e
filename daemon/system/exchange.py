"""Files put in the place of those that are used, all or none."""

from __future__ import annotations

import contextlib
import os
import shutil
import sqlite3
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from daemon.core.errors import BackupError
from daemon.system import storage
from daemon.system.archive import Part
from daemon.system.storage import Storage

_PATIENCE_S: Final = 5.0


def exchange(parts: Mapping[str, Part], new: Path) -> None:
    """Puts each file of a folder in the place of its part. Nobody else may use these meanwhile.

    Raises:
        BackupError: it could not be done, and nothing was.
    """
    try:
        with contextlib.ExitStack() as folders:
            # All that takes room, rights or patience comes first; then nothing but renaming is left.
            ready = [(part.path, *_ready(part, new / name, folders)) for name, part in parts.items()]
            for part in parts.values():
                _settle(part)
            with contextlib.ExitStack() as undo:
                for path, made, old in ready:
                    undo.callback(_back, path, old)
                    made.replace(path)
                undo.pop_all()
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise BackupError(f"nothing was changed: {where}{error.strerror or error}") from None
    except sqlite3.Error as error:
        raise BackupError(f"nothing was changed: {error}") from None


def clear(part: Part) -> None:
    """Moves a file of SQLite that is damaged out of the way, where it is kept."""
    if part.schema is not None and part.path.exists():
        try:
            with contextlib.closing(storage.reading(part.path)) as base:
                storage.checked(base)
        except (sqlite3.Error, ValueError) as error:
            Storage(part.path, part.schema).moved_aside(error)


def _ready(part: Part, new: Path, folders: contextlib.ExitStack) -> tuple[Path, Path | None]:
    """The new file, and a copy of the old one where there is one, on the disk of its place and as the old one is."""
    there = part.path.exists()
    beside = Path(folders.enter_context(TemporaryDirectory(prefix=".hearken-", dir=part.path.parent)))
    made, old = beside / "new", beside / "old"
    for source, copy in ((new, made), *([(part.path, old)] if there else [])):
        shutil.copyfile(source, copy)
        copy.chmod(part.path.stat().st_mode & 0o7777 if there else 0o600)
        storage.belongs(copy, part.path if there else part.path.parent)
        with copy.open("rb") as stream:
            os.fsync(stream.fileno())
    return made, old if there else None


def _settle(part: Part) -> None:
    """Leaves no log beside a file of SQLite: it would be taken for that of the file that comes in its place."""
    if part.schema is not None and part.path.exists():
        with contextlib.closing(sqlite3.connect(part.path, timeout=_PATIENCE_S)) as base:
            if base.execute("PRAGMA journal_mode = DELETE").fetchone()[0] != "delete":
                raise sqlite3.OperationalError(f"{part.path} is in use")


def _back(path: Path, old: Path | None) -> None:
    if old is None:
        path.unlink(missing_ok=True)
    else:
        old.replace(path)

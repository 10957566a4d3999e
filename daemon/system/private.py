"""Files for nobody but the daemon's own user, whatever the umask: folders are 0700, files 0600.

What is there already with a wider mode is narrowed; where that may not be done, it stays as it is.
"""

from __future__ import annotations

import contextlib
import os
from pathlib import Path
from typing import Final

_OTHERS: Final = 0o077


def folder(path: Path) -> Path:
    """Makes a folder, with those above it, and keeps others out of it; gives it back.

    Raises:
        OSError: it cannot be made.
    """
    path.mkdir(mode=0o700, parents=True, exist_ok=True)
    _narrow(path)
    return path


def file(path: Path) -> Path:
    """Makes an empty file in a private folder where there is none, and keeps others out of it; gives it back.

    SQLite gives what it writes beside a file (-wal, -shm, -journal) the mode of the file; what was there before is
    narrowed with it.

    Raises:
        OSError: it cannot be made.
    """
    folder(path.parent)
    # Born with its mode: nobody gets in between.
    os.close(os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600))
    for each in (path, *(path.with_name(path.name + rest) for rest in ("-wal", "-shm", "-journal"))):
        _narrow(each)
    return path


def _narrow(path: Path) -> None:
    # Gone, or of another user: the next who opens it tells what is wrong.
    with contextlib.suppress(OSError):
        mode = path.stat().st_mode & 0o7777
        if mode & _OTHERS:
            path.chmod(mode & ~_OTHERS)

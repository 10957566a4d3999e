"""One SQLite file, and files for nobody but the daemon's own user: made, migrated, used, moved aside where damaged."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final, Generic, TypeVar

from daemon.core.errors import StorageError

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


_LOG = logging.getLogger(__name__)
_PATIENCE_S: Final = 5.0
_DAMAGED: Final = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)
_PRIMARY: Final = 0xFF
"""The bits of an error's code that tell its kind; those above tell which of that kind it is."""

T = TypeVar("T")


class Storage:
    """One file. Blocking; to be used by one thread at a time.

    Args:
        path: The file; its folder is made. Both are for nobody else.
        holds: What is in it, for the log: "what was learnt".
        loss: What it means that it cannot be used, for the log: "what is learnt now is forgotten at the end".
        migrations: One script for each version of the schema: what leads to it from the one before.
        durable: Whether what is written must be there after the plug is pulled, at the cost of some milliseconds.
        clock: Seconds since the epoch, for the name of a file that is moved aside.
    """

    def __init__(
        self,
        path: Path,
        *,
        holds: str,
        loss: str,
        migrations: Sequence[str],
        durable: bool = False,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self.path = path
        self._holds = holds
        self._loss = loss
        self._migrations = tuple(migrations)
        self._durable = durable
        self._clock = clock
        self._trouble = False

    def use(self, work: Callable[[sqlite3.Connection], T], *, anew: bool = True) -> T:
        """Opens the file, does the work in one transaction, and closes it.

        Args:
            work: Gets the connection; a `ValueError` or `TypeError` of it says that the rows are damaged.
            anew: Whether the work may be done with a new file, where this one is damaged.

        Raises:
            StorageError: it could not be done; the log has been told, once until it works again.
        """
        try:
            return self._once(work)
        except (sqlite3.Error, OSError, ValueError, TypeError) as error:
            if not anew or not self.moved_aside(error):
                raise self.trouble(error) from None
        try:
            return self._once(work)
        except (sqlite3.Error, OSError, ValueError, TypeError) as error:
            raise self.trouble(error) from None

    def open(self) -> sqlite3.Connection:
        """A connection to the file as it is to be.

        Raises:
            sqlite3.Error: it is damaged, was written by a newer Hearken, or cannot be used.
            OSError: it or its folder cannot be made.
        """
        base = sqlite3.connect(file(self.path), timeout=_PATIENCE_S)
        try:
            base.execute("PRAGMA journal_mode = WAL")
            base.execute(f"PRAGMA synchronous = {'FULL' if self._durable else 'NORMAL'}")
            self._migrate(base)
        except BaseException:
            base.close()
            raise
        return base

    def moved_aside(self, error: Exception) -> bool:
        """Whether the error says that the file is damaged, and it is now out of the way, kept for a repair."""
        if not _is_damage(error):
            return False
        aside = self.path.with_name(f"{self.path.name}.damaged-{int(self._clock())}")
        try:
            self.path.rename(aside)
            for rest in ("-wal", "-shm"):
                self.path.with_name(self.path.name + rest).unlink(missing_ok=True)
        except OSError as problem:
            self.trouble(problem)
            return False
        _LOG.error("%s cannot be read (%s); the file is kept as %s, and a new one is begun", self._holds, error, aside)
        return True

    def trouble(self, error: object) -> StorageError:
        """Tells the log that the file cannot be used, unless it knows already; gives what to raise."""
        if not self._trouble:
            self._trouble = True
            _LOG.error("%s cannot be used (%s); %s", self.path, error, self._loss)
        return StorageError(f"{self.path} cannot be used: {error}")

    def works(self) -> None:
        """It can be used: the next trouble is worth telling again."""
        self._trouble = False

    def _once(self, work: Callable[[sqlite3.Connection], T]) -> T:
        base = self.open()
        try:
            with base:
                done = work(base)
        finally:
            base.close()
        self.works()
        return done

    def _migrate(self, base: sqlite3.Connection) -> None:
        version = int(base.execute("PRAGMA user_version").fetchone()[0])
        if version > len(self._migrations):
            raise sqlite3.OperationalError(f"it was written by a newer Hearken (schema {version})")
        for number, script in enumerate(self._migrations[version:], version + 1):
            base.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")


class Whole(Generic[T]):
    """A few rows that are read, and written, all at once. One event loop; the work is done in a thread.

    Args:
        storage: The file.
        read: What is in it; a `ValueError` or `TypeError` says that it is damaged.
        write: Puts this, and nothing else, into it.
        nothing: What there is where there is no file, or none that can be read.
    """

    def __init__(
        self,
        storage: Storage,
        read: Callable[[sqlite3.Connection], T],
        write: Callable[[sqlite3.Connection, T], None],
        nothing: T,
    ) -> None:
        self._storage = storage
        self._read = read
        self._write = write
        self._nothing = nothing
        self._lock = asyncio.Lock()
        self._sealed = False
        """Whether there is something in the file that was not read, and so must not be overwritten."""

    async def load(self) -> T:
        """What is kept."""
        async with self._lock:
            return await asyncio.to_thread(self._load)

    async def save(self, contents: T) -> bool:
        """Keeps this and nothing else; whether it is on the disk now."""
        async with self._lock:
            return await asyncio.to_thread(self._save, contents)

    def _load(self) -> T:
        if not self._storage.path.exists():
            return self._nothing
        try:
            return self._storage.use(self._checked)
        except StorageError:
            self._sealed = True
            return self._nothing

    def _checked(self, base: sqlite3.Connection) -> T:
        if (problem := base.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
            raise ValueError(str(problem))
        return self._read(base)

    def _save(self, contents: T) -> bool:
        try:
            if not self._sealed:
                self._storage.use(lambda base: self._write(base, contents))
        except StorageError:
            return False
        return not self._sealed


def _is_damage(error: Exception) -> bool:
    """Whether the file itself is bad, rather than the disk full or somebody else busy with it."""
    if isinstance(error, ValueError | TypeError):
        return not isinstance(error, UnicodeEncodeError)  # what was to be written was bad
    if not isinstance(error, sqlite3.DatabaseError):
        return False
    code = getattr(error, "sqlite_errorcode", None)
    return (code is not None and code & _PRIMARY in _DAMAGED) or str(error).startswith("no such ")

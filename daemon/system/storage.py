"""One SQLite file, and files for nobody but the daemon's own user: made, migrated, used, moved aside where damaged."""

from __future__ import annotations

import contextlib
import logging
import os
import sqlite3
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, TypeVar

from msgspec import Struct

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

    SQLite gives what it writes beside a file (-wal, -shm, -journal) the mode and the owner of the file; what was there
    before is narrowed with it.

    Raises:
        OSError: it cannot be made.
    """
    folder(path.parent)
    # Born with its mode: nobody gets in between.
    born = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        belongs(born, path.parent)
    finally:
        os.close(born)
    for each in (path, *(path.with_name(path.name + rest) for rest in ("-wal", "-shm", "-journal"))):
        _narrow(each)
    return path


def belongs(target: int | Path, like: Path) -> None:
    """Gives a file to whoever has the other one, where root made it: the daemon must be able to use what root mends.

    Raises:
        OSError: it cannot be done.
    """
    if os.geteuid() == 0:
        owner = like.stat()
        os.chown(target, owner.st_uid, owner.st_gid)


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


class Schema(Struct, frozen=True):
    """What one kind of file is made of."""

    holds: str
    """What is in it, for the log: "what was learnt"."""
    loss: str
    """What it means that it cannot be used, for the log: "what is learnt now is forgotten at the end"."""
    migrations: tuple[str, ...]
    """One script for each version: what leads to it from the one before. What was released is never changed."""
    durable: bool = False
    """Whether what is written must be there after the plug is pulled, at the cost of some milliseconds."""

    @property
    def version(self) -> int:
        """The newest one."""
        return len(self.migrations)


class Storage:
    """One file. Blocking; to be used by one thread at a time.

    Args:
        path: The file; its folder is made. Both are for nobody else.
        schema: What is in it.
        clock: Seconds since the epoch, for the name of a file that is moved aside.
    """

    def __init__(self, path: Path, schema: Schema, clock: Callable[[], float] = time.time) -> None:
        self.path = path
        self._schema = schema
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
            base.execute(f"PRAGMA synchronous = {'FULL' if self._schema.durable else 'NORMAL'}")
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
        holds = self._schema.holds
        _LOG.error("%s cannot be read (%s); the file is kept as %s, and a new one is begun", holds, error, aside)
        return True

    def trouble(self, error: object) -> StorageError:
        """Tells the log that the file cannot be used, unless it knows already; gives what to raise."""
        if not self._trouble:
            self._trouble = True
            _LOG.error("%s cannot be used (%s); %s", self.path, error, self._schema.loss)
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
        """Brings the file to the newest version, all steps or none; as it was before, it is kept beside."""
        if (found := self._found(base)) == self._schema.version:
            return
        before = self._before(found)
        with base:
            # Whoever writes, and whoever migrates the same file at the same time, waits for the end.
            base.execute("BEGIN IMMEDIATE")
            if (found := self._found(base)) == self._schema.version:
                return
            if found:
                self._keep(before)
            try:
                for script in self._schema.migrations[found:]:
                    for statement in _statements(script):
                        base.execute(statement)
                base.execute(f"PRAGMA user_version = {self._schema.version}")
            except sqlite3.OperationalError as error:
                # Ours is the fault, not the file's: it is not to be taken for a damaged one.
                before.unlink(missing_ok=True)
                raise sqlite3.OperationalError(f"it stays as it is, for its new form cannot be made: {error}") from None
        if found:
            _LOG.info("%s has a new form; as it was before, it is kept as %s", self.path, before)

    def _found(self, base: sqlite3.Connection) -> int:
        version = int(base.execute("PRAGMA user_version").fetchone()[0])
        if version > self._schema.version:
            kept = self._before(self._schema.version)
            older = f"; as it was before, it is kept as {kept}" if kept.exists() else ""
            raise sqlite3.OperationalError(
                f"it was written by a newer Hearken (schema {version}; this one knows {self._schema.version}): "
                f"install that one again{older}"
            )
        return version

    def _before(self, version: int) -> Path:
        return self.path.with_name(f"{self.path.name}.schema-{version}")

    def _keep(self, before: Path) -> None:
        before.unlink(missing_ok=True)
        # A reader of its own sees what was committed last.
        with (
            contextlib.closing(sqlite3.connect(self.path, timeout=_PATIENCE_S)) as base,
            contextlib.closing(sqlite3.connect(file(before))) as copy,
        ):
            base.backup(copy)


def _statements(script: str) -> Iterator[str]:
    """One after the other: `executescript` would end the transaction that it is called in."""
    statement = ""
    for piece in script.split(";"):
        statement += f"{piece};"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
    if statement.strip(" \n;"):
        yield statement


def reading(path: Path) -> sqlite3.Connection:
    """A connection that reads a file as it is. It neither waits for who writes it nor holds them up.

    Raises:
        sqlite3.Error: there is no such file, or it cannot be read.
    """
    return sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True, timeout=_PATIENCE_S)


def checked(base: sqlite3.Connection) -> None:
    """Looks through a whole file.

    Raises:
        ValueError: it is damaged.
        sqlite3.Error: it is damaged, or cannot be read.
    """
    if (problem := base.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise ValueError(str(problem))


def _is_damage(error: Exception) -> bool:
    """Whether the file itself is bad, rather than the disk full or somebody else busy with it."""
    if isinstance(error, ValueError | TypeError):
        return not isinstance(error, UnicodeEncodeError)  # what was to be written was bad
    if not isinstance(error, sqlite3.DatabaseError):
        return False
    code = getattr(error, "sqlite_errorcode", None)
    return (code is not None and code & _PRIMARY in _DAMAGED) or str(error).startswith("no such ")

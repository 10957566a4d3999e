"""What is kept in one SQLite file and is read, and written, all at once."""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Callable
from typing import Generic, TypeVar

from daemon.core.errors import StorageError
from daemon.system.storage import Storage, checked

T = TypeVar("T")


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
        checked(base)
        return self._read(base)

    def _save(self, contents: T) -> bool:
        try:
            if not self._sealed:
                self._storage.use(lambda base: self._write(base, contents))
        except StorageError:
            return False
        return not self._sealed

"""Keeps lists in SQLite, so that they outlast the process."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from daemon.core.errors import StorageError
from daemon.system.storage import Storage

_MIGRATIONS = (
    """
    CREATE TABLE lists (name TEXT PRIMARY KEY, at INTEGER NOT NULL);
    CREATE TABLE items (list TEXT NOT NULL, at INTEGER NOT NULL, item TEXT NOT NULL, PRIMARY KEY (list, at));
    """,
)


class Store:
    """One file. Every method may be called from any task of one event loop; the work is done in a thread."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._lock = asyncio.Lock()
        self._storage = Storage(
            path,
            holds="what is on the lists",
            loss="what is put on lists now is forgotten at the end",
            migrations=_MIGRATIONS,
            durable=True,
            clock=clock,
        )
        self._sealed = False
        """Whether there is something in the file that was not read, and so must not be overwritten."""

    async def load(self) -> dict[str, tuple[str, ...]]:
        """Every list by its name; none where there is no file, or none that can be read."""
        async with self._lock:
            return await asyncio.to_thread(self._load)

    async def save(self, lists: Mapping[str, tuple[str, ...]]) -> bool:
        """Keeps these and nothing else; whether they are on the disk now."""
        kept = dict(lists)
        async with self._lock:
            return await asyncio.to_thread(self._save, kept)

    def _load(self) -> dict[str, tuple[str, ...]]:
        if not self._storage.path.exists():
            return {}
        try:
            return self._storage.use(_lists)
        except StorageError:
            self._sealed = True
            return {}

    def _save(self, lists: Mapping[str, tuple[str, ...]]) -> bool:
        if self._sealed:
            return False

        def save(base: sqlite3.Connection) -> None:
            # Few rows, seldom written: the whole of it in one transaction is the simplest that cannot go wrong.
            base.execute("DELETE FROM lists")
            base.execute("DELETE FROM items")
            base.executemany("INSERT INTO lists VALUES (?, ?)", [(name, at) for at, name in enumerate(lists)])
            rows = [(name, at, item) for name, items in lists.items() for at, item in enumerate(items)]
            base.executemany("INSERT INTO items VALUES (?, ?, ?)", rows)

        try:
            self._storage.use(save)
        except StorageError:
            return False
        return True


def _lists(base: sqlite3.Connection) -> dict[str, tuple[str, ...]]:
    if (problem := base.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise ValueError(str(problem))
    names = [str(name) for (name,) in base.execute("SELECT name FROM lists ORDER BY at")]
    found: dict[str, list[str]] = {name: [] for name in names}
    for name, item in base.execute("SELECT list, item FROM items ORDER BY list, at"):
        if name in found:
            found[name].append(str(item))
    return {name: tuple(items) for name, items in found.items()}

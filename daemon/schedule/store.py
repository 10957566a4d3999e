"""Keeps entries in SQLite, so that they outlast the process."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from daemon.core.errors import IRError, StorageError
from daemon.schedule.entries import Entry, from_json, to_json
from daemon.system.storage import Storage

_LOG = logging.getLogger(__name__)
_MIGRATIONS = (
    "CREATE TABLE IF NOT EXISTS later (id INTEGER PRIMARY KEY AUTOINCREMENT, due REAL, entry TEXT NOT NULL);",
)


class Store:
    """One file. Every method may be called from any task of one event loop; the work is done in a thread."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._lock = asyncio.Lock()
        self._storage = Storage(
            path,
            holds="what was kept for later",
            loss="what is kept for later now is lost at a restart",
            migrations=_MIGRATIONS,
            durable=True,
            clock=clock,
        )

    async def load(self) -> tuple[Entry, ...]:
        """What is kept, oldest first; what cannot be read of it is left where it is and logged."""
        async with self._lock:
            return await asyncio.to_thread(self._load)

    async def add(self, entry: Entry) -> int | None:
        """Keeps a new entry under a number that nothing had before; None where the disk takes none."""
        row = (entry.due, json.dumps(to_json(entry), ensure_ascii=False))
        async with self._lock:
            return await asyncio.to_thread(self._add, row)

    async def put(self, entries: Sequence[Entry]) -> bool:
        """Keeps these, each in the place of what has its id; whether they are on the disk now."""
        rows = [(item.id, item.due, json.dumps(to_json(item), ensure_ascii=False)) for item in entries]
        async with self._lock:
            return await asyncio.to_thread(self._write, "INSERT OR REPLACE INTO later VALUES (?, ?, ?)", rows)

    async def drop(self, numbers: Sequence[int]) -> bool:
        """Forgets these; whether that is on the disk now."""
        async with self._lock:
            return await asyncio.to_thread(
                self._write, "DELETE FROM later WHERE id = ?", [(number,) for number in numbers]
            )

    def _load(self) -> tuple[Entry, ...]:
        if not self._storage.path.exists():
            return ()
        try:
            rows = self._storage.use(_rows)
        except StorageError:
            return ()
        found = []
        for number, due, text in rows:
            try:
                found.append(from_json(number, due, json.loads(text)))
            except (ValueError, IRError, RecursionError) as error:
                _LOG.error(
                    "what was kept for later as number %s cannot be read (%s); it will not be done", number, error
                )
        return tuple(found)

    def _add(self, row: tuple[object, ...]) -> int | None:
        def add(base: sqlite3.Connection) -> int | None:
            return base.execute("INSERT INTO later (due, entry) VALUES (?, ?)", row).lastrowid

        try:
            # A new file would give numbers anew that are in use.
            return self._storage.use(add, anew=False)
        except StorageError:
            return None

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> bool:
        try:
            self._storage.use(lambda base: base.executemany(statement, rows), anew=False)
        except StorageError:
            return False
        return True


def _rows(base: sqlite3.Connection) -> list[tuple[int, float | None, str]]:
    return base.execute("SELECT id, due, entry FROM later ORDER BY id").fetchall()

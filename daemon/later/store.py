"""Keeps entries in SQLite. A damaged file is moved aside; a broken disk is said once and ends only the keeping."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

from daemon.errors import IRError
from daemon.later.entries import Entry, from_json, to_json

_LOG = logging.getLogger(__name__)
_PATIENCE_S = 5.0
_SCHEMA = "CREATE TABLE IF NOT EXISTS later (id INTEGER PRIMARY KEY AUTOINCREMENT, due REAL, entry TEXT NOT NULL)"
_DAMAGED = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


class Store:
    """One file. Every method may be called from any task of one event loop; the work is done in a thread."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock
        self._lock = asyncio.Lock()
        self._trouble = False

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
        if not self._path.exists():
            return ()
        try:
            base = self._open()
            try:
                rows = base.execute("SELECT id, due, entry FROM later ORDER BY id").fetchall()
            finally:
                base.close()
        except (sqlite3.Error, OSError) as error:
            if getattr(error, "sqlite_errorcode", None) in _DAMAGED:
                self._move_aside(str(error))
            else:
                self._complain(str(error))
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
        try:
            base = self._open()
            try:
                with base:
                    return base.execute("INSERT INTO later (due, entry) VALUES (?, ?)", row).lastrowid
            finally:
                base.close()
        except (sqlite3.Error, OSError) as error:
            self._complain(str(error))
            return None

    def _write(self, statement: str, rows: Sequence[tuple[object, ...]]) -> bool:
        try:
            base = self._open()
            try:
                with base:
                    base.executemany(statement, rows)
            finally:
                base.close()
        except (sqlite3.Error, OSError) as error:
            self._complain(str(error))
            return False
        self._trouble = False
        return True

    def _open(self) -> sqlite3.Connection:
        self._path.parent.mkdir(parents=True, exist_ok=True)
        base = sqlite3.connect(self._path, timeout=_PATIENCE_S)
        try:
            base.execute("PRAGMA journal_mode = WAL")
            # What was promised must be there after the plug is pulled.
            base.execute("PRAGMA synchronous = FULL")
            base.execute(_SCHEMA)
        except BaseException:
            base.close()
            raise
        return base

    def _move_aside(self, problem: str) -> None:
        aside = self._path.with_name(f"{self._path.name}.damaged-{int(self._clock())}")
        for tail in ("-wal", "-shm"):
            with suppress(OSError):
                self._path.with_name(self._path.name + tail).unlink(missing_ok=True)
        try:
            self._path.rename(aside)
        except OSError as error:
            self._complain(f"{problem}, and it cannot be moved aside: {error}")
            return
        _LOG.error("what was kept for later cannot be read (%s); it is now %s, and I begin anew", problem, aside)

    def _complain(self, problem: str) -> None:
        if not self._trouble:
            self._trouble = True
            _LOG.error("%s cannot be used (%s); what is kept for later now is lost at a restart", self._path, problem)

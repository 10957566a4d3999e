"""Keeps what was learnt in SQLite, so that it outlasts the process."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import get_args

from daemon.core.errors import StorageError
from daemon.memory.learnt import Contents, Habit, How, Kind, Learnt, Origin
from daemon.system.storage import Storage

_MIGRATIONS = (
    """
    CREATE TABLE learnt (
        kind TEXT NOT NULL,
        word TEXT NOT NULL,
        meaning TEXT NOT NULL,
        unit TEXT,
        speaker TEXT,
        area TEXT,
        how TEXT NOT NULL,
        at REAL NOT NULL,
        told_by TEXT,
        satellite TEXT,
        utterance TEXT,
        said TEXT NOT NULL,
        uses INTEGER NOT NULL DEFAULT 0,
        used_at REAL
    );
    CREATE TABLE habits (
        word TEXT NOT NULL,
        speaker TEXT,
        area TEXT,
        entity TEXT NOT NULL,
        times INTEGER NOT NULL,
        declined INTEGER NOT NULL
    );
    """,
)
_LEARNT = (
    *("kind", "word", "meaning", "unit", "speaker", "area", "how", "at"),
    *("told_by", "satellite", "utterance", "said", "uses", "used_at"),
)
_HABITS = ("word", "speaker", "area", "entity", "times", "declined")


class Store:
    """One file. Every method may be called from any task of one event loop; the work is done in a thread."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._lock = asyncio.Lock()
        self._storage = Storage(
            path,
            holds="what was learnt",
            loss="what is learnt now is forgotten at the end",
            migrations=_MIGRATIONS,
            clock=clock,
        )
        self._sealed = False
        """Whether there is something in the file that was not read, and so must not be overwritten."""

    async def load(self) -> Contents:
        """What is kept; nothing where there is no file, or none that can be read."""
        async with self._lock:
            return await asyncio.to_thread(self._load)

    async def save(self, contents: Contents) -> bool:
        """Keeps this and nothing else; whether it is on the disk now."""
        async with self._lock:
            return await asyncio.to_thread(self._save, contents)

    def _load(self) -> Contents:
        if not self._storage.path.exists():
            return Contents()
        try:
            return self._storage.use(_contents)
        except StorageError:
            self._sealed = True
            return Contents()

    def _save(self, contents: Contents) -> bool:
        if self._sealed:
            return False

        def save(base: sqlite3.Connection) -> None:
            # Few rows, seldom written: the whole of it in one transaction is the simplest that cannot go wrong.
            base.execute("DELETE FROM learnt")
            base.execute("DELETE FROM habits")
            base.executemany(_insert("learnt", _LEARNT), [_row(item) for item in contents.learnt])
            base.executemany(_insert("habits", _HABITS), [_habit_row(item) for item in contents.habits])

        try:
            self._storage.use(save)
        except StorageError:
            return False
        return True


def _contents(base: sqlite3.Connection) -> Contents:
    if (problem := base.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise ValueError(str(problem))
    base.row_factory = sqlite3.Row
    learnt = base.execute("SELECT * FROM learnt ORDER BY at, rowid").fetchall()
    habits = base.execute("SELECT * FROM habits ORDER BY rowid").fetchall()
    return Contents(tuple(map(_learnt, learnt)), tuple(map(_habit, habits)))


def _learnt(row: sqlite3.Row) -> Learnt:
    if row["kind"] not in get_args(Kind) or row["how"] not in get_args(How):
        raise ValueError(f"a row of an unknown sort: {row['kind']}, {row['how']}")
    origin = Origin(row["how"], row["at"], row["told_by"], row["satellite"], row["utterance"], row["said"])
    given = (row[name] for name in ("unit", "speaker", "area", "uses", "used_at"))
    return Learnt(row["kind"], str(row["word"]), str(row["meaning"]), origin, *given)


def _habit(row: sqlite3.Row) -> Habit:
    return Habit(row["word"], row["speaker"], row["area"], row["entity"], int(row["times"]), bool(row["declined"]))


def _row(item: Learnt) -> tuple[object, ...]:
    origin = item.origin
    return (
        *(item.kind, item.word, item.meaning, item.unit, item.speaker, item.area, origin.how, origin.at),
        *(origin.speaker, origin.satellite, origin.utterance, origin.said, item.uses, item.used_at),
    )


def _habit_row(item: Habit) -> tuple[object, ...]:
    return (item.word, item.speaker, item.area, item.entity, item.times, item.declined)


def _insert(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - constants

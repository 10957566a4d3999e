"""Keeps what was learnt in SQLite. A damaged file is moved aside; a broken disk ends the keeping, never the daemon."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import get_args

from daemon.memory.learnt import Contents, Habit, How, Kind, Learnt, Origin

_LOG = logging.getLogger(__name__)
_PATIENCE_S = 5.0

# One entry for each version of the schema: what leads to it from the one before.
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
_BROKEN = ("malformed", "not a database", "corrupt")


class Store:
    """One file. Every method may be called from any task of one event loop; the work is done in a thread."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._path = path
        self._clock = clock
        self._lock = asyncio.Lock()
        self._trouble = False
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
        if not self._path.exists():
            return Contents()
        for _ in range(2):
            try:
                base = self._open()
                try:
                    return _contents(base)
                finally:
                    base.close()
            except (sqlite3.Error, OSError, ValueError, TypeError) as error:
                if not _is_damage(error):
                    self._sealed = True
                    self._complain(str(error))
                    return Contents()
                self._move_aside(str(error))
        return Contents()

    def _save(self, contents: Contents) -> bool:
        if self._sealed:
            return False
        try:
            base = self._open()
            try:
                # Few rows, seldom written: the whole of it in one transaction is the simplest that cannot go wrong.
                with base:
                    base.execute("DELETE FROM learnt")
                    base.execute("DELETE FROM habits")
                    base.executemany(_insert("learnt", _LEARNT), [_row(item) for item in contents.learnt])
                    base.executemany(_insert("habits", _HABITS), [_habit_row(item) for item in contents.habits])
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
            base.execute("PRAGMA synchronous = NORMAL")
            self._migrate(base)
        except BaseException:
            base.close()
            raise
        return base

    def _migrate(self, base: sqlite3.Connection) -> None:
        version = int(base.execute("PRAGMA user_version").fetchone()[0])
        if version > len(_MIGRATIONS):
            raise sqlite3.OperationalError(f"it was written by a newer Hearken (schema {version})")
        for number, script in enumerate(_MIGRATIONS[version:], version + 1):
            base.executescript(f"BEGIN; {script} PRAGMA user_version = {number}; COMMIT;")

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
        _LOG.error("what was learnt cannot be read (%s); it is now %s, and I begin anew", problem, aside)

    def _complain(self, problem: str) -> None:
        if not self._trouble:
            self._trouble = True
            _LOG.error("%s cannot be used (%s); what is learnt now is forgotten at the end", self._path, problem)


def _is_damage(error: Exception) -> bool:
    """Whether the file itself is bad, rather than the disk full or somebody else busy with it."""
    if isinstance(error, ValueError | TypeError):
        return True
    said = str(error)
    return isinstance(error, sqlite3.DatabaseError) and (
        any(word in said for word in _BROKEN) or said.startswith("no such ")
    )


def _contents(base: sqlite3.Connection) -> Contents:
    if (problem := base.execute("PRAGMA quick_check(1)").fetchone()[0]) != "ok":
        raise ValueError(str(problem))
    base.row_factory = sqlite3.Row
    learnt = base.execute("SELECT * FROM learnt ORDER BY at, rowid").fetchall()
    habits = base.execute("SELECT * FROM habits").fetchall()
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

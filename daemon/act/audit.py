"""The audit log: what was asked, why it was allowed, what was sent and what was seen. Append-only, in SQLite."""

from __future__ import annotations

import asyncio
import json
import logging
import re
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import closing
from pathlib import Path
from queue import Empty, Full, Queue
from typing import Any

from msgspec import Struct

from daemon.core.outcomes import Outcome
from daemon.core.result import Occasion
from daemon.system.storage import Schema, Storage, reading

_LOG = logging.getLogger(__name__)

SCHEMA = Schema(
    holds="the audit log",
    loss="acts go on unrecorded",
    migrations=(
        """
CREATE TABLE IF NOT EXISTS acts (
    id INTEGER PRIMARY KEY,
    at REAL NOT NULL,
    satellite TEXT,
    speaker TEXT,
    said TEXT NOT NULL,
    lang TEXT NOT NULL,
    source TEXT,
    allowed_because TEXT NOT NULL,
    device TEXT,
    action TEXT,
    sent TEXT NOT NULL,
    seen TEXT NOT NULL,
    status TEXT NOT NULL,
    reason TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS acts_at ON acts (at);
CREATE INDEX IF NOT EXISTS acts_device ON acts (device, at);
CREATE TRIGGER IF NOT EXISTS acts_stay BEFORE UPDATE ON acts BEGIN
    SELECT RAISE(ABORT, 'audit rows are never changed');
END;
""",
    ),
)
_COLUMNS = (
    *("at", "satellite", "speaker", "said", "lang", "source", "allowed_because"),
    *("device", "action", "sent", "seen", "status", "reason"),
)
_INSERT = f"INSERT INTO acts ({', '.join(_COLUMNS)}) VALUES ({', '.join('?' * len(_COLUMNS))})"  # noqa: S608 - constants
_READ = ("id", *_COLUMNS)
_HAS = "said || ' ' || COALESCE(device, '') || ' ' || COALESCE(action, '') LIKE ? ESCAPE '~'"
_WILD, _PLAIN = re.compile("[~%_]"), r"~\g<0>"
_MOST_WAITING = 1000
_MOST_ROWS = 500_000
"""Of more the oldest are dropped, however young: half a GiB, decades of a household, or days of a loop of requests."""
_CLEANED_S = 3_600.0
"""Between two looks for rows to drop."""
_DAY_S = 86_400.0
_CLOSE_S = 5.0

Row = tuple[Any, ...]


class Entry(Struct, frozen=True):
    """One utterance that was acted on or refused."""

    occasion: Occasion
    allowed_because: str
    """The gate's reason, a key of the reply tables; for a refusal why it was refused."""
    outcomes: tuple[Outcome, ...] = ()
    refused: bool = False
    """Nothing was tried: there are no outcomes."""


class Audit:
    """Writes from a thread of its own; a broken or full disk is logged once and never stops an act."""

    def __init__(self, path: Path, *, keep_days: float = 365.0, clock: Callable[[], float] = time.time) -> None:
        """Prepares; `start` opens the file.

        Rows older than `keep_days` are dropped; of more than half a million, the oldest whatever their age.
        """
        self._storage = Storage(path, SCHEMA, clock)
        self._keep_s = keep_days * _DAY_S
        self._clock = clock
        self._queue: Queue[list[Row] | None] = Queue(_MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._cleaned = 0.0

    def start(self) -> None:
        """Starts the writer."""
        self._thread = threading.Thread(target=self._write, name="audit", daemon=True)
        self._thread.start()

    async def stop(self) -> None:
        """Writes what is waiting, and ends."""
        if self._thread is not None:
            thread, self._thread = self._thread, None
            await asyncio.to_thread(self._finish, thread)

    def record(self, entry: Entry) -> None:
        """Hands one entry to the writer, one row per outcome. Never blocks, never raises."""
        try:
            self._queue.put_nowait(_rows(entry, self._clock()))
        except Full:
            self._storage.trouble("too many entries are waiting to be written")

    async def flush(self) -> None:
        """Returns when what was recorded so far is on the disk, or could not be put there."""
        if self._thread is not None:
            await asyncio.to_thread(self._queue.join)

    async def rows(
        self,
        *,
        since: float | None = None,
        until: float | None = None,
        device: str | None = None,
        status: str | None = None,
        speaker: str | None = None,
        words: str | None = None,
        before: int | None = None,
        limit: int = 100,
    ) -> list[dict[str, Any]]:
        """The newest rows that fit, newest first, JSON-ready; from `since` on, before `until`, in epoch seconds.

        `words` stand in what was said, in the device's id or in the action. Rows that are newer than that of the id
        `before`, and itself, are left out: so one page follows the other, however many rows there are.
        """
        wanted = {
            "at >= ?": since,
            "at < ?": until,
            "device = ?": device,
            "status = ?": status,
            "speaker = ?": speaker,
            _HAS: None if words is None else f"%{_WILD.sub(_PLAIN, words)}%",
            "id < ?": before,
        }
        given = {test: value for test, value in wanted.items() if value is not None}
        where = f"WHERE {' AND '.join(given)}" if given else ""
        query = f"SELECT {', '.join(_READ)} FROM acts {where} ORDER BY id DESC LIMIT ?"  # noqa: S608 - constants
        found = await asyncio.to_thread(self._select, query, (*given.values(), limit))
        rows = [dict(zip(_READ, row, strict=True)) for row in found]
        return [row | {"sent": json.loads(row["sent"]), "seen": json.loads(row["seen"])} for row in rows]

    async def counts(self, since: float, until: float) -> dict[str, int]:
        """How many rows there are of each status, from `since` on, before `until`, in epoch seconds."""
        query = "SELECT status, COUNT(*) FROM acts WHERE at >= ? AND at < ? GROUP BY status"
        return dict(await asyncio.to_thread(self._select, query, (since, until)))

    def _select(self, query: str, values: Sequence[object]) -> list[Row]:
        if not self._storage.path.exists():
            return []
        try:
            # A reader of its own: with a write-ahead log it neither waits for the writer nor holds it up.
            with closing(reading(self._storage.path)) as base:
                return base.execute(query, tuple(values)).fetchall()
        except sqlite3.Error as error:
            self._storage.trouble(error)
            return []

    def _write(self) -> None:
        base: sqlite3.Connection | None = None
        while True:
            batch, ended = self._take()
            base = self._keep(base, batch)
            for _ in range(len(batch) + ended):
                self._queue.task_done()
            if ended:
                _close(base)
                return

    def _keep(self, base: sqlite3.Connection | None, batch: list[list[Row]]) -> sqlite3.Connection | None:
        """Writes, if need be to a new file in place of a damaged one; returns what is open then."""
        for _ in range(2):
            try:
                base = base or self._storage.open()
                with base:
                    base.executemany(_INSERT, [row for rows in batch for row in rows])
                if batch:
                    self._storage.works()
                if self._clock() - self._cleaned > _CLEANED_S:
                    self._cleaned = self._clock()
                    with base:
                        base.execute("DELETE FROM acts WHERE at < ?", (self._cleaned - self._keep_s,))
                        base.execute("DELETE FROM acts WHERE id <= (SELECT MAX(id) FROM acts) - ?", (_MOST_ROWS,))
            except (sqlite3.Error, OSError, UnicodeEncodeError) as error:
                _close(base)
                base = None
                if not self._storage.moved_aside(error):
                    self._storage.trouble(error)
                    return None
            else:
                return base
        return base

    def _take(self) -> tuple[list[list[Row]], bool]:
        """Waits for one entry and takes what else is there, so that a burst is one transaction."""
        batch = []
        item = self._queue.get()
        while item is not None:
            batch.append(item)
            try:
                item = self._queue.get_nowait()
            except Empty:
                return batch, False
        return batch, True

    def _finish(self, thread: threading.Thread) -> None:
        try:
            self._queue.put(None, timeout=_CLOSE_S)
        except Full:
            return
        thread.join(_CLOSE_S)


def _rows(entry: Entry, at: float) -> list[Row]:
    it = entry.occasion
    head = (at, it.satellite, it.speaker, it.said, it.lang, it.source, entry.allowed_because)
    if entry.refused or not entry.outcomes:
        status = "refused" if entry.refused else "done"
        return [(*head, None, None, "[]", "null", status, entry.allowed_because if entry.refused else "")]
    return [(*head, *_of(outcome)) for outcome in entry.outcomes]


def _of(outcome: Outcome) -> Row:
    sent = [{"topic": topic, "payload": payload} for topic, payload in outcome.published]
    seen = None
    if (evidence := outcome.evidence) is not None:
        seen = {
            "attribute": evidence.attribute,
            "value": evidence.value,
            "source": evidence.source,
            "topic": evidence.topic,
            "sequence": evidence.sequence,
        }
    return (
        outcome.write.entity,
        outcome.write.action,
        json.dumps(sent, ensure_ascii=False),
        json.dumps(seen, ensure_ascii=False),
        outcome.status,
        outcome.reason,
    )


def _close(base: sqlite3.Connection | None) -> None:
    if base is not None:
        try:
            base.close()
        except sqlite3.Error as error:
            _LOG.debug("closing the audit log: %s", error)

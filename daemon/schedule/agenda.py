"""All that is kept for later: the entries in memory, the store behind them, and the next moments of what stands."""

from __future__ import annotations

import asyncio
import json
import logging
import math
import sqlite3
import time
from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from pathlib import Path

from daemon.core.errors import IRError, StorageError
from daemon.core.values import replace
from daemon.schedule.entries import Entry, from_json, to_json
from daemon.schedule.moments import Clock, Moments
from daemon.system.storage import Schema, Storage

_LOG = logging.getLogger(__name__)
SCHEMA = Schema(
    holds="what was kept for later",
    loss="what is kept for later now is lost at a restart",
    migrations=(
        "CREATE TABLE IF NOT EXISTS later (id INTEGER PRIMARY KEY AUTOINCREMENT, due REAL, entry TEXT NOT NULL);",
    ),
    durable=True,
)


class Store:
    """One file. Every method may be called from any task of one event loop; the work is done in a thread."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        self._lock = asyncio.Lock()
        self._storage = Storage(path, SCHEMA, clock)

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
            rows = self._storage.use(
                lambda base: base.execute("SELECT id, due, entry FROM later ORDER BY id").fetchall()
            )
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


MOST = 200
"""So many entries are kept; nobody can oversee more, and a loop of requests must not fill the disk."""
_DRIFT_S = 5.0
"""By so much the wall clock may differ from what has gone by before it counts as set."""


class Agenda:
    """One event loop. Each change is on the disk when its method returns, where there is a store."""

    def __init__(self, clock: Clock, store: Store | None = None) -> None:
        self.clock = clock
        self._store = store
        self._entries: dict[int, Entry] = {}
        self._elapse: dict[int, float] = {}
        """For what is about time going by: the moment of the monotonic clock at which it is due."""
        self._latest = 0
        self._hooks: list[Callable[[], None]] = []

    async def open(self) -> None:
        """Reads what was kept."""
        for entry in await self._store.load() if self._store is not None else ():
            self._entries[entry.id] = entry
            self._latest = max(self._latest, entry.id)
            self._measure(entry)

    def __len__(self) -> int:
        return len(self._entries)

    @property
    def full(self) -> bool:
        """Whether nothing more can be kept."""
        return len(self._entries) >= MOST

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Everything, by its moment; what waits for something to happen comes last."""
        return tuple(sorted(self._entries.values(), key=lambda item: (self.due(item), item.id)))

    def get(self, number: int) -> Entry | None:
        """The entry of an id."""
        return self._entries.get(number)

    def due(self, entry: Entry) -> float:
        """When an entry is due by the wall clock as it goes now; infinite where it waits."""
        if (end := self._elapse.get(entry.id)) is not None:
            return self.clock.wall() + end - self.clock.monotonic()
        return math.inf if entry.due is None else entry.due

    def as_now(self, entry: Entry) -> Entry:
        """The entry, due when it is by the clock as it goes now."""
        return entry if entry.due is None else replace(entry, due=self.due(entry))

    async def keep(self, entry: Entry) -> tuple[Entry, bool]:
        """Keeps a new entry; gives it with its id, and whether it is on the disk."""
        # The store counts, as another process may have kept something since.
        number = await self._store.add(entry) if self._store is not None else None
        entry = replace(entry, id=self._latest + 1 if number is None else number)
        self._latest = max(self._latest, entry.id)
        self._entries[entry.id] = entry
        self._measure(entry)
        self._changed()
        return entry, number is not None or self._store is None

    async def put(self, entry: Entry) -> bool:
        """Keeps an entry in the place of what has its id; whether it is on the disk."""
        self._entries[entry.id] = entry
        self._measure(entry)
        self._changed()
        return await self._store.put([entry]) if self._store is not None else True

    async def drop(self, numbers: Iterable[int]) -> bool:
        """Forgets entries; whether the disk has forgotten them too."""
        gone = [number for number in numbers if self._entries.pop(number, None) is not None]
        for number in gone:
            self._elapse.pop(number, None)
        if not gone:
            return True
        self._changed()
        return await self._store.drop(gone) if self._store is not None else True

    async def follow_clock(self) -> None:
        """Corrects the stored moments of what is about time going by, where the wall clock was set meanwhile."""
        for number, entry in list(self._entries.items()):
            if number in self._elapse and entry.due is not None and abs(self.due(entry) - entry.due) > _DRIFT_S:
                await self.put(replace(entry, due=self.due(entry)))

    def on_change(self, hook: Callable[[], None]) -> Callable[[], None]:
        """Calls `hook` after each change; returns what ends it."""
        self._hooks.append(hook)
        return lambda: self._hooks.remove(hook)

    def _measure(self, entry: Entry) -> None:
        self._elapse.pop(entry.id, None)
        if entry.elapsing and entry.due is not None:
            self._elapse[entry.id] = self.clock.monotonic() + entry.due - self.clock.wall()

    def _changed(self) -> None:
        for hook in list(self._hooks):
            hook()


_BACK_S = 25 * 3600.0
"""A clock that was put back by more was wrong before; what it had fired counts no more."""


class Standing:
    """The standing times of one agenda. One event loop."""

    def __init__(self, agenda: Agenda, moments: Moments) -> None:
        self._agenda = agenda
        self._clock = agenda.clock
        self._moments = moments
        self._apart: float | None = None
        """What the clock on the wall was ahead of the time that goes by, when it was last looked at."""

    async def put_off(self, entry: Entry, *, done: bool) -> None:
        """Sets an entry to its next moment, and drops one that has none; `done` says whether it is carried out now."""
        now = self._clock.wall()
        following = self._following(entry, now)
        if following is None:
            await self._agenda.drop([entry.id])
        else:
            await self._agenda.put(replace(entry, due=following, fired=now if done else entry.fired))

    async def skip(self, entry: Entry, day: date) -> float | None:
        """Leaves an entry out on one day; gives its next moment after that."""
        spared = replace(entry, spared=(*entry.spared, day.isoformat()))
        if entry.due is None:
            return None
        if self._clock.today(entry.due) == day:
            spared = replace(spared, due=self._following(spared, entry.due) or entry.due)
        await self._agenda.put(spared)
        return self._following(spared, self._clock.moment(day + timedelta(days=1), 0) or entry.due)

    async def follow_clock(self) -> None:
        """Finds the next moments anew where the clock was put back: on a day that comes again, only what was not done.

        At the first call it may have been put back while nothing ran.
        """
        now = self._clock.wall()
        apart = now - self._clock.monotonic()
        if self._apart is not None and abs(apart - self._apart) <= _DRIFT_S:
            return
        self._apart = apart
        for entry in self._agenda.entries:
            if entry.due is None or entry.due <= now:
                continue
            fired = entry.fired if entry.fired is not None and entry.fired - now <= _BACK_S else now
            following = self._following(entry, max(now, fired))
            if following is not None and following < entry.due:
                await self._agenda.put(replace(entry, due=following))

    def _following(self, entry: Entry, after: float) -> float | None:
        when = entry.clause.when if entry.standing else None
        if when is None or entry.due is None:
            return None
        # Which half of the day was meant is settled for good, not for the first day only.
        settled = self._moments.settled(when, entry.due)
        following = self._moments.following(settled, after, entry.due)
        while following is not None and self._clock.today(following).isoformat() in entry.spared:
            following = self._moments.following(settled, following, entry.due)
        return following

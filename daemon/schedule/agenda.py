"""All that is kept for later: the entries in memory, and the store behind them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable

from daemon.core.values import replace
from daemon.schedule.clock import Clock
from daemon.schedule.entries import Entry
from daemon.schedule.store import Store

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
        self._changed()
        return await self._store.drop(gone) if self._store is not None and gone else True

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

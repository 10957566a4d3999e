"""The lists of one home, alive: they keep themselves in a store where there is one."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence

from daemon.core.lists import USUAL, Change
from daemon.lists.store import Store

MOST = 50
"""So many lists there are at most, and so many things as `MOST_ITEMS` on each."""
MOST_ITEMS = 200
LONGEST = 120
"""Characters of an item."""
LONGEST_NAME = 40

Contents = Mapping[str, tuple[str, ...]]


class Lists:
    """One event loop. Without a store they last as long as the process.

    Args:
        store: Where they are kept.
    """

    def __init__(self, store: Store | None = None) -> None:
        self._store = store
        self._items: dict[str, tuple[str, ...]] = {}
        self._heeding: list[Callable[[], None]] = []

    async def open(self) -> None:
        """Takes over what is kept."""
        if self._store is not None:
            self._items = dict(await self._store.load())

    @property
    def contents(self) -> Contents:
        """Every list with what is on it, those that every home has first."""
        usual = {name: self._items.get(name, ()) for name in USUAL}
        return usual | {name: items for name, items in self._items.items() if name not in usual}

    def heed(self, changed: Callable[[], None]) -> None:
        """Calls this after each change."""
        self._heeding.append(changed)

    def named(self, name: str) -> str | None:
        """The list of this name, however it is written; None where there is none."""
        return next((item for item in self.contents if folded(item) == folded(name)), None)

    def on(self, name: str, item: str) -> str | None:
        """The item of the list that is called so, as it was put there; None where there is none."""
        return next((found for found in self.contents.get(name, ()) if folded(found) == folded(item)), None)

    def holding(self, items: Sequence[str]) -> tuple[str, ...]:
        """The names of the lists that have any of these."""
        return tuple(name for name in self.contents if any(self.on(name, item) for item in items))

    def problem(self, name: str, items: Sequence[str]) -> str | None:
        """Why these can't be put on the list: "full", "too_long", "too_many"; None where they can."""
        new = [item for item in items if not self.on(name, item)]
        if len(name) > LONGEST_NAME or any(len(item) > LONGEST for item in new):
            return "too_long"
        if name not in self.contents and len(self.contents) >= MOST:
            return "too_many"
        return "full" if len(self.contents.get(name, ())) + len(new) > MOST_ITEMS else None

    async def add(self, name: str, items: Sequence[str]) -> tuple[Change, bool]:
        """Puts what is not there yet at the end of a list, which is made where there is none; whether it will last."""
        new = {folded(item): item for item in reversed(items) if not self.on(name, item)}
        return await self._do(Change(name, tuple(reversed(new.values())), made=name not in self.contents))

    async def remove(self, name: str, items: Sequence[str]) -> tuple[Change, bool]:
        """Takes these off a list; whether that will last."""
        gone = {found for item in items if (found := self.on(name, item))}
        at = tuple((place, item) for place, item in enumerate(self.contents.get(name, ())) if item in gone)
        return await self._do(Change(name, removed=at))

    async def clear(self, name: str, *, drop: bool = False) -> tuple[Change, bool]:
        """Takes everything off a list, and the list away; whether that will last."""
        at = tuple(enumerate(self.contents.get(name, ())))
        return await self._do(Change(name, removed=at, dropped=drop and name not in USUAL))

    async def take_back(self, change: Change) -> tuple[Change, bool]:
        """Undoes a change and nothing else: what others did since stays; whether that will last."""
        now = list(self.contents.get(change.name, ()))
        gone = tuple((place, item) for place, item in enumerate(now) if item in change.added)
        left = [item for item in now if item not in change.added]
        there = change.name in self.contents
        room = MOST_ITEMS - len(left) if there or len(self.contents) < MOST else 0
        back = [(place, item) for place, item in change.removed if not self.on(change.name, item)][: max(room, 0)]
        if not (there or change.dropped):
            return Change(change.name), True
        for place, item in back:
            left.insert(place, item)
        self._items[change.name] = tuple(left)
        if dropped := (change.made and not left) or (not there and not room):
            del self._items[change.name]
        done = Change(change.name, tuple(item for _, item in back), gone, made=not there, dropped=dropped)
        return done, await self._changed()

    async def _do(self, change: Change) -> tuple[Change, bool]:
        gone = {item for _, item in change.removed}
        left = (item for item in self.contents.get(change.name, ()) if item not in gone)
        self._items[change.name] = (*left, *change.added)
        if change.dropped:
            del self._items[change.name]
        return change, await self._changed()

    async def _changed(self) -> bool:
        kept = self._store is None or await self._store.save(self._items)
        for changed in self._heeding:
            changed()
        return kept


def folded(text: str) -> str:
    """How a name or an item is compared: however it is written, with or without an article's capital."""
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def tidied(items: Iterable[str]) -> tuple[str, ...]:
    """Items as they are kept: without what can't be said, and without what is empty then."""
    shown = ("".join(char if char.isprintable() else " " for char in item) for item in items)
    return tuple(text for item in shown if (text := " ".join(item.split())))

"""The lists of one home, alive; what was decided about them; and the file that keeps them, where there is one."""

from __future__ import annotations

import sqlite3
import time
import unicodedata
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from daemon.core.decisions import Note, Undo
from daemon.core.ir import AboutList
from daemon.core.messages import Listing, ListName, Said, Say, Words, say
from daemon.core.result import USUAL, Change, Report
from daemon.core.values import replace
from daemon.system.storage import Schema, Storage
from daemon.system.whole import Whole

MOST = 50
"""So many lists there are at most, and so many things as `MOST_ITEMS` on each."""
MOST_ITEMS = 200
LONGEST = 120
"""Characters of an item."""
LONGEST_NAME = 40

Contents = Mapping[str, tuple[str, ...]]


class Lists:
    """One event loop. Without a store they last as long as the process."""

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

    def meant(self, name: str, item: str) -> str | None:
        """The same, else the only one that ends so: "two pints of milk", 两斤五花肉."""
        end = folded(item)
        end = f" {end}" if end.isascii() else end
        longer = [has for has in self.contents.get(name, ()) if folded(has).endswith(end)]
        return self.on(name, item) or (longer[0] if len(longer) == 1 else None)

    def holding(self, items: Sequence[str]) -> tuple[str, ...]:
        """The names of the lists that have any of these."""
        return tuple(name for name in self.contents if any(self.meant(name, item) for item in items))

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
        gone = {found for item in items if (found := self.meant(name, item))}
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
        kept = self._store is None or await self._store.save(dict(self._items))
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


SCHEMA = Schema(
    holds="what is on the lists",
    loss="what is put on lists now is forgotten at the end",
    migrations=(
        """
    CREATE TABLE lists (name TEXT PRIMARY KEY, at INTEGER NOT NULL);
    CREATE TABLE items (list TEXT NOT NULL, at INTEGER NOT NULL, item TEXT NOT NULL, PRIMARY KEY (list, at));
    """,
    ),
    durable=True,
)


class Store(Whole[Contents]):
    """Every list by its name, in one file."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        storage = Storage(path, SCHEMA, clock)
        super().__init__(storage, _read, _write, {})


def _read(base: sqlite3.Connection) -> Contents:
    found: dict[str, list[str]] = {str(name): [] for (name,) in base.execute("SELECT name FROM lists ORDER BY at")}
    for name, item in base.execute("SELECT list, item FROM items ORDER BY list, at"):
        if name in found:
            found[name].append(str(item))
    return {name: tuple(items) for name, items in found.items()}


def _write(base: sqlite3.Connection, lists: Contents) -> None:
    base.execute("DELETE FROM lists")
    base.execute("DELETE FROM items")
    base.executemany("INSERT INTO lists VALUES (?, ?)", [(name, at) for at, name in enumerate(lists)])
    rows = [(name, at, item) for name, items in lists.items() for at, item in enumerate(items)]
    base.executemany("INSERT INTO items VALUES (?, ?, ?)", rows)


class Noting:
    """Keeps the lists of one home. One event loop."""

    def __init__(self, lists: Lists) -> None:
        self._lists = lists

    async def note(self, decision: Note) -> Report:
        """Changes a list, or tells what is on it."""
        clause = decision.turn.clause
        assert isinstance(clause, AboutList)
        if clause.op == "lists":
            counts = [(name, len(items)) for name, items in self._lists.contents.items()]
            counted = Listing(tuple(_named("list.counted", name, n) for name, n in counts), "items")
            return Report("assistant", (say("list.lists", len(counts), lists=counted),), "list")
        name = clause.name
        assert name is not None
        there = [found for item in clause.items if (found := self._lists.on(name, item))]
        absent = [item for item in clause.items if not self._lists.on(name, item)]
        match clause.op:
            case "add" | "make":
                already = (_told("list.there", name, there),) if there else ()
                done, kept = await self._lists.add(name, clause.items)
                idle = (_named("list.exists", name),) if clause.op == "make" and not done.made else ()
                return _report(done, (*already, *idle), kept=kept)
            case "remove":
                absent = [item for item in clause.items if not self._lists.meant(name, item)]
                done, kept = await self._lists.remove(name, clause.items)
                report = _report(done, (_told("list.absent", name, absent),) if absent else (), kept=kept)
                return report if done.removed else replace(report, outcome="reject")
            case "clear" | "drop":
                done, kept = await self._lists.clear(name, drop=clause.op == "drop")
                said = _named(f"list.{clause.op}.done" if done.removed or done.dropped else "list.empty", name)
                return Report("assistant", (said, *_unsaved(kept=kept)), "list", listed=name, changes=(done,))
            case "has":
                has = (_told("list.there", name, there),) if there else ()
                lost = (_told("list.absent", name, absent),) if absent else ()
                return Report("assistant", (*has, *lost), "list", listed=name)
            case _:
                return Report("assistant", (self._asked(name, clause),), "list", listed=name)

    async def take_back(self, decision: Undo) -> Report:
        """Puts lists back as they were before what was done to them."""
        said: Said = ()
        for change in reversed(decision.changes):
            done, kept = await self._lists.take_back(change)
            said = (*said, *_report(done, (), kept=kept).said)
        return Report("assistant", said or (say("list.same"),), "undo", listed=decision.changes[-1].name)

    def _asked(self, name: str, clause: AboutList) -> Say:
        items = self._lists.contents.get(name, ())
        if not items:
            return _named("list.empty", name)
        return _named("list.count", name, len(items)) if clause.op == "count" else _told("list.tell", name, items)


def _report(done: Change, beside: Said, *, kept: bool) -> Report:
    """What was done to a list, and what there was nothing to do to."""
    said: list[Say] = []
    if done.dropped:
        said.append(_named("list.drop.done", done.name))
    elif done.added:
        said.append(_told("list.started" if done.made else "list.added", done.name, done.added))
    elif done.made:
        said.append(_named("list.made", done.name))
    if done.removed and not done.dropped:
        said.append(_told("list.removed", done.name, [item for _, item in done.removed]))
    changes = (done,) if said else ()
    return Report("assistant", (*said, *beside, *_unsaved(kept=kept)), "list", listed=done.name, changes=changes)


def _told(key: str, name: str, items: Sequence[str]) -> Say:
    them = Listing(tuple(Words(item) for item in items), "items")
    return say(key, len(items), list=ListName(name), items=them)


def _named(key: str, name: str, n: int = 1) -> Say:
    return say(key, n, list=ListName(name))


def _unsaved(*, kept: bool) -> Said:
    return () if kept else (say("list.unsaved"),)

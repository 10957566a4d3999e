"""What has been learnt of one home, alive: it teaches the registry, and keeps itself where there is a store."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Awaitable, Callable, Iterable, Sequence
from pathlib import Path
from typing import get_args

from msgspec import structs

from daemon.core.entities import Preference
from daemon.core.questions import Choice
from daemon.core.values import replace
from daemon.home.names import fold
from daemon.home.registry import Registry
from daemon.memory.learnt import Contents, Habit, How, Key, Kind, Learnt, Origin
from daemon.system.storage import Schema, Storage
from daemon.system.whole import Whole

SCHEMA = Schema(
    holds="what was learnt",
    loss="what is learnt now is forgotten at the end",
    migrations=(
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
    ),
)
_LEARNT = (
    *("kind", "word", "meaning", "unit", "speaker", "area", "how", "at"),
    *("told_by", "satellite", "utterance", "said", "uses", "used_at"),
)
_HABITS = ("word", "speaker", "area", "entity", "times", "declined")


class Store(Whole[Contents]):
    """All that was learnt, in one file."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.time) -> None:
        storage = Storage(path, SCHEMA, clock)
        super().__init__(storage, _read, _write, Contents())


def _read(base: sqlite3.Connection) -> Contents:
    base.row_factory = sqlite3.Row
    learnt = base.execute("SELECT * FROM learnt ORDER BY at, rowid").fetchall()
    habits = base.execute("SELECT * FROM habits ORDER BY rowid").fetchall()
    return Contents(tuple(map(_learnt, learnt)), tuple(map(_habit, habits)))


def _write(base: sqlite3.Connection, contents: Contents) -> None:
    base.execute("DELETE FROM learnt")
    base.execute("DELETE FROM habits")
    base.executemany(_insert("learnt", _LEARNT), [_row(item) for item in contents.learnt])
    base.executemany(_insert("habits", _HABITS), [structs.astuple(item) for item in contents.habits])


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


def _insert(table: str, columns: tuple[str, ...]) -> str:
    return f"INSERT INTO {table} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608 - constants


ENOUGH = 3
"""So many times the same choice, and Hearken asks whether it shall always be meant."""
MOST = 500
"""So many names and preferences are learnt: nobody can oversee more, and each is looked through with each command."""
_MOST_HABITS = 1_000
"""So many choices are counted; of more, those that were made longest ago are forgotten."""


class Memory:
    """One event loop. Without a store it lasts as long as the process.

    After each change of the registry `changed` is awaited, before anybody is told of it.
    """

    def __init__(
        self,
        registry: Registry,
        store: Store | None = None,
        *,
        changed: Callable[[], Awaitable[None]] | None = None,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._registry = registry
        self._store = store
        self._changed = changed
        self._clock = clock
        self._learnt: dict[Key, Learnt] = {}
        self._habits: dict[tuple[str, str | None, str | None], Habit] = {}
        self._unsaved = False

    async def open(self) -> None:
        """Remembers what is kept."""
        if self._store is not None:
            contents = await self._store.load()
            self._learnt = {item.key: item for item in contents.learnt}
            self._habits = {item.key: item for item in contents.habits}
        self._teach()

    async def close(self) -> None:
        """Keeps what changed without having been said: counts of use."""
        if self._unsaved:
            await self._save()

    @property
    def items(self) -> tuple[Learnt, ...]:
        """Everything that was learnt, the oldest first; also of what is no longer there."""
        return tuple(self._learnt.values())

    def has_room(self, word: str) -> bool:
        """Whether this word can be learnt: where there are as many as can be, only what is known already."""
        return len(self._learnt) < MOST or bool(self.called(word))

    def now(self) -> float:
        """Seconds since the epoch."""
        return self._clock()

    def applies(self, item: Learnt) -> bool:
        """Whether there is still what it is about."""
        return item.kind == "preference" or item.meaning in self._registry

    def called(self, word: str) -> tuple[Learnt, ...]:
        """Whatever was learnt of a word, however it is written."""
        folded = fold(word)
        return tuple(item for item in self._learnt.values() if fold(item.word) == folded)

    async def learn(self, item: Learnt) -> bool:
        """Takes this over in the place of what the same word meant; whether it will outlast this process."""
        if item.kind == "name":
            # A name belongs to one thing.
            for other in self.called(item.word):
                if other.kind == "name":
                    del self._learnt[other.key]
        self._learnt.pop(item.key, None)
        self._learnt[item.key] = item
        self._habits = {key: habit for key, habit in self._habits.items() if key[0] != fold(item.word)}
        return await self._taught()

    async def forget(self, items: Iterable[Learnt]) -> bool:
        """Unlearns these; whether that will outlast this process."""
        for item in items:
            self._learnt.pop(item.key, None)
        return await self._taught()

    def used(self, words: Sequence[str], speaker: str | None, entities: Sequence[str]) -> None:
        """Counts what helped to find these entities."""
        folded = {fold(word) for word in words}
        for key, item in self._learnt.items():
            if key[1] in folded and item.meaning in entities and item.speaker in (None, speaker):
                self._learnt[key] = replace(item, uses=item.uses + 1, used_at=self._clock())
                self._unsaved = True

    async def chose(self, choice: Choice, speaker: str | None) -> bool:
        """Counts a choice; whether it is time to ask if it shall always be so."""
        habit = Habit(choice.word, speaker, choice.area, choice.entity)
        before = self._habits.get(habit.key)
        if before is not None and before.entity == choice.entity:
            habit = before
        times = habit.times + 1
        ask = times >= ENOUGH and not habit.declined
        # Where the question finds no answer, it comes again after as many choices.
        await self._count(replace(habit, times=0 if ask else times))
        return ask

    async def declined(self, choice: Choice, speaker: str | None) -> None:
        """Never asks about this choice again."""
        await self._count(Habit(choice.word, speaker, choice.area, choice.entity, declined=True))

    async def _count(self, habit: Habit) -> None:
        """Keeps a habit as the newest one."""
        self._habits.pop(habit.key, None)
        self._habits[habit.key] = habit
        while len(self._habits) > _MOST_HABITS:
            del self._habits[next(iter(self._habits))]
        await self._save()

    async def _taught(self) -> bool:
        """Teaches the registry what there is now, and keeps it; whether that worked."""
        before = self._registry.version
        self._teach()
        kept = await self._save()
        if self._changed is not None and self._registry.version != before:
            await self._changed()
        return kept

    def _teach(self) -> None:
        names: dict[str, list[str]] = {}
        for item in self._learnt.values():
            if item.kind == "name":
                names.setdefault(item.meaning, []).append(item.word)
        wishes = [item for item in self._learnt.values() if item.kind == "preference"]
        # What was said last goes first, and what holds anywhere before what was chosen in one room.
        wishes.sort(key=lambda item: (item.area is not None, -item.origin.at))
        preferences = [Preference(item.word, item.meaning, item.speaker, item.unit) for item in wishes]
        self._registry.teach({entity: tuple(words) for entity, words in names.items()}, preferences)

    async def _save(self) -> bool:
        self._unsaved = False
        if self._store is None:
            return True  # nobody expects it to outlast the process
        return await self._store.save(Contents(self.items, tuple(self._habits.values())))

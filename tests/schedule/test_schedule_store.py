"""What is kept for later outlasts the process; what is wrong with its file ends nothing."""

import logging
import sqlite3
from pathlib import Path

import pytest

from daemon.core.ir import Action, Condition, Hours, Order, Program, Prohibition, Target, When
from daemon.core.values import replace
from daemon.schedule.agenda import Agenda
from daemon.schedule.clock import Clock
from daemon.schedule.entries import Entry, Origin
from daemon.schedule.store import Store

ORIGIN = Origin("turn off the lamp in ten minutes", "en", "console", 1000.0, "hall", "amal")
CLAUSE = Order("turn_off", (Target(reference="them"),), when=When(delay_s=600.0))
LAMP = Entry(0, "time", ORIGIN, 1600.0, Program((CLAUSE,), "grammar", "en"), ("lamp",), ("lamp",), ("lamp",))
RULE = Entry(
    0,
    "rule",
    ORIGIN,
    program=Program(
        (
            replace(
                CLAUSE,
                when=When(repeating=True, every=True),
                conditions=(Condition(Target(mention="door"), value="open", for_s=300.0),),
            ),
        ),
        "grammar",
        "en",
    ),
    watched=(("door", "gate"),),
    fired=1200.5,
)
BAN = Entry(
    0,
    "ban",
    ORIGIN,
    program=Program((Prohibition("turn_off", CLAUSE.targets, hours=Hours("22:00", "06:00")),), "grammar", "en"),
    entities=("lamp",),
)
TIMER = Entry(0, "timer", ORIGIN, None, name="pasta", seconds=480.0, left=33.0)
KEPT = (LAMP, replace(LAMP, despite=(3, 4)), RULE, BAN, TIMER)


async def test_everything_comes_back_as_it_was(tmp_path: Path) -> None:
    store = Store(tmp_path / "state" / "later.db")
    kept = [replace(item, id=number) for item in KEPT if (number := await store.add(item)) is not None]
    assert list(await Store(tmp_path / "state" / "later.db").load()) == kept


@pytest.mark.parametrize(
    ("written", "read"),
    [
        (
            '{"intent": "scene", "action": "activate", "targets": [{"mention": "movie night"}]}',
            Order("activate", (Target("movie night"),)),
        ),
        (
            '{"intent": "rule", "action": "turn_off", "targets": [{"kind": "fan"}], "when": {"days": ["daily"]}}',
            Order("turn_off", (Target(kind="fan"),), when=When(days=("daily",))),
        ),
        (
            '{"intent": "act", "action": "turn_off", "targets": [{"reference": "them"}], "when": {"delay_s": 600.0}}',
            CLAUSE,
        ),
    ],
)
async def test_what_was_written_before_clauses_had_variants_is_read(tmp_path: Path, written: str, read: Order) -> None:
    file = tmp_path / "later.db"
    store = Store(file)
    assert await store.add(LAMP) is not None
    program = f'{{"clauses": [{written}], "source": "grammar", "lang": "en"}}'
    origin = '{"said": "", "lang": "en", "satellite": "console", "made": 1.0}'
    kept = f'{{"version": 1, "sort": "time", "origin": {origin}, "program": {program}, "them": ["lamp"]}}'
    base = sqlite3.connect(file)
    with base:
        base.execute("UPDATE later SET entry = ?", (kept,))
    base.close()
    (entry,) = await store.load()
    assert entry.clause == read


async def test_a_number_is_never_used_again(tmp_path: Path) -> None:
    store = Store(tmp_path / "later.db")
    first = await store.add(LAMP)
    assert first is not None
    await store.drop([first])
    assert await store.add(LAMP) == first + 1


async def test_what_cannot_be_read_is_not_done_and_stays(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "later.db"
    store = Store(file)
    number = await store.add(LAMP)
    base = sqlite3.connect(file)
    with base:
        base.execute("INSERT INTO later (due, entry) VALUES (5, '{\"version\": 99}')")
        base.execute("INSERT INTO later (due, entry) VALUES (5, 'nothing')")
        base.execute(
            "INSERT INTO later (due, entry) SELECT due, replace(entry, 'turn_off', 'explode') FROM later WHERE id = ?",
            (number,),
        )
    base.close()
    with caplog.at_level(logging.ERROR):
        assert [item.id for item in await store.load()] == [number]
    assert len(caplog.records) == 3
    assert len(sqlite3.connect(file).execute("SELECT * FROM later").fetchall()) == 4


def aside(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in folder.iterdir() if "damaged" in path.name]


@pytest.mark.parametrize("damage", [b"this is no database at all, but long enough to look like one" * 40])
async def test_a_damaged_file_is_moved_aside(tmp_path: Path, damage: bytes) -> None:
    file = tmp_path / "later.db"
    file.write_bytes(damage)
    store = Store(file)
    assert await store.load() == ()
    assert aside(tmp_path) == [damage]
    assert await store.add(LAMP) == 1


@pytest.fixture
def no_folder(tmp_path: Path) -> Path:
    file = tmp_path / "file"
    file.write_text("not a folder")
    return file


async def test_where_nothing_can_be_written_it_lasts_as_long_as_the_process(no_folder: Path) -> None:
    agenda = Agenda(Clock(lambda: 1000.0, lambda: 0.0), Store(no_folder / "later.db"))
    entry, safe = await agenda.keep(LAMP)
    assert (len(agenda), safe) == (1, False)
    assert agenda.due(entry) == 1600.0


class Clocks:
    """A wall clock that can be set, and one that only goes on."""

    wall = 1000.0
    gone = 50.0

    def wait(self, seconds: float) -> None:
        self.wall += seconds
        self.gone += seconds


@pytest.mark.parametrize("jump", [-7200.0, -10.0, 10.0, 7200.0])
async def test_a_delay_does_not_mind_a_clock_that_is_set(jump: float) -> None:
    clocks = Clocks()
    agenda = Agenda(Clock(lambda: clocks.wall, lambda: clocks.gone))
    entry, _ = await agenda.keep(LAMP)
    clocks.wait(100)
    clocks.wall += jump
    assert agenda.due(entry) - clocks.wall == pytest.approx(500)
    await agenda.follow_clock()
    stored = agenda.get(entry.id)
    assert stored is not None
    assert stored.due is not None
    assert stored.due - clocks.wall == pytest.approx(500)


def end(action: Action, *, due: float, when: When) -> Entry:
    """An end as it was stored once: with the length of what it ends, and so with an end of its own."""
    clause = Order(action, (Target(reference="them"),), when=when)
    return Entry(0, "end", ORIGIN, due, Program((clause,), "dialogue", "en"), ("lamp",), ("lamp",), ("lamp",))


@pytest.mark.parametrize("when", [When(duration_s=600.0), When(until="19:00", until_twelve=True)])
async def test_an_end_that_was_stored_with_an_end_of_its_own_has_none(tmp_path: Path, when: When) -> None:
    store = Store(tmp_path / "later.db")
    await store.add(end("unlock", due=1600.0, when=when))
    agenda = Agenda(Clock(lambda: 1000.0, lambda: 0.0), store)
    await agenda.open()
    [found] = agenda.entries
    assert found.clause.when == (When(delay_s=600.0) if when.duration_s is not None else None)
    assert found.elapsing == (when.duration_s is not None)
    assert found.confirmed == ()  # how often it has been done nobody knows: what is risky is not done once more

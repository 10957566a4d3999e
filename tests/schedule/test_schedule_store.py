"""What is kept for later outlasts the process; what is wrong with its file ends nothing."""

import logging
import sqlite3
from pathlib import Path

import pytest

from daemon.core.ir import Condition, Hours, Order, Program, Prohibition, Target, When
from daemon.core.values import replace
from daemon.schedule.agenda import Store
from daemon.schedule.entries import Entry, Origin

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

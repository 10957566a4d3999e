"""What was learnt outlasts the process, and what is wrong with its file ends nothing."""

import logging
import sqlite3
from pathlib import Path

import pytest

from daemon.memory.learnt import Contents, Habit, Learnt, Origin
from daemon.memory.memory import Store

NAME = Learnt("name", "Bob", "lamp", Origin("told", 5.0, "amal", "console", "ab12", "call the lamp Bob"), uses=2)
WISH = Learnt("preference", "brightness", "40", Origin("always", 7.0), "%", "amal", "hall", used_at=9.0)
HABITS = (Habit("lamp", None, "hall", "lamp", 2), Habit("fan", "mei", None, "fan", 0, declined=True))
ALL = Contents((NAME, WISH), HABITS)


def aside(folder: Path, tail: str = "damaged") -> list[str]:
    return [path.name for path in folder.iterdir() if tail in path.name]


async def test_what_is_saved_is_loaded_by_the_next(tmp_path: Path) -> None:
    file = tmp_path / "state" / "learnt.db"
    assert await Store(file).save(ALL)
    assert await Store(file).load() == ALL


async def test_what_is_saved_replaces_what_was(tmp_path: Path) -> None:
    store = Store(tmp_path / "learnt.db")
    await store.save(ALL)
    await store.save(Contents((WISH,)))
    assert await store.load() == Contents((WISH,))


async def test_nothing_is_kept_at_first_and_nothing_is_made(tmp_path: Path) -> None:
    assert await Store(tmp_path / "learnt.db").load() == Contents()
    assert aside(tmp_path, "") == []


@pytest.mark.parametrize("damage", [b"this is no database at all, but long enough to look like one" * 40, b"\0" * 5000])
async def test_a_damaged_file_is_moved_aside_and_said_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, damage: bytes
) -> None:
    file = tmp_path / "learnt.db"
    file.write_bytes(damage)
    store = Store(file, clock=lambda: 1234.0)
    with caplog.at_level(logging.ERROR):
        assert await store.load() == Contents()
        assert await store.save(ALL)
        assert await store.load() == ALL
    assert (tmp_path / "learnt.db.damaged-1234").read_bytes() == damage
    assert len(caplog.records) == 1


async def test_a_torn_file_is_damage_too(tmp_path: Path) -> None:
    file = tmp_path / "learnt.db"
    await Store(file).save(Contents(tuple(NAME for _ in range(300))))
    with sqlite3.connect(file) as base:
        base.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    whole = file.read_bytes()
    file.write_bytes(whole[: len(whole) // 3])
    assert await Store(file).load() == Contents()
    assert aside(tmp_path)


async def test_rows_that_nobody_wrote_are_damage(tmp_path: Path) -> None:
    file = tmp_path / "learnt.db"
    await Store(file).save(ALL)
    with sqlite3.connect(file) as base:
        base.execute("UPDATE learnt SET kind = 'spell'")
    assert await Store(file).load() == Contents()
    assert aside(tmp_path)


async def test_a_newer_schema_is_left_as_it_is(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    file = tmp_path / "learnt.db"
    await Store(file).save(ALL)
    with sqlite3.connect(file) as base:
        base.execute("PRAGMA user_version = 99")
    store = Store(file)
    assert await store.load() == Contents()
    assert not await store.save(Contents())
    assert "newer" in caplog.text
    with sqlite3.connect(file) as base:
        assert base.execute("SELECT count(*) FROM learnt").fetchone() == (2,)


async def test_a_folder_that_cannot_be_written_is_said_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    store = Store(tmp_path / "state" / "learnt.db")
    assert not await store.save(ALL)
    assert not await store.save(ALL)
    assert len(caplog.records) == 1

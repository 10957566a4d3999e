"""One file of SQLite, whatever has happened to it."""

import logging
import os
import sqlite3
from pathlib import Path

import pytest

from daemon.core.errors import StorageError
from daemon.system.storage import Schema, Storage

FIRST = "CREATE TABLE IF NOT EXISTS notes (said TEXT NOT NULL);"
BROKEN = "DELETE FROM notes; SELECT nonsense;"
SECOND = "ALTER TABLE notes ADD COLUMN at REAL; UPDATE notes SET at = 7;"
JUNK = b"this is no database at all, but long enough to look like one" * 40


def storage(path: Path, *migrations: str) -> Storage:
    return Storage(path, Schema("notes", "they are gone", migrations or (FIRST,)), clock=lambda: 99.9)


def write(base: sqlite3.Connection) -> None:
    base.execute("INSERT INTO notes (said) VALUES ('hello')")


def read(base: sqlite3.Connection) -> list[tuple[object, ...]]:
    return base.execute("SELECT * FROM notes").fetchall()


def test_what_was_there_before_there_were_versions_is_taken_over(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    with sqlite3.connect(file) as base:
        base.execute(FIRST)
        write(base)
    assert storage(file, FIRST, SECOND).use(read) == [("hello", 7)]


def test_a_migration_is_made_once(tmp_path: Path) -> None:
    storage(tmp_path / "notes.db").use(write)
    for _ in range(2):
        assert storage(tmp_path / "notes.db", FIRST, SECOND).use(read) == [("hello", 7)]


@pytest.mark.parametrize("anew", [True, False])
def test_where_one_of_several_migrations_fails_all_is_as_it_was(*, anew: bool, tmp_path: Path) -> None:
    storage(tmp_path / "notes.db").use(write)
    with pytest.raises(StorageError, match="nonsense"):
        storage(tmp_path / "notes.db", FIRST, SECOND, BROKEN).use(read, anew=anew)
    assert storage(tmp_path / "notes.db").use(read) == [("hello",)]
    assert {path.name for path in tmp_path.iterdir()} == {"notes.db"}


def test_what_there_was_before_a_migration_is_kept_for_the_way_back(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    storage(file).use(write)
    storage(file, FIRST, SECOND).use(write)
    with pytest.raises(StorageError, match=r"schema 2; this one knows 1.*notes\.db\.schema-1"):
        storage(file).use(read)
    before = tmp_path / "notes.db.schema-1"
    assert before.stat().st_mode & 0o777 == 0o600
    before.replace(file)
    assert storage(file).use(read) == [("hello",)]


def test_a_script_is_taken_statement_by_statement(tmp_path: Path) -> None:
    script = """
    CREATE TABLE heard (said TEXT); -- one; or two
    CREATE TRIGGER copied AFTER INSERT ON heard BEGIN INSERT INTO notes (said) VALUES ('a; b'); END;
    INSERT INTO heard VALUES ('x')"""
    assert storage(tmp_path / "notes.db", FIRST, script).use(read) == [("a; b",)]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes files for others")
def test_what_root_makes_belongs_to_whom_the_folder_belongs(tmp_path: Path) -> None:
    os.chown(tmp_path, 1234, 1234)
    kept = storage(tmp_path / "notes.db")
    base = kept.open()
    write(base)
    owners = {path.name: path.stat().st_uid for path in tmp_path.iterdir()}
    base.close()
    assert owners == dict.fromkeys(("notes.db", "notes.db-wal", "notes.db-shm"), 1234)


def test_half_of_the_work_is_none(tmp_path: Path) -> None:
    def fails(base: sqlite3.Connection) -> None:
        write(base)
        raise sqlite3.OperationalError("disk full")

    kept = storage(tmp_path / "notes.db")
    with pytest.raises(StorageError, match="disk full"):
        kept.use(fails)
    assert kept.use(read) == []


def test_where_nothing_new_may_be_begun_a_damaged_file_stays(tmp_path: Path) -> None:
    file = tmp_path / "notes.db"
    file.write_bytes(JUNK)
    with pytest.raises(StorageError):
        storage(file).use(write, anew=False)
    assert file.read_bytes() == JUNK
    storage(file).use(write)
    assert (tmp_path / "notes.db.damaged-99").read_bytes() == JUNK


def test_what_cannot_be_written_damages_no_file(tmp_path: Path) -> None:
    kept = storage(tmp_path / "notes.db")
    kept.use(write)
    with pytest.raises(StorageError):
        kept.use(lambda base: base.execute("INSERT INTO notes (said) VALUES (?)", ("\ud800",)))
    assert kept.use(read) == [("hello",)]
    assert not list(tmp_path.glob("*damaged*"))


def test_trouble_is_told_once_until_it_works_again(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "state").write_text("in the way")
    kept = storage(tmp_path / "state" / "notes.db")
    with caplog.at_level(logging.ERROR):
        for _ in range(3):
            with pytest.raises(StorageError):
                kept.use(write)
        assert len(caplog.records) == 1
        (tmp_path / "state").unlink()
        kept.use(write)
        (tmp_path / "state" / "notes.db").unlink()
        for rest in ("-wal", "-shm"):
            (tmp_path / "state" / f"notes.db{rest}").unlink(missing_ok=True)
        (tmp_path / "state").rmdir()
        (tmp_path / "state").write_text("in the way")
        with pytest.raises(StorageError):
            kept.use(write)
    assert len(caplog.records) == 2

"""Files are put in the place of others, all or none."""

import os
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from daemon.core.errors import BackupError
from daemon.system.archive import Part
from daemon.system.exchange import clear, exchange
from daemon.system.storage import Schema, Storage

NOTES = Schema("notes", "they are gone", ("CREATE TABLE notes (said TEXT NOT NULL);",))


def notes(file: Path, *said: str) -> Storage:
    file.parent.mkdir(exist_ok=True)
    storage = Storage(file, NOTES)
    storage.use(lambda base: base.executemany("INSERT INTO notes VALUES (?)", [(note,) for note in said]))
    return storage


def said(file: Path) -> list[str]:
    with closing(sqlite3.connect(file)) as base:
        return [note for (note,) in base.execute("SELECT said FROM notes")]


@pytest.fixture
def parts(tmp_path: Path) -> dict[str, Part]:
    """Two files that are used; what is to come in their place lies in `new`."""
    used, new = tmp_path / "used", tmp_path / "new"
    notes(used / "notes.db", "old")
    notes(new / "notes.db", "new")
    for folder in (used, new):
        (folder / "home.yaml").write_text(folder.name)
    (used / "home.yaml").chmod(0o640)
    return {"notes.db": Part(used / "notes.db", NOTES), "home.yaml": Part(used / "home.yaml")}


def test_all_are_replaced_and_keep_their_modes(parts: dict[str, Part], tmp_path: Path) -> None:
    exchange(parts, tmp_path / "new")
    used = tmp_path / "used"
    assert (said(used / "notes.db"), (used / "home.yaml").read_text()) == (["new"], "new")
    assert [oct(part.path.stat().st_mode & 0o777) for part in parts.values()] == ["0o600", "0o640"]
    assert {path.name for path in used.iterdir()} == {"notes.db", "home.yaml"}


def test_what_was_not_there_is_there_then(parts: dict[str, Part], tmp_path: Path) -> None:
    for part in parts.values():
        part.path.unlink()
    exchange(parts, tmp_path / "new")
    assert [oct(part.path.stat().st_mode & 0o777) for part in parts.values()] == ["0o600", "0o600"]


def test_the_log_of_the_old_file_is_not_taken_for_that_of_the_new_one(parts: dict[str, Part], tmp_path: Path) -> None:
    file = tmp_path / "used" / "notes.db"
    # As a process leaves it that was killed: all that was written last lies in the log.
    kept = notes(file).open()
    with kept:
        kept.execute("INSERT INTO notes VALUES ('late')")
    copies = [(tmp_path / f"copy{rest}", file.with_name(f"notes.db{rest}")) for rest in ("", "-wal")]
    for copy, path in copies:
        copy.write_bytes(path.read_bytes())
    kept.close()
    for copy, path in copies:
        copy.replace(path)
    exchange(parts, tmp_path / "new")
    assert said(file) == ["new"]


def test_where_one_cannot_be_replaced_none_is(
    parts: dict[str, Part], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.replace

    def fails(self: Path, target: Path) -> Path:
        if target.name == "home.yaml" and self.name == "new":
            raise OSError(5, "Input/output error", str(target))
        return real(self, target)

    monkeypatch.setattr(Path, "replace", fails)
    with pytest.raises(BackupError, match=r"nothing was changed: .*home\.yaml: Input/output error"):
        exchange(parts, tmp_path / "new")
    used = tmp_path / "used"
    assert (said(used / "notes.db"), (used / "home.yaml").read_text()) == (["old"], "used")
    assert {path.name for path in used.iterdir()} == {"notes.db", "home.yaml"}


def test_what_was_not_there_is_not_there_where_it_failed(
    parts: dict[str, Part], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    parts["notes.db"].path.unlink()
    (tmp_path / "new" / "home.yaml").unlink()
    with pytest.raises(BackupError, match="nothing was changed"):
        exchange(parts, tmp_path / "new")
    assert {path.name for path in (tmp_path / "used").iterdir()} == {"home.yaml"}


def test_what_somebody_uses_is_not_replaced(
    parts: dict[str, Part], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("daemon.system.exchange._PATIENCE_S", 0.0)
    with closing(notes(tmp_path / "used" / "notes.db").open()) as base:
        base.execute("SELECT * FROM notes").fetchall()
        with pytest.raises(BackupError, match="nothing was changed"):
            exchange(parts, tmp_path / "new")
    assert (said(tmp_path / "used" / "notes.db"), (tmp_path / "used" / "home.yaml").read_text()) == (["old"], "used")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root replaces the files of others")
def test_what_root_replaces_belongs_to_whom_it_belonged(parts: dict[str, Part], tmp_path: Path) -> None:
    for path in (tmp_path / "used", tmp_path / "used" / "notes.db"):
        os.chown(path, 1234, 1234)
    parts["home.yaml"].path.unlink()
    exchange(parts, tmp_path / "new")
    assert [part.path.stat().st_uid for part in parts.values()] == [1234, 1234]


def test_only_what_is_damaged_is_moved_aside(parts: dict[str, Part], tmp_path: Path) -> None:
    clear(parts["notes.db"])
    clear(parts["home.yaml"])
    assert said(tmp_path / "used" / "notes.db") == ["old"]
    parts["notes.db"].path.write_bytes(b"this is no database" * 500)
    clear(parts["notes.db"])
    kept = [path.name for path in (tmp_path / "used").iterdir() if "damaged" in path.name]
    assert len(kept) == 1
    assert not parts["notes.db"].path.exists()

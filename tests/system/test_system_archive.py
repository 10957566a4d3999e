"""A backup comes back as it was, and nothing that is not one is taken for one."""

import gzip
import io
import json
import shutil
import sqlite3
import tarfile
from collections.abc import Callable
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.core.errors import BackupError
from daemon.system.archive import FORMAT, Manifest, Part, pack, unpack
from daemon.system.storage import Schema, Storage

NOTES = Schema("notes", "they are gone", ("CREATE TABLE notes (said TEXT NOT NULL);",))
LATER = Schema("notes", "they are gone", (*NOTES.migrations, "ALTER TABLE notes ADD COLUMN at REAL DEFAULT 7;"))
MADE = "2026-11-28T18:30:00+01:00"


def parts(folder: Path, schema: Schema = NOTES) -> dict[str, Part]:
    return {"home.yaml": Part(folder / "devices.yaml"), "notes.db": Part(folder / "notes.db", schema)}


def home(folder: Path, text: str = "devices: {}", *notes: str) -> dict[str, Part]:
    """A home file and a file of SQLite, in use."""
    folder.mkdir(exist_ok=True)
    (folder / "devices.yaml").write_text(text, encoding="utf-8")
    Storage(folder / "notes.db", NOTES).use(
        lambda base: base.executemany("INSERT INTO notes VALUES (?)", [(note,) for note in notes])
    )
    return parts(folder)


def notes(file: Path) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(file)) as base:
        return base.execute("SELECT * FROM notes").fetchall()


def fresh(folder: Path) -> Path:
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    return folder


@pytest.fixture
def backup(tmp_path: Path) -> Path:
    pack(tmp_path / "a.tar.gz", home(tmp_path / "home", "areas: {}", "milk", "鸡蛋"), "1.2.3", MADE)
    return tmp_path / "a.tar.gz"


def test_it_comes_back_as_it_was(backup: Path, tmp_path: Path) -> None:
    into = fresh(tmp_path / "into")
    manifest = unpack(backup, parts(tmp_path / "home"), into)
    assert (manifest.format, manifest.hearken, manifest.made) == (FORMAT, "1.2.3", MADE)
    assert list(manifest.files) == ["home.yaml", "notes.db"]
    assert (into / "home.yaml").read_text(encoding="utf-8") == "areas: {}"
    assert notes(into / "notes.db") == [("milk",), ("鸡蛋",)]


def test_it_is_for_its_owner_alone_and_tar_reads_it(backup: Path) -> None:
    assert backup.stat().st_mode & 0o777 == 0o600
    with tarfile.open(backup) as archive:
        assert archive.getnames() == ["manifest.json", "home.yaml", "notes.db"]


def test_nothing_is_written_over(backup: Path, tmp_path: Path) -> None:
    before = backup.read_bytes()
    with pytest.raises(BackupError, match="is there already"):
        pack(backup, parts(tmp_path / "home"), "1.2.3", MADE)
    assert backup.read_bytes() == before


def test_nothing_is_left_where_it_cannot_be_made(tmp_path: Path) -> None:
    made = home(tmp_path / "home")
    (tmp_path / "home" / "notes.db").write_bytes(b"this is no database" * 500)
    with pytest.raises(BackupError, match=r"notes\.db cannot be read"):
        pack(tmp_path / "a.tar.gz", made, "1.2.3", MADE)
    with pytest.raises(BackupError, match="cannot be written"):
        pack(tmp_path / "nowhere" / "a.tar.gz", made, "1.2.3", MADE)
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_what_is_not_there_yet_comes_back_as_empty(tmp_path: Path) -> None:
    (tmp_path / "devices.yaml").touch()
    pack(tmp_path / "a.tar.gz", parts(tmp_path), "1.2.3", MADE)
    unpack(tmp_path / "a.tar.gz", parts(tmp_path), into := fresh(tmp_path / "into"))
    assert notes(into / "notes.db") == []
    assert not (tmp_path / "notes.db").exists()


def test_what_is_written_meanwhile_is_in_it_whole_or_not_at_all(tmp_path: Path) -> None:
    made = home(tmp_path / "home", "x", "one")
    base = Storage(tmp_path / "home" / "notes.db", NOTES).open()
    with closing(base):
        # Committed and still in the log beside the file; and one that is under way.
        with base:
            base.execute("INSERT INTO notes VALUES ('two')")
        base.execute("INSERT INTO notes VALUES ('three')")
        pack(tmp_path / "a.tar.gz", made, "1.2.3", MADE)
        base.commit()
    unpack(tmp_path / "a.tar.gz", made, into := fresh(tmp_path / "into"))
    assert notes(into / "notes.db") == [("one",), ("two",)]
    assert notes(tmp_path / "home" / "notes.db") == [("one",), ("two",), ("three",)]


def test_an_older_one_gets_the_newest_form(backup: Path, tmp_path: Path) -> None:
    unpack(backup, parts(tmp_path / "home", LATER), into := fresh(tmp_path / "into"))
    assert notes(into / "notes.db") == [("milk", 7), ("鸡蛋", 7)]


def test_one_of_a_newer_hearken_is_refused_with_what_to_do(backup: Path, tmp_path: Path) -> None:
    unpack(backup, parts(tmp_path / "home", LATER), fresh(tmp_path / "home"))
    (tmp_path / "home" / "devices.yaml").touch()
    pack(tmp_path / "b.tar.gz", parts(tmp_path / "home", LATER), "9.9", MADE)
    with pytest.raises(BackupError, match=r"newer Hearken \(9\.9\): install that one first"):
        unpack(tmp_path / "b.tar.gz", parts(tmp_path / "home"), fresh(tmp_path / "into"))


def test_one_that_the_newest_form_cannot_be_made_of_is_refused(backup: Path, tmp_path: Path) -> None:
    broken = Schema("notes", "", (*NOTES.migrations, "DELETE FROM notes; SELECT nonsense;"))
    with pytest.raises(BackupError, match="nonsense"):
        unpack(backup, parts(tmp_path / "home", broken), fresh(tmp_path / "into"))


# What somebody could make by hand.


def by_hand(file: Path, manifest: dict[str, Any], *members: tuple[tarfile.TarInfo | str, bytes]) -> Path:
    with tarfile.open(file, "w:gz", format=tarfile.USTAR_FORMAT) as archive:
        for header, content in (("manifest.json", json.dumps(manifest).encode()), *members):
            info = tarfile.TarInfo(header) if isinstance(header, str) else header
            info.size = len(content) if info.type == tarfile.REGTYPE else 0
            archive.addfile(info, io.BytesIO(content))
    return file


def manifest_of(contents: dict[str, bytes], **changes: Any) -> dict[str, Any]:
    items = {name: {"size": len(content), "sha256": sha256(content).hexdigest()} for name, content in contents.items()}
    return {"format": FORMAT, "hearken": "1.2.3", "made": MADE, "files": items} | changes


def special(name: str, sort: bytes, target: str = "/etc/passwd") -> tarfile.TarInfo:
    info = tarfile.TarInfo(name)
    info.type, info.linkname = sort, target
    return info


HOME = b"areas: {}"
ONE = manifest_of({"home.yaml": HOME})


@pytest.mark.parametrize(
    ("manifest", "members", "problem"),
    [
        (manifest_of({"../evil": HOME}), [("../evil", HOME)], "has no place here"),
        (manifest_of({"/etc/evil": HOME}), [("/etc/evil", HOME)], "has no place here"),
        (ONE, [("../home.yaml", HOME)], "not where it should be"),
        (ONE, [("home.yaml", HOME + b" ")], "not the size"),
        (ONE, [("home.yaml", b"areas: []")], "not what was put into it"),
        (ONE, [], "end of file header|ends too early|empty"),
        (ONE, [("home.yaml", HOME), ("home.yaml", HOME)], "behind its end"),
        (ONE, [("home.yaml", HOME), ("evil", HOME)], "behind its end"),
        *[
            (ONE, [(special("home.yaml", sort), b"")], "not where it should be")
            for sort in (tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE, tarfile.DIRTYPE)
        ],
        (manifest_of({"home.yaml": HOME}, format=FORMAT + 1, more=1), [("home.yaml", HOME)], "newer Hearken"),
        (manifest_of({"home.yaml": HOME}, more=1), [("home.yaml", HOME)], "unknown field"),
        (manifest_of({}, files=3), [], "Expected `object`"),
        ({}, [], "missing required field"),
        (manifest_of({}, files={"home.yaml": {"size": 1 << 40, "sha256": ""}}), [], "is larger than"),
        (manifest_of({}, files={"home.yaml": {"size": -1, "sha256": ""}}), [], "is larger than"),
        (manifest_of({"notes.db": HOME}), [("notes.db", HOME)], "not what its name says"),
    ],
)
def test_what_is_made_by_hand_is_refused(
    manifest: dict[str, Any], members: list[tuple[tarfile.TarInfo | str, bytes]], problem: str, tmp_path: Path
) -> None:
    file = by_hand(tmp_path / "a.tar.gz", manifest, *members)
    with pytest.raises(BackupError, match=problem):
        unpack(file, parts(tmp_path), fresh(tmp_path / "into"))
    assert {path.name for path in tmp_path.iterdir()} == {"a.tar.gz", "into"}


def test_what_is_no_backup_is_refused(tmp_path: Path) -> None:
    deep = gzip.compress(b"[" * 60_000)
    for content in (b"", b"hello", gzip.compress(b""), gzip.compress(b"hello" * 500), deep):
        (tmp_path / "a.tar.gz").write_bytes(content)
        with pytest.raises(BackupError, match="is no backup"):
            unpack(tmp_path / "a.tar.gz", parts(tmp_path), fresh(tmp_path / "into"))
    with pytest.raises(BackupError, match="No such file"):
        unpack(tmp_path / "none", parts(tmp_path), fresh(tmp_path / "into"))


def test_a_manifest_of_brackets_is_refused(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as archive:
        info = tarfile.TarInfo("manifest.json")
        info.size = 60_000
        archive.addfile(info, io.BytesIO(b'{"x":' * 12_000))
    with pytest.raises(BackupError, match="is no backup"):
        unpack(tmp_path / "a.tar.gz", parts(tmp_path), fresh(tmp_path / "into"))


def _database(statements: str) -> Callable[[Path], bytes]:
    def made(folder: Path) -> bytes:
        with closing(sqlite3.connect(folder / "made.db")) as base:
            base.executescript(statements)
        return (folder / "made.db").read_bytes()

    return made


@pytest.mark.parametrize(
    ("made", "problem"),
    [
        (lambda _: b"this is no database at all" * 100, "not a database"),
        (_database(f"{NOTES.migrations[0]} PRAGMA user_version = 0;"), "another form"),
        (_database("CREATE TABLE x (y); PRAGMA user_version = 1;"), "something else than notes"),
        (
            _database(f"{NOTES.migrations[0]} CREATE VIEW more AS SELECT 1; PRAGMA user_version = 1;"),
            "something else than notes",
        ),
    ],
    ids=["no_database", "version", "table", "view"],
)
def test_a_file_that_is_not_what_it_says_is_refused(
    made: Callable[[Path], bytes], problem: str, tmp_path: Path
) -> None:
    content = made(tmp_path)
    manifest = manifest_of({"notes.db": content})
    manifest["files"]["notes.db"]["schema"] = 1
    file = by_hand(tmp_path / "a.tar.gz", manifest, ("notes.db", content))
    with pytest.raises(BackupError, match=problem):
        unpack(file, parts(tmp_path), fresh(tmp_path / "into"))


# Properties.

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)


@given(text=texts, kept=st.lists(texts, max_size=5))
def test_whatever_there_is_comes_back(text: str, kept: list[str], tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("any")
    made = home(folder / "home", text, *kept)
    pack(folder / "a.tar.gz", made, "1.2.3", MADE)
    unpack(folder / "a.tar.gz", made, into := fresh(folder / "into"))
    assert (into / "home.yaml").read_bytes() == (folder / "home" / "devices.yaml").read_bytes()
    assert notes(into / "notes.db") == [(note,) for note in kept]


def unpacked(content: bytes, folder: Path) -> Manifest:
    (folder / "b.tar.gz").write_bytes(content)
    return unpack(folder / "b.tar.gz", parts(folder / "home"), fresh(folder / "into"))


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, bytes]:
    folder = tmp_path_factory.mktemp("whole")
    pack(folder / "a.tar.gz", home(folder / "home", "areas: {}", "milk"), "1.2.3", MADE)
    return folder, (folder / "a.tar.gz").read_bytes()


@given(data=st.data())
def test_a_part_of_a_backup_is_none(data: st.DataObject, whole: tuple[Path, bytes]) -> None:
    folder, content = whole
    with pytest.raises(BackupError):
        unpacked(content[: data.draw(st.integers(0, len(content) - 1))], folder)


@given(data=st.data())
def test_a_flipped_bit_is_refused_or_means_nothing(data: st.DataObject, whole: tuple[Path, bytes]) -> None:
    folder, content = whole
    bit = data.draw(st.integers(0, len(content) * 8 - 1))
    flipped = bytearray(content)
    flipped[bit // 8] ^= 1 << bit % 8
    try:
        unpacked(bytes(flipped), folder)
    except BackupError:
        return
    # The time and the system in the header of gzip, and nothing else.
    assert gzip.decompress(flipped) == gzip.decompress(content)
    assert notes(folder / "into" / "notes.db") == [("milk",)]

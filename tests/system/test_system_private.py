"""What is kept is for nobody else, whatever the umask and whatever was there before."""

import asyncio
import os
import sqlite3
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from daemon.act.audit import Audit, Entry
from daemon.core.result import Occasion
from daemon.memory.learnt import Contents
from daemon.memory.memory import Store
from daemon.schedule.agenda import Store as LaterStore
from daemon.system import control, storage


@pytest.fixture(autouse=True)
def open_to_all() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def modes(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder.parent)): f"{stat.S_IMODE(path.lstat().st_mode):03o}"
        for path in (folder, *folder.rglob("*"))
    }


async def use(state: Path) -> dict[str, str]:
    """Writes to every store of a state folder, and looks at all while the audit log is open."""
    await Store(state / "learnt.db").save(Contents())
    await LaterStore(state / "later.db").drop([7])
    audit = Audit(state / "audit.db")
    audit.start()
    audit.record(Entry(Occasion("turn it on", "en", "hall"), "refused", refused=True))
    await audit.flush()
    with control.claim(state / "control.sock"):
        async with control.serve(state / "control.sock", lambda _: asyncio.sleep(0, {})):
            found = modes(state)
    await audit.stop()
    return found


async def test_all_that_is_made_is_private(tmp_path: Path) -> None:
    found = await use(tmp_path / "state")
    assert {"state/audit.db", "state/audit.db-wal", "state/audit.db-shm", "state/control.sock"} <= set(found)
    assert {name: mode for name, mode in found.items() if mode not in ("600", "700")} == {}


async def test_what_was_open_to_others_is_narrowed_when_it_is_opened(tmp_path: Path) -> None:
    state = tmp_path / "state"
    state.mkdir(mode=0o777)
    # A daemon that was killed left its write-ahead log.
    left = [sqlite3.connect(state / name) for name in ("learnt.db", "later.db", "audit.db")]
    for base in left:
        base.execute("PRAGMA journal_mode = WAL")
        base.execute("CREATE TABLE other (one)")
    assert {"777", "644"} <= set(modes(state).values())
    found = await use(state)
    assert len(found) > len(left) * 3
    assert {name: mode for name, mode in found.items() if mode not in ("600", "700")} == {}
    for base in left:
        base.close()


def test_a_narrower_mode_stays(tmp_path: Path) -> None:
    file = tmp_path / "state" / "notes.db"
    storage.file(file)
    file.chmod(0o400)
    storage.folder(file.parent).chmod(0o500)
    storage.folder(file.parent)
    assert modes(file.parent) == {"state": "500", "state/notes.db": "400"}


def test_who_may_not_narrow_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise PermissionError

    (tmp_path / "state").mkdir()
    monkeypatch.setattr(os, "chmod", refuse)
    assert storage.file(tmp_path / "state" / "notes.db").exists()

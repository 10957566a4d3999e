"""The audit log: what it keeps, and that nothing it meets stops an act."""

import asyncio
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing
from pathlib import Path

import pytest

from daemon.act.audit import Audit, Entry
from daemon.core.outcomes import Observation, Outcome, Write
from daemon.core.result import Occasion

SEEN = Observation("lamp", "state", "on", "reply", 0.1, "zigbee2mqtt/lamp", 7)
DONE = Outcome(
    Write("lamp", "state", "on", "turn_on"),
    "done",
    evidence=SEEN,
    sent=True,
    attempts=1,
    published=(("zigbee2mqtt/lamp/set", '{"state":"ON"}'),),
)
SILENT = Outcome(Write("fan", "state", "on", "turn_on"), "unconfirmed", "no_answer", sent=True, attempts=2)


def entry(said: str = "turn it on", *outcomes: Outcome, refused: bool = False) -> Entry:
    return Entry(Occasion(said, "en", "hall", "ann", "grammar"), "sure", outcomes, refused=refused)


async def test_one_row_for_each_outcome_and_refusal(tmp_path: Path) -> None:
    audit = Audit(tmp_path / "deep" / "audit.db", clock=lambda: 1000.5)
    audit.start()
    audit.record(entry("把灯打开", DONE, SILENT))
    audit.record(entry("open sesame", refused=True))
    await audit.flush()
    rows = await audit.rows()
    await audit.stop()
    assert [(row["device"], row["status"], row["reason"]) for row in rows] == [
        (None, "refused", "sure"),
        ("fan", "unconfirmed", "no_answer"),
        ("lamp", "done", ""),
    ]
    assert rows[2] == {
        "id": 1,
        "at": 1000.5,
        "satellite": "hall",
        "speaker": "ann",
        "said": "把灯打开",
        "lang": "en",
        "source": "grammar",
        "allowed_because": "sure",
        "device": "lamp",
        "action": "turn_on",
        "sent": [{"topic": "zigbee2mqtt/lamp/set", "payload": '{"state":"ON"}'}],
        "seen": {"attribute": "state", "value": "on", "source": "reply", "topic": "zigbee2mqtt/lamp", "sequence": 7},
        "status": "done",
        "reason": "",
    }


async def test_what_cannot_be_written_ends_no_log(tmp_path: Path) -> None:
    audit = Audit(tmp_path / "audit.db")
    audit.start()
    for said in ("turn it on", "turn it \ud800", "turn it off"):
        audit.record(entry(said, DONE))
        await audit.flush()
    assert [row["said"] for row in await audit.rows()] == ["turn it off", "turn it on"]
    await audit.stop()


async def test_rows_are_found_by_time_device_and_outcome(tmp_path: Path) -> None:
    now = [0.0]
    audit = Audit(tmp_path / "audit.db", clock=lambda: now[0])
    audit.start()
    for now[0] in (10.0, 20.0, 30.0):
        audit.record(entry("x", DONE, SILENT))
    await audit.flush()
    assert [row["at"] for row in await audit.rows(since=20, until=30)] == [20.0, 20.0]
    assert {row["device"] for row in await audit.rows(device="fan")} == {"fan"}
    assert {row["status"] for row in await audit.rows(status="done")} == {"done"}
    assert await audit.rows(speaker="bob") == []
    assert len(await audit.rows(speaker="ann")) == 6
    assert len(await audit.rows(limit=4)) == 4
    await audit.stop()


async def test_old_rows_go_and_none_is_ever_changed(tmp_path: Path) -> None:
    path, day = tmp_path / "audit.db", 86_400.0
    now = [0.0]
    audit = Audit(path, keep_days=30, clock=lambda: now[0])
    for now[0] in (day, 100 * day):
        audit.start()
        audit.record(entry("x", DONE))
        await audit.stop()
    assert [row["at"] for row in await audit.rows()] == [100 * day]
    with closing(sqlite3.connect(path)) as base, pytest.raises(sqlite3.IntegrityError, match="never changed"):
        base.execute("UPDATE acts SET status = 'done'")


async def test_of_too_many_rows_the_oldest_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("daemon.act.audit._MOST_ROWS", 10)
    now = [0.0]
    audit = Audit(tmp_path / "audit.db", clock=lambda: now[0])
    audit.start()
    for now[0] in (float(at) for at in range(0, 4_000, 100)):
        audit.record(entry("x", DONE))
        await audit.flush()
    # Looked for once an hour: those of the last minutes are more.
    assert [row["at"] for row in await audit.rows()] == [float(at) for at in range(3_900, 2_700, -100)]
    await audit.stop()


async def test_many_write_and_read_at_once(tmp_path: Path) -> None:
    audit = Audit(tmp_path / "audit.db")
    audit.start()

    async def write(name: int) -> None:
        for number in range(50):
            audit.record(entry(f"{name}.{number}", DONE))
            await asyncio.sleep(0)

    async def read() -> None:
        for _ in range(20):
            assert all(row["seen"]["value"] == "on" for row in await audit.rows(limit=500))

    await asyncio.gather(*(write(name) for name in range(8)), *(read() for _ in range(4)))
    await audit.flush()
    assert len({row["said"] for row in await audit.rows(limit=1000)}) == 400
    await audit.stop()


def test_it_survives_being_killed(tmp_path: Path) -> None:
    path = tmp_path / "audit.db"
    script = textwrap.dedent("""
        import asyncio, sys
        from pathlib import Path
        from daemon.act.audit import Audit, Entry
        from daemon.core.result import Occasion

        async def main():
            audit = Audit(Path(sys.argv[1]))
            audit.start()
            audit.record(Entry(Occasion("before", "en", "hall"), "sure", refused=True))
            await audit.flush()
            print("written", flush=True)
            while True:
                audit.record(Entry(Occasion("in the middle", "en", "hall"), "sure", refused=True))
                await asyncio.sleep(0)

        asyncio.run(main())
    """)
    with subprocess.Popen([sys.executable, "-c", script, str(path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"written\n"
        os.kill(process.pid, signal.SIGKILL)

    async def reopened() -> list[str]:
        audit = Audit(path)
        audit.start()
        audit.record(entry("after", refused=True))
        await audit.flush()
        first = await audit.rows(limit=100_000)
        await audit.stop()
        return [row["said"] for row in first]

    said = asyncio.run(reopened())
    assert (said[0], said[-1]) == ("after", "before")
    with closing(sqlite3.connect(path)) as base:
        assert base.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


async def test_a_disk_that_cannot_be_written_is_logged_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_text("in the way")
    audit = Audit(tmp_path / "file" / "audit.db")
    audit.start()
    with caplog.at_level(logging.ERROR):
        for _ in range(5):
            audit.record(entry("x", DONE))
            await audit.flush()
    assert await audit.rows() == []
    await audit.stop()
    assert len(caplog.records) == 1
    assert "acts go on unrecorded" in caplog.text


async def test_a_damaged_file_is_kept_aside_and_nothing_new_is_lost(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "audit.db"
    path.write_bytes(b"dear diary" * 500)
    audit = Audit(path, clock=lambda: 1234.5)
    audit.start()
    audit.record(entry("x", DONE))
    await audit.flush()
    assert [row["said"] for row in await audit.rows()] == ["x"]
    await audit.stop()
    assert (tmp_path / "audit.db.damaged-1234").read_bytes() == b"dear diary" * 500
    assert len(caplog.records) == 1


async def test_too_many_entries_never_block(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    audit = Audit(tmp_path / "audit.db")  # not started: nobody takes them away
    for _ in range(3000):
        audit.record(entry("x", DONE))
    assert len(caplog.records) == 1


async def test_rows_are_found_by_their_words_page_by_page_and_counted(tmp_path: Path) -> None:
    audit = Audit(tmp_path / "audit.db", clock=iter(map(float, range(1_000, 2_000))).__next__)
    audit.start()
    for said in ("100% on", "把灯打开", "ON again"):
        audit.record(entry(said, DONE))
    await audit.flush()
    found = {words: [row["said"] for row in await audit.rows(words=words)] for words in ("on", "灯", "%", "_", "lamp")}
    first = await audit.rows(limit=2)
    rest = await audit.rows(before=first[-1]["id"])
    counts = [await audit.counts(0, 10_000), await audit.counts(0, 10)]
    await audit.stop()
    assert found == {
        "on": ["ON again", "把灯打开", "100% on"],  # the action has it too
        "灯": ["把灯打开"],
        "%": ["100% on"],
        "_": ["ON again", "把灯打开", "100% on"],
        "lamp": ["ON again", "把灯打开", "100% on"],
    }
    assert [row["said"] for row in (*first, *rest)] == ["ON again", "把灯打开", "100% on"]
    assert counts == [{"done": 3}, {}]

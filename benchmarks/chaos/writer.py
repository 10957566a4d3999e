"""Writes to stores without an end, and says what is safe: `python -m benchmarks.chaos.writer FOLDER NUMBER`."""

from __future__ import annotations

import asyncio
import itertools
import sys
import time
from pathlib import Path

from daemon.act.audit import Audit, Entry
from daemon.core.result import Occasion
from daemon.memory.learnt import Contents, Learnt, Origin
from daemon.memory.memory import Store
from daemon.schedule.agenda import Store as LaterStore
from daemon.schedule.entries import Entry as Later
from daemon.schedule.entries import Origin as LaterOrigin


def _acknowledge(what: str) -> None:
    sys.stdout.write(f"{what}\n")
    sys.stdout.flush()


async def _keep(folder: Path) -> None:
    store = LaterStore(folder / "later.db")
    origin = LaterOrigin("in an hour", "en", "console", time.time())
    while True:
        number = await store.add(Later(0, "timer", origin, time.time() + 3600, seconds=3600.0))
        assert number is not None
        _acknowledge(f"later {number}")


async def _learn(folder: Path, turn: str) -> None:
    store = Store(folder / "learnt.db")
    known = list((await store.load()).learnt)
    for number in itertools.count():
        word = f"{turn}-{number}"
        known.append(Learnt("name", word, "lamp", Origin("told", time.time())))
        assert await store.save(Contents(tuple(known)))
        _acknowledge(f"learnt {word}")


async def _record(folder: Path, turn: str) -> None:
    audit = Audit(folder / "audit.db")
    audit.start()
    for number in itertools.count():
        said = f"{turn}-{number}"
        audit.record(Entry(Occasion(said, "en", "hall"), "refused", refused=True))
        await audit.flush()
        _acknowledge(f"audit {said}")


async def _main(folder: Path, turn: str) -> None:
    await asyncio.gather(_keep(folder), _learn(folder, turn), _record(folder, turn))


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), sys.argv[2]))

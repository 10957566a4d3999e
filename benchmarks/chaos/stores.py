"""The process killed in the middle of its writing, and a disk that is full: what was acknowledged is there."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any, Final

from benchmarks.chaos.tally import Tally
from daemon.act.audit import Audit
from daemon.memory.memory import Store
from daemon.schedule.agenda import Store as LaterStore
from daemon.system.config import ROOT

KILLED: Final = "process killed"
FULL: Final = "disk full"
NAMES: Final = (KILLED, FULL)
_WRITES: Final = 80
"""After at most so many the process is killed."""


def run(tally: Tally, rounds: int, seed: int, folder: Path) -> None:
    """So many rounds of one of `NAMES`."""
    dice = random.Random(f"{tally.name} {seed}")
    if tally.name == FULL:
        _filled(tally, dice, folder, rounds)
        return
    for _ in range(rounds):
        _killed(tally, dice, folder)


def _killed(tally: Tally, dice: random.Random, folder: Path) -> None:
    """Writes to all stores at once, until it is killed; then what was acknowledged is looked for."""
    with subprocess.Popen(
        _child("writer", folder, tally.rounds), cwd=ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        acknowledged = [process.stdout.readline() for _ in range(dice.randint(1, _WRITES))]
        time.sleep(dice.uniform(0, 0.02))
        process.send_signal(signal.SIGKILL)
        acknowledged += process.stdout.readlines()
    # The last line may be half of one.
    written = Counter(line.strip() for line in acknowledged if line.endswith("\n"))
    missing = written - asyncio.run(_found(folder))
    for line in missing:
        tally.fault("lost", line)
    tally.rounds += 1
    tally.acts += written.total()
    tally.outcomes["found"] += (written - missing).total()


async def _found(folder: Path) -> Counter[str]:
    """What a new process finds, as the writer acknowledges it."""
    later = [f"later {entry.id}" for entry in await LaterStore(folder / "later.db").load()]
    learnt = [f"learnt {item.word}" for item in (await Store(folder / "learnt.db").load()).learnt]
    audit = [f"audit {row['said']}" for row in await Audit(folder / "audit.db").rows(limit=1_000_000)]
    return Counter((*later, *learnt, *audit))


def _filled(tally: Tally, dice: random.Random, folder: Path, rounds: int) -> None:
    """A home whose disk takes only so much: it goes on, and says what it could not keep."""
    told = subprocess.run(
        [*_child("filler", folder, rounds), str(dice.randrange(1 << 30))],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    for line in told.stdout.splitlines():
        fact: dict[str, Any] = json.loads(line)
        if fact["sort"] == "round":
            tally.rounds += 1
            continue
        tally.acts += 1
        tally.outcomes[fact["outcome"]] += 1
        if fault := fact.get("fault"):
            tally.fault(fault, fact["said"])
    if told.returncode or "Traceback" in told.stderr:
        tally.fault("crash", told.stderr.strip().splitlines()[-1] if told.stderr else f"exit {told.returncode}")


def _child(module: str, folder: Path, *arguments: object) -> list[str]:
    return [sys.executable, "-m", f"benchmarks.chaos.{module}", os.fspath(folder), *map(str, arguments)]

"""A home on a disk that takes only so much: `python -m benchmarks.chaos.filler FOLDER ROUNDS SEED`.

A limit on the size of files stands for the disk: beyond it, each write fails. One JSON object a line tells what was
said and what became of it; `fault` is one of the campaign's.
"""

from __future__ import annotations

import asyncio
import json
import random
import resource
import sys
from pathlib import Path
from typing import Any, Final

from benchmarks.chaos.outages import HOME
from daemon.act.audit import Audit
from daemon.app import Opened, open_home
from daemon.converse.replies import Replies
from daemon.core.turn import Utterance
from daemon.home.loader import load_home
from daemon.memory.memory import Store
from daemon.schedule.agenda import Store as LaterStore
from daemon.simulate.home import SimulatedHome
from daemon.simulate.memory import MemoryBroker
from daemon.system.config import ROOT
from daemon.understand.grammar import Grammar

_ENOUGH: Final = 12
"""Bytes in thousands by which files may still grow."""


class _Disk:
    """Takes so much, or all."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._most = resource.getrlimit(resource.RLIMIT_FSIZE)[1]

    def fill(self, dice: random.Random) -> None:
        largest = max((item.stat().st_size for item in self._folder.iterdir()), default=0)
        limit = dice.choice((1, max(1, largest // 2), largest + dice.randint(0, _ENOUGH * 1000)))
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, self._most))

    def clear(self) -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (self._most, self._most))


def _tell(sort: str, said: str, outcome: str, fault: str | None = None) -> None:
    facts: dict[str, Any] = {"sort": sort, "said": said, "outcome": outcome}
    print(json.dumps(facts | ({"fault": fault} if fault else {})), flush=True)


async def _act(opened: Opened, devices: SimulatedHome, dice: random.Random) -> None:
    """What is for now is done all the same."""
    level = dice.randint(10, 99)
    said = f"set the amber lamp to {level} percent"
    result = await opened.pipeline.handle(Utterance(said))
    done = [item.status for item in result.outcomes] == ["done"]
    true = abs(float(str(devices.truth("amber")["brightness"])) - level) <= 1
    _tell("act", said, "done" if done else "not done", None if done and true else "false done" if done else "crash")


class _Keeper:
    """Says what is for later, and holds the daemon to what it said of it."""

    def __init__(self, opened: Opened, store: LaterStore, unsaved: str, dice: random.Random) -> None:
        self._opened = opened
        self._agenda = opened.later.agenda
        self._store = store
        self._unsaved = unsaved
        self._dice = dice
        self._promised: set[int] = set()

    async def keep(self, *, full: bool) -> None:
        """It is on the disk, or it is said that it is not; with a disk that is not full it always is."""
        said = f"turn on the birch lamp in {self._dice.randint(2, 500)} minutes"
        before = {item.id for item in self._agenda.entries}
        result = await self._opened.pipeline.handle(Utterance(said))
        warned = self._unsaved in result.reply
        if result.outcome != "schedule" or (warned and not full):
            _tell("keep", f"{said}: {result.reply}", "not kept", "lost")
            return
        _tell("keep", said, "said to be unsaved" if warned else "kept")
        if not warned:
            self._promised |= {item.id for item in self._agenda.entries} - before

    async def check(self) -> None:
        """All that was promised is there."""
        there = {item.id for item in await self._store.load()}
        for number in sorted(self._promised - there):
            _tell("keep", str(number), "gone", "lost")
        # A home keeps only so much.
        await self._agenda.drop([item.id for item in self._agenda.entries])
        self._promised.clear()


async def _main(folder: Path, rounds: int, seed: int) -> None:
    home, dice, disk = load_home(HOME), random.Random(seed), _Disk(folder)
    replies, broker = Replies.load(ROOT / "rules"), MemoryBroker()
    async with (
        SimulatedHome(broker.connect(), home.entities, home.simulation) as devices,
        open_home(
            home,
            broker.connect(),
            grammar=Grammar.load(ROOT / "rules"),
            replies=replies,
            audit=Audit(folder / "audit.db"),
            store=Store(folder / "learnt.db"),
            kept=(LaterStore(folder / "later.db"), None),
        ) as opened,
    ):
        keeper = _Keeper(opened, LaterStore(folder / "later.db"), replies.say("later.unsaved", "en"), dice)
        for number in range(rounds):
            await keeper.keep(full=False)
            disk.fill(dice)
            await _act(opened, devices, dice)
            await keeper.keep(full=True)
            await _act(opened, devices, dice)
            disk.clear()
            await keeper.keep(full=False)
            await keeper.check()
            _tell("round", str(number), "")


if __name__ == "__main__":
    asyncio.run(_main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])))

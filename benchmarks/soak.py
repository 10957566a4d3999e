"""Days of a busy home in compressed time: nothing may grow, and nothing may go wrong.

The assembled product with its stores on disk, on a simulated home in virtual time: commands in both languages by many
satellites and speakers, rules, timers and plans that fire, devices that come, go and are renamed, a broker that is away
now and then. They live there already: nearly as many words are taught as are remembered. Once an hour (of that time) it
is measured; the first day is left out, for caches fill.

Fails where something that went wrong was logged, or a file descriptor, thread or task more is there at the end than
after the first day, or a cache is over its bound, or a database is larger than a tenth above its largest of the second
day, or memory rises: Theil and Sen's slope (the median of the slopes between all pairs of hours) over 0.5 % of what was
resident after the first day, a day. A shorter run has no second day: only the others are judged.

    python -m benchmarks.soak --days 7 --commands 100000
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import logging
import random
import sys
import tempfile
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from dataclasses import dataclass
from functools import _lru_cache_wrapper
from itertools import combinations, count
from pathlib import Path
from statistics import median
from typing import Final

from benchmarks.soak_home import House, open_house
from benchmarks.soak_talk import LANGS, Talk
from benchmarks.speed.footprint import resident_mib
from tests.virtual_time import now, run

HOUR_S: Final = 3600.0
DAY_S: Final = 24 * HOUR_S
_PEOPLE: Final = 6
"""So many talk at the same time."""
_SATELLITES: Final = 100
_SPEAKERS: Final = (None, "amal", "mei")
_STIR_S, _TOUCH_S, _AWAY_S = 300.0, 60.0, 4 * HOUR_S
"""Between two changes of what there is, two movements in the house, and two outages of the broker."""
_STEEPEST: Final = 0.005
_WIDEST: Final = 1.1
_FEW: Final = 10_000
"""Entries of a cache without a bound, where what it is asked for is bounded: characters, rules, types."""
_ENOUGH: Final = 6
"""So many hours tell whether something rises."""
_PAGE: Final = 65_536
_KIB: Final = 1024
_SPARE_TASKS: Final = 30
"""What is under way at the moment of a measurement differs: acts that are followed, answers that are awaited."""


@dataclass(frozen=True, slots=True)
class Measured:
    """How things stand at one moment."""

    at: float
    commands: int
    resident_mib: float
    descriptors: int
    threads: int
    tasks: int
    objects: int
    cached: int
    """Entries of all caches of functions together."""
    stored: dict[str, int]
    """Bytes of each database, its journal included."""


class Mishaps(logging.Handler):
    """Collects what is logged as an error."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keeps one."""
        self.told.append(self.format(record))


class Soak:
    """One run."""

    def __init__(self, days: float, commands: int, seed: int) -> None:
        self._days = days
        self._commands = commands
        self._dice = random.Random(seed)
        self.said = 0
        self.outcomes: dict[str, int] = {}
        self.measured: list[Measured] = []

    async def live(self, state: Path, *, models: bool = False, every_s: float = HOUR_S) -> None:
        """Lets the days go by, with the databases in this folder."""
        words = (self._name() for _ in count())
        async with open_house(state, words, models=models) as house:
            begun = now()
            people = [self._person(house, number) for number in range(_PEOPLE)]
            world = [
                self._often(_STIR_S, lambda: house.stir(self._dice, self._name())),
                self._often(_TOUCH_S, lambda: house.touch(self._dice)),
                self._often(_AWAY_S, lambda: house.interrupt(30.0)),
                self._often(every_s, lambda: self._measure(house)),
            ]
            tasks = [asyncio.create_task(item) for item in world]
            await asyncio.gather(*people)
            await asyncio.sleep(max(0.0, begun + self._days * DAY_S - now()))
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await asyncio.sleep(HOUR_S)  # what was under way comes to its end
            await self._measure(house)

    async def _person(self, house: House, number: int) -> None:
        """Says a share of the commands, evenly over the days."""
        share = self._commands // _PEOPLE
        pause = self._days * DAY_S / max(1, share)
        talk, begun, said = Talk(self._dice), now(), 0
        while said < share:
            await asyncio.sleep(max(0.0, begun + said * pause - now()))
            lang, turns = talk.conversation(house.pipeline.parts.registry)
            asked = {"op": "text", "satellite": f"satellite {number} {self._dice.randrange(_SATELLITES // _PEOPLE)}"}
            asked |= {"lang": lang} if self._dice.choice((True, False)) else {}
            asked |= {"speaker": speaker} if (speaker := self._dice.choice(_SPEAKERS)) else {}
            for turn in turns:
                result = await house.turns.handle(asked | {"text": turn})
                self.outcomes[result["outcome"]] = self.outcomes.get(result["outcome"], 0) + 1
                said += 1
                self.said += 1

    def _name(self) -> str:
        return Talk(self._dice).word(self._dice.choice(LANGS))

    async def _often(self, pause: float, act: Callable[[], Coroutine[object, object, None]]) -> None:
        while True:
            await asyncio.sleep(pause)
            await act()

    async def _measure(self, house: House) -> None:
        house.residents.received.clear()  # notes of the simulation, not of what is measured
        gc.collect()
        stored = {
            path.stem: sum(item.stat().st_size for item in house.state.glob(f"{path.name}*"))
            for path in sorted(house.state.glob("*.db"))
        }
        found = Measured(
            at=now(),
            commands=self.said,
            resident_mib=resident_mib(),
            descriptors=_descriptors(),
            threads=threading.active_count(),
            tasks=len(asyncio.all_tasks()),
            objects=len(gc.get_objects()),
            cached=sum(cache.cache_info().currsize for cache in caches()),
            stored=stored,
        )
        if self.measured and found.at // DAY_S > self.measured[-1].at // DAY_S:
            print(line(found), flush=True)
        self.measured.append(found)


def _descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


def caches() -> Iterator[_lru_cache_wrapper[object]]:
    """Every cache of a function of the daemon that is loaded."""
    modules = [module for name, module in sys.modules.items() if name.startswith("daemon.")]
    found = {
        id(item): item for module in modules for item in vars(module).values() if isinstance(item, _lru_cache_wrapper)
    }
    yield from found.values()


def faults(measured: Sequence[Measured], mishaps: Sequence[str]) -> list[str]:
    """What must not be, in words."""
    found = [f"logged: {text.splitlines()[0]}" for text in dict.fromkeys(mishaps)]
    found += [
        f"unbounded: {cache.__module__}.{cache.__name__} has {cache.cache_info().currsize} entries"
        for cache in caches()
        if cache.cache_info().maxsize is None and cache.cache_info().currsize > _FEW
    ]
    later = [item for item in measured if item.at >= min(DAY_S, measured[-1].at / 2)]
    first, last = later[0], later[-1]
    found += [
        f"grew: {what} from {was} to {now_}"
        for what, was, now_ in (
            ("descriptors", first.descriptors, last.descriptors),
            ("threads", first.threads, last.threads),
            ("tasks", first.tasks + _SPARE_TASKS, last.tasks),
        )
        if now_ > was
    ]
    second = [item for item in later if item.at < 2 * DAY_S]
    rest = [item for item in later if item.at >= 2 * DAY_S]
    if len(rest) < _ENOUGH:
        return found
    for name in last.stored:
        most, was = max(item.stored[name] for item in rest), max(item.stored.get(name, 0) for item in second)
        if most > was * _WIDEST + _PAGE:
            found.append(f"grew: {name}.db from {was} to {most} bytes")
    rise = slope_per_day(later)
    if rise > first.resident_mib * _STEEPEST:
        found.append(f"grew: memory by {rise:.2f} MiB a day")
    return found


def slope_per_day(measured: Sequence[Measured]) -> float:
    """MiB a day, by Theil and Sen."""
    slopes = [
        (other.resident_mib - one.resident_mib) / (other.at - one.at)
        for one, other in combinations(measured, 2)
        if other.at > one.at
    ]
    return median(slopes) * DAY_S


def line(item: Measured | None) -> str:
    """How things stood at the end of a day, in columns; of None, what the columns are."""
    if item is None:
        cells: list[object] = [
            "day",
            "commands",
            "RSS MiB",
            "fds",
            "threads",
            "tasks",
            "objects",
            "cached",
            "KiB of databases",
        ]
    else:
        stored = ", ".join(f"{name} {size // _KIB}" for name, size in item.stored.items())
        counted = (item.descriptors, item.threads, item.tasks, item.objects, item.cached)
        cells = [f"{item.at / DAY_S:.1f}", item.commands, f"{item.resident_mib:.1f}", *counted, stored]
    return "  ".join(f"{cell:>8}" for cell in cells)


def main() -> int:
    """Runs, prints the table, and gives the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n", maxsplit=1)[0])
    parser.add_argument("--days", type=float, default=7.0)
    parser.add_argument("--commands", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--models", action="store_true", help="with the small models and the encoder")
    args = parser.parse_args()
    mishaps = Mishaps()
    logging.getLogger().addHandler(mishaps)
    soak = Soak(args.days, args.commands, args.seed)
    print(line(None))
    with tempfile.TemporaryDirectory() as folder:
        run(lambda: soak.live(Path(folder), models=args.models))
    print(line(soak.measured[-1]))
    print("outcomes:", ", ".join(f"{name} {count}" for name, count in sorted(soak.outcomes.items())))
    found = faults(soak.measured, mishaps.told)
    print("\n".join(found) if found else "nothing grew, nothing went wrong")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

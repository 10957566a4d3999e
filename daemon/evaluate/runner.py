"""Plays cases: home by home, in as many processes as asked for, each case on a home of its own."""

from __future__ import annotations

import asyncio
import multiprocessing
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractAsyncContextManager
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from daemon.core.errors import ConfigError, HearkenError
from daemon.evaluate.atoms import Turn
from daemon.evaluate.cases import Case
from daemon.evaluate.results import Scored, failed_line
from daemon.evaluate.score import score

_CHUNK = 50
"""Cases that one process takes at a time: enough to pay for loading the home, few enough to share the work."""
_TIMEOUT_S = 60.0
"""What hangs longer is written down as failed, and the rest goes on."""
_HOME_NAME = re.compile(r"[\w][\w. -]*")
_ENDINGS = (".json", ".yaml", ".yml")

Trace = tuple[dict[str, Any], ...]


class House(Protocol):
    """A home in which one case after the other can be played."""

    def expand(self, entity: str) -> tuple[str, ...]:
        """A group's members; any other id alone."""

    async def play(self, case: Case) -> tuple[dict[str, Any], Trace]:
        """The result line (without `id`) and the trace; no case sees what another left behind."""


OpenHouse = Callable[[Path | None], AbstractAsyncContextManager[House]]
"""Opens the home of a file, or an empty one; picklable where there is more than one job."""


class _Chunk(Struct, frozen=True):
    home: Path | None
    places: tuple[int, ...]


def home_file(homes: Path, name: str) -> Path:
    """The file of a home.

    Raises:
        ConfigError: there is none, or the name is not a plain name.
    """
    if _HOME_NAME.fullmatch(name):
        for ending in _ENDINGS:
            if (path := homes / f"{name}{ending}").is_file():
                return path
    raise ConfigError(homes, None, name, "no such home", f"put {name}.json or {name}.yaml there, or give --homes DIR")


async def play_cases(
    cases: Sequence[Case],
    homes: Path,
    open_house: OpenHouse,
    *,
    jobs: int = 1,
    progress: Callable[[int], None] = lambda _done: None,
) -> list[Scored]:
    """Every case played and scored, in the order given, by some processes; one stays in this one.

    Raises:
        ConfigError: a home is missing or wrong.
    """
    chunks = _chunks(cases, homes)
    out: dict[int, Scored] = {}

    def take(chunk: _Chunk, scored: Sequence[Scored]) -> None:
        out.update(zip(chunk.places, scored, strict=True))
        progress(len(out))

    if jobs == 1 or len(chunks) == 1:
        for chunk in chunks:
            take(chunk, await _play_chunk(open_house, chunk.home, [cases[place] for place in chunk.places]))
        return [out[place] for place in range(len(cases))]

    # Spawned, not forked: a fork of a process with threads (the caller's loop, an engine's) may hang.
    pool = ProcessPoolExecutor(min(jobs, len(chunks)), mp_context=multiprocessing.get_context("spawn"))
    loop = asyncio.get_running_loop()

    async def elsewhere(chunk: _Chunk) -> None:
        listed = [cases[place] for place in chunk.places]
        take(chunk, await loop.run_in_executor(pool, _play_in_process, open_house, chunk.home, listed))

    try:
        async with asyncio.TaskGroup() as tasks:
            for chunk in chunks:
                tasks.create_task(elsewhere(chunk))
    except* HearkenError as errors:
        raise errors.exceptions[0] from None
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
    return [out[place] for place in range(len(cases))]


def _chunks(cases: Sequence[Case], homes: Path) -> list[_Chunk]:
    by_home: dict[str | None, list[int]] = {}
    for place, case in enumerate(cases):
        by_home.setdefault(case.home, []).append(place)
    return [
        _Chunk(None if name is None else home_file(homes, name), tuple(places[start : start + _CHUNK]))
        for name, places in by_home.items()
        for start in range(0, len(places), _CHUNK)
    ]


def _play_in_process(open_house: OpenHouse, home: Path | None, cases: Sequence[Case]) -> list[Scored]:
    return asyncio.run(_play_chunk(open_house, home, cases))


async def _play_chunk(open_house: OpenHouse, home: Path | None, cases: Sequence[Case]) -> list[Scored]:
    async with open_house(home) as house:
        return [await _play(house, case) for case in cases]


async def _play(house: House, case: Case) -> Scored:
    trace: Trace = ()
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            line, trace = await house.play(case)
    except Exception as error:  # noqa: BLE001 - whatever breaks one case must not end the evaluation of the others
        line = failed_line(f"{type(error).__name__}: {error}")
    after = line.get("after_answer")
    verdict = score(case, Turn.of(line), None if after is None else Turn.of(after), house.expand)
    return Scored(case, {"id": case.id, **line}, verdict, trace)

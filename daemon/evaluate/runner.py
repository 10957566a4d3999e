"""Plays cases: home by home, in as many processes as asked for, each case on a home of its own."""

from __future__ import annotations

import asyncio
import multiprocessing
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from msgspec import Struct

from daemon.act.values import convert
from daemon.core.errors import ConfigError, HearkenError
from daemon.core.ir import Parameter, Program
from daemon.core.outcomes import Write
from daemon.core.result import Command, Result
from daemon.evaluate.atoms import Turn, in_words
from daemon.evaluate.cases import Case
from daemon.evaluate.score import Verdict, score
from daemon.home.actions import VERB_OF_STATE

_COMMANDS = {"play": "resume"}
_AS_SAID = frozenset({"set", "increase", "decrease", "toggle", "activate"})


def effect(write: Write) -> str:
    """The action word for what a write does to its device, whatever verb led there.

    A toggle keeps its word, and so does an absolute or relative setting.
    """
    if write.action in _AS_SAID:
        return write.action
    if write.attribute == "muted":
        return "mute" if write.value else "unmute"
    if write.attribute == "command":
        return _COMMANDS.get(str(write.value), str(write.value))
    return VERB_OF_STATE.get(str(write.value), write.action) if write.attribute == "state" else write.action


def command_lines(result: Result) -> list[dict[str, Any]]:
    """The commands of a result in the words of the format: by effect, values as they were spoken."""
    writes = {(item.write.entity, item.write.action): item.write for item in result.outcomes if item.sent}
    parameters = _parameters(result.program)
    out: list[dict[str, Any]] = []
    for item in result.commands:
        by_effect: dict[str, list[str]] = {}
        for target in item.targets:
            write = writes.get((target, item.action))
            by_effect.setdefault(item.action if write is None else effect(write), []).append(target)
        for action, targets in by_effect.items():
            line = {**item.to_dict(), "action": action, "targets": targets}
            out.append(in_words(_as_spoken(line, item, parameters)))
    return out


def _parameters(program: Program | None) -> tuple[Parameter, ...]:
    clauses = program.clauses if program is not None else ()
    return tuple(clause.parameter for clause in clauses if clause.parameter is not None)


def _as_spoken(line: dict[str, Any], command: Command, parameters: Sequence[Parameter]) -> dict[str, Any]:
    """A colour by the word that was used for it, a temperature in the unit that was named, or meant."""
    if command.action != "set":
        return line
    spoken = [item for item in parameters if item.attribute == command.attribute]
    if command.attribute == "color":
        used = {item.value for item in spoken if isinstance(item.value, str)}
        return {**line, "value": used.pop()} if len(used) == 1 else line
    if command.attribute != "temperature" or not isinstance(command.value, int | float):
        return line
    match command.unit, *{item.unit or _meant_in(item, command.value, command.unit) for item in spoken}:
        case "C", "F":
            return {**line, "value": round(command.value * 9 / 5 + 32, 1), "unit": "F"}
        case "F", "C":
            return {**line, "value": round((command.value - 32) * 5 / 9, 1), "unit": "C"}
        case _:
            return line


def _meant_in(said: Parameter, value: float, unit: str | None) -> str | None:
    """The unit of a bare number that was meant in another one than the device's; None where it was meant in that."""
    other = {"C": "F", "F": "C"}.get(unit or "")
    number = said.value if isinstance(said.value, int | float) else value
    meant = convert(number, other, unit)
    return other if meant is not None and abs(number - value) > 1 and abs(meant - value) <= 1 else None


States = dict[str, dict[str, Any]]
"""Device id -> {state, attributes}."""


@dataclass(frozen=True, slots=True)
class Scored:
    """One case that was played."""

    case: Case
    line: dict[str, Any]
    """What goes to `--out`."""
    verdict: Verdict | None
    """None where the case expects nothing."""
    trace: tuple[dict[str, Any], ...] = ()
    """Every event of every turn, what was said before included."""


def turn_line(result: Result, final_state: States) -> dict[str, Any]:
    """One turn: what it came to, what was sent, and how the devices stand that it or the case touched."""
    out = result.to_dict()
    commands = command_lines(result)
    if result.outcome == "query" and result.read:
        # The format tells the entities that an answer rests on by a command of its own.
        commands.append({"action": "query", "targets": list(result.read)})
    out["commands"] = commands
    for entry, item in zip(out.get("scheduled", ()), result.scheduled, strict=True):
        entry["commands"] = [in_words(command.to_dict()) for command in item.commands]
    return out | {"final_state": final_state}


def failed_line(error: str) -> dict[str, Any]:
    """One turn in which the pipeline itself failed."""
    return {"outcome": "reject", "commands": [], "reply": "", "ir": None, "error": error}


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

"""Result lines: what `eval` writes for each case, in the words of docs/evaluation.md."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from daemon.act.values import convert
from daemon.core.ir import Parameter, Program
from daemon.core.outcomes import Write
from daemon.core.result import Command, Result
from daemon.evaluate import words
from daemon.evaluate.cases import Case
from daemon.evaluate.score import Verdict
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
            out.append(words.command(_as_spoken(line, item, parameters)))
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
        entry["commands"] = [words.command(command.to_dict()) for command in item.commands]
    return out | {"final_state": final_state}


def failed_line(error: str) -> dict[str, Any]:
    """One turn in which the pipeline itself failed."""
    return {"outcome": "reject", "commands": [], "reply": "", "ir": None, "error": error}

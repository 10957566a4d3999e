"""Result lines: what `eval` writes for each case, in the words of docs/evaluation.md."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from daemon.core.result import Result
from daemon.evaluate import words
from daemon.evaluate.cases import Case
from daemon.evaluate.effects import command_lines
from daemon.evaluate.score import Verdict

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

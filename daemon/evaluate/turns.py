"""What one turn of a conversation led to, read from a result line."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Sent:
    """One command that was sent, or kept for later."""

    action: str
    targets: tuple[str, ...]
    attribute: str | None = None
    value: Any = None
    unit: str | None = None
    delta: float | None = None


@dataclass(frozen=True, slots=True)
class Turn:
    """The parts of a result that are scored."""

    outcome: str
    sent: tuple[Sent, ...] = ()
    scheduled: tuple[Sent, ...] = ()
    read: frozenset[str] = frozenset()
    final_state: dict[str, dict[str, Any]] = field(default_factory=dict)
    clauses: tuple[dict[str, Any], ...] | None = None
    """The clauses of the IR; None where nothing was understood."""
    error: str | None = None
    """What broke, where the pipeline itself failed."""

    @classmethod
    def of(cls, line: dict[str, Any]) -> Turn:
        """From a result line, or from its `after_answer`; a command `query` counts as read, not as sent."""
        commands = [_sent(item) for item in line.get("commands") or ()]
        later = [item for entry in line.get("scheduled") or () for item in entry.get("commands") or ()]
        asked = {target for item in commands if item.action == "query" for target in item.targets}
        program = line.get("ir")
        return cls(
            outcome=line["outcome"],
            sent=tuple(item for item in commands if item.action != "query"),
            scheduled=tuple(_sent(item) for item in later),
            read=frozenset(line.get("read") or ()) | asked,
            final_state=line.get("final_state") or {},
            clauses=tuple(program.get("clauses") or ()) if isinstance(program, dict) else None,
            error=line.get("error"),
        )


def _sent(data: dict[str, Any]) -> Sent:
    return Sent(
        action=data["action"],
        targets=tuple(data.get("targets") or ()),
        attribute=data.get("attribute"),
        value=data.get("value"),
        unit=data.get("unit"),
        delta=data.get("delta"),
    )

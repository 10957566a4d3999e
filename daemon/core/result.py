"""What became of a clause, as facts; and the result of a whole utterance: what `text`, `listen` and `eval` all give."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from msgspec import Struct

from daemon.core.entities import Value
from daemon.core.ir import Program
from daemon.core.messages import Asked, Message, Said
from daemon.core.outcomes import Observation, Outcome, Write
from daemon.core.questions import Question
from daemon.core.values import to_dict

SHOPPING: Final = "shopping"
TODO: Final = "todo"
USUAL: Final = (SHOPPING, TODO)
"""What every home has, whether there is anything on it or not; each language has words of its own for them."""


class Change(Struct, frozen=True):
    """What one act did to a list: enough to take back that and nothing else."""

    name: str
    added: tuple[str, ...] = ()
    removed: tuple[tuple[int, str], ...] = ()
    """Each with its place, as it was before any of them was gone."""
    made: bool = False
    """Whether the list is new."""
    dropped: bool = False
    """Whether the list itself is gone."""


ResultOutcome = Literal["execute", "query", "clarify", "reject", "ignore", "assistant", "mixed", "schedule"]

_SEEN = frozenset({"color", "color_temp"})
"""What is seen of a lamp that is on."""
_WITH_VALUE = frozenset({"set", "increase", "decrease", "play", "clean_area"})


class Command(Struct, frozen=True):
    """One thing that was really sent, with absolute values; a relative change also has `delta`."""

    action: str
    targets: tuple[str, ...]
    attribute: str | None = None
    value: Value | None = None
    unit: str | None = None
    delta: float | None = None

    @classmethod
    def of(cls, writes: Sequence[Write]) -> Command:
        """Writes of one action, attribute and value as one command."""
        first = writes[0]
        targets = tuple(dict.fromkeys(item.entity for item in writes))
        if first.action in _WITH_VALUE:
            return cls(first.action, targets, first.attribute, first.value, first.unit, first.delta)
        return cls(first.action, targets)

    @classmethod
    def all(cls, writes: Iterable[Write]) -> tuple[Command, ...]:
        """Writes as commands, those alike together; a lamp that lights up with its colour is told by the colour."""
        writes = tuple(writes)
        coloured = {item.entity for item in writes if item.action == "set" and item.attribute in _SEEN}
        grouped: dict[tuple[object, ...], list[Write]] = {}
        for item in writes:
            if item.action == "turn_on" and item.entity in coloured:
                continue
            grouped.setdefault((item.action, item.attribute, item.value, item.delta), []).append(item)
        return tuple(map(cls.of, grouped.values()))

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; absent fields left out."""
        out: dict[str, Any] = {"action": self.action}
        for key in ("attribute", "value", "unit", "delta"):
            if (value := getattr(self, key)) is not None:
                out[key] = value
        return out | {"targets": list(self.targets)}


class Scheduled(Struct, frozen=True):
    """Commands for later: at a time, after a delay, or on a condition."""

    commands: tuple[Command, ...]
    when: str | None = None
    condition: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; absent fields left out."""
        out: dict[str, Any] = {}
        if self.when is not None:
            out["when"] = self.when
        if self.condition is not None:
            out["condition"] = self.condition
        return out | {"commands": [command.to_dict() for command in self.commands]}


@dataclass(frozen=True, slots=True)
class Result:
    """What became of one utterance.

    `outcome` is one of the words of docs/evaluation.md. `read` holds the entity ids that a query read or that an
    act was decided on. `source` is `grammar`, `model` or `dialogue`; None where nothing was understood.
    """

    text: str
    outcome: ResultOutcome
    reply: str
    lang: str
    commands: tuple[Command, ...] = ()
    scheduled: tuple[Scheduled, ...] = ()
    outcomes: tuple[Outcome, ...] = ()
    read: tuple[str, ...] = ()
    readings: tuple[Observation, ...] = ()
    """What an answer, or a decision on a condition, rests on: each value with its origin and age."""
    answer: str | None = None
    question: str | None = None
    program: Program | None = None
    source: str | None = None
    confidence: float = 0.0
    ms: dict[str, float] = field(default_factory=dict, hash=False)
    trace: tuple[dict[str, Any], ...] = ()

    def to_dict(self, *, trace: bool = False) -> dict[str, Any]:
        """JSON-ready, in the words of docs/evaluation.md."""
        out: dict[str, Any] = {
            "text": self.text,
            "outcome": self.outcome,
            "commands": [command.to_dict() for command in self.commands],
            "reply": self.reply,
            "lang": self.lang,
            "ir": to_dict(self.program) if self.program else None,
            "source": self.source,
            "confidence": round(self.confidence, 3),
            "ms": self.ms,
        }
        if self.scheduled:
            out["scheduled"] = [item.to_dict() for item in self.scheduled]
        if self.outcomes:
            out["outcomes"] = [
                {
                    "device": item.write.entity,
                    "attribute": item.write.attribute,
                    "value": item.write.value,
                    "status": item.status,
                    "reason": item.reason,
                    "evidence": None
                    if item.evidence is None
                    else {
                        "attribute": item.evidence.attribute,
                        "value": item.evidence.value,
                        "source": item.evidence.source,
                        "topic": item.evidence.topic,
                        "sequence": item.evidence.sequence,
                        "age_s": _age(item.evidence),
                    },
                }
                for item in self.outcomes
            ]
        if self.readings:
            out["readings"] = [
                {
                    "device": item.entity,
                    "attribute": item.attribute,
                    "value": item.value,
                    "source": item.source,
                    "topic": item.topic,
                    "age_s": _age(item),
                }
                for item in self.readings
            ]
        if self.read:
            out["read"] = list(self.read)
        if self.answer is not None:
            out["answer"] = self.answer
        if self.question is not None:
            out["question"] = self.question
        if trace:
            out["trace"] = list(self.trace)
        return out


def _age(seen: Observation) -> float | None:
    """Seconds between its arrival and the moment that it was judged; None where it was retained, or never came."""
    return round(seen.age_s, 3) if math.isfinite(seen.age_s) else None


class Report(Struct, frozen=True):
    """What became of one clause."""

    outcome: ResultOutcome
    said: Said
    reason: str = ""
    """The gate's reason, for the audit."""
    entities: tuple[str, ...] = ()
    """What was spoken of."""
    outcomes: tuple[Outcome, ...] = ()
    commands: tuple[Command, ...] = ()
    read: tuple[str, ...] = ()
    readings: tuple[Observation, ...] = ()
    """What it rests on."""
    question: Question | None = None
    scheduled: tuple[Scheduled, ...] = ()
    waits: Message | None = None
    """What the scheduled wait for, where that is something that happens."""
    kept: tuple[int, ...] = ()
    """The ids of what was kept for later."""
    about: tuple[int, ...] = ()
    """The id of the one thing kept before that was told of, or changed."""
    listed: str | None = None
    """The list that was changed or told of."""
    changes: tuple[Change, ...] = ()
    """What was done to lists."""


class Occasion(Struct, frozen=True):
    """What was said when something was done, and where."""

    said: str
    lang: str
    satellite: str
    speaker: str | None = None
    source: str | None = None


class Notice(Struct, frozen=True):
    """What is to be said without being asked just now: a shutter that stopped half-way, a timer that rang."""

    satellite: str
    """Where what it is about was said."""
    lang: str
    said: Said
    aloud: bool = True
    """Whether it is spoken; what happens again and again, and goes well, is only shown."""


def asking(question: Question, *before: Message) -> Report:
    """The report that a question is asked."""
    return Report("clarify", (*before, Asked(question)), question.reason, question=question)


Notify = Callable[[Notice], None]
"""Takes what is to be said somewhere. Called on the event loop; must not block and must not raise."""

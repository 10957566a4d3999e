"""What there is to say of what is kept for later."""

from __future__ import annotations

from dataclasses import dataclass

from daemon.core.ir import Clause, Condition
from daemon.core.messages import Message
from daemon.schedule.entries import Entry


@dataclass(frozen=True, slots=True)
class Kept(Message):
    """What is kept: a sentence each ("sentences"), or a few words each, as "names" or as "choices"."""

    entries: tuple[Entry, ...]
    how: str = "sentences"


@dataclass(frozen=True, slots=True)
class TimerName(Message):
    """What a timer or a reminder is called."""

    entry: Entry


@dataclass(frozen=True, slots=True)
class AboutTimer(Message):
    """A sentence about a timer, with what is left of it."""

    key: str
    entry: Entry
    rang: float | None = None
    """When it rang, where nobody was here to hear it."""


@dataclass(frozen=True, slots=True)
class ToDo(Message):
    """What is to be done, in words: "turn off Hall light"."""

    clause: Clause
    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Forbidden(Message):
    """That this was forbidden for good; and whether nobody knows if it holds just now."""

    entry: Entry
    unknown: bool = False


@dataclass(frozen=True, slots=True)
class Happens(Message):
    """What has to happen: "Front door opens"; or, where it is `so`, how it is then: "Front door is open"."""

    conditions: tuple[Condition, ...]
    join: str
    watched: tuple[tuple[str, ...], ...]
    so: bool = False

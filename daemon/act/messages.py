"""What there is to say of acts, readings and plans."""

from __future__ import annotations

from dataclasses import dataclass

from daemon.act.answers import Answer
from daemon.act.facts import Fact
from daemon.core.entities import SceneStep
from daemon.core.messages import Message
from daemon.core.outcomes import Outcome, Problem
from daemon.home.events import Press


@dataclass(frozen=True, slots=True)
class Acted(Message):
    """What became of the writes of one clause."""

    outcomes: tuple[Outcome, ...]
    everywhere: bool = False
    """Whether it was "everything" in the whole home."""


@dataclass(frozen=True, slots=True)
class Ended(Message):
    """What became, after the reply, of what takes its time."""

    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class StillOff(Message):
    """Who was set to something and is off; of these outcomes."""

    entities: tuple[str, ...]
    outcomes: tuple[Outcome, ...]


@dataclass(frozen=True, slots=True)
class Told(Message):
    """The answer to a question about the home."""

    answer: Answer


@dataclass(frozen=True, slots=True)
class Does(Message):
    """What a scene does; without steps, that nobody here knows."""

    scene: str
    steps: tuple[SceneStep, ...]


@dataclass(frozen=True, slots=True)
class Presses(Message):
    """What may happen to these devices: how their buttons are pressed; `lacked` where none of it is what was said."""

    entities: tuple[str, ...]
    presses: tuple[Press, ...]
    lacked: bool = False


@dataclass(frozen=True, slots=True)
class Able(Message):
    """What these can be set to: all of it, or of one attribute."""

    entities: tuple[str, ...]
    attribute: str | None = None


@dataclass(frozen=True, slots=True)
class Where(Message):
    """In which rooms things are that do not go about."""

    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Unmet(Message):
    """Why nothing was done: the readings of a condition, which do not hold or cannot be told."""

    facts: tuple[Fact, ...]
    holds: bool | None


@dataclass(frozen=True, slots=True)
class Hindered(Message):
    """Why a plan, or a part of it, could not be made."""

    problems: tuple[Problem, ...]

"""What there is to say of what was learnt."""

from __future__ import annotations

from dataclasses import dataclass

from daemon.core.entities import Preference
from daemon.core.messages import Message
from daemon.memory.learnt import Learnt


@dataclass(frozen=True, slots=True)
class AllLearnt(Message):
    """What has been learnt, the newest first."""

    items: tuple[Learnt, ...]


@dataclass(frozen=True, slots=True)
class LearntNow(Message):
    """That something was learnt just now."""

    item: Learnt


@dataclass(frozen=True, slots=True)
class Called(Message):
    """What things are called."""

    entities: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Meant(Message):
    """What somebody means by a word; None where nobody has said that."""

    word: str
    wish: Preference | None

"""What can be learnt: another name for a thing, or what somebody means by a word; and what there is to say of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from daemon.core.entities import Preference
from daemon.core.messages import Message
from daemon.home.names import fold

Kind = Literal["name", "preference"]
How = Literal["told", "always", "repeated", "command"]
"""By a sentence that says so, by "always" in an answer, by the same choice again and again, on the command line."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where something learnt comes from."""

    how: How
    at: float = 0.0
    """Seconds since the epoch."""
    speaker: str | None = None
    satellite: str | None = None
    utterance: str | None = None
    """The id that its trace has."""
    said: str = ""
    """The sentence, as it was said."""


@dataclass(frozen=True, slots=True)
class Learnt:
    """One thing that was learnt.

    A `name` belongs to an entity for everybody. A `preference` is what a speaker (None: the household) means by a word:
    an entity, or else a value.
    """

    kind: Kind
    word: str
    meaning: str
    """An entity id; for a preference that is none, the value in words or as a number."""
    origin: Origin
    unit: str | None = None
    speaker: str | None = None
    area: str | None = None
    """Where one of its kind was to be chosen, the id of that area; None where they were in several."""
    uses: int = 0
    used_at: float | None = None

    @property
    def key(self) -> Key:
        """What there can be only one of."""
        return (self.kind, fold(self.word), self.speaker, self.area)

    def to_dict(self) -> dict[str, Any]:
        """JSON-ready; absent fields left out."""
        facts = {
            "kind": self.kind,
            "word": self.word,
            "meaning": self.meaning,
            "unit": self.unit,
            "speaker": self.speaker,
            "area": self.area,
            "uses": self.uses,
            "used_at": self.used_at,
            "origin": {
                "how": self.origin.how,
                "at": self.origin.at,
                "speaker": self.origin.speaker,
                "satellite": self.origin.satellite,
                "utterance": self.origin.utterance,
                "said": self.origin.said,
            },
        }
        return {name: value for name, value in facts.items() if value is not None}


Key = tuple[Kind, str, str | None, str | None]


@dataclass(frozen=True, slots=True)
class Habit:
    """How often in a row somebody made the same choice."""

    word: str
    speaker: str | None
    area: str | None
    entity: str
    times: int = 0
    declined: bool = False
    """Whether it was asked about, and the answer was no: it is not asked again."""

    @property
    def key(self) -> tuple[str, str | None, str | None]:
        """Who chooses for what."""
        return (fold(self.word), self.speaker, self.area)


@dataclass(frozen=True, slots=True)
class Contents:
    """All that a store holds."""

    learnt: tuple[Learnt, ...] = ()
    habits: tuple[Habit, ...] = field(default=())


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

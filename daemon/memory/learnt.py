"""What can be learnt: another name for a thing, where it may be one, or what somebody means by a word."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any, Literal

from msgspec import Struct, field, to_builtins

from daemon.core.entities import Entity, Preference
from daemon.core.messages import Message
from daemon.home.names import fold, key
from daemon.home.registry import Registry

Kind = Literal["name", "preference"]
How = Literal["told", "always", "repeated", "command"]
"""By a sentence that says so, by "always" in an answer, by the same choice again and again, on the command line."""


class Origin(Struct, frozen=True):
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


class Learnt(Struct, frozen=True):
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
        return {name: value for name, value in to_builtins(self).items() if value is not None}


Key = tuple[Kind, str, str | None, str | None]


class Habit(Struct, frozen=True):
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


class Contents(Struct, frozen=True):
    """All that a store holds."""

    learnt: tuple[Learnt, ...] = ()
    habits: tuple[Habit, ...] = field(default=())


class AllLearnt(Message, frozen=True):
    """What has been learnt, the newest first."""

    items: tuple[Learnt, ...]


class LearntNow(Message, frozen=True):
    """That something was learnt just now."""

    item: Learnt


class Called(Message, frozen=True):
    """What things are called."""

    entities: tuple[str, ...]


class Meant(Message, frozen=True):
    """What somebody means by a word; None where nobody has said that."""

    word: str
    wish: Preference | None


LONGEST = 40
"""Characters of a learnt name: whoever names a thing in a whole sentence was misheard."""
Reserved = Literal["word", "place", "kind"]
"""What a text means to everybody: a word of commands, a room, a kind of thing."""


class Problem(Struct, frozen=True):
    """Why a word cannot be a name."""

    reason: Literal["empty", "too_long", "unfit", "reserved", "taken", "already", "full"]
    bearers: tuple[Entity, ...] = ()
    """Who is called so."""


class Naming:
    """Judges names for one home; `reserved` tells what a text means by itself."""

    def __init__(self, registry: Registry, reserved: Callable[[str], Reserved | None]) -> None:
        self._registry = registry
        self._reserved = reserved

    def problem(self, word: str, entity: Entity) -> Problem | None:
        """Why this may not become a name of this entity, or None."""
        if not fold(word):
            return Problem("empty")
        if len(word) > LONGEST:
            return Problem("too_long")
        if any(unicodedata.category(character)[0] == "C" for character in word):
            return Problem("unfit")
        bearers = self.bearers(word)
        if entity in bearers:
            return Problem("already", (entity,))
        if bearers:
            return Problem("taken", bearers)
        place = entity.kind in ("area", "floor")
        if (what := self._reserved(word)) is not None and not (place and what == "place"):
            return Problem("reserved")
        return None

    def bearers(self, word: str) -> tuple[Entity, ...]:
        """All that are called so, however it is written."""
        wanted = key(word)
        return tuple(item for item in self._registry if any(key(name) == wanted for name in item.names))

    def bearer(self, word: str, besides: Entity) -> Entity | None:
        """The one other thing that alone is called so: to mean something else by its name would confuse everybody."""
        found = self.bearers(word)
        return found[0] if len(found) == 1 and found[0].id != besides.id else None

    def plain(self, word: str) -> bool:
        """Whether a word says a kind and is nobody's name."""
        return self._reserved(word) == "kind" and not self.bearers(word)

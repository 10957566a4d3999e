"""What may become a name: nothing that already means something, and nothing that cannot be said."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from daemon.core.entities import Entity
from daemon.home.names import fold, key
from daemon.home.registry import Registry

LONGEST = 40
"""Characters of a learnt name: whoever names a thing in a whole sentence was misheard."""
Reserved = Literal["word", "place", "kind"]
"""What a text means to everybody: a word of commands, a room, a kind of thing."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a word cannot be a name."""

    reason: Literal["empty", "too_long", "unfit", "reserved", "taken", "already"]
    bearers: tuple[Entity, ...] = ()
    """Who is called so."""


class Naming:
    """Judges names for one home.

    Args:
        registry: Who is called what.
        reserved: What a text means by itself, or None.
    """

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

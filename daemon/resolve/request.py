"""One look-up: what was said of a target, what it must be able to do, and what is known around it."""

from __future__ import annotations

from dataclasses import dataclass

from daemon.core.entities import Entity
from daemon.core.ir import Target
from daemon.core.resolution import Context
from daemon.home.kindwords import KindWords
from daemon.home.registry import Registry
from daemon.resolve.contrasts import Contrasts
from daemon.resolve.index import Index
from daemon.resolve.needs import Need
from daemon.resolve.places import Places, Scope


@dataclass(frozen=True, slots=True)
class House:
    """What there is, by id, by name and by place."""

    registry: Registry
    index: Index
    places: Places
    kind_words: KindWords
    contrasts: Contrasts

    def another(self, said: str, entity: Entity) -> bool:
        """Whether these words can only be meant for something else than this: the front door is not the back door."""
        area = self.registry.get(self.index.area(entity.id) or "")
        return self.contrasts.another(said, entity, area.names if area is not None else ())


@dataclass(frozen=True, slots=True)
class Request:
    """What is looked for."""

    target: Target
    need: Need
    context: Context
    scope: Scope

    @property
    def plural(self) -> bool:
        """Whether several are meant."""
        return self.target.plural or self.target.quantifier in ("all", "both", "n")


def is_everything(target: Target) -> bool:
    """Whether it is "everything", of no place: the whole home, wherever it is said."""
    placed = target.areas or target.floors or target.reference is not None
    return target.kind == "device" and target.quantifier == "all" and target.mention is None and not placed


def nowhere(target: Target, context: Context) -> bool:
    """Whether a target says neither who nor where."""
    named = target.mention or target.kind or target.areas or target.floors or target.whole_home
    elsewhere = target.reference is not None and (target.reference != "here" or context.area is not None)
    return not named and not elsewhere

"""Where the next thing is that names no place: the room that was said for the one before it, and no other."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from daemon.core.entities import Entity
from daemon.core.ir import Clause, Order, Target
from daemon.core.resolution import Context
from daemon.core.values import replace
from daemon.decide.looking import Look
from daemon.home.registry import Registry

_OF_THE_HOUSE: Final = frozenset({"door", "garage_door", "gate", "lock", "vacuum", "alarm", "camera", "valve", "mower"})
"""What is seldom that of a room."""


def after(
    context: Context, clause: Clause, entities: Sequence[str], registry: Registry, room: str | None = None
) -> Context:
    """What "it" and an unnamed place mean in the next clause: "close the bedroom blinds and dim the lights".

    Args:
        context: As it was.
        clause: What was said.
        entities: What it is about.
        registry: The home.
        room: The one room that it named.
    """
    context = replace(context, spoken=context.spoken.then(entities, clause))
    named = any(target.areas for target in clause.targets)
    areas = {area.id for item in entities if (area := registry.area_of(item)) is not None}
    if not named or clause.negated:
        return context  # where nothing is to be done is not where the next thing is
    if not areas and room is not None:
        areas = {room}  # what is not there was looked for there
    if len(areas) != 1:
        return context
    found = areas.pop()
    # Where nobody knows where the speaker is, the room that he named is where he means.
    return replace(context, area=found, area_assumed=context.area_assumed or context.area not in (None, found))


def of_the_house(clauses: Sequence[Clause], at: int) -> Clause | None:
    """The clause of the whole home, where "all" of a kind stands beside what is of the house: "and lock both doors".

    Whoever goes out does not mean the one lamp of the hall. None where it is not so.
    """
    clause = clauses[at]
    if not isinstance(clause, Order) or not any(_is_all(item) for item in clause.targets):
        return None
    others = [item for number, other in enumerate(clauses) if number != at for item in _targets_of(other)]
    wide = any(item.floors or item.whole_home or (_is_all(item) and item.kind in _OF_THE_HOUSE) for item in others)
    if not wide:
        return None
    targets = tuple(replace(item, whole_home=True) if _is_all(item) else item for item in clause.targets)
    return replace(clause, targets=targets)


def _targets_of(clause: Clause) -> Sequence[Target]:
    """What an order is done to; nothing of a clause of another sort."""
    return clause.targets if isinstance(clause, Order) else ()


def _is_all(target: Target) -> bool:
    """Whether it is all of a kind, of no place."""
    placed = target.areas or target.floors or target.reference or target.mention or target.whole_home
    every = target.quantifier in ("all", "both") and (not target.plural or target.kind in _OF_THE_HOUSE)
    return every and target.kind is not None and not placed


def held_in(look: Look, room: str, registry: Registry) -> Clause | None:
    """The clause in the room that was said before, where it would be asked which one of those in other rooms is meant.

    "The nursery light on, the TV on": nobody means a TV anywhere else. None where that room has one of them, or another
    place was named.
    """
    clause, ruling = look.turn.clause, look.ruling
    asked = [registry[item] for item in ruling.options or ruling.entities]
    if ruling.verdict != "ask" or not isinstance(clause, Order) or clause.is_scene or look.turn.settled.confirmed:
        return None
    if ruling.reason == "confirm_risk" or not asked or any(_is_of_the_house(item) for item in asked):
        return None
    rooms = {area.id for item in asked if (area := registry.area_of(item.id)) is not None}
    if not rooms or room in rooms or not all(_is_bare(target) for target in clause.targets):
        return None
    return replace(
        clause, targets=tuple(_there(target, registry[room].name(look.turn.lang)) for target in clause.targets)
    )


def is_of_the_house(target: Target) -> bool:
    """Whether it is seldom that of a room."""
    return target.kind in _OF_THE_HOUSE


def _is_of_the_house(entity: Entity) -> bool:
    return entity.kind != "device" or entity.type in _OF_THE_HOUSE


def _is_bare(target: Target) -> bool:
    """Whether it says what, and not where."""
    placed = (target.areas or target.floors) and not target.shares
    named = target.mention is not None or target.kind not in (None, "device")
    return named and not (placed or target.reference or target.whole_home) and target.quantifier in ("one", "all")


def _there(target: Target, room: str) -> Target:
    return replace(target, areas=(room,), floors=(), shares=False)

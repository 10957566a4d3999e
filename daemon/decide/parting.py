"""A list of which some can't be done, or whose room was named once: what can be done is, of the rest it is told."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import groupby
from typing import Final

from daemon.core.decisions import Decision, Refuse
from daemon.core.entities import Entity
from daemon.core.ir import Clause, Order, Target
from daemon.core.messages import Names, say
from daemon.core.questions import NOTHING_SETTLED
from daemon.core.resolution import Context
from daemon.core.turn import Turn
from daemon.core.values import replace
from daemon.decide.looking import Look
from daemon.home.registry import Registry

_CANNOT: Final = frozenset({"empty", "unsupported", "not_controllable"})
"""Reasons that are about one thing, and not about all that is said beside it."""

Looks = Callable[[Turn], Look | Decision]


_LASTING = frozenset({"turn_on", "turn_off", "open", "close", "lock", "unlock", "set"})
"""What comes to the same when it is done twice."""


def is_parted(turns: Sequence[Turn]) -> bool:
    """Whether some of an utterance may stand for itself: nothing was settled about it, nothing depends on anything."""
    fresh = all(turn.settled == NOTHING_SETTLED and not turn.clause.conditions for turn in turns)
    return fresh and any(len(_singles(turn.clause)) > 1 for turn in turns)


def parts_of(look: Look | Decision, clause: Clause, looks: Looks) -> tuple[Clause, ...]:
    """The clause, in as many as it takes to do what can be done: "the fans in the study and the hall", which has none.

    `look` is what it means as a whole, `looks` tells what one of its parts means.
    """
    singles = _singles(clause)
    whole = (clause,)
    if len(singles) < 2 or not (_may_lack(look) or _asks_which(look, clause)):  # noqa: PLR2004 - one is no list
        return whole
    turn = look.turn
    found = [(single, _verdict(looks(turn.instead(single)))) for single in singles]
    verdicts = {verdict for _, verdict in found}
    if verdicts != {"act", "refuse"}:
        return whole
    out: list[Clause] = []
    for verdict, group in groupby(found, lambda item: item[1]):
        alike = [single for single, _ in group]
        together = replace(alike[0], targets=tuple(target for item in alike for target in item.targets))
        out += [together] if verdict == "act" else alike
    return tuple(out)


def _may_lack(look: Look | Decision) -> bool:
    """Whether something that was named may be missing: nothing else can be said of it, or it is to be done."""
    if not isinstance(look, Look):
        return isinstance(look, Refuse) and look.reason in _CANNOT
    ruling = look.ruling
    return ruling.verdict == "act" or ruling.reason in _CANNOT or (ruling.reason == "not_found" and _is_known(look))


def _asks_which(look: Look | Decision, clause: Clause) -> bool:
    """Whether it would be asked which one is meant, though a room was named: "the study AC and the TV"."""
    asks = isinstance(look, Look) and look.ruling.reason == "which"
    return asks and any(target.areas for target in clause.targets) and not any(map(is_of_the_house, clause.targets))


def _is_known(look: Look) -> bool:
    """Whether it was understood what is not here: of words that nobody knows, the rest may hang on them."""
    missing = [item for item in look.resolution.targets if item.status == "not_found"]
    return all(item.target.kind is not None and item.unknown is None for item in missing)


def _verdict(look: Look | Decision) -> str:
    if isinstance(look, Look) and look.ruling.verdict == "act":
        return "act"
    return "refuse" if _may_lack(look) else "other"


def _singles(clause: Clause) -> list[Order]:
    """The clause of each thing, in each place, that it names by itself."""
    if not isinstance(clause, Order) or clause.either or clause.excluded or clause.negated or clause.is_scene:
        return []
    targets = [
        one
        for target in _placed(clause.targets)
        for one in (
            [replace(target, areas=(area,)) for area in target.areas]
            if len(target.areas) > 1 and not target.cleans and target.quantifier in ("one", "all")
            else [target]
        )
    ]
    return [replace(clause, targets=(target,)) for target in targets]


def _placed(targets: Sequence[Target]) -> list[Target]:
    """The targets, in the room of the one before, or of the last one, where they name none."""
    out: list[Target] = []
    room = targets[-1].areas if targets else ()
    for target in targets:
        unplaced = not (target.areas or target.floors or target.reference or target.whole_home)
        named = target.mention is not None or target.kind not in (None, "device")
        before = next((item.areas for item in reversed(out) if item.areas), room)
        out.append(replace(target, areas=before, shares=True) if unplaced and named and before else target)
    return out


_OF_THE_HOUSE: Final = frozenset({"door", "garage_door", "gate", "lock", "vacuum", "alarm", "camera", "valve", "mower"})
"""What is seldom that of a room."""


def after(
    context: Context, clause: Clause, entities: Sequence[str], registry: Registry, room: str | None = None
) -> Context:
    """What "it" and an unnamed place mean in the next clause: "close the bedroom blinds and dim the lights".

    `room` is the one that this clause named, `entities` what it is about.
    """
    context = replace(context, spoken=context.spoken.then(entities, clause))
    named = any(target.areas for target in clause.targets)
    areas = registry.rooms_of(entities)
    if not named or clause.negated:
        return context  # where nothing is to be done is not where the next thing is
    if not areas and room is not None:
        areas = {room}  # what is not there was looked for there
    if len(areas) != 1:
        return context
    found = areas.pop()
    # Where nobody knows where the speaker is, the room that he named is where he means.
    return replace(context, area=found, here=context.here or context.area)


def at_its_end(look: Look, looks: Sequence[Look | Decision]) -> Refuse | None:
    """As "hoover the kitchen, then bring him home": what takes its time is not to end at once, and goes home by itself.

    None where it is not so.
    """
    clause, ruling = look.turn.clause, look.ruling
    if clause.action != "dock" or clause.when is not None or clause.conditions or ruling.verdict != "act":
        return None
    begun = {
        item
        for before in looks
        if isinstance(before, Look) and before.turn.clause.action == "start" and not before.later
        for item in before.ruling.entities
    }
    if not ruling.entities or not begun.issuperset(ruling.entities):
        return None
    said = say("goes_home", len(ruling.entities), names=Names(ruling.entities))
    return Refuse(look.turn, (said,), "goes_home", "execute", entities=ruling.entities)


def once(looks: Sequence[Look | Decision]) -> list[Look | Decision]:
    """The looks, less what only says once more what the one before it does: "off, the heating, turn it off"."""
    return [look for at, look in enumerate(looks) if not (at and _is_said_again(look, looks[at - 1]))]


def _is_said_again(look: Look | Decision, before: Look | Decision) -> bool:
    if not isinstance(look, Look) or not isinstance(before, Look) or look.later or look.ruling.verdict != "act":
        return False
    clause, last = look.turn.clause, before.turn.clause
    if not isinstance(clause, Order) or not isinstance(last, Order) or clause.action not in _LASTING:
        return False
    same = replace(clause, targets=last.targets, confidence=last.confidence)
    return same == last and {*look.ruling.entities} <= {*before.ruling.entities}


def of_the_house(clauses: Sequence[Clause], at: int) -> Clause | None:
    """The clause of the whole home, where "all" of a kind stands beside what is of the house: "and lock both doors".

    Whoever goes out does not mean the one lamp of the hall. None where it is not so.
    """
    clause = clauses[at]
    if not isinstance(clause, Order) or not any(_is_all(item) for item in clause.targets):
        return None
    orders = (other for other in (*clauses[:at], *clauses[at + 1 :]) if isinstance(other, Order))
    others = [item for other in orders for item in other.targets]
    wide = any(item.floors or item.whole_home or (_is_all(item) and item.kind in _OF_THE_HOUSE) for item in others)
    if not wide:
        return None
    targets = tuple(replace(item, whole_home=True) if _is_all(item) else item for item in clause.targets)
    return replace(clause, targets=targets)


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
    rooms = registry.rooms_of(item.id for item in asked)
    if not rooms or room in rooms or not all(_is_bare(target) for target in clause.targets):
        return None
    there = (registry[room].name(look.turn.lang),)
    return replace(clause, targets=tuple(replace(it, areas=there, floors=(), shares=False) for it in clause.targets))


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

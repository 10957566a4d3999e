"""Which parts a clause has, and which of them whatever carries it out heeds. What has no place here is never dropped.

A clause with a part that its deed does not heed is refused, with a sentence that names the part: "good night, but
leave the TV on" never runs all of a scene of which nobody here knows what it does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final, Literal

from daemon.core.decisions import Refuse
from daemon.core.entities import Entity
from daemon.core.ir import (
    AboutAgenda,
    AboutList,
    Broadcast,
    Chat,
    Clause,
    DialogueMove,
    Fix,
    Help,
    Inquiry,
    Lesson,
    Order,
    Permission,
    Prohibition,
    Timer,
    Unread,
)
from daemon.core.messages import Message, Names, Refused, say
from daemon.core.resolution import Ruling
from daemon.core.turn import Turn
from daemon.home.actions import capability_for
from daemon.home.registry import Registry
from daemon.schedule.times import ends

Part = Literal["exception", "setting", "condition", "event", "time", "repetition", "duration", "hours"]
"""`exception`: "but not the TV". `setting`: a mode, a level, a title. `event`: "whenever the door opens". `duration`:
"for ten minutes". `hours`: "at night", of what is forbidden."""

Deed = Literal[
    "switch",
    "set",
    "instant",
    "steps",
    "handed",
    "round",
    "query",
    "list",
    "timer",
    "reminder",
    "later",
    "note",
    "learn",
    "dialogue",
    "ban",
    "permit",
]
"""`switch`: a verb by itself. `set`: with a setting. `instant`: what is over at once: the next song, a button. `steps`:
a scene that Hearken carries out. `handed`: a scene that the broker knows, and nobody here what it does. `round`: a
vacuum's, through what it cleans. `list`: what there is, and help. `later`: what was kept. `note`: a list of people's,
or words for them. `ban`: what is forbidden for good, `permit`: what is so no longer."""

_LATER: Final[tuple[Part, ...]] = ("condition", "event", "time", "repetition", "hours")

HEEDED: Final[Mapping[Deed, frozenset[Part]]] = {
    "switch": frozenset(("exception", "duration", *_LATER)),
    "set": frozenset(("exception", "duration", "setting", *_LATER)),
    "instant": frozenset(("exception", *_LATER)),
    "steps": frozenset(("exception", "duration", *_LATER)),
    "handed": frozenset(_LATER),
    "round": frozenset(("duration", *_LATER)),
    # A question about another time is refused by the decider, which knows of forecasts.
    "query": frozenset({"exception", "setting", "condition", "time"}),
    "list": frozenset(),
    "timer": frozenset(),
    "reminder": frozenset(_LATER),
    "later": frozenset({"setting", "time", "repetition"}),
    "note": frozenset(),
    "learn": frozenset({"setting"}),
    "ban": frozenset({"exception", "setting", "condition", "hours"}),
    "permit": frozenset({"setting"}),
    "dialogue": frozenset({"exception", "setting", "time", "repetition", "duration"}),
}
"""Deed -> the parts that it heeds; `tests/decide` holds every part against every deed."""

_INSTANT: Final = frozenset({"next", "previous", "stop", "dock", "activate"})
_BY_SETTING: Final = frozenset({"set", "increase", "decrease", "play"})
"""What is nothing without a setting: who can't take that is told by the plan."""
_OF_VARIANT: Final[Mapping[type[Clause], Deed]] = {
    Inquiry: "query",
    Timer: "timer",
    AboutAgenda: "later",
    AboutList: "note",
    Broadcast: "note",
    Lesson: "learn",
    DialogueMove: "dialogue",
    Fix: "dialogue",
    Help: "list",
    Chat: "list",
    Unread: "list",
    Prohibition: "ban",
    Permission: "permit",
}


def parts_of(clause: Clause) -> frozenset[Part]:
    """The parts of a clause beside its verb and its targets."""
    when, parameter = clause.when, clause.parameter
    has: Mapping[Part, bool] = {
        "exception": bool(clause.excluded),
        "setting": parameter is not None and parameter.attribute != "state",
        "condition": bool(clause.conditions),
        "event": when is not None and when.repeating,
        "time": when is not None
        and bool(when.delay_s is not None or when.time or when.day_offset is not None or when.daytime or when.vague),
        "repetition": when is not None and bool(when.days or when.every),
        "duration": ends(when),
        "hours": (isinstance(clause, Prohibition) and clause.hours is not None)
        or (when is not None and when.hours is not None),
    }
    return frozenset(part for part, there in has.items() if there)


def deed_of(clause: Clause, entity: Entity | None = None) -> Deed:
    """How a clause is carried out, on this entity."""
    if isinstance(clause, Timer) and clause.reminds is not None:
        return "reminder"
    if not isinstance(clause, Order):
        return _OF_VARIANT[type(clause)]
    if entity is not None and entity.kind == "scene":
        return "steps" if entity.address is None else "handed"
    if clause.action in _BY_SETTING or _takes(entity, clause):
        return "set"
    if entity is not None and entity.type == "vacuum" and clause.action == "start":
        return "round"
    return "instant" if clause.action in _INSTANT else "switch"


def _takes(entity: Entity | None, clause: Order) -> bool:
    setting = clause.parameter
    return setting is not None and (entity is None or capability_for(entity, setting) is not None)


def unheeded(
    turn: Turn,
    entities: Iterable[str],
    registry: Registry,
    spared: tuple[str, ...] = (),
    *,
    kept: bool = False,
    cleans: bool = False,
) -> Refuse | None:
    """The refusal, where something of a clause would be dropped; None where all of it is heeded.

    `spared` is who is excepted, by the clause or by one beside it; of these, what is `kept` for later keeps only its
    own. Of a set, a setting is only for those that take it. Who `cleans` the rooms that were said leaves out others.
    """
    clause = turn.clause
    wanted: set[Part] = {*parts_of(clause), *(("exception",) if spared else ())}
    if cleans and not spared:
        wanted.discard("exception")
    beside = kept and not clause.excluded
    lost: dict[str, set[Part]] = {item: wanted - HEEDED[deed_of(clause, registry[item])] for item in entities}
    for item, parts in lost.items():
        if beside and not {item, *registry[item].members}.isdisjoint(spared):
            parts.add("exception")
    if any(parts <= {"setting"} and "setting" not in parts for parts in lost.values()):
        lost = {item: parts - {"setting"} for item, parts in lost.items()}
    part = next((part for parts in lost.values() for part in sorted(parts)), None)
    if part is None:
        return None
    names = tuple(item for item, parts in lost.items() if part in parts)
    return Refuse(turn, (_said(part, clause, names, spared),), f"unheeded.{part}", entities=names)


def unheeded_at_all(turn: Turn, deed: Deed | None = None) -> Refuse | None:
    """The same for what is about no device: timers, what is kept, what was learnt, remarks."""
    lost = sorted(parts_of(turn.clause) - HEEDED[deed or deed_of(turn.clause)])
    return Refuse(turn, (say(f"unheeded.bare.{lost[0]}"),), f"unheeded.{lost[0]}") if lost else None


def _said(part: Part, clause: Clause, names: tuple[str, ...], spared: tuple[str, ...]) -> Message:
    if part == "setting" and clause.parameter is not None:
        return Refused(
            Ruling("refuse", "unsupported", names), action=clause.action, attribute=clause.parameter.attribute
        )
    if part == "exception":
        return say("unheeded.exception", len(names), names=Names(names), spared=Names(spared))
    if part == "duration":
        return say("unheeded.duration", len(names), names=Names(names))
    return say(f"unheeded.bare.{part}")

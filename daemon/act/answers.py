"""What a question about the home comes to; what there is to say of acts, readings and plans."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import Literal

from msgspec import Struct

from daemon.act.facts import Fact, Pair, deciding, fact, telling, together
from daemon.act.senses import bearing, borne_out
from daemon.act.values import number
from daemon.core.entities import CapabilityName, Entity, SceneStep
from daemon.core.ir import Condition, Inquiry, Quantifier, QueryKind, Target
from daemon.core.messages import Message
from daemon.core.outcomes import Observed, Outcome, Problem, Write
from daemon.core.values import replace
from daemon.home.actions import REACHED
from daemon.home.events import Press
from daemon.home.registry import Registry
from daemon.home.sensing import AMBIENT, USUAL, usual
from daemon.home.settings import is_setting

_SETS: dict[QueryKind, Quantifier] = {"any": "any", "all": "all"}
_SWITCHED = frozenset({"on", "off"})
_MOVED: frozenset[CapabilityName] = frozenset({"open_close", "position", "lock"})
"""What is open or closed, and neither on nor off."""
_ONE: frozenset[QueryKind] = frozenset({"state", "value", "is", "why", "usual"})
"""Questions about one thing, of which a room may have several that tell it."""
_COLOR, _WHITE = "color", "color_temp"
_FELT = frozenset({"temperature", "humidity", "current_temperature", "current_humidity", "noise"})
"""What is usual indoors, and says nothing of how good the air is."""
_LISTS: frozenset[QueryKind] = frozenset({"which", "count"})
_PLAYS = ("media", "source")
"""What tells what a player has on, and from where."""
_LIT = frozenset({"on", "playing"})
_WAITING = frozenset({"idle", "paused", "standby"})


class Answer(Struct, frozen=True):
    """A typed answer. Nothing in it is a guess: what is stale is in `facts` as stale, and decides nothing."""

    kind: QueryKind
    attribute: str
    """What was asked about."""
    facts: tuple[Fact, ...]
    """One per device that can tell, those that are known first."""
    verdict: bool | None = None
    """To `is`, `any` and `all`: yes, no, or unknown."""
    matching: tuple[str, ...] = ()
    """The devices of which it holds, for `any`, `all`, `count` and `which`."""
    unknown: tuple[str, ...] = ()
    """The devices whose reading is not fresh, or that cannot tell at all."""
    wished: float | str | None = None
    """The value that was asked about."""
    unit: str | None = None
    """What the answer is to be in, where that was said."""
    contrary: bool = False
    """Whether it was asked as what is hoped not to be: "it isn't leaking, is it?"."""
    rooms: bool = False
    """Whether the rooms were asked for of what is in `matching`."""
    on: Mapping[str, tuple[str, ...]] = {}
    """What is on and from where, by player, as far as they tell it."""
    most: Literal["max", "min"] | None = None
    """Whether those were asked for that have the most, or the least, of it."""


def needs(clause: Inquiry, entities: Iterable[str], registry: Registry) -> tuple[Pair, ...]:
    """What must be read freshly before `answer`."""
    found: dict[Pair, None] = {}
    for entity in registry.present(entities):
        asked = _asked_of(entity, question(clause))
        capability = telling(entity, asked.attribute, asked.value)
        if capability is not None:
            found[entity.id, capability.attribute] = None
            found |= dict.fromkeys((entity.id, name) for name in _also_told(asked, entity))
            if _tells_what_is_on(clause, asked, entity):
                found |= dict.fromkeys((entity.id, name) for name in _PLAYS if entity.reads(name) is not None)
    if clause.query == "why":
        found |= dict.fromkeys(bearing(question(clause), registry.present(entities), registry))
    return tuple(found)


def _asked_of(entity: Entity, asked: Condition) -> Condition:
    """What is asked of a thing: whether a machine is done, of a sensor that has its own words for how it is, those."""
    mute = entity.type == "sensor" and telling(entity, asked.attribute, asked.value) is None
    return replace(asked, attribute="state", value=None) if mute and asked.attribute == "running" else asked


def _tells_what_is_on(clause: Inquiry, asked: Condition, entity: Entity) -> bool:
    """Whether what a player has on is part of the answer: to what it does, what plays, what is on TV."""
    plays = entity.capability("media_transport") is not None and asked.attribute == "state"
    told = {"which": ("playing", "on") if asked.target.kind != "device" else ("playing",), "state": (None,)}
    return plays and asked.value in told.get(clause.query, ())


def _on(item: Fact, clause: Inquiry, asked: Condition, registry: Registry, observed: Observed) -> tuple[str, ...]:
    """What a player has on, and from where, as it tells it, where that is asked."""
    if item.observation.value not in _LIT or not _tells_what_is_on(clause, asked, registry[item.entity]):
        return ()
    seen = (observed.get((item.entity, name)) for name in _PLAYS)
    told = (str(one.value) for one in seen if one is not None and one.fresh and one.value)
    return tuple(dict.fromkeys(what for what in told if what not in _SWITCHED))  # some say "off" for no source


def _at_rest(item: Fact, clause: Inquiry, asked: Condition, registry: Registry, on: Container[str]) -> Fact:
    """The fact, where a set that shows an input plays, and a player that only waits was not left on."""
    waits = item.observation.value in _WAITING and registry[item.entity].capability("media_transport") is not None
    if waits and asked.target.kind == "device" and asked.value in _SWITCHED:
        return replace(item, holds=asked.value == "off")
    return replace(item, holds=True) if clause.query == "which" and item.entity in on else item


def _also_told(asked: Condition, entity: Entity) -> list[str]:
    """What else may tell it: a lamp that shines white has no colour; the air may be bad in several ways."""
    others = {_COLOR: (_WHITE,), "aqi": tuple(USUAL)}.get(asked.attribute, ()) if asked.value is None else ()
    return [name for name in others if name not in _FELT and entity.reads(name) is not None]


def _fact(asked: Condition, entity: Entity, observed: Observed) -> Fact | None:
    """What a device says to a question, by what of it is known; of the air, by what is not as usual."""
    asked = _asked_of(entity, asked)
    item = fact(asked, entity, observed)
    others = [fact(replace(asked, attribute=name), entity, observed) for name in _also_told(asked, entity)]
    told = [other for other in (item, *others) if other is not None and other.observation.fresh]
    if item is None or not others or not told:
        return item
    return next((one for one in told if usual(one.attribute, number(one.observation.value)) == "high"), told[0])


def answer(clause: Inquiry, entities: Sequence[str], registry: Registry, observed: Observed) -> Answer:
    """The answer to a query clause about these devices, from the readings that `needs` asked for."""
    asked = question(clause)
    kind = clause.query
    known = _asked(registry.present(dict.fromkeys(entities)), asked)
    facts = [item for entity in known if (item := _fact(asked, entity, observed)) is not None]
    if len(facts) > 1 and _any_of_them(clause, asked):
        kind = "any"
    if kind in _LISTS and asked.value is None and (is_setting(asked.attribute) or asked.target.reference == "them"):
        facts = [
            replace(item, holds=True) for item in facts
        ]  # "which plugs have a child lock", "... of those are here"
    if kind not in _ONE and asked.attribute == "state" and asked.value is not None:
        facts = [item for item in facts if item.attribute not in AMBIENT]  # how warm it is, is no "on"
    on = {item.entity: what for item in facts if (what := _on(item, clause, asked, registry, observed))}
    facts = [_at_rest(item, clause, asked, registry, on) for item in facts]
    if asked.negated:
        facts = [item if item.holds is None else replace(item, holds=not item.holds) for item in facts]
    able = {item.entity for item in facts}
    if asked.attribute == REACHED.attribute:
        # Most devices have nothing that would tell; they are no part of the answer where others have.
        facts = [item for item in facts if item.observation.fresh] or facts
    most = clause.parameter.op if kind == "which" and clause.parameter is not None else "set"
    if kind in _ONE:
        facts = _told(asked, facts, registry)
    if kind == "why":
        facts = borne_out(asked, facts, registry, observed)
    if most in ("max", "min"):
        # The warmest room is no matter of the water heater in one.
        of_rooms = [item for item in facts if item.ambient] if clause.rooms else []
        facts = _ranked(_measured(of_rooms or facts, registry), most)
    told = {item.entity for item in facts if item.observation.fresh}
    spared = able - {item.entity for item in facts}
    facts.sort(key=lambda item: (not item.observation.fresh, item.observation.source == "none"))
    verdict = None
    if kind in ("is", "any", "all"):
        # A device that cannot tell at all (a lamp that was asked about the temperature) has no say.
        quantifier = _SETS.get(kind, asked.target.quantifier)
        verdict = together(quantifier, asked.target.count, (item.holds for item in facts))
    return Answer(
        kind=kind,
        attribute=asked.attribute,
        facts=tuple(facts),
        verdict=verdict,
        matching=tuple(item.entity for item in facts if item.holds),
        unknown=tuple(entity.id for entity in known if entity.id not in told | spared),
        wished=asked.value,
        unit=asked.unit,
        contrary=clause.contrary,
        rooms=clause.rooms,
        on=on,
        most="max" if most == "max" else "min" if most == "min" else None,
    )


def _any_of_them(clause: Inquiry, asked: Condition) -> bool:
    """Whether it is asked of a setting, of no thing that has it: "is the child lock on anywhere"."""
    target = asked.target
    nowhere = target.whole_home and target.quantifier == "one" and target.mention is None
    return clause.query == "is" and is_setting(asked.attribute) and (nowhere or not clause.targets)


def _asked(known: list[Entity], asked: Condition) -> list[Entity]:
    """What a question is about: whether "everything is off" is nothing to ask a blind, a lock or a motion sensor."""
    if asked.attribute != "state" or asked.value not in _SWITCHED or asked.target.kind != "device":
        return known

    def switched(entity: Entity) -> bool:
        capability = telling(entity, asked.attribute, asked.value)
        return capability is not None and capability.name not in _MOVED and entity.type != "sensor"

    return [entity for entity in known if switched(entity)] or known


def _ranked(facts: Sequence[Fact], most: str) -> list[Fact]:
    """The facts with a fresh number, of which it holds that they have the most or the least; then the others."""
    numbers = {item.entity: found for item in facts if (found := item.number) is not None}
    best = (max if most == "max" else min)(numbers.values(), default=None)
    ranked = [replace(item, holds=numbers[item.entity] == best) for item in facts if item.entity in numbers]
    return [*ranked, *(item for item in facts if item.entity not in numbers)]


def _told(asked: Condition, facts: Sequence[Fact], registry: Registry) -> list[Fact]:
    """The facts to tell of one thing that was asked about."""
    found = deciding(asked.target, facts, registry)
    return found if asked.target.mention is not None or asked.target.quantifier != "one" else _measured(found, registry)


def _measured(facts: Sequence[Fact], registry: Registry) -> list[Fact]:
    """The facts less those of a thermostat where a sensor measures the same of its place."""
    sensors = {item.entity for item in facts if item.ambient and registry[item.entity].type == "sensor"}
    room = registry.room_of
    measured = {room(item.entity) for item in facts if item.entity in sensors and item.observation.fresh}
    return [item for item in facts if not item.ambient or item.entity in sensors or room(item.entity) not in measured]


def question(clause: Inquiry) -> Condition:
    """The clause's question as a condition: from its parameter, its condition, or the state that its target names."""
    target = clause.targets[0] if clause.targets else Target()
    if clause.conditions:
        return replace(clause.conditions[0], target=target)
    if clause.parameter is not None:
        parameter = clause.parameter
        value = parameter.value if parameter.value is not None else target.state
        return Condition(target, parameter.attribute, "eq", value, unit=parameter.unit, negated=clause.negated)
    return Condition(target, "state", "eq", target.state, negated=clause.negated)


class Acted(Message, frozen=True):
    """What became of the writes of one clause."""

    outcomes: tuple[Outcome, ...]
    everywhere: bool = False
    """Whether it was "everything" in the whole home."""


class Ended(Message, frozen=True):
    """What became, after the reply, of what takes its time."""

    outcomes: tuple[Outcome, ...]


class StillOff(Message, frozen=True):
    """Who was set to something and is off; of these outcomes."""

    entities: tuple[str, ...]
    outcomes: tuple[Outcome, ...]


class Told(Message, frozen=True):
    """The answer to a question about the home."""

    answer: Answer


class Was(Message, frozen=True):
    """How things were before they were changed: what would put them back."""

    writes: tuple[Write, ...]


class Does(Message, frozen=True):
    """What a scene does; without steps, that nobody here knows."""

    scene: str
    steps: tuple[SceneStep, ...]


class Presses(Message, frozen=True):
    """What may happen to these devices: how their buttons are pressed; `lacked` where none of it is what was said."""

    entities: tuple[str, ...]
    presses: tuple[Press, ...]
    lacked: bool = False


class Able(Message, frozen=True):
    """What these can be set to: all of it, or of one attribute."""

    entities: tuple[str, ...]
    attribute: str | None = None


class Where(Message, frozen=True):
    """In which rooms things are that do not go about."""

    entities: tuple[str, ...]


class Unmet(Message, frozen=True):
    """Why nothing was done: the readings of a condition, which do not hold or cannot be told."""

    facts: tuple[Fact, ...]
    holds: bool | None


class Hindered(Message, frozen=True):
    """Why a plan, or a part of it, could not be made."""

    problems: tuple[Problem, ...]

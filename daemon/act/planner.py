"""From a clause and who it means to absolute writes, and from outcomes to those that take an act back. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from daemon.act import palette, parameters
from daemon.act.bans import broken
from daemon.act.values import fulfilled, number, same
from daemon.core.entities import Entity, SceneStep, Value
from daemon.core.ir import Order, Parameter
from daemon.core.outcomes import Ban, Observed, Outcome, Plan, Problem, WayBack, Write, fresh
from daemon.core.values import replace
from daemon.home import actions, settings
from daemon.home.registry import Registry
from daemon.home.verbs import SWITCHING, fulfils

Pair = tuple[str, str]
Scenes = Mapping[str, Sequence[SceneStep]]
"""Scene id -> the steps that Hearken carries out."""

_OPPOSITES: dict[Value, Value] = {"on": "off", "off": "on", "open": "closed", "closed": "open"}
_ITS_OWN = frozenset({"no_value", "is_off"})
"""Problems of one device that are no reason to leave the others alone."""
_BY_PARAMETER = frozenset({"set", "increase", "decrease", "play"})
_SEEN = frozenset({"color", "color_temp"})
"""What is given to a lamp to be seen."""
_EITHER_WAY = ("auto", "heat_cool")
"""Modes in which a device heats or cools as it must."""


def needs(clause: Order, entities: Sequence[str], registry: Registry) -> tuple[Pair, ...]:
    """What must be read freshly before `plan`: the present value of what is toggled or changed relatively."""
    found: dict[Pair, None] = {}
    clause = _as_far_as_meant(clause, entities)
    for entity in registry.present(dict.fromkeys(entities)):
        for attribute in _needs(clause, entity):
            found[entity.id, attribute] = None
    return tuple(found)


def plan(
    clause: Order,
    entities: Sequence[str],
    registry: Registry,
    observed: Observed,
    scenes: Scenes | None = None,
    cleans: Sequence[str] = (),
    bans: Sequence[Ban] = (),
) -> Plan:
    """The writes of one clause, in the order of its entities, and what stands in the way.

    Groups are expanded, targets resolved, and `observed` has what `needs` asked for; more does no harm. A vacuum cleans
    the areas of `cleans`, or all that it can; who would be done to what `bans` forbid is left alone.
    """
    if clause.negated:
        return Plan(())
    clause = _as_far_as_meant(clause, entities, lit=_is_lit(entities, observed))
    rooms = ", ".join(registry[area].names[0] for area in cleans)
    writes: list[Write] = []
    problems: list[Problem] = []
    # Who is to be left alone altogether: of a scene no step is done.
    alone = [ban for ban in bans if ban.attribute is None and ban.entity in entities]
    kept = {ban.entity for ban in alone}
    for entity in registry.present(dict.fromkeys(item for item in entities if item not in kept)):
        if rooms and clause.action == "start" and entity.capability("clean_area") is not None:
            writes.append(Write(entity.id, "area", rooms, "clean_area"))
            continue
        for made in _for_one(clause, entity, registry, observed, scenes or {}):
            item = _unlit(made, clause, observed) if len(entities) > 1 else made
            if isinstance(item, Write):
                writes.append(item)
            else:
                problems.append(item)
    if any(problem.reason not in _ITS_OWN for problem in problems):
        return Plan((), tuple(problems))
    if writes:
        problems = [problem for problem in problems if problem.reason != "is_off"]
    elif problems and all(problem.reason == "is_off" and problem.nearest is not None for problem in problems):
        # Where some of the lights are on, these are dimmed; where none is, who dims them wants them on, and dim.
        writes, problems = [_dimmed(problem, clause) for problem in problems], []
    plan = Plan((), tuple(problems), tuple(dict.fromkeys((*alone, *broken(writes, bans)))))
    spared = plan.spared
    return replace(plan, writes=tuple(dict.fromkeys(item for item in writes if item.entity not in spared)))


def _unlit(made: Write | Problem, clause: Order, observed: Observed) -> Write | Problem:
    """What is to come of one of several: "everything down to the minimum", "brighter" light nothing that is off."""
    wished = clause.parameter
    down = wished is not None and (wished.op == "min" or wished.toward == "decrease")
    up = wished is not None and wished.op == "increase" and wished.value is None and made.attribute == "brightness"
    if not (down or up) or isinstance(made, Problem) or made.attribute not in parameters.LIT:
        return made
    off = fresh(observed, made.entity, "state") == "off"
    return Problem(made.entity, "is_off", made.attribute, nearest=number(made.value)) if off else made


def _dimmed(problem: Problem, clause: Order) -> Write:
    """What "dim the lamp" comes to for one that is off."""
    level = problem.nearest
    assert level is not None
    return Write(problem.entity, problem.attribute, level, clause.action or "decrease")


def _is_lit(entities: Iterable[str], observed: Observed) -> bool:
    return not all(fresh(observed, item, "state") == "off" for item in entities)


def _as_far_as_meant(clause: Order, entities: Sequence[str], *, lit: bool = False) -> Order:
    """The clause without what it takes to cool, or heat, where a device is named; with the light for a colour of one.

    Who cools a room wants it cooled; who cools the air conditioner down to 19 speaks of its setting. Who gives one lamp
    a colour wants to see it.
    """
    wished = clause.parameter
    if wished is not None and wished.attribute in _SEEN and wished.op == "set" and len(entities) == 1 and not lit:
        return replace(clause, parameter=replace(wished, powers=True))
    if wished is None or wished.by is None:
        return clause
    named = any(item.mention or item.kind or item.reference not in (None, "here") for item in clause.targets)
    return replace(clause, parameter=replace(wished, by=None)) if named else clause


def _for_one(
    clause: Order, entity: Entity, registry: Registry, observed: Observed, scenes: Scenes
) -> Iterable[Write | Problem]:
    action = clause.action or "set"
    if clause.parameter is not None and settings.is_setting(clause.parameter.attribute):
        action = action if action in _BY_PARAMETER else "set"  # never what the device itself does
    if entity.kind == "scene":
        return _scene(entity, action, registry, scenes)
    if entity.kind != "device":
        return [Problem(entity.id, "unsupported")]
    if action in _BY_PARAMETER:
        change = _parameter(clause, action, entity, observed)
        if clause.parameter is None or isinstance(change, Problem):
            return [change]
        return [*_pursuit(entity, clause.parameter, observed), change]
    parameter = clause.parameter
    if parameter is None or actions.capability_for(entity, parameter) is None or parameter.attribute == "state":
        return [_verb(action, entity, observed)]
    if parameter.value is None and parameter.op == "set":
        # "Turn off the swing": what is switched is the setting, where it has a word for that.
        return [_switch(action, entity, parameter, observed)]
    change = parameters.write_for(entity, action, parameter, observed)
    if parameter.attribute in SWITCHING or action == "arm" or actions.member_for(entity, action) is None:
        return [change]
    return [_verb(action, entity, observed), change]


def _pursuit(entity: Entity, parameter: Parameter, observed: Observed) -> tuple[Write, ...]:
    """What else it takes to cool, or heat, to a temperature: the device is switched on, in a mode that does that.

    Nothing where it does so already, where nobody said which way, and where it cannot. Only the switch where the verb
    says no more.
    """
    way = parameter.by if parameter.by is not None and actions.pursues(entity, parameter.by) else None
    if way is None and not parameter.powers:
        return ()
    state, mode = fresh(observed, entity.id, "state"), fresh(observed, entity.id, "mode")
    writes = []
    if entity.capability("on_off") is not None and state != "on":
        writes.append(Write(entity.id, "state", "on", "turn_on", before=state))
    if way is None:
        return tuple(writes)
    modes = entity.capability("mode")
    if modes is not None and (state == "off" or mode not in (way, *_EITHER_WAY)):
        writes.append(Write(entity.id, "mode", way, "set", before=mode))
    return tuple(writes)


def _parameter(clause: Order, action: str, entity: Entity, observed: Observed) -> Write | Problem:
    parameter = parameters.parameter_of(action, clause.parameter)
    if parameter.attribute == "state":
        verb = actions.VERB_OF_STATE.get(str(parameter.value).casefold())
        return _verb(verb, entity, observed) if verb else Problem(entity.id, "unsupported")
    return parameters.write_for(entity, action, parameter, observed)


def _switch(action: str, entity: Entity, parameter: Parameter, observed: Observed) -> Write | Problem:
    word = {"turn_on": "on", "open": "on", "start": "on"}.get(action, "off")
    capability = actions.capability_for(entity, parameter)
    if capability is None or "off" not in capability.options:
        return _verb(action, entity, observed)
    if word == "on" and "on" not in capability.options:
        word = next((option for option in capability.options if option != "off"), word)
    return parameters.write_for(entity, action, replace(parameter, value=word), observed)


def _verb(action: str, entity: Entity, observed: Observed) -> Write | Problem:
    member = actions.member_for(entity, action)
    if member is None:
        return Problem(entity.id, "unsupported")
    if member.value in ("armed", "disarmed"):
        return palette.armed(entity, action, "disarmed" if member.value == "disarmed" else None)
    before = fresh(observed, entity.id, member.attribute)
    if member.value != "toggle":
        # "Open" the lamp is turning it on: what was done is told by what is written, not by the word that was said.
        done = actions.VERB_OF_STATE.get(str(member.value), action) if member.attribute == "state" else action
        return Write(entity.id, member.attribute, member.value, done, before=before)
    opposite = None if before is None else _OPPOSITES.get("on" if fulfils(entity, "on", before) else before)
    if opposite is None:
        return Problem(entity.id, "no_value", member.attribute)
    return Write(entity.id, member.attribute, opposite, action, before=before)


def _scene(entity: Entity, action: str, registry: Registry, scenes: Scenes) -> Iterable[Write | Problem]:
    if action not in ("activate", "turn_on", "start", "open", "set"):
        return [Problem(entity.id, "unsupported")]
    steps = scenes.get(entity.id, ())
    if steps:
        return [
            Write(step.entity, step.attribute, step.value, "activate", unit=_unit(registry, step)) for step in steps
        ]
    if entity.address is None:
        return [Problem(entity.id, "unsupported")]
    return [Write(entity.id, "command", "activate", "activate")]


def _needs(clause: Order, entity: Entity) -> Iterable[str]:
    if entity.kind != "device":
        return ()
    if clause.action == "toggle":
        member = actions.member_for(entity, "toggle")
        return (member.attribute,) if member is not None else ()
    if clause.parameter is None and clause.action not in ("increase", "decrease"):
        return ()
    return parameters.reads(entity, parameters.parameter_of(clause.action or "set", clause.parameter))


def _unit(registry: Registry, step: SceneStep) -> str | None:
    entity = registry.get(step.entity)
    capability = entity.reads(step.attribute) if entity is not None else None
    return capability.unit if capability is not None else None


def undo(outcomes: Iterable[Outcome], registry: Registry) -> WayBack:
    """The way back from what was sent; what was not sent, or changed nothing, needs none."""
    writes: dict[tuple[str, str], Write] = {}
    unknown: dict[str, None] = {}
    risky: dict[str, None] = {}
    for outcome in outcomes:
        entity = registry.get(outcome.write.entity)
        if entity is None or not outcome.sent or not (outcome.status in ("done", "unconfirmed") or _moved(outcome)):
            continue
        before = _before(outcome)
        was_off = before.get("state") == "off" and entity.capability("on_off") is not None
        back = _back(outcome.write, before, entity)
        if back is None and not was_off:
            unknown[entity.id] = None
        if back is not None and not (was_off and back.attribute in SWITCHING) and not _same(back, outcome, entity):
            # The first write of an attribute knows what was before all of them.
            writes.setdefault((back.entity, back.attribute), back)
        if was_off and outcome.write.attribute != "state":
            off = Write(entity.id, "state", "off", "turn_off")
            writes.setdefault((off.entity, off.attribute), off)
        if any(_risks(entity, item) for item in writes.values() if item.entity == entity.id):
            risky[entity.id] = None
    off_again = {item.entity for item in writes.values() if (item.attribute, item.value) == ("state", "off")}
    kept = [item for item in writes.values() if item.entity not in off_again or item.attribute not in SWITCHING]
    return WayBack(tuple(kept), tuple(risky), tuple(unknown))


def _risks(entity: Entity, write: Write) -> bool:
    """Whether a write needs a yes: to set the position of a garage door to 100 is to open it."""
    parameter = Parameter(write.attribute, value=write.value) if write.action == "set" else None
    return actions.risk_of(entity, write.action, parameter) == "confirm"


def _before(outcome: Outcome) -> dict[str, Value]:
    known = {item.attribute: item.value for item in outcome.before if item.value is not None}
    return known if outcome.write.before is None else known | {outcome.write.attribute: outcome.write.before}


def _moved(outcome: Outcome) -> bool:
    """Whether what went wrong changed the device all the same: it stopped on the way."""
    seen, write = outcome.evidence, outcome.write
    was = _before(outcome).get(write.attribute)
    if outcome.status != "failed" or seen is None or seen.value is None or was is None:
        return False
    return seen.attribute == write.attribute and not same(write.attribute, was, seen.value)


def _back(write: Write, before: Mapping[str, Value], entity: Entity) -> Write | None:
    if write.attribute == "state" and "position" in before and entity.capability("position") is not None:
        # It may have stood part-way, where "open" would be a lie.
        return Write(write.entity, "position", before["position"], "set", unit="%")
    value = before.get(write.attribute) if write.attribute != "command" else None
    if value is None:
        return None
    if write.attribute == "state" and value not in actions.VERB_OF_STATE:
        # An alarm is armed as it was: at home, away.
        able = entity.capability("arm")
        if able is None or value not in able.options:
            return None
        return Write(write.entity, "state", value, "disarm" if value in actions.DISARMED else "arm")
    action = actions.VERB_OF_STATE[value] if write.attribute == "state" else "set"
    return Write(write.entity, write.attribute, value, action, unit=write.unit)


def _same(back: Write, outcome: Outcome, entity: Entity) -> bool:
    """Whether it is what was set: then nothing is to be put back, unless it never came so far."""
    write = outcome.write
    alike = fulfilled(entity, write.attribute, write.value, back.attribute, back.value)
    return alike and outcome.status != "failed"

"""Taking back: the writes that put the devices of an act back to what they were."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from daemon.act.values import fulfilled, same
from daemon.core.entities import Entity, Value
from daemon.core.ir import Parameter
from daemon.core.outcomes import Outcome, WayBack, Write
from daemon.home import actions
from daemon.home.fulfilment import SWITCHING
from daemon.home.registry import Registry


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
    return WayBack(tuple(writes.values()), tuple(risky), tuple(unknown))


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

"""Taking back: the writes that put the devices of an act back to what they were."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from daemon.act.outcomes import Outcome, Write
from daemon.act.values import same
from daemon.home import actions
from daemon.home.entities import Entity, Value
from daemon.home.registry import Registry

_VERBS: dict[Value, str] = {
    "on": "turn_on",
    "off": "turn_off",
    "open": "open",
    "closed": "close",
    "locked": "lock",
    "unlocked": "unlock",
}


@dataclass(frozen=True, slots=True)
class Undo:
    """What would put things back. `risky` devices need a yes first; `unknown` ones are not known well enough."""

    writes: tuple[Write, ...]
    risky: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()


def undo(outcomes: Iterable[Outcome], registry: Registry) -> Undo:
    """The way back from what was sent; what was not sent, or changed nothing, needs none."""
    writes: dict[tuple[str, str], Write] = {}
    unknown: dict[str, None] = {}
    risky: dict[str, None] = {}
    for outcome in outcomes:
        entity = registry.get(outcome.write.entity)
        if entity is None or not outcome.sent or outcome.status not in ("done", "unconfirmed"):
            continue
        back = _back(outcome, entity)
        if back is None:
            unknown[entity.id] = None
        elif not _alike(back, outcome.write, entity):
            # The first write of an attribute knows what was before all of them.
            writes.setdefault((back.entity, back.attribute), back)
            if actions.risk_of(entity, back.action) == "confirm":
                risky[entity.id] = None
    return Undo(tuple(writes.values()), tuple(risky), tuple(unknown))


def _back(outcome: Outcome, entity: Entity) -> Write | None:
    write = outcome.write
    before = {item.attribute: item.value for item in outcome.before if item.value is not None}
    if write.before is not None:
        before[write.attribute] = write.before
    if write.attribute == "command":
        return None
    if before.get("state") == "off" and entity.capability("on_off") is not None:
        # A level that was set on a lamp that was off has switched it on.
        return Write(write.entity, "state", "off", "turn_off")
    value = before.get(write.attribute)
    if value is None or (write.attribute == "state" and value not in _VERBS):
        return None
    action = _VERBS[value] if write.attribute == "state" else "set"
    return Write(write.entity, write.attribute, value, action, unit=write.unit)


def _alike(back: Write, write: Write, entity: Entity) -> bool:
    return back.attribute == write.attribute and same(
        write.attribute, write.value, back.value, entity.reads(write.attribute)
    )

"""The one look-up of metadata: all that is known of an entity, and what the broker and the home file differ in."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from msgspec import Struct, field
from rapidfuzz import fuzz, process

from daemon.act.audit import Audit
from daemon.act.states import States
from daemon.core.entities import Capability, Entity
from daemon.core.errors import HearkenError
from daemon.discovery.watch import Watch
from daemon.home.actions import risk_of
from daemon.home.names import key
from daemon.home.registry import Registry
from daemon.home.verbs import ACTIONS
from daemon.mqtt.dialects.homeassistant_words import templates_of

_NEAREST = 3
_ALIKE = 70.0
_LAST_ACTS = 5
_MOST_SHOWN = 80
"""Characters of a template."""


class Inventory(Struct, frozen=True):
    """What a home holds. `states`, `watch` and `audit` are None where only the file was read.

    `off` are the templates that are no longer rendered, each with the reason; `unsayable` tells the names by which no
    device can be called, each with what bears it; in a large home that takes a while.
    """

    registry: Registry
    states: States | None = None
    watch: Watch | None = None
    audit: Audit | None = None
    off: Mapping[str, str] = field(default_factory=dict)
    unsayable: Callable[[], Mapping[str, Sequence[str]]] = dict

    def find(self, names: Iterable[str]) -> list[Entity]:
        """Everything that bears one of these ids or names, in the home's order; all of it where none is given.

        Raises:
            HearkenError: one is not known; says what was searched, and what is called nearly so.
        """
        wanted = {key(name): name for name in names}
        if not wanted:
            return list(self.registry)
        found = [item for item in self.registry if not wanted.keys().isdisjoint(_called(item))]
        unknown = wanted.keys() - {name for item in found for name in _called(item)}
        if unknown:
            raise HearkenError(self._unknown(wanted[min(unknown)]))
        return found

    async def describe(self, entity: Entity, *, acts: bool = False) -> dict[str, Any]:
        """Everything about one entity, JSON-ready, and what was last done with it; what does not apply is left out."""
        facts = _facts(entity, self.registry)
        if self.states is not None:
            facts["state"] = self._state(entity, self.states)
            facts["online"] = self.states.online(entity.id)
        if self.watch is not None and self.watch.sources:
            facts["found"] = entity.id in self.watch.merged.added or entity.id in self.watch.merged.overridden
        if acts and self.audit is not None:
            rows = await self.audit.rows(device=entity.id, limit=_LAST_ACTS)
            facts["last_acts"] = [{name: row[name] for name in ("at", "action", "status", "said")} for row in rows]
        return {name: value for name, value in facts.items() if value not in (None, [], {})}

    def tags(self) -> dict[str, list[str]]:
        """Each tag that the owner gave, with the ids that bear it."""
        found: dict[str, list[str]] = {}
        for item in self.registry:
            for tag in item.tags:
                found.setdefault(tag, []).append(item.id)
        return dict(sorted(found.items()))

    def difference(self) -> dict[str, Any]:
        """What the home file overrides, expects in vain and does not mention; and what was told and cannot be used."""
        if self.watch is None:
            return {}
        merged = self.watch.merged
        return {
            "overridden": {
                name: [field for field in _COMPARED if getattr(found, field) != getattr(taken, field)]
                for name, (found, taken) in merged.overridden.items()
            },
            "missing": {item.entity.id: item.discovered for item in merged.missing},
            "added": {name: list(self.registry[name].names) for name in merged.added if name in self.registry},
            "unusable": self.watch.problems,
            "off": self._off(),
        }

    def _off(self) -> dict[str, str]:
        """Each device with a template that is no longer rendered."""
        found = {}
        for item in self.registry if self.off else ():
            why = [
                f"{source[:_MOST_SHOWN]!r} {self.off[source]}" for source in templates_of(item) if source in self.off
            ]
            if why:
                found[item.id] = "; ".join(why)
        return found

    def _state(self, entity: Entity, states: States) -> dict[str, Any]:
        seen = {}
        for capability in entity.capabilities:
            observation = states.seen(entity.id, capability.attribute)
            if observation.value is not None:
                age = None if math.isinf(observation.age_s) else round(observation.age_s, 1)
                seen[capability.attribute] = {"value": observation.value, "source": observation.source, "age_s": age}
        return seen

    def _unknown(self, name: str) -> str:
        names = {one: key(one) for item in self.registry for one in (*item.names, item.id)}
        near = process.extract(key(name), names, scorer=fuzz.WRatio, limit=_NEAREST, score_cutoff=_ALIKE)
        hint = f"; nearest: {', '.join(found for _, _, found in near)}" if near else ""
        counted: Mapping[str, int] = {
            what: len(getattr(self.registry, what)) for what in ("devices", "areas", "floors", "groups", "scenes")
        }
        searched = ", ".join(f"{number} {what}" for what, number in counted.items() if number)
        return f"nothing is called {name!r} (searched: {searched}){hint}"


_COMPARED = ("names", "type", "area", "capabilities", "tags", "risk", "max_age_s", "description", "exposed")


def _called(entity: Entity) -> set[str]:
    return {key(entity.id), *(key(name) for name in entity.names)}


def _facts(entity: Entity, registry: Registry) -> dict[str, Any]:
    area, floor = registry.area_of(entity.id), registry.floor_of(entity.id)
    address = entity.address
    groups = [item.id for item in registry.groups if entity.id in registry.expand(item.id) and item.id != entity.id]
    return {
        "id": entity.id,
        "kind": entity.kind,
        "type": entity.type,
        "names": [name for name in entity.names if name not in entity.learnt],
        "learnt_names": list(entity.learnt),
        "area": area.id if area is not None and entity.kind != "area" else None,
        "floor": floor.id if floor is not None and entity.kind != "floor" else None,
        "description": entity.description or None,
        "capabilities": [_able(item) for item in entity.capabilities],
        "groups": groups,
        "tags": sorted(entity.tags),
        "asks_before": [action for action in ACTIONS if risk_of(entity, action) == "confirm"],
        "members": list(registry.expand(entity.id)) if entity.kind in ("group", "area", "floor") else [],
        "dialect": address.dialect if address is not None else None,
        "topic": address.topic if address is not None else None,
        "max_age_s": entity.max_age_s if address is not None else None,
        "exposed": None if entity.exposed else False,
    }


def _able(capability: Capability) -> dict[str, Any]:
    facts = {
        "name": capability.name,
        "attribute": capability.attribute,
        "min": capability.minimum,
        "max": capability.maximum,
        "step": capability.step,
        "unit": capability.unit,
        "options": list(capability.options),
        "answers": capability.gettable,
    }
    return {name: value for name, value in facts.items() if value not in (None, [])}

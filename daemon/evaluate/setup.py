"""A home as a case arranges it before the first word."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from daemon.core.entities import Entity
from daemon.core.values import replace
from daemon.home.capabilities import STANDARD
from daemon.home.config import HomeConfig, SimulatedDevice
from daemon.home.foreign_words import canonical_state

_COLOR_MODES = {
    "color": frozenset({"rgb", "rgbw", "rgbww", "hs", "xy"}),
    "color_temp": frozenset({"color_temp", "rgbww"}),
}


def arranged(home: HomeConfig, setup: Mapping[str, Mapping[str, Any]]) -> HomeConfig:
    """The home with the states of a case, answering at once.

    Args:
        home: As its file says.
        setup: Device id -> {state, attributes} in Home Assistant's words. Ids that are no part of the home (a
            weather report, a calendar) are passed over.
    """
    entities = tuple(_equipped(item, setup[item.id]) if item.id in setup else item for item in home.entities)
    devices = dict(home.simulation.devices)
    for entity in entities:
        if entity.id in setup:
            devices[entity.id] = _placed(entity, devices.get(entity.id, SimulatedDevice()), setup[entity.id])
    return replace(
        home, entities=entities, simulation=replace(home.simulation, latency_ms=0.0, jitter_ms=0.0, devices=devices)
    )


def _equipped(entity: Entity, given: Mapping[str, Any]) -> Entity:
    """With the colours that the case says the lamp has."""
    modes = (given.get("attributes") or {}).get("supported_color_modes")
    more = [
        STANDARD[name]
        for name, these in _COLOR_MODES.items()
        if isinstance(modes, list) and these.intersection(map(str, modes)) and entity.capability(name) is None
    ]
    return replace(entity, capabilities=(*entity.capabilities, *more)) if more else entity


def _placed(entity: Entity, script: SimulatedDevice, given: Mapping[str, Any]) -> SimulatedDevice:
    state = given.get("state")
    away = state == "unavailable"
    values = canonical_state(entity, None if away else state, given.get("attributes") or {})
    if state is None or away:
        values.pop("state", None)
    # A cover's position follows from its state unless the case gives both.
    stale = {"position"} if "state" in values else set()
    kept = {name: value for name, value in script.state.items() if name not in stale}
    behaviour = "offline" if away else "normal" if state is not None else script.behaviour
    return replace(script, behaviour=behaviour, state={**kept, **values})

"""What a device is like before anyone touches it, and what becomes of it when it is told something. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from daemon.core.entities import Capability, Entity, Value
from daemon.home import events

State = dict[str, Value]
"""Canonical attribute -> value."""

_MEASURED: Final[Mapping[str, Value]] = {
    "temperature": 21.5,
    "current_temperature": 21.5,
    "humidity": 45,
    "current_humidity": 45,
    "illuminance": 120,
    "power": 0,
    "energy": 0,
    "battery": 90,
    "voltage": 230,
    "current": 0,
    "co2": 600,
    "pm25": 8,
    "pm10": 12,
    "tvoc": 120,
    "pressure": 1013,
    "noise": 35,
    "location": "home",
    "state": "off",
}
_SETTINGS: Final[Mapping[str, Value]] = {
    "on_off": "off",
    "open_close": "closed",
    "lock": "locked",
    "media_transport": "idle",
    "start_stop": "idle",
    "arm": "disarmed",
    "brightness": 100,
    "position": 0,
    "color": "#ffffff",
    "color_temp": 2700,
    "temperature": 21,
    "humidity": 45,
    "fan_speed": 0,
    "volume": 30,
    "mute": False,
    "value": 0,
    "play_media": "",
    "clean_area": "nowhere",
}
_POWER_ON: Final = 40
_COMMANDS: Final[Mapping[str, str]] = {
    "play": "playing",
    "pause": "paused",
    "stop": "idle",
    "start": "cleaning",
    "resume": "cleaning",
    "dock": "returning",
}


def initial(entity: Entity, given: Mapping[str, Value]) -> State:
    """How a device starts: what was given, and something likely for the rest."""
    state: State = {}
    for capability in entity.capabilities:
        if capability.attribute not in ("command", events.NAME) and capability.attribute not in state:
            state[capability.attribute] = _default(entity, capability)
    state |= given
    if "color" in state and "color_temp" in state:
        del state["color_temp" if "color" in given else "color"]
    if entity.capability("position") is not None and "position" not in given and "state" in given:
        state["position"] = 100 if given["state"] == "open" else 0
    return state


def changed(entity: Entity, state: Mapping[str, Value], wishes: Mapping[str, Value]) -> State:
    """The state after a command, with what one attribute does to the others.

    A level turns its device on, zero turns it off; a colour replaces a white and the other way round; a cover's
    position and state are one thing, and so are a thermostat's mode "off" and its state.
    """
    after = {**state, **{key: value for key, value in wishes.items() if key != "command"}}
    if "command" in wishes:
        _carry_out(entity, after, str(wishes["command"]))
    _follow_level(entity, after, wishes)
    for wish, becomes in (("media", "playing"), ("area", "cleaning")):
        if wish in wishes and "state" in after:
            after["state"] = becomes
    _shine(after, wishes)
    if "position" in wishes and entity.capability("open_close") is not None:
        after["state"] = "closed" if wishes["position"] == 0 else "open"
    elif wishes.get("state") in ("open", "closed") and "position" in after:
        after["position"] = 100 if wishes["state"] == "open" else 0
    _follow_mode(entity, after, wishes)
    if "power" in after and "state" in after:
        after["power"] = 0 if after["state"] == "off" else after["power"] or _POWER_ON
    return after


def _shine(state: State, wishes: Mapping[str, Value]) -> None:
    if "color" in wishes:
        state.pop("color_temp", None)
    elif "color_temp" in wishes:
        state.pop("color", None)


def _default(entity: Entity, capability: Capability) -> Value:
    if capability.name == "read":
        return _MEASURED.get(capability.attribute, "off")
    if capability.options:
        return capability.options[0]
    if entity.type == "vacuum" and capability.name == "start_stop":
        return "docked"
    if capability.name == "setting":
        return capability.minimum or 0
    value = _SETTINGS.get(capability.name, "off")
    if isinstance(value, bool | str):
        return value
    low, high = capability.minimum, capability.maximum
    return min(max(value, low if low is not None else value), high if high is not None else value)


def _carry_out(entity: Entity, state: State, command: str) -> None:
    becomes = _COMMANDS.get(command)
    if becomes is None or entity.capability("activate") is not None:
        return
    if entity.capability("open_close") is not None:
        return
    if entity.capability("media_transport") is not None and command in ("start", "resume"):
        becomes = "playing"
    elif command in ("start", "stop") and entity.type not in ("vacuum", "lawn_mower"):
        becomes = {"start": "on", "stop": "off"}[command] if "on_off" in _names(entity) else becomes
    if entity.type == "lawn_mower" and becomes == "cleaning":
        becomes = "mowing"
    state["state"] = becomes


def _follow_level(entity: Entity, state: State, wishes: Mapping[str, Value]) -> None:
    for level in ("brightness", "speed"):
        if entity.capability("on_off") is not None and level in wishes and "state" not in wishes:
            state["state"] = "off" if wishes[level] in (0, "off") else "on"
        # Nothing is on at nothing.
        if wishes.get("state") == "on" and state.get(level) == 0 and level not in wishes:
            state[level] = 100


def _follow_mode(entity: Entity, state: State, wishes: Mapping[str, Value]) -> None:
    mode = entity.capability("mode")
    if mode is None or "off" not in mode.options or entity.capability("on_off") is None:
        return
    if "mode" in wishes:
        state["state"] = "off" if wishes["mode"] == "off" else "on"
    elif wishes.get("state") == "off":
        state["mode"] = "off"
    elif wishes.get("state") == "on" and state.get("mode") == "off":
        state["mode"] = next((item for item in mode.options if item != "off"), "off")


def _names(entity: Entity) -> frozenset[str]:
    return frozenset(item.name for item in entity.capabilities)

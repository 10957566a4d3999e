"""Home Assistant's words and scales for devices, as foreign homes have them, in ours (`daemon.core.entities`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from daemon.core.entities import Entity, Value

TYPES: Final[Mapping[tuple[str, str | None], str]] = {
    ("cover", "curtain"): "curtain",
    ("cover", "sheer"): "shade",
    ("cover", "blind"): "blind",
    ("cover", "shade"): "shade",
    ("cover", "shutter"): "shutter",
    ("cover", "awning"): "awning",
    ("cover", "garage"): "garage_door",
    ("cover", "gate"): "gate",
    ("cover", "door"): "door",
    ("cover", "window"): "window",
    ("fan", "purifier"): "air_purifier",
    ("humidifier", "dehumidifier"): "dehumidifier",
    ("switch", "outlet"): "plug",
    ("media_player", "tv"): "tv",
    ("media_player", "speaker"): "speaker",
}
"""(domain, device class) -> our type; a domain alone is its own type, but for those in `DOMAINS`."""

DOMAINS: Final[Mapping[str, str]] = {
    "binary_sensor": "sensor",
    "weather": "sensor",
    "calendar": "sensor",
    "todo": "sensor",
    "coffee_machine": "appliance",
    "alarm_control_panel": "alarm",
}
NOT_DEVICES: Final = frozenset({"zone", "update", "conversation"})
"""Domains that are no part of the house."""

TOLD: Final[Mapping[str, str]] = {"weather": "weather", "calendar": "agenda", "todo": "todo"}
"""Domains that tell something in words -> the attribute that it is here."""

CLASS_TAGS: Final = frozenset({"door", "window", "garage_door", "gate", "gas", "smoke", "lock"})

UNITS: Final[Mapping[str, str]] = {"°C": "C", "°F": "F"}

_MODES: Final = frozenset({"heat", "cool", "heat_cool", "auto", "dry", "fan_only"})
_STATES: Final[Mapping[str, Mapping[str, str]]] = {
    "open_close": {"off": "closed", "on": "open"},
    "start_stop": {"off": "docked", "on": "cleaning", "mowing": "cleaning"},
    "media_transport": {"buffering": "playing", "standby": "off"},
}
_FULL_BRIGHTNESS: Final = 255
_DEFAULTS: Final[Mapping[str, str]] = {
    "open_close": "closed",
    "lock": "locked",
    "start_stop": "docked",
    "on_off": "off",
}


def canonical_state(entity: Entity, state: object, attributes: Mapping[str, Any]) -> dict[str, Value]:
    """Our attribute -> value of a device that a foreign home describes by state and attributes, in their scales."""
    found = {**_main_state(entity, state), **_attributes(attributes), **_told(state, attributes)}
    known = {item.attribute for item in entity.capabilities}
    if "preset" in found and "preset" not in known:
        found.setdefault("mode", found["preset"])
    return {name: value for name, value in found.items() if name in known and value is not None}


def _told(state: object, attributes: Mapping[str, Any]) -> dict[str, Value]:
    """The weather in a word; what is planned, what is to be done, one after the other; what is on, and whose it is."""
    open_items = [item for item in _listed(attributes, "todo_items") if item.get("status") != "completed"]
    told = {
        "weather": str(attributes.get("condition") or state or ""),
        "agenda": _joined(_listed(attributes, "events")),
        "todo": _joined(open_items),
        "media": " - ".join(str(attributes[key]) for key in ("media_title", "media_artist") if attributes.get(key)),
    }
    return {name: text for name, text in told.items() if text}


def _listed(attributes: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    items = attributes.get(name)
    return [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []


def _joined(items: list[Mapping[str, Any]]) -> str:
    return "; ".join(str(item["summary"]) for item in items if item.get("summary"))


def _main_state(entity: Entity, state: object) -> dict[str, Value]:
    if entity.capability("on_off") is None and entity.capabilities and entity.capabilities[0].name == "read":
        main = entity.capabilities[0].attribute
        value = _value(state)
        return {} if value is None else {main: value}
    word = str(state).strip() if state is not None else None
    if entity.capability("temperature") is not None:
        return _climate(word)
    for name, default in _DEFAULTS.items():
        if entity.capability(name) is not None:
            words = _STATES.get(name, {})
            if entity.capability("media_transport") is not None:
                words = _STATES["media_transport"]
            return {"state": words.get(word, word) if word else default}
    return {"state": word} if word else {}


def _climate(word: str | None) -> dict[str, Value]:
    if word is None or word == "off":
        return {"state": "off"}
    if (number := spelt_number(word)) is not None:
        # Some homes give what is measured as the state.
        return {"state": "on", "current_temperature": number}
    return {"state": "on", "mode": word} if word in _MODES else {"state": word}


def _attributes(attributes: Mapping[str, Any]) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for name, (ours, scaled) in _NUMBERS.items():
        if ours not in found and (number := spelt_number(attributes.get(name))) is not None:
            found[ours] = scaled(number)
    for name, ours in _WORDS.items():
        if isinstance(value := attributes.get(name), str) and value:
            found[ours] = value.casefold()
    match attributes.get("rgb_color"):
        case [int() as red, int() as green, int() as blue]:
            found["color"] = f"#{red & 255:02x}{green & 255:02x}{blue & 255:02x}"
    if isinstance(muted := attributes.get("is_volume_muted"), bool):
        found["muted"] = muted
    return found


def _same(number: float) -> float:
    return number


def _percent_of_volume(volume: float) -> float:
    return float(round(volume * 100 if volume <= 1 else volume))


_NUMBERS: Final[Mapping[str, tuple[str, Callable[[float], float]]]] = {
    "brightness": ("brightness", lambda level: float(round(level * 100 / _FULL_BRIGHTNESS))),
    "volume_level": ("volume", _percent_of_volume),
    "volume": ("volume", _percent_of_volume),
    "current_position": ("position", _same),
    "current_valve_position": ("position", _same),
    "position": ("position", _same),
    "color_temp_kelvin": ("color_temp", _same),
    "percentage": ("speed", _same),
    "target_temperature": ("temperature", _same),
    "temperature": ("temperature", _same),
    "current_temperature": ("current_temperature", _same),
    "humidity": ("humidity", _same),
    "current_humidity": ("current_humidity", _same),
    "battery_level": ("battery", _same),
}
_WORDS: Final[Mapping[str, str]] = {
    "hvac_mode": "mode",
    "mode": "mode",
    "preset_mode": "preset",
    "swing_mode": "swing",
    "fan_mode": "speed",
    "fan_speed": "speed",
    "source": "source",
}


def _value(state: object) -> Value | None:
    if state is None or isinstance(state, bool):
        return state
    number = spelt_number(state)
    return number if number is not None else str(state)


def spelt_number(value: object) -> float | None:
    """The number that a value is or spells; None otherwise."""
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        return None
    try:
        return float(value)
    except ValueError:
        return None

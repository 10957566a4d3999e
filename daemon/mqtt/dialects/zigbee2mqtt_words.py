"""zigbee2mqtt's words: which property tells an attribute, and its values, both ways.

An address may bend them (`options` of the device in devices.yaml):

| option                 | meaning                                                                                    |
| ---------------------- | ------------------------------------------------------------------------------------------ |
| endpoint               | "l1", "left": the suffix that zigbee2mqtt gives the properties of one gang (`state_l1`)    |
| <attribute>_property   | the property of an attribute, where it is another one: temperature_property                |
| <attribute>_<value>    | the device's word for a value: state_open: "ON"                                            |
| <attribute>_max        | the top of its scale (brightness 254, speed 100)                                           |
| transition             | seconds that a light takes                                                                 |
| scene                  | the number of the scene that `activate` recalls                                            |

Properties and values follow zigbee2mqtt's page "Exposes".
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from daemon.core.entities import Capability, Entity, Value
from daemon.core.vocabulary import BINARY
from daemon.home import events
from daemon.mqtt.dialects.payloads import (
    PERCENT,
    binary,
    canonical,
    hex_to_hs,
    hex_to_xy,
    hs_to_hex,
    kelvin_to_mired,
    mired_to_kelvin,
    number,
    rgb_to_hex,
    word,
    xy_to_hex,
)

_READINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "motion": ("occupancy", "presence", "motion"),
    "occupancy": ("occupancy", "presence"),
    # Before zigbee2mqtt 2, `illuminance` was a raw value and this one the lux.
    "illuminance": ("illuminance_lux", "illuminance"),
    "temperature": ("temperature", "local_temperature"),
    "current_temperature": ("local_temperature", "temperature"),
    "current_humidity": ("humidity",),
    "moisture": ("water_leak", "soil_moisture", "moisture"),
    "tvoc": ("voc",),
}
TOLD_BY: Final[Mapping[str, tuple[str, ...]]] = {
    "temperature": ("temperature",),
    "local_temperature": ("current_temperature",),
    "humidity": ("humidity",),
    "occupancy": ("motion", "occupancy"),
    "presence": ("motion", "occupancy"),
    "motion": ("motion",),
    "contact": ("contact",),
    "water_leak": ("moisture",),
    "soil_moisture": ("moisture",),
    "smoke": ("smoke",),
    "gas": ("gas",),
    "carbon_monoxide": ("carbon_monoxide",),
    "vibration": ("vibration",),
    "tamper": ("tamper",),
    "battery": ("battery",),
    "battery_low": ("battery_low",),
    "illuminance": ("illuminance",),
    "illuminance_lux": ("illuminance",),
    "power": ("power",),
    "energy": ("energy",),
    "voltage": ("voltage",),
    "current": ("current",),
    "co2": ("co2",),
    "pm25": ("pm25",),
    "pm10": ("pm10",),
    "voc": ("tvoc",),
    "pressure": ("pressure",),
    "noise": ("noise",),
    "wind_speed": ("wind_speed",),
    "position": ("position",),
}
"""Property -> the canonical attributes that it tells."""

UNITS: Final[Mapping[str, str]] = {"°C": "C", "°F": "F", "ºC": "C"}
"""zigbee2mqtt's unit -> ours, where it is another word."""

_SETTINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "lock": ("state", "lock_state"),
    "event": ("action",),
    "humidity": ("target_humidity",),
    "swing": ("swing_mode",),
}
_HEATING: Final = ("occupied_heating_setpoint", "current_heating_setpoint", "occupied_cooling_setpoint")
_COOLING: Final = ("occupied_cooling_setpoint", "occupied_heating_setpoint", "current_heating_setpoint")
_SCALES: Final[Mapping[str, float]] = {"brightness": 254.0, "speed": 100.0}
_ON_MODES: Final = ("heat_cool", "heat", "auto", "cool")
_ON_MODES_COOLING: Final = ("cool", "heat_cool", "auto", "heat")
"""What turning a thermostat or an air conditioner on means, best first; `state_on` in its address says otherwise."""

_OPENING: Final[Mapping[str, str]] = {
    "open": "open",
    "opened": "open",
    "on": "open",
    "close": "closed",
    "closed": "closed",
    "off": "closed",
    "stop": "stopped",
    "stopped": "stopped",
    "opening": "opening",
    "closing": "closing",
}
_LOCKING: Final[Mapping[str, str]] = {
    "lock": "locked",
    "locked": "locked",
    "unlock": "unlocked",
    "unlocked": "unlocked",
    # A bolt that is half out keeps nobody out.
    "not_fully_locked": "unlocked",
}
_TO_WORD: Final[Mapping[str, str]] = {
    "on": "ON",
    "off": "OFF",
    "open": "OPEN",
    "opening": "OPEN",
    "closed": "CLOSE",
    "closing": "OPEN",
    "stopped": "STOP",
    "locked": "LOCK",
    "unlocked": "UNLOCK",
}


def options_of(entity: Entity) -> Mapping[str, Any]:
    """The options of its address."""
    return entity.address.options if entity.address is not None else {}


def properties(entity: Entity, capability: Capability) -> tuple[str, ...]:
    """The properties that tell an attribute, best first; the first one is also what is set and asked for."""
    options = options_of(entity)
    given = options.get(f"{capability.attribute}_property")
    names = (str(given),) if given is not None else _properties(entity, capability)
    suffix = options.get("endpoint")
    if suffix is None:
        return names
    with_suffix = tuple(f"{name}_{suffix}" for name in names)
    return (*with_suffix, *names) if capability.name == "read" else with_suffix


def to_device(entity: Entity, capability: Capability, value: Value) -> Any:
    """A canonical value as zigbee2mqtt takes it; None where it has no word for it."""
    options, attribute = options_of(entity), capability.attribute
    if (own := options.get(f"{attribute}_{value}")) is not None:
        return own
    raw: Any
    match capability.name:
        case "setting":
            raw = value
        case "on_off" if is_mode(entity, capability):
            raw = "off" if value == "off" else _on_mode(entity)
        case "on_off" | "open_close" | "lock" | "media_transport" | "start_stop":
            raw = _TO_WORD.get(str(value))
        case "color":
            raw = _color_object(value)
        case "color_temp":
            kelvin = number(value, 1000, 20000)
            raw = None if kelvin is None else kelvin_to_mired(kelvin)
        case "read" if attribute in BINARY or value in ("on", "off"):
            # A contact is made, true, where the door is closed: off.
            raw = (value == "on") != (attribute == "contact")
        case _ if attribute in _SCALES and (percent := number(value, 0, 100)) is not None:
            raw = round(percent * _scale(entity, attribute) / 100)
        case _:
            raw = number(value, 0, 100) if attribute in PERCENT else value
    return raw


def from_device(entity: Entity, capability: Capability, raw: object) -> Value | None:
    """What a device said, as a canonical value; None where it is not one."""
    attribute = capability.attribute
    if capability.name == "setting":
        words = {item: options_of(entity).get(f"{attribute}_{item}") for item in capability.options}
        own = next((item for item, said in words.items() if said == raw and type(said) is type(raw)), None)
        return canonical(attribute, raw, capability) if own is None else own
    if capability.name == "event":
        return events.said(raw, capability)
    if (own := _own_word(entity, attribute, raw)) is not None:
        return own
    return _read(entity, capability, raw)


def _read(entity: Entity, capability: Capability, raw: object) -> Value | None:
    """What a device said in zigbee2mqtt's own words."""
    attribute = capability.attribute
    result: Value | None
    match capability.name:
        case "on_off":
            result = _mode_as_state(raw) if is_mode(entity, capability) else binary(raw)
        case "mode" if word(raw) == "off" and "off" not in capability.options:
            result = None
        case "open_close":
            result = _OPENING.get(word(raw) or "") or {"on": "open", "off": "closed"}.get(binary(raw) or "")
        case "lock":
            result = _LOCKING.get(word(raw) or "")
        case "color":
            result = _color(raw)
        case "color_temp":
            mired = number(raw, 50, 1000)
            result = None if mired is None else mired_to_kelvin(mired)
        case "read" if attribute == "contact":
            result = {"on": "off", "off": "on"}.get(binary(raw) or "")
        case _ if attribute in _SCALES and not isinstance(raw, str):
            result = _percent(raw, _scale(entity, attribute))
        case _:
            result = canonical(attribute, raw, capability)
    return result


def is_mode(entity: Entity, capability: Capability) -> bool:
    """Whether a thermostat is turned on and off by its mode."""
    return capability.name == "on_off" and properties(entity, capability)[0].startswith("system_mode")


def _properties(entity: Entity, capability: Capability) -> tuple[str, ...]:
    climate = entity.capability("temperature") is not None
    worded_speed = (speed := entity.capability("fan_speed")) is not None and bool(speed.options)
    match capability.name:
        case "read":
            return _READINGS.get(capability.attribute, (capability.attribute,))
        case "on_off" if climate:
            return ("system_mode",)
        case "on_off" if entity.type == "fan":
            return ("fan_state", "state")
        case "temperature":
            return _COOLING if entity.type == "air_conditioner" else _HEATING
        case "mode" if climate:
            return ("system_mode",)
        case "mode" if entity.type == "fan" and not worded_speed:
            return ("fan_mode",)
        case "fan_speed" if worded_speed:
            return ("fan_mode",)
    return _SETTINGS.get(capability.name, (capability.attribute,))


def _mode_as_state(raw: object) -> str | None:
    text = word(raw)
    return None if text is None else "off" if text == "off" else "on"


def _on_mode(entity: Entity) -> str:
    mode = entity.capability("mode")
    known = mode.options if mode is not None else ()
    on = [item for item in known if item != "off"]
    preferred = _ON_MODES_COOLING if entity.type == "air_conditioner" else _ON_MODES
    return next((item for item in preferred if item in on), on[0] if on else preferred[0])


def _own_word(entity: Entity, attribute: str, raw: object) -> str | None:
    prefix = f"{attribute}_"
    for key, own in options_of(entity).items():
        if key.startswith(prefix) and own == raw and type(own) is type(raw):
            value = key.removeprefix(prefix)
            if value not in ("property", "max"):
                return value
    return None


def _scale(entity: Entity, attribute: str) -> float:
    return number(options_of(entity).get(f"{attribute}_max"), 1, 65535) or _SCALES[attribute]


def _percent(raw: object, scale: float) -> float | None:
    # 255 is what some say for the top of a scale that ends at 254.
    level = number(raw, 0, scale + 1)
    if level is None:
        return None
    percent = min(100, round(level * 100 / scale))
    # A light at its very lowest is not dark.
    return max(percent, 1) if level > 0 else 0


def _color_object(value: Value) -> dict[str, Any] | None:
    try:
        x, y = hex_to_xy(str(value))
    except ValueError:
        return None
    hue, saturation = hex_to_hs(str(value))
    return {"hex": str(value), "x": x, "y": y, "hue": hue, "saturation": saturation}


def _color(raw: object) -> str | None:
    if not isinstance(raw, dict):
        return None
    if isinstance(text := canonical("color", raw.get("hex"), None), str):
        return text
    x, y = number(raw.get("x"), 0, 1), number(raw.get("y"), 0, 1)
    if x is not None and y is not None:
        return xy_to_hex(x, y)
    hue, saturation = number(raw.get("hue"), 0, 360), number(raw.get("saturation"), 0, 100)
    if hue is not None and saturation is not None:
        return hs_to_hex(hue, saturation)
    red, green, blue = (number(raw.get(key), 0, 255) for key in ("r", "g", "b"))
    if red is not None and green is not None and blue is not None:
        return rgb_to_hex((red, green, blue))
    return None

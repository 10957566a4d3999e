"""What can be sensed: the attributes of sensors with their units, and which of them answer which question.

The words for all of this are in the lexicons (`DETECTED`, `MEASURE`, `STATE`) and in the reply tables.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from msgspec import Struct

from daemon.core.entities import Capability, Entity
from daemon.core.vocabulary import BINARY, READINGS

AMBIENT: Final = frozenset(
    {"temperature", "humidity", "illuminance", "co2", "pm25", "pm10", "pm1", "aqi", "tvoc", "pressure", "noise"}
    | {"ozone", "carbon_monoxide", "wind_speed", "uv_index", "weather"}
)
"""What is measured of a place rather than of a device: whatever measures it there is as good as any other."""

USUAL: Final[Mapping[str, tuple[float, float]]] = {
    "temperature": (18, 25),
    "humidity": (40, 60),
    "current_temperature": (18, 25),
    "current_humidity": (40, 60),
    "co2": (400, 1000),
    "pm25": (0, 15),
    "pm10": (0, 45),
    "tvoc": (0, 300),
    "noise": (20, 50),
}
"""What is usual indoors, in the usual unit: of the air, by the guidelines of WHO (pm25, pm10 of a day, warmth), ASHRAE
(humidity) and Pettenkofer (co2)."""

_CLASSES: Final[Mapping[tuple[str, str], str]] = {
    ("binary_sensor", "battery"): "battery_low",
    ("binary_sensor", "battery_charging"): "charging",
    ("binary_sensor", "power"): "powered",
    ("binary_sensor", "door"): "contact",
    ("binary_sensor", "window"): "contact",
    ("binary_sensor", "opening"): "contact",
    ("binary_sensor", "garage_door"): "contact",
    ("binary_sensor", "gate"): "contact",
    ("binary_sensor", "moving"): "motion",
    ("sensor", "carbon_dioxide"): "co2",
    ("sensor", "atmospheric_pressure"): "pressure",
    ("sensor", "sound_pressure"): "noise",
    ("sensor", "gas"): "gas_volume",
    ("sensor", "volume"): "water",
    ("sensor", "volume_storage"): "stored_volume",
    ("sensor", "volatile_organic_compounds"): "tvoc",
    ("sensor", "volatile_organic_compounds_parts"): "tvoc",
    ("sensor", "monetary"): "price",
    ("sensor", "enum"): "state",
    ("sensor", "date"): "state",
    ("sensor", "timestamp"): "state",
}
"""(domain, Home Assistant's device class) -> the attribute that such a sensor tells, where its name differs."""


class Witness(Struct, frozen=True):
    """One reading that answers a question about an attribute."""

    attribute: str
    says: Mapping[str, frozenset[str]] | None = None
    """The value that was asked about -> the values seen that mean it; None: the words are the same."""
    at_most: float | None = None
    """Of a number: "on" is at or below it."""
    at_least: float | None = None
    """Of a number, in its usual unit: "on" is at or above it."""
    capability: str = ""
    """Only of devices that have it."""


_ON: Final = frozenset({"on"})
_OFF: Final = frozenset({"off"})
AT_WORK: Final = frozenset({"on", "running", "playing", "cleaning", "mowing", "returning", "opening", "closing"})
_AT_REST: Final = frozenset({"off", "idle", "paused", "docked", "open", "closed", "stopped", "standby"})
_STUCK: Final = frozenset({"error", "stuck", "jammed", "trapped"})
"""What a vacuum says that goes no further."""
_LOW_BATTERY: Final = 20.0
_AT_WORK_W: Final = 5.0
"""What uses less is on standby at most."""
_POWERED: Final = Witness("power", at_least=_AT_WORK_W)
"""Of what nothing but a meter tells: it is on, or at work, while it uses power."""

_WEATHER: Final[Mapping[str, frozenset[str]]] = {
    "rain": frozenset({"rainy", "rain", "pouring", "lightning-rainy", "snowy-rainy", "drizzle"}),
    "snow": frozenset({"snowy", "snow", "snowy-rainy", "hail"}),
    "wind": frozenset({"windy", "windy-variant", "wind"}),
    "thunder": frozenset({"lightning", "lightning-rainy", "thunderstorm"}),
    "sun": frozenset({"sunny", "clear", "clear-night", "sun"}),
}
"""Weather as it is spoken of -> the words that Home Assistant's weather entities, and others, have for it."""

_WITNESSES: Final[Mapping[str, tuple[Witness, ...]]] = {
    # A measured value goes before a set point of the same name.
    "temperature": (Witness("current_temperature"), Witness("temperature")),
    "humidity": (Witness("current_humidity"), Witness("humidity")),
    "set_point": (
        *(Witness(name, capability=name) for name in ("temperature", "humidity", "brightness", "volume", "position")),
        Witness("speed", capability="fan_speed"),
        Witness("state"),
    ),
    "speed": (Witness("speed"), Witness("wind_speed"), Witness("data_rate")),
    "volume": (Witness("volume"), Witness("water"), Witness("stored_volume")),
    "water": (Witness("water"), Witness("stored_volume")),
    "stored_volume": (Witness("stored_volume"), Witness("water")),
    "aqi": (Witness("aqi"), Witness("pm25"), Witness("tvoc"), Witness("co2")),
    "energy": (Witness("energy"), Witness("energy_storage")),
    "position": (Witness("position"),),
    "price": (Witness("price"),),
    "location": (
        Witness("location"),
        Witness("presence", {"home": _ON, "not_home": _OFF}),
    ),
    "presence": (Witness("presence"), Witness("location", {"on": frozenset({"home"}), "off": frozenset({"not_home"})})),
    "occupancy": (Witness("occupancy"), Witness("motion")),
    "battery_low": (Witness("battery_low"), Witness("battery", at_most=_LOW_BATTERY)),
    "charging": (
        Witness("charging"),
        Witness("state", {"on": frozenset({"docked"}), "off": AT_WORK | _AT_REST - {"docked"}}, capability="dock"),
    ),
    "running": (Witness("running"), Witness("state", {"on": AT_WORK, "off": _AT_REST}), _POWERED),
    "powered": (Witness("powered"), Witness("state", {"on": AT_WORK, "off": _OFF})),
    "heat": (Witness("heat"), Witness("current_temperature"), Witness("temperature"), Witness("state")),
    "cold": (Witness("cold"), Witness("current_temperature"), Witness("temperature"), Witness("state")),
    "problem": (
        Witness("problem"),
        Witness("state", {"on": _STUCK, "off": AT_WORK | _AT_REST - {"off"}}, capability="start_stop"),
    ),
    "tamper": (Witness("tamper"),),
    "weather": (Witness("weather", _WEATHER),),
}
"""Attribute asked about -> what answers it, best first; any other attribute is answered by itself alone."""

_BY_WORD: Final[Mapping[str, tuple[str, ...]]] = {
    "open": ("contact",),
    "closed": ("contact",),
    "locked": ("lock",),
    "unlocked": ("lock",),
    "home": ("location", "presence"),
    "not_home": ("location", "presence"),
}
"""A state as it is spoken of -> the sensors that tell it, where a device has no state of its own."""


def usual(attribute: str, value: float | None) -> str | None:
    """Whether a value is `low`, `high` or `within` what is usual indoors; None where nobody knows."""
    bounds = USUAL.get(attribute)
    if bounds is None or value is None:
        return None
    return "low" if value < bounds[0] else "high" if value > bounds[1] else "within"


def sensed(domain: str, device_class: str | None) -> str:
    """The attribute that a sensor of a Home Assistant domain and device class tells."""
    name = _CLASSES.get((domain, device_class or ""), device_class or "value")
    if name not in READINGS or (domain == "binary_sensor") > (name in BINARY):
        return "value" if domain == "sensor" else "state"
    return name


def witnesses(attribute: str, state: object = None) -> Iterator[Witness]:
    """What answers a question about this attribute (or, of `state`, about this word), best first."""
    if attribute == "position" and state is not None:  # as far as it goes; else whether it is open at all
        yield Witness("position")
        yield Witness("state", capability="open_close")
        yield from map(Witness, _BY_WORD.get(str(state), ()))
        return
    if attribute != "state":
        yield from _WITNESSES.get(attribute) or (Witness(attribute),)
        return
    yield Witness("state")
    word = str(state).casefold()
    switched = word in ("on", "off")
    yield from map(Witness, sorted(BINARY) if switched else _BY_WORD.get(word, ()))
    if switched:
        yield _POWERED


def witness(entity: Entity, attribute: str, state: object = None) -> tuple[Capability, Witness] | None:
    """The capability of a device that answers such a question, and how; None where it cannot."""
    for found in witnesses(attribute, state):
        capability = entity.reads(found.attribute)
        if capability is not None and (not found.capability or entity.capability(found.capability) is not None):
            return capability, found
    return None

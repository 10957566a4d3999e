"""The tables of zigbee2mqtt's discovery: what a property tells, and what type of device a description speaks of."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

READINGS: Final[Mapping[str, tuple[str, ...]]] = {
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

_TYPES: Final = (
    ("garage_door", r"garage"),
    ("gate", r"\bgate\b"),
    ("lock", r"\block\b|deadbolt"),
    ("valve", r"valve|irrigation|sprinkler|water timer|watering"),
    ("blind", r"blind"),
    ("shutter", r"shutter"),
    ("shade", r"shade|screen"),
    ("awning", r"awning"),
    ("curtain", r"curtain|drape"),
    ("plug", r"plug|socket|outlet|power strip"),
    ("fan", r"\bfan\b|ventilat"),
    ("humidifier", r"(?<!de)humidifier"),
    ("dehumidifier", r"dehumidifier"),
    ("air_purifier", r"purifier"),
    ("air_conditioner", r"air ?con|\bac\b|\ba/c\b"),
    ("heater", r"heater|radiator(?! valve| thermostat)|towel"),
    ("lamp", r"\blamp\b"),
    ("alarm", r"siren|alarm"),
)
_PATTERNS: Final = tuple((kind, re.compile(pattern)) for kind, pattern in _TYPES)

_ALLOWED: Final[Mapping[str, tuple[str, frozenset[str]]]] = {
    "light": ("light", frozenset({"lamp"})),
    "switch": (
        "switch",
        frozenset(
            {
                "plug",
                "valve",
                "fan",
                "heater",
                "alarm",
                "humidifier",
                "dehumidifier",
                "air_purifier",
                "garage_door",
                "gate",
            }
        ),
    ),
    "cover": ("cover", frozenset({"garage_door", "gate", "blind", "shutter", "shade", "awning", "curtain", "valve"})),
    "lock": ("lock", frozenset()),
    "fan": ("fan", frozenset({"air_purifier"})),
    "climate": ("thermostat", frozenset({"heater", "air_conditioner"})),
    "sensor": ("sensor", frozenset()),
}
"""The main expose -> what it is where nothing more is said, and what it may turn out to be."""


def kind_of(expose: str, *texts: str) -> str:
    """What a device with this main expose is, going by what it is called and described as, the first text before."""
    standard, allowed = _ALLOWED[expose]
    for text in texts:
        plain = text.casefold().replace("_", " ")
        found = next((kind for kind, pattern in _PATTERNS if kind in allowed and pattern.search(plain)), None)
        if found is not None:
            return found
    return standard

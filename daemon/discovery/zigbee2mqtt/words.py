"""The tables of zigbee2mqtt's discovery: what a property tells."""

from __future__ import annotations

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

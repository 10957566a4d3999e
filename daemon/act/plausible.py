"""What a home may want. What lies beyond is a mistake of hearing or of units: it is asked about, and never done.

- A room's air: 5 to 35 °C, 40 to 95 °F. 35 °C is where thermostats end, and Home Assistant's climate devices unless
  they say otherwise (`DEFAULT_MAX_TEMP`); 5 °C is what they protect from frost at.
- Its humidity: 10 to 90 %. EN 16798-1 asks for 20 to 70 % in its widest category; here it is more, either way.
- Volume: less than 100 %, which may hurt (WHO-ITU H.870 takes 80 dB(A) for safe); whoever wants all there is can say so
  in words that no ear mistakes for another number.

The temperature is that of a room's air. Water, saunas, ovens and fridges are other things (tag `not_air`), and so is
whatever cannot be set to anything that a room wants.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from daemon.act.values import convert
from daemon.core.entities import Capability, Entity
from daemon.core.ir import Unit
from daemon.core.plans import Problem
from daemon.home.kindwords import NOT_AIR

_AIR: Final = frozenset({"climate", "thermostat", "air_conditioner", "heater"})
_DAMPS: Final = frozenset({"humidifier", "dehumidifier"})
_WANTED: Final[Mapping[tuple[str, str | None], tuple[float, float]]] = {
    ("temperature", "C"): (5, 35),
    ("temperature", "F"): (40, 95),
    ("temperature", None): (5, 95),
    ("humidity", "%"): (10, 90),
    ("volume", "%"): (-math.inf, 99.5),
}
"""(attribute, unit) -> from, to; of a device that does not tell its unit, in either."""
_OTHER: Final[Mapping[str | None, Unit]] = {"C": "F", "F": "C"}


def is_wanted(entity: Entity, capability: Capability, value: float) -> bool:
    """Whether somebody may want this device set to it, in the capability's unit."""
    bounds = _bounds(entity, capability)
    return bounds is None or bounds[0] <= value <= bounds[1]


def implausible(entity: Entity, capability: Capability, value: float, unit: str | None) -> Problem:
    """That nobody wants a value; and the unit in which somebody may have meant it, where it was said without one."""
    other = None if unit is not None else _other_unit(entity, capability, value)
    said = int(value) if value == int(value) else value
    return Problem(entity.id, "implausible", capability.attribute, unit=unit or capability.unit, said=said, other=other)


def offer(entity: Entity, capability: Capability, nearest: float) -> float | None:
    """The end of a range as what may be set instead; None where that would be a surprise: nothing, or a furnace."""
    nothing = nearest == 0 and capability.unit == "%"
    return None if nothing or not is_wanted(entity, capability, nearest) else nearest


def _other_unit(entity: Entity, capability: Capability, value: float) -> Unit | None:
    unit = _OTHER.get(capability.unit)
    meant = convert(value, unit, capability.unit)
    if unit is None or meant is None or not is_wanted(entity, capability, meant):
        return None
    low, high = capability.minimum, capability.maximum
    return unit if (low is None or low <= meant) and (high is None or meant <= high) else None


def _bounds(entity: Entity, capability: Capability) -> tuple[float, float] | None:
    attribute = capability.name
    if attribute == "temperature" and (entity.type not in _AIR or NOT_AIR in entity.tags):
        return None
    if attribute == "humidity" and entity.type not in _DAMPS | _AIR:
        return None
    bounds = _WANTED.get((attribute, capability.unit))
    if bounds is None or (capability.minimum or bounds[0]) > bounds[1] or (capability.maximum or bounds[1]) < bounds[0]:
        return None
    return bounds

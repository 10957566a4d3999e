"""Comparing and converting values, and what a home may want at all.

What lies beyond that is a mistake of hearing or of units: it is asked about, and never done.

- A room's air: 5 to 35 °C, 40 to 95 °F. 35 °C is where thermostats end, and Home Assistant's climate devices unless
  they say otherwise (`DEFAULT_MAX_TEMP`); 5 °C is what they protect from frost at.
- Its humidity: 10 to 90 %. EN 16798-1 asks for 20 to 70 % in its widest category; here it is more, either way.
- Volume: less than 100 %, which may hurt (WHO-ITU H.870 takes 80 dB(A) for safe); whoever wants all there is can say so
  in words that no ear mistakes for another number.

The temperature is that of a room's air. Water, saunas, ovens and fridges are other things (tag `not_air`), and so is
whatever cannot be set to anything that a room wants.
"""

from __future__ import annotations

import colorsys
import math
from collections.abc import Mapping
from typing import Final

from daemon.core.entities import Capability, Entity, Value
from daemon.core.ir import Parameter, Unit
from daemon.core.outcomes import Problem
from daemon.home import actions
from daemon.home.kinds import NOT_AIR
from daemon.home.verbs import at_end, end_of, fulfils, word_of
from daemon.mqtt.dialects.payloads import clamped

_TOLERANCE = {
    # attribute: how far a device may round; percent steps come from 0..254 scales, set points from half degrees.
    "brightness": 1.5,
    "position": 3.0,
    "volume": 1.5,
    "humidity": 1.5,
    "speed": 2.0,
    "temperature": 0.3,
}
_MIRED_TOLERANCE = 6.0
_HUE_TOLERANCE = 12 / 360
_SATURATION_TOLERANCE = 0.15
_CLOSER = 0.6
"""What a lamp makes of a colour is computed, so it may be told more exactly: coral is not red."""
_GREY = 0.12
"""Below this saturation a hue means nothing."""

_UNITS: dict[tuple[str, str], tuple[float, float]] = {
    # (from, to): factor, offset
    ("C", "F"): (9 / 5, 32.0),
    ("F", "C"): (5 / 9, -160 / 9),
    ("W", "kW"): (0.001, 0.0),
    ("kW", "W"): (1000.0, 0.0),
    ("kWh", "Wh"): (1000.0, 0.0),
    ("Wh", "kWh"): (0.001, 0.0),
    ("min", "s"): (60.0, 0.0),
    ("h", "s"): (3600.0, 0.0),
    ("h", "min"): (60.0, 0.0),
    ("s", "min"): (1 / 60, 0.0),
    ("s", "h"): (1 / 3600, 0.0),
    ("min", "h"): (1 / 60, 0.0),
}


def number(value: object) -> float | None:
    """The value as a finite float, or None; a bool is no number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if math.isfinite(value) else None


def convert(value: float, unit: str | None, to: str | None, *, difference: bool = False) -> float | None:
    """The value in another unit; None where the units do not belong together. A missing unit is the other one.

    A `difference` (two degrees warmer) has no offset.
    """
    if unit is None or to is None or unit == to:
        return value
    if (pair := _UNITS.get((unit, to))) is None:
        return None
    return value * pair[0] + (0.0 if difference else pair[1])


def same(attribute: str, wish: Value, seen: Value | None, capability: Capability | None = None) -> bool:
    """Whether a seen value is the wished one, given how devices round."""
    if seen is None:
        return False
    if isinstance(wish, bool) or isinstance(seen, bool):
        return word_of(wish) == word_of(seen)
    wished, got = number(wish), number(seen)
    if wished is not None and got is not None:
        return _near(attribute, wished, got, capability)
    if attribute == "color" and isinstance(wish, str) and isinstance(seen, str):
        return same_color(wish, seen)
    return word_of(wish) == word_of(seen)


def fulfilled(entity: Entity, attribute: str, wish: Value, seen_of: str, seen: Value | None) -> bool:
    """Whether a value that was written to `attribute` has come true, by one that the device tells.

    What is seen may be of another attribute: a cover's position may tell whether it is open.
    """
    if seen is None:
        return False
    if seen_of == "position" and attribute == "state":
        place = number(seen)
        return place is not None and end_of(entity, wish) is not None and at_end(wish, place)
    if attribute in ("state", "command"):
        return fulfils(entity, wish, seen)
    return same(attribute, wish, seen, entity.reads(attribute))


def same_color(wish: str, seen: str) -> bool:
    """Whether two "#rrggbb" are the same hue and saturation; how bright they are is another attribute's business.

    What lamps make of a colour that they do not have is that colour too.
    """
    first, second = _hsv(wish), _hsv(seen)
    if first is None or second is None:
        return wish.casefold() == seen.casefold()
    nearest = (_hsv(made) for made in clamped(wish))
    return _alike(first, second) or any(made is not None and _alike(made, second, _CLOSER) for made in nearest)


def _alike(wish: tuple[float, float, float], seen: tuple[float, float, float], share: float = 1.0) -> bool:
    if abs(wish[1] - seen[1]) > _SATURATION_TOLERANCE * share:
        return False
    if wish[1] < _GREY:
        return True
    apart = abs(wish[0] - seen[0])
    return min(apart, 1 - apart) <= _HUE_TOLERANCE * share


def toward(wish: float, before: float, seen: float) -> bool:
    """Whether `seen` lies beyond `before` on the way to `wish`, by more than 1."""
    return abs(wish - seen) < abs(wish - before) - 1.0


def _near(attribute: str, wished: float, got: float, capability: Capability | None) -> bool:
    if attribute == "color_temp" and (capability is None or capability.name != "setting"):
        # Devices count in mired (1e6 / kelvin), so that is where they round.
        return wished > 0 and got > 0 and abs(1e6 / wished - 1e6 / got) <= _MIRED_TOLERANCE
    half_step = (capability.step or 0.0) / 2 if capability is not None and attribute in ("speed", "temperature") else 0
    return abs(wished - got) <= max(_TOLERANCE.get(attribute, 1e-6 + abs(wished) * 1e-3), half_step * 0.99)


def _hsv(color: str) -> tuple[float, float, float] | None:
    text = color.removeprefix("#")
    if len(text) != 6:  # noqa: PLR2004 - rrggbb
        return None
    try:
        red, green, blue = (int(text[at : at + 2], 16) / 255 for at in (0, 2, 4))
    except ValueError:
        return None
    return colorsys.rgb_to_hsv(red, green, blue)


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
_COMFORT: Final[Mapping[str | None, tuple[float, float]]] = {"C": (12, 32), "F": (54, 90)}
"""What a number that was said without a unit may have meant in the other one: nobody asks for 45 °F."""


_LEAST_K: Final = 1000.0
_LEAST_KS: Final = 50.0
"""From which number on it may be a colour temperature, or a change of one."""
_POINTS: Final = 10.0
"""So many steps nobody counts: of what is set in per cent, they are points of it."""


def steps(amount: float, capability: Capability) -> float:
    """So many steps: how much that is. "Ten points lower" are points."""
    return amount * (1.0 if amount >= _POINTS and capability.unit == "%" else actions.step_of(capability))


def suits(entity: Entity, parameter: Parameter) -> bool:
    """Whether a number may be meant of what the parameter is of this device: by its unit, and by how much it is."""
    capability, amount = actions.capability_for(entity, parameter), number(parameter.value)
    if capability is None or amount is None:
        return capability is not None
    unit, changes = parameter.unit, parameter.op in ("increase", "decrease")
    if unit in ("step", "fraction") and (amount < _POINTS or capability.unit != "K"):
        return True
    if unit not in (None, "step") and convert(1.0, unit, capability.unit) is None:
        return False
    if capability.unit == "K":
        return amount >= (_LEAST_KS if changes else _LEAST_K)
    return capability.unit != "%" or amount <= 100  # noqa: PLR2004 - per cent


def is_wanted(entity: Entity, capability: Capability, value: float) -> bool:
    """Whether somebody may want this device set to it, in the capability's unit."""
    bounds = _bounds(entity, capability)
    return bounds is None or bounds[0] <= value <= bounds[1]


def implausible(entity: Entity, capability: Capability, value: float, unit: str | None) -> Problem:
    """That nobody wants a value."""
    said = int(value) if value == int(value) else value
    return Problem(entity.id, "implausible", capability.attribute, unit=unit or capability.unit, said=said)


def offer(entity: Entity, capability: Capability, nearest: float) -> float | None:
    """The end of a range as what may be set instead; None where that would be a surprise: nothing, or a furnace."""
    nothing = nearest == 0 and capability.unit == "%"
    return None if nothing or not is_wanted(entity, capability, nearest) else nearest


def sane_unit(entity: Entity, capability: Capability, value: float) -> Unit | None:
    """The unit in which a number that was said without one must be meant, as in the device's own nobody wants it.

    "72" is said to a thermostat in °C by whoever grew up with °F. None where it may be in the device's own, or in none.
    """
    unit = _OTHER.get(capability.unit) if not is_wanted(entity, capability, value) else None
    meant = convert(value, unit, capability.unit)
    if unit is None or meant is None or not is_wanted(entity, capability, meant):
        return None
    low, high = _COMFORT[capability.unit]
    able = (capability.minimum is None or capability.minimum <= meant) and meant <= (capability.maximum or high)
    return unit if able and low <= meant <= high else None


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

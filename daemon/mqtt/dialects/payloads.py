"""Untrusted payloads: JSON that may be anything, values that must be what they claim to be, and colours."""

from __future__ import annotations

import colorsys
import json
import logging
import math
import re
from collections.abc import Mapping
from typing import Any, Final

from daemon.core.entities import Capability, Value
from daemon.core.values import loads
from daemon.core.vocabulary import BINARY
from daemon.system.worker import Limit

_LOG = logging.getLogger(__name__)
_STATES = Limit(_LOG, "a state of more than %d bytes is not read: %r ...")
_AVAILABILITIES = Limit(_LOG, "an availability of more than %d bytes is not read: %r ...")
_TEXTS = Limit(_LOG, "a value of more than %d characters is not read: %r ...")
_SHOWN: Final = 60

MAX_STATE: Final = 64 * 1024
"""Bytes; no device's state is longer."""
_MAX_WORD: Final = 64
_MAX_PROSE: Final = 500
_MAX_NUMBER: Final = 1e9

PERCENT: Final = frozenset({"brightness", "position", "volume", "humidity", "current_humidity", "battery", "tilt"})
_COLOR: Final = re.compile(r"#[0-9a-f]{6}")
_ON: Final = frozenset({"on", "true", "1", "yes", "detected", "wet", "open"})
_OFF: Final = frozenset({"off", "false", "0", "no", "clear", "dry", "closed"})


def parse(payload: bytes) -> Any:
    """The JSON value in a payload; None where it is none, is too long or nested too deep."""
    if len(payload) > MAX_STATE:
        _STATES.cuts(MAX_STATE, payload[:_SHOWN])
        return None
    try:
        return loads(payload.decode("utf-8"))
    except (ValueError, RecursionError):
        return None


def parse_object(payload: bytes) -> Mapping[str, Any] | None:
    """The JSON object in a payload, or None."""
    value = parse(payload)
    return value if isinstance(value, dict) else None


def dump(value: Mapping[str, Any]) -> bytes:
    """Compact JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def number(value: object, low: float = -_MAX_NUMBER, high: float = _MAX_NUMBER) -> float | None:
    """A finite number within the bounds, from a number or its decimal form; None for anything else."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str) and len(value) <= _MAX_WORD:
        try:
            value = float(value)
        except ValueError:
            return None
    if not isinstance(value, int | float):
        return None
    try:
        if not math.isfinite(value) or not low <= value <= high:
            return None
    except OverflowError:  # an int beyond all floats
        return None
    return tidy(float(value))


def tidy(value: float) -> float:
    """A number as it reads best: 40 rather than 40.0, and no tail of digits."""
    rounded = round(value, 4)
    return int(rounded) if rounded == int(rounded) else rounded


def word(value: object) -> str | None:
    """A short printable word, lower case; None for anything else."""
    if not isinstance(value, str) or not _is_short(value, _MAX_WORD) or not value.isprintable():
        return None
    return value.strip().lower() or None


def prose(value: object) -> str | None:
    """What somebody wrote, as they wrote it, on one line; None for anything else."""
    if not isinstance(value, str) or not _is_short(value, _MAX_PROSE):
        return None
    text = " ".join(value.split())
    return text if text and text.isprintable() else None


def _is_short(text: str, most: int) -> bool:
    if len(text) > most:
        _TEXTS.cuts(most, text[:_SHOWN])
    return 0 < len(text) <= most


def flag(value: object) -> bool | None:
    """A truth, from a bool, 0 or 1, or a word such as "ON"."""
    if isinstance(value, bool):
        return value
    text = word(value if isinstance(value, str) else str(value) if isinstance(value, int) and value in (0, 1) else None)
    return True if text in _ON else False if text in _OFF else None


def canonical(attribute: str, value: object, capability: Capability | None) -> Value | None:
    """A value that already is in canonical words and units, checked by the capability; None where it is not."""
    result: Value | None
    match attribute:
        case _ if capability is not None and capability.name == "setting":
            result = _worded_or_counted(value, capability)  # whatever it is called
        case _ if attribute in PERCENT:
            result = number(value, 0, 100)
        case "color":
            text = word(value)
            result = text if text is not None and _COLOR.fullmatch(text) else None
        case "color_temp":
            result = number(value, 1000, 20000)
        case "muted":
            result = flag(value)
        case "speed" if capability is None or not capability.options:
            result = number(value, 0, 100)
        case _ if attribute in BINARY:
            # Some sensors of that name measure: gas in cubic metres, carbon monoxide in ppm.
            truth = binary(value)
            result = truth if truth is not None else number(value)
        case "state" | "agenda" | "todo" | "media":
            result = word(value) if attribute == "state" else prose(value)
        case _:
            result = _worded_or_counted(value, capability)
    return result


def _worded_or_counted(value: object, capability: Capability | None) -> Value | None:
    result: Value | None = option(value, capability)
    if result is None and not isinstance(value, bool):
        result = number(value)
    if result is None:
        result = word(value) if isinstance(value, str) else binary(value)
    return result


def binary(value: object) -> str | None:
    """A truth as "on" or "off"."""
    truth = flag(value)
    return None if truth is None else "on" if truth else "off"


def presence(payload: bytes) -> bool | None:
    """What an availability topic says: {"state": "online"}, or the bare word."""
    if len(payload) > _MAX_WORD:
        _AVAILABILITIES.cuts(_MAX_WORD, payload[:_SHOWN])
        return None
    value = parse(payload)
    text = value.get("state") if isinstance(value, dict) else payload.decode("utf-8", "replace")
    return {"online": True, "offline": False}.get(word(text) or "")


def option(value: object, capability: Capability | None) -> str | None:
    """The capability's own spelling of a word that it takes; None where it takes no words, or not this one."""
    text = word(value)
    if text is None or capability is None:
        return None
    return next((item for item in capability.options if item.lower() == text), None)


_FULL: Final = 255.0

# sRGB to CIE XYZ with the wide gamut D65 matrix that Philips published for its lights, which zigbee2mqtt uses too.
_TO_XYZ: Final = (
    (0.664511, 0.154324, 0.162028),
    (0.283881, 0.668433, 0.047685),
    (0.000088, 0.072310, 0.986039),
)
_Point = tuple[float, float]

_GAMUTS: Final[tuple[tuple[_Point, _Point, _Point], ...]] = (
    # What Philips calls A and C; sRGB, as many others have it. (B has no green: what it makes of it is yellow.)
    ((0.704, 0.296), (0.2151, 0.7106), (0.138, 0.08)),
    ((0.6915, 0.3083), (0.17, 0.7), (0.1532, 0.0475)),
    ((0.64, 0.33), (0.30, 0.60), (0.15, 0.06)),
)
"""The usual triangles of what lamps can show: the xy of their red, green and blue."""


def _inverse(m: tuple[tuple[float, ...], ...]) -> tuple[tuple[float, ...], ...]:
    (a, b, c), (d, e, f), (g, h, i) = m
    det = a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
    return (
        ((e * i - f * h) / det, (c * h - b * i) / det, (b * f - c * e) / det),
        ((f * g - d * i) / det, (a * i - c * g) / det, (c * d - a * f) / det),
        ((d * h - e * g) / det, (b * g - a * h) / det, (a * e - b * d) / det),
    )


_FROM_XYZ: Final = _inverse(_TO_XYZ)


def hex_to_rgb(color: str) -> tuple[int, int, int]:
    """Turns "#rrggbb" into three numbers, 0 to 255.

    Raises:
        ValueError: it is no such colour.
    """
    if len(color) != 7 or color[0] != "#":  # noqa: PLR2004 - # and six digits
        raise ValueError(color)
    return int(color[1:3], 16), int(color[3:5], 16), int(color[5:7], 16)


def rgb_to_hex(rgb: tuple[float, float, float]) -> str:
    """Three numbers, 0 to 255, to "#rrggbb"."""
    return "#" + "".join(f"{min(255, max(0, round(part))):02x}" for part in rgb)


def hex_to_xy(color: str) -> tuple[float, float]:
    """The chromaticity of a colour; black has that of white."""
    linear = [_linear(part / _FULL) for part in hex_to_rgb(color)]
    x, y, z = (sum(k * part for k, part in zip(row, linear, strict=True)) for row in _TO_XYZ)
    total = x + y + z
    return (round(x / total, 4), round(y / total, 4)) if total > 0 else (0.3127, 0.329)


def xy_to_hex(x: float, y: float) -> str | None:
    """A chromaticity at its full brightness; None where no light has it."""
    if not (0 < y <= 1 and 0 <= x <= 1 and x + y <= 1.0001):  # noqa: PLR2004 - x + y + z = 1, and a little rounding
        return None
    big_x, big_z = x / y, max(0.0, 1 - x - y) / y
    linear = [max(0.0, row[0] * big_x + row[1] + row[2] * big_z) for row in _FROM_XYZ]
    top = max(linear)
    if not math.isfinite(top) or top <= 0:
        return None
    red, green, blue = (_gamma(part / top) * _FULL for part in linear)
    return rgb_to_hex((red, green, blue))


def clamped(color: str) -> tuple[str, ...]:
    """What lamps make of a colour that is outside of what they can show; nothing where all can, and for no colour."""
    try:
        point = hex_to_xy(color)
    except ValueError:
        return ()
    nearest = (_into(point, gamut) for gamut in _GAMUTS)
    return tuple(made for other in nearest if other != point and (made := xy_to_hex(*other)) is not None)


def hex_to_hs(color: str) -> tuple[float, float]:
    """Hue in degrees (0 to 360) and saturation in percent."""
    red, green, blue = hex_to_rgb(color)
    hue, saturation, _ = colorsys.rgb_to_hsv(red / _FULL, green / _FULL, blue / _FULL)
    return round(hue * 360, 2), round(saturation * 100, 2)


def hs_to_hex(hue: float, saturation: float) -> str:
    """Hue in degrees and saturation in percent, at full brightness."""
    red, green, blue = colorsys.hsv_to_rgb((hue % 360) / 360, min(100.0, max(0.0, saturation)) / 100, 1.0)
    return rgb_to_hex((red * _FULL, green * _FULL, blue * _FULL))


def kelvin_to_mired(kelvin: float) -> int:
    """Kelvin to mireds (micro reciprocal degrees), whole ones."""
    return round(1_000_000 / kelvin)


def mired_to_kelvin(mired: float) -> int:
    """Mireds to kelvin, whole ones. A mired is 6 K at 2500 K and 42 K at 6500 K: nothing finer can be read back."""
    return round(1_000_000 / mired)


def _linear(part: float) -> float:
    return ((part + 0.055) / 1.055) ** 2.4 if part > 0.04045 else part / 12.92  # noqa: PLR2004 - IEC 61966-2-1


def _gamma(part: float) -> float:
    return 1.055 * part ** (1 / 2.4) - 0.055 if part > 0.0031308 else part * 12.92  # noqa: PLR2004 - as above


def _into(point: _Point, gamut: tuple[_Point, _Point, _Point]) -> _Point:
    """The point of a triangle that is nearest; the point itself where it lies in it."""
    sides = list(zip(gamut, (*gamut[1:], gamut[0]), strict=True))
    turns = [(b[0] - a[0]) * (point[1] - a[1]) - (b[1] - a[1]) * (point[0] - a[0]) for a, b in sides]
    if min(turns) >= 0 or max(turns) <= 0:
        return point
    return min((_onto(point, *side) for side in sides), key=lambda other: math.dist(point, other))


def _onto(point: _Point, a: _Point, b: _Point) -> _Point:
    """The point between a and b that is nearest."""
    along = (b[0] - a[0], b[1] - a[1])
    share = ((point[0] - a[0]) * along[0] + (point[1] - a[1]) * along[1]) / (along[0] ** 2 + along[1] ** 2)
    share = max(0.0, min(1.0, share))
    return (a[0] + share * along[0], a[1] + share * along[1])

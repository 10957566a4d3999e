"""Colours between "#rrggbb", CIE xy, hue and saturation, and mireds and kelvin."""

from __future__ import annotations

import colorsys
import math
from typing import Final

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

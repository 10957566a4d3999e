"""The words of the evaluation format, where they differ from Hearken's own (`daemon.home.entities`)."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

COLORS: dict[str, tuple[int, int, int]] = {
    "red": (255, 0, 0),
    "green": (0, 255, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
    "orange": (255, 165, 0),
    "purple": (128, 0, 128),
    "violet": (238, 130, 238),
    "pink": (255, 192, 203),
    "magenta": (255, 0, 255),
    "cyan": (0, 255, 255),
    "turquoise": (64, 224, 208),
    "teal": (0, 128, 128),
    "lime": (0, 255, 0),
    "gold": (255, 215, 0),
    "brown": (165, 42, 42),
    "white": (255, 255, 255),
    "lavender": (230, 230, 250),
    "indigo": (75, 0, 130),
}
"""CSS names; the first of two names for one colour is the one that is written."""

VERBS = frozenset(
    {
        *("turn_on", "turn_off", "toggle", "open", "close", "stop", "lock", "unlock", "activate"),
        *("start", "pause", "resume", "next", "previous", "mute", "unmute", "dock"),
    }
)
"""Actions that say everything themselves: they carry no attribute and no value."""

_ATTRIBUTES = {"speed": "fan_speed"}
_NAMES = {rgb: name for name, rgb in reversed(COLORS.items())}
_HEX = re.compile(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})", re.IGNORECASE)


def rgb(color: object) -> tuple[int, int, int] | None:
    """A colour from a name, "#rrggbb" or [red, green, blue]; None where it is none of these."""
    match color:
        case [int() | float() as red, int() | float() as green, int() | float() as blue]:
            return round(red), round(green), round(blue)
        case str() if found := _HEX.fullmatch(color):
            return int(found[1], 16), int(found[2], 16), int(found[3], 16)
        case str():
            return COLORS.get(color.strip().lower())
        case _:
            return None


def command(data: dict[str, Any]) -> dict[str, Any]:
    """A command of the result object in the words of the format: colours by name, no attribute beside a verb."""
    out = dict(data)
    if out["action"] in VERBS:
        return {key: out[key] for key in ("action", "targets")}
    if "attribute" in out:
        out["attribute"] = _ATTRIBUTES.get(out["attribute"], out["attribute"])
    if out.get("attribute") == "color" and (parts := rgb(out.get("value"))) is not None:
        out["value"] = _NAMES.get(parts, out["value"])
    return out


def _color_list(value: Any) -> list[int] | None:
    return None if (parts := rgb(value)) is None else list(parts)


def _color_hex(value: Any) -> str | None:
    return None if (parts := rgb(value)) is None else "#{:02x}{:02x}{:02x}".format(*parts)


def _same(value: Any) -> Any:
    return value


_SCALES: tuple[tuple[str, str, Callable[[Any], Any], Callable[[Any], Any]], ...] = (
    # Home Assistant's attribute, the canonical one, to Home Assistant, from Home Assistant.
    ("brightness", "brightness", lambda percent: round(percent * 255 / 100), lambda level: round(level * 100 / 255)),
    ("rgb_color", "color", _color_list, _color_hex),
    ("color_temp_kelvin", "color_temp", _same, _same),
    ("volume_level", "volume", lambda percent: round(percent / 100, 4), lambda level: round(level * 100)),
    ("is_volume_muted", "muted", _same, _same),
    ("current_position", "position", _same, _same),
    ("percentage", "speed", _same, _same),
)
_TO_FORMAT = {canonical: (name, convert) for name, canonical, convert, _ in _SCALES}
_FROM_FORMAT = {name: (canonical, convert) for name, canonical, _, convert in _SCALES}


def state(truth: dict[str, Any]) -> dict[str, Any]:
    """A device's true state, by canonical attribute, as {state, attributes} in Home Assistant's words and scales."""
    return {"state": truth.get("state"), "attributes": _renamed(truth, _TO_FORMAT)}


def canonical(given: dict[str, Any]) -> dict[str, Any]:
    """Canonical attributes from {state, attributes} in Home Assistant's words and scales."""
    out = _renamed(given.get("attributes") or {}, _FROM_FORMAT)
    return out if given.get("state") is None else {"state": given["state"]} | out


def _renamed(values: dict[str, Any], table: dict[str, tuple[str, Callable[[Any], Any]]]) -> dict[str, Any]:
    out = {}
    for name, value in values.items():
        if value is None or name in ("state", "command"):
            continue
        other, convert = table.get(name, (name, _same))
        try:
            out[other] = convert(value)
        except TypeError:  # a word where a number belongs stays what it is
            out[other] = value
    return out

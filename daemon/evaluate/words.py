"""The words of the evaluation format, where they differ from Hearken's own (`daemon.core.entities`)."""

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
_SORTS = {"show": "tv_show"}
"""Our sorts of media -> those of the format."""
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
    if out["action"] == "play":
        sort = _SORTS.get(out.get("unit", ""), out.get("unit"))
        named = {"action": "play_media", "value": out["value"], "targets": out["targets"]}
        return named if sort is None else named | {"attribute": sort}
    if out["action"] in VERBS:
        return {key: out[key] for key in ("action", "targets")}
    if "attribute" in out:
        out["attribute"] = _ATTRIBUTES.get(out["attribute"], out["attribute"])
    if out.get("attribute") == "color" and (parts := rgb(out.get("value"))) is not None:
        out["value"] = _NAMES.get(parts, out["value"])
    return out


_SCALES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "brightness": ("brightness", lambda percent: round(percent * 255 / 100)),
    "color": ("rgb_color", lambda value: None if (parts := rgb(value)) is None else list(parts)),
    "color_temp": ("color_temp_kelvin", round),
    "volume": ("volume_level", lambda percent: round(percent / 100, 4)),
    "muted": ("is_volume_muted", bool),
    "position": ("current_position", round),
    "battery": ("battery_level", round),
    "speed": ("percentage", lambda value: value),
}
"""Canonical attribute -> Home Assistant's name, and the value in its scale."""


def state(truth: dict[str, Any]) -> dict[str, Any]:
    """A device's true state, by canonical attribute, as {state, attributes} in Home Assistant's words and scales."""
    attributes = {}
    for name, value in truth.items():
        if value is None or name in ("state", "command"):
            continue
        other, convert = _SCALES.get(name, (name, lambda same: same))
        attributes[other] = convert(value)
    if "brightness" in truth:
        _as_a_light(attributes, on=truth.get("state") != "off")
    return {"state": truth.get("state"), "attributes": attributes}


def _as_a_light(attributes: dict[str, Any], *, on: bool) -> None:
    """Says by which of its attributes a lamp shines now; one that is off shines by none."""
    modes = {"rgb_color": "rgb", "color_temp_kelvin": "color_temp", "brightness": "brightness"}
    attributes["color_mode"] = next((mode for name, mode in modes.items() if name in attributes), None)
    if not on:
        attributes.update(dict.fromkeys([*(modes.keys() & attributes.keys()), "color_mode"]))

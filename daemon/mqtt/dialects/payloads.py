"""Untrusted payloads: JSON that may be anything, and values that must be what they claim to be."""

from __future__ import annotations

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

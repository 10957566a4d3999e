"""Payloads of discovery with long keys: what the short ones stand for is in keys.yaml."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from daemon.system.nodes import read_yaml

_SET_POINT: Final = frozenset({"cmd", "stat", "hi", "lo", "unit"})
"""What follows `temp` where that is short for "temperature"; elsewhere (`max_temp`) it stands so in the long key."""


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    found: dict[str, dict[str, str]] = read_yaml(Path(__file__).with_name("keys.yaml")).plain()
    return found


def long(key: str) -> str:
    """The long form of a key of a component; a long one stays."""
    if (found := _tables()["whole"].get(key)) is not None:
        return found
    words = key.split("_")
    if words[0] == "swing" and words[1:2] == ["h"]:
        words[1] = "horizontal"
    for at, word in enumerate(words[:-1]):
        if word == "temp" and (words[:at] == ["curr"] or (at == 0 and words[1] in _SET_POINT)):
            words[at] = "temperature"
    return "_".join(_tables()["words"].get(word, word) for word in words)


def expanded(payload: Mapping[str, Any]) -> dict[str, Any]:
    """A payload with long keys, base topics (`~`) put in, in its device and origin too."""
    found: dict[str, Any] = {}
    for key, value in payload.items():
        found.setdefault(long(key), value)
    for key in ("device", "origin"):
        if isinstance(inner := found.get(key), Mapping):
            found[key] = {_tables()[key].get(name, name): value for name, value in inner.items()}
    if isinstance(listed := found.pop("availability", None), list | Mapping):
        items = listed if isinstance(listed, list) else [listed]
        found["availability"] = [
            {long(key): value for key, value in item.items()} for item in items if isinstance(item, Mapping)
        ]
    return _based(found)


def _based(found: dict[str, Any]) -> dict[str, Any]:
    base = found.get("~")
    if not isinstance(base, str):
        return found
    for key, value in found.items():
        if key == "topic" or key.endswith("_topic"):
            found[key] = _topic(value, base)
    for item in found.get("availability") or ():
        item["topic"] = _topic(item.get("topic"), base)
    return found


def _topic(value: object, base: str) -> object:
    if not isinstance(value, str):
        return value
    if value.startswith("~"):
        value = f"{base}{value[1:]}"
    return f"{value[:-1]}{base}" if value.endswith("~") else value

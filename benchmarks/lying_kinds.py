"""The devices of `benchmarks.liars`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

from daemon.core.entities import Address, Capability, Entity, Value
from daemon.core.values import replace
from daemon.discovery.homeassistant import HomeAssistantSource
from daemon.mqtt.bus import Message

_PERCENT: Final = {"minimum": 0.0, "maximum": 100.0, "unit": "%"}
KINDS: Final[Mapping[str, tuple[str, tuple[Capability, ...], tuple[tuple[str, tuple[Value, ...]], ...]]]] = {
    "light": (
        "zigbee2mqtt",
        (Capability("on_off", "state"), Capability("brightness", "brightness", **_PERCENT)),  # type: ignore[arg-type]
        (("state", ("on", "off")), ("brightness", (20, 50, 80))),
    ),
    "switch": ("zigbee2mqtt", (Capability("on_off", "state"),), (("state", ("on", "off")),)),
    "blind": (
        "zigbee2mqtt",
        (Capability("open_close", "state"), Capability("position", "position", **_PERCENT)),  # type: ignore[arg-type]
        (("state", ("open", "closed")), ("position", (0, 30, 60, 100))),
    ),
    "curtain": ("zigbee2mqtt", (Capability("open_close", "state"),), (("state", ("open", "closed")),)),
    "lock": ("zigbee2mqtt", (Capability("lock", "state"),), (("state", ("locked", "unlocked")),)),
    "valve": ("plain", (Capability("open_close", "state"),), (("state", ("open", "closed")),)),
    "thermostat": (
        "plain",
        (Capability("on_off", "state"), Capability("temperature", "temperature", minimum=5, maximum=30, unit="C")),
        (("state", ("on", "off")), ("temperature", (17, 20, 23))),
    ),
    "fan": (
        "plain",
        (Capability("on_off", "state"), Capability("fan_speed", "speed", **_PERCENT)),  # type: ignore[arg-type]
        (("state", ("on", "off")), ("speed", (30, 60, 100))),
    ),
    "tv": (
        "plain",
        (Capability("on_off", "state"), Capability("media_transport", "state")),
        (("state", ("on", "off")), ("command", ("play", "pause", "stop"))),
    ),
    "vacuum": (
        "plain",
        (Capability("start_stop", "state"), Capability("dock", "state")),
        (("command", ("start", "pause", "dock", "stop")),),
    ),
    # As bridges announce them that nobody knows, and that can't be asked.
    "bolt": ("homeassistant", (), (("state", ("locked", "unlocked")),)),
    "gate": ("homeassistant", (), (("state", ("open", "closed")),)),
}
"""Kind -> dialect, capabilities, and what may be wished: attribute and values."""
_ANNOUNCED: Final[Mapping[str, tuple[str, Mapping[str, Any]]]] = {
    "bolt": ("lock", {}),
    "gate": ("cover", {"dev_cla": "garage", "pos_t": "{base}/position"}),
}


def entity_of(kind: str, name: str) -> Entity:
    """A device of a kind: described, or as it announces itself."""
    dialect, able, _ = KINDS[kind]
    base = f"liars/{name}"
    if kind not in _ANNOUNCED:
        return Entity(name, "device", (name,), type=kind, capabilities=able, address=Address(dialect, base))
    component, config = _ANNOUNCED[kind]
    topics = {"cmd_t": f"{base}/set", "stat_t": base}
    more = {key: value.format(base=base) for key, value in config.items()}
    source = HomeAssistantSource()
    said = json.dumps({"name": name, "uniq_id": name, **topics, **more}).encode()
    source.take(Message(f"homeassistant/{component}/{name}/config", said, True, 0, 1))  # noqa: FBT003 - as it comes
    [find] = source.finds()
    return replace(find.entity, id=name)

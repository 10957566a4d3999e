"""The devices of `benchmarks.liars`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from daemon.core.entities import Capability, Value

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
}
"""Kind -> dialect, capabilities, and what may be wished: attribute and values."""

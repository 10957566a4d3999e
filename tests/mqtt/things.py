"""Devices and messages for tests of dialects and of the simulated home."""

import json
from dataclasses import dataclass
from typing import Any

from daemon.core.entities import Address, Capability, Entity, Value
from daemon.mqtt.bus import Message


@dataclass(frozen=True)
class Change:
    attribute: str
    value: Value
    unit: str | None = None


def device(*capabilities: Capability, kind: str = "light", dialect: str = "zigbee2mqtt", **options: Any) -> Entity:
    address = Address(dialect, "zigbee2mqtt/living room/thing", options)
    return Entity("thing", "device", ("thing",), type=kind, capabilities=capabilities, address=address)


def reads(*attributes: str) -> tuple[Capability, ...]:
    return tuple(Capability("read", attribute) for attribute in attributes)


def message(payload: object, topic: str = "zigbee2mqtt/living room/thing") -> Message:
    data = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return Message(topic, data, retained=False, at=0.0, sequence=1)

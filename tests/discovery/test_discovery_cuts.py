"""What is left out because it is too much is told, by the topic or the name of what told it."""

import json
from collections.abc import Mapping
from typing import Any

import pytest

from daemon.discovery.homeassistant import HomeAssistantSource
from daemon.discovery.tasmota import TasmotaSource
from daemon.discovery.zigbee2mqtt import Zigbee2MqttSource
from daemon.mqtt.bus import Message

SWITCH = {"uniq_id": "x", "name": "X", "cmd_t": "a/b", "stat_t": "a/c"}
MANY = [f"o{number}" for number in range(65)]
STATE = {"type": "switch", "features": [{"type": "binary", "name": "state", "property": "state", "access": 7,
                                         "value_on": "ON", "value_off": "OFF"}]}  # fmt: skip
TASMOTA = {"ft": "%prefix%/%topic%/", "t": "x", "tp": ["cmnd", "stat", "tele"], "dn": "X", "fn": ["r"] * 40}


def problems(source: Any, topic: str, told: object) -> Mapping[str, str]:
    """What is said of one announcement."""
    source.take(Message(topic, json.dumps(told).encode(), True, 0, 1))  # noqa: FBT003 - as it comes
    list(source.finds())
    found: Mapping[str, str] = source.problems()
    return found


@pytest.mark.parametrize(
    ("component", "told", "why"),
    [
        ("select", {"options": MANY}, "none of its 65 options"),
        ("light", {"fx_list": MANY, "fx_cmd_t": "a/e", "fx_stat_t": "a/f"}, "none of its 65 options"),
        ("switch", {"cmd_t": "a" * 301}, "longer than 300"),
        ("switch", {"padding": "y" * 300_000}, "longer than"),
        ("switch", {}, None),
        ("select", {"options": MANY[:64]}, None),
    ],
)
def test_of_what_home_assistant_is_announced(component: str, told: dict[str, Any], why: str | None) -> None:
    topic = f"homeassistant/{component}/x/config"
    found = problems(HomeAssistantSource(), topic, {**SWITCH, **told})
    assert set(found) == (set() if why is None else {topic})
    assert why is None or why in found[topic]


@pytest.mark.parametrize(
    ("part", "told", "why"),
    [
        ("config", {**TASMOTA, "rl": [1] * 40}, "the first 32 of 40 relays"),
        ("sensors", {"sn": {f"DS{number}": {"Temperature": 20} for number in range(80)}}, "the first 64 of 80 sensors"),
        ("config", {**TASMOTA, "rl": [1] * 32}, None),
    ],
)
def test_of_tasmota(part: str, told: dict[str, Any], why: str | None) -> None:
    topic = f"tasmota/discovery/AABBCCDDEEFF/{part}"
    found = problems(TasmotaSource(), topic, told)
    assert why in found[topic] if why is not None else found == {}


@pytest.mark.parametrize("many", [64, 65])
def test_of_zigbee2mqtt(many: int) -> None:
    effect = {"type": "enum", "name": "effect", "property": "effect", "access": 7, "values": [*MANY[:many]]}
    told = {
        "ieee_address": "0x1",
        "friendly_name": "strip",
        "type": "Router",
        "supported": True,
        "definition": {"model": "M", "vendor": "V", "exposes": [effect, STATE]},
    }
    found = problems(Zigbee2MqttSource(), "zigbee2mqtt/bridge/devices", [told])
    assert found.get("strip", "").startswith("none of the 65 options of 'effect'" if many == 65 else "")
    assert bool(found) == (many == 65)

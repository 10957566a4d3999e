"""What zigbee2mqtt really publishes and takes."""

import json
from typing import Any

import pytest

from daemon.core.entities import Address, Capability, Entity, Value
from daemon.mqtt.dialects import DIALECTS
from tests.mqtt.things import Change, device, message, reads

SWITCH = device(Capability("on_off", "state"), kind="switch")
LIGHT = device(
    Capability("on_off", "state"), Capability("brightness", "brightness"), Capability("color_temp", "color_temp")
)
COLORED = device(
    Capability("on_off", "state"),
    Capability("brightness", "brightness"),
    Capability("color", "color"),
    Capability("color_temp", "color_temp"),
)
COVER = device(Capability("open_close", "state", stoppable=True), Capability("position", "position"), kind="curtain")
VALVE = device(Capability("open_close", "state"), kind="valve")
LOCK = device(Capability("lock", "state"), *reads("battery"), kind="lock")
THERMOSTAT = device(
    Capability("on_off", "state"),
    Capability("temperature", "temperature", unit="C"),
    Capability("mode", "mode", options=("off", "heat", "auto")),
    *reads("current_temperature"),
    kind="thermostat",
)
COOLER = device(
    Capability("on_off", "state"),
    Capability("temperature", "temperature", unit="C"),
    Capability("mode", "mode", options=("auto", "cool", "heat", "dry", "fan_only")),
    Capability("fan_speed", "speed", options=("auto", "low", "high")),
    Capability("swing", "swing", options=("off", "vertical")),
    kind="air_conditioner",
)
FAN = device(
    Capability("on_off", "state"), Capability("fan_speed", "speed", options=("low", "medium", "high")), kind="fan"
)
SENSOR = device(
    *reads("temperature", "humidity", "illuminance", "motion", "contact", "power", "energy", "battery", "moisture"),
    kind="sensor",
)
GANG = device(Capability("on_off", "state"), *reads("power"), kind="switch", endpoint="l2")
TAP = device(Capability("open_close", "state"), kind="valve", state_open="ON", state_closed="OFF")
ODD = device(
    Capability("temperature", "temperature"),
    Capability("brightness", "brightness"),
    temperature_property="setpoint",
    brightness_max=1000,
)
SCENE = Entity(
    "scene",
    "scene",
    ("scene",),
    capabilities=(Capability("activate", "command", readable=False),),
    address=Address("zigbee2mqtt", "zigbee2mqtt/group", {"scene": 3}),
)
Z2M = DIALECTS["zigbee2mqtt"]


@pytest.mark.parametrize(
    ("entity", "payload", "expected"),
    [
        (SWITCH, {"state": "ON", "linkquality": 120, "last_seen": None}, {"state": "on"}),
        (SWITCH, {"state": "off"}, {"state": "off"}),
        (SWITCH, {"linkquality": 3}, {}),
        (
            LIGHT,
            {"state": "ON", "brightness": 254, "color_temp": 370},
            {"state": "on", "brightness": 100, "color_temp": 2703},
        ),
        (LIGHT, {"brightness": 127}, {"brightness": 50}),
        (LIGHT, {"brightness": 1}, {"brightness": 1}),
        (LIGHT, {"brightness": 0}, {"brightness": 0}),
        (LIGHT, {"brightness": 255}, {"brightness": 100}),
        (LIGHT, {"brightness": 300, "color_temp": 0, "state": None}, {}),
        (
            COLORED,
            {"state": "ON", "color_mode": "xy", "color": {"x": 0.701, "y": 0.299}, "color_temp": 153},
            {"state": "on", "color": "#ff0000"},
        ),
        (
            COLORED,
            {"color_mode": "color_temp", "color": {"x": 0.46, "y": 0.41}, "color_temp": 370},
            {"color_temp": 2703},
        ),
        (COLORED, {"color_mode": "hs", "color": {"hue": 240, "saturation": 100}}, {"color": "#0000ff"}),
        (COLORED, {"color": {"hue": 0}}, {}),
        (COLORED, {"color": {"x": 0.3, "y": 0}}, {}),
        (COLORED, {"color": "red"}, {}),
        # A cover's `state` is what was asked of it; where it is, its position says.
        (COVER, {"state": "OPEN", "position": 100}, {"state": "open", "position": 100}),
        (
            COVER,
            {"state": "OPEN", "position": 0, "motor_state": "stopped", "running": False},
            {"state": "closed", "position": 0},
        ),
        (COVER, {"state": "CLOSE", "position": 40, "moving": "DOWN"}, {"state": "closing", "position": 40}),
        (COVER, {"state": "OPEN", "position": 40, "motor_state": "opening"}, {"state": "opening", "position": 40}),
        (COVER, {"state": "OPEN", "position": -1}, {"state": "open"}),
        (VALVE, {"state": "ON"}, {"state": "open"}),
        (VALVE, {"state": "CLOSE"}, {"state": "closed"}),
        (TAP, {"state": "ON"}, {"state": "open"}),
        # The bolt goes before the command, and half out is not locked.
        (LOCK, {"state": "LOCK", "lock_state": "locked", "battery": 64}, {"state": "locked", "battery": 64}),
        (LOCK, {"state": "LOCK", "lock_state": "unlocked"}, {"state": "unlocked"}),
        (LOCK, {"state": "LOCK", "lock_state": "not_fully_locked"}, {"state": "unlocked"}),
        (LOCK, {"state": "UNLOCK", "lock_state": None}, {"state": "unlocked"}),
        (
            THERMOSTAT,
            {
                "occupied_heating_setpoint": 21.5,
                "local_temperature": 20.12,
                "system_mode": "heat",
                "running_state": "idle",
            },
            {"state": "on", "temperature": 21.5, "mode": "heat", "current_temperature": 20.12},
        ),
        (
            THERMOSTAT,
            {"current_heating_setpoint": 19, "system_mode": "off"},
            {"state": "off", "temperature": 19, "mode": "off"},
        ),
        (COOLER, {"system_mode": "off", "occupied_cooling_setpoint": 24}, {"state": "off", "temperature": 24}),
        (
            COOLER,
            {"system_mode": "cool", "fan_mode": "low", "swing_mode": "vertical"},
            {"state": "on", "mode": "cool", "speed": "low", "swing": "vertical"},
        ),
        (FAN, {"fan_state": "ON", "fan_mode": "medium"}, {"state": "on", "speed": "medium"}),
        (
            SENSOR,
            {
                "temperature": 27.34,
                "humidity": 44.72,
                "illuminance": 9000,
                "illuminance_lux": 81,
                "occupancy": True,
                "contact": True,
            },
            {"temperature": 27.34, "humidity": 44.72, "illuminance": 81, "motion": "on", "contact": "off"},
        ),
        (
            SENSOR,
            {"contact": False, "presence": False, "power": 0, "energy": 1.5, "water_leak": True, "battery": 100},
            {"contact": "on", "motion": "off", "power": 0, "energy": 1.5, "moisture": "on", "battery": 100},
        ),
        (GANG, {"state_l1": "ON", "state_l2": "OFF", "state": "ON", "power": 3}, {"state": "off", "power": 3}),
        (
            ODD,
            {"setpoint": 20, "occupied_heating_setpoint": 5, "brightness": 500},
            {"temperature": 20, "brightness": 50},
        ),
    ],
)
def test_what_zigbee2mqtt_says(entity: Entity, payload: dict[str, Any], expected: dict[str, Value]) -> None:
    assert Z2M.decode(entity, message(payload)) == expected


@pytest.mark.parametrize(
    ("entity", "writes", "payload"),
    [
        (SWITCH, {"state": "on"}, {"state": "ON"}),
        (
            LIGHT,
            {"state": "on", "brightness": 50, "color_temp": 2700},
            {"state": "ON", "brightness": 127, "color_temp": 370},
        ),
        (LIGHT, {"brightness": 100}, {"brightness": 254}),
        (LIGHT, {"brightness": 1}, {"brightness": 3}),
        (COLORED, {"color": "#ff8000"}, {"color": {"hex": "#ff8000"}}),
        (
            device(Capability("brightness", "brightness"), transition=1.5),
            {"brightness": 0},
            {"brightness": 0, "transition": 1.5},
        ),
        (COVER, {"state": "open"}, {"state": "OPEN"}),
        (COVER, {"state": "closed"}, {"state": "CLOSE"}),
        (COVER, {"command": "stop"}, {"state": "STOP"}),
        (COVER, {"position": 30}, {"position": 30}),
        (TAP, {"state": "open"}, {"state": "ON"}),
        (LOCK, {"state": "locked"}, {"state": "LOCK"}),
        (LOCK, {"state": "unlocked"}, {"state": "UNLOCK"}),
        (THERMOSTAT, {"temperature": 21.5}, {"occupied_heating_setpoint": 21.5}),
        (THERMOSTAT, {"state": "off"}, {"system_mode": "off"}),
        (THERMOSTAT, {"state": "on"}, {"system_mode": "heat"}),
        (COOLER, {"state": "on"}, {"system_mode": "cool"}),
        (COOLER, {"mode": "dry", "state": "on"}, {"system_mode": "dry"}),
        (COOLER, {"temperature": 24, "speed": "low"}, {"occupied_cooling_setpoint": 24, "fan_mode": "low"}),
        (FAN, {"state": "on", "speed": "high"}, {"fan_state": "ON", "fan_mode": "high"}),
        (GANG, {"state": "off"}, {"state_l2": "OFF"}),
        (ODD, {"temperature": 20, "brightness": 50}, {"setpoint": 20, "brightness": 500}),
    ],
)
def test_what_zigbee2mqtt_is_told(entity: Entity, writes: dict[str, Value], payload: dict[str, Any]) -> None:
    (publication,) = Z2M.encode(entity, [Change(*item) for item in writes.items()])
    assert publication.topic == "zigbee2mqtt/living room/thing/set"
    assert json.loads(publication.payload) == payload
    assert publication.retain is False


def test_a_scene_of_zigbee2mqtt_is_recalled_by_its_number() -> None:
    (publication,) = Z2M.encode(SCENE, [Change("command", "activate")])
    assert (publication.topic, json.loads(publication.payload)) == ("zigbee2mqtt/group/set", {"scene_recall": 3})


@pytest.mark.parametrize(
    "write", [Change("state", "sideways"), Change("command", "next"), Change("command", "activate")]
)
def test_a_value_without_a_word_for_it_sends_nothing(write: Change) -> None:
    assert Z2M.encode(SWITCH, [write]) == ()


@pytest.mark.parametrize(
    ("entity", "attributes", "payload"),
    [
        (LIGHT, ["state", "brightness"], {"state": "", "brightness": ""}),
        (LOCK, ["state"], {"state": ""}),
        (THERMOSTAT, ["state", "mode", "current_temperature"], {"system_mode": "", "local_temperature": ""}),
        (GANG, ["state"], {"state_l2": ""}),
    ],
)
def test_what_zigbee2mqtt_is_asked(entity: Entity, attributes: list[str], payload: dict[str, Any]) -> None:
    (publication,) = Z2M.get(entity, attributes)
    assert (publication.topic, json.loads(publication.payload)) == ("zigbee2mqtt/living room/thing/get", payload)

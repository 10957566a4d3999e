"""What zigbee2mqtt tells on bridge/devices and bridge/groups, as entities."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from hypothesis import given
from hypothesis import strategies as st

from daemon.core.entities import Address, Capability, Entity
from daemon.discovery.find import Find, merge
from daemon.discovery.zigbee2mqtt import Zigbee2MqttSource
from daemon.discovery.zigbee2mqtt import source as source_module
from daemon.discovery.zigbee2mqtt.device import Device, learn
from daemon.home.config import Discovery, HomeConfig
from daemon.mqtt.bus import Message, Publication
from daemon.mqtt.dialects import DIALECTS

if TYPE_CHECKING:
    import pytest


def binary(name: str, access: int = 7, on: object = "ON", off: object = "OFF", **more: Any) -> dict[str, Any]:
    return {
        "type": "binary",
        "name": name,
        "property": name,
        "access": access,
        "value_on": on,
        "value_off": off,
        **more,
    }


def numeric(name: str, low: float, high: float, access: int = 7, **more: Any) -> dict[str, Any]:
    base = {"type": "numeric", "name": name, "property": name, "access": access}
    return {**base, "value_min": low, "value_max": high, **more}


def device(number: int, name: str, exposes: object, **more: Any) -> dict[str, Any]:
    definition = {"model": "M1", "vendor": "Maker", "description": "A thing", "exposes": exposes}
    return {
        "ieee_address": f"0x{number:016x}",
        "friendly_name": name,
        "type": "Router",
        "supported": True,
        "definition": definition,
        **more,
    }


LIGHT = {
    "type": "light",
    "features": [
        binary("state"),
        numeric("brightness", 0, 254),
        numeric("color_temp", 153, 454),
        {"type": "composite", "name": "color_xy", "property": "color", "features": []},
    ],
}


def told(*devices: dict[str, Any], groups: list[Any] | None = None) -> tuple[Zigbee2MqttSource, dict[str, Find]]:
    source = Zigbee2MqttSource()
    source.take(message("devices", list(devices)))
    if groups is not None:
        source.take(message("groups", groups))
    return source, {find.entity.id: find for find in source.finds()}


def message(topic: str, content: object) -> Message:
    return Message(f"zigbee2mqtt/bridge/{topic}", json.dumps(content).encode(), retained=True, at=0, sequence=1)


def sent(entity: Entity, attribute: str, value: object) -> dict[str, Any]:
    class Change:
        pass

    change = Change()
    change.attribute, change.value = attribute, value  # type: ignore[attr-defined]
    publications: tuple[Publication, ...] = DIALECTS["zigbee2mqtt"].encode(entity, [change])  # type: ignore[list-item]
    assert len(publications) == 1
    found: dict[str, Any] = json.loads(publications[0].payload)
    return found


def test_a_light_has_what_it_exposes() -> None:
    _, finds = told(device(1, "living_room/reading_lamp", [LIGHT]))
    entity = finds["0x0000000000000001"].entity
    assert entity.names == ("living room reading lamp",)
    assert entity.type == "lamp"
    assert [item.name for item in entity.capabilities] == ["on_off", "brightness", "color_temp", "color"]
    white = entity.capability("color_temp")
    assert white is not None
    assert (white.minimum, white.maximum) == (2203, 6536)
    assert sent(entity, "brightness", 50) == {"brightness": 127}
    assert entity.address is not None
    assert entity.address.topic == "zigbee2mqtt/living_room/reading_lamp"


def test_gangs_are_devices_and_together_a_group() -> None:
    gangs = [
        {"type": "switch", "endpoint": side, "features": [{**binary("state"), "property": f"state_{side}"}]}
        for side in ("left", "right")
    ]
    _, finds = told(device(2, "Hall switch", gangs))
    left = finds["0x0000000000000002_left"].entity
    assert left.names == ("Hall switch left",)
    assert sent(left, "state", "on") == {"state_left": "ON"}
    assert finds["0x0000000000000002"].entity.members == ("0x0000000000000002_left", "0x0000000000000002_right")


def test_own_words_properties_and_spellings_come_through() -> None:
    valve = {
        "type": "climate",
        "features": [
            numeric("current_heating_setpoint", 5, 30, access=3, unit="°C", value_step=0.5),
            numeric("local_temperature", -40, 80, access=1, unit="°C"),
            {"type": "enum", "name": "system_mode", "property": "system_mode", "access": 3, "values": ["Off", "Heat"]},
            {"type": "enum", "name": "preset", "property": "preset", "access": 3, "values": ["Eco", "Comfort"]},
        ],
    }
    lock = binary("child_lock", 3, "LOCK", "UNLOCK", label="Child lock")
    _, finds = told(device(3, "Study valve", [lock, valve]))
    entity = finds["0x0000000000000003"].entity
    assert entity.type == "thermostat"
    assert sent(entity, "preset", "eco") == {"preset": "Eco"}
    assert sent(entity, "mode", "heat") == {"system_mode": "Heat"}
    assert sent(entity, "temperature", 21.5) == {"current_heating_setpoint": 21.5}
    assert entity.reads("child_lock") == Capability(
        "setting", "child_lock", options=("on", "off"), gettable=False, label="Child lock"
    )
    assert sent(entity, "child_lock", "on") == {"child_lock": "LOCK"}


def test_what_can_be_set_beside_is_a_setting_of_the_device() -> None:
    exposes = [
        binary("occupancy", 1, on=True, off=False),
        {"type": "enum", "name": "sensitivity", "property": "sensitivity", "access": 7, "values": ["LOW", "HIGH"]},
        numeric("occupancy_timeout", 10, 600, access=7, unit="seconds", value_step=5, category="config"),
        numeric("fading", 0, 1, access=2),
        numeric("noise", 0, 100, access=3, category="diagnostic"),
    ]
    _, finds = told(device(4, "porch", exposes))
    entity = finds["0x0000000000000004"].entity
    assert [item for item in entity.capabilities if item.name == "setting"] == [
        Capability("setting", "sensitivity", options=("low", "high")),
        Capability("setting", "occupancy_timeout", minimum=10, maximum=600, step=5, unit="s"),
    ]
    assert sent(entity, "sensitivity", "high") == {"sensitivity": "HIGH"}
    assert sent(entity, "occupancy_timeout", 90) == {"occupancy_timeout": 90}


def test_sensors_tell_and_access_says_how() -> None:
    exposes = [
        numeric("temperature", -50, 100, access=5, unit="°C"),
        binary("contact", 1, on=False, off=True),
        numeric("battery", 0, 100, access=1, unit="%", category="diagnostic"),
        numeric("linkquality", 0, 255, access=1),
    ]
    _, finds = told(device(4, "porch", exposes))
    entity = finds["0x0000000000000004"].entity
    assert {item.attribute: item.gettable for item in entity.capabilities} == {
        "temperature": True,
        "contact": False,
        "battery": False,
    }


def test_what_cannot_be_used_is_told() -> None:
    source, finds = told(
        {"type": "Coordinator", "ieee_address": "0x00", "friendly_name": "Coordinator"},
        device(5, "asleep", [LIGHT], interviewing=True),
        device(6, "off", [LIGHT], disabled=True),
        {**device(7, "strange", []), "supported": False},
        device(8, "mute", [{"type": "enum", "name": "action", "access": 1, "values": ["wakeup", ""]}]),
        device(9, "a+b/#", [LIGHT]),
    )
    assert finds == {}
    assert set(source.problems()) == {"asleep", "off", "strange", "mute", "a+b/#"}


def test_groups_and_scenes() -> None:
    lamps = [device(number, f"lamp {number}", [LIGHT]) for number in (1, 2)]
    group = {
        "id": 7,
        "friendly_name": "dining",
        "scenes": [{"id": 3, "name": "Dinner"}],
        "members": [{"ieee_address": f"0x{number:016x}", "endpoint": 11} for number in (1, 2)],
    }
    _, finds = told(*lamps, groups=[group])
    assert finds["zigbee2mqtt_group_7"].entity.members == ("0x0000000000000001", "0x0000000000000002")
    assert finds["zigbee2mqtt_group_7"].entity.address == Address("zigbee2mqtt", "zigbee2mqtt/dining")
    scene = finds["zigbee2mqtt_group_7_scene_3"].entity
    assert scene.names == ("Dinner", "dining Dinner")
    assert sent(scene, "command", "activate") == {"scene_recall": 3}


def test_a_group_with_a_member_that_is_not_known_is_not_told_as_one() -> None:
    group = {
        "id": 7,
        "friendly_name": "dining",
        "members": [{"ieee_address": f"0x{n:016x}", "endpoint": 1} for n in (1, 9)],
    }
    _, finds = told(device(1, "lamp", [LIGHT]), groups=[group])
    found = finds["zigbee2mqtt_group_7"].entity
    assert (found.members, found.address) == (("0x0000000000000001",), None)


def test_a_group_with_a_gang_is_not_told_as_one() -> None:
    gangs = [
        {
            "type": "switch",
            "endpoint": f"l{n}",
            "features": [
                {
                    "name": "state",
                    "property": f"state_l{n}",
                    "access": 7,
                    "type": "binary",
                    "value_on": "ON",
                    "value_off": "OFF",
                }
            ],
        }
        for n in (1, 2)
    ]
    group = {"id": 7, "friendly_name": "dining", "members": [{"ieee_address": f"0x{1:016x}", "endpoint": 2}]}
    _, finds = told(device(1, "wall", gangs), groups=[group])
    found = finds["zigbee2mqtt_group_7"].entity
    assert (found.members, found.address) == (("0x0000000000000001_l2",), None)


def test_a_renamed_device_keeps_its_id() -> None:
    source, before = told(device(1, "lamp", [LIGHT]))
    version = source.version
    source.take(message("devices", [device(1, "desk lamp", [LIGHT])]))
    after = {find.entity.id: find for find in source.finds()}
    assert source.version > version
    assert before.keys() == after.keys()
    assert after["0x0000000000000001"].entity.names == ("desk lamp",)


def test_the_area_is_one_that_is_known() -> None:
    home = HomeConfig((Entity(id="kitchen", kind="area", names=("Kitchen", "厨房")),), discovery=Discovery())
    _, finds = told(
        device(1, "kitchen/spot", [LIGHT]),
        device(2, "strip", [LIGHT], description="Kitchen, above the sink"),
        device(3, "灯", [LIGHT], description="厨房"),
        device(4, "attic/spot", [LIGHT]),
    )
    areas = {item.id[-1]: item.area for item in merge(home, finds.values()).entities if item.kind == "device"}
    assert areas == {"1": "kitchen", "2": "kitchen", "3": "kitchen", "4": None}


ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(
                [
                    "type",
                    "features",
                    "exposes",
                    "access",
                    "name",
                    "property",
                    "values",
                    "definition",
                    "friendly_name",
                    "ieee_address",
                    "scenes",
                    "members",
                    "id",
                    "endpoint",
                    "value_max",
                    "value_min",
                    "value_on",
                    "unit",
                ]
            ),
            inner | st.sampled_from(["light", "climate", "switch", "enum", "state", "system_mode"]),
            max_size=6,
        )
    ),
    max_leaves=30,
)


@given(st.lists(ANYTHING, max_size=4), st.lists(ANYTHING, max_size=4))
def test_nothing_that_is_told_breaks_it(devices: list[Any], groups: list[Any]) -> None:
    usable = [{**device(1, "x", None), **item} if isinstance(item, dict) else item for item in devices]
    source = Zigbee2MqttSource()
    source.take(message("devices", usable))
    source.take(message("groups", groups))
    for find in source.finds():
        assert find.entity.names
        assert len(find.entity.names[0]) <= 200


@given(st.binary(max_size=64))
def test_no_bytes_break_it(payload: bytes) -> None:
    source = Zigbee2MqttSource()
    source.take(Message("zigbee2mqtt/bridge/devices", payload, retained=False, at=0, sequence=1))
    assert list(source.finds()) == []


def test_the_effects_of_a_lamp_are_words_that_it_takes_and_never_tells() -> None:
    effect = {"type": "enum", "name": "effect", "property": "effect", "access": 2, "values": ["blink", "colorloop"]}
    _, finds = told(device(1, "lamp", [LIGHT, effect]))
    lamp = finds["0x0000000000000001"].entity
    [able] = [item for item in lamp.capabilities if item.name == "option"]
    assert (able.options, able.readable, able.gettable) == (("blink", "colorloop"), False, False)
    assert sent(lamp, "option", "colorloop") == {"effect": "colorloop"}


def test_a_device_that_nobody_foresaw_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(content: dict[str, Any], base: str) -> Device:
        if content["friendly_name"] == "odd":
            raise KeyError("odd")
        return learn(content, base)

    monkeypatch.setattr(source_module, "learn", broken)
    source, finds = told(*(device(number, name, [LIGHT]) for number, name in enumerate(("one", "odd", "two"))))
    assert [find.entity.names[0] for find in finds.values()] == ["one", "two"]
    assert source.problems() == {"odd": "could not be read: KeyError"}

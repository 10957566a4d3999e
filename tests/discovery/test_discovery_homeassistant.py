"""What announces itself in Home Assistant's form, as devices."""

from __future__ import annotations

from typing import Any

import pytest

from daemon.discovery.find import merge
from daemon.discovery.homeassistant.source import expanded, long
from daemon.home.actions import risk_of
from daemon.home.config import Discovery, HomeConfig
from tests.discovery.announced import HOUSE, PLUG, heard, message, one, told


@pytest.mark.parametrize(
    ("short", "key"),
    [
        ("bri_cmd_tpl", "brightness_command_template"),
        ("clr_temp_stat_t", "color_temp_state_topic"),
        ("clr_temp_k", "color_temp_kelvin"),
        ("temp_cmd_t", "temperature_command_topic"),
        ("temp_hi_stat_tpl", "temperature_high_state_template"),
        ("curr_temp_t", "current_temperature_topic"),
        ("max_temp", "max_temp"),
        ("hum_cmd_t", "target_humidity_command_topic"),
        ("max_hum", "max_humidity"),
        ("pos", "reports_position"),
        ("pos_clsd", "position_closed"),
        ("pr_mode_val_tpl", "preset_mode_value_template"),
        ("pl_not_avail", "payload_not_available"),
        ("pl_ret", "payload_return_to_base"),
        ("pl_rst_pct", "payload_reset_percentage"),
        ("swing_h_mode_stat_t", "swing_horizontal_mode_state_topic"),
        ("stat_val_tpl", "state_value_template"),
        ("uniq_id", "unique_id"),
        ("ent_cat", "entity_category"),
        ("strt_mw_cmd_t", "start_mowing_command_topic"),
        ("color_temp_command_topic", "color_temp_command_topic"),
        ("temperature_unit", "temperature_unit"),
    ],
)
def test_short_keys(short: str, key: str) -> None:
    assert long(short) == key


def test_base_topics_and_short_keys_are_put_in_everywhere() -> None:
    found = expanded(
        {
            "~": "home/hall",
            "stat_t": "~/state",
            "cmd_t": "set/~",
            "avty": [{"t": "~/there", "pl_avail": "1"}],
            "dev": {"ids": "1", "sa": "Hall", "mf": "~"},
        }
    )
    assert found["state_topic"] == "home/hall/state"
    assert found["command_topic"] == "set/home/hall"
    assert found["availability"] == [{"topic": "home/hall/there", "payload_available": "1"}]
    assert found["device"] == {"identifiers": "1", "suggested_area": "Hall", "manufacturer": "~"}


def test_one_thing_and_what_it_measures_are_one_entity() -> None:
    _, finds = told(
        {
            "switch/p1": {"name": None, "uniq_id": "relay", "cmd_t": "p/set", "stat_t": "p/state", "dev": PLUG},
            "sensor/p1/power": {
                "name": "Power",
                "uniq_id": "power",
                "dev_cla": "power",
                "unit_of_meas": "W",
                "stat_t": "p/power",
                "dev": {"ids": ["p1"]},
            },
            "sensor/p1/rssi": {
                "name": "Signal",
                "uniq_id": "rssi",
                "dev_cla": "signal_strength",
                "ent_cat": "diagnostic",
                "stat_t": "p/rssi",
                "unit_of_meas": "dBm",
                "dev": {"ids": ["p1"]},
            },
            "sensor/p1/chip": {
                "name": "Chip temperature",
                "uniq_id": "chip",
                "dev_cla": "temperature",
                "stat_t": "p/chip",
                "dev": {"ids": ["p1"]},
            },
            "switch/p1/lock": {
                "name": "Child lock",
                "uniq_id": "child",
                "ent_cat": "config",
                "cmd_t": "p/child/set",
                "stat_t": "p/child",
                "dev": {"ids": ["p1"]},
            },
        }
    )
    assert {find.entity.id: find.entity.names for find in finds.values()} == {
        "switch.relay": ("Washer plug",),
        "sensor.chip": ("Washer plug Chip temperature",),
    }
    plug = finds["switch.relay"].entity
    assert plug.type == "plug"
    assert [(item.name, item.attribute) for item in plug.capabilities] == [
        ("on_off", "state"),
        ("read", "power"),
        ("read", "signal_strength"),
        ("setting", "child_lock"),
    ]
    assert heard(plug, "p/power", "4.2") == {"power": 4.2}
    assert heard(plug, "p/state", "ON") == {"state": "on"}
    assert finds["switch.relay"].area == "Laundry"
    assert heard(plug, "p/child", "ON") == {"child_lock": "on"}
    assert finds["sensor.chip"].entity.tags == {"diagnostic"}


def test_several_things_are_called_by_both_names() -> None:
    _, finds = told(
        {
            "device/board": {
                "dev": {"ids": "b", "name": "Node 7"},
                "o": {"name": "someone"},
                "avty_t": "b/there",
                "cmps": {
                    "r1": {"p": "switch", "name": "Relay 1", "uniq_id": "r1", "cmd_t": "b/1/set", "stat_t": "b/1"},
                    "r2": {"p": "light", "name": "Bench lamp", "uniq_id": "r2", "cmd_t": "b/2/set", "stat_t": "b/2"},
                    "gone": {"p": "sensor"},
                },
            }
        }
    )
    assert {find.entity.id: find.entity.names for find in finds.values()} == {
        "switch.r1": ("Node 7 Relay 1",),
        "light.r2": ("Node 7 Bench lamp", "Bench lamp"),
    }
    bench = finds["light.r2"].entity
    assert bench.type == "lamp"
    assert HOUSE.availability(bench, message("b/there", b"online")) is True


def test_a_device_that_only_measures_is_one_entity() -> None:
    parts = {
        f"sensor/bt/{name}": {
            "name": name,
            "uniq_id": f"bt-{name}",
            "dev_cla": device_class,
            "unit_of_meas": unit,
            "stat_t": "ble/A4C1",
            "val_tpl": f"{{{{ value_json.{key} | is_defined }}}}",
            "dev": {"ids": ["A4C1"], "name": "Nursery sensor", "cns": [["mac", "A4:C1"]]},
        }
        for name, device_class, unit, key in (
            ("tempc", "temperature", "°C", "tempc"),
            ("hum", "humidity", "%", "hum"),
            ("batt", "battery", "%", "batt"),
        )
    }
    for part, name in zip(parts.values(), ("Temperature", "Humidity", "Battery"), strict=True):
        part["name"] = name
    _, finds = told(parts)
    (find,) = finds.values()
    assert find.entity.names == ("Nursery sensor",)
    assert heard(find.entity, "ble/A4C1", {"tempc": 20.1, "hum": 44}) == {"temperature": 20.1, "humidity": 44}
    assert find.entity.max_age_s == 900


def test_a_sensor_that_expires_says_for_how_long_it_holds() -> None:
    entity = one("sensor", stat_t="t", dev_cla="temperature", unit_of_meas="°F", exp_aft=120, avty_t="there")
    assert entity.max_age_s == 120
    assert entity.address is not None
    assert "watched" not in entity.address.options
    assert entity.capabilities[0].unit == "F"


def test_a_sensor_that_never_says_off_is_believed_for_a_moment() -> None:
    entity = one("binary_sensor", stat_t="t", dev_cla="motion", off_dly=30, avty_t="there")
    assert entity.max_age_s == 30
    assert entity.address is not None
    assert "watched" not in entity.address.options
    assert one("sensor", stat_t="t", exp_aft=0).max_age_s == 900


@pytest.mark.parametrize("topic", ["$SYS/x", "hearken/kitchen/text", "a/#", "a/+/b", "", "x" * 400, 7, None])
def test_nothing_is_sent_where_no_device_is(topic: object) -> None:
    source, finds = told({"switch/x": {"uniq_id": "x", "cmd_t": topic}})
    assert finds == {}
    assert source.problems()


def test_what_is_left_to_others_and_what_cannot_be_used() -> None:
    source, finds = told(
        {
            "light/0x1/light": {
                "uniq_id": "z",
                "name": "Z",
                "cmd_t": "zigbee2mqtt/lamp/set",
                "o": {"name": "Zigbee2MQTT"},
            },
            "device/hearken": {"o": {"name": "Hearken"}, "cmps": {"a": {"p": "sensor", "stat_t": "hearken/state"}}},
            "device_automation/x": {"atype": "trigger"},
            "sensor/hidden": {"uniq_id": "h", "stat_t": "h", "en": False},
            "event/x": {"stat_t": "x"},
            "sensor/broken": b"{",
            "sensor/list": [1],
            "sensor/nothing": {"uniq_id": "n", "name": "N"},
            "sensor/foreign": {"uniq_id": "f", "stat_t": "f", "val_tpl": "{{ states('a.b') }}"},
            "sensor/wild": {"uniq_id": "w", "stat_t": "a/+/b"},
            "device/empty": {"dev": {"ids": "1"}, "cmps": []},
        },
        native=("zigbee2mqtt",),
    )
    assert finds == {}
    assert {topic.split("/", 1)[1].removesuffix("/config") for topic in source.problems()} == {
        "event/x",
        "sensor/broken",
        "sensor/list",
        "sensor/nothing",
        "sensor/foreign",
        "sensor/wild",
        "device/empty",
    }


def test_what_a_bridge_announces_is_used_where_nobody_asks_the_bridge() -> None:
    config = {"uniq_id": "z", "name": "Z", "cmd_t": "zigbee2mqtt/lamp/set", "stat_t": "zigbee2mqtt/lamp"}
    assert "light.z" in told({"light/0x1/light": config})[1]


def test_changes_and_removals_are_followed() -> None:
    source, finds = told({"light/x": {"uniq_id": "x", "name": "Old", "cmd_t": "c"}})
    assert finds["light.x"].entity.names == ("Old",)
    version = source.version
    source.take(message("homeassistant/light/x/config", {"uniq_id": "x", "name": "Old", "cmd_t": "c"}))
    assert source.version == version
    source.take(message("homeassistant/light/x/config", {"uniq_id": "x", "name": "New", "cmd_t": "c"}))
    assert source.version > version
    assert [find.entity.names for find in source.finds()] == [("New",)]
    source.take(message("homeassistant/light/x/config", b"{broken"))
    assert [find.entity.names for find in source.finds()] == [("New",)]
    assert source.problems()
    source.take(message("homeassistant/light/x/config", b""))
    assert list(source.finds()) == []
    assert dict(source.problems()) == {}


def test_a_home_file_means_it_by_any_of_its_names() -> None:
    _, finds = told(
        {"switch/p1": {"name": None, "uniq_id": "relay", "obj_id": "washer", "cmd_t": "p/set", "dev": PLUG}}
    )
    assert {"relay", "washer", "p/set", "Washer plug", "homeassistant/switch/p1/config"} <= finds["switch.relay"].called
    merged = merge(HomeConfig((), discovery=Discovery()), finds.values())
    assert [(item.kind, item.area) for item in merged.entities] == [("area", None), ("device", "laundry")]


@pytest.mark.parametrize(
    ("component", "config", "action"),
    [
        ("cover", {"dev_cla": "garage", "cmd_t": "c"}, "open"),
        ("cover", {"dev_cla": "gate", "cmd_t": "c"}, "open"),
        ("cover", {"name": "Garage", "cmd_t": "c"}, "open"),
        ("switch", {"name": "Garage door opener", "cmd_t": "c"}, "turn_on"),
        ("lock", {"cmd_t": "c"}, "unlock"),
        ("valve", {"dev_cla": "gas", "cmd_t": "c"}, "open"),
        ("siren", {"cmd_t": "c"}, "turn_off"),
        ("button", {"name": "Front door opener", "cmd_t": "c"}, "activate"),
        ("button", {"name": "Restart", "ent_cat": "config", "cmd_t": "c"}, "activate"),
    ],
)
def test_what_is_risky_is_asked_back(component: str, config: dict[str, Any], action: str) -> None:
    assert risk_of(one(component, **config), action) == "confirm"


def test_a_lamp_in_the_garage_is_no_door() -> None:
    assert risk_of(one("switch", name="Garage light", cmd_t="c"), "turn_on") == "none"
    assert risk_of(one("button", name="Ring", cmd_t="c"), "activate") == "none"

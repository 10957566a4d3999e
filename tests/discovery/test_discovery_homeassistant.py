"""What announces itself in Home Assistant's form, as entities."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.act.values import same
from daemon.discovery.find import Find
from daemon.discovery.homeassistant import HomeAssistantSource
from daemon.discovery.homeassistant.keys import expanded, long
from daemon.discovery.merge import merge
from daemon.home.actions import risk_of
from daemon.home.config import Discovery, HomeConfig
from daemon.home.entities import Capability, Entity, Value
from daemon.mqtt.bus import Message, Publication
from daemon.mqtt.dialects import DEVICES, DIALECTS
from tests.mqtt.things import Change

HOUSE, SIDE = DIALECTS["homeassistant"], DEVICES["homeassistant"]


def message(topic: str, content: object) -> Message:
    payload = content if isinstance(content, bytes) else json.dumps(content).encode()
    return Message(topic, payload, retained=True, at=0, sequence=1)


def told(announced: dict[str, Any], native: tuple[str, ...] = ()) -> tuple[HomeAssistantSource, dict[str, Find]]:
    source = HomeAssistantSource("homeassistant", native)
    for topic, content in announced.items():
        source.take(message(f"homeassistant/{topic}/config", content))
    return source, {find.entity.id: find for find in source.finds()}


def one(component: str, **config: Any) -> Entity:
    _, finds = told({f"{component}/x": {"uniq_id": "x", "name": "Thing", **config}})
    (find,) = finds.values()
    return find.entity


def sent(entity: Entity, *changes: tuple[str, Value]) -> list[tuple[str, str]]:
    publications = HOUSE.encode(entity, [Change(attribute, value) for attribute, value in changes])
    return [(item.topic, item.payload.decode()) for item in publications]


def heard(entity: Entity, topic: str, payload: object) -> dict[str, Value] | None:
    text = payload if isinstance(payload, str) else json.dumps(payload)
    return HOUSE.decode(entity, Message(topic, text.encode(), retained=False, at=0, sequence=1))


def published(item: Publication) -> Message:
    return Message(item.topic, item.payload, retained=False, at=0, sequence=1)


def able(entity: Entity, name: str) -> Capability:
    found = entity.capability(name)
    assert found is not None
    return found


PLUG = {"ids": ["p1"], "name": "Washer plug", "sa": "Laundry", "mf": "Maker"}


# -- keys


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


# -- devices and their components


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
        "switch.child": ("Washer plug Child lock",),
    }
    plug = finds["switch.relay"].entity
    assert plug.type == "plug"
    assert [(item.name, item.attribute) for item in plug.capabilities] == [
        ("on_off", "state"),
        ("read", "power"),
        ("read", "signal_strength"),
    ]
    assert heard(plug, "p/power", "4.2") == {"power": 4.2}
    assert heard(plug, "p/state", "ON") == {"state": "on"}
    assert finds["switch.relay"].area == "Laundry"
    assert finds["switch.child"].entity.tags == {"essential", "setting"}
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


# -- lights


def test_a_light_with_a_topic_for_each_thing() -> None:
    lamp = one(
        "light",
        cmd_t="l/set",
        stat_t="l",
        bri_cmd_t="l/bri/set",
        bri_stat_t="l/bri",
        clr_temp_cmd_t="l/ct/set",
        clr_temp_stat_t="l/ct",
        hs_cmd_t="l/hs/set",
        hs_stat_t="l/hs",
        min_mirs=200,
        max_mirs=400,
        fx_cmd_t="l/fx/set",
        fx_stat_t="l/fx",
        fx_list=["Fire", "Sea Wave"],
    )
    assert [item.name for item in lamp.capabilities] == ["on_off", "brightness", "color_temp", "color", "option"]
    assert (able(lamp, "color_temp").minimum, able(lamp, "color_temp").maximum) == (2500, 5000)
    assert sent(lamp, ("state", "off")) == [("l/set", "OFF")]
    assert sent(lamp, ("brightness", 50)) == [("l/bri/set", "128"), ("l/set", "ON")]
    assert sent(lamp, ("brightness", 0)) == [("l/set", "OFF")]
    assert sent(lamp, ("color_temp", 4000)) == [("l/ct/set", "250"), ("l/set", "ON")]
    assert sent(lamp, ("color", "#00ff00")) == [("l/hs/set", "120,100"), ("l/set", "ON")]
    assert sent(lamp, ("option", "sea wave")) == [("l/fx/set", "Sea Wave")]
    assert sent(lamp, ("volume", 3)) == []
    assert heard(lamp, "l/bri", "255") == {"brightness": 100}
    assert heard(lamp, "l/ct", "250") == {"color_temp": 4000}
    assert heard(lamp, "l/hs", "240,100") == {"color": "#0000ff"}
    assert heard(lamp, "l/fx", "Fire") == {"option": "fire"}
    assert heard(lamp, "l", "what?") is None
    assert heard(lamp, "elsewhere", "ON") is None


def test_on_goes_first_or_is_the_brightness() -> None:
    common = {"cmd_t": "l/set", "bri_cmd_t": "l/bri", "bri_scl": 100}
    assert sent(one("light", on_cmd_type="first", **common), ("brightness", 40)) == [("l/set", "ON"), ("l/bri", "40")]
    dimmer = one("light", on_cmd_type="brightness", **common)
    assert sent(dimmer, ("brightness", 40)) == [("l/bri", "40")]
    assert sent(dimmer, ("state", "on")) == [("l/bri", "100")]
    assert sent(dimmer, ("state", "off")) == [("l/set", "OFF")]


def test_colour_commands_made_by_a_template_or_with_white_channels() -> None:
    lamp = one(
        "light", cmd_t="l/set", rgb_cmd_t="l/rgb", rgb_cmd_tpl="{{ '#%02x%02x%02x' | format(red, green, blue) }}"
    )
    assert sent(lamp, ("color", "#0a0b0c"))[0] == ("l/rgb", "#0a0b0c")
    lamp = one("light", cmd_t="l/set", rgbww_cmd_t="l/rgbww")
    assert sent(lamp, ("color", "#ff0000"))[0] == ("l/rgbww", "255,0,0,0,0")


def test_a_light_that_speaks_json() -> None:
    lamp = one(
        "light", schema="json", cmd_t="l/set", stat_t="l", sup_clrm=["color_temp", "xy"], clr_temp_k=True, bri_scl=100
    )
    (said,) = sent(lamp, ("color_temp", 3000), ("brightness", 30))
    assert json.loads(said[1]) == {"state": "ON", "color_temp": 3000, "brightness": 30}
    assert sent(lamp, ("state", "off")) == [("l/set", '{"state":"OFF"}')]
    (said,) = sent(lamp, ("color", "#ff0000"))
    assert json.loads(said[1])["color"].keys() == {"x", "y"}
    state = {"state": "ON", "brightness": 50, "color_temp": 3000, "color": {"x": 0.7, "y": 0.3}}
    assert heard(lamp, "l", {**state, "color_mode": "color_temp"}) == {
        "state": "on",
        "brightness": 50,
        "color_temp": 3000,
    }
    found = heard(lamp, "l", {**state, "color_mode": "xy"})
    assert found is not None
    assert found.keys() == {"state", "brightness", "color"}


def test_a_light_made_of_templates() -> None:
    lamp = one(
        "light",
        schema="template",
        cmd_t="l/set",
        stat_t="l",
        cmd_on_tpl="on,{{ brightness | d }},{{ red | d }}-{{ green | d }}-{{ blue | d }}",
        cmd_off_tpl="off",
        stat_tpl="{{ value.split(',')[0] }}",
        bri_tpl="{{ value.split(',')[1] }}",
        r_tpl="{{ value.split(',')[2].split('-')[0] }}",
        g_tpl="{{ value.split(',')[2].split('-')[1] }}",
        b_tpl="{{ value.split(',')[2].split('-')[2] }}",
    )
    assert sent(lamp, ("state", "off")) == [("l/set", "off")]
    assert sent(lamp, ("state", "on")) == [("l/set", "on,,--")]
    assert sent(lamp, ("brightness", 20), ("color", "#102030")) == [("l/set", "on,51,16-32-48")]
    assert heard(lamp, "l", "on,51,16-32-48") == {"state": "on", "brightness": 20, "color": "#102030"}


# -- what moves


def test_a_cover_upside_down() -> None:
    blind = one(
        "cover",
        cmd_t="c/set",
        pl_open="up",
        pl_cls="down",
        pl_stop="halt",
        pos_t="c/pos",
        set_pos_t="c/pos/set",
        pos_open=0,
        pos_clsd=100,
        dev_cla="shutter",
    )
    assert blind.type == "shutter"
    assert able(blind, "open_close").stoppable
    assert sent(blind, ("state", "closed")) == [("c/set", "down")]
    assert sent(blind, ("command", "stop")) == [("c/set", "halt")]
    assert sent(blind, ("position", 30)) == [("c/pos/set", "70")]
    assert heard(blind, "c/pos", "100") == {"position": 0, "state": "closed"}
    assert heard(blind, "c/pos", "0") == {"position": 100, "state": "open"}


def test_a_cover_that_stopped_is_where_it_is() -> None:
    shutter = one("cover", cmd_t="c", stat_t="s", stat_stopped="idle", pos_t="p", val_tpl="{{ value_json.s }}")
    assert heard(shutter, "s", {"s": "opening"}) == {"state": "opening"}
    assert heard(shutter, "s", {"s": "idle"}) == {}
    assert heard(shutter, "p", "0") == {"position": 0, "state": "closed"}
    together = one(
        "cover", cmd_t="c", stat_t="s", pos_t="s", val_tpl="{{ value_json.s }}", pos_tpl="{{ value_json.p }}"
    )
    assert heard(together, "s", {"s": "closing", "p": 40}) == {"state": "closing", "position": 40}
    assert heard(together, "s", {"s": "stopped", "p": 40}) == {"state": "open", "position": 40}
    simple = one("cover", cmd_t="c", stat_t="s", pos_t="p")
    assert heard(simple, "p", "40") == {"position": 40}
    assert heard(simple, "s", "stopped") == {"state": "stopped"}


def test_slats_are_a_value_beside_the_blind() -> None:
    _, finds = told(
        {
            "cover/x": {
                "name": "Study blind",
                "uniq_id": "x",
                "cmd_t": "c",
                "stat_t": "s",
                "tilt_cmd_t": "c/tilt",
                "tilt_status_t": "s/tilt",
                "tilt_max": 90,
            }
        }
    )
    slats = finds["number.x.tilt"].entity
    assert slats.names == ("Study blind tilt",)
    assert sent(slats, ("value", 50)) == [("c/tilt", "45")]
    assert heard(slats, "s/tilt", "90") == {"value": 100}
    assert finds["cover.x"].entity.names == ("Study blind",)


def test_a_valve_with_a_position_and_one_without() -> None:
    valve = one("valve", cmd_t="v/set", stat_t="v", pos=True)
    assert heard(valve, "v", "0") == {"position": 0, "state": "closed"}
    assert heard(valve, "v", {"position": 60, "state": "opening"}) == {"position": 60, "state": "open"}
    assert sent(valve, ("state", "open")) == [("v/set", "100")]
    valve = one("valve", cmd_t="v/set", stat_t="v")
    assert heard(valve, "v", "closing") == {"state": "closing"}
    assert heard(valve, "v", {"state": "open"}) == {"state": "open"}
    assert sent(valve, ("state", "closed")) == [("v/set", "CLOSE")]


def test_a_mower_has_a_topic_for_each_command() -> None:
    mower = one("lawn_mower", act_stat_t="m", strt_mw_cmd_t="m/start", pause_cmd_t="m/pause", dock_cmd_t="m/dock")
    assert mower.type == "lawn_mower"
    assert sent(mower, ("command", "start")) == [("m/start", "start_mowing")]
    assert sent(mower, ("command", "dock")) == [("m/dock", "dock")]
    assert heard(mower, "m", "mowing") == {"state": "mowing"}


def test_a_lock_that_is_jammed_is_not_locked() -> None:
    lock = one("lock", cmd_t="l/set", stat_t="l")
    assert heard(lock, "l", "LOCKED") == {"state": "locked"}
    assert heard(lock, "l", "JAMMED") == {"state": "unlocked"}
    assert heard(lock, "l", "LOCKING") is None
    assert sent(lock, ("state", "unlocked")) == [("l/set", "UNLOCK")]


# -- air


def test_an_air_conditioner_is_on_by_its_mode() -> None:
    cooler = one(
        "climate",
        mode_cmd_t="a/mode/set",
        mode_stat_t="a/mode",
        modes=["off", "cool", "heat"],
        temp_cmd_t="a/temp/set",
        temp_stat_t="a/temp",
        fan_mode_cmd_t="a/fan/set",
        fan_mode_stat_t="a/fan",
        fan_modes=["Low", "High"],
        swing_mode_cmd_t="a/swing/set",
        swing_modes=["off", "vertical"],
        pr_mode_cmd_t="a/pre/set",
        pr_modes=["eco", "away"],
    )
    assert cooler.type == "air_conditioner"
    assert sent(cooler, ("state", "on")) == [("a/mode/set", "cool")]
    assert sent(cooler, ("state", "off")) == [("a/mode/set", "off")]
    assert sent(cooler, ("state", "on"), ("mode", "heat")) == [("a/mode/set", "heat")]
    assert sent(cooler, ("speed", "high")) == [("a/fan/set", "High")]
    assert sent(cooler, ("swing", "vertical")) == [("a/swing/set", "vertical")]
    assert sent(cooler, ("preset", "eco")) == [("a/pre/set", "eco")]
    assert heard(cooler, "a/mode", "off") == {"state": "off"}
    assert heard(cooler, "a/mode", "heat") == {"state": "on", "mode": "heat"}


@pytest.mark.parametrize(
    ("name", "modes", "kind"),
    [
        ("Den", ["off", "heat"], "thermostat"),
        ("Den", ["off", "heat", "cool", "heat_cool"], "thermostat"),
        ("Den", ["off", "cool", "heat", "dry", "fan_only"], "air_conditioner"),
        ("Den", ["off", "cool"], "air_conditioner"),
        ("Den thermostat", ["off", "cool", "fan_only"], "thermostat"),
        ("Towel heater", ["off", "heat"], "heater"),
    ],
)
def test_what_sort_of_climate_it_is(name: str, modes: list[str], kind: str) -> None:
    assert one("climate", name=name, mode_cmd_t="c", modes=modes).type == kind


def test_a_fan_counts_in_its_own_speeds() -> None:
    fan = one(
        "fan",
        cmd_t="f/set",
        stat_t="f",
        pct_cmd_t="f/pct/set",
        pct_stat_t="f/pct",
        spd_rng_min=1,
        spd_rng_max=4,
        osc_cmd_t="f/osc/set",
        osc_stat_t="f/osc",
        pr_mode_cmd_t="f/pre/set",
        pr_modes=["auto"],
    )
    assert able(fan, "fan_speed").step == 25
    assert sent(fan, ("speed", 50)) == [("f/pct/set", "2")]
    assert sent(fan, ("speed", 1)) == [("f/pct/set", "1")]
    assert heard(fan, "f/pct", "3") == {"speed": 75}
    assert sent(fan, ("swing", "on")) == [("f/osc/set", "oscillate_on")]


def test_a_humidifier_measures_and_is_set() -> None:
    mist = one(
        "humidifier",
        cmd_t="h/set",
        stat_t="h",
        hum_cmd_t="h/hum/set",
        hum_stat_t="h/hum",
        curr_hum_t="h/now",
        min_hum=40,
        max_hum=70,
        modes=["auto", "sleep"],
        mode_cmd_t="h/mode/set",
    )
    assert (able(mist, "humidity").minimum, able(mist, "humidity").maximum) == (40, 70)
    assert heard(mist, "h/now", "45.5") == {"current_humidity": 45.5}
    assert sent(mist, ("humidity", 50)) == [("h/hum/set", "50")]


# -- small things


@pytest.mark.parametrize(
    ("component", "config", "attribute", "payload", "expected"),
    [
        ("binary_sensor", {"dev_cla": "door"}, "contact", "ON", "on"),
        ("binary_sensor", {"dev_cla": "motion", "pl_on": "1", "pl_off": "0"}, "motion", "0", "off"),
        ("binary_sensor", {"dev_cla": "occupancy", "val_tpl": "{{ value_json.n > 0 }}", "pl_on": True, "pl_off": False},
         "occupancy", '{"n": 2}', "on"),
        ("sensor", {"dev_cla": "humidity", "unit_of_meas": "%"}, "humidity", "51.2", 51.2),
        ("sensor", {"dev_cla": "carbon_dioxide", "unit_of_meas": "ppm"}, "co2", "612", 612),
        ("sensor", {"unit_of_meas": "lux"}, "illuminance", "80", 80),
        ("sensor", {"dev_cla": "enum", "ops": ["Idle", "Rinse"]}, "state", "Rinse", "rinse"),
        ("sensor", {"unit_of_meas": "W", "dev_cla": "power"}, "power", "nan", None),
        ("device_tracker", {"src_type": "bluetooth_le"}, "location", "not_home", "not_home"),
        ("device_tracker", {"pl_home": "in"}, "location", "in", "home"),
        ("device_tracker", {}, "location", "Kitchen", "kitchen"),
    ],
)  # fmt: skip
def test_what_tells_one_thing(
    component: str, config: dict[str, Any], attribute: str, payload: str, expected: Value | None
) -> None:
    entity = one(component, stat_t="t", **config)
    assert [item.attribute for item in entity.capabilities] == [attribute]
    assert (heard(entity, "t", payload) or {}).get(attribute) == expected


def test_numbers_choices_buttons_scenes_and_sirens() -> None:
    number = one("number", cmd_t="n/set", stat_t="n", min=5, max=60, step=5, unit_of_meas="min")
    assert (able(number, "value").maximum, able(number, "value").unit) == (60, "min")
    assert sent(number, ("value", 30)) == [("n/set", "30")]
    choice = one("select", cmd_t="s/set", stat_t="s", ops=["Quick Wash", "Cotton"])
    assert sent(choice, ("option", "quick wash")) == [("s/set", "Quick Wash")]
    assert heard(choice, "s", "Cotton") == {"option": "cotton"}
    assert sent(one("button", cmd_t="b", pl_prs="go"), ("command", "activate")) == [("b", "go")]
    scene = one("scene", cmd_t="s", pl_on="7")
    assert scene.kind == "scene"
    assert sent(scene, ("command", "activate")) == [("s", "7")]
    siren = one("siren", cmd_t="s", stat_t="t")
    assert sent(siren, ("state", "on")) == [("s", '{"state":"ON"}')]
    assert heard(siren, "t", {"state": "OFF"}) == {"state": "off"}
    assert heard(siren, "t", "ON") == {"state": "on"}


def test_an_alarm_that_wants_a_code_is_not_disarmed() -> None:
    open_one = one("alarm_control_panel", cmd_t="a", stat_t="s")
    assert "disarmed" in able(open_one, "arm").options
    coded = one("alarm_control_panel", cmd_t="a", stat_t="s", code="1234")
    assert sent(coded, ("state", "disarmed")) == []
    assert heard(coded, "s", "armed_away") == {"state": "armed_away"}


def test_availability_on_several_topics() -> None:
    topics = [{"t": "a", "pl_avail": "up", "pl_not_avail": "down"}, {"t": "b", "val_tpl": "{{ value_json.s }}"}]

    def reachable(mode: str, **said: bool) -> bool | None:
        return HOUSE.reachable(one("switch", cmd_t="c", avty=topics, avty_mode=mode), said)

    entity = one("switch", cmd_t="c", avty=topics)
    assert HOUSE.availability(entity, message("a", b"up")) is True
    assert HOUSE.availability(entity, message("a", b"online")) is None
    assert HOUSE.availability(entity, message("b", {"s": "offline"})) is False
    assert reachable("all", a=True) is None
    assert reachable("all", a=True, b=True) is True
    assert reachable("all", b=False) is False
    assert reachable("any", a=False) is None
    assert reachable("any", a=False, b=True) is True
    assert reachable("latest", a=True, b=False) is False


def test_what_is_optimistic_does_not_speak_for_itself() -> None:
    def candid(**config: Any) -> bool:
        address = one("switch", cmd_t="c", **config).address
        return address is not None and address.options.get("optimistic") is False

    assert candid(stat_t="s")
    assert not candid(stat_t="s", opt=True)
    assert not candid()


def test_a_bridge_that_repeats_what_it_was_told_does_not_speak_for_itself() -> None:
    bridge = {"o": {"name": "Zigbee2MQTT"}}
    for config in (bridge, {"dev": {"ids": "1", "name": "Lamp", "sw": "Zigbee2MQTT 1.33.0"}}):
        address = one("light", cmd_t="z/lamp/set", stat_t="z/lamp", **config).address
        assert address is not None
        assert "optimistic" not in address.options


def test_what_a_thermostat_does_now_and_what_a_boiler_is_set_to() -> None:
    heater = one("climate", mode_cmd_t="h/set", mode_stat_t="h", modes=["off", "heat"], act_t="h/does")
    assert heard(heater, "h/does", "heating") == {"running": "on"}
    assert heard(heater, "h/does", "idle") == {"running": "off"}
    boiler = one("number", cmd_t="b/set", stat_t="b", dev_cla="temperature", unit_of_meas="°C", min=30, max=70)
    assert able(boiler, "temperature").maximum == 70
    assert sent(boiler, ("temperature", 55)) == [("b/set", "55")]


def test_chinese_names_of_what_is_measured_are_as_good() -> None:
    device = {"ids": ["c"], "name": "客厅插座"}
    _, finds = told(
        {
            "switch/c": {"name": None, "uniq_id": "c", "cmd_t": "c/set", "stat_t": "c", "dev": device},
            "sensor/c": {
                "name": "功率",
                "uniq_id": "cw",
                "dev_cla": "power",
                "unit_of_meas": "W",
                "stat_t": "c/w",
                "dev": device,
            },
        }
    )
    (find,) = finds.values()
    assert find.entity.names == ("客厅插座",)
    assert find.entity.type == "plug"
    assert find.entity.reads("power") is not None


def test_two_relays_named_after_their_device() -> None:
    device = {"ids": ["t"], "name": "Tasmota"}
    _, finds = told(
        {
            f"switch/t{number}": {"name": name, "uniq_id": f"t{number}", "cmd_t": f"t/{number}", "dev": device}
            for number, name in ((1, "Tasmota"), (2, "Tasmota2"))
        }
    )
    assert [find.entity.names[0] for find in finds.values()] == ["Tasmota", "Tasmota2"]


@pytest.mark.parametrize("payload", ["None", "unknown", "unavailable", ""])
def test_what_is_not_known_is_not_told(payload: str) -> None:
    assert not heard(one("device_tracker", stat_t="t"), "t", payload)
    assert not heard(one("sensor", stat_t="t"), "t", payload)


def test_one_change_among_many_leaves_the_others_as_they_are() -> None:
    source, before = told({f"light/{n}": {"uniq_id": str(n), "name": f"Lamp {n}", "cmd_t": f"c/{n}"} for n in range(3)})
    source.take(message("homeassistant/light/1/config", {"uniq_id": "1", "name": "Other", "cmd_t": "c/1"}))
    after = {find.entity.id: find for find in source.finds()}
    assert after["light.1"].entity.names == ("Other",)
    assert after["light.0"] is before["light.0"]
    assert after["light.2"] is before["light.2"]


# -- anything

KEYS = [
    *("stat_t", "cmd_t", "val_tpl", "name", "uniq_id", "dev", "o", "cmps", "p", "~", "avty", "avty_t", "schema"),
    *("brightness", "bri_cmd_t", "bri_scl", "sup_clrm", "fx_list", "min_mirs", "max_mirs", "pos_t", "set_pos_t"),
    *("pos_open", "pos_clsd", "modes", "mode_cmd_t", "temp_cmd_t", "min_temp", "max_temp", "pct_cmd_t", "spd_rng_min"),
    *("spd_rng_max", "ops", "min", "max", "ids", "cns", "sa", "t", "pl_on", "code", "exp_aft", "tilt_cmd_t", "dev_cla"),
]
SAID = st.sampled_from(
    ["json", "template", "a/b", "~/c", "{{ value_json.x }}", "{{ value|int }}", "off", "ON", "+/#", ""]
)
ANYTHING: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6) | SAID,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KEYS) | st.text(max_size=3), inner, max_size=6)
    ),
    max_leaves=20,
)
COMPONENTS = (
    *(
        "alarm_control_panel",
        "binary_sensor",
        "button",
        "climate",
        "cover",
        "device",
        "device_tracker",
        "fan",
        "humidifier",
    ),
    *("lawn_mower", "light", "lock", "number", "scene", "select", "sensor", "siren", "switch", "vacuum", "valve"),
    *("water_heater", "update", "other"),
)


@given(
    st.sampled_from(COMPONENTS),
    st.dictionaries(st.sampled_from(KEYS), ANYTHING | SAID, max_size=12),
    st.binary(max_size=30),
)
def test_no_announcement_and_no_payload_breaks_it(component: str, config: dict[str, Any], payload: bytes) -> None:
    source = HomeAssistantSource()
    source.take(message(f"homeassistant/{component}/a/config", config))
    source.take(message(f"homeassistant/{component}/b/config", payload or b"["))
    for find in source.finds():
        entity = find.entity
        assert entity.names
        assert all(0 < len(name) <= 80 for name in entity.names)
        for topic in HOUSE.filters(entity):
            heard = Message(topic, payload, retained=False, at=0, sequence=1)
            assert HOUSE.availability(entity, heard) in (True, False, None)
            found = HOUSE.decode(entity, heard) or {}
            assert found.keys() <= {item.attribute for item in entity.capabilities}
        for capability in entity.capabilities:
            for value in samples(capability):
                HOUSE.encode(entity, [Change(capability.attribute, value)])


def samples(capability: Capability) -> list[Value]:
    """Values that a capability should take."""
    states: dict[str, list[Value]] = {
        "on_off": ["on", "off"],
        "open_close": ["open", "closed"],
        "lock": ["locked", "unlocked"],
        "color": ["#ff0000", "#3366cc"],
        "activate": ["activate"],
        "start_stop": [],
        "dock": [],
        "read": [],
    }
    if capability.name in states:
        return states[capability.name]
    if capability.options:
        return list(capability.options)
    low, high = capability.minimum or 0, 100 if capability.maximum is None else capability.maximum
    return [low, low + (high - low) / 2, high]


@pytest.mark.parametrize(
    ("component", "config"),
    [
        ("light", {"bri_cmd_t": "c/bri", "bri_stat_t": "s/bri", "rgb_cmd_t": "c/rgb", "rgb_stat_t": "s/rgb"}),
        ("light", {"schema": "json", "sup_clrm": ["rgb", "color_temp"], "fx_list": ["a", "b"]}),
        ("light", {"bri_cmd_t": "c/bri", "bri_stat_t": "s", "bri_val_tpl": "{{ value_json.b }}",
                   "stat_val_tpl": "{{ value_json.state }}", "bri_cmd_tpl": '{"b": {{ value }}}', "bri_scl": 100}),
        ("cover", {"pos_t": "s/pos", "set_pos_t": "c/pos"}),
        ("fan", {"pct_cmd_t": "c/pct", "pct_stat_t": "s/pct", "spd_rng_max": 5}),
        ("climate", {"mode_cmd_t": "c/mode", "mode_stat_t": "s/mode", "modes": ["off", "heat"], "temp_cmd_t": "c/t",
                     "temp_stat_t": "s/t"}),
        ("humidifier", {"hum_cmd_t": "c/hum", "hum_stat_t": "s/hum"}),
        ("lock", {}),
        ("valve", {"pos": True}),
        ("number", {}),
        ("select", {"ops": ["One", "Two"]}),
    ],
)  # fmt: skip
def test_house_and_device_understand_each_other(component: str, config: dict[str, Any]) -> None:
    entity = one(component, cmd_t="c", stat_t="s", **config)
    for capability in entity.capabilities:
        for value in samples(capability):
            publications = HOUSE.encode(entity, [Change(capability.attribute, value)])
            assert publications
            taken: dict[str, Value] = {}
            for publication in publications:
                taken |= SIDE.requested(entity, published(publication)) or {}
            said = {capability.attribute: value, **taken}
            assert same(capability.attribute, value, said[capability.attribute], capability)
            told: dict[str, Value] = {}
            for publication in SIDE.report(entity, {"mode": "heat", capability.attribute: value}):
                told |= HOUSE.decode(entity, published(publication)) or {}
            assert same(capability.attribute, value, told[capability.attribute], capability)

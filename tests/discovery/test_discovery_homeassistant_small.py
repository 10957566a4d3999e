"""Sensors, choices, alarms and what is believed of them, in Home Assistant's form."""

from __future__ import annotations

from typing import Any

import pytest

from daemon.core.entities import Value
from tests.discovery.announced import HOUSE, able, heard, message, one, sent, told


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
    assert able(coded, "arm").options == ()
    assert {"disarmed", "armed_home"} <= set(able(coded, "arm").coded)
    half = one("alarm_control_panel", cmd_t="a", stat_t="s", code="1234", code_arm_required=False)
    assert (able(half, "arm").coded, "armed_home" in able(half, "arm").options) == (("disarmed",), True)


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

"""Tasmota as it tells of itself (SetOption19 0, the default since version 9): payloads in the form of its firmware."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.core.entities import Entity, Value
from daemon.core.outcomes import Write
from daemon.discovery.tasmota import TasmotaSource
from daemon.mqtt.bus import Message
from daemon.mqtt.dialects import DIALECTS

DIALECT = DIALECTS["homeassistant"]


def config(**changes: Any) -> dict[str, Any]:
    """A socket with one relay."""
    empty: list[str | None] = [None] * 7
    options = {"4": 0, "11": 0, "13": 0, "17": 0, "20": 0, "30": 0, "68": 0, "73": 0, "82": 0, "114": 0, "117": 0}
    told: dict[str, Any] = {
        "ip": "192.0.2.7",
        "hn": "tasmota-17E7AE",
        "mac": "AABBCC17E7AE",
        "md": "Nous A1T",
        "sw": "13.1.0.1",
        "ver": 1,
    }
    told |= {"dn": "Tasmota", "fn": ["Coffee corner", *empty], "ty": 0, "if": 0, "lk": 0, "bat": 0, "dslp": 0}
    told |= {"ofln": "Offline", "onln": "Online", "state": ["OFF", "ON", "TOGGLE", "HOLD"], "so": options}
    told |= {"t": "tasmota_17E7AE", "ft": "%prefix%/%topic%/", "tp": ["cmnd", "stat", "tele"]}
    told |= {
        "rl": [1] + [0] * 31,
        "swc": [-1] * 28,
        "swn": [None] * 28,
        "btn": [0] * 32,
        "lt_st": 0,
        "sho": [],
        "sht": [],
    }
    return told | changes


def message(part: str, payload: object) -> Message:
    body = payload if isinstance(payload, bytes) else json.dumps(payload).encode()
    return Message(f"tasmota/discovery/AABBCC17E7AE/{part}", body, retained=True, at=0.0, sequence=1)


def found(told: dict[str, Any], sensors: dict[str, Any] | None = None) -> dict[str, Entity]:
    """The entities by their names."""
    source = TasmotaSource()
    source.take(message("config", told))
    if sensors is not None:
        source.take(message("sensors", {"sn": {"Time": "2026-01-01T00:00:00", **sensors}, "ver": 1}))
    assert source.problems() == {}
    return {find.entity.names[0]: find.entity for find in source.finds()}


def sent(entity: Entity, attribute: str, value: Value) -> list[tuple[str, str]]:
    told = DIALECT.encode(entity, [Write(entity.id, attribute, value, "set")])
    return [(item.topic, item.payload.decode()) for item in told]


def said(entity: Entity, topic: str, payload: object) -> dict[str, Value] | None:
    body = payload.encode() if isinstance(payload, str) else json.dumps(payload).encode()
    return DIALECT.decode(entity, Message(topic, body, retained=False, at=0.0, sequence=1))


def test_a_socket_with_one_relay_and_what_it_measures() -> None:
    energy = {
        "ENERGY": {"TotalStartTime": "2026", "Total": 1.5, "Yesterday": 0, "Power": 0, "Voltage": 230, "Current": 0}
    }
    [plug] = found(config(), energy).values()
    assert plug.names[0] == "Coffee corner"
    assert sent(plug, "state", "on") == [("cmnd/tasmota_17E7AE/POWER1", "ON")]
    for told in ({"POWER": "ON"}, {"POWER1": "ON"}):
        assert said(plug, "stat/tasmota_17E7AE/RESULT", told) == {"state": "on"}
    assert not said(plug, "stat/tasmota_17E7AE/RESULT", {"Dimmer": 5})
    seen = said(
        plug, "tele/tasmota_17E7AE/SENSOR", {"Time": "x", "ENERGY": {"Total": 1.6, "Power": 12, "Voltage": 231}}
    )
    assert seen == {"energy": 1.6, "power": 12, "voltage": 231}
    assert (
        DIALECT.availability(plug, Message("tele/tasmota_17E7AE/LWT", b"Offline", retained=True, at=0.0, sequence=1))
        is False
    )
    [get] = DIALECT.get(plug, ["state"])
    assert (get.topic, get.payload) == ("cmnd/tasmota_17E7AE/POWER1", b"")


def test_a_wall_switch_has_its_gangs_by_their_names() -> None:
    names = ["Stairs", "Landing", "Porch", None, None, None, None, None]
    gangs = found(config(dn="Hall switch", fn=names, rl=[1, 1, 1] + [0] * 29))
    assert len(gangs) == 3
    landing = next(item for name, item in gangs.items() if "Landing" in name)
    assert sent(landing, "state", "off") == [("cmnd/tasmota_17E7AE/POWER2", "OFF")]
    assert said(landing, "stat/tasmota_17E7AE/RESULT", {"POWER2": "ON"}) == {"state": "on"}
    assert not said(landing, "stat/tasmota_17E7AE/RESULT", {"POWER1": "ON"})


def test_topics_in_another_order_and_words_of_ones_own() -> None:
    told = config(
        ft="home/%topic%/%prefix%", t="coffee", tp=["cmnd", "stat", "tele"], state=["aus", "an", "TOGGLE", "HOLD"]
    )
    [plug] = found(told).values()
    assert sent(plug, "state", "on") == [("home/coffee/cmnd/POWER1", "an")]
    assert said(plug, "home/coffee/stat/RESULT", {"POWER": "aus"}) == {"state": "off"}


def test_results_by_command() -> None:
    [plug] = found(config(so={"4": 1})).values()
    assert said(plug, "stat/tasmota_17E7AE/POWER1", {"POWER1": "ON"}) == {"state": "on"}


@pytest.mark.parametrize(("subtype", "able"), [
    (1, {"on_off", "brightness"}),
    (2, {"on_off", "brightness", "color_temp"}),
    (3, {"on_off", "brightness", "color"}),
    (4, {"on_off", "brightness", "color"}),
    (5, {"on_off", "brightness", "color", "color_temp"}),
])  # fmt: skip
def test_lamps_can_what_their_channels_can(subtype: int, able: set[str]) -> None:
    [lamp] = found(config(rl=[2], lt_st=subtype)).values()
    assert lamp.type == "light"
    assert {item.name for item in lamp.capabilities} == able
    assert ("cmnd/tasmota_17E7AE/Dimmer", "40") in sent(lamp, "brightness", 40)
    told = {"POWER": "ON", "Dimmer": 40, "CT": 250, "HSBColor": "120,100,40", "Color": "006600"}
    seen = said(lamp, "stat/tasmota_17E7AE/RESULT", told) or {}
    assert (seen["state"], seen["brightness"]) == ("on", 40)
    if "color_temp" in able:
        assert ("cmnd/tasmota_17E7AE/CT", "250") in sent(lamp, "color_temp", 4000)
    if "color" in able and "color_temp" not in able:
        assert seen["color"] == "#00ff00"
        assert ("cmnd/tasmota_17E7AE/HSBColor", "240,100") in sent(lamp, "color", "#0000ff")


@pytest.mark.parametrize(("option", "position"), [(0, 30), (1, 70)])
def test_a_shutter_takes_two_relays(option: int, position: int) -> None:
    [shutter] = found(config(rl=[3, 3], sho=[option], fn=["Terrace shutter", None])).values()
    assert shutter.type == "shutter"
    assert sent(shutter, "state", "open") == [("cmnd/tasmota_17E7AE/Backlog", "ShutterOpen1")]
    assert sent(shutter, "command", "stop") == [("cmnd/tasmota_17E7AE/Backlog", "ShutterStop1")]
    assert sent(shutter, "position", 30) == [("cmnd/tasmota_17E7AE/ShutterPosition1", str(position))]
    told = said(
        shutter, "stat/tasmota_17E7AE/RESULT", {"Shutter1": {"Position": position, "Direction": 0, "Target": 30}}
    )
    assert (told or {})["position"] == 30


def test_a_board_that_only_measures() -> None:
    sensors = {"SI7021": {"Temperature": 21.4, "Humidity": 44.0}, "TempUnit": "C"}
    board = found(config(rl=[0] * 32, dn="Cellar"), sensors)
    readings = {item.attribute for entity in board.values() for item in entity.capabilities}
    assert readings == {"temperature", "humidity"}


def test_an_empty_message_takes_it_back() -> None:
    source = TasmotaSource()
    source.take(message("config", config()))
    version = source.version
    source.take(message("config", b""))
    assert (list(source.finds()), source.version > version) == ([], True)


def test_sensors_before_the_device_itself() -> None:
    source = TasmotaSource()
    source.take(message("sensors", {"sn": {"ENERGY": {"Power": 3}}}))
    assert list(source.finds()) == []
    source.take(message("config", config()))
    [plug] = [find.entity for find in source.finds()]
    assert {item.attribute for item in plug.capabilities} == {"state", "power"}


def test_a_key_that_would_be_a_template_is_left_out() -> None:
    evil = {"x'] }}{{ cycler.__init__ }}{{ ['": {"Temperature": 1}, "ENERGY": {"Power": 3}}
    [plug] = found(config(), evil).values()
    assert {item.attribute for item in plug.capabilities} == {"state", "power"}


@given(
    told=st.dictionaries(
        st.sampled_from(["dn", "fn", "t", "ft", "tp", "rl", "so", "lt_st", "sho", "state", "onln", "md"]),
        st.recursive(
            st.none() | st.integers() | st.text(max_size=8), lambda item: st.lists(item, max_size=4), max_leaves=6
        ),
    ),
    sensors=st.recursive(
        st.none() | st.integers() | st.text(max_size=8), lambda item: st.dictionaries(st.text(max_size=8), item)
    ),
)
def test_nothing_that_is_told_breaks_it(told: dict[str, Any], sensors: Any) -> None:
    source = TasmotaSource()
    source.take(message("sensors", {"sn": sensors}))
    source.take(message("config", config() | told))
    for find in source.finds():
        assert find.entity.names


@pytest.mark.parametrize("payload", [b"\xff\xfe", b"[1]", b"{" * 9, b"null"])
def test_what_is_no_object_is_told(payload: bytes) -> None:
    source = TasmotaSource()
    source.take(message("config", payload))
    assert list(source.problems()) == ["tasmota/discovery/AABBCC17E7AE/config"]


@pytest.mark.parametrize(
    ("device", "relay", "names"),
    [
        ("Workbench", "Bench lamp", ("Workbench Bench lamp", "Bench lamp")),
        ("Workbench", "Tasmota", ("Workbench",)),
        ("Workbench", "Workbench", ("Workbench",)),
        ("Tasmota", "Bench lamp", ("Bench lamp",)),
    ],
)
def test_one_relay_answers_to_both_names_that_it_was_given(device: str, relay: str, names: tuple[str, ...]) -> None:
    (entity,) = found(config(dn=device, fn=[relay, *[None] * 7])).values()
    assert entity.names == names

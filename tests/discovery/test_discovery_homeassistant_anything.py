"""No announcement and no payload does harm."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from daemon.act.values import same
from daemon.core.entities import Capability, Value
from daemon.discovery.find import Find
from daemon.discovery.homeassistant import HomeAssistantSource
from daemon.discovery.homeassistant import source as source_module
from daemon.discovery.homeassistant.assemble import assembled
from daemon.discovery.homeassistant.draft import Draft
from daemon.mqtt.bus import Message
from tests.discovery.announced import HOUSE, SIDE, message, one, published
from tests.mqtt.things import Change

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
@example("vacuum", {"stat_t": "json", "val_tpl": "json"}, b"")  # one that takes no commands, and has a battery
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


def test_a_device_that_nobody_foresaw_hides_no_other(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(drafts: Sequence[Draft]) -> Iterator[Find]:
        if drafts[0].config.topic.endswith("/b/config"):
            raise KeyError("b")
        return assembled(drafts)

    monkeypatch.setattr(source_module, "assembled", broken)
    source = HomeAssistantSource()
    for name in "abc":
        source.take(message(f"homeassistant/switch/{name}/config", {"uniq_id": name, "cmd_t": name, "name": name}))
    assert [find.entity.id for find in source.finds()] == ["switch.a", "switch.c"]
    assert source.problems() == {"homeassistant/switch/b/config": "could not be put together: KeyError"}

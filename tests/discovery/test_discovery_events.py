"""Buttons, knobs, cubes and bells: what tells of moments, from both sources of discovery."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from daemon.core.ir import Condition, Target
from daemon.discovery.zigbee2mqtt.device import learn
from daemon.home.events import Press, is_told, meant, offered, read
from daemon.mqtt.bus import Message
from daemon.mqtt.dialects import DIALECTS
from tests.discovery.announced import able, heard, one, told
from tests.discovery.test_discovery_zigbee2mqtt import binary, device, numeric

MODELS = Path(__file__).parent / "fixtures" / "zigbee_models.jsonl"


def actions(*values: str) -> dict[str, Any]:
    return {"type": "enum", "name": "action", "property": "action", "access": 1, "values": list(values)}


def switch(endpoint: str) -> dict[str, Any]:
    state = {**binary("state"), "property": f"state_{endpoint}", "endpoint": endpoint}
    return {"type": "switch", "endpoint": endpoint, "features": [state]}


def waits(kind: str, button: str | None = None) -> Condition:
    return Condition(Target(mention="button"), "event", value=kind, button=button)


@pytest.mark.parametrize(
    ("option", "kind", "button"),
    [
        ("single", "press", ""),
        ("tripple", "triple", ""),
        ("3_double", "double", "3"),
        ("hold_l2", "hold", "2"),
        ("button_4_long_press", "hold", "4"),
        ("right_click", "press", "right"),
        ("arrow_left_hold", "hold", "left"),
        ("brightness_move_down", "hold", "down"),
        ("brightness_step_up", "press", "up"),
        ("brightness_stop", "release", ""),
        ("up_hold_release", "release", "up"),
        ("off", "press", "off"),
        ("rotate_right", "rotate", "right"),
        ("flip180", "flip", ""),
        ("throw", "fall", ""),
        ("scene_3", "press", "scene 3"),
        ("双击", "double", ""),
        ("左键_长按", "hold", "left"),
    ],
)
def test_makers_words(option: str, kind: str, button: str) -> None:
    assert read(option) == Press(kind, button)


def test_what_only_says_what_happens_then_is_no_press() -> None:
    assert [item for item in ("manual_lock", "arm_all_zones", "recall_1", "single_left") if is_told(item)] == [
        "single_left"
    ]


def test_a_press_of_nobody_says_how_often_is_a_single_one() -> None:
    hue = ["on_press", "on_press_release", "on_hold", "up_press", "up_press_release"]
    assert meant(waits("press"), hue) == {"on_press_release", "up_press_release"}
    assert meant(waits("press", "on"), hue) == {"on_press_release"}
    assert meant(waits("hold", "on"), hue) == {"on_hold"}
    assert meant(waits("hold", "up"), hue) == set()
    assert meant(waits("press"), ["ring"]) == {"ring"}
    assert meant(waits("press", "左边"), ["single_left", "single_right", "single_both"]) == {"single_left"}
    assert meant(waits("rotate"), ["rotate_left", "rotate_right", "shake"]) == {"rotate_left", "rotate_right"}
    assert offered(["single", "press", "double", "wakeup"])[:2] == (Press("press"), Press("double"))


def test_a_remote_of_zigbee2mqtt() -> None:
    found = learn(device(1, "hall remote", [actions("single", "double"), numeric("battery", 0, 100, 1)]), "zigbee2mqtt")
    (entity,) = found.entities
    assert entity.type == "sensor"
    assert able(entity, "event").options == ("single", "double")
    assert entity.reads("event") is None, "a moment is no state"

    def says(payload: dict[str, Any]) -> dict[str, Any]:
        said = Message("zigbee2mqtt/hall remote", json.dumps(payload).encode(), retained=False, at=0, sequence=1)
        return dict(DIALECTS["zigbee2mqtt"].decode(entity, said) or {})

    assert says({"action": "double", "battery": 80}) == {"event": "double", "battery": 80}
    assert says({"action": "", "battery": 80}) == {"battery": 80}
    assert says({"action": None}) == {}
    assert says({"action": "sextuple"}) == {}


def test_each_gang_has_its_own_button_and_stays_a_switch() -> None:
    presses = actions("single_left", "double_left", "single_right", "single_left_right")
    found = learn(device(2, "wall", [switch("left"), switch("right"), presses]), "zigbee2mqtt")
    assert [able(item, "event").options for item in found.entities] == [
        ("single_left", "double_left"),
        ("single_right",),
    ]
    assert all(item.type == "switch" and item.capability("on_off") for item in found.entities)


def test_what_a_lock_tells_of_its_turning_is_no_button() -> None:
    models = [json.loads(line) for line in MODELS.read_text().splitlines()]
    told_of = {}
    for number, model in enumerate(models):
        found = learn(device(number, model["model"], model["exposes"]), "zigbee2mqtt")
        told_of[model["model"]] = {
            word for item in found.entities if (able_ := item.capability("event")) for word in able_.options
        }
    assert told_of["YRL226L TS"] == set()
    assert "single_plus" in told_of["TH-S04D"]


def test_an_event_entity_of_home_assistant() -> None:
    bell = one("event", stat_t="bell", dev_cla="doorbell", event_types=["press", "Long Press"])
    assert able(bell, "event").options == ("press", "long press")
    assert "doorbell" in bell.tags
    assert heard(bell, "bell", {"event_type": "press", "strength": 3}) == {"event": "press"}
    assert not heard(bell, "bell", {"event_type": "unheard of"})
    made = one("event", stat_t="b", evt_typ=["single"], val_tpl='{{ {"event_type": value_json.click} | to_json }}')
    assert heard(made, "b", {"click": "single"}) == {"event": "single"}


def test_the_triggers_of_one_device_are_one_button() -> None:
    def trigger(subtype: str, kind: str, payload: str) -> dict[str, Any]:
        own = {"ids": ["r1"], "name": "Den remote"}
        return {"atype": "trigger", "stype": subtype, "type": kind, "pl": payload, "t": "den/remote", "dev": own}

    _, finds = told(
        {
            "device_automation/r1/a": trigger("button_1", "button_short_press", "1s"),
            "device_automation/r1/b": trigger("button_2", "button_long_press", "2l"),
        }
    )
    (find,) = finds.values()
    entity = find.entity
    assert entity.names == ("Den remote",)
    assert offered(able(entity, "event").options) == (Press("press", "1"), Press("hold", "2"))
    assert heard(entity, "den/remote", "2l") == {"event": "button_2 button_long_press"}
    assert not heard(entity, "den/remote", "3x")


def test_several_events_of_a_device_are_told_apart_by_their_names() -> None:
    own = {"ids": ["s1"], "name": "Wall panel"}
    topics = {f"event/s1/{number}": {"name": f"Button {number}", "stat_t": f"p/{number}", "evt_typ": ["click"],
                                     "uniq_id": f"s{number}", "dev": own} for number in (1, 2)}  # fmt: skip
    battery = {"sensor/s1/b": {"dev_cla": "battery", "stat_t": "p/b", "unit_of_meas": "%", "uniq_id": "sb", "dev": own}}
    _, finds = told(topics | battery)
    (find,) = finds.values()
    assert [item.attribute for item in find.entity.capabilities] == ["battery", "event"]
    assert offered(able(find.entity, "event").options) == (Press("press", "1"), Press("press", "2"))
    assert heard(find.entity, "p/2", {"event_type": "click"}) == {"event": "button 2 click"}


def test_what_we_press_stays_what_it_is() -> None:
    ours = one("button", cmd_t="restart")
    assert ours.capability("activate") is not None
    assert ours.capability("event") is None


def test_what_says_that_nothing_happened_is_offered_to_nobody() -> None:
    assert offered(("none", "single", "double")) == (Press("press"), Press("double"))

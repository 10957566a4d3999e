"""The risks and the kill shots of the paper that this project started from, in both languages.

Here is what finding and deciding have to do with them; freshness (risk F, kill shot 2) is proven where devices answer.
"""

from collections.abc import Mapping
from typing import Any

import pytest

from daemon.core.resolution import ClauseResolution, Ruling
from tests.home.houses import House, clause_of, context_of, default_home


@pytest.fixture(scope="module")
def house() -> House:
    return House(default_home())


def decide(house: House, case: Mapping[str, Any]) -> tuple[ClauseResolution, Ruling]:
    return house.decide(clause_of(case), context_of(case))


@pytest.mark.parametrize("name", ["老伙计", "old friend"])
def test_risk_a_a_name_without_meaning_is_found(house: House, name: str) -> None:
    _, decision = decide(house, {"action": "open", "target": name})
    assert (decision.verdict, decision.entities) == ("act", ("old_friend",))


@pytest.mark.parametrize("target", [{"mention": "lamp", "kind": "lamp"}, {"mention": "灯", "kind": "light"}])
def test_risk_b_a_lamp_in_a_smart_plug_is_a_lamp(house: House, target: dict[str, str]) -> None:
    # Both other lights of the room are on, so only the plug can be meant by "turn on".
    states = {"living_ceiling": "on", "living_strip": "on", "old_friend": "off"}
    _, decision = decide(house, {"action": "turn_on", "target": target, "area": "living_room", "states": states})
    assert (decision.verdict, decision.entities) == ("act", ("old_friend",))


@pytest.mark.parametrize(
    ("mention", "entity", "verdict"),
    [
        ("curtain", "living_curtain", "act"),
        ("窗帘", "living_curtain", "act"),
        ("kettle", "kettle", "act"),
        ("烧水壶", "kettle", "act"),
        ("front door", "front_door_lock", "ask"),
        ("大门", "front_door_lock", "ask"),
        ("gas valve", "gas_valve", "ask"),
        ("燃气阀", "gas_valve", "ask"),
    ],
)
def test_risk_c_open_means_what_a_thing_can_do(house: House, mention: str, entity: str, verdict: str) -> None:
    _, decision = decide(house, {"action": "open", "target": mention})
    assert (decision.verdict, decision.entities) == (verdict, (entity,))


@pytest.mark.parametrize("mention", ["desk lamp", "台灯"])
def test_risk_e_equal_names_are_asked_by_area(house: House, mention: str) -> None:
    _, decision = decide(house, {"action": "open", "target": {"mention": mention, "kind": "lamp"}})
    assert decision.verdict == "ask"
    assert decision.dimension == "area"
    assert set(decision.options) == {"bedroom_desk_lamp", "study_desk_lamp"}


@pytest.mark.parametrize(
    "target",
    [
        {"kind": "light", "quantifier": "all", "floors": ["upstairs"]},
        {"kind": "light", "quantifier": "all", "floors": ["楼上"]},
        {"mention": "upstairs lights", "kind": "light", "quantifier": "all"},
        {"mention": "楼上的灯", "kind": "light"},
    ],
)
def test_kill_shot_1_a_set_is_never_cut_off(house: House, target: dict[str, Any]) -> None:
    found, decision = decide(house, {"action": "turn_off", "target": target})
    upper = {area.id for area in house.registry.areas if area.floor == "upper"}
    lights = {item.id for item in house.registry.devices if item.area in upper and item.type in ("light", "lamp")}
    assert len(lights) > 30
    assert decision.verdict == "act"
    assert set(found.entities) == lights


@pytest.mark.parametrize("area", ["bedroom", "卧室"])
@pytest.mark.parametrize("form", ["areas", "mention"])
def test_kill_shot_3_all_but_the_bedroom(house: House, area: str, form: str) -> None:
    spared = {"areas": [area]} if form == "areas" else {"mention": area}
    everything = {"kind": "light", "quantifier": "all", "whole_home": True}
    found, _ = decide(house, {"action": "turn_on", "target": everything, "except": spared})
    assert found.entities
    assert not {item for item in found.entities if house.registry[item].area == "bedroom"}
    assert {house.registry[item].area for item in found.entities} == {
        area.id for area in house.registry.areas if area.id != "bedroom"
    }


@pytest.mark.parametrize(
    ("mention", "kind"), [("sleepy lamp", "lamp"), ("kitchin", None), ("speakerphone system", None), ("话筒", None)]
)
def test_a_likeness_alone_never_acts(house: House, mention: str, kind: str | None) -> None:
    _, decision = decide(house, {"action": "turn_on", "target": {"mention": mention, "kind": kind}})
    assert decision.verdict != "act"

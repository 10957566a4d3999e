"""Finding in an untidy home: rooms that only names tell, sensors called like doors, two labs, odd covers."""

from typing import Any

import pytest

from daemon.core.entities import Entity
from daemon.core.values import replace
from daemon.home.capabilities import STANDARD, reading
from daemon.home.config import HomeConfig
from tests.home.houses import House, clause_of, context_of, default_home

WARM = {"attribute": "temperature", "value": 21, "unit": "C"}
ON = (STANDARD["on_off"], STANDARD["brightness"])
MEDIA = (STANDARD["on_off"], STANDARD["volume"], STANDARD["media_transport"])


def device(name: str, kind: str, area: str | None, *capabilities: Any) -> Entity:
    return Entity(
        name.lower().replace(" ", "_"), "device", (name,), type=kind, area=area, capabilities=capabilities or ON
    )


HOME = HomeConfig(
    (
        Entity("ground", "floor", ("Ground floor",)),
        *(
            Entity(name.lower().replace(" ", "_"), "area", (name,), floor="ground")
            for name in ("Bedroom", "Hall", "North lab", "South lab", "Garage", "Lounge")
        ),
        device("Bedroom Light", "light", "bedroom"),
        device("Nightstand", "light", "bedroom"),
        device("Bedroom Lantern", "light", None),
        device("Overhead Light", "light", None),
        device("Hall Light", "light", "hall"),
        device("Front Door", "sensor", "hall", reading("contact")),
        device("Front Door Lock", "lock", "hall", STANDARD["lock"]),
        device("Front Door Deadbolt", "lock", "hall", STANDARD["lock"]),
        device("Garage Entry Lock", "lock", "garage", STANDARD["lock"]),
        device("Garage Door Opener", "garage_door", "garage", STANDARD["open_close"]),
        replace(device("AC", "air_conditioner", "north_lab"), id="north_ac"),
        replace(device("AC", "air_conditioner", "south_lab"), id="south_ac"),
        device("Standing Desk", "cover", "lounge", STANDARD["open_close"]),
        device("Lounge Curtain", "cover", "lounge", STANDARD["open_close"]),
        device("Barn Gate", "cover", None, STANDARD["open_close"]),
        device("Screen", "tv", "lounge", *MEDIA),
        device("Boombox", "speaker", "lounge", *MEDIA),
        device("Lounge Temperature", "sensor", "lounge", reading("temperature")),
        device("Radiator", "heater", "lounge", STANDARD["temperature"]),
        device("Porch light", "switch", None, STANDARD["on_off"]),
        Entity("ann", "person", ("Ann",), capabilities=(reading("state"),)),
        replace(device("Secret", "light", "hall"), exposed=False),
    )
)


@pytest.fixture(scope="module")
def house() -> House:
    return House(HOME)


@pytest.mark.parametrize(
    ("case", "verdict", "entities"),
    [
        # The very name of the place and the kind goes before others there, but what is on goes before a name.
        ({"action": "turn_on", "target": {"kind": "light", "areas": ["bedroom"]}}, "act", {"bedroom_light"}),
        (
            {
                "action": "turn_off",
                "target": {"kind": "light", "areas": ["bedroom"]},
                "states": {"bedroom_light": "off", "nightstand": "on"},
            },
            "act",
            {"nightstand"},
        ),
        # A room that only a name tells: not in the set, but found by its name.
        (
            {"action": "turn_on", "target": {"kind": "light", "areas": ["bedroom"], "quantifier": "all"}},
            "act",
            {"bedroom_light", "nightstand"},
        ),
        ({"action": "turn_on", "target": "bedroom lantern"}, "act", {"bedroom_lantern"}),
        (
            {"action": "turn_on", "target": {"mention": "overhead light", "kind": "light", "areas": ["bedroom"]}},
            "act",
            {"overhead_light"},
        ),
        # A sensor of that name never stands in the way of an act, and answers a question.
        (
            {"action": "lock", "target": {"mention": "front door", "kind": "door"}},
            "act",
            {"front_door_lock", "front_door_deadbolt"},
        ),
        (
            {
                "intent": "query",
                "target": {"mention": "front door", "kind": "door"},
                "parameter": {"attribute": "state", "value": "open"},
            },
            "act",
            {"front_door"},
        ),
        (
            {
                "action": "set",
                "target": {"mention": "lounge temperature", "areas": ["lounge"]},
                "parameter": {"attribute": "temperature", "value": 21, "unit": "C"},
            },
            "act",
            {"radiator"},
        ),
        # "Garage door" is in the name of the opener; the lock in the garage is another thing.
        (
            {"action": "open", "target": {"mention": "garage door", "kind": "door", "areas": ["garage"]}},
            "ask",
            {"garage_door_opener"},
        ),
        # What its name says of a cover counts, for what it is and for how risky it is.
        ({"action": "open", "target": {"kind": "curtain", "quantifier": "all"}}, "act", {"lounge_curtain"}),
        ({"action": "open", "target": "barn gate"}, "ask", {"barn_gate"}),
        ({"action": "turn_on", "target": {"kind": "light", "quantifier": "all", "whole_home": True}}, "act", None),
        # A track is skipped on what plays music; which of the two is to be louder has to be asked.
        ({"action": "next", "target": {}, "area": "lounge"}, "act", {"boombox"}),
        ({"action": "next", "target": {"areas": ["lounge"]}}, "act", {"boombox"}),
        ({"action": "increase", "target": {}, "parameter": {"attribute": "volume"}, "area": "lounge"}, "ask", set()),
        # A description that says nothing to us, of one or of a few: a question, never an act.
        ({"action": "lock", "target": {"mention": "purple lock", "kind": "lock"}}, "ask", set()),
        (
            {"action": "set", "target": {"mention": "purple heater", "kind": "heater"}, "parameter": WARM},
            "ask",
            {"radiator"},
        ),
        # Two labs.
        ({"action": "turn_on", "target": {"mention": "lab ac", "kind": "air_conditioner"}}, "ask", set()),
        (
            {
                "action": "turn_on",
                "target": {"mention": "south lab ac", "kind": "air_conditioner", "areas": ["south lab"]},
            },
            "act",
            {"south_ac"},
        ),
        # Nobody is asked which light where the other half cannot be done.
        (
            {"action": "turn_on", "targets": [{"kind": "light"}, {"mention": "radiator"}]},
            "refuse",
            {"radiator"},
        ),
        # A place said once is shared.
        (
            {"action": "turn_on", "targets": [{"mention": "ac"}, {"kind": "air_conditioner", "areas": ["north lab"]}]},
            "act",
            {"north_ac"},
        ),
        # People.
        (
            {
                "intent": "query",
                "target": {"kind": "sensor", "quantifier": "any", "whole_home": True},
                "parameter": {"attribute": "occupancy", "value": "on"},
            },
            "act",
            {"ann"},
        ),
        # What is not exposed is not there, not even by its name.
        ({"action": "turn_on", "target": "secret"}, "refuse", {"secret"}),
        ({"action": "turn_on", "target": {"kind": "light", "areas": ["hall"]}}, "act", {"hall_light"}),
        # A name that is somewhere else is not acted on.
        ({"action": "turn_on", "target": {"mention": "nightstand", "areas": ["hall"]}}, "ask", {"nightstand"}),
    ],
    ids=lambda value: value.get("action") if isinstance(value, dict) else None,
)
def test_untidy_homes(house: House, case: dict[str, Any], verdict: str, entities: set[str] | None) -> None:
    found, decision = house.decide(clause_of(case), context_of(case))
    assert decision.verdict == verdict, (decision, found)
    if entities is not None:
        assert set(decision.entities) == entities, found


def test_a_switch_called_light_is_one_of_the_lights(house: House) -> None:
    everything = {"action": "turn_off", "target": {"kind": "light", "quantifier": "all", "whole_home": True}}
    _, decision = house.decide(clause_of(everything), context_of({}))
    assert "porch_light" in decision.entities
    assert "secret" not in decision.entities


def test_the_rounds_tell_how_it_was_found(house: House) -> None:
    found = house.resolve(
        clause_of({"action": "lock", "target": {"mention": "front door", "kind": "door"}}), context_of({})
    )
    rounds = found.targets[0].rounds
    assert rounds[0].name == "exact"
    assert rounds[-1].decision == "stop"
    assert all(item.reason for item in rounds)


@pytest.mark.parametrize(
    ("area", "target", "measuring"),
    [
        ("bedroom", {}, {"bedroom_climate"}),  # the room that hears it
        ("living_room", {}, {"living_climate", "living_ac"}),
        (None, {}, {"living_climate", "living_ac"}),  # the room of what is acted on
        ("garage", {}, {"living_climate", "living_ac"}),  # ... also where the room that hears it measures nothing
        ("bedroom", {"areas": ["study"]}, {"study_co2"}),  # the room that was said
        ("study", {"reference": "here"}, {"study_co2"}),
    ],
)
def test_where_a_condition_is_measured(area: str | None, target: dict[str, Any], measuring: set[str]) -> None:
    warm = {"target": target, "attribute": "temperature", "comparator": "gt", "value": 26}
    case = {"action": "turn_on", "target": "ac", "conditions": [warm], "area": area}
    found = House(default_home()).resolve(clause_of(case), context_of(case))
    assert set(found.conditions[0].entities) == measuring


def test_a_condition_on_all_the_house_is_measured_everywhere() -> None:
    warm = {"target": {}, "attribute": "temperature", "comparator": "gt", "value": 26}
    case = {"action": "turn_on", "target": "printer", "conditions": [{**warm, "attribute": "co2"}, warm]}
    found = House(default_home()).resolve(clause_of(case), context_of(case))
    assert found.conditions[0].entities == ("study_co2",)
    case["target"] = "landing spot 1"
    found = House(default_home()).resolve(clause_of(case), context_of(case))
    assert {"thermostat", "living_ac", "bedroom_climate"} < set(found.conditions[1].entities)


@pytest.mark.parametrize("name", ["Bathroom", "浴室"])
def test_equal_names_on_two_floors_are_asked_for(name: str) -> None:
    floors = (Entity("up", "floor", ("Upstairs", "楼上")), Entity("down", "floor", ("Downstairs", "楼下")))
    areas = tuple(Entity(f"bath_{item.id}", "area", ("Bathroom", "浴室"), floor=item.id) for item in floors)
    lights = tuple(
        replace(device(f"{word} {area.id}", "light", area.id), id=f"{word}_{area.id}")
        for area in areas
        for word in ("mirror", "ceiling")
    )
    house = House(HomeConfig((*floors, *areas, *lights)))
    case: dict[str, Any] = {"action": "turn_on", "target": {"kind": "light", "areas": [name]}}
    states = {item.id: "off" if item.id == "mirror_bath_up" else "on" for item in lights}
    for known in ({}, states):
        found, decision = house.decide(clause_of(case), context_of({**case, "states": known}))
        assert decision.reason == "which", found
        assert set(decision.options) == {"bath_up", "bath_down"}
    case["target"]["floors"] = ["Upstairs"]
    _, decision = house.decide(clause_of(case), context_of(case))
    assert set(decision.entities) == {"mirror_bath_up", "ceiling_bath_up"}


TWINS = HomeConfig(
    (
        Entity("attic", "area", ("Attic", "阁楼")),
        Entity("hallway", "area", ("Hallway",)),
        replace(device("Skylight", "cover", "attic", STANDARD["open_close"]), id="pane"),
        replace(device("Skylight", "light", "attic"), id="glow"),
        replace(device("Skylight", "sensor", "attic", reading("contact")), id="feeler"),
        replace(device("Hatch", "sensor", "attic", reading("state")), id="hatch"),
        replace(device("Update", "sensor", "attic", reading("state")), id="update"),
        device("Hall lamp", "lamp", "hallway"),
    )
)


@pytest.mark.parametrize(
    ("case", "verdict", "entities"),
    [
        # Of one name, what can do it.
        ({"action": "open", "target": "skylight"}, "act", {"pane"}),
        ({"action": "turn_on", "target": "skylight"}, "act", {"glow"}),
        (
            {"action": "set", "target": "skylight", "parameter": {"attribute": "brightness", "value": 40}},
            "act",
            {"glow"},
        ),
        ({"action": "set", "target": "skylight", "parameter": {"attribute": "position", "value": 40}}, "refuse", None),
        ({"action": "open", "target": {"mention": "skylight", "kind": "light"}}, "act", {"glow"}),
        # 打开 is also what one does to a light.
        ({"action": "open", "target": "skylight", "lang": "zh"}, "ask", set()),
        # A sensor of nobody knows what answers for itself, not for the room.
        (
            {
                "intent": "query",
                "target": "hatch",
                "parameter": {"attribute": "state", "value": "open"},
            },
            "act",
            {"hatch"},
        ),
        (
            {
                "intent": "query",
                "target": {"areas": ["attic"], "quantifier": "any"},
                "parameter": {"attribute": "state", "value": "open"},
            },
            "act",
            {"feeler", "pane"},
        ),
        # The beginning of a place's name is a guess at it.
        ({"action": "turn_on", "target": {"kind": "lamp", "areas": ["hall"]}}, "ask", {"hall_lamp"}),
        ({"action": "turn_on", "target": {"kind": "lamp", "areas": ["ha"]}}, "refuse", None),
    ],
)
def test_names_shared_and_names_cut_short(case: dict[str, Any], verdict: str, entities: set[str] | None) -> None:
    found, decision = House(TWINS).decide(clause_of(case), context_of(case))
    assert decision.verdict == verdict, (decision, found)
    if entities is not None:
        assert set(decision.entities) == entities, found


def test_what_a_name_puts_into_the_room_is_none_of_its_lights() -> None:
    everything = {"action": "turn_off", "target": {"kind": "light", "quantifier": "all"}, "area": "bedroom"}
    _, decision = House(HOME).decide(clause_of(everything), context_of(everything))
    assert set(decision.entities) == {"bedroom_light", "nightstand"}

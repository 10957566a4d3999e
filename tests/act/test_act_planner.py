"""Clause and readings -> absolute writes, or what stands in the way."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.act.planner import needs, plan
from daemon.core.entities import Address, Capability, Entity, SceneStep, Value
from daemon.core.ir import Action, Attribute, Op, Order, Parameter, Unit
from daemon.core.outcomes import Observation, Plan, Problem, Source, Write
from daemon.home.registry import Registry

PERCENT: dict[str, Any] = {"minimum": 0, "maximum": 100, "unit": "%"}
ON_OFF = Capability("on_off", "state")


def thing(name: str, kind: str, *capabilities: Capability) -> Entity:
    return Entity(name, "device", (name,), type=kind, capabilities=capabilities, address=Address("plain", name))


HOME = Registry(
    [
        thing(
            "lamp",
            "light",
            ON_OFF,
            Capability("brightness", "brightness", **PERCENT),
            Capability("color", "color"),
            Capability("color_temp", "color_temp", minimum=2200, maximum=6500, unit="K"),
        ),
        thing("white", "light", ON_OFF, Capability("color_temp", "color_temp", minimum=2700, maximum=4000, unit="K")),
        thing("plug", "plug", ON_OFF),
        thing(
            "blinds",
            "blind",
            Capability("open_close", "state", stoppable=True),
            Capability("position", "position", **PERCENT),
        ),
        thing("garage", "garage_door", Capability("open_close", "state")),
        thing("door", "lock", Capability("lock", "state")),
        thing(
            "heating", "thermostat", Capability("temperature", "temperature", minimum=5, maximum=30, step=0.5, unit="C")
        ),
        thing("boiler", "thermostat", Capability("temperature", "temperature", minimum=40, maximum=95, unit="F")),
        thing(
            "ac",
            "air_conditioner",
            ON_OFF,
            Capability("temperature", "temperature", minimum=16, maximum=30, step=1, unit="C"),
            Capability("mode", "mode", options=("auto", "cool", "heat", "fan_only")),
            Capability("fan_speed", "speed", options=("auto", "low", "medium", "high")),
            Capability("swing", "swing", options=("off", "vertical")),
        ),
        thing("fan", "fan", ON_OFF, Capability("fan_speed", "speed", **PERCENT)),
        thing(
            "tv",
            "tv",
            ON_OFF,
            Capability("volume", "volume", **PERCENT),
            Capability("mute", "muted"),
            Capability("media_transport", "state"),
            Capability("media_select", "source", options=("hdmi 1", "netflix")),
        ),
        thing("robot", "vacuum", Capability("start_stop", "state"), Capability("dock", "command", readable=False)),
        Entity("movie", "scene", ("movie",)),
        Entity("bulb_scene", "scene", ("bulb scene",), address=Address("zigbee2mqtt", "zigbee2mqtt/group")),
    ]
)
SCENES = {"movie": (SceneStep("lamp", "brightness", 20), SceneStep("blinds", "state", "closed"))}


def clause(
    action: Action,
    attribute: Attribute | None = None,
    value: float | str | None = None,
    unit: Unit | None = None,
    op: Op = "set",
) -> Order:
    return Order(action, parameter=None if attribute is None else Parameter(attribute, op, value, unit))


def more(attribute: Attribute, value: float | None = None, unit: Unit | None = None) -> Order:
    return clause("increase", attribute, value, unit, "increase")


def less(attribute: Attribute, value: float | None = None, unit: Unit | None = None) -> Order:
    return clause("decrease", attribute, value, unit, "decrease")


def lit(brightness: float, state: str = "on") -> dict[str, Value]:
    return {"brightness": brightness, "state": state}


def planned(said: Order, *entities: str, source: Source = "reply", readings: Mapping[str, Value] | None = None) -> Plan:
    observed = {
        (entity, attribute): Observation(entity, attribute, value, source, 0.1)
        for entity in entities
        for attribute, value in (readings or {}).items()
    }
    return plan(said, entities, HOME, observed, SCENES)


@pytest.mark.parametrize(
    ("said", "entity", "attribute", "value"),
    [
        # a cluster takes the member that the device has
        (clause("turn_on"), "lamp", "state", "on"),
        (clause("open"), "plug", "state", "on"),
        (clause("open"), "garage", "state", "open"),
        (clause("open"), "door", "state", "unlocked"),
        (clause("close"), "door", "state", "locked"),
        (clause("close"), "lamp", "state", "off"),
        (clause("stop"), "blinds", "command", "stop"),
        (clause("stop"), "tv", "command", "stop"),
        (clause("start"), "robot", "command", "start"),
        (clause("dock"), "robot", "command", "dock"),
        (clause("next"), "tv", "command", "next"),
        (clause("mute"), "tv", "muted", True),
        (clause("set", "state", "off"), "lamp", "state", "off"),
        # absolute values
        (clause("set", "brightness", 40, "%"), "lamp", "brightness", 40),
        (clause("set", "brightness", 0, "%"), "lamp", "state", "off"),
        (clause("set", "brightness", op="max"), "lamp", "brightness", 100),
        (clause("set", "brightness", op="min"), "lamp", "brightness", 1),
        (clause("turn_on", "brightness", 30, "%"), "lamp", "brightness", 30),
        (clause("open", "position", 50, "%"), "blinds", "position", 50),
        (clause("set", "position", 0, "%"), "blinds", "position", 0),
        (clause("set", "value", 40, "%"), "blinds", "position", 40),
        (clause("set", "temperature", 21.3, "C"), "heating", "temperature", 21.5),
        (clause("set", "temperature", 70, "F"), "heating", "temperature", 21),
        (clause("set", "temperature", 20, "C"), "boiler", "temperature", 68),
        (clause("set", "temperature", 68), "boiler", "temperature", 68),
        (clause("set", "color", "red"), "lamp", "color", "#ff0000"),
        (clause("set", "color", "#12AB34"), "lamp", "color", "#12ab34"),
        (clause("set", "color", "warm white"), "lamp", "color_temp", 2700),
        (clause("set", "color", "white"), "white", "color_temp", 4000),
        (clause("set", "color_temp", "daylight"), "white", "color_temp", 4000),
        (clause("set", "color_temp", 3000, "K"), "lamp", "color_temp", 3000),
        # words
        (clause("set", "mode", "Cool"), "ac", "mode", "cool"),
        (clause("set", "mode", "fan only"), "ac", "mode", "fan_only"),
        (clause("set", "mode", "off"), "ac", "state", "off"),
        (clause("set", "source", "HDMI 1"), "tv", "source", "hdmi 1"),
        (clause("set", "speed", "high"), "ac", "speed", "high"),
        (clause("set", "speed", "high"), "fan", "speed", 100),
        (clause("set", "volume", "low"), "tv", "volume", 33),
        (clause("set", "speed", op="max"), "ac", "speed", "high"),
        (clause("set", "speed", op="min"), "ac", "speed", "low"),
        (clause("turn_off", "swing"), "ac", "swing", "off"),
        (clause("turn_on", "swing"), "ac", "swing", "vertical"),
    ],
)
def test_what_is_sent(said: Order, entity: str, attribute: str, value: Value) -> None:
    found = planned(said, entity)
    assert found.problems == ()
    assert [(item.entity, item.attribute, item.value) for item in found.writes] == [(entity, attribute, value)]
    # What is written says what was done, whatever the verb: "close" the lamp turns it off.
    done = {
        "on": "turn_on",
        "off": "turn_off",
        "open": "open",
        "closed": "close",
        "locked": "lock",
        "unlocked": "unlock",
    }
    assert found.writes[0].action == (done.get(str(value)) if attribute == "state" else said.action)


@pytest.mark.parametrize(
    ("states", "sent"),
    [
        (("off", "off"), [("lamp", "brightness", 50), ("strip", "brightness", 50)]),
        (("on", "off"), [("lamp", "brightness", 60)]),
    ],
)
def test_more_light_of_dark_lamps_is_half_of_it_unless_some_are_lit(
    states: tuple[str, str], sent: list[tuple[str, str, Value]]
) -> None:
    brightness = Capability("brightness", "brightness", minimum=0, maximum=100, unit="%")
    home = Registry([thing(name, "light", Capability("on_off", "state"), brightness) for name in ("lamp", "strip")])
    readings: dict[tuple[str, str], Value] = dict(zip((("lamp", "state"), ("strip", "state")), states, strict=True))
    readings["lamp", "brightness"] = 50
    observed = {pair: Observation(*pair, value, "reply", 0.1) for pair, value in readings.items()}
    made = plan(more("brightness"), ["lamp", "strip"], home, observed)
    assert [(item.entity, item.attribute, item.value) for item in made.writes] == sent


@pytest.mark.parametrize(
    ("said", "entity", "readings", "attribute", "value", "delta", "clamped"),
    [
        (more("brightness", 20, "%"), "lamp", lit(50), "brightness", 70, 20, False),
        (more("brightness"), "lamp", lit(50), "brightness", 60, 10, False),
        (clause("increase", "brightness"), "lamp", lit(50), "brightness", 60, 10, False),
        (clause("increase"), "lamp", lit(50), "brightness", 60, 10, False),
        (more("brightness", 3, "step"), "lamp", lit(50), "brightness", 80, 30, False),
        (more("brightness", 20, "%"), "lamp", lit(90), "brightness", 100, 20, True),
        (less("brightness", 80, "%"), "lamp", lit(50), "brightness", 1, -80, True),
        (more("brightness", 20, "%"), "lamp", lit(90, "off"), "brightness", 20, 20, False),
        (clause("set", "brightness", 0.5, "fraction"), "lamp", lit(80), "brightness", 40, -40, False),
        (less("brightness", 0.25, "fraction"), "lamp", lit(80), "brightness", 60, -20, False),
        (clause("increase", "brightness", 50, "%"), "lamp", lit(80), "brightness", 50, None, False),
        (more("temperature"), "heating", {"temperature": 20}, "temperature", 20.5, 0.5, False),
        (more("temperature", 2, "C"), "heating", {"temperature": 29}, "temperature", 30, 2, True),
        (less("temperature", 9, "F"), "heating", {"temperature": 25}, "temperature", 20, -5, False),
        (more("temperature"), "boiler", {"temperature": 70}, "temperature", 72, 2, False),
        (more("color_temp", 10, "%"), "lamp", {"color_temp": 3000}, "color_temp", 3430, 430, False),
        (less("volume", 5, "%"), "tv", {"volume": 12}, "volume", 7, -5, False),
        (more("speed"), "ac", {"speed": "low", "state": "on"}, "speed", "medium", None, False),
        (more("speed"), "ac", {"speed": "high", "state": "on"}, "speed", "high", None, True),
        (more("position", 10, "%"), "blinds", {"position": 40}, "position", 50, 10, False),
    ],
)
def test_relative_changes_become_absolute(
    said: Order,
    entity: str,
    readings: dict[str, Value],
    attribute: str,
    value: Value,
    delta: float | None,
    clamped: bool,  # noqa: FBT001 - a column of the table
) -> None:
    found = planned(said, entity, readings=readings)
    assert found.problems == ()
    [write] = found.writes
    assert (write.attribute, write.value, write.delta, write.clamped) == (attribute, value, delta, clamped)
    if delta is not None:
        assert write.before == readings[attribute]
        assert set(needs(said, [entity], HOME)) == {(entity, item) for item in readings}


@pytest.mark.parametrize(
    ("said", "entity", "problem"),
    [
        (clause("lock"), "lamp", Problem("lamp", "unsupported")),
        (clause("turn_off"), "movie", Problem("movie", "unsupported")),
        (clause("set", "volume", 3), "lamp", Problem("lamp", "unsupported", "volume")),
        (clause("set", "color", "red"), "white", Problem("white", "unsupported", "color")),
        (
            clause("set", "temperature", 40, "C"),
            "heating",
            Problem("heating", "out_of_range", "temperature", 5, 30, "C", 30),
        ),
        (
            clause("set", "temperature", 70, "C"),
            "heating",
            Problem("heating", "out_of_range", "temperature", 5, 30, "C", 30),
        ),
        (
            clause("set", "brightness", 150, "%"),
            "lamp",
            Problem("lamp", "out_of_range", "brightness", 0, 100, "%", 100),
        ),
        (clause("set", "brightness", 20, "C"), "lamp", Problem("lamp", "unsupported", "brightness")),
        (
            clause("set", "mode", "col"),
            "ac",
            Problem("ac", "no_option", "mode", nearest="cool", options=("auto", "cool", "heat", "fan_only")),
        ),
        (
            clause("set", "mode", "zzz"),
            "ac",
            Problem("ac", "no_option", "mode", options=("auto", "cool", "heat", "fan_only")),
        ),
        (clause("set", "brightness"), "lamp", Problem("lamp", "missing_value", "brightness")),
        (more("brightness"), "lamp", Problem("lamp", "no_value", "brightness")),
        (more("temperature", 10, "%"), "heating", Problem("heating", "no_value", "temperature")),
        (clause("toggle"), "lamp", Problem("lamp", "no_value")),
    ],
)
def test_what_stands_in_the_way(said: Order, entity: str, problem: Problem) -> None:
    assert planned(said, entity) == Plan((), (problem,))


def test_a_lamp_that_is_off_is_switched_on_dim_but_not_made_darker_by_so_much() -> None:
    found = planned(less("brightness", 20, "%"), "lamp", readings=lit(90, "off"))
    assert found == Plan((), (Problem("lamp", "is_off", "brightness"),))
    bare = planned(less("brightness"), "lamp", readings=lit(90, "off"))
    assert bare == Plan((Write("lamp", "brightness", 20.0, "decrease"),), ())


def test_a_number_that_nobody_wants_in_its_own_unit_is_meant_in_the_other() -> None:
    assert planned(clause("set", "temperature", 70), "heating").writes == (
        Write("heating", "temperature", 21, "set", unit="C"),
    )


@pytest.mark.parametrize("source", ["stale", "none"])
def test_a_stale_value_is_no_ground_to_change_it(source: Source) -> None:
    said = more("volume", 10, "%")
    assert planned(said, "tv", source=source, readings={"volume": 20}).problems == (
        Problem("tv", "no_value", "volume"),
    )
    assert planned(clause("toggle"), "plug", source=source, readings={"state": "on"}).problems == (
        Problem("plug", "no_value"),
    )


@pytest.mark.parametrize(
    ("entity", "before", "after"),
    [("plug", "on", "off"), ("plug", "off", "on"), ("tv", "playing", "off"), ("garage", "open", "closed")],
)
def test_a_toggle_is_absolute(entity: str, before: str, after: str) -> None:
    assert needs(clause("toggle"), [entity], HOME) == ((entity, "state"),)
    assert planned(clause("toggle"), entity, readings={"state": before}).writes == (
        Write(entity, "state", after, "toggle", before=before),
    )


def test_a_garage_door_on_its_way_is_not_toggled() -> None:
    assert planned(clause("toggle"), "garage", readings={"state": "opening"}).problems == (
        Problem("garage", "no_value"),
    )


def test_all_or_nothing_where_one_cannot() -> None:
    assert planned(clause("set", "brightness", 30, "%"), "lamp", "plug").writes == ()


def test_the_others_go_on_where_one_does_not_answer() -> None:
    said = more("volume", 10, "%")
    observed = {("tv", "volume"): Observation("tv", "volume", 20, "reply", 0.1)}
    found = plan(said, ["tv", "tv", "lamp"], HOME, observed)
    assert found.writes == ()  # a lamp has no volume at all
    twin = Registry([*HOME, thing("radio", "speaker", Capability("volume", "volume", **PERCENT))])
    found = plan(said, ["tv", "radio"], twin, observed)
    assert [(item.entity, item.value) for item in found.writes] == [("tv", 30)]
    assert found.problems == (Problem("radio", "no_value", "volume"),)


def test_scenes_are_their_steps_or_are_handed_over() -> None:
    assert planned(clause("activate"), "movie").writes == (
        Write("lamp", "brightness", 20, "activate", unit="%"),
        Write("blinds", "state", "closed", "activate"),
    )
    assert planned(Order("activate"), "bulb_scene").writes == (Write("bulb_scene", "command", "activate", "activate"),)


@pytest.mark.parametrize("action", ["disarm", "turn_off", "arm"])
def test_what_wants_a_code_is_told_and_not_tried(action: Action) -> None:
    coded = Capability("arm", "state", coded=("armed_home", "armed_away", "disarmed"))
    home = Registry([Entity("panel", "device", ("Panel",), type="alarm", capabilities=(coded,))])
    assert plan(Order(action), ["panel"], home, {}) == Plan((), (Problem("panel", "wants_code", "state"),))


def test_an_alarm_that_wants_a_code_for_being_disarmed_is_armed_without() -> None:
    coded = Capability("arm", "state", options=("armed_away",), coded=("disarmed",))
    home = Registry([Entity("panel", "device", ("Panel",), type="alarm", capabilities=(coded,))])
    assert [item.value for item in plan(Order("arm"), ["panel"], home, {}).writes] == ["armed_away"]
    assert not plan(Order("disarm"), ["panel"], home, {}).writes


def test_turning_on_with_a_colour_is_both() -> None:
    assert [item.attribute for item in planned(clause("turn_on", "color", "blue"), "lamp").writes] == ["state", "color"]


def test_what_is_denied_is_not_done() -> None:
    assert planned(Order("turn_on", negated=True), "lamp") == Plan(())


ranged = st.sampled_from([("lamp", "brightness"), ("heating", "temperature"), ("tv", "volume"), ("blinds", "position")])


@given(ranged, st.floats(-1e6, 1e6), st.floats(-200, 200), st.sampled_from(["increase", "decrease"]))
def test_a_relative_change_never_leaves_the_range(pair: tuple[str, str], amount: float, now: float, op: Any) -> None:
    entity, attribute = pair
    said = Order(op, parameter=Parameter(attribute, op, amount))
    found = planned(said, entity, readings={attribute: now, "state": "on"})
    able = HOME[entity].reads(attribute)
    assert able is not None
    assert able.minimum is not None
    assert able.maximum is not None
    assert isinstance(found.writes[0].value, int | float)
    assert able.minimum <= found.writes[0].value <= able.maximum

"""A parameter and one device -> an absolute value within its range, or why there is none."""

from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from daemon.act.palette import armed
from daemon.act.parameters import is_relative, parameter_of, reads, write_for
from daemon.core.entities import Capability, Entity, Value
from daemon.core.ir import Op, Parameter, Unit
from daemon.core.outcomes import Observation, Observed, Problem, Write
from daemon.core.values import replace
from daemon.core.vocabulary import ATTRIBUTES
from tests.act.world import device

FAN = device("fan", "on_off", Capability("fan_speed", "speed", minimum=0, maximum=100, unit="%"), kind="fan")
STEPPED = device("fan", Capability("fan_speed", "speed", minimum=0, maximum=100, step=25, unit="%"), kind="fan")
WORDED = device("fan", Capability("fan_speed", "speed", options=("auto", "low", "medium", "high")), kind="fan")
LAMP = device(
    "lamp",
    "on_off",
    "brightness",
    "color",
    Capability("color_temp", "color_temp", minimum=2200, maximum=6500, unit="K"),
)
WHITE = device("lamp", "on_off", Capability("color_temp", "color_temp", minimum=2700, maximum=4000, unit="K"))
TV = device("tv", "on_off", "volume", Capability("media_select", "source", options=("hdmi 1", "radio")), kind="tv")
AC = device(
    "ac",
    "on_off",
    Capability("temperature", "temperature", minimum=16, maximum=30, step=0.5, unit="C"),
    Capability("mode", "mode", options=("auto", "cool", "heat")),
    kind="air_conditioner",
)
BLIND = device("blind", "open_close", "position", kind="blind")
DEVICES = (FAN, STEPPED, WORDED, LAMP, WHITE, TV, AC, BLIND)


def alarm(*options: str, coded: tuple[str, ...] = ()) -> Entity:
    return device("alarm", Capability("arm", "state", options=options, coded=coded), kind="alarm")


def seen(entity: Entity, **values: Value) -> Observed:
    return {(entity.id, name): Observation(entity.id, name, value, "reply", 0.1) for name, value in values.items()}


def came_to(found: Write | Problem) -> Value | None:
    return found.value if isinstance(found, Write) else found.reason


@pytest.mark.parametrize(
    ("action", "given_", "expected"),
    [
        ("increase", None, Parameter("value", "increase")),
        ("decrease", None, Parameter("value", "decrease")),
        ("increase", Parameter("volume"), Parameter("volume", "increase")),
        ("increase", Parameter("volume", value=30.0), Parameter("volume", value=30.0)),
        ("decrease", Parameter("volume", "max"), Parameter("volume", "max")),
        ("set", None, Parameter("value")),
        ("turn_on", Parameter("volume"), Parameter("volume")),
    ],
)
def test_a_verb_gives_the_direction_that_was_left_out(
    action: str, given_: Parameter | None, expected: Parameter
) -> None:
    assert parameter_of(action, given_) == expected


@pytest.mark.parametrize(
    ("entity", "parameter", "needed"),
    [
        (LAMP, Parameter("brightness", value=40.0, unit="%"), ()),
        (LAMP, Parameter("brightness", "increase"), ("state", "brightness")),
        (LAMP, Parameter("brightness", value=0.5, unit="fraction"), ("state", "brightness")),
        (LAMP, Parameter("color_temp", "increase"), ("color_temp",)),
        (TV, Parameter("volume", "increase"), ("volume",)),
        (TV, Parameter("volume", value=40.0, toward="increase"), ("state", "volume")),
        (AC, Parameter("temperature", value=22.0, by="heat"), ("state", "mode")),
        (TV, Parameter("brightness", "increase"), ()),
    ],
)
def test_only_what_depends_on_now_is_read(entity: Entity, parameter: Parameter, needed: tuple[str, ...]) -> None:
    assert reads(entity, parameter) == needed


@pytest.mark.parametrize(
    ("entity", "value", "unit", "expected"),
    [
        # "Fan 3", 三档: the third of its levels, of which a speed without steps has three.
        (FAN, 1.0, None, 33),
        (FAN, 2.0, None, 67),
        (FAN, 3.0, None, 100),
        (FAN, 4.0, None, "no_option"),
        (FAN, 4.0, "step", "no_option"),
        (FAN, 30.0, None, 30),
        (FAN, 3.0, "%", 3),
        (STEPPED, 2.0, None, 50),
        (STEPPED, 4.0, "step", 100),
        (STEPPED, 5.0, "step", "no_option"),
        (WORDED, 1.0, "step", "low"),
        (WORDED, 3.0, "step", "high"),
        (WORDED, 4.0, "step", "no_option"),
        (WORDED, 0.0, "step", "no_option"),
        (WORDED, 1.5, "step", "no_option"),
        (WORDED, "medium", None, "medium"),
        (WORDED, "turbo", None, "no_option"),
    ],
)
def test_levels(entity: Entity, value: Any, unit: Any, expected: Value) -> None:
    assert came_to(write_for(entity, "set", Parameter("speed", value=value, unit=unit), {})) == expected


@pytest.mark.parametrize(
    ("toward", "now", "state", "expected"),
    [
        ("increase", 30, "on", 40),
        ("increase", 40, "on", 40),
        ("increase", 50, "on", "above_already"),
        ("increase", 50, "off", 40),  # what is off is not loud
        ("increase", None, "on", 40),
        ("decrease", 50, "on", 40),
        ("decrease", 30, "on", "below_already"),
    ],
)
def test_up_is_never_down(toward: Any, now: float | None, state: str, expected: Value) -> None:
    readings = {**seen(TV, state=state), **({} if now is None else seen(TV, volume=now))}
    found = write_for(TV, "set", Parameter("volume", value=40.0, unit="%", toward=toward), readings)
    assert came_to(found) == expected


@pytest.mark.parametrize(
    ("entity", "word", "attribute", "expected"),
    [
        (LAMP, "red", "color", "#ff0000"),
        (LAMP, "warm white", "color", 2700),
        (WHITE, "warm white", "color", 2700),
        (WHITE, "red", "color", "unsupported"),
        (LAMP, "loud", "color", "no_option"),
        (TV, "radio", "source", "radio"),
        (TV, "HDMI-1", "source", "hdmi 1"),
        (TV, "vinyl", "source", "no_option"),
        (AC, "off", "mode", "off"),
        (AC, "cool", "mode", "cool"),
        (BLIND, "half", "position", 50),
        (BLIND, "red", "position", "no_option"),
    ],
)
def test_words(entity: Entity, word: str, attribute: str, expected: Value) -> None:
    assert came_to(write_for(entity, "set", Parameter(attribute, value=word), {})) == expected


@pytest.mark.parametrize(
    ("entity", "way", "expected"),
    [
        (alarm("armed_home", "armed_away", "disarmed"), "home", "armed_home"),
        (alarm("armed_home", "armed_away", "disarmed"), None, "which_way"),
        (alarm("armed_home", "armed_away", "disarmed"), "disarm", "disarmed"),
        (alarm("armed_home", "armed_away", "disarmed"), "vacation", "no_option"),
        # Nobody is to believe in another watch than was meant.
        (alarm("armed_away", "disarmed"), "home", "no_option"),
        (alarm("armed_away", "disarmed"), None, "armed_away"),
        (alarm("armed_away", coded=("disarmed",)), "disarm", "wants_code"),
        (alarm("disarmed", coded=("armed_away",)), None, "wants_code"),
        (alarm("disarmed", coded=("armed_away",)), "away", "wants_code"),
        (FAN, None, "which_way"),
    ],
)
def test_an_alarm_is_armed_as_it_was_meant_or_not_at_all(entity: Entity, way: str | None, expected: str) -> None:
    assert came_to(armed(entity, "arm", way)) == expected


parameters = st.builds(
    Parameter,
    st.sampled_from(sorted(ATTRIBUTES)),
    st.sampled_from(get_args(Op)),
    st.none()
    | st.floats(-1e4, 1e4)
    | st.integers(-5, 120).map(float)
    | st.sampled_from(["red", "low", "high", "off", "on", "cool", "radio", "home", ""]),
    st.none() | st.sampled_from(get_args(Unit)),
    toward=st.sampled_from([None, "increase", "decrease"]),
)
readings = st.fixed_dictionaries(
    {},
    optional={
        "state": st.sampled_from(["on", "off", "open"]),
        "brightness": st.integers(0, 100),
        "volume": st.integers(0, 100),
        "position": st.integers(0, 100),
        "temperature": st.floats(10, 35),
        "color_temp": st.integers(1000, 9000),
        "speed": st.integers(0, 100) | st.sampled_from(["low", "high", "auto", "?"]),
    },
)


@given(st.sampled_from(DEVICES), parameters, readings)
def test_whatever_is_said_nothing_beyond_the_device_is_sent(
    entity: Entity, parameter: Parameter, now: dict[str, Value]
) -> None:
    found = write_for(entity, "set", parameter, seen(entity, **now))
    assert found.entity == entity.id
    if isinstance(found, Problem):
        return
    able = next(item for item in entity.capabilities if item.attribute == found.attribute)
    if isinstance(found.value, str) and able.options:
        assert found.value in able.options
    if isinstance(found.value, int | float):
        assert able.minimum is None or found.value >= able.minimum
        assert able.maximum is None or found.value <= able.maximum


@given(st.sampled_from(DEVICES), parameters, readings)
def test_what_depends_on_now_is_refused_without_a_fresh_reading(
    entity: Entity, parameter: Parameter, now: dict[str, Value]
) -> None:
    stale = {pair: replace(item, source="stale") for pair, item in seen(entity, **now).items()}
    found = write_for(entity, "set", parameter, stale)
    if is_relative(parameter) and isinstance(found, Write):
        assert not reads(entity, parameter)  # a stand-in that needs none
    assert found == write_for(entity, "set", parameter, {})

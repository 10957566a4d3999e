"""What verbs and parameters reach in a device, and what is risky about it."""

import pytest

from daemon.core.entities import Entity
from daemon.core.ir import Parameter
from daemon.core.values import replace
from daemon.home.actions import capability_for, direction, member_for, readable_for, risk_of, step_of
from daemon.home.capabilities import FAHRENHEIT, STANDARD, reading
from daemon.home.verbs import ACTIONS


def device(kind: str, *capabilities: str, tags: tuple[str, ...] = (), risk: dict[str, str] | None = None) -> Entity:
    found = tuple(STANDARD[name] if name in STANDARD else reading(name) for name in capabilities)
    return Entity("d", "device", ("D",), type=kind, capabilities=found, tags=frozenset(tags), risk=risk or {})  # type: ignore[arg-type] # none, confirm


LAMP = device("light", "on_off", "brightness")
CURTAIN = device("curtain", "open_close", "position")
LOCK = device("lock", "lock")
GARAGE = device("garage_door", "open_close", "position")
GAS = device("valve", "open_close", tags=("gas",))
WATER = device("valve", "open_close")
TV = device("tv", "on_off", "volume", "mute", "media_transport")
VACUUM = device("vacuum", "start_stop", "dock")
FAN = device("fan", "on_off", "fan_speed")


@pytest.mark.parametrize(
    ("thing", "action", "value"),
    [
        (LAMP, "open", "on"),
        (CURTAIN, "open", "open"),
        (LOCK, "open", "unlocked"),
        (WATER, "open", "open"),
        (LAMP, "close", "off"),
        (LOCK, "close", "locked"),
        (CURTAIN, "close", "closed"),
        (WATER, "turn_off", "closed"),
        (VACUUM, "turn_on", "start"),
        (VACUUM, "dock", "dock"),
        (TV, "stop", "stop"),
        (FAN, "stop", "off"),
        (TV, "mute", True),
        (LAMP, "lock", None),
        (CURTAIN, "turn_on", None),
        (LAMP, "stop", None),
        (LOCK, "toggle", None),
    ],
)
def test_what_a_device_has_picks_the_member(thing: Entity, action: str, value: object) -> None:
    member = member_for(thing, action)
    assert (member.value if member is not None else None) == value


def test_what_needs_a_code_needs_no_yes() -> None:
    alarm = Entity("d", "device", ("D",), type="alarm", capabilities=(STANDARD["arm"],))
    coded = replace(alarm, capabilities=(replace(STANDARD["arm"], coded=("disarmed",)),))
    assert (risk_of(alarm, "disarm"), risk_of(coded, "disarm")) == ("confirm", "none")


@pytest.mark.parametrize(
    ("thing", "action", "risk"),
    [
        (LOCK, "unlock", "confirm"),
        (LOCK, "open", "confirm"),
        (LOCK, "lock", "none"),
        (LOCK, "close", "none"),
        (GARAGE, "open", "confirm"),
        (GARAGE, "toggle", "confirm"),
        (GARAGE, "close", "none"),
        (GAS, "open", "confirm"),
        (GAS, "turn_on", "confirm"),
        (GAS, "turn_off", "none"),
        (WATER, "open", "none"),
        (CURTAIN, "open", "none"),
        (device("switch", "on_off", tags=("gate",)), "turn_on", "confirm"),
        (device("plug", "on_off", tags=("lock",)), "turn_on", "confirm"),
        (device("plug", "on_off", tags=("lock",)), "turn_off", "none"),
        (device("switch", "on_off", tags=("door",)), "toggle", "confirm"),
        (device("switch", "on_off", tags=("door",)), "turn_on", "confirm"),
        (device("plug", "on_off", risk={"turn_off": "confirm"}), "turn_off", "confirm"),
        (device("plug", "on_off", risk={"turn_off": "confirm"}), "close", "confirm"),
        (device("lock", "lock", risk={"unlock": "none"}), "open", "none"),
    ],
)
def test_risk_is_in_the_direction(thing: Entity, action: str, risk: str) -> None:
    assert risk_of(thing, action) == risk


@pytest.mark.parametrize(
    ("action", "parameter", "risk"),
    [
        ("set", Parameter("position", value=50.0, unit="%"), "confirm"),
        ("set", Parameter("position", value=0.0, unit="%"), "none"),
        ("increase", Parameter("position", op="increase"), "confirm"),
        ("decrease", Parameter("position", op="decrease"), "none"),
        ("set", Parameter("position", op="max"), "confirm"),
        ("set", Parameter("value", value=50.0, unit="%"), "confirm"),
    ],
)
def test_a_position_opens_or_closes(action: str, parameter: Parameter, risk: str) -> None:
    assert risk_of(GARAGE, action, parameter) == risk
    assert direction(GARAGE, action, parameter) == ("open" if risk == "confirm" else "close")


def test_a_bare_number_means_what_the_device_has() -> None:
    percent = Parameter("value", value=40.0, unit="%")
    found = [capability_for(thing, percent) for thing in (LAMP, CURTAIN, TV, FAN)]
    assert [item.name if item else None for item in found] == ["brightness", "position", "volume", "fan_speed"]
    assert capability_for(LOCK, percent) is None


def test_a_word_goes_to_the_capability_that_knows_it() -> None:
    modes = replace(STANDARD["mode"], options=("cool", "heat"))
    presets = replace(STANDARD["preset"], options=("eco",))
    unit = Entity("ac", "device", ("AC",), capabilities=(modes, presets))
    assert capability_for(unit, Parameter("mode", value="Eco")) is presets
    assert capability_for(unit, Parameter("mode", value="cool")) is modes


def test_what_is_measured_goes_before_what_is_set() -> None:
    thermostat = device("thermostat", "temperature", "current_temperature")
    assert readable_for(thermostat, "temperature") == reading("current_temperature")
    assert readable_for(device("sensor", "contact"), "state") == reading("contact")
    assert readable_for(LAMP, "temperature") is None


def test_a_bit() -> None:
    assert step_of(STANDARD["brightness"]) == 10
    assert step_of(STANDARD["temperature"]) == 1
    assert step_of(FAHRENHEIT) == 2
    assert step_of(replace(STANDARD["volume"], step=5.0)) == 5


def test_every_member_names_a_capability_that_exists() -> None:
    assert all(member.capability in STANDARD for members in ACTIONS.values() for member in members)

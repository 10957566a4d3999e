"""Settings by the device's own names: what they are called, what they take, whose they are."""

from typing import Any

import pytest

from daemon.core.entities import Capability, Entity
from daemon.core.ir import Parameter
from daemon.home import settings
from daemon.home.actions import capability_for, readable_for, risk_of, step_of
from daemon.home.capabilities import STANDARD
from daemon.home.foreign import load_foreign
from daemon.home.settings import setting


def made(name: str, *options: str, low: float | None = None, high: float | None = None, **more: Any) -> Capability:
    found = setting(name, options, low, high, **more)
    assert found is not None
    return found


SENSITIVITY = made("motion_sensitivity", "low", "medium", "high")
MIST = made("强度", low=0, high=100, unit="%")
EYE = Entity("eye", "device", ("Eye",), type="sensor", capabilities=(SENSITIVITY, made("keep_time", "30", "60")))
MISTER = Entity("mister", "device", ("Mister",), capabilities=(STANDARD["on_off"], MIST))
LAMP = Entity("lamp", "device", ("Lamp",), type="lamp", capabilities=(STANDARD["on_off"], STANDARD["brightness"]))


@pytest.mark.parametrize(
    ("name", "concept"),
    [("child_lock", "child_lock"), ("Child Lock", "child_lock"), ("童锁", "child_lock"), ("灵敏度", "sensitivity"),
     ("wobbleFactor", "wobble_factor")],
)  # fmt: skip
def test_a_name_is_a_common_setting_or_itself(name: str, concept: str) -> None:
    assert settings.concept(name) == concept


@pytest.mark.parametrize(
    ("options", "low", "high"), [((), None, None), ((), 5, 5), ((), None, 9), (tuple(map(str, range(99))), None, None)]
)
def test_what_takes_nothing_that_can_be_said_is_none(options: tuple[str, ...], low: Any, high: Any) -> None:
    assert setting("x", options, low, high) is None


def test_it_is_found_by_its_name_in_any_language_and_by_its_end() -> None:
    assert capability_for(MISTER, Parameter("intensity")) == MIST
    assert capability_for(EYE, Parameter("sensitivity")) == SENSITIVITY
    assert capability_for(EYE, Parameter("keep_time")) == EYE.capabilities[1]
    assert readable_for(EYE, "sensitivity") == SENSITIVITY


def test_a_word_of_two_means_what_the_device_has() -> None:
    assert capability_for(LAMP, Parameter("intensity")) == STANDARD["brightness"]
    assert capability_for(LAMP, Parameter("sensitivity")) is None
    assert capability_for(EYE, Parameter("intensity")) is None


def test_options_are_the_same_in_any_language() -> None:
    assert settings.option("low", ("低", "高")) == "低"
    assert settings.option("高", ("low", "high")) == "high"
    assert settings.option("Keep Warm", ("keep_warm",)) == "keep_warm"
    assert settings.option("extreme", ("low", "high")) is None


def test_levels_are_ranked_whatever_order_they_are_told_in() -> None:
    assert settings.levels(made("a", "high", "low", "medium")) == ("low", "medium", "high")
    assert settings.levels(made("a", "60", "30", "120")) == ("30", "60", "120")
    assert settings.levels(made("a", "on", "off", "previous")) == ()


@pytest.mark.parametrize(("high", "step", "bit"), [(5, 1, 1), (100, 1, 10), (120, 5, 10), (10, None, 1), (600, 10, 60)])
def test_a_bit_of_many_steps_is_a_tenth(high: float, step: float | None, bit: float) -> None:
    assert step_of(made("a", low=0, high=high, step=step)) == bit


def test_what_a_lock_does_by_itself_needs_a_yes() -> None:
    able = made("auto_lock", "on", "off")
    lock = Entity("lock", "device", ("Lock",), type="lock", capabilities=(STANDARD["lock"], able))
    assert risk_of(lock, "set", Parameter("auto_lock", value="off")) == "confirm"
    assert risk_of(EYE, "set", Parameter("sensitivity", value="low")) == "none"


def test_homes_of_the_evaluation_have_settings() -> None:
    told = {
        "intensity": {"value": 40, "min": 0, "max": 100, "step": 1, "unit": "%"},
        "Mode": {"value": "Eco", "options": ["Eco", "Boost"]},
        "state": {"value": "on", "options": ["on", "off"]},
    }
    device = {"id": "a", "name": "A", "domain": "switch", "capabilities": ["on_off"], "state": "on", "settings": told}
    home = load_foreign({"id": "h", "floors": [], "areas": [], "devices": [device]})
    able = [item for item in home.entities[0].capabilities if item.name == "setting"]
    assert able == [made("intensity", low=0, high=100, step=1, unit="%"), made("Mode", "eco", "boost")]
    assert home.simulation.devices["a"].state == {"state": "on", "intensity": 40, "Mode": "eco"}

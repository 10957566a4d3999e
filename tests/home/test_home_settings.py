"""Settings by the device's own names: what they are called, what they take, whose they are."""

from typing import Any

import pytest

from daemon.core.entities import Capability, Entity
from daemon.core.ir import Parameter
from daemon.core.values import replace
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
    assert settings.option("iplayer", ("hdmi 1", "bbc iplayer")) == "bbc iplayer"
    assert settings.option("hdmi", ("hdmi 1", "hdmi 2")) is None


def test_levels_are_ranked_whatever_order_they_are_told_in() -> None:
    assert settings.levels(made("a", "high", "low", "medium")) == ("low", "medium", "high")
    assert settings.levels(made("a", "60", "30", "120")) == ("30", "60", "120")
    assert settings.levels(made("a", "on", "off", "previous")) == ()


@pytest.mark.parametrize(("high", "step", "bit"), [(5, 1, 1), (100, 1, 10), (120, 5, 10), (10, None, 1), (600, 10, 60)])
def test_a_bit_of_many_steps_is_a_tenth(high: float, step: float | None, bit: float) -> None:
    assert step_of(made("a", low=0, high=high, step=step)) == bit


@pytest.mark.parametrize("options", [("开", "关"), ("LOCK", "UNLOCK"), ("开启", "关闭"), ("锁定", "解锁")])
def test_on_and_off_are_a_switch_in_the_device_s_own_words(options: tuple[str, ...]) -> None:
    able = made("child_lock", *options)
    assert settings.is_switch(able)
    assert settings.option("on", able.options) == options[0].casefold()
    assert settings.option("off", able.options) == options[1].casefold()
    assert not settings.is_switch(made("child_lock", *options, "自动"))


@pytest.mark.parametrize(
    ("written", "unit"),
    [("秒", "s"), ("秒钟", "s"), ("分钟", "min"), ("小时", "h"), (" Hours ", "h"), ("厘米", "cm"), ("毫升", "ml"),
     ("转/分", "rpm"), ("转", "rpm"), ("parsec", "parsec"), (None, None)],
)  # fmt: skip
def test_units_are_ours_however_the_device_writes_them(written: str | None, unit: str | None) -> None:
    assert made("a", low=0, high=9, unit=written).unit == unit


@pytest.mark.parametrize(
    ("word", "usual"),
    [("high", True), ("Keep_Warm", True), ("节能", False), ("强力", True), ("ocean", False), ("海浪", False)],
)
def test_what_many_settings_take_is_usual_in_any_language(word: str, usual: bool) -> None:  # noqa: FBT001 - a column
    assert settings.is_usual(word) is usual


def test_a_label_is_of_the_languages_that_are_written_so() -> None:
    gadgets = [
        Entity("a", "device", ("A",), capabilities=(made("p17", low=0, high=9, label="Fizz_Rate"), STANDARD["on_off"])),
        Entity("b", "device", ("B",), capabilities=(made("p18", low=0, high=9, label="泡泡量"), made("p19", "x", "y"))),
    ]
    assert settings.labels(gadgets) == {("p17", "en"): "fizz rate", ("p18", "zh"): "泡泡量"}
    assert settings.labels([]) == {}


@pytest.mark.parametrize(
    ("name", "lang", "word"),
    [("child_lock", "en", "child lock"), ("Child Lock", "zh", "童锁"), ("wobble_factor", "en", None),
     ("泡泡量", "zh", None), ("brightness", "en", None)],
)  # fmt: skip
def test_there_is_a_word_for_a_common_setting_alone(name: str, lang: str, word: str | None) -> None:
    assert settings.said(name, lang) == word


SOUNDS = made("sound", "ocean", "rain", "low")
TUNER = Entity(
    "tuner", "device", ("Tuner",), type="speaker", capabilities=(STANDARD["on_off"], STANDARD["volume"], SOUNDS)
)
SPEED = replace(STANDARD["fan_speed"], options=("quiet", "standard", "turbo"), minimum=None, maximum=None, unit=None)
VACUUM = Entity("vac", "device", ("Vac",), type="vacuum", capabilities=(STANDARD["start_stop"], SPEED))


@pytest.mark.parametrize(
    ("thing", "attribute", "word", "able"),
    [
        # A word that only one of its settings takes is of that one, whatever it was taken for.
        (TUNER, "volume", "Ocean", SOUNDS),
        (TUNER, "mode", "rain", SOUNDS),
        (TUNER, "volume", "low", STANDARD["volume"]),  # which anything may be set to
        (TUNER, "volume", "jungle", STANDARD["volume"]),  # which nothing takes
        # A speed is set by words, too.
        (VACUUM, "mode", "turbo", SPEED),
        (VACUUM, "mode", "安静", SPEED),
        (VACUUM, "preset", "standard", SPEED),
        (VACUUM, "mode", "ocean", None),
    ],
)
def test_an_option_says_what_is_set(thing: Entity, attribute: Any, word: str, able: Capability | None) -> None:
    assert capability_for(thing, Parameter(attribute, value=word)) == able


def test_an_option_of_two_lists_says_nothing() -> None:
    both = replace(VACUUM, capabilities=(SPEED, replace(STANDARD["swing"], options=("quiet", "wide"))))
    assert capability_for(both, Parameter("mode", value="quiet")) is None
    assert capability_for(both, Parameter("mode", value="turbo")) == SPEED


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

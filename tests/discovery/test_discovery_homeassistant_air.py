"""What heats, cools and blows in Home Assistant's form, as entities."""

from __future__ import annotations

import pytest

from tests.discovery.announced import able, heard, one, sent


def test_an_air_conditioner_is_on_by_its_mode() -> None:
    cooler = one(
        "climate",
        mode_cmd_t="a/mode/set",
        mode_stat_t="a/mode",
        modes=["off", "cool", "heat"],
        temp_cmd_t="a/temp/set",
        temp_stat_t="a/temp",
        fan_mode_cmd_t="a/fan/set",
        fan_mode_stat_t="a/fan",
        fan_modes=["Low", "High"],
        swing_mode_cmd_t="a/swing/set",
        swing_modes=["off", "vertical"],
        pr_mode_cmd_t="a/pre/set",
        pr_modes=["eco", "away"],
    )
    assert cooler.type == "air_conditioner"
    assert sent(cooler, ("state", "on")) == [("a/mode/set", "cool")]
    assert sent(cooler, ("state", "off")) == [("a/mode/set", "off")]
    assert sent(cooler, ("state", "on"), ("mode", "heat")) == [("a/mode/set", "heat")]
    assert sent(cooler, ("speed", "high")) == [("a/fan/set", "High")]
    assert sent(cooler, ("swing", "vertical")) == [("a/swing/set", "vertical")]
    assert sent(cooler, ("preset", "eco")) == [("a/pre/set", "eco")]
    assert heard(cooler, "a/mode", "off") == {"state": "off"}
    assert heard(cooler, "a/mode", "heat") == {"state": "on", "mode": "heat"}


@pytest.mark.parametrize(
    ("name", "modes", "kind"),
    [
        ("Den", ["off", "heat"], "thermostat"),
        ("Den", ["off", "heat", "cool", "heat_cool"], "thermostat"),
        ("Den", ["off", "cool", "heat", "dry", "fan_only"], "air_conditioner"),
        ("Den", ["off", "cool"], "air_conditioner"),
        ("Den thermostat", ["off", "cool", "fan_only"], "thermostat"),
        ("Towel heater", ["off", "heat"], "heater"),
    ],
)
def test_what_sort_of_climate_it_is(name: str, modes: list[str], kind: str) -> None:
    assert one("climate", name=name, mode_cmd_t="c", modes=modes).type == kind


def test_a_fan_counts_in_its_own_speeds() -> None:
    fan = one(
        "fan",
        cmd_t="f/set",
        stat_t="f",
        pct_cmd_t="f/pct/set",
        pct_stat_t="f/pct",
        spd_rng_min=1,
        spd_rng_max=4,
        osc_cmd_t="f/osc/set",
        osc_stat_t="f/osc",
        pr_mode_cmd_t="f/pre/set",
        pr_modes=["auto"],
    )
    assert able(fan, "fan_speed").step == 25
    assert sent(fan, ("speed", 50)) == [("f/pct/set", "2")]
    assert sent(fan, ("speed", 1)) == [("f/pct/set", "1")]
    assert heard(fan, "f/pct", "3") == {"speed": 75}
    assert sent(fan, ("swing", "on")) == [("f/osc/set", "oscillate_on")]


def test_a_humidifier_measures_and_is_set() -> None:
    mist = one(
        "humidifier",
        cmd_t="h/set",
        stat_t="h",
        hum_cmd_t="h/hum/set",
        hum_stat_t="h/hum",
        curr_hum_t="h/now",
        min_hum=40,
        max_hum=70,
        modes=["auto", "sleep"],
        mode_cmd_t="h/mode/set",
    )
    assert (able(mist, "humidity").minimum, able(mist, "humidity").maximum) == (40, 70)
    assert heard(mist, "h/now", "45.5") == {"current_humidity": 45.5}
    assert sent(mist, ("humidity", 50)) == [("h/hum/set", "50")]

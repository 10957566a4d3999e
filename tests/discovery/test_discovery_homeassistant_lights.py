"""Lights in the three forms of Home Assistant, as entities."""

from __future__ import annotations

import json

from tests.discovery.announced import able, heard, one, sent


def test_a_light_with_a_topic_for_each_thing() -> None:
    lamp = one(
        "light",
        cmd_t="l/set",
        stat_t="l",
        bri_cmd_t="l/bri/set",
        bri_stat_t="l/bri",
        clr_temp_cmd_t="l/ct/set",
        clr_temp_stat_t="l/ct",
        hs_cmd_t="l/hs/set",
        hs_stat_t="l/hs",
        min_mirs=200,
        max_mirs=400,
        fx_cmd_t="l/fx/set",
        fx_stat_t="l/fx",
        fx_list=["Fire", "Sea Wave"],
    )
    assert [item.name for item in lamp.capabilities] == ["on_off", "brightness", "color_temp", "color", "option"]
    assert (able(lamp, "color_temp").minimum, able(lamp, "color_temp").maximum) == (2500, 5000)
    assert sent(lamp, ("state", "off")) == [("l/set", "OFF")]
    assert sent(lamp, ("brightness", 50)) == [("l/bri/set", "128"), ("l/set", "ON")]
    assert sent(lamp, ("brightness", 0)) == [("l/set", "OFF")]
    assert sent(lamp, ("color_temp", 4000)) == [("l/ct/set", "250"), ("l/set", "ON")]
    assert sent(lamp, ("color", "#00ff00")) == [("l/hs/set", "120,100"), ("l/set", "ON")]
    assert sent(lamp, ("option", "sea wave")) == [("l/fx/set", "Sea Wave")]
    assert sent(lamp, ("volume", 3)) == []
    assert heard(lamp, "l/bri", "255") == {"brightness": 100}
    assert heard(lamp, "l/ct", "250") == {"color_temp": 4000}
    assert heard(lamp, "l/hs", "240,100") == {"color": "#0000ff"}
    assert heard(lamp, "l/fx", "Fire") == {"option": "fire"}
    assert heard(lamp, "l", "what?") is None
    assert heard(lamp, "elsewhere", "ON") is None


def test_on_goes_first_or_is_the_brightness() -> None:
    common = {"cmd_t": "l/set", "bri_cmd_t": "l/bri", "bri_scl": 100}
    assert sent(one("light", on_cmd_type="first", **common), ("brightness", 40)) == [("l/set", "ON"), ("l/bri", "40")]
    dimmer = one("light", on_cmd_type="brightness", **common)
    assert sent(dimmer, ("brightness", 40)) == [("l/bri", "40")]
    assert sent(dimmer, ("state", "on")) == [("l/bri", "100")]
    assert sent(dimmer, ("state", "off")) == [("l/set", "OFF")]


def test_colour_commands_made_by_a_template_or_with_white_channels() -> None:
    lamp = one(
        "light", cmd_t="l/set", rgb_cmd_t="l/rgb", rgb_cmd_tpl="{{ '#%02x%02x%02x' | format(red, green, blue) }}"
    )
    assert sent(lamp, ("color", "#0a0b0c"))[0] == ("l/rgb", "#0a0b0c")
    lamp = one("light", cmd_t="l/set", rgbww_cmd_t="l/rgbww")
    assert sent(lamp, ("color", "#ff0000"))[0] == ("l/rgbww", "255,0,0,0,0")


def test_a_light_that_speaks_json() -> None:
    lamp = one(
        "light", schema="json", cmd_t="l/set", stat_t="l", sup_clrm=["color_temp", "xy"], clr_temp_k=True, bri_scl=100
    )
    (said,) = sent(lamp, ("color_temp", 3000), ("brightness", 30))
    assert json.loads(said[1]) == {"state": "ON", "color_temp": 3000, "brightness": 30}
    assert sent(lamp, ("state", "off")) == [("l/set", '{"state":"OFF"}')]
    (said,) = sent(lamp, ("color", "#ff0000"))
    assert json.loads(said[1])["color"].keys() == {"x", "y"}
    state = {"state": "ON", "brightness": 50, "color_temp": 3000, "color": {"x": 0.7, "y": 0.3}}
    assert heard(lamp, "l", {**state, "color_mode": "color_temp"}) == {
        "state": "on",
        "brightness": 50,
        "color_temp": 3000,
    }
    found = heard(lamp, "l", {**state, "color_mode": "xy"})
    assert found is not None
    assert found.keys() == {"state", "brightness", "color"}


def test_a_light_made_of_templates() -> None:
    lamp = one(
        "light",
        schema="template",
        cmd_t="l/set",
        stat_t="l",
        cmd_on_tpl="on,{{ brightness | d }},{{ red | d }}-{{ green | d }}-{{ blue | d }}",
        cmd_off_tpl="off",
        stat_tpl="{{ value.split(',')[0] }}",
        bri_tpl="{{ value.split(',')[1] }}",
        r_tpl="{{ value.split(',')[2].split('-')[0] }}",
        g_tpl="{{ value.split(',')[2].split('-')[1] }}",
        b_tpl="{{ value.split(',')[2].split('-')[2] }}",
    )
    assert sent(lamp, ("state", "off")) == [("l/set", "off")]
    assert sent(lamp, ("state", "on")) == [("l/set", "on,,--")]
    assert sent(lamp, ("brightness", 20), ("color", "#102030")) == [("l/set", "on,51,16-32-48")]
    assert heard(lamp, "l", "on,51,16-32-48") == {"state": "on", "brightness": 20, "color": "#102030"}

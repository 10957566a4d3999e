"""Homes of the evaluation format: Home Assistant's words become ours."""

from pathlib import Path
from typing import Any

import pytest

from daemon.core.errors import ConfigError
from daemon.home.foreign import load_foreign
from daemon.home.foreign_words import canonical_state
from daemon.home.registry import Registry


def home(*devices: dict[str, Any], **more: Any) -> dict[str, Any]:
    whole = [{"aliases": [], "area": None, "capabilities": ["on_off"], **device} for device in devices]
    return {"id": "h", "lang": "en", "floors": [], "areas": [], "devices": whole, **more}


LIGHT = {"id": "light.a", "name": "A", "domain": "light", "capabilities": ["on_off", "brightness", "color_temp"]}


@pytest.mark.parametrize(
    ("domain", "device_class", "kind"),
    [
        ("light", None, "light"),
        ("switch", "outlet", "plug"),
        ("cover", "garage", "garage_door"),
        ("cover", None, "cover"),
        ("media_player", "tv", "tv"),
        ("fan", "purifier", "air_purifier"),
        ("humidifier", "dehumidifier", "dehumidifier"),
        ("binary_sensor", "motion", "sensor"),
    ],
)
def test_domains_and_classes_are_types(domain: str, device_class: str | None, kind: str) -> None:
    loaded = load_foreign(home({"id": "x", "name": "X", "domain": domain, "device_class": device_class}))
    assert loaded.entities[0].type == kind


def test_how_hard_something_blows_is_a_word_where_it_has_words() -> None:
    blows = {"id": "c", "name": "C", "domain": "climate", "capabilities": ["on_off", "mode", "fan_speed"]}
    words = {"fan_modes": ["Auto", "Low", "High"], "fan_mode": "Low"}
    loaded = load_foreign(home({**blows, "attributes": words}))
    speed = loaded.entities[0].capability("fan_speed")
    assert speed is not None
    assert (speed.options, speed.maximum) == (("auto", "low", "high"), None)
    assert canonical_state(loaded.entities[0], "cool", words)["speed"] == "low"
    counted = load_foreign(home({**blows, "domain": "fan", "attributes": {"percentage_step": 25}}))
    speed = counted.entities[0].capability("fan_speed")
    assert speed is not None
    assert (speed.options, speed.maximum, speed.step) == ((), 100, 25)


def test_what_has_no_modes_but_presets_has_these() -> None:
    fan = {"id": "f", "name": "F", "domain": "fan", "capabilities": ["on_off", "mode"]}
    attributes = {"preset_modes": ["auto", "sleep"], "preset_mode": "sleep"}
    entity = load_foreign(home({**fan, "attributes": attributes})).entities[0]
    mode = entity.capability("mode")
    assert mode is not None
    assert mode.options == ("auto", "sleep")
    assert entity.capability("preset") is None
    assert canonical_state(entity, "on", attributes)["mode"] == "sleep"


def test_hot_water_is_not_in_fahrenheit_for_being_hot() -> None:
    attributes = {"temperature": 50, "min_temp": 30, "max_temp": 75, "operation_list": ["off", "eco"]}
    heater = {"id": "w", "name": "W", "domain": "water_heater", "capabilities": ["on_off", "temperature"]}
    warmth = load_foreign(home({**heater, "attributes": attributes})).entities[0].capability("temperature")
    assert warmth is not None
    assert (warmth.unit, warmth.maximum) == ("C", 75)


@pytest.mark.parametrize("state", ["55", "eco", None])
def test_a_water_heater_needs_nothing_else_to_be_in_celsius(state: str | None) -> None:
    """Of a radiator, so many degrees would be Fahrenheit."""
    attributes = {"temperature": 55, "max_temp": 75}
    device = {
        "id": "w",
        "name": "W",
        "capabilities": ["on_off", "temperature"],
        "state": state,
        "attributes": attributes,
    }
    units = [
        warmth.unit
        for domain in ("water_heater", "climate")
        for warmth in load_foreign(home({**device, "domain": domain})).entities[0].capabilities
        if warmth.name == "temperature"
    ]
    assert units == ["C", "F"]


def test_places_are_found_by_name_and_floor() -> None:
    floors = [{"id": "g", "name": "Ground"}, {"id": "f", "name": "First"}]
    areas = [{"id": f"stairs_{floor[0].lower()}", "name": "Stairs", "floor": floor} for floor in ("Ground", "First")]
    device = {**LIGHT, "area": "Stairs", "floor": "First"}
    registry = Registry(load_foreign(home(device, floors=floors, areas=areas)).entities)
    assert registry["light.a"].area == "stairs_f"
    floor = registry.floor_of("light.a")
    assert floor is not None
    assert floor.id == "f"


def test_scales_are_ours() -> None:
    attributes = {"brightness": 102, "color_temp_kelvin": 2700, "min_color_temp_kelvin": 2200, "rgb_color": [1, 2, 3]}
    loaded = load_foreign(home({**LIGHT, "state": "on", "attributes": attributes}))
    assert loaded.simulation.devices["light.a"].state == {"state": "on", "brightness": 40.0, "color_temp": 2700.0}
    temperature = loaded.entities[0].capability("color_temp")
    assert temperature is not None
    assert temperature.minimum == 2200


@pytest.mark.parametrize(
    ("domain", "device_class", "can", "state", "attributes", "ours"),
    [
        ("climate", None, "on_off temperature mode", "heat", {}, {"state": "on", "mode": "heat"}),
        ("climate", None, "on_off temperature", "68", {}, {"state": "on", "current_temperature": 68}),
        ("cover", None, "open_close position", "open", {"current_position": 30}, {"state": "open", "position": 30}),
        ("media_player", None, "on_off volume", "playing", {"volume_level": 0.8}, {"state": "playing", "volume": 80}),
        ("sensor", "temperature", "read", "21.5", {}, {"temperature": 21.5}),
        ("binary_sensor", "door", "read", "on", {}, {"contact": "on"}),
        ("person", None, "read", "not_home", {}, {"state": "not_home"}),
        ("vacuum", None, "start_stop dock", "docked", {}, {"state": "docked"}),
        ("light", None, "on_off", None, {}, {"state": "off"}),
    ],
)
def test_states_are_ours(
    domain: str, device_class: str | None, can: str, state: str | None, attributes: dict[str, Any], ours: dict[str, Any]
) -> None:
    device = {"id": "x", "name": "X", "domain": domain, "device_class": device_class, "capabilities": can.split()}
    entity = load_foreign(home(device)).entities[0]
    assert canonical_state(entity, state, attributes) == ours


def test_degrees_fahrenheit_are_told_by_their_size() -> None:
    device = {
        "id": "c",
        "name": "C",
        "domain": "climate",
        "capabilities": ["temperature"],
        "attributes": {"max_temp": 85},
    }
    capability = load_foreign(home(device)).entities[0].capability("temperature")
    assert capability is not None
    assert (capability.unit, capability.maximum) == ("F", 85)


def test_what_is_away_is_offline_and_what_is_no_device_is_left_out() -> None:
    loaded = load_foreign(home({**LIGHT, "state": "unavailable"}, {"id": "w", "name": "W", "domain": "zone"}))
    assert [item.id for item in loaded.entities] == ["light.a"]
    assert loaded.simulation.devices["light.a"].behaviour == "offline"


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"floors": 1, "areas": [], "devices": []}', "[" * 100_000])
def test_what_is_no_home_is_told(tmp_path: Path, text: str) -> None:
    file = tmp_path / "home.json"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError):
        load_foreign(file)


def test_a_capability_that_nobody_knows_is_told() -> None:
    with pytest.raises(ConfigError, match="'dance'; there are on_off"):
        load_foreign(home({**LIGHT, "capabilities": ["on_off", "dance"]}))

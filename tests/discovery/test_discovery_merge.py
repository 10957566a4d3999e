"""What the file says and what the broker tells, made one home."""

from __future__ import annotations

from pathlib import Path

import pytest

from daemon.core.entities import Address, Entity
from daemon.core.errors import ConfigError
from daemon.discovery.find import Find, merge
from daemon.home.capabilities import STANDARD
from daemon.home.config import HomeConfig
from daemon.home.loader import load_home

HOME = """
languages: [en, zh]
mqtt: {host: broker.example}
areas:
  kitchen: {name: {en: Kitchen, zh: 厨房}, aliases: [cookhouse]}
devices:
  old_lamp: {name: Old lamp, area: kitchen, topic: zigbee2mqtt/old, capabilities: [on_off]}
  spot: {discovered: 0x01, name: Kitchen spot, area: kitchen, type: lamp, tags: [best]}
  strip: {discovered: shelf strip, aliases: [glow], risk: {turn_off: confirm}}
  gone: {discovered: nowhere, name: Nothing}
groups:
  pair: {name: Pair, members: [spot, strip]}
"""


@pytest.fixture
def home(tmp_path: Path) -> HomeConfig:
    file = tmp_path / "devices.yaml"
    file.write_text(HOME, encoding="utf-8")
    return load_home(file)


def find(
    entity: str, name: str, topic: str, area: str = "", capabilities: tuple[str, ...] = ("on_off", "brightness")
) -> Find:
    return Find(
        Entity(
            id=entity,
            kind="device",
            names=(name,),
            type="light",
            capabilities=tuple(STANDARD[item] for item in capabilities),
            address=Address("zigbee2mqtt", topic),
        ),
        area,
        frozenset({name, topic}),
    )


def test_the_file_stands_above_what_is_found(home: HomeConfig) -> None:
    merged = merge(home, [find("0x01", "spot 1", "zigbee2mqtt/spot 1", "Garage")])
    spot = next(item for item in merged.entities if item.id == "spot")
    assert spot.names == ("Kitchen spot",)
    assert spot.area == "kitchen"
    assert spot.type == "lamp"
    assert spot.tags == {"best"}
    assert [item.name for item in spot.capabilities] == ["on_off", "brightness"]
    assert spot.address == Address("zigbee2mqtt", "zigbee2mqtt/spot 1")
    assert [item.id for item in merged.entities if item.id == "0x01"] == []


def test_what_the_file_leaves_out_is_as_found(home: HomeConfig) -> None:
    merged = merge(home, [find("0x02", "Shelf strip", "zigbee2mqtt/Shelf strip", "厨房")])
    strip = next(item for item in merged.entities if item.id == "strip")
    assert strip.names == ("Shelf strip", "glow")
    assert strip.area == "kitchen"
    assert strip.type == "light"
    assert strip.risk == {"turn_off": "confirm"}


def test_what_nobody_tells_of_is_missing(home: HomeConfig) -> None:
    merged = merge(home, [])
    assert [item.entity.id for item in merged.missing] == ["spot", "strip", "gone"]
    assert "spot" not in {item.id for item in merged.entities}


def test_a_device_of_the_file_is_not_found_twice(home: HomeConfig) -> None:
    merged = merge(home, [find("0x09", "old", "zigbee2mqtt/old")])
    assert merged.added == ()
    assert [item.id for item in merged.entities if item.address and item.address.topic == "zigbee2mqtt/old"] == [
        "old_lamp"
    ]


def test_a_group_that_is_found_has_the_files_devices_as_members(home: HomeConfig) -> None:
    group = Entity(id="g7", kind="group", names=("Dining",), members=("0x01", "0x09", "0x03"))
    found = [
        Find(group),
        find("0x01", "spot 1", "zigbee2mqtt/spot 1"),
        find("0x09", "old", "zigbee2mqtt/old"),
        find("0x03", "one", "zigbee2mqtt/one"),
    ]
    merged = merge(home, found)
    assert next(item for item in merged.entities if item.id == "g7").members == ("spot", "old_lamp", "0x03")


def test_areas_are_the_files_by_any_name_or_new(home: HomeConfig) -> None:
    merged = merge(
        home,
        [
            find("0x03", "one", "z/one", "Cookhouse"),
            find("0x04", "two", "z/two", "Winter Garden"),
            find("0x05", "three", "z/three", "winter garden"),
            find("0x06", "four", "z/four"),
        ],
    )
    areas = {item.id: item.area for item in merged.entities if item.kind == "device"}
    assert areas["0x03"] == "kitchen"
    assert areas["0x04"] == areas["0x05"] == "winter_garden"
    assert areas["0x06"] is None
    assert [item.names for item in merged.entities if item.kind == "area"] == [
        ("Kitchen", "厨房", "cookhouse"),
        ("Winter Garden",),
    ]


def test_an_id_that_is_taken_is_not_taken_over(home: HomeConfig) -> None:
    merged = merge(home, [find("kitchen", "evil", "z/evil"), find("0x07", "a", "z/a"), find("0x07", "b", "z/b")])
    assert [item.kind for item in merged.entities if item.id == "kitchen"] == ["area"]
    assert [item.names for item in merged.entities if item.id == "0x07"] == [("a",)]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("mqtt: {host: a}\ndevices:\n  x: {discovered: y, topic: z}", "has this from the broker"),
        ("mqtt: {host: a}\ndevices:\n  x: {discovered: y, count: 2}", "has this from the broker"),
        ("devices:\n  x: {discovered: y}", "nothing is discovered here"),
        ("mqtt: {host: a}\ndiscovery: false\ndevices:\n  x: {discovered: y}", "nothing is discovered here"),
        ("mqtt: {host: a}\ndiscovery: {zigbee2mqtt: 'a/#'}", "no topic to begin with"),
        ("mqtt: {host: a}\ndiscovery: {zigbee: a}", "unknown key"),
        ("mqtt: {host: a}\ndiscovery: {homeassistant: true}", "write the topic, or false"),
        ("mqtt: {host: a}\ndiscovery: false", "has no devices"),
    ],
)
def test_mistakes_are_told(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "devices.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=complaint):
        load_home(file)


def test_a_broker_alone_is_a_home(tmp_path: Path) -> None:
    file = tmp_path / "devices.yaml"
    file.write_text("mqtt: {host: broker.example}\n", encoding="utf-8")
    home = load_home(file)
    assert home.discovery is not None
    assert home.discovery.zigbee2mqtt == ("zigbee2mqtt",)
    assert home.discovery.homeassistant == "homeassistant"


def test_topics_can_be_others(tmp_path: Path) -> None:
    file = tmp_path / "devices.yaml"
    file.write_text(
        "mqtt: {host: a}\ndiscovery: {zigbee2mqtt: [attic/z2m, z2m], homeassistant: false}\n", encoding="utf-8"
    )
    discovery = load_home(file).discovery
    assert discovery is not None
    assert (discovery.zigbee2mqtt, discovery.homeassistant) == (("attic/z2m", "z2m"), None)

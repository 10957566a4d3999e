"""The skeleton of a home file for what a broker told of: whatever that was, it loads and means the same devices."""

import asyncio
import json
import random
from collections.abc import Iterable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import yaml

from daemon.commands.devices import skeleton
from daemon.discovery.find import Find, merge
from daemon.discovery.homeassistant import HomeAssistantSource
from daemon.discovery.inventory import Inventory
from daemon.discovery.zigbee2mqtt import Zigbee2MqttSource
from daemon.home.config import HomeConfig
from daemon.home.loader import load_home
from daemon.home.registry import Registry
from daemon.mqtt.bus import Message
from daemon.system.nodes import MAX_BYTES

TODAY = date(2026, 11, 21)
LAMP: dict[str, Any] = {
    "id": "0x01", "kind": "device", "names": ["Reading lamp"], "type": "light", "found": True, "dialect": "zigbee2mqtt",
    "capabilities": [{"attribute": "state"}, {"attribute": "brightness"}],
}  # fmt: skip
FAN = LAMP | {"id": "fan", "names": ["Old fan"], "type": "fan"}
KITCHEN: dict[str, Any] = {"id": "kitchen", "kind": "area", "names": ["Kitchen"]}
BROKER = "mqtt: {host: broker.example}\n"
# What people, and the firmware of what they buy, call things; at its worst.
NAMES = [
    *("Lamp", "lamp", "LAMP", "Lamp 2", "lamp_2", "Lamp_2", "Kitchen", "kitchen", "KITCHEN", "Kitchen!"),
    *("Kit\u200bchen", "灯", "厨房", "廚房", "客厅的灯", "Küche", "Ku\u0308che", "STRASSE", "straße", "ﬁlter"),
    *("İzmir", "ıı", "Ⅷ", "ⅷ", "➁", "٣", "null", "~", "yes", "on", "true", "12", "012", "1e3", "0x1f", "=", "<<"),
    *("*x", "&x", "!x"),
    *("- a", "a: b", "a #b", "{a}", "[a]", "'", '"', '"x" and \\', "a\nb", "a\r\nb", "a\tb", "\x07bell", "\x7f"),
    *("\x85", "\u2028", "\ufeff", "\ufffe", " ", "", "  Lamp  ", "…", "%", "__", "--", ".", "🎉"),
    *("👩\u200d🚀", "\u202eabc"),
    *("e\u0301" * 50, "long " * 60, "x" * 500, "灯" * 300, "area", "device", "group", "scene", "devices", "mqtt"),
    *("arearoom_1", "\ud800", "a/b", "a+b", "#"),
]  # fmt: skip


def message(topic: str, content: object) -> Message:
    return Message(topic, json.dumps(content).encode(), retained=True, at=0.0, sequence=1)


def found(dice: random.Random, most: int = 12) -> list[Find]:
    """What a random zigbee2mqtt and a random Home Assistant tell of."""
    zigbee, assistant = Zigbee2MqttSource(), HomeAssistantSource("homeassistant", ())
    exposes = [{"type": "light", "features": [{"type": "binary", "name": "state", "property": "state", "access": 7,
                                               "value_on": "ON", "value_off": "OFF"}]}]  # fmt: skip
    listed = [
        {"ieee_address": f"0x{number:04x}", "friendly_name": dice.choice(NAMES), "type": "Router", "supported": True,
         "description": dice.choice(NAMES), "definition": {"model": "M", "vendor": "V", "exposes": exposes}}
        for number in range(dice.randint(0, most))
    ]  # fmt: skip
    zigbee.take(message("zigbee2mqtt/bridge/devices", listed))
    groups = [
        {"id": number, "friendly_name": dice.choice(NAMES), "members": [{"ieee_address": item["ieee_address"]}]}
        for number, item in enumerate(listed[:2])
    ]
    zigbee.take(message("zigbee2mqtt/bridge/groups", groups))
    for number in range(dice.randint(0, most)):
        named = dice.choice([str(number), dice.choice(NAMES)])
        device = {"name": dice.choice(NAMES), "identifiers": [dice.choice(NAMES)], "suggested_area": dice.choice(NAMES)}
        topics = {"cmd_t": f"x/{number}/set", "stat_t": f"x/{number}"}
        config = {"name": dice.choice([*NAMES, None]), "uniq_id": named, "device": device, **topics}
        kind = dice.choice(["switch", "light", "fan", "lock", "siren", "cover"])
        assistant.take(message(f"homeassistant/{kind}/n{number}/config", config))
    return [*zigbee.finds(), *assistant.finds()]


def told(home: HomeConfig, finds: Iterable[Find]) -> list[dict[str, Any]]:
    merged = merge(home, finds)
    inventory = Inventory(Registry(merged.entities, home.people))

    async def everything() -> list[dict[str, Any]]:
        return [await inventory.describe(item) | {"found": item.id in merged.added} for item in inventory.find(())]

    return asyncio.run(everything())


def written(text: str, folder: Path) -> HomeConfig:
    file = folder / "new.yaml"
    file.write_text(text, encoding="utf-8")
    return load_home(file)


@pytest.fixture
def empty(tmp_path: Path) -> HomeConfig:
    file = tmp_path / "devices.yaml"
    file.write_text(BROKER, encoding="utf-8")
    return load_home(file)


@pytest.mark.parametrize("seed", range(200))
def test_the_file_of_any_home_loads_and_points_to_what_was_found(seed: int, empty: HomeConfig, tmp_path: Path) -> None:
    finds = found(random.Random(seed))
    before = merge(empty, finds)
    home = written(skeleton(empty, told(empty, finds), TODAY), tmp_path)
    after = merge(home, finds)
    assert after.missing == ()
    assert {item.kind for item in after.entities} >= {item.kind for item in before.entities} - {"area"}
    devices = [sum(item.kind == "device" for item in merged.entities) for merged in (before, after)]
    assert devices[0] == devices[1]
    assert len(home.overrides) == sum(item.kind == "device" for item in before.entities)


@pytest.mark.parametrize("seed", range(20))
def test_so_it_does_beside_what_the_file_has_itself(seed: int, tmp_path: Path) -> None:
    dice = random.Random(f"own{seed}")
    file = tmp_path / "devices.yaml"
    areas = "areas:\n  kitchen: {name: Kitchen}\n  lamp: {name: Lamp}\n"
    file.write_text(f"{BROKER}{areas}devices:\n  device: {{name: Device, capabilities: [on_off]}}\n", encoding="utf-8")
    home = load_home(file)
    written(skeleton(home, told(home, found(dice)), TODAY), tmp_path)


def test_two_areas_of_one_name_are_one(empty: HomeConfig, tmp_path: Path) -> None:
    twin = KITCHEN | {"id": "kitchen_2", "names": ["kitchen"]}
    lamps = [LAMP | {"area": "kitchen"}, FAN | {"area": "kitchen_2"}]
    home = written(skeleton(empty, [KITCHEN, twin, *lamps], TODAY), tmp_path)
    assert [item.id for item in home.entities] == ["kitchen"]
    assert [item.entity.area for item in home.overrides] == ["kitchen", "kitchen"]


def test_two_things_of_one_name_in_one_place_keep_the_second_as_it_is_found(empty: HomeConfig, tmp_path: Path) -> None:
    text = skeleton(empty, [LAMP, LAMP | {"id": "0x02"}, LAMP | {"id": "0x03", "names": ["Reading lamp 2"]}], TODAY)
    assert [item.entity.names for item in written(text, tmp_path).overrides] == [
        ("Reading lamp",),
        (),
        ("Reading lamp 2",),
    ]


def test_of_a_home_that_is_too_large_for_a_file_as_much_as_fits_is_written(empty: HomeConfig, tmp_path: Path) -> None:
    many = [LAMP | {"id": f"0x{number:08x}", "names": [f"{'Lamp' * 18} {number}"]} for number in range(6_000)]
    text = skeleton(empty, many, TODAY)
    assert MAX_BYTES // 2 < len(text.encode()) <= MAX_BYTES
    assert "more would make this file too long" in text
    assert len(written(text, tmp_path).overrides) > 1_000


def test_what_the_file_mentions_already_is_left_out(tmp_path: Path) -> None:
    """The one that an entry means bears that entry's id, which the broker does not know."""
    file = tmp_path / "devices.yaml"
    file.write_text(f"{BROKER}devices:\n  fan: {{discovered: 0x02}}\n", encoding="utf-8")
    text = skeleton(load_home(file), [LAMP, FAN], TODAY)
    assert yaml.safe_load(text)["devices"] == {
        "reading_lamp": {"discovered": "0x01", "name": "Reading lamp", "type": "light"}
    }


@pytest.mark.parametrize(
    "settings",
    [
        "mqtt: {host: broker.example, version: 5}\n",
        "mqtt: {host: broker.example, version: 3.1.1, tls: true, user: me, password: {env: SECRET}}\n",
        "mqtt: {host: broker.example}\ndiscovery: {zigbee2mqtt: [z1, z2], homeassistant: false, tasmota: false}\n",
        "discovery: {zigbee2mqtt: false, homeassistant: ha}\n",
    ],
)
def test_where_it_is_asked_stays_as_it_is(settings: str, tmp_path: Path) -> None:
    file = tmp_path / "devices.yaml"
    file.write_text(f"{settings}areas: {{}}\n", encoding="utf-8")
    home = load_home(file)
    again = written(skeleton(home, [LAMP], TODAY), tmp_path)
    assert (again.mqtt, again.discovery) == (home.mqtt, home.discovery)

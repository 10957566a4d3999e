"""Homes of any size, made up: what the benchmarks measure on. As a foreign home (docs/evaluation.md)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, product
from typing import Any

from daemon.core.ir import Lang

# Area id: its names. Every area has one of each of the things below before any has a second.
_AREAS: dict[str, dict[Lang, str]] = {
    "kitchen": {"en": "Kitchen", "zh": "厨房"},
    "living_room": {"en": "Living Room", "zh": "客厅"},
    "bedroom": {"en": "Bedroom", "zh": "卧室"},
    "bathroom": {"en": "Bathroom", "zh": "浴室"},
    "hallway": {"en": "Hallway", "zh": "走廊"},
    "office": {"en": "Office", "zh": "书房"},
    "nursery": {"en": "Nursery", "zh": "儿童房"},
    "dining_room": {"en": "Dining Room", "zh": "餐厅"},
    "garage": {"en": "Garage", "zh": "车库"},
    "guest_room": {"en": "Guest Room", "zh": "客房"},
}

_LIGHT = ("on_off", "brightness", "color", "color_temp")

# Thing: domain, device class, capabilities, state, names.
_THINGS: dict[str, tuple[str, str | None, tuple[str, ...], str, dict[Lang, str]]] = {
    "ceiling_light": ("light", None, _LIGHT, "off", {"en": "Ceiling Light", "zh": "顶灯"}),
    "floor_lamp": ("light", None, _LIGHT, "off", {"en": "Floor Lamp", "zh": "落地灯"}),
    "desk_lamp": ("light", None, _LIGHT, "on", {"en": "Desk Lamp", "zh": "台灯"}),
    "fan": ("fan", None, ("on_off", "fan_speed"), "off", {"en": "Fan", "zh": "风扇"}),
    "blinds": ("cover", "blind", ("open_close", "position"), "closed", {"en": "Blinds", "zh": "百叶窗"}),
    "curtain": ("cover", "curtain", ("open_close", "position"), "open", {"en": "Curtain", "zh": "窗帘"}),
    "thermostat": ("climate", None, ("on_off", "temperature", "mode"), "heat", {"en": "Thermostat", "zh": "空调"}),
    "speaker": (
        "media_player",
        "speaker",
        ("on_off", "volume", "mute", "media_transport"),
        "playing",
        {"en": "Speaker", "zh": "音箱"},
    ),
    "socket": ("switch", "outlet", ("on_off",), "off", {"en": "Socket", "zh": "插座"}),
    "door_lock": ("lock", None, ("lock",), "unlocked", {"en": "Door Lock", "zh": "门锁"}),
}

# What tells the second, third ... thing of a kind in an area from the first: alike, as in real large homes.
_SIDES: tuple[dict[Lang, str], ...] = (
    {"en": "", "zh": ""},
    {"en": "Left", "zh": "左侧"},
    {"en": "Right", "zh": "右侧"},
    {"en": "Old", "zh": "旧"},
    {"en": "New", "zh": "新"},
    {"en": "Small", "zh": "小"},
    {"en": "Big", "zh": "大"},
    {"en": "Corner", "zh": "角落"},
    {"en": "Front", "zh": "前面"},
    {"en": "Back", "zh": "后面"},
)


def sample_home(size: int, lang: Lang) -> dict[str, Any]:
    """A home with so many devices; a larger one holds all that a smaller one does."""
    return {
        "id": f"sample_{size}",
        "lang": lang,
        "floors": [],
        "areas": [{"id": name, "name": names[lang]} for name, names in _AREAS.items()],
        "devices": list(islice(_devices(lang), size)),
    }


def _devices(lang: Lang) -> Iterator[dict[str, Any]]:
    number = 1
    while True:
        for side, (thing, details), (area, area_names) in product(_SIDES, _THINGS.items(), _AREAS.items()):
            domain, device_class, capabilities, state, names = details
            words = [area_names[lang], side[lang], names[lang], str(number) if number > 1 else ""]
            name = (" " if lang == "en" else "").join(word for word in words if word)
            device = {
                "id": "_".join(word for word in (f"{domain}.{area}", side["en"].lower(), thing, words[3]) if word),
                "name": name,
                "aliases": [],
                "domain": domain,
                "area": area_names[lang],
                "capabilities": list(capabilities),
                "state": state,
            }
            yield device if device_class is None else device | {"device_class": device_class}
        number += 1

"""What the components of a device are called."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from daemon.discovery.homeassistant.draft import Draft
from daemon.home.sensing import AMBIENT, READINGS

_MAX_NAME: Final = 80
_NO_TEXT: Final = re.compile(r"[\x00-\x1f\x7f]")
_SETTINGS: Final = frozenset({"config", "diagnostic"})
_WITHIN: Final = re.compile(r"\b(?:internal|chip|cpu|esp\w*|board|device|processor|soc)\b|芯片|内部")
"""In the name of a sensor: it measures the device and not its place."""
_GENERIC: Final = frozenset(
    {word for attribute in READINGS for word in attribute.split("_")}
    | {"sensor", "state", "status", "level", "current", "total", "active", "measured", "actual", "door", "window"}
    | {"light", "lamp", "switch", "relay", "plug", "outlet", "socket", "cover", "shutter", "blind", "valve", "fan"}
    | {"lock", "climate", "thermostat", "vacuum", "mower", "channel", "wifi", "wi", "fi", "bluetooth", "output"}
    | {"button", "humidifier", "rssi", "lux", "opening", "moving", "consumption", "carbon", "dioxide", "left"}
    | {"right", "power", "usage", "detected", "soil"}
    | {"功率", "电压", "电流", "电量", "能耗", "用电量", "温度", "湿度", "电池", "信号", "信号强度", "状态", "开关"}
    | {"灯", "插座", "照度", "光照", "亮度", "人体", "门磁", "门锁", "窗帘", "风扇", "空调", "按钮", "继电器"}
    | {"当前温度", "当前湿度"}
)
"""Words in the name of a component that tell only what sort of thing it is."""


@dataclass(frozen=True, slots=True)
class Named:
    """A component with what it is called."""

    draft: Draft
    device: str
    own: str
    """Its own name; empty where it has the device's."""

    @property
    def full(self) -> str:
        """Both names; the own one alone where it has the device's in it: "Tasmota2"."""
        if self.device and self.own.casefold().startswith(self.device.casefold()):
            return self.own
        return f"{self.device} {self.own}".strip()[:_MAX_NAME]

    @property
    def setting(self) -> bool:
        """Whether it is about the device rather than what it is there for."""
        return self.draft.text("entity_category") in _SETTINGS

    @property
    def sensor(self) -> bool:
        """Whether it only tells."""
        return self.draft.config.component in ("sensor", "binary_sensor")

    @property
    def about_itself(self) -> bool:
        """Whether it measures the device and not its place."""
        return self.draft.capabilities[0].attribute in AMBIENT and _WITHIN.search(self.own.casefold()) is not None


def own_name(draft: Draft, device: str) -> str:
    """A component's own name, without the device's before it; empty where it has the device's."""
    data = draft.config.data
    name = spoken(data.get("name"))
    if draft.config.component == "number" and draft.text("tilt_command_topic"):
        name = f"{name} tilt".strip()
    elif "name" in data and not name:
        return ""
    elif not name:
        words = draft.text("device_class") or ("" if draft.main and device else draft.config.component)
        name = spoken(words) if device else spoken(draft.text("object_id") or object_name(draft)) or spoken(words)
    if device and name.casefold().startswith(device.casefold()):
        rest = name[len(device) :]
        name = rest.strip(" -_:.") if not rest[:1].isalnum() else name
    return name


def names_of(item: Named) -> tuple[str, ...]:
    """What an entity is called: in full, and by its own name where that says something."""
    names = [item.full or spoken(object_name(item.draft)) or item.draft.config.component]
    if item.device and item.draft.main and not item.setting and not generic(item.own):
        # "Desk lamp" of "ESP node 3": nobody says the board.
        names.append(item.own)
    return tuple(dict.fromkeys(name[:_MAX_NAME] for name in names))


def generic(own: str) -> bool:
    """Whether a name says only what sort of thing it is, with a number perhaps."""
    words = re.findall(r"[^\W_]+", own.casefold())
    return all(word in _GENERIC or word.rstrip("0123456789") in ("", *_GENERIC, "l") for word in words)


def object_name(draft: Draft) -> str:
    """What its topic calls it."""
    return draft.config.key or "_".join(draft.config.topic.split("/")[2:-1])


def spoken(value: object) -> str:
    """A name as it is said."""
    if not isinstance(value, str) or _NO_TEXT.search(value):
        return ""
    return " ".join(value.replace("_", " ").split())[:_MAX_NAME]

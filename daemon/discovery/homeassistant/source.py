"""Follows `<prefix>/<component>/[<node>/]<object>/config` and `<prefix>/device/[<node>/]<object>/config`."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from daemon.discovery.find import Find, Problems, object_in
from daemon.discovery.homeassistant import air, movers, small
from daemon.discovery.homeassistant.assemble import assembled, group_key
from daemon.discovery.homeassistant.draft import Config, Draft
from daemon.discovery.homeassistant.lights import light
from daemon.mqtt.bus import Message
from daemon.mqtt.dialects.templates import Templates
from daemon.system.nodes import read_yaml
from daemon.system.worker import Limit

_LOG = logging.getLogger(__name__)
_MAX_PAYLOAD: Final = 256 * 1024
_MAX_COMPONENTS: Final = 256
"""Of one device."""
_MAX_ALL: Final = 10_000
_MAX_BYTES: Final = 32 * 1024 * 1024
"""Of all payloads; 10,000 ordinary things have about 10 MB."""
_MAX_TEXT: Final = 120
_OURSELVES: Final = "Hearken"

_COMPONENTS: Final[Mapping[str, Callable[[Draft], None]]] = {
    "alarm_control_panel": small.alarm,
    "binary_sensor": small.binary_sensor,
    "button": small.button,
    "climate": air.climate,
    "cover": movers.cover,
    "device_automation": small.automation,
    "device_tracker": small.device_tracker,
    "event": small.event,
    "fan": air.fan,
    "humidifier": air.humidifier,
    "lawn_mower": movers.lawn_mower,
    "light": light,
    "lock": movers.lock,
    "number": small.number,
    "scene": small.scene,
    "select": small.select,
    "sensor": small.sensor,
    "siren": small.siren,
    "switch": small.switch,
    "vacuum": movers.vacuum,
    "valve": movers.valve,
    "water_heater": air.water_heater,
}
_NOT_THINGS: Final = frozenset({"device_automation", "tag"})
"""Left out without a word."""


class _Announced(Struct, frozen=True):
    digest: bytes
    """Of the payload, to tell a repetition by."""
    size: int
    """Bytes of the payload; the drafts keep what was in it."""
    drafts: tuple[Draft, ...]


class HomeAssistantSource:
    """What announces itself in Home Assistant's form under `prefix`, as a source of discovery.

    What zigbee2mqtts announce that are asked themselves, by their base topics (`native`), is left to them.
    """

    def __init__(self, prefix: str = "homeassistant", native: Iterable[str] = ()) -> None:
        self._prefix = prefix
        self._native = tuple(f"{base}/" for base in native)
        self._announced: dict[str, _Announced] = {}
        self._templates = Templates()
        self._problems = Problems(_LOG)
        self._made: dict[str, tuple[list[Draft], tuple[Find, ...]]] = {}
        self._count = self._size = 0
        self._all = Limit(_LOG, "only the first %d things that announce themselves on %s/# are used")
        self._bytes = Limit(_LOG, "only the first %d bytes of what announces itself on %s/# are used")
        self._components = Limit(_LOG, "of what one device announces only the first %d things are used: %s")
        self._version = 0

    @property
    def version(self) -> int:
        """Grows whenever `finds` has changed."""
        return self._version

    def filters(self) -> tuple[str, ...]:
        """The configuration topics, with a node in them and without."""
        return (f"{self._prefix}/+/+/config", f"{self._prefix}/+/+/+/config")

    def take(self, message: Message) -> None:
        """Follows one announcement; an empty one takes back what was announced there."""
        parts = message.topic.removeprefix(f"{self._prefix}/").split("/")
        if len(parts) not in (3, 4) or parts[-1] != "config":
            return
        known = self._announced.get(message.topic)
        digest = hashlib.blake2b(message.payload, digest_size=16).digest()
        if known is not None and known.digest == digest:
            return
        self._forget_problems(message.topic)
        drafts = self._drafts(parts[0], message) if message.payload else ()
        if drafts is None:
            return
        if not drafts and known is None:
            return
        count = self._count + len(drafts) - (len(known.drafts) if known is not None else 0)
        size = self._size + (len(message.payload) if drafts else 0) - (known.size if known is not None else 0)
        if drafts and (count > _MAX_ALL or size > _MAX_BYTES):
            self._cut(message.topic, things=count > _MAX_ALL)
            return
        if drafts:
            self._announced[message.topic] = _Announced(digest, len(message.payload), drafts)
        else:
            del self._announced[message.topic]
        self._count, self._size = count, size
        self._version += 1

    def finds(self) -> Iterable[Find]:
        """The entities, device by device."""
        devices: dict[str, list[Draft]] = {}
        for topic in sorted(self._announced):
            for draft in self._announced[topic].drafts:
                devices.setdefault(group_key(draft) or f"alone {topic} {draft.config.key}", []).append(draft)
        # A thousand devices are not made anew because one has changed.
        self._made = {key: self._assembled(key, drafts) for key, drafts in devices.items()}
        seen: set[str] = set()
        for _, finds in self._made.values():
            for find in finds:
                if find.entity.id not in seen:
                    seen.add(find.entity.id)
                    yield find

    def problems(self) -> Mapping[str, str]:
        """Topic, with the component's name in it where it has several -> why it can't be used."""
        return MappingProxyType(self._problems)

    def _assembled(self, key: str, drafts: list[Draft]) -> tuple[list[Draft], tuple[Find, ...]]:
        known, finds = self._made.get(key, ([], ()))
        if len(known) == len(drafts) and all(one is other for one, other in zip(known, drafts, strict=True)):
            return known, finds
        try:
            return drafts, tuple(assembled(drafts))
        except Exception as error:  # noqa: BLE001 - one device that nobody foresaw must not hide all others
            topic = drafts[0].config.topic
            _LOG.error("what is announced on %s could not be put together", topic, exc_info=error)
            self._problems.add(topic, f"could not be put together: {type(error).__name__}")
            return drafts, ()

    def _drafts(self, component: str, message: Message) -> tuple[Draft, ...] | None:
        """What an announcement holds; None where it can't be used at all, and what was there before stays."""
        payload = object_in(message.payload, _MAX_PAYLOAD)
        if isinstance(payload, str):
            self._problems.add(message.topic, payload)
            return None
        data = expanded(payload)
        if data.get("migrate_discovery") is True:
            return ()
        found = []
        for config in self._configs(component, message.topic, data):
            if config.origin == _OURSELVES or self._is_native(config.data):
                continue
            draft = self._draft(config)
            if draft is not None:
                found.append(draft)
        return tuple(found)

    def _configs(self, component: str, topic: str, data: Mapping[str, Any]) -> Iterator[Config]:
        if component != "device":
            yield Config(component, topic, "", data)
            return
        components = data.get("components")
        shared = {key: value for key, value in data.items() if key != "components"}
        listed = list(components.items()) if isinstance(components, dict) else []
        if not listed:
            self._problems.add(topic, "is a device without components")
        if len(listed) > _MAX_COMPONENTS:
            self._components.cuts(_MAX_COMPONENTS, topic)
        for key, item in listed[:_MAX_COMPONENTS]:
            if not isinstance(item, dict):
                self._problems.add(f"{topic} {key}"[:_MAX_TEXT], "is no JSON object")
                continue
            own = expanded({**({"~": base} if (base := _base(item, data)) else {}), **item})
            platform = own.pop("platform", None)
            # Only a platform: the component is no longer there.
            if isinstance(platform, str) and own.keys() - {"~"}:
                yield Config(platform, topic, str(key)[:_MAX_TEXT], {**shared, **own})

    def _draft(self, config: Config) -> Draft | None:
        name = f"{config.topic} {config.key}".strip()
        make = _COMPONENTS.get(config.component)
        if make is None:
            if config.component not in _NOT_THINGS:
                self._problems.add(name, f"nothing is done with what is called {config.component[:40]!r}")
            return None
        if config.data.get("enabled_by_default") is False:
            return None
        draft = Draft(config, self._templates)
        make(draft)
        if draft.problems:
            self._problems.add(name, "; ".join(dict.fromkeys(draft.problems)))
        elif not draft.capabilities and not draft.beside and config.component not in _NOT_THINGS:
            self._problems.add(name, "has no topic that Hearken could use")
        return draft if draft.capabilities or draft.beside else None

    def _is_native(self, data: Mapping[str, Any]) -> bool:
        topics = (value for key, value in data.items() if key.endswith("_topic") and isinstance(value, str))
        return bool(self._native) and any(topic.startswith(self._native) for topic in topics)

    def _cut(self, topic: str, *, things: bool) -> None:
        limit, most, what = (self._all, _MAX_ALL, "things") if things else (self._bytes, _MAX_BYTES, "bytes")
        limit.cuts(most, self._prefix)
        self._problems.add(topic, f"only the first {most} {what} are used")

    def _forget_problems(self, topic: str) -> None:
        for name in [name for name in self._problems if name == topic or name.startswith(f"{topic} ")]:
            del self._problems[name]


def _base(item: Mapping[str, Any], data: Mapping[str, Any]) -> str:
    found = item.get("~", data.get("~"))
    return found if isinstance(found, str) else ""


_SET_POINT: Final = frozenset({"cmd", "stat", "hi", "lo", "unit"})
"""What follows `temp` where that is short for "temperature"; elsewhere (`max_temp`) it stands so in the long key."""


@cache
def _tables() -> Mapping[str, Mapping[str, str]]:
    found: dict[str, dict[str, str]] = read_yaml(Path(__file__).with_name("keys.yaml")).plain()
    return found


def long(key: str) -> str:
    """The long form of a key of a component; a long one stays."""
    if (found := _tables()["whole"].get(key)) is not None:
        return found
    words = key.split("_")
    if words[0] == "swing" and words[1:2] == ["h"]:
        words[1] = "horizontal"
    for at, word in enumerate(words[:-1]):
        if word == "temp" and (words[:at] == ["curr"] or (at == 0 and words[1] in _SET_POINT)):
            words[at] = "temperature"
    return "_".join(_tables()["words"].get(word, word) for word in words)


def expanded(payload: Mapping[str, Any]) -> dict[str, Any]:
    """A payload with long keys, base topics (`~`) put in, in its device and origin too."""
    found: dict[str, Any] = {}
    for key, value in payload.items():
        found.setdefault(long(key), value)
    for key in ("device", "origin"):
        if isinstance(inner := found.get(key), Mapping):
            found[key] = {_tables()[key].get(name, name): value for name, value in inner.items()}
    if isinstance(listed := found.pop("availability", None), list | Mapping):
        items = listed if isinstance(listed, list) else [listed]
        found["availability"] = [
            {long(key): value for key, value in item.items()} for item in items if isinstance(item, Mapping)
        ]
    return _based(found)


def _based(found: dict[str, Any]) -> dict[str, Any]:
    base = found.get("~")
    if not isinstance(base, str):
        return found
    for key, value in found.items():
        if key == "topic" or key.endswith("_topic"):
            found[key] = _topic(value, base)
    for item in found.get("availability") or ():
        item["topic"] = _topic(item.get("topic"), base)
    return found


def _topic(value: object, base: str) -> object:
    if not isinstance(value, str):
        return value
    if value.startswith("~"):
        value = f"{base}{value[1:]}"
    return f"{value[:-1]}{base}" if value.endswith("~") else value

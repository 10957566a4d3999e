"""Follows `<base>/bridge/devices` and `<base>/bridge/groups` of one zigbee2mqtt."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any, Final

from daemon.discovery.find import Find
from daemon.discovery.kinds import kind_of
from daemon.discovery.zigbee2mqtt.exposes import Part, parts_of
from daemon.home.capabilities import STANDARD
from daemon.home.entities import Address, Capability, Entity
from daemon.mqtt.bus import Message
from daemon.mqtt.dialects.zigbee2mqtt_words import properties, to_device

_MAX_DEVICES: Final = 5_000
_MAX_PROBLEMS: Final = 200
_MAX_NAME: Final = 80
_MAX_DEPTH: Final = 64
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{16}")
_NO_TOPIC: Final = re.compile(r"[+#\x00-\x1f\x7f]")


class Zigbee2MqttSource:
    """One zigbee2mqtt as a source of discovery.

    Args:
        base: Its base topic.
    """

    def __init__(self, base: str = "zigbee2mqtt") -> None:
        self._base = base
        self._devices: tuple[Find, ...] = ()
        self._groups: tuple[Mapping[str, Any], ...] = ()
        self._by_address: dict[str, tuple[Entity, ...]] = {}
        self._problems: dict[str, str] = {}
        self._version = 0

    @property
    def version(self) -> int:
        """Grows whenever `finds` has changed."""
        return self._version

    def filters(self) -> tuple[str, ...]:
        """The lists of devices and of groups, both retained."""
        return (f"{self._base}/bridge/devices", f"{self._base}/bridge/groups")

    def take(self, message: Message) -> None:
        """Follows a list."""
        listed = _list(message.payload)
        if listed is None:
            self._problem(message.topic, "this is no list of objects")
            return
        self._problems.pop(message.topic, None)
        if message.topic.endswith("/devices"):
            self._take_devices(listed)
        else:
            self._groups = tuple(listed)
        self._version += 1

    def finds(self) -> Iterable[Find]:
        """Devices with their gangs and settings, their scenes, then groups."""
        yield from self._devices
        for group in self._groups:
            yield from self._group(group)

    def problems(self) -> Mapping[str, str]:
        """Name -> why it can't be used."""
        return MappingProxyType(self._problems)

    def _take_devices(self, listed: list[Mapping[str, Any]]) -> None:
        self._problems = {}
        self._by_address = {}
        finds: list[Find] = []
        for device in listed[:_MAX_DEVICES]:
            finds += self._device(device)
        if len(listed) > _MAX_DEVICES:
            self._problem(self._base, f"only the first {_MAX_DEVICES} of {len(listed)} devices are used")
        self._devices = tuple(finds)

    def _device(self, device: Mapping[str, Any]) -> Iterator[Find]:
        address, name = device.get("ieee_address"), device.get("friendly_name")
        if device.get("type") == "Coordinator":
            return
        if not isinstance(address, str) or not isinstance(name, str) or not _usable(address) or not _usable(name):
            self._problem(str(name)[:_MAX_NAME], "has no usable name or address")
            return
        why = _unready(device)
        if why is not None:
            self._problem(name, why)
            return
        definition = device["definition"]
        parts = parts_of(definition.get("exposes"))
        if not parts:
            self._problem(name, "can neither do nor tell anything that Hearken knows")
            return
        described = _text(device.get("description"))
        spoken = _spoken(name, definition)
        mains = [part for part in parts if part.main != "setting"]
        called = frozenset({name, address, f"{self._base}/{name}"})
        entities: list[Entity] = []
        for part in parts:
            entity = self._entity(part, address, name, spoken, described, definition, alone=len(mains) == 1)
            entities.append(entity)
            yield Find(entity, "", called if entity.id == address else frozenset({entity.id}), _hints(name, described))
        gangs = tuple(item.id for item, part in zip(entities, parts, strict=True) if part.main != "setting")
        self._by_address[address] = tuple(entities)
        if len(gangs) > 1:
            whole = Entity(id=address, kind="group", names=(spoken,), members=gangs, description=described)
            yield Find(whole, "", called, _hints(name, described))
        yield from self._scenes(device.get("scenes"), address, name, spoken)

    def _entity(
        self,
        part: Part,
        address: str,
        name: str,
        spoken: str,
        described: str,
        definition: Mapping[str, Any],
        *,
        alone: bool,
    ) -> Entity:
        setting = part.main == "setting"
        suffix = part.label if setting else "" if alone else part.endpoint or part.main
        kind = None if setting else kind_of(part.main, spoken, described, _text(definition.get("description")))
        entity = Entity(
            id=address if alone and not setting else f"{address}_{_slug(suffix)}",
            kind="device",
            names=(f"{spoken} {suffix.replace('_', ' ')}".strip()[:_MAX_NAME],),
            type=kind,
            capabilities=tuple(part.capabilities),
            # A setting is changed by its name only, never along with everything else.
            tags=frozenset({"essential"}) if setting else frozenset(),
            address=Address("zigbee2mqtt", f"{self._base}/{name}", part.options),
            description=described,
        )
        return _brief(entity)

    def _scenes(self, scenes: object, owner: str, name: str, spoken: str) -> Iterator[Find]:
        for scene in scenes if isinstance(scenes, list) else ():
            if not isinstance(scene, Mapping):
                continue
            number, title = scene.get("id"), scene.get("name")
            if (
                not isinstance(number, int)
                or isinstance(number, bool)
                or not isinstance(title, str)
                or not _usable(title)
            ):
                continue
            yield Find(
                Entity(
                    id=f"{owner}_scene_{number}",
                    kind="scene",
                    names=(title[:_MAX_NAME], f"{spoken} {title}"[:_MAX_NAME]),
                    capabilities=(STANDARD["activate"],),
                    address=Address("zigbee2mqtt", f"{self._base}/{name}", {"scene": number}),
                ),
                called=frozenset({f"{name}/{title}"}),
            )

    def _group(self, group: Mapping[str, Any]) -> Iterator[Find]:
        number, name = group.get("id"), group.get("friendly_name")
        if not isinstance(number, int) or not isinstance(name, str) or not _usable(name):
            self._problem(str(name)[:_MAX_NAME], "is a group without a usable name or number")
            return
        owner = f"{self._base}_group_{number}".replace("/", "_")
        members = tuple(dict.fromkeys(self._members(group.get("members"))))
        spoken = _words(name)
        described = _text(group.get("description"))
        if members:
            yield Find(
                Entity(id=owner, kind="group", names=(spoken,), members=members, description=described),
                "",
                frozenset({name, f"{self._base}/{name}"}),
                _hints(name, described),
            )
        yield from self._scenes(group.get("scenes"), owner, name, spoken)

    def _members(self, members: object) -> Iterator[str]:
        for member in members if isinstance(members, list) else ():
            address = member.get("ieee_address") if isinstance(member, Mapping) else None
            found = [item for item in self._by_address.get(str(address), ()) if "essential" not in item.tags]
            endpoint = str(member.get("endpoint")) if isinstance(member, Mapping) else ""
            gang = [item for item in found if item.id.endswith(f"_l{endpoint}") or item.id.endswith(f"_{endpoint}")]
            yield from (item.id for item in (gang or found))

    def _problem(self, name: str, why: str) -> None:
        if len(self._problems) < _MAX_PROBLEMS:
            self._problems[name] = why


def _list(payload: bytes) -> list[Mapping[str, Any]] | None:
    try:
        found = json.loads(payload) if payload else []
    except (ValueError, RecursionError):
        return None
    if not isinstance(found, list) or not all(isinstance(item, dict) for item in found):
        return None
    return found


def _unready(device: Mapping[str, Any]) -> str | None:
    if device.get("disabled") is True:
        return "is disabled in zigbee2mqtt"
    if device.get("interviewing") is True or device.get("interview_state") in ("PENDING", "IN_PROGRESS"):
        return "is being interviewed"
    if device.get("supported") is False or not isinstance(device.get("definition"), Mapping):
        return "is not supported by zigbee2mqtt"
    return None


def _brief(entity: Entity) -> Entity:
    """The entity without the options that say what the dialect takes for granted anyway."""
    if entity.address is None:
        return entity
    kept = dict(entity.address.options)
    for capability in entity.capabilities:
        _drop_taken_for_granted(entity, capability, kept)
    return _with_options(entity, kept)


def _drop_taken_for_granted(entity: Entity, capability: Capability, kept: dict[str, Any]) -> None:
    attribute = capability.attribute
    for option in [name for name in kept if name.startswith(f"{attribute}_")]:
        said = kept[option]
        plain = _with_options(entity, {key: value for key, value in kept.items() if key != option})
        if option == f"{attribute}_property":
            granted = properties(plain, capability)[0] == said
        elif option == f"{attribute}_max":
            granted = False
        else:
            granted = to_device(plain, capability, option.removeprefix(f"{attribute}_")) == said
        if granted:
            del kept[option]


def _with_options(entity: Entity, options: dict[str, Any]) -> Entity:
    return replace(entity, address=None if entity.address is None else replace(entity.address, options=options))


def _usable(text: str) -> bool:
    return 0 < len(text) <= 200 and not _NO_TOPIC.search(text) and text.strip() == text  # noqa: PLR2004


def _text(value: object) -> str:
    return " ".join(value.split())[:400] if isinstance(value, str) and value.isprintable() else ""


def _words(name: str) -> str:
    """A name on the broker as it is said: "living_room/lamp" is "living room lamp"."""
    return " ".join(name.replace("/", " ").replace("_", " ").split())[:_MAX_NAME] or name


def _spoken(name: str, definition: Mapping[str, Any]) -> str:
    if not _ADDRESS.fullmatch(name):
        return _words(name)
    # Nobody says an address: what its maker calls it is at least something.
    return _text(definition.get("description"))[:_MAX_NAME] or name


def _hints(name: str, described: str) -> tuple[str, ...]:
    """What may be the name of an area: the description or its beginning, the first part of `kitchen/lamp`."""
    first, slash, _ = name.partition("/")
    begun = re.split(r"[,.;:/(-]", described)[0].strip()
    return tuple(dict.fromkeys(hint for hint in (described, begun, _words(first) if slash else "") if hint))


def _slug(text: str) -> str:
    return re.sub(r"\W+", "_", text.casefold()).strip("_") or "part"

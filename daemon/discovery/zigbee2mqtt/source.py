"""Follows `<base>/bridge/devices` and `<base>/bridge/groups` of one zigbee2mqtt."""

from __future__ import annotations

import hashlib
import json
import logging
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Final

from msgspec import Struct

from daemon.core.entities import Address, Entity
from daemon.core.values import healed
from daemon.discovery.find import Find, Problems
from daemon.discovery.zigbee2mqtt.device import Device, hints, learn, scenes, text, usable, words
from daemon.mqtt.bus import Message
from daemon.system.worker import Limit

_SPACE: Final = re.compile(r"[ \t\n\r]*")
_DECODER: Final = json.JSONDecoder()


class Item(Struct, frozen=True):
    """One object of a list."""

    content: Mapping[str, Any]
    digest: bytes
    """Of its text: who has seen it before need not look at it again."""


def items(payload: bytes) -> tuple[Item, ...] | None:
    """The objects of a JSON list, none of an empty payload; None where it is no list of objects.

    `json.loads` would hold the interpreter's lock for as long as all of it takes: too long for 10 MB.
    """
    try:
        return tuple(_items(payload.decode()))
    except (ValueError, RecursionError):
        return None


def _items(text: str) -> list[Item]:
    found: list[Item] = []
    if not text.strip():
        return found
    at = _after(text, _past(text, 0), "[")
    while text[at : at + 1] != "]":
        if found:
            at = _after(text, at, ",")
        content, end = _DECODER.raw_decode(text, at)
        if not isinstance(content, dict):
            raise ValueError("no object")  # noqa: TRY004 - no mistake of the caller
        said = text[at:end]
        found.append(Item(healed(content, said), hashlib.blake2b(said.encode(), digest_size=16).digest()))
        at = _past(text, end)
    if _past(text, at + 1) != len(text):
        raise ValueError("more than a list")
    return found


def _past(text: str, at: int) -> int:
    """Where the white space ends that begins here."""
    found = _SPACE.match(text, at)
    return found.end() if found is not None else at


def _after(text: str, at: int, mark: str) -> int:
    if text[at : at + 1] != mark:
        raise ValueError(f"no {mark}")
    return _past(text, at + 1)


_LOG = logging.getLogger(__name__)
_MAX_DEVICES: Final = 5_000
_MAX_NAME: Final = 80


class Zigbee2MqttSource:
    """One zigbee2mqtt as a source of discovery."""

    def __init__(self, base: str = "zigbee2mqtt") -> None:
        self._base = base
        self._devices: dict[bytes, Device] = {}
        self._groups: tuple[Mapping[str, Any], ...] = ()
        self._by_address: dict[str, tuple[Entity, ...]] = {}
        self._problems = Problems(_LOG)
        self._version = 0
        self._all = Limit(_LOG, "only the first %d of the %d devices of %s are used")

    @property
    def version(self) -> int:
        """Grows whenever `finds` has changed."""
        return self._version

    def filters(self) -> tuple[str, ...]:
        """The lists of devices and of groups, both retained."""
        return (f"{self._base}/bridge/devices", f"{self._base}/bridge/groups")

    def take(self, message: Message) -> None:
        """Follows a list."""
        listed = items(message.payload)
        if listed is None:
            self._problems.add(message.topic, "this is no list of objects")
            return
        self._problems.pop(message.topic, None)
        if message.topic.endswith("/devices"):
            self._take_devices(listed)
        else:
            self._groups = tuple(item.content for item in listed)
        self._version += 1

    def finds(self) -> Iterable[Find]:
        """Devices with their gangs and settings, their scenes, then groups."""
        for device in self._devices.values():
            yield from device.finds
        for group in self._groups:
            yield from self._group(group)

    def problems(self) -> Mapping[str, str]:
        """Name -> why it can't be used."""
        return MappingProxyType(self._problems)

    def _take_devices(self, listed: Sequence[Item]) -> None:
        self._problems.clear()
        # The whole list comes again with each change; nearly all of it is as it was.
        before, self._devices = self._devices, {}
        for item in listed[:_MAX_DEVICES]:
            device = self._devices[item.digest] = before.get(item.digest) or self._learnt(item)
            if device.problem is not None:
                self._problems.add(*device.problem)
        if len(listed) > _MAX_DEVICES:
            self._all.cuts(_MAX_DEVICES, len(listed), self._base)
            self._problems.add(self._base, f"only the first {_MAX_DEVICES} of {len(listed)} devices are used")
        self._by_address = {item.address: item.entities for item in self._devices.values() if item.entities}

    def _learnt(self, item: Item) -> Device:
        try:
            return learn(item.content, self._base)
        except Exception as error:  # noqa: BLE001 - one device that nobody foresaw must not hide all others
            name = str(item.content.get("friendly_name"))[:_MAX_NAME]
            _LOG.error("what %s tells of %r could not be read", self._base, name, exc_info=error)
            return Device("", problem=(name, f"could not be read: {type(error).__name__}"))

    def _group(self, group: Mapping[str, Any]) -> Iterator[Find]:
        number, name = group.get("id"), group.get("friendly_name")
        if not isinstance(number, int) or not isinstance(name, str) or not usable(name):
            self._problems.add(str(name)[:_MAX_NAME], "is a group without a usable name or number")
            return
        owner = f"{self._base}_group_{number}".replace("/", "_")
        told = group.get("members")
        each = [self._member(item) for item in told] if isinstance(told, list) else []
        members = tuple(dict.fromkeys(item.id for found in each for item in found))
        # Told as one, it would pass on what it is told to members of whom Hearken does not know; and a gang's words
        # are no words for a group.
        whole = all(len(found) == 1 and found[0].id in self._by_address for found in each)
        address = Address("zigbee2mqtt", f"{self._base}/{name}") if whole else None
        spoken = words(name)
        described = text(group.get("description"))
        if members:
            yield Find(
                Entity(
                    id=owner, kind="group", names=(spoken,), members=members, address=address, description=described
                ),
                "",
                frozenset({name, f"{self._base}/{name}"}),
                hints(name, described),
            )
        yield from scenes(group.get("scenes"), owner, name, self._base)

    def _member(self, member: object) -> tuple[Entity, ...]:
        """What this member is: one, where it is a device or a gang that Hearken knows."""
        if not isinstance(member, Mapping):
            return ()
        found = [
            item for item in self._by_address.get(str(member.get("ieee_address")), ()) if "essential" not in item.tags
        ]
        endpoint = str(member.get("endpoint"))
        gang = [item for item in found if item.id.endswith((f"_l{endpoint}", f"_{endpoint}"))]
        return tuple(gang or found)

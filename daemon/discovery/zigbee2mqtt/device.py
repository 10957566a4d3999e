"""One device of zigbee2mqtt's list, with its gangs and scenes, as entities."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from daemon.core.entities import Address, Capability, Entity
from daemon.core.values import replace
from daemon.discovery.find import Find, kind_of
from daemon.discovery.zigbee2mqtt.exposes import MAX_OPTIONS, Part, is_action, parts_of
from daemon.home.capabilities import STANDARD
from daemon.home.events import MOST
from daemon.mqtt.dialects.zigbee2mqtt_words import properties, to_device
from daemon.system.worker import Limit

_MAX_NAME: Final = 80
_MAX_TEXT: Final = 400
_LOG = logging.getLogger(__name__)
_NAMES = Limit(_LOG, "a name of more than %d characters is cut: %s ...")
_TEXTS = Limit(_LOG, "a description of more than %d characters is cut: %s ...")
_ADDRESS: Final = re.compile(r"0x[0-9a-fA-F]{16}")
_NO_TOPIC: Final = re.compile(r"[+#\x00-\x1f\x7f]")


class Device(Struct, frozen=True):
    """What follows from the description of one device."""

    address: str
    finds: tuple[Find, ...] = ()
    entities: tuple[Entity, ...] = ()
    """Its gangs; also among `finds`."""
    problem: tuple[str, str] | None = None
    """Its name, and why it, or a part of it, can't be used."""


def learn(told: Mapping[str, Any], base: str) -> Device:
    """One entry of `bridge/devices` of the zigbee2mqtt with this base topic."""
    address, name = told.get("ieee_address"), told.get("friendly_name")
    if told.get("type") == "Coordinator":
        return Device(str(address))
    if not isinstance(address, str) or not isinstance(name, str) or not usable(address) or not usable(name):
        return Device(str(address), problem=(str(name)[:_MAX_NAME], "has no usable name or address"))
    why = _unready(told)
    if why is not None:
        return Device(address, problem=(name, why))
    definition = told["definition"]
    parts = parts_of(definition.get("exposes"))
    if not parts:
        return Device(address, problem=(name, "can neither do nor tell anything that Hearken knows"))
    described = text(told.get("description"))
    spoken = _spoken(name, definition)
    alone = len(parts) == 1
    called = frozenset({name, address, f"{base}/{name}"})
    hinted = hints(name, described)
    entities = []
    for part in parts:
        kind = kind_of(part.main, spoken, described, text(definition.get("description")))
        place = Address("zigbee2mqtt", f"{base}/{name}", part.options)
        entities.append(_entity(part, address, spoken, described, kind, place, alone=alone))
    finds = [Find(item, "", called if item.id == address else frozenset({item.id}), hinted) for item in entities]
    gangs = tuple(item.id for item in entities)
    if len(gangs) > 1:
        whole = Entity(id=address, kind="group", names=(spoken,), members=gangs, description=described)
        finds.append(Find(whole, "", called, hinted))
    finds += scenes(told.get("scenes"), address, name, base)
    left_out = _cut(definition.get("exposes"))
    return Device(address, tuple(finds), tuple(entities), (name, left_out) if left_out else None)


def scenes(listed: object, owner: str, name: str, base: str) -> Iterator[Find]:
    """The scenes that a device or a group (of this id and name) keeps."""
    spoken = words(name)
    for scene in listed if isinstance(listed, list) else ():
        if not isinstance(scene, Mapping):
            continue
        number, title = scene.get("id"), scene.get("name")
        if not isinstance(number, int) or isinstance(number, bool) or not isinstance(title, str) or not usable(title):
            continue
        yield Find(
            Entity(
                id=f"{owner}_scene_{number}",
                kind="scene",
                names=(_name(title), _name(f"{spoken} {title}")),
                capabilities=(STANDARD["activate"],),
                address=Address("zigbee2mqtt", f"{base}/{name}", {"scene": number}),
            ),
            called=frozenset({f"{name}/{title}"}),
        )


def usable(name: str) -> bool:
    """Whether it can be a part of a topic."""
    return 0 < len(name) <= 200 and not _NO_TOPIC.search(name) and name.strip() == name  # noqa: PLR2004


def text(value: object) -> str:
    """What a person wrote, on one line; empty where it can't be shown."""
    if not isinstance(value, str) or not value.isprintable():
        return ""
    return _TEXTS.clipped(" ".join(value.split()), _MAX_TEXT)


def words(name: str) -> str:
    """A name on the broker as it is said: "living_room/lamp" is "living room lamp"."""
    return _name(" ".join(name.replace("/", " ").replace("_", " ").split())) or name


def hints(name: str, described: str) -> tuple[str, ...]:
    """What may be the name of an area: the description or its beginning, the first part of `kitchen/lamp`."""
    first, slash, _ = name.partition("/")
    begun = re.split(r"[,.;:/(-]", described)[0].strip()
    return tuple(dict.fromkeys(hint for hint in (described, begun, words(first) if slash else "") if hint))


def _entity(
    part: Part, address: str, spoken: str, described: str, kind: str | None, place: Address, *, alone: bool
) -> Entity:
    suffix = "" if alone else part.endpoint or part.main
    entity = Entity(
        id=address if alone else f"{address}_{_slug(suffix)}",
        kind="device",
        names=(_name(f"{spoken} {suffix.replace('_', ' ')}".strip()),),
        type=kind,
        capabilities=tuple(part.capabilities),
        address=place,
        description=described,
    )
    return _brief(entity)


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


def _spoken(name: str, definition: Mapping[str, Any]) -> str:
    if not _ADDRESS.fullmatch(name):
        return words(name)
    # Nobody says an address: what its maker calls it is at least something.
    return _name(text(definition.get("description"))) or name


def _name(text: str) -> str:
    return _NAMES.clipped(text, _MAX_NAME)


def _slug(label: str) -> str:
    return re.sub(r"\W+", "_", label.casefold()).strip("_") or "part"


def _cut(exposes: object) -> str:
    """What is left out of a list of exposes, for it has too many options; empty where nothing is."""
    for item in exposes if isinstance(exposes, list) else ():
        if not isinstance(item, Mapping):
            continue
        most = MOST if is_action(item) else MAX_OPTIONS
        if isinstance(values := item.get("values"), list) and len(values) > most:
            name = str(item.get("property") or item.get("name"))[:40]
            return f"none of the {len(values)} options of {name!r} is used, for there are more than {most}"
        inner = item.get("features")
        if found := _cut(
            [one for one in inner if isinstance(one, Mapping) and "features" not in one]
            if isinstance(inner, list)
            else ()
        ):
            return found
    return ""

"""Components of one device -> entities, as people speak of them.

A device with one thing to control is one entity, and what it measures is read from it: a plug with its power. Where it
has several, each is one, called as Home Assistant calls it: by the device's name and its own.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from typing import Any, Final

from msgspec import Struct

from daemon.core.entities import Address, Capability, Entity, Risk
from daemon.core.values import replace
from daemon.core.vocabulary import READINGS
from daemon.discovery.find import Find, has_mark, kind_of
from daemon.discovery.homeassistant.draft import Draft, as_setting, lives_as, with_settings
from daemon.discovery.homeassistant.small import COMPONENTS, moments_as_one
from daemon.home.events import NAME
from daemon.home.sensing import AMBIENT
from daemon.mqtt.dialects.homeassistant_words import Links
from daemon.system.languages import naming
from daemon.system.worker import Limit

_MAX_NAME: Final = 80
_NAMES = Limit(logging.getLogger(__name__), "a name of more than %d characters is cut: %s ...")
_NO_TEXT: Final = re.compile(r"[\x00-\x1f\x7f]")
_SETTINGS: Final = frozenset({"config", "diagnostic"})


class Named(Struct, frozen=True):
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
        return _NAMES.clipped(f"{self.device} {self.own}".strip(), _MAX_NAME)

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
        return self.draft.capabilities[0].attribute in AMBIENT and has_mark(self.own, "within")


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
    return tuple(dict.fromkeys(_NAMES.clipped(name, _MAX_NAME) for name in names))


def generic(own: str) -> bool:
    """Whether a name says only what sort of thing it is, with a number perhaps."""
    words = re.findall(r"[^\W_]+", own.casefold())
    plain = _plain()
    return all(word in plain or word.rstrip("0123456789") in ("", *plain, "l") for word in words)


@cache
def _plain() -> frozenset[str]:
    """Words in the name of a component that tell only what sort of thing it is."""
    measured = (word for attribute in READINGS for word in attribute.split("_"))
    return frozenset((*measured, *(word for told in naming().values() for word in told.found.plain)))


def object_name(draft: Draft) -> str:
    """What its topic calls it."""
    return draft.config.key or "_".join(draft.config.topic.split("/")[2:-1])


def spoken(value: object) -> str:
    """A name as it is said."""
    if not isinstance(value, str) or _NO_TEXT.search(value):
        return ""
    return _NAMES.clipped(" ".join(value.replace("_", " ").split()), _MAX_NAME)


_MAX_ID: Final = 60
_NO_ID: Final = re.compile(r"[^\w.-]+")
_MAX_AGE_S: Final = 900.0
"""Of what only pushes, and nobody tells when it is gone."""

_OWN: Final = frozenset({"battery", "battery_low", "signal_strength"})
"""What tells of the device itself and yet is asked of it by its name."""
_REPEATERS: Final = ("zigbee2mqtt", "zwave", "openmqttgateway")
"""What says of a bridge that it publishes what it was told before the device has done it."""
_FIRMWARE: Final = ("esphome", "tasmota")
"""What says of a device that it publishes itself what it does; whatever else it is, it may come by a bridge that does
not say so."""
_CLIMATE: Final = {"temperature": "current_temperature", "humidity": "current_humidity"}
_AIRY: Final = frozenset({"climate", "fan", "humidifier", "water_heater"})
_ASKABLE: Final = frozenset({"on_off", "brightness", "color", "color_temp", "fan_speed", "option"})


def group_key(draft: Draft) -> str:
    """What the components of one device have in common; empty for one that is alone."""
    device = draft.config.device
    for key in ("identifiers", "connections"):
        found = device.get(key)
        if isinstance(found, str | int) and found != "":
            return f"{key} {found}"
        if isinstance(found, list) and found:
            return f"{key} {min(map(str, found))}"
    return ""


def assembled(drafts: Sequence[Draft]) -> Iterator[Find]:
    """The entities of one device."""
    drafts = [item for draft in drafts for item in (draft, *draft.beside)]
    name = next((text for draft in drafts if (text := spoken(draft.config.device.get("name")))), "")
    area = next((text for draft in drafts if (text := spoken(draft.config.device.get("suggested_area")))), "")
    tasmota = any("Tasmota" in (str(d.config.device.get("manufacturer")), d.config.origin) for d in drafts)
    named = moments_as_one([Named(draft, name, own_name(draft, name)) for draft in drafts if draft.capabilities])
    mains = [item for item in named if item.draft.main and not item.setting]
    rest = [item for item in named if item not in mains]
    joined: list[Named] = []
    own: list[tuple[Draft, Capability]] = []
    if len(mains) == 1:
        # The only thing that it is, is called as the device is.
        only = mains[0]
        mains = [replace(only, own="") if name and generic(only.own) else only]
    owner = mains[0] if len(mains) == 1 and not (name and mains[0].own) else None
    if owner is None and len(mains) <= 1:
        # A board with one lamp, and a sensor that is no part of it.
        owner = _first_sensor(rest)
    if owner is not None:
        rest = [item for item in rest if item is not owner]
        taken = {item.attribute for item in owner.draft.capabilities}
        for item in rest:
            told = _joins(item, owner, taken)
            if told is not None:
                taken.add(told)
                joined.append(item)
            elif (able := _setting_of(item, owner)) is not None and able.attribute not in taken:
                taken.add(able.attribute)
                own.append((item.draft, able))
    for item in (*mains, *([owner] if owner is not None and owner not in mains else [])):
        whole = replace(item, own="") if item is owner and item not in mains and joined and name else item
        found = _find(whole, joined if item is owner else [], area, tasmota=tasmota)
        yield with_settings(found, own) if item is owner and own else found
    left = [item for item in rest if item not in joined and all(item.draft is not other for other, _ in own)]
    for item in left:
        yield _find(item, [], area, tasmota=tasmota)


def _first_sensor(rest: Sequence[Named]) -> Named | None:
    """What a device that only measures is, first of all."""
    return next((item for item in rest if item.sensor and not item.setting and generic(item.own)), None)


def _joins(item: Named, owner: Named, taken: Iterable[str]) -> str | None:
    """The attribute under which a sensor is read from its device's main thing; None where it is one of its own."""
    if item.draft.config.component in COMPONENTS:
        return NAME if lives_as(item.draft, owner.draft) else None
    if not item.sensor or not generic(item.own) or len(item.draft.capabilities) != 1:
        return None
    attribute = item.draft.capabilities[0].attribute
    if attribute in ("state", "value", "location") or (item.setting and attribute not in _OWN):
        return None
    if attribute in AMBIENT and owner.draft.main and owner.draft.config.component not in _AIRY:
        # What a plug measures of its place is no part of the plug.
        return None
    if item.about_itself:
        return None
    if not lives_as(item.draft, owner.draft):
        return None
    return known if (known := _known_as(attribute, taken)) not in taken else None


def _setting_of(item: Named, owner: Named) -> Capability | None:
    """What it is as a setting of its device's main thing; None where it is a thing of its own."""
    own = item.own and lives_as(item.draft, owner.draft)
    return as_setting(item.draft, item.own, switches=item.setting) if own else None


def _known_as(attribute: str, taken: Iterable[str]) -> str:
    """What it measures is not what it is set to."""
    return _CLIMATE.get(attribute, attribute) if attribute in taken else attribute


def _find(item: Named, joined: Sequence[Named], area: str, *, tasmota: bool) -> Find:
    draft = item.draft
    links = draft.links()
    capabilities = list(draft.capabilities)
    tells = list(links.tells)
    for other in joined:
        able = other.draft.capabilities[0]
        attribute = _known_as(able.attribute, [known.attribute for known in capabilities])
        capabilities.append(replace(able, attribute=attribute))
        tells += [replace(tell, attribute=attribute) for tell in other.draft.tells]
    answers = tasmota and any("cmnd" in say.topic.split("/")[:-1] for say in links.says)
    if answers:
        capabilities = [_gettable(able, links) for able in capabilities]
    links = replace(links, tells=tuple(tells), answers=answers)
    options: dict[str, Any] = {"links": links}
    if draft.tells and not _repeats(draft):
        # Firmware tells what it is, not what it was told.
        options["optimistic"] = False
        if not tasmota and not any(name in made_by for name in _FIRMWARE for made_by in _made_by(draft)):
            options["unknown_maker"] = True
    expires = draft.number("expire_after", 0) or max(draft.number("off_delay", 0), 5 if draft.text("off_delay") else 0)
    if links.presence and not expires:
        options["watched"] = True
    if draft.config.key:
        options["endpoint"] = f"{draft.config.component} {draft.config.key}"
    entity = Entity(
        id=_id(draft),
        kind="scene" if draft.type == "scene" else "device",
        names=names_of(item),
        type=_type(item),
        capabilities=tuple(capabilities),
        tags=_tags(item),
        risk=_risk(item),
        address=Address("homeassistant", draft.config.topic, options),
        max_age_s=expires or _MAX_AGE_S,
    )
    return Find(entity, area, _called(item, entity))


def _type(item: Named) -> str | None:
    draft = item.draft
    mains = {"switch": "switch", "light": "light", "cover": "cover", "fan": "fan"}
    found = mains.get(draft.config.component)
    if draft.config.component == "climate":
        called = kind_of("climate", item.own, item.device)
        return called if called != "thermostat" or has_mark(item.full, "thermostat") else draft.type
    if found is None or draft.type != found or item.setting:
        return None if item.setting and draft.type != "sensor" else draft.type
    return kind_of(found, item.own, item.device)


def _tags(item: Named) -> frozenset[str]:
    tags = set(item.draft.tags)
    if item.setting:
        # Changed by its name only, never along with everything else.
        tags.add("essential")
        if not item.sensor:
            tags.add("setting")
    if item.draft.text("entity_category") == "diagnostic" or (item.sensor and item.about_itself):
        tags.add("diagnostic")
    return frozenset(tags)


def _risk(item: Named) -> dict[str, Risk]:
    draft = item.draft
    risky = has_mark(item.full, "risky") or draft.text("entity_category") == "config"
    return {"activate": "confirm", "turn_on": "confirm"} if draft.config.component == "button" and risky else {}


def _repeats(draft: Draft) -> bool:
    """Whether what was told may be published before it is so: by the device, by its bridge, or by ourselves."""
    if draft.optimistic() or {say.topic for say in draft.says} & {tell.topic for tell in draft.tells}:
        return True
    return any(item in made_by for item in _REPEATERS for made_by in _made_by(draft))


def _made_by(draft: Draft) -> tuple[str, str]:
    return draft.config.origin.casefold(), str(draft.config.device.get("sw_version")).casefold()


def _gettable(able: Capability, links: Links) -> Capability:
    plain = any(
        say.attribute == able.attribute and not say.topic.endswith("Backlog") and not say.joint for say in links.says
    )
    return replace(able, gettable=plain and able.readable and able.name in _ASKABLE)


def _id(draft: Draft) -> str:
    unique = draft.text("unique_id") or object_name(draft)
    suffix = ".tilt" if draft.config.component == "number" and draft.text("tilt_command_topic") else ""
    return f"{draft.config.component}.{_NO_ID.sub('_', unique)[:_MAX_ID]}{suffix}"


def _called(item: Named, entity: Entity) -> frozenset[str]:
    draft = item.draft
    texts = [draft.text(key) for key in ("unique_id", "object_id", "default_entity_id")]
    texts += [draft.config.topic, *(say.topic for say in draft.says[:1]), *entity.names]
    if not item.own:
        texts.append(item.device)
    return frozenset(text for text in texts if text)

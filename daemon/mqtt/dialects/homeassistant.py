"""Devices that announced themselves in Home Assistant's MQTT form, whose topics, words and templates are their own.

What is where stands in the options of the address (`homeassistant_links`). Nobody repeats a command on these topics
but firmware that says so (`optimistic`), and nothing can be asked for, except of Tasmota.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from daemon.core.entities import Entity, Value
from daemon.mqtt.bus import Message, Publication
from daemon.mqtt.dialects.base import Change
from daemon.mqtt.dialects.homeassistant_words import Links, Say, from_device, links_of, to_device
from daemon.mqtt.dialects.payloads import dump
from daemon.mqtt.dialects.templates import Templates, parsed
from daemon.system.worker import Limit

_MAX_PAYLOAD = 4_096
_LONG = Limit(logging.getLogger(__name__), "a command of more than %d characters is not sent to %s")


class HomeAssistant:
    """The house's side."""

    def __init__(self, templates: Templates) -> None:
        self._templates = templates

    def filters(self, entity: Entity) -> tuple[str, ...]:
        """Every topic on which it tells something."""
        links = links_of(entity)
        return tuple(dict.fromkeys([*(item.topic for item in links.tells), *(item.topic for item in links.presence)]))

    def encode(self, entity: Entity, writes: Sequence[Change]) -> tuple[Publication, ...]:
        """One message for each topic and write; in one where the device takes them together.

        Raises:
            TemplateError: a template can't be rendered now (`TemplatePending`: not yet), or no more.
        """
        links = links_of(entity)
        pairs: list[tuple[Say, Any, Value]] = []
        for write in writes:
            found = _said(links, write.attribute, write.value)
            if found is None:
                return ()
            pairs.append((*found, write.value))
        pairs = _with_power(links, _without_repetition(pairs))
        sent: list[Publication | None] = []
        joined: set[str] = set()
        for say, raw, value in pairs:
            if not say.joint:
                sent.append(self._publication(say, self._content(say, raw, value)))
            elif say.topic not in joined:
                joined.add(say.topic)
                its = [pair for pair in pairs if pair[0].joint and pair[0].topic == say.topic]
                sent.append(self._publication(say, self._together(its)))
        if any(item is None for item in sent):
            return ()
        return tuple(item for item in sent if item is not None)

    def together(self, group: Entity, told: Sequence[Sequence[Publication]]) -> Publication | None:  # noqa: ARG002 - as every dialect
        """Nobody announces groups so."""
        return None

    def get(self, entity: Entity, attributes: Iterable[str]) -> tuple[Publication, ...]:
        """An empty command, to firmware that answers it with its state."""
        links = links_of(entity)
        if not links.answers:
            return ()
        wanted = [name for name in attributes if (able := entity.reads(name)) is not None and able.gettable]
        topics = [next((say.topic for say in links.says if say.attribute == name), None) for name in wanted]
        return tuple(Publication(topic, b"") for topic in dict.fromkeys(topics) if topic is not None)

    def decode(self, entity: Entity, message: Message) -> dict[str, Value] | None:
        """What this topic tells, as far as it is canonical. What tells a colour and a white tone means only one."""
        tells = [tell for tell in links_of(entity).tells if tell.topic == message.topic]
        if not tells or (content := parsed(message.payload)) is None:
            return None
        found: dict[str, Value] = {}
        for tell in tells:
            if tell.attribute in found:
                continue
            raw = self._templates.value(tell.template, *content)
            value = from_device(tell, raw, entity.reads(tell.attribute))
            if value is not None:
                found[tell.attribute] = value
        mode = found.pop("color_mode", None)
        if mode is not None:
            found.pop("color" if mode == "color_temp" else "color_temp", None)
        if not found and mode is None and not any(tell.template for tell in tells):
            return None
        return found

    def availability(self, entity: Entity, message: Message) -> bool | None:
        """What this topic says of whether the device can be reached."""
        presence = next((item for item in links_of(entity).presence if item.topic == message.topic), None)
        if presence is None or (content := parsed(message.payload)) is None:
            return None
        raw = self._templates.value(presence.template, *content)
        return {presence.available: True, presence.not_available: False}.get(str(raw))

    def reachable(self, entity: Entity, said: Mapping[str, bool]) -> bool | None:
        """All, any or the latest of its topics, as the device wants it."""
        links = links_of(entity)
        topics = {item.topic for item in links.presence}
        said = {topic: online for topic, online in said.items() if topic in topics}
        if not said:
            return None
        if links.together == "latest":
            return list(said.values())[-1]
        complete = len(said) == len(topics)
        if links.together == "all":
            return False if not all(said.values()) else True if complete else None
        return True if any(said.values()) else False if complete else None

    def _content(self, say: Say, raw: Any, value: Value) -> str | None:
        if not say.template:
            return plain(raw)
        return self._templates.render(say.template, **variables_of(raw, value))

    def _together(self, pairs: Sequence[tuple[Say, Any, Value]]) -> str | None:
        """The one message for several writes."""
        off = next((raw for say, raw, value in pairs if say.joint == "state" and value == "off"), None)
        say = pairs[0][0]
        if not say.template:
            if off is not None:
                return dump({"state": off}).decode()
            return dump({one.joint: raw for one, raw, _ in pairs}).decode()
        variables: dict[str, Any] = {}
        for one, raw, value in pairs:
            variables |= variables_of(raw, value) | {one.joint: raw}
        variables |= {"state": "off" if off is not None else "on"}
        variables.setdefault("value", variables["state"])
        return self._templates.render(say.off_template if off is not None else say.template, **variables)

    def _publication(self, say: Say, content: str | None) -> Publication | None:
        if not content:
            return None
        if len(content) > _MAX_PAYLOAD:
            _LONG.cuts(_MAX_PAYLOAD, say.topic)
            return None
        return Publication(say.topic, content.encode(), retain=say.retain)


def _said(links: Links, attribute: str, value: Value) -> tuple[Say, Any] | None:
    for say in links.says:
        if say.attribute == attribute and (raw := to_device(say, value)) is not None:
            return say, raw
    return None


def _without_repetition(pairs: list[tuple[Say, Any, Value]]) -> list[tuple[Say, Any, Value]]:
    """Without "on" where another word on the same topic, such as a mode, says it as well."""
    others = {say.topic for say, _, _ in pairs if say.attribute != "state" and not say.joint}
    kept = [pair for pair in pairs if pair[0].attribute != "state" or pair[2] != "on" or pair[0].topic not in others]
    off = [pair for pair in kept if pair[0].attribute == "state" and pair[2] == "off"]
    return off or kept


def _with_power(links: Links, pairs: list[tuple[Say, Any, Value]]) -> list[tuple[Say, Any, Value]]:
    """With "on" where the device needs it beside what was said; brightness 0 is "off"."""
    dark = next((pair for pair in pairs if pair[0].attribute == "brightness" and pair[2] == 0), None)
    power = _said(links, "state", "off" if dark else "on")
    if dark is not None and power is not None:
        return [(*power, "off")]
    told = any(say.attribute == "state" for say, _, _ in pairs)
    wakes = [say.wakes for say, _, _ in pairs if say.wakes]
    if told or not wakes or power is None:
        return pairs
    return [(*power, "on"), *pairs] if wakes[0] == "first" else [*pairs, (*power, "on")]


def plain(raw: Any) -> str:
    """A content as a bare payload: "255,0,0"."""
    return ",".join(plain(item) for item in raw.values()) if isinstance(raw, dict) else str(raw)


def variables_of(raw: Any, value: Value) -> dict[str, Any]:
    """What a command template may look at."""
    found: dict[str, Any] = {"value": raw}
    if isinstance(raw, dict):
        names = {"r": "red", "g": "green", "b": "blue", "h": "hue", "s": "sat"}
        found = {"value": plain(raw)} | {names.get(str(key), str(key)): part for key, part in raw.items()}
    elif isinstance(value, int | float):
        found["position"] = found["percentage"] = value
    return found | {"action": raw, "code": ""}

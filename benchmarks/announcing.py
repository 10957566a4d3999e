"""A device that announced itself in Home Assistant's form, played as far as its templates can be turned round.

Paths into JSON, words, and numbers can. No home plays one: what a home file lists speaks another dialect.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from daemon.core.entities import Entity, Value
from daemon.mqtt.bus import Message, Publication
from daemon.mqtt.dialects import DEVICES
from daemon.mqtt.dialects.homeassistant import plain, variables_of
from daemon.mqtt.dialects.homeassistant_words import Presence, Say, Tell, from_device, links_of, to_device
from daemon.mqtt.dialects.payloads import dump
from daemon.mqtt.dialects.templates import Templates, parsed


class HomeAssistantDevice:
    """The device's side."""

    def __init__(self) -> None:
        self._templates = Templates()

    def inbox(self, entity: Entity) -> tuple[str, ...]:
        """Every topic on which it is told something."""
        return tuple(dict.fromkeys(say.topic for say in links_of(entity).says))

    def requested(self, entity: Entity, message: Message) -> dict[str, Value] | None:
        """Whatever the house would have said in these words."""
        content = parsed(message.payload)
        says = [say for say in links_of(entity).says if say.topic == message.topic]
        if not says or content is None or not message.payload:
            return None
        found: dict[str, Value] = {}
        for say in says:
            if say.attribute in found:
                continue
            value = self._heard(say, *content)
            if value is not None:
                found[say.attribute] = value
        if len(found) > 1 and not any(say.joint for say in says):
            # Words that several could mean were meant as the first.
            found = dict([next(iter(found.items()))])
        return found or None

    def asked(self, entity: Entity, message: Message) -> bool:
        """An empty command."""
        return links_of(entity).answers and not message.payload and message.topic in self.inbox(entity)

    def report(self, entity: Entity, state: Mapping[str, Value]) -> tuple[Publication, ...]:
        """One message for each topic on which something of this is told."""
        topics: dict[str, dict[str, Any] | str] = {}
        # What is off says so, whatever else it would say there.
        for tell in sorted(links_of(entity).tells, key=lambda tell: tell.attribute != "state"):
            raw = None if tell.attribute not in state else _mirrored(tell, state)
            if raw is None:
                continue
            path = self._templates.path(tell.template) if tell.template else ()
            if path and not any(isinstance(key, int) for key in path):
                if isinstance(place := topics.setdefault(tell.topic, {}), dict):
                    _put(place, [str(key) for key in path], raw)
            elif not path and self._means(tell, plain(raw)):
                topics.setdefault(tell.topic, plain(raw))
        return tuple(
            Publication(topic, dump(said) if isinstance(said, dict) else said.encode(), retain=True)
            for topic, said in topics.items()
        )

    def presence(self, entity: Entity, *, online: bool) -> tuple[Publication, ...]:
        """One message on each of its availability topics."""
        return tuple(self._present(item, online=online) for item in links_of(entity).presence)

    def _means(self, tell: Tell, payload: str) -> bool:
        """Whether a payload would be understood at all."""
        content = parsed(payload.encode())
        told = None if content is None else self._templates.value(tell.template, *content)
        return told is not None and from_device(tell, told, None) is not None

    def _present(self, item: Presence, *, online: bool) -> Publication:
        word = item.available if online else item.not_available
        path = self._templates.path(item.template) if item.template else ()
        place: dict[str, Any] = {}
        if path:
            _put(place, [str(key) for key in path], word)
        return Publication(item.topic, dump(place) if path else word.encode(), retain=True)

    def _heard(self, say: Say, text: str, content: object) -> Value | None:
        raw: object = text
        if say.joint and not say.template:
            raw = content.get(say.joint) if isinstance(content, dict) else None
        elif say.template:
            return next((value for value in _guesses(say) if self._would_say(say, value) == text), None)
        if raw is None:
            return None
        if say.words:
            return next((ours for ours, said in say.words if said == str(raw)), None)
        form = "color" if say.form in ("rgb", "hs", "xy") and isinstance(raw, dict) else say.form
        return from_device(Tell(say.attribute, "", form=form, low=say.low, high=say.high), raw, None)

    def _would_say(self, say: Say, value: Value) -> str | None:
        raw = to_device(say, value)
        if raw is None:
            return None
        template = say.off_template if say.joint and value == "off" else say.template
        variables = variables_of(raw, value) | ({say.joint: raw} if say.joint else {})
        return self._templates.render(template, **variables)


def _mirrored(tell: Tell, state: Mapping[str, Value]) -> Any:
    """What a device would say, in its own words; None where it has none."""
    value = state[tell.attribute]
    if tell.form == "open":
        return None if "position" in state else tell.low if value == "closed" else tell.high
    words = tuple((ours, said) for said, ours in tell.words)
    form = "rgb" if tell.form == "color" else tell.form
    raw = to_device(Say(tell.attribute, tell.topic, form=form, words=words, low=tell.low, high=tell.high), value)
    return value if raw is None and tell.form == "word" and not words else raw


def _put(place: dict[str, Any], path: Sequence[str], value: Any) -> None:
    for key in path[:-1]:
        inner = place.setdefault(key, {})
        if not isinstance(inner, dict):
            return
        place = inner
    place[path[-1]] = value


def _guesses(say: Say) -> Iterator[Value]:
    """All that might have been said."""
    if say.words:
        yield from (ours for ours, _ in say.words)
    elif say.form in ("percent", "number"):
        yield from range(101)
        yield from (half / 2 for half in range(201))


SIDES = {**DEVICES, "homeassistant": HomeAssistantDevice()}
"""The dialects that a simulated home may play then."""

"""One component of a discovery payload on its way to becoming (a part of) an entity."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from msgspec import Struct

from daemon.core.entities import Capability, Value
from daemon.core.values import replace
from daemon.discovery.find import Find
from daemon.home.capabilities import STANDARD
from daemon.home.settings import option_word, setting
from daemon.mqtt.dialects.homeassistant_words import Form, Links, Presence, Say, Tell
from daemon.mqtt.dialects.payloads import number, word
from daemon.mqtt.dialects.templates import Templates

_MAX_OPTIONS: Final = 64
_MAX_TOPIC: Final = 300
_MAX_PRESENCES: Final = 8
_NOT_THEIRS: Final = ("$", "hearken/")
"""The broker's own topics and ours: no device is commanded there."""
_NO_TOPIC: Final = re.compile(r"[+#\x00-\x1f\x7f]")


class Config(Struct, frozen=True):
    """One component as it was announced, with long keys. Untrusted: any key may hold anything."""

    component: str
    """Home Assistant's domain."""
    topic: str
    """Where it was announced."""
    key: str
    """Its name in the payload of a whole device; else empty."""
    data: Mapping[str, Any]

    @property
    def device(self) -> Mapping[str, Any]:
        """What it says of the device that it belongs to."""
        found = self.data.get("device")
        return found if isinstance(found, Mapping) else {}

    @property
    def origin(self) -> str:
        """The name of the software that announced it."""
        found = self.data.get("origin")
        return str(found.get("name")) if isinstance(found, Mapping) else ""


@dataclass(slots=True)
class Draft:
    """What a component can do and tell, and how."""

    config: Config
    templates: Templates
    type: str | None = None
    main: bool = False
    """Whether it is what its device is there for."""
    capabilities: list[Capability] = field(default_factory=list)
    tells: list[Tell] = field(default_factory=list)
    says: list[Say] = field(default_factory=list)
    tags: set[str] = field(default_factory=set)
    problems: list[str] = field(default_factory=list)
    beside: list[Draft] = field(default_factory=list)
    """What is a thing of its own: the tilt of a blind."""

    def text(self, key: str, default: str = "") -> str:
        """A word as Home Assistant reads it; the default where there is none."""
        found = self.config.data.get(key)
        return str(found) if isinstance(found, str | bool | int | float) else default

    def said(self, *words: str) -> dict[str, Value]:
        """The device's words for these states, as `words_of` takes them; they are as ours where it does not say."""
        return {self.text(f"state_{word}", word): word for word in words}

    def switches(self, template_key: str = "value_template") -> None:
        """What is turned on and off by `command_topic`, as far as it can be; and how that is told."""
        on, off = self.text("payload_on", "ON"), self.text("payload_off", "OFF")
        words = {self.text("state_on", on): "on", self.text("state_off", off): "off"}
        self.tell("state", "state_topic", template_key, **words_of(words))
        if self.say("state", "command_topic", "command_template", **says_of({"on": on, "off": off})):
            self.able(STANDARD["on_off"])

    def number(self, key: str, default: float) -> float:
        """A finite number."""
        found = number(self.config.data.get(key))
        return default if found is None else found

    def flag(self, key: str, *, default: bool = False) -> bool:
        """A truth."""
        found = self.config.data.get(key)
        return found if isinstance(found, bool) else default

    def topic(self, key: str) -> str:
        """A topic without wildcards; empty where there is none."""
        found = self.config.data.get(key)
        if not isinstance(found, str) or not found:
            return ""
        if len(found) > _MAX_TOPIC:
            self.problems.append(f"{key}: its topic is longer than {_MAX_TOPIC} characters")
            return ""
        return "" if _NO_TOPIC.search(found) or found.startswith(_NOT_THEIRS) else found

    def words(self, key: str) -> dict[str, str]:
        """The options of a list in our spelling, each with the device's."""
        listed = self.config.data.get(key)
        if not isinstance(listed, list):
            return {}
        if len(listed) > _MAX_OPTIONS:
            self.problems.append(
                f"{key}: none of its {len(listed)} options is used, for there are more than {_MAX_OPTIONS}"
            )
            return {}
        texts = [str(item) for item in listed if isinstance(item, str | int | float) and not isinstance(item, bool)]
        return {ours: text for text in texts if (ours := word(text)) is not None}

    def has(self, name: str) -> bool:
        """Whether it has this capability."""
        return any(item.name == name for item in self.capabilities)

    def tell(self, attribute: str, key: str, template_key: str = "", **more: Any) -> bool:
        """Notes how an attribute is told, where this topic is there. A template that can't be used tells nothing."""
        template = self.template(template_key)
        topic = self.topic(key)
        if template is None or not topic:
            return False
        self.tells.append(Tell(attribute, topic, template, **more))
        return True

    def say(self, attribute: str, key: str, template_key: str = "", **more: Any) -> bool:
        """Notes how an attribute is set, where this topic is there."""
        template = self.template(template_key)
        topic = self.topic(key)
        if template is None or not topic:
            return False
        self.says.append(Say(attribute, topic, template, retain=self.flag("retain"), **more))
        return True

    def template(self, key: str) -> str | None:
        """A template that can be used; empty where there is none, None where it is no good."""
        found = self.config.data.get(key) if key else None
        if not isinstance(found, str) or not found.strip():
            return ""
        problem = self.templates.problem(found)
        if problem is None:
            return found
        self.problems.append(f"{key}: {problem}")
        return None

    def able(self, capability: Capability, **more: Any) -> None:
        """Takes a capability, readable as far as it is told."""
        told = any(item.attribute == capability.attribute for item in self.tells)
        self.capabilities.append(replace(capability, gettable=False, readable=capability.readable and told, **more))

    def setting(
        self,
        name: str,
        *,
        prefix: str,
        form: Form = "number",
        template: str = "state_template",
        low: float = 0,
        high: float = 100,
        **more: Any,
    ) -> bool:
        """A capability with `<prefix>_command_topic` and `<prefix>_state_topic`, if it can be set."""
        attribute = STANDARD[name].attribute
        scale = {"form": form, "low": low, "high": high}
        if not self.say(attribute, f"{prefix}_command_topic", f"{prefix}_command_template", **scale):
            return False
        self.tell(attribute, f"{prefix}_state_topic", f"{prefix}_{template}", **scale)
        self.able(STANDARD[name], **more)
        return True

    def choice(
        self, name: str, options: Mapping[str, str], *, prefix: str, template: str = "state_template", key: str = ""
    ) -> bool:
        """A capability that takes one of some words."""
        attribute = STANDARD[name].attribute
        command, state = (f"{prefix}_command_topic", f"{prefix}_state_topic") if prefix else (key, "state_topic")
        command_template = f"{prefix}_command_template" if prefix else "command_template"
        if not options or not self.say(attribute, command, command_template, words=tuple(options.items())):
            return False
        words = tuple((raw, ours) for ours, raw in options.items())
        self.tell(attribute, state, f"{prefix}_{template}" if prefix else template, words=words)
        self.able(STANDARD[name], options=tuple(options), minimum=None, maximum=None, step=None, unit=None)
        return True

    def presence(self) -> tuple[Presence, ...]:
        """The topics that tell whether it can be reached."""
        listed = self.config.data.get("availability")
        items: list[Mapping[str, Any]] = listed if isinstance(listed, list) else []
        if not items and self.topic("availability_topic"):
            items = [
                {
                    "topic": self.topic("availability_topic"),
                    "value_template": self.config.data.get("availability_template"),
                    "payload_available": self.config.data.get("payload_available"),
                    "payload_not_available": self.config.data.get("payload_not_available"),
                }
            ]
        found = []
        if len(items) > _MAX_PRESENCES:
            self.problems.append(f"only the first {_MAX_PRESENCES} of its {len(items)} availabilities are heeded")
        for item in items[:_MAX_PRESENCES]:
            inner = Draft(Config("", "", "", item), self.templates)
            template = inner.template("value_template")
            if (topic := inner.topic("topic")) and template is not None:
                available = inner.text("payload_available", "online")
                found.append(Presence(topic, template, available, inner.text("payload_not_available", "offline")))
        return tuple(found)

    def links(self) -> Links:
        """How it is spoken with."""
        mode = self.text("availability_mode", "latest")
        together: Any = mode if mode in ("all", "any") else "latest"
        return Links(tuple(self.tells), tuple(self.says), self.presence(), together)

    def optimistic(self) -> bool:
        """Whether what it publishes may only repeat what it was told."""
        return self.flag("optimistic")


def words_of(pairs: Mapping[str, Value]) -> dict[str, Any]:
    """The `words` of a `Tell`: the device's -> ours."""
    return {"words": tuple(pairs.items())}


def says_of(pairs: Mapping[str, str]) -> dict[str, Any]:
    """The `words` of a `Say`: ours -> the device's."""
    return {"words": tuple((ours, raw) for ours, raw in pairs.items() if raw != "")}


_COMPONENTS: Final = frozenset({"number", "select", "switch"})


def lives_as(draft: Draft, owner: Draft) -> bool:
    """Whether it is there when the other is, and tells as long."""
    alike = ("expire_after", "off_delay", "availability_mode")
    return draft.presence() == owner.presence() and all(draft.text(key) == owner.text(key) for key in alike)


def as_setting(draft: Draft, own: str, *, switches: bool) -> Capability | None:
    """What a component that is called `own` beside its device is as a setting; None where it is none."""
    if draft.config.component not in _COMPONENTS or len(draft.capabilities) != 1 or draft.text("tilt_command_topic"):
        return None
    able = draft.capabilities[0]
    if able.name not in ("value", "option", "on_off") or (able.name == "on_off" and not switches):
        return None
    name = "_".join(own.casefold().split())
    words = ("on", "off") if able.name == "on_off" else able.options
    made = setting(name, words, able.minimum, able.maximum, able.step, able.unit, own)
    return None if made is None else replace(made, readable=able.readable, gettable=able.gettable)


def with_settings(found: Find, own: Sequence[tuple[Draft, Capability]]) -> Find:
    """What was found, with what can be set of it by its own name."""
    entity = found.entity
    assert entity.address is not None
    links: Links = entity.address.options["links"]
    for draft, able in own:
        tells, says = list(links.tells), list(links.says)
        for tell in draft.tells:
            heard = tuple((raw, _ours(word, able)) for raw, word in tell.words)
            tells.append(replace(tell, attribute=able.attribute, words=heard))
        for say in draft.says:
            spelt = tuple((_ours(word, able), raw) for word, raw in say.words)
            says.append(replace(say, attribute=able.attribute, words=spelt))
        links = replace(links, tells=tuple(tells), says=tuple(says))
    address = replace(entity.address, options=entity.address.options | {"links": links})
    capabilities = (*entity.capabilities, *(able for _, able in own))
    return replace(found, entity=replace(entity, capabilities=capabilities, address=address))


def _ours(word: Value, able: Capability) -> Value:
    return option_word(word) if isinstance(word, str) and able.options else word

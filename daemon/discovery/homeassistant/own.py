"""Numbers, choices and switches that only say how a device does things, as settings of its main thing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from daemon.core.entities import Capability, Value
from daemon.core.values import replace
from daemon.discovery.find import Find
from daemon.discovery.homeassistant.draft import Draft
from daemon.home.settings import option_word, setting
from daemon.mqtt.dialects.homeassistant_words import Links

_COMPONENTS: Final = frozenset({"number", "select", "switch"})


def lives_as(draft: Draft, owner: Draft) -> bool:
    """Whether it is there when the other is, and tells as long."""
    alike = ("expire_after", "off_delay", "availability_mode")
    return draft.presence() == owner.presence() and all(draft.text(key) == owner.text(key) for key in alike)


def as_setting(draft: Draft, own: str, *, switches: bool) -> Capability | None:
    """What a component is as a setting; None where it is none.

    Args:
        draft: The component.
        own: What it is called beside its device.
        switches: Whether it is a setting where it is a switch.
    """
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

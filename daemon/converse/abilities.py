"""What devices can be set to, in words: "Diffuser: intensity from 10 to 100 %, light effect steady or breathing"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from daemon.converse.replies import Replies
from daemon.core.entities import Capability, Entity
from daemon.home import settings

_UNSAID: Final = frozenset({"state", "command", "muted", "area"})
"""What is done to a device by a verb of its own, and set to nothing."""
_MOST: Final = 5
"""So much of one device is told at once."""
_MOST_OPTIONS: Final = 6


def able(entities: Sequence[Entity], attribute: str | None, replies: Replies, lang: str) -> str:
    """All that can be set of each, or what one attribute of it can be; those that are alike are told together."""
    alike: dict[str, list[str]] = {}
    for entity in entities:
        alike.setdefault(_told(entity, attribute, replies, lang), []).append(entity.name(lang))
    said = [
        replies.say("able" if told else "able.none", lang, n=len(names), names=replies.names(names, lang), facts=told)
        for told, names in alike.items()
    ]
    return replies.sentences(said, lang)


def _told(entity: Entity, attribute: str | None, replies: Replies, lang: str) -> str:
    able_ = [item for item in entity.capabilities if item.name != "read" and item.attribute not in _UNSAID]
    if attribute is not None:
        own = settings.found(entity, attribute)
        able_ = [item for item in able_ if item is own or (own is None and item.attribute == attribute)]
    told = [_fact(item, replies, lang) for item in able_[:_MOST]]
    left = len(able_) - len(told)
    facts = replies.listed(told, lang)
    return replies.say("able.more", lang, facts=facts, n=left) if left > 0 else facts


def _fact(item: Capability, replies: Replies, lang: str) -> str:
    attribute = replies.attribute(item.attribute, lang)
    options = [replies.value(word, lang) for word in item.options]
    if options:
        several = len(options) > _MOST_OPTIONS
        shown = replies.names(options, lang, most=_MOST_OPTIONS) if several else replies.options(options, lang)
        return replies.say("able.options", lang, attribute=attribute, options=shown)
    if item.minimum is None or item.maximum is None:
        return attribute
    low, high = (replies.value(bound, lang, unit=item.unit) for bound in (item.minimum, item.maximum))
    return replies.say("able.range", lang, attribute=attribute, low=low, high=high)

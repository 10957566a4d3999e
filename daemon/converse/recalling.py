"""What was learnt, put into words."""

from __future__ import annotations

from collections.abc import Sequence

from daemon.converse.offers import located
from daemon.converse.replies import Replies
from daemon.core.entities import Preference
from daemon.home.registry import Registry
from daemon.memory.learnt import Learnt

_MOST = 6
"""So much is said; of more, only how much there is."""


def everything(known: Sequence[Learnt], registry: Registry, replies: Replies, lang: str) -> str:
    """What has been learnt, the newest first."""
    if not known:
        return replies.say("learnt_nothing", lang)
    parts = [_fact(item, registry, replies, lang) for item in known[:_MOST]]
    if len(known) > _MOST:
        parts.append(replies.say("learnt_more", lang, n=len(known) - _MOST))
    return replies.sentences(parts, lang)


def taken(item: Learnt, registry: Registry, replies: Replies, lang: str) -> str:
    """That something was learnt just now."""
    return replies.say("learnt_now", lang, fact=_fact(item, registry, replies, lang))


def names(entities: Sequence[str], registry: Registry, replies: Replies, lang: str) -> str:
    """What things are called, each by its own name first."""
    parts = []
    for entity in (registry[item] for item in entities):
        others = replies.names([name for name in entity.names if name != entity.name(lang)], lang, most=8)
        called = located(entity, registry, replies, lang)
        parts.append(replies.say("named_also" if others else "named", lang, name=called, others=others))
    return replies.sentences(parts, lang)


def meaning(word: str, wish: Preference | None, registry: Registry, replies: Replies, lang: str) -> str:
    """What somebody means by a word."""
    said = spoken(word, replies, lang)
    if wish is None:
        return replies.say("no_wish", lang, word=said)
    return replies.say("meant", lang, word=said, meaning=_meaning(wish.meaning, wish.unit, registry, replies, lang))


def spoken(word: str, replies: Replies, lang: str) -> str:
    """A word as it is said: kinds and attributes are kept by their own names."""
    return replies.topic(word, lang)


def _fact(item: Learnt, registry: Registry, replies: Replies, lang: str) -> str:
    means = _meaning(item.meaning, item.unit, registry, replies, lang)
    word = item.word if item.kind == "name" else spoken(item.word, replies, lang)
    if item.kind == "name":
        return replies.say("learnt_name", lang, word=word, meaning=means)
    person = registry.get(item.speaker) if item.speaker is not None else None
    if person is not None:
        return replies.say("learnt_of", lang, person=person.name(lang), word=word, meaning=means)
    return replies.say("learnt_wish", lang, word=word, meaning=means)


def _meaning(meaning: str, unit: str | None, registry: Registry, replies: Replies, lang: str) -> str:
    entity = registry.get(meaning)
    if entity is None:
        try:
            return replies.value(float(meaning), lang, unit=unit)
        except ValueError:
            return replies.value(meaning, lang)
    alike = [item for item in registry if item.name(lang) == entity.name(lang)]
    area = registry.area_of(entity.id)
    if len(alike) > 1 and area is not None:
        return replies.option("name.area", lang, name=entity.name(lang), area=area.name(lang))
    return entity.name(lang)

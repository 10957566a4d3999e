"""The options of a question as they are offered: in the shortest words that tell them apart."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daemon.converse.replies import Replies
from daemon.core.entities import Entity
from daemon.home.registry import Registry


def offer(ids: Sequence[str], dimension: str | None, registry: Registry, replies: Replies, lang: str) -> list[str]:
    """The words for each option, shortest that tell them apart; never the same words for two of them."""
    entities = [registry[item] for item in ids]
    for words in (_by_dimension(entities, dimension, registry, replies, lang), [item.name(lang) for item in entities]):
        if words and len(set(words)) == len(entities):
            return words
    fuller = (
        _by_dimension(entities, "area", registry, replies, lang) if dimension == "area" else [],
        [_full_name(item, registry, replies, lang) for item in entities],
    )
    for words in fuller:
        told = [_on_floor(*item, registry, replies, lang) for item in zip(entities, words, strict=False)]
        told = [word if words.count(word) == 1 else longer for word, longer in zip(words, told, strict=True)]
        if told and len(set(told)) == len(entities):
            return told
    return replies.apart(fuller[-1], lang)


def named(ids: Iterable[str], registry: Registry, replies: Replies, lang: str) -> list[str]:
    """The name of each; where two are called the same, with their rooms."""
    entities = [registry[item] for item in dict.fromkeys(ids)]
    names = [item.name(lang) for item in entities]
    pairs = zip(entities, names, strict=True)
    told = [located(item, registry, replies, lang) if names.count(name) > 1 else name for item, name in pairs]
    return list(dict.fromkeys(told))


def located(entity: Entity, registry: Registry, replies: Replies, lang: str) -> str:
    """The name, with the area where it does not say it itself."""
    area = registry.area_of(entity.id)
    name = entity.name(lang)
    if area is None or area.id == entity.id or any(word.casefold() in name.casefold() for word in area.names):
        return name
    return replies.option("name.area", lang, name=name, area=area.name(lang))


def _by_dimension(
    entities: Sequence[Entity], dimension: str | None, registry: Registry, replies: Replies, lang: str
) -> list[str]:
    if dimension == "area":
        areas = [registry.area_of(item.id) for item in entities]
        return [replies.option("area", lang, area=area.name(lang)) for area in areas if area is not None]
    if dimension == "floor":
        floors = [registry.floor_of(item.id) for item in entities]
        return [replies.option("floor", lang, floor=floor.name(lang)) for floor in floors if floor is not None]
    if dimension == "kind":
        kinds = [replies.kind(item.type if item.kind == "device" else item.kind, lang) for item in entities]
        return [replies.option("kind", lang, kind=kind) for kind in kinds]
    return []


def _full_name(entity: Entity, registry: Registry, replies: Replies, lang: str) -> str:
    area = registry.area_of(entity.id)
    if area is None:
        return entity.name(lang)
    return replies.option("name.area", lang, name=entity.name(lang), area=area.name(lang))


def _on_floor(entity: Entity, words: str, registry: Registry, replies: Replies, lang: str) -> str:
    floor = registry.floor_of(entity.id)
    return words if floor is None else replies.option("on.floor", lang, option=words, floor=floor.name(lang))

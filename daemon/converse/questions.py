"""Questions, their options in the shortest words that tell these apart, and what was learnt, put into words.

Only keys and values here; the sentences are in the reply tables.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daemon.converse.replies import Replies
from daemon.core.entities import Entity, Preference
from daemon.core.ir import AboutList, Clause, DialogueMove, Lesson, Order, Prohibition
from daemon.core.questions import MOST_OPTIONS, NEAREST, Question
from daemon.core.values import replace
from daemon.home import actions
from daemon.home.registry import Registry
from daemon.memory.learnt import Learnt


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


def named(ids: Iterable[str], registry: Registry, replies: Replies, lang: str, among: Iterable[str] = ()) -> list[str]:
    """The name of each; where two of them, or of those `among` which they are told, are called the same, with rooms."""
    meant = tuple(dict.fromkeys(ids))
    names = [registry[item].name(lang) for item in dict.fromkeys((*meant, *among))]
    told = [
        located(item, registry, replies, lang) if names.count(item.name(lang)) > 1 else item.name(lang)
        for item in map(registry.__getitem__, meant)
    ]
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


_BOLTS = frozenset({"lock", "unlock"})
_SWITCHES = frozenset({"turn_on", "turn_off"})
_TOP_OF_RANGE = ("max", "min")


def question(asked: Question, registry: Registry, replies: Replies, lang: str) -> str:
    """The one sentence that asks."""
    lesson = asked.clause if isinstance(asked.clause, Lesson) else None
    action = _deed(asked, registry) or ("other" if lesson is None else "learn")
    word = replies.topic((lesson.word if lesson is not None else None) or asked.word or "", lang)
    count = len(asked.options)
    if not asked.offers:
        return _of_what_is_kept(asked, replies, lang)
    if asked.reason == "not_found":
        near = replies.joined([located(registry[item], registry, replies, lang) for item in asked.options], lang, "or")
        return replies.say("not_found.nearest", lang, mention=asked.word or "", names=near)
    if asked.reason == NEAREST:
        return _instead(asked, registry, replies, lang)
    if asked.kind == "choose" and count == 1:
        return replies.say(
            "ask.confirm_name", lang, n=1, names=located(registry[asked.options[0]], registry, replies, lang), word=word
        )
    if asked.kind == "choose":
        words = offer(asked.options[:MOST_OPTIONS], asked.dimension, registry, replies, lang)
        if count > MOST_OPTIONS:
            return replies.say("ask.which.many", lang, n=count, options=replies.joined(words, lang, "either"))
        key = f"ask.which.{asked.dimension or 'name'}"
        return replies.say(key, lang, n=count, options=replies.joined(words, lang, "or"))
    if asked.kind == "confirm":
        return _confirm(asked, action, word, registry, replies, lang)
    changed = asked.clause.parameter.attribute if asked.clause.parameter is not None else "value"
    keys = (f"ask.{asked.reason}", f"ask.{asked.kind}.{action}", f"ask.{asked.kind}.{changed}", f"ask.{asked.kind}")
    return replies.say(replies.first(lang, *keys), lang, word=word)


def _of_what_is_kept(asked: Question, replies: Replies, lang: str) -> str:
    """The question about what is kept for later, or about a list."""
    if not isinstance(asked.clause, AboutList):
        return replies.say("later.all", lang, n=len(asked.options))
    items = replies.names(asked.clause.items, lang, most=len(asked.clause.items))
    return replies.say(f"ask.{asked.reason}", lang, list=replies.list_name(asked.options[0], lang), items=items)


def _confirm(asked: Question, action: str, word: str, registry: Registry, replies: Replies, lang: str) -> str:
    """The question whether to do it, or to do all of what is asked in the same breath."""
    if asked.also:
        acts = [_act(item, registry, replies, lang) for item in (asked, *asked.also)]
        return replies.say("ask.confirm_reading", lang, act=replies.acts(acts, lang))
    count = len(asked.options)
    words = offer(asked.options, "name", registry, replies, lang) if count <= MOST_OPTIONS else []
    if asked.reason in ("confirm_name", "learn_habit") and count == 1:
        words = [located(registry[asked.options[0]], registry, replies, lang)]
    names = replies.names(words or named(asked.options, registry, replies, lang), lang)
    key = replies.first(lang, f"ask.{asked.reason}.{action}", f"ask.{asked.reason}.other", f"ask.{asked.reason}")
    changed = asked.clause.parameter.attribute if asked.clause.parameter is not None else "value"
    attribute = replies.attribute(changed, lang)
    value = _wished(asked, registry, replies, lang)
    act = deed(_of_its(asked, registry), action, names, value, replies, lang)
    return replies.say(key, lang, n=count, names=names, word=word, attribute=attribute, value=value, act=act)


def _act(asked: Question, registry: Registry, replies: Replies, lang: str) -> str:
    """What a yes would do, in words."""
    names = replies.names(named(asked.options, registry, replies, lang), lang)
    value = _wished(asked, registry, replies, lang)
    return deed(_of_its(asked, registry), _deed(asked, registry) or "other", names, value, replies, lang)


def _of_its(asked: Question, registry: Registry) -> Clause:
    """The clause; where only a number was said, with what that is of: the position of a blind."""
    clause, wished = asked.clause, asked.clause.parameter
    if not isinstance(clause, Order) or wished is None or wished.attribute != "value" or not asked.options:
        return clause
    able = actions.capability_for(registry[asked.options[0]], wished)
    return replace(clause, parameter=replace(wished, attribute=able.attribute)) if able else clause


def deed(clause: Clause, action: str | None, names: str, value: str, replies: Replies, lang: str) -> str:
    """What is to be done, in words: "turn off Hall light". `action` may say more exactly how than the clause does.

    What a yes would do is always said: nobody agrees to what he was not told.
    """
    parameter = clause.parameter
    if action == "set" and parameter is not None:
        action = parameter.op if parameter.op in _TOP_OF_RANGE else "set" if value else "change"
    attribute = parameter.attribute if parameter is not None else ""
    key = replies.first(lang, f"do.{action}.{attribute}", f"do.{action}", "do.other")
    act = replies.say(key, lang, names=names, attribute=replies.attribute(attribute, lang), value=value)
    return replies.say("do.never", lang, act=act) if isinstance(clause, Prohibition) else act


def _deed(asked: Question, registry: Registry) -> str | None:
    """What would be done, as what is asked about does it: "open the back door", which has a lock, is to unlock it."""
    clause, action = asked.clause, asked.clause.action
    if isinstance(clause, DialogueMove) and action is None:
        return clause.move
    if asked.kind != "confirm" or action is None:
        return action
    ways = {actions.direction(item, action) for item in registry.present(asked.options)}
    # Nobody closes a lamp, whatever was said.
    told = _BOLTS | _SWITCHES if action in ("open", "close") else _BOLTS
    return ways.pop() if len(ways) == 1 and ways <= told else action


def _instead(asked: Question, registry: Registry, replies: Replies, lang: str) -> str:
    """The question whether something else is to be set than was said."""
    wished = asked.clause.parameter
    assert wished is not None
    if wished.value is None:
        return replies.say(replies.first(lang, f"ask.nearest.{wished.op}", "ask.nearest"), lang)
    said = _wished(asked, registry, replies, lang)
    return replies.say("ask.nearest", lang, n=len(asked.options), value=said)


def _wished(asked: Question, registry: Registry, replies: Replies, lang: str) -> str:
    """The value that is asked about, with its unit; empty where there is none."""
    wished = asked.clause.parameter
    if wished is None or wished.value is None or not asked.options:
        return ""
    able = actions.capability_for(registry[asked.options[0]], wished)
    unit = wished.unit or (able.unit if able is not None else None)
    return replies.value(wished.value, lang, attribute=wished.attribute, unit=unit)


_MOST = 6
"""So much is said; of more, only how much there is."""


def everything(known: Sequence[Learnt], registry: Registry, replies: Replies, lang: str) -> str:
    """What has been learnt, the newest first."""
    if not known:
        return replies.say("learnt_nothing", lang)
    parts = [fact(item, registry, replies, lang) for item in known[:_MOST]]
    if len(known) > _MOST:
        parts.append(replies.say("learnt_more", lang, n=len(known) - _MOST))
    return replies.sentences(parts, lang)


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
    said = replies.topic(word, lang)
    if wish is None:
        return replies.say("no_wish", lang, word=said)
    return replies.say("meant", lang, word=said, meaning=_meaning(wish.meaning, wish.unit, registry, replies, lang))


def fact(item: Learnt, registry: Registry, replies: Replies, lang: str) -> str:
    """What was learnt: a name, or what somebody means by a word."""
    means = _meaning(item.meaning, item.unit, registry, replies, lang)
    word = item.word if item.kind == "name" else replies.topic(item.word, lang)
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
    return located(entity, registry, replies, lang) if len(alike) > 1 else entity.name(lang)

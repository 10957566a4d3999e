"""Questions put into words. Only keys and values here; the sentences are in the reply tables."""

from __future__ import annotations

from daemon.converse.offers import located, named, offer
from daemon.converse.replies import Replies
from daemon.core.ir import AboutList, Clause, DialogueMove, Lesson, Order, Prohibition
from daemon.core.questions import MOST_OPTIONS, NEAREST, Question
from daemon.core.values import replace
from daemon.home import actions
from daemon.home.registry import Registry

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
        near = replies.choices([located(registry[item], registry, replies, lang) for item in asked.options], lang)
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
            return replies.say("ask.which.many", lang, n=count, options=replies.examples(words, lang))
        key = f"ask.which.{asked.dimension or 'name'}"
        return replies.say(key, lang, n=count, options=replies.choices(words, lang))
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
    ways = {actions.direction(registry[item], action) for item in asked.options if item in registry}
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

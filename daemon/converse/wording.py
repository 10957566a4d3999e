"""Outcomes and refusals put into words. Only keys and values here; the sentences are in the reply tables."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from daemon.act.answers import StillOff
from daemon.act.palette import called
from daemon.converse.questions import named
from daemon.converse.replies import Replies
from daemon.core.entities import Entity
from daemon.core.outcomes import Observation, Outcome, Write
from daemon.core.questions import MOST_OPTIONS
from daemon.core.resolution import Ruling
from daemon.home import kinds, settings
from daemon.home.registry import Registry

_SHUT, _WIDE = 3.0, 97.0
"""Percent: a cover between them is neither closed nor open."""
_MANY = 3
"""Of so many of one kind that cannot do something, the kind is told."""
_WORDS_OF_STATE = ("on", "off", "open", "closed", "locked", "unlocked")


def _tell(key: str, group: Sequence[Outcome], registry: Registry, replies: Replies, lang: str, **values: str) -> str:
    """A sentence about the devices of these outcomes."""
    who = named([item.write.entity for item in group], registry, replies, lang)
    return replies.say(key, lang, n=len(who), names=replies.names(who, lang), **values)


def outcomes(results: Sequence[Outcome], registry: Registry, replies: Replies, lang: str) -> str:
    """One short text for what became of the writes of one clause: what is done first, then each kind of trouble."""
    done = [item for item in results if item.status == "done"]
    parts = _all_done(done, registry, replies, lang)
    if done and len(done) < len(results) and len(results) > MOST_OPTIONS + 1:
        parts = [_some(done, results, registry, replies, lang)]
    for reason, group in _by_reason(results, "unconfirmed"):
        actions = {item.write.action for item in group}
        own = [f"unconfirmed.{reason}.{action}" for action in actions] if len(actions) == 1 else []
        key = replies.first(lang, *own, f"unconfirmed.{reason}", "unconfirmed")
        parts.append(_tell(key, group, registry, replies, lang))
    for group in _alike([item for item in results if item.status == "failed"]):
        seen = group[0].evidence
        known = seen is not None and seen.value is not None
        value = _contrary(group[0].write, seen, registry, replies, lang) if seen is not None and known else ""
        parts.append(_tell("failed" if known else "failed.silent", group, registry, replies, lang, value=value))
    for reason, group in _by_reason(results, "refused", "not_found"):
        key = reason if replies.has(reason, lang) else "refused.device"
        parts.append(_tell(key, group, registry, replies, lang))
    return replies.sentences(parts, lang)


def ended(ends: Sequence[Outcome], registry: Registry, replies: Replies, lang: str) -> str:
    """What became, after the reply, of what takes its time: where it stopped, or that it arrived after all."""
    parts = []
    for group in _alike(ends):
        first, seen = group[0].write, group[0].evidence
        if group[0].status == "done":
            parts.append(replies.say("ended.after_all", lang, fact=_done(group, registry, replies, lang)))
            continue
        if group[0].reason == "disagrees" and seen is not None:
            value = said_value(first, seen.value, registry, replies, lang)
            parts.append(_tell("failed", group, registry, replies, lang, value=value))
            continue
        where = seen.value if seen is not None and seen.attribute == "position" else None
        between = isinstance(where, int | float) and _SHUT < where < _WIDE
        key = "ended.unknown" if group[0].status == "unconfirmed" else "ended.halfway" if between else "ended.not"
        key = replies.first(lang, f"{key}.{first.value}", f"{key}.other")
        value = replies.value(where, lang, attribute="position", unit="%") if between else ""
        parts.append(_tell(key, group, registry, replies, lang, value=value))
    return replies.sentences(parts, lang)


def _contrary(write: Write, seen: Observation, registry: Registry, replies: Replies, lang: str) -> str:
    """What a device says instead of what was wished: a cover between its ends, where it stands."""
    value = seen.value
    if write.attribute == "state" and seen.attribute == "position" and isinstance(value, int | float):
        end = "closed" if value <= _SHUT else "open" if value >= _WIDE else None
        if end is None or end == write.value:
            return replies.value(value, lang, attribute="position", unit="%")
        value = end
    return said_value(write, value, registry, replies, lang)


def said_value(write: Write, value: object, registry: Registry, replies: Replies, lang: str) -> str:
    """A value of the attribute that was written, with the unit of the device's capability."""
    able = registry[write.entity].reads(write.attribute)
    unit = write.unit or (able.unit if able else None)
    if write.attribute == "color" and isinstance(value, str):
        value = called(value) or value
    return replies.value(value, lang, attribute=write.attribute, unit=unit)


def still_off(off: StillOff, registry: Registry, replies: Replies, lang: str) -> str:
    """Who was set to something and is off, after `outcomes` of the same results; nothing where there is nobody."""
    if not off.entities:
        return ""
    who = named(off.entities, registry, replies, lang)
    key = "still_off.these" if {item.write.entity for item in off.outcomes} == set(off.entities) else "still_off"
    return replies.say(key, lang, n=len(who), names=replies.names(who, lang))


def refusal(
    decision: Ruling,
    registry: Registry,
    replies: Replies,
    lang: str,
    *,
    asked: str | None = None,
    action: str | None = None,
    attribute: str | None = None,
) -> str:
    """Why nothing was done, and what comes nearest, after a question about `asked` or an action on `attribute`."""
    names = _of_whom(decision.entities, registry, replies, lang)
    if decision.reason == "not_found":
        if decision.mention is None:
            return _nobody_tells(asked, replies, lang)
        if decision.nearest:
            near = replies.joined(named(decision.nearest[:2], registry, replies, lang), lang, "or")
            return replies.say("not_found.nearest", lang, mention=decision.mention, names=near)
        return replies.say("not_found", lang, mention=decision.mention)
    key = decision.reason if replies.has(decision.reason, lang) else "not_understood"
    if key == "unsupported" and not names:
        key = "empty"
    own = next((item for item in (attribute, asked) if item is not None and settings.is_setting(item)), None)
    if key == "unsupported" and own is not None:
        return replies.say(f"{key}.setting", lang, n=len(decision.entities), names=names,
                           attribute=replies.attribute(own, lang))  # fmt: skip
    if key == "unsupported" and asked is not None:
        key = "untold"  # who is asked about does nothing: there is only nobody who would know
    if key == "empty" and asked is None and decision.lacks is not None and decision.place is not None:
        return replies.say("empty.there", lang, kind=replies.kind(decision.lacks, lang), place=decision.place)
    if key == "empty":
        return _nobody_tells(asked, replies, lang)
    scenes = bool(decision.entities) and all(registry[item].kind == "scene" for item in decision.entities)
    ends = f"{key}.scene" if scenes else key
    key = replies.first(lang, f"{key}.{attribute}", f"{ends}.{action}", f"{key}.{action}", key)
    return replies.say(key, lang, n=len(decision.entities), names=names)


def _of_whom(entities: Sequence[str], registry: Registry, replies: Replies, lang: str) -> str:
    """The names; of many of one kind, the word for that."""
    types = {registry[item].type for item in entities}
    several = replies.counted(lang).get(types.pop() or "") if len(types) == 1 and len(entities) >= _MANY else None
    if several is not None:
        return several[0].upper() + several[1:]
    return replies.names(named(entities, registry, replies, lang), lang)


def _nobody_tells(asked: str | None, replies: Replies, lang: str) -> str:
    """That there is nothing like it here, or nothing that tells what was asked about."""
    if asked in (None, "state"):
        return replies.say("empty", lang)
    key = "nobody_known" if asked in ("location", "presence") else "no_sensor"
    return replies.say(key, lang, attribute=replies.attribute(asked or "", lang))


def _done(group: Sequence[Outcome], registry: Registry, replies: Replies, lang: str) -> str:
    first = group[0].write
    if group[0].reason == "moving":
        goal = str(first.value).partition("_")[0]  # however an alarm is armed, it is being armed
        key = replies.first(lang, f"done.moving.{goal}", "done.moving.other")
    elif first.attribute == "command":
        key = replies.first(lang, f"done.command.{first.value}", "done.command")
    elif first.attribute == "state" and first.value in _WORDS_OF_STATE:
        already = "already" if all(item.reason == "already" for item in group) else "done"
        key = f"{already}.state.{first.value}"
    else:
        plain = "done.value.clamped" if first.clamped else "done.value"
        worded = f"done.{first.attribute}.{str(first.value).lower()}"
        switched = f"done.setting.{first.value}" if settings.is_setting(first.attribute) else worded
        key = replies.first(lang, worded, switched, plain if first.clamped else f"done.{first.attribute}", plain)
    attribute, value = replies.attribute(first.attribute, lang), said_value(first, first.value, registry, replies, lang)
    return _tell(key, group, registry, replies, lang, attribute=attribute, value=value)


def _all_done(done: Sequence[Outcome], registry: Registry, replies: Replies, lang: str) -> list[str]:
    """What is done: first what was done to one thing in several ways, then the rest, alike together."""
    parts = []
    joined: set[str] = set()
    for them in _manifold(done, replies, lang):
        words = replies.joined(_facts(them[0], registry, replies, lang), lang, "facts")
        parts.append(_tell("facts", [its[0] for its in them], registry, replies, lang, facts=words))
        joined |= {its[0].write.entity for its in them}
    rest = _alike(item for item in done if item.write.entity not in joined)
    return parts + [_done(group, registry, replies, lang) for group in rest]


def _some(done: Sequence[Outcome], results: Sequence[Outcome], registry: Registry, replies: Replies, lang: str) -> str:
    """So many of so many: the names of those that did it tell less than those that did not, who come next."""
    first = done[0].write
    alike = first.attribute == "state" and len({(item.write.attribute, item.write.value) for item in done}) == 1
    value = said_value(first, first.value, registry, replies, lang)
    kind = _common_kind([registry[item.write.entity] for item in results], replies, lang) or "device"
    kinds_, measure = replies.counted(lang)[kind], replies.measure(kind, lang)
    key = "done.some.state" if alike else "done.some"
    return replies.say(key, lang, done=len(done), total=len(results), value=value, kinds=kinds_, measure=measure)


def _alike(results: Iterable[Outcome]) -> list[list[Outcome]]:
    """Groups what can share a sentence, in the order of its first appearance."""
    groups: dict[tuple[object, ...], list[Outcome]] = {}
    for item in results:
        seen = item.evidence.value if item.evidence is not None and item.status == "failed" else None
        how = item.reason if item.reason in ("moving", "already") else ""
        key = (item.write.attribute, item.write.value, item.write.clamped, how, seen)
        groups.setdefault(key, []).append(item)
    return list(groups.values())


def _by_reason(results: Iterable[Outcome], *statuses: str) -> list[tuple[str, list[Outcome]]]:
    groups: dict[str, list[Outcome]] = {}
    for item in results:
        if item.status in statuses:
            groups.setdefault(item.reason or item.status, []).append(item)
    return list(groups.items())


_GOING = frozenset({"on", "open"})
"""States in which what else was set takes effect."""


def _manifold(done: Sequence[Outcome], replies: Replies, lang: str) -> list[list[list[Outcome]]]:
    """What can be told together: for each such sentence its devices, with the same outcomes for each of them.

    A device of which one thing only was done is not among them, nor one that was set to and fro.
    """
    of_one: dict[str, list[Outcome]] = {}
    for item in done:
        of_one.setdefault(item.write.entity, []).append(item)
    alike: dict[tuple[object, ...], list[list[Outcome]]] = {}
    for its in of_one.values():
        if len(its) > 1 and _joins(its, replies, lang):
            alike.setdefault(tuple((item.write.attribute, item.write.value) for item in its), []).append(its)
    return list(alike.values())


def _facts(its: Sequence[Outcome], registry: Registry, replies: Replies, lang: str) -> list[str]:
    """What became of one device, each fact in a word or two."""
    said: list[str] = []
    left = list(its)
    while left:
        first = left.pop(0)
        # "Cooling" and "set to 22" are "cooling to 22".
        pair = f"{_key(first)}.{left[0].write.attribute}" if left else ""
        key = pair if replies.has(pair, lang) else _said_by(first, replies, lang)
        about = left.pop(0) if key == pair else first
        attribute = replies.attribute(about.write.attribute, lang)
        value = said_value(about.write, about.write.value, registry, replies, lang)
        said.append(replies.say(key, lang, attribute=attribute, value=value))
    return said


def _common_kind(entities: Sequence[Entity], replies: Replies, lang: str) -> str | None:
    """The narrowest kind that all are of and that can be counted, or None."""
    labels = [label for item in entities for label in (item.type, *sorted(item.tags)) if label]
    able = (label for label in dict.fromkeys((*labels, *replies.counted(lang))) if label in replies.counted(lang))
    return next((kind for kind in able if all(kinds.belongs(item, kind) for item in entities)), None)


def _joins(its: Sequence[Outcome], replies: Replies, lang: str) -> bool:
    writes = [item.write for item in its]
    to_and_fro = len({item.attribute for item in writes}) < len(writes)
    idle = any(item.attribute == "state" and item.value not in _GOING for item in writes)
    own = any(item.reason == "moving" or item.write.clamped or item.write.attribute == "command" for item in its)
    return not (to_and_fro or idle or own) and _said_by(its[0], replies, lang) != "fact"


def _said_by(item: Outcome, replies: Replies, lang: str) -> str:
    return next((key for key in (_key(item), f"fact.{item.write.attribute}") if replies.has(key, lang)), "fact")


def _key(item: Outcome) -> str:
    return f"fact.{item.write.attribute}.{str(item.write.value).casefold()}"

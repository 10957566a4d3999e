"""What was done to one thing in several ways, as one sentence: "Air conditioner is on, cooling to 22 °C"."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from daemon.converse.replies import Replies
from daemon.core.entities import Entity
from daemon.core.outcomes import Outcome
from daemon.home import kinds

_GOING = frozenset({"on", "open"})
"""States in which what else was set takes effect."""
Valued = Callable[[Outcome], str]
"""The value that was written, as it is said."""


def manifold(done: Sequence[Outcome], replies: Replies, lang: str) -> list[list[list[Outcome]]]:
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


def facts(its: Sequence[Outcome], valued: Valued, replies: Replies, lang: str) -> list[str]:
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
        said.append(replies.say(key, lang, attribute=attribute, value=valued(about)))
    return said


def common_kind(entities: Sequence[Entity], replies: Replies, lang: str) -> str | None:
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

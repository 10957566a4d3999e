"""Answers to "what can you do" and "how do I": from a small corpus, with examples of what this home has.

And what its devices can be set to: "Diffuser: intensity from 10 % to 100 %, light effect (steady or breathing)".
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from daemon.converse.questions import named
from daemon.converse.replies import Replies, Topic
from daemon.core import ir
from daemon.core.entities import Capability, Entity
from daemon.core.messages import Words
from daemon.core.result import Report
from daemon.core.turn import Turn
from daemon.home import kinds, settings
from daemon.home.names import contains, is_written, key, tokens
from daemon.home.registry import Registry

_MOST = 3
"""So many examples are told at once."""
_UNSAID: Final = frozenset({"state", "command", "muted", "area"})
"""What is done to a device by a verb of its own, and set to nothing."""
_TOLD: Final = frozenset({"read", "event"})
"""What is told, and not set."""
_MOST_ABLE: Final = 5
"""So much of one device is told at once."""
_MOST_OPTIONS: Final = 6


class Help:
    """The corpora of all languages, for one home."""

    def __init__(self, registry: Registry, replies: Replies) -> None:
        self._registry = registry
        self._replies = replies

    def report(self, turn: Turn) -> Report:
        """What can be said, or what there is."""
        clause, lang = turn.clause, turn.lang
        topic = clause.topic if isinstance(clause, ir.Help) else turn.program.text
        if isinstance(clause, ir.Inquiry) or (isinstance(clause, ir.Help) and clause.query is not None):
            return Report("query", (Words(self.listing(topic, lang)),), "help")
        advice = self.answer(topic, lang, turn.context.area)
        said = Words(advice or self._replies.say("help.unknown", lang))
        return Report("ignore" if advice is None else "assistant", (said,), "help")

    def answer(self, topic: str | None, lang: str, area: str | None = None) -> str | None:
        """What can be said, about a topic or in general; examples of the room that the speaker is in go first.

        None where the topic is nothing that this home is for.
        """
        if topic is None:
            found = (self._said(item, lang, area) for item in self._replies.topics(lang) if item.overview)
            shown = [said[0] for said in found if said]
            return self._advice(shown, lang)
        asked = self._named(topic)
        if asked is not None and asked.kind in ("area", "floor"):
            return self.answer(None, lang, asked.id)
        if asked is not None and asked.kind == "device":
            able_ = [text for item in self._replies.topics(lang) for text in self._said(item, lang, None, only=asked)]
            return self._advice(able_, lang) if able_ else able([asked], None, self._replies, lang)
        best = self._best(topic, lang)
        return None if best is None else self._advice(self._said(best, lang, area), lang)

    def examples(self, device: Entity, lang: str) -> list[str]:
        """Sentences that this device can be asked in, each once."""
        said = (text for item in self._replies.topics(lang) for text in self._said(item, lang, None, only=device))
        return list(dict.fromkeys(said))

    def listing(self, topic: str | None, lang: str) -> str:
        """What there is: in the home, in a room, or of a kind."""
        place = self._named(topic) if topic is not None else None
        inside = self._registry.devices
        if place is not None and place.kind in ("area", "floor", "group"):
            inside = tuple(self._registry[item] for item in self._registry.expand(place.id))
        kind = self._kind_of(topic or "")
        if kind is None and contains(key(topic or ""), key(self._replies.kind("scene", lang))):
            kind = "scene"
        if kind == "scene":
            inside = self._registry.scenes
        elif kind is not None:
            inside = tuple(item for item in inside if kinds.belongs(item, kind))
        if not inside:
            return self._replies.say("empty", lang)
        if kind is None and place is None:
            rooms = [item.name(lang) for item in self._registry.areas]
            names = self._replies.names(rooms, lang, most=12)
            return self._replies.say("help.home", lang, n=len(inside), rooms=len(rooms), names=names)
        shown = named([item.id for item in inside if item.exposed], self._registry, self._replies, lang)
        told = self._replies.names(shown, lang, most=8)
        return self._replies.say("help.list", lang, n=len(shown), names=told)

    def _advice(self, said: Sequence[str], lang: str) -> str:
        if not said:
            return self._replies.say("help.none", lang)
        examples = self._replies.joined(list(dict.fromkeys(said))[:_MOST], lang, "either")
        return self._replies.say("help", lang, examples=examples)

    def _said(self, topic: Topic, lang: str, area: str | None, only: Entity | None = None) -> list[str]:
        """The examples of a topic that work here."""
        found = []
        for example in topic.say:
            wanted = example.kinds or topic.kinds
            if example.needs is None:
                found += [example.text] if only is None else []
            elif example.needs in ("area", "scene"):
                among = self._registry.areas if example.needs == "area" else self._registry.scenes
                here = [item for item in among if item.id == area] or list(among)
                found += [self._filled(example.text, here[0], here[0], lang)] if here and only is None else []
            elif (item := self._able(example.needs, wanted, area, lang, only)) is not None:
                place = self._registry.area_of(item.id)
                if place is not None or "{area}" not in example.text:
                    found.append(self._filled(example.text, item, place, lang))
        return found

    def _able(
        self, needs: str, wanted: Sequence[str], area: str | None, lang: str, only: Entity | None
    ) -> Entity | None:
        """A device that can do it, in this room if there is one, and of a name that is its own."""
        names = [item.name(lang) for item in self._registry]
        able = [
            item
            for item in (self._registry.devices if only is None else (only,))
            if item.exposed
            and any(kinds.belongs(item, kind) for kind in wanted)
            and (item.capability(needs) is not None or item.reads(needs) is not None)
        ]
        floor_or_area = {found.id for found in (self._registry.get(area or ""),) if found is not None}

        def rank(item: Entity) -> tuple[bool, bool, bool]:
            name = item.name(lang)
            return names.count(name) > 1, item.area not in floor_or_area, not is_written(name, lang)

        return min(able, key=rank, default=None)

    def _filled(self, text: str, item: Entity, place: Entity | None, lang: str) -> str:
        area = place.name(lang) if place is not None else ""
        return text.replace("{name}", item.name(lang)).replace("{area}", area)

    def _named(self, topic: str) -> Entity | None:
        """What of this home is named in a question, by its longest name."""
        best: tuple[int, Entity] | None = None
        for item in self._registry:
            for name in item.names:
                if key(name) and contains(key(topic), key(name)) and (best is None or len(key(name)) > best[0]):
                    best = (len(key(name)), item)
        if best is None or (best[1].kind == "device" and self._registry.kind_words.said(tokens(topic)) is not None):
            return None
        return best[1]

    def _kind_of(self, topic: str) -> str | None:
        words = tokens(topic)
        runs = (words[start:end] for start in range(len(words)) for end in range(len(words), start, -1))
        found = next((kind for run in runs if (kind := self._registry.kind_words.said(run)) is not None), None)
        return None if found == "device" else found

    def _best(self, topic: str, lang: str) -> Topic | None:
        said = key(topic)
        ranked = [
            (sum(len(word) for word in item.words if contains(said, key(word))), item)
            for item in self._replies.topics(lang)
        ]
        most = max((score for score, _ in ranked), default=0)
        return next((item for score, item in ranked if score == most), None) if most else None


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
    able_ = [item for item in entity.capabilities if item.name not in _TOLD and item.attribute not in _UNSAID]
    if attribute is not None:
        own = settings.found(entity, attribute)
        able_ = [item for item in able_ if item is own or (own is None and item.attribute == attribute)]
    told = [_fact(item, replies, lang) for item in able_[:_MOST_ABLE]]
    left = len(able_) - len(told)
    facts = replies.joined(told, lang, "facts")
    return replies.say("able.more", lang, facts=facts, n=left) if left > 0 else facts


def _fact(item: Capability, replies: Replies, lang: str) -> str:
    attribute = replies.attribute(item.attribute, lang)
    options = [replies.value(word, lang) for word in item.options]
    if options:
        several = len(options) > _MOST_OPTIONS
        shown = replies.names(options, lang, most=_MOST_OPTIONS) if several else replies.joined(options, lang, "one_of")
        return replies.say("able.options", lang, attribute=attribute, options=shown)
    if item.minimum is None or item.maximum is None:
        return attribute
    low, high = (replies.value(bound, lang, unit=item.unit) for bound in (item.minimum, item.maximum))
    return replies.say("able.range", lang, attribute=attribute, low=low, high=high)

"""Messages -> words: the only place where what is found, decided and done becomes sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from daemon.act.answers import Able, Acted, Does, Ended, Hindered, Presses, StillOff, Told, Unmet, Was, Where
from daemon.converse import questions, wording
from daemon.converse.answering import Answerer
from daemon.converse.help import able
from daemon.converse.kept import KeptWords
from daemon.converse.questions import named
from daemon.converse.replies import Replies
from daemon.converse.times import TimeWords, length
from daemon.core.entities import Value
from daemon.core.messages import (
    Amount,
    Asked,
    AttributeWord,
    Due,
    Listing,
    ListName,
    Message,
    Moment,
    Names,
    Refused,
    Said,
    Say,
    Topic,
    Words,
)
from daemon.core.messages import Length as LengthOf
from daemon.core.questions import Question
from daemon.home import events
from daemon.home.registry import Registry
from daemon.memory.learnt import AllLearnt, Called, LearntNow, Meant
from daemon.schedule.entries import AboutTimer, Forbidden, Happens, Kept, TimerName, ToDo
from daemon.schedule.moments import Clock, Moments

_MOST_ITEMS = 20
"""So many things of a list are spoken; of more, the first and how many there are."""
_MOST_KEPT = 5
"""So many entries one spoken answer lists."""


class Speech:
    """Puts messages into words, in one home."""

    def __init__(self, replies: Replies, registry: Registry, clock: Clock, moments: Moments) -> None:
        self._replies = replies
        self._registry = registry
        self._answerers = {lang: Answerer(registry, replies, lang) for lang in replies.languages}
        self._times = TimeWords(replies, registry, clock)
        self._kept = KeptWords(replies, registry, clock, moments, self._times)

    def reply(self, said: Said, lang: str) -> str:
        """Messages as one reply; empty where there is nothing to say."""
        return self._replies.sentences([self.words(item, lang) for item in said], lang)

    def offered(self, question: Question, lang: str) -> tuple[str, ...]:
        """The words by which a question tells its options apart, where those are no names: "the TV or the light?"."""
        if question.dimension != "kind":
            return ()
        options = map(self._registry.__getitem__, question.options)
        return tuple(self._replies.kind(item.type or item.kind, lang) for item in options)

    def options(self, question: Question, lang: str) -> list[str]:
        """The words for each option of a question, each of them an answer to it; none where one is free to answer."""
        if question.kind != "choose" or not question.offers:
            return []
        return questions.offer(question.options, question.dimension, self._registry, self._replies, lang)

    def words(self, message: Message, lang: str) -> str:
        """One message in words."""
        return self.RENDERERS[type(message)](self, message, lang)

    def _say(self, message: Say, lang: str) -> str:
        values = {
            name: self.words(value, lang) if isinstance(value, Message) else value
            for name, value in message.values.items()
        }
        return self._replies.say(message.key, lang, n=message.n, **values)

    def _names(self, message: Names, lang: str) -> str:
        if message.located:
            return self._kept.names(message.entities, lang)
        names = named(message.entities, self._registry, self._replies, lang)
        return self._replies.joined(names, lang, "or") if message.joint == "or" else self._replies.names(names, lang)

    def _listing(self, message: Listing, lang: str) -> str:
        items = [self.words(item, lang) for item in message.items]
        joins: Mapping[str, Callable[[Sequence[str], str], str]] = {
            "names": self._replies.names,
            "items": lambda them, lang: self._replies.names(them, lang, most=_MOST_ITEMS),
            "choices": lambda them, lang: self._replies.joined(self._replies.apart(them, lang), lang, "or"),
            "facts": lambda them, lang: self._replies.joined(them, lang, "facts"),
            "sentences": self._replies.sentences,
        }
        return joins[message.how](items, lang)

    def _moment(self, message: Moment, lang: str) -> str:
        if message.how == "clock":
            return self._times.now(lang)
        if (sun := {"sunrise": "now.sunrise", "sunset": "now.sunset"}.get(message.how)) is not None:
            return self._replies.say(sun, lang, time=self._times.moment(message.at, lang))
        return self._times.today(lang) if message.how == "day" else self._times.past(message.at, lang)

    def _asked(self, message: Asked, lang: str) -> str:
        words = questions.question(message.question, self._registry, self._replies, lang)
        return self._kept.asked(words, message.question, lang)

    def _acted(self, message: Acted, lang: str) -> str:
        words = wording.outcomes(message.outcomes, self._registry, self._replies, lang)
        return self._replies.say("everywhere", lang, words=words) if message.everywhere else words

    def _does(self, message: Does, lang: str) -> str:
        """The steps in their order, those alike together."""
        steps: dict[tuple[str, Value], list[str]] = {}
        for step in message.steps:
            steps.setdefault((step.attribute, step.value), []).append(step.entity)
        told = [self._kept.step(*step, them, lang) for step, them in steps.items()]
        key = "scene.does" if told else "scene.handed"
        name = self._registry[message.scene].name(lang)
        return self._replies.say(key, lang, names=name, facts=self._replies.names(told, lang, most=len(told)))

    def _presses(self, message: Presses, lang: str) -> str:
        """How these can be pressed: "left pressed or held"."""
        replies, kinds = self._replies, dict[str, list[str]]()
        for press in message.presses:
            kinds.setdefault(press.button, []).append(replies.say(f"happens.done.{press.kind}", lang))
        told = []
        for button, ways in kinds.items():
            done, word = replies.names(ways, lang, most=len(ways)), events.spoken(button, lang)
            told.append(replies.say("happens.done.of", lang, button=word, presses=done) if button else done)
        names = replies.names(named(message.entities, self._registry, replies, lang), lang)
        key = "later.no_press" if message.lacked else "later.presses"
        return replies.say(
            key, lang, n=len(message.entities), names=names, options=replies.joined(told, lang, "either")
        )

    def _where(self, message: Where, lang: str) -> str:
        by_area: dict[str, list[str]] = {}
        for entity in message.entities:
            if (area := self._registry.area_of(entity)) is not None:
                by_area.setdefault(area.name(lang), []).append(self._registry[entity].name(lang))
        said = [
            self._replies.say("answer.where", lang, n=len(them), names=self._replies.names(them, lang), place=place)
            for place, them in by_area.items()
        ]
        return self._replies.sentences(said, lang)

    def _entries(self, message: Kept, lang: str) -> str:
        if message.how != "sentences":
            brief = [self._kept.brief(item, lang) for item in message.entries]
            if message.how == "choices":
                return self._replies.joined(self._replies.apart(brief, lang), lang, "or")
            return self._replies.names(brief, lang)
        parts = [self._kept.sentence(item, lang) for item in message.entries[:_MOST_KEPT]]
        if (more := len(message.entries) - _MOST_KEPT) > 0:
            parts.append(self._replies.say("later.more", lang, n=more))
        return self._replies.sentences(parts, lang)

    def _forbidden(self, message: Forbidden, lang: str) -> str:
        key = "forbidden.unknown" if message.unknown else "forbidden.told"
        return self._replies.say(key, lang, what=self._kept.brief(message.entry, lang))

    RENDERERS: ClassVar[Mapping[type[Message], Callable[[Speech, Any, str], str]]] = {
        Able: lambda self, it, lang: able(
            [self._registry[id_] for id_ in it.entities], it.attribute, self._replies, lang
        ),
        AboutTimer: lambda self, it, lang: self._kept.about(it.key, it.entry, lang, it.rang),
        Acted: _acted,
        Presses: _presses,
        AllLearnt: lambda self, it, lang: questions.everything(it.items, self._registry, self._replies, lang),
        Amount: lambda self, it, lang: self._replies.value(it.value, lang, attribute=it.attribute, unit=it.unit),
        Asked: _asked,
        AttributeWord: lambda self, it, lang: self._replies.attribute(it.name, lang),
        Called: lambda self, it, lang: questions.names(it.entities, self._registry, self._replies, lang),
        Does: _does,
        Due: lambda self, it, lang: self._times.when(it.when, it.at, lang),
        Ended: lambda self, it, lang: wording.ended(it.outcomes, self._registry, self._replies, lang),
        Forbidden: _forbidden,
        Happens: lambda self, it, lang: self._times.conditions(it.conditions, it.join, it.watched, lang, so=it.so),
        Hindered: lambda self, it, lang: self._answerers[lang].problem(it.problems),
        Kept: _entries,
        LearntNow: lambda self, it, lang: self._replies.say(
            "learnt_now", lang, fact=questions.fact(it.item, self._registry, self._replies, lang)
        ),
        LengthOf: lambda self, it, lang: length(it.seconds, self._replies, lang, exact=it.exact),
        Listing: _listing,
        ListName: lambda self, it, lang: self._replies.list_name(it.name, lang),
        Meant: lambda self, it, lang: questions.meaning(it.word, it.wish, self._registry, self._replies, lang),
        Moment: _moment,
        Names: _names,
        Refused: lambda self, it, lang: wording.refusal(
            it.ruling, self._registry, self._replies, lang, asked=it.asked, action=it.action, attribute=it.attribute
        ),
        Say: _say,
        StillOff: lambda self, it, lang: wording.still_off(it, self._registry, self._replies, lang),
        TimerName: lambda self, it, lang: self._kept.timer(it.entry, lang),
        ToDo: lambda self, it, lang: self._kept.act(it.clause, it.entities, lang),
        Told: lambda self, it, lang: self._answerers[lang].answer(it.answer),
        Topic: lambda self, it, lang: self._replies.topic(it.word, lang),
        Unmet: lambda self, it, lang: self._answerers[lang].condition(it.facts, holds=it.holds),
        Was: lambda self, it, lang: self._answerers[lang].was(it.writes),
        Where: _where,
        Words: lambda _self, it, _lang: it.text,
    }
    """How each kind of message is said."""

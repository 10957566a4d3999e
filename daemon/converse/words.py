"""Messages -> words: the only place where what is found, decided and done becomes sentences."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

from daemon.act.answers import Able, Acted, Does, Ended, Hindered, Presses, StillOff, Told, Unmet, Where
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
        self._times = TimeWords(replies, registry, clock)
        self._kept = KeptWords(replies, registry, clock, moments, self._times)

    def reply(self, said: Said, lang: str) -> str:
        """Messages as one reply; empty where there is nothing to say."""
        return self._replies.sentences([self.words(item, lang) for item in said], lang)

    def offered(self, question: Question, lang: str) -> tuple[str, ...]:
        """The words by which a question tells its options apart, where those are no names: "the TV or the light?"."""
        if question.dimension != "kind":
            return ()
        told = (self._registry[item] for item in question.options)
        return tuple(self._replies.kind(item.type or item.kind, lang) for item in told)

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
        return self._replies.choices(names, lang) if message.joint == "or" else self._replies.names(names, lang)

    def _listing(self, message: Listing, lang: str) -> str:
        items = [self.words(item, lang) for item in message.items]
        joins: Mapping[str, Callable[[Sequence[str], str], str]] = {
            "names": self._replies.names,
            "items": lambda them, lang: self._replies.names(them, lang, most=_MOST_ITEMS),
            "choices": lambda them, lang: self._replies.choices(self._replies.apart(them, lang), lang),
            "facts": self._replies.listed,
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

    def _refused(self, message: Refused, lang: str) -> str:
        return wording.refusal(
            message.ruling,
            self._registry,
            self._replies,
            lang,
            asked=message.asked,
            action=message.action,
            attribute=message.attribute,
        )

    def _acted(self, message: Acted, lang: str) -> str:
        words = wording.outcomes(message.outcomes, self._registry, self._replies, lang)
        return self._replies.say("everywhere", lang, words=words) if message.everywhere else words

    def _ended(self, message: Ended, lang: str) -> str:
        return wording.ended(message.outcomes, self._registry, self._replies, lang)

    def _still_off(self, message: StillOff, lang: str) -> str:
        return wording.still_off(message.entities, message.outcomes, self._registry, self._replies, lang)

    def _told(self, message: Told, lang: str) -> str:
        return Answerer(self._registry, self._replies, lang).answer(message.answer)

    def _unmet(self, message: Unmet, lang: str) -> str:
        return Answerer(self._registry, self._replies, lang).condition(message.facts, holds=message.holds)

    def _hindered(self, message: Hindered, lang: str) -> str:
        return Answerer(self._registry, self._replies, lang).problem(message.problems)

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
        return replies.say(key, lang, n=len(message.entities), names=names, options=replies.examples(told, lang))

    def _able(self, message: Able, lang: str) -> str:
        them = [self._registry[item] for item in message.entities]
        return able(them, message.attribute, self._replies, lang)

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
                return self._replies.choices(self._replies.apart(brief, lang), lang)
            return self._replies.names(brief, lang)
        parts = [self._kept.sentence(item, lang) for item in message.entries[:_MOST_KEPT]]
        if (more := len(message.entries) - _MOST_KEPT) > 0:
            parts.append(self._replies.say("later.more", lang, n=more))
        return self._replies.sentences(parts, lang)

    def _forbidden(self, message: Forbidden, lang: str) -> str:
        key = "forbidden.unknown" if message.unknown else "forbidden.told"
        return self._replies.say(key, lang, what=self._kept.brief(message.entry, lang))

    def _happens(self, message: Happens, lang: str) -> str:
        return self._times.conditions(message.conditions, message.join, message.watched, lang, given=message.so)

    def _all_learnt(self, message: AllLearnt, lang: str) -> str:
        return questions.everything(message.items, self._registry, self._replies, lang)

    def _learnt(self, message: LearntNow, lang: str) -> str:
        return questions.taken(message.item, self._registry, self._replies, lang)

    def _called(self, message: Called, lang: str) -> str:
        return questions.names(message.entities, self._registry, self._replies, lang)

    def _meant(self, message: Meant, lang: str) -> str:
        return questions.meaning(message.word, message.wish, self._registry, self._replies, lang)

    def _amount(self, message: Amount, lang: str) -> str:
        return self._replies.value(message.value, lang, attribute=message.attribute, unit=message.unit)

    def _about_timer(self, message: AboutTimer, lang: str) -> str:
        return self._kept.about(message.key, message.entry, lang, message.rang)

    def _attribute(self, message: AttributeWord, lang: str) -> str:
        return self._replies.attribute(message.name, lang)

    def _due(self, message: Due, lang: str) -> str:
        return self._times.when(message.when, message.at, lang)

    def _length(self, message: LengthOf, lang: str) -> str:
        return length(message.seconds, self._replies, lang, exact=message.exact)

    def _timer_name(self, message: TimerName, lang: str) -> str:
        return self._kept.timer(message.entry, lang)

    def _to_do(self, message: ToDo, lang: str) -> str:
        return self._kept.act(message.clause, message.entities, lang)

    def _topic(self, message: Topic, lang: str) -> str:
        return self._replies.topic(message.word, lang)

    def _list_name(self, message: ListName, lang: str) -> str:
        return self._replies.list_name(message.name, lang)

    def _text(self, message: Words, _lang: str) -> str:
        return message.text

    RENDERERS: ClassVar[Mapping[type[Message], Callable[[Speech, Any, str], str]]] = {
        Able: _able,
        AboutTimer: _about_timer,
        Acted: _acted,
        Presses: _presses,
        AllLearnt: _all_learnt,
        Amount: _amount,
        Asked: _asked,
        AttributeWord: _attribute,
        Called: _called,
        Does: _does,
        Due: _due,
        Ended: _ended,
        Forbidden: _forbidden,
        Happens: _happens,
        Hindered: _hindered,
        Kept: _entries,
        LearntNow: _learnt,
        LengthOf: _length,
        Listing: _listing,
        ListName: _list_name,
        Meant: _meant,
        Moment: _moment,
        Names: _names,
        Refused: _refused,
        Say: _say,
        StillOff: _still_off,
        TimerName: _timer_name,
        ToDo: _to_do,
        Told: _told,
        Topic: _topic,
        Unmet: _unmet,
        Where: _where,
        Words: _text,
    }
    """How each kind of message is said."""

"""Answers to questions about the home, put into words; what is stale is said as stale."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Final

from daemon.act.answers import Answer
from daemon.act.facts import Fact, in_unit
from daemon.act.palette import called
from daemon.act.values import number
from daemon.converse.questions import located, named
from daemon.converse.replies import Replies
from daemon.converse.times import length
from daemon.core.entities import CapabilityName
from daemon.core.outcomes import Observation, Problem, Write
from daemon.core.values import replace
from daemon.core.vocabulary import READINGS, TOLD
from daemon.home import settings
from daemon.home.registry import Registry
from daemon.home.sensing import USUAL, usual

_MINUTE_S, _HOUR_S, _DAY_S = 60.0, 3600.0, 86_400.0
_PAIR: Final = 2
_FEW, _LIST = 4, 12  # so many names are told to who asked for them; of an act that was ordered, fewer
_SUMMED: Final = frozenset({"power", "energy"})
"""What things use, and several of them together."""
_WISHES: Final[frozenset[CapabilityName]] = frozenset({"temperature", "humidity"})


_IS: Final = ("answer.state", "answer.set_to", "answer.value")
_WAS: Final = ("was.state", "was.set_to", "was.value")
"""How something is, or was: in which state, what it is set to, and what there is of it."""


class Answerer:
    """Words for answers, conditions and problems in one language."""

    def __init__(self, registry: Registry, replies: Replies, lang: str) -> None:
        self._registry = registry
        self._replies = replies
        self._lang = lang

    def answer(self, answer: Answer) -> str:
        """The answer, in the unit that was asked for, then who did not answer."""
        answer = replace(answer, facts=tuple(in_unit(item, answer.unit) for item in answer.facts))
        if not answer.facts:
            return self._say("unsupported", answer.unknown) if answer.unknown else self._say("empty", ())
        fresh = [item for item in answer.facts if item.observation.fresh]
        if not fresh:
            return self._only_stale(answer)
        parts = self._parts(answer, fresh)
        if answer.kind == "why" and answer.attribute == "state":
            parts.insert(0, self._say("unable.why", ()))
        silent = [item.entity for item in answer.facts if not item.observation.fresh]
        if silent and (answer.verdict is None or answer.kind == "any"):
            parts.append(self._say("answer.some_unknown", silent))
        return self._replies.sentences(parts, self._lang)

    def _parts(self, answer: Answer, fresh: Sequence[Fact]) -> list[str]:
        """What is known of it."""
        if answer.verdict is False and answer.kind == "is" and 0 < len(answer.matching) < len(fresh) <= _FEW:
            return self._values(fresh)  # some are, some are not: who
        if answer.verdict is not None:
            return [self._verdict(answer, fresh)]
        if answer.kind == "count":
            return [self._said_of("answer.count.names" if answer.matching else "answer.count", answer)]
        if answer.most is not None:
            return self._most(answer, fresh)
        if answer.kind == "which" and answer.matching:
            return [self._rooms(answer.matching) if answer.rooms else self._which(answer)]
        if answer.kind == "which":
            return [self._say("answer.playing.none" if answer.wished == "playing" else "answer.which.none", ())]
        judged = answer.kind == "usual" or (answer.attribute == "aqi" and fresh[0].attribute in USUAL)
        if judged or answer.kind == "how_long":
            return self._usual(fresh) if judged else self._since(fresh, answer.wished)
        total = self._total(answer, fresh)
        plays = [self._plays(item, answer.on[item.entity]) for item in fresh if item.entity in answer.on]
        others = [item for item in fresh if item.entity not in answer.on]
        return [total] if total is not None else [*plays, *self._values(others)]

    def condition(self, facts: Sequence[Fact], *, holds: bool | None) -> str:
        """Why nothing was done: the reading that decided it, or what could not be read."""
        deciding = next((item for item in facts if item.observation.fresh is (holds is not None)), None)
        if holds is None or deciding is None:
            names = self._replies.names([self._name(item.entity) for item in facts], self._lang)
            what = names or self._replies.attribute("state", self._lang)
            return self._replies.say("condition_unknown", self._lang, what=what)
        key = "condition_fact.state" if deciding.attribute == "state" or _is_word(deciding) else "condition_fact"
        return self._replies.say("condition_false", self._lang, fact=self._measured(key, deciding))

    def problem(self, problems: Sequence[Problem]) -> str:
        """Why a plan, or a part of it, could not be made; one sentence for all devices that share a problem."""
        alike: dict[Problem, list[str]] = {}
        for item in problems:
            alike.setdefault(replace(item, entity="", nearest=None), []).append(self._name(item.entity))
        return self._replies.sentences([self._problem(*item) for item in alike.items()], self._lang)

    def _problem(self, first: Problem, names: Sequence[str]) -> str:
        attribute = self._replies.attribute(first.attribute, self._lang)
        joined = self._replies.names(names, self._lang)
        low, high = (
            self._replies.value(bound, self._lang, unit=first.unit) if bound is not None else ""
            for bound in (first.low, first.high)
        )
        options = [self._replies.value(item, self._lang) for item in first.options]
        sort = f"{first.reason}.{'setting' if settings.is_setting(first.attribute or 'state') else first.attribute}"
        keys = (sort, first.reason, "unsupported")
        return self._replies.say(
            next(key for key in keys if key == "unsupported" or self._replies.has(key, self._lang)),
            self._lang,
            n=len(names),
            names=joined,
            attribute=attribute,
            low=low,
            high=high,
            said=self._replies.value(first.said, self._lang, unit=first.unit) if first.said is not None else "",
            options=self._replies.names(options, self._lang, most=len(options)),
        )

    def _verdict(self, answer: Answer, fresh: Sequence[Fact]) -> str:
        """Yes or no, and how things are, so that either is understood whatever it was that was asked."""
        if answer.kind == "any":
            return self._say("answer.yes.any", answer.matching) if answer.verdict else self._say("answer.no.any", ())
        if len(answer.facts) > 1 and answer.verdict:
            return self._say("answer.yes.all", ())
        word = "answer.yes" if answer.verdict else "answer.no"
        told = [item for item in fresh if not item.holds] if answer.kind == "all" and not answer.verdict else fresh
        word = self._say(f"{word}.contrary" if answer.contrary else word, ())
        fact, *others = self._values((told or fresh)[:_LIST])  # no name gets a capital letter in mid-sentence
        first = self._replies.say("answer.verdict", self._lang, word=word, fact=fact)
        return self._replies.sentences([first, *others], self._lang)

    def _rooms(self, entities: Sequence[str]) -> str:
        """All rooms of these; what has none stands for itself."""
        areas = ((item, self._registry.area_of(item)) for item in entities)
        places = dict.fromkeys(item if area is None else area.id for item, area in areas)
        names = self._replies.names([self._name(item) for item in places], self._lang, most=len(places))
        return self._replies.say("answer.which", self._lang, n=len(places), names=names)

    def _which(self, answer: Answer) -> str:
        """Who it is, in a sentence: "Desk lamp and Fan are on"; where they differ in how they are, their names."""
        them = [item for item in answer.facts if item.entity in answer.matching]
        if answer.wished == "playing" or (answer.on and answer.wished == "on"):
            return self._replies.sentences(
                [self._plays(item, answer.on.get(item.entity, ())) for item in them], self._lang
            )
        alike = len({self._value(item) for item in them}) == 1 and all(map(_is_word, them))
        told = {"value": self._value(them[0])} if alike else {}
        return self._said_of("answer.state" if alike else "answer.which", answer, **told)

    def _plays(self, item: Fact, what: Sequence[str]) -> str:
        told = ("answer.state", "answer.playing", "answer.playing.from")[len(what)]
        names = located(self._registry[item.entity], self._registry, self._replies, self._lang)
        work, source = (*what, "", "")[:2]
        return self._replies.say(told, self._lang, n=1, names=names, value=self._value(item), what=work, source=source)

    def _most(self, answer: Answer, fresh: Sequence[Fact]) -> list[str]:
        """Who has the most of it, or where that is; of two, also how it is with the other."""
        best = [item for item in fresh if item.holds]
        if len(answer.facts) == _PAIR > len(fresh):
            return self._values(fresh)  # of two, one is not known
        if answer.attribute in _SUMMED and len(fresh) == 1 and self._only_measures(fresh[0]):
            return [self._say("answer.most.alone", ()), *self._values(fresh)]  # the meter of all of it uses none
        areas = {item.entity: self._registry.area_of(item.entity) for item in best if item.ambient}
        ids = dict.fromkeys(area.id if (area := areas.get(item.entity)) is not None else item.entity for item in best)
        asked = (item.entity for item in fresh)
        names = self._replies.names(named(ids, self._registry, self._replies, self._lang, asked), self._lang)
        key = "answer.most.max" if answer.most == "max" else "answer.most.min"
        attribute = self._replies.attribute(answer.attribute, self._lang)
        value = self._value(best[0])
        said = self._replies.say(key, self._lang, n=len(ids), names=names, attribute=attribute, value=value)
        others = [item for item in fresh if not item.holds]
        return [said, *(self._values(others) if len(others) == 1 else ()), *self._apart(fresh)]

    def _apart(self, facts: Sequence[Fact]) -> list[str]:
        """By how much two differ; nothing where that is no number."""
        alike = [in_unit(item, facts[0].unit) for item in facts]
        numbers = [found for item in alike if (found := number(item.observation.value)) is not None]
        if len(numbers) != _PAIR or len(alike) != _PAIR or numbers[0] == numbers[1] or alike[0].unit != alike[1].unit:
            return []
        value = self._replies.value(round(abs(numbers[0] - numbers[1]), 1), self._lang, unit=alike[0].unit)
        return [self._replies.say("answer.apart", self._lang, value=value)]

    def _total(self, answer: Answer, fresh: Sequence[Fact]) -> str | None:
        """What several use together, most first; None where that is no sum: a meter may count what the others do."""
        if answer.kind != "value" or answer.attribute not in _SUMMED or len(fresh) < _PAIR:
            return None
        if any(map(self._only_measures, fresh)):
            return None
        alike = [in_unit(item, fresh[0].unit) for item in fresh]
        numbers = [number(item.observation.value) for item in alike]
        if {item.unit for item in alike} != {fresh[0].unit} or None in numbers:
            return None
        ranked = sorted(zip(numbers, alike, strict=True), key=lambda pair: -(pair[0] or 0.0))
        parts = [self._measured("answer.total.part", item) for _, item in ranked]
        value = self._replies.value(sum(item or 0.0 for item in numbers), self._lang, unit=fresh[0].unit)
        return self._replies.say("answer.total", self._lang, value=value, facts=self._replies.names(parts, self._lang))

    def _usual(self, facts: Sequence[Fact]) -> list[str]:
        """How values are beside what is usual indoors."""
        parts = []
        for item in facts:
            unit, bounds = READINGS.get(item.attribute), USUAL.get(item.attribute)
            where = usual(item.attribute, number(in_unit(item, unit).observation.value))
            area = self._registry.area_of(item.entity)
            if where is None or bounds is None or (area and any(map(self._registry.levels.outdoors, area.names))):
                continue
            low, high = (self._replies.value(bound, self._lang, unit=unit) for bound in bounds)
            told = f"answer.usual.{where}"
            parts.append(self._replies.say(told, self._lang, value=self._value(item), low=low, high=high))
        return parts or [*self._values(facts), self._say("answer.usual.unknown", ())]

    def _only_measures(self, fact: Fact) -> bool:
        """Whether it is told by what does nothing else."""
        return all(able.name == "read" for able in self._registry[fact.entity].capabilities)

    def was(self, writes: Sequence[Write]) -> str:
        """How things were, told by what would put them back."""
        seen = (Observation(item.entity, item.attribute, item.value, "reply", 0.0) for item in writes)
        pairs = zip(writes, seen, strict=True)
        facts = [Fact(item.entity, item.attribute, read, None, item.unit) for item, read in pairs]
        return self._replies.sentences(self._values(facts, _WAS), self._lang)

    def _values(self, facts: Sequence[Fact], said: tuple[str, str, str] = _IS) -> list[str]:
        """How things are, or were."""
        state, set_to, value = said
        parts = []
        grouped: dict[str, list[Fact]] = {}
        for item in facts:
            if item.attribute in TOLD:
                parts.append(self._measured("answer.told", item))
            elif item.attribute == "state" or _is_word(item):
                grouped.setdefault(self._value(item), []).append(item)
            else:
                parts.append(self._measured(set_to if self._is_wish(item) else value, item))
        return parts + [self._fact(state, group) for group in grouped.values()]

    def _is_wish(self, fact: Fact) -> bool:
        """Whether it is what a device is set to, which says nothing about how warm or how damp it is."""
        device = self._registry[fact.entity]
        return any(item.attribute == fact.attribute and item.name in _WISHES for item in device.capabilities)

    def _since(self, facts: Sequence[Fact], wished: float | str | None) -> list[str]:
        """Each with the time for which it has been so; what nobody watched for long enough is said as that.

        When it was last what it is not now, nobody knows.
        """
        parts, unknown = [], []
        for item in facts:
            held = item.observation.held
            if held is None or (not held.exact and held.seconds < _MINUTE_S):
                unknown.append(item)
                continue
            # "2 hours and 5 minutes", not more exactly: who asks does not want the seconds.
            seconds = round(held.seconds / _MINUTE_S) * _MINUTE_S if held.seconds >= _MINUTE_S else held.seconds
            said = length(max(1.0, seconds), self._replies, self._lang)
            parts.append(self._fact("answer.held" if held.exact else "answer.held.at_least", [item], length=said))
        if unknown:
            parts += self._values(unknown)
        if any(item.holds is False for item in facts):
            parts.append(
                self._replies.say("answer.last_unknown", self._lang, value=self._replies.value(wished, self._lang))
            )
        elif unknown:
            parts.append(self._say("answer.since_unknown", ()))
        return parts

    def _only_stale(self, answer: Answer) -> str:
        known = [item for item in answer.facts if item.observation.source == "stale"]
        if away := [item for item in answer.facts if item.observation.away]:
            dated = [item for item in away if math.isfinite(item.observation.age_s)]
            told = [self._fact("answer.stale", dated[:1], age=self._age(dated[0].observation.age_s))] if dated else []
            return self._replies.sentences([self._say("offline", [item.entity for item in away]), *told], self._lang)
        if not known:
            return self._say("answer.unknown", [item.entity for item in answer.facts])
        age = known[0].observation.age_s
        key = "answer.stale" if math.isfinite(age) else "answer.stale.undated"
        return self._fact(key, known[:1], age=self._age(age))

    def _fact(self, key: str, facts: Sequence[Fact], **values: str) -> str:
        return self._say(key, [item.entity for item in facts], value=self._value(facts[0]), **values)

    def _measured(self, key: str, fact: Fact) -> str:
        name, about = self._name(fact.entity), fact.attribute
        attribute = name if about == "value" else self._replies.attribute(about, self._lang)
        return self._replies.say(key, self._lang, name=name, names=name, attribute=attribute, value=self._value(fact))

    def _say(self, key: str, entities: Sequence[str], **values: str) -> str:
        return self._replies.say(key, self._lang, n=len(entities), names=self._names(entities), **values)

    def _said_of(self, key: str, answer: Answer, **values: str) -> str:
        """Who it is, told apart from all that were asked about."""
        names = self._names(answer.matching, (item.entity for item in answer.facts))
        return self._replies.say(key, self._lang, n=len(answer.matching), names=names, **values)

    def _names(self, entities: Sequence[str], asked: Iterable[str] = ()) -> str:
        told = named(entities, self._registry, self._replies, self._lang, asked)
        return self._replies.names(told, self._lang, most=_LIST)

    def _name(self, entity: str) -> str:
        return self._registry[entity].name(self._lang)

    def _value(self, fact: Fact) -> str:
        value = fact.observation.value
        if fact.attribute == "color" and isinstance(value, str):
            value = called(value) or value
        return self._replies.value(value, self._lang, attribute=fact.attribute, unit=fact.unit)

    def _age(self, seconds: float) -> str:
        for size, unit in ((_DAY_S, "d"), (_HOUR_S, "h"), (_MINUTE_S, "min")):
            if math.isfinite(seconds) and seconds >= size:
                return self._replies.value(round(seconds / size), self._lang, unit=unit)
        return self._replies.value(round(seconds) if math.isfinite(seconds) else 0, self._lang, unit="s")


def _is_word(fact: Fact) -> bool:
    value = fact.observation.value
    return isinstance(value, bool | str) and not settings.is_setting(fact.attribute)

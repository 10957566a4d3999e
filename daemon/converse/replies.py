"""The reply tables: every sentence that a person hears or reads, by language and key; and what can be asked about.

Whatever fills a place, a sentence stays one: an empty place takes the word of `blanks`, or the sentence
its form `none`; what begins a sentence begins with a capital letter, and no sentence ends twice.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from msgspec import Struct

from daemon.core.errors import ConfigError
from daemon.home import settings
from daemon.system.languages import optional, required
from daemon.system.nodes import read_yaml

_FEW_DIGITS = 10
"""A number below it is said to a hundredth: a power factor of 0.95."""
_PLACE = re.compile(r"{(\w+)}")
_ENDS = ".!?…。！？"
"""What ends a sentence, in any language."""


class Table(Struct, frozen=True, forbid_unknown_fields=True):
    """The reply table of one language."""

    sentences: dict[str, str | dict[str, str]]
    """A text, or its forms: `one`, `many` (else as one), `none` for where a place of it is empty, and `same` for where
    the name of the one thing ends with the word for what is told of it: "Study temperature is 21 °C"."""
    blanks: dict[str, str]
    """What is said in a place that nothing fills, `other` for all that are not listed; empty where nothing need be."""
    lists: dict[str, str]
    attributes: dict[str, str]
    values: dict[str, str]
    sensor_values: dict[str, str]
    units: dict[str, str]
    kinds: dict[str, str]
    counted: dict[str, str]
    """The word for several of a kind; "device" is among them."""
    measures: dict[str, str]
    """What stands between a number and the word for a kind, where a language has that; "device" for all others."""
    options: dict[str, str]
    hours: dict[str, str]
    """"1" to "12" -> the word for that hour."""
    dayparts: dict[str, str]
    """The hour from which on, "0" to "23" -> what the time is called after or before: "in the evening"."""
    plurals: dict[str, str]
    """The words at the end of the name of one thing that is spoken of as of several: "Bedroom blinds"."""


class Replies:
    """All reply tables. Stateless after loading."""

    def __init__(
        self,
        tables: Mapping[str, Table],
        topics: Mapping[str, Sequence[Topic]] | None = None,
        labels: Callable[[str, str], str | None] = lambda _name, _lang: None,
    ) -> None:
        self._tables = dict(tables)
        self._topics = topics or {}
        self._labels = labels

    @classmethod
    def load(cls, rules: Path) -> Replies:
        """The tables of a folder of rules.

        Raises:
            ConfigError: a language has none, a section is missing, or a table lacks a key that another one has.
        """
        files = required(rules, "replies.yaml")
        tables = {lang: read_yaml(file).into(Table) for lang, file in files.items()}
        everything = {key for table in tables.values() for key in table.sentences}
        for lang, table in tables.items():
            if absent := sorted(everything - set(table.sentences)):
                raise ConfigError(files[lang], None, f"sentences.{absent[0]}", "is missing", "add the sentence")
        return cls(tables, load_topics(rules))

    def labelled(self, labels: Callable[[str, str], str | None]) -> Replies:
        """The same where settings that nobody has a word for, by name and language, are called as these say."""
        return Replies(self._tables, self._topics, labels)

    @property
    def languages(self) -> tuple[str, ...]:
        """The languages there is a table for."""
        return tuple(self._tables)

    def topics(self, lang: str) -> Sequence[Topic]:
        """What can be asked about in this language."""
        return self._topics.get(lang, ())

    def has(self, key: str, lang: str) -> bool:
        """Whether there is such a sentence."""
        return key in self._tables[lang].sentences

    def forms(self, lang: str) -> Mapping[str, str | Mapping[str, str]]:
        """All sentences of a language, by key."""
        return self._tables[lang].sentences

    def first(self, lang: str, *keys: str) -> str:
        """The first of these keys that has a sentence; else the last one."""
        return next((key for key in keys if self.has(key, lang)), keys[-1])

    def say(self, key: str, lang: str, *, n: int = 1, **values: object) -> str:
        """The sentence with its places filled; `n` picks between its forms (`Table.sentences`).

        One thing whose name (`names`) is a plural, as "Bedroom blinds", is spoken of as of several.
        """
        table = self._tables[lang]
        form = table.sentences[key]
        if isinstance(form, str):
            text = form
        else:
            several = n != 1 or self._plural(str(values.get("names", "")), lang)
            text = form.get("many" if several else "one", form["one"])
        filled = {"n": str(n), **{name: str(value).strip() for name, value in values.items() if value is not None}}
        empty = [place for place in _PLACE.findall(text) if not filled.get(place)]
        if not isinstance(form, str):
            text = form.get("none" if empty else "same" if n == 1 and _says_itself(filled) else "", text)
        return _fill(text, {**filled, **{place: table.blanks.get(place, table.blanks["other"]) for place in empty}})

    def _plural(self, name: str, lang: str) -> bool:
        return name.rpartition(" ")[2].casefold() in self._tables[lang].plurals

    def names(self, items: Sequence[str], lang: str, *, most: int = 4) -> str:
        """A spoken list of names; beyond `most` the first three, and how many more."""
        unique = list(dict.fromkeys(items))
        lists = self._tables[lang].lists
        if len(unique) > most:
            shown = lists["separator"].join(unique[:3])
            return _fill(lists["more"], {"items": shown, "n": len(unique) - 3})
        return self.joined(unique, lang, "last")

    def acts(self, items: Sequence[str], lang: str) -> str:
        """A spoken list of things to do."""
        lists = self._tables[lang].lists
        unique = list(dict.fromkeys(items))
        return lists["act"].join(unique[:-1]) + lists["last_act"] + unique[-1] if unique[1:] else "".join(unique)

    def apart(self, items: Sequence[str], lang: str) -> list[str]:
        """Alternatives told apart: those that sound the same by a number."""
        nth = self._tables[lang].lists["nth"]
        alike = [items[: at + 1].count(item) if items.count(item) > 1 else 0 for at, item in enumerate(items)]
        pairs = zip(items, alike, strict=True)
        return [_fill(nth, {"option": item, "n": number}) if number else item for item, number in pairs]

    def sentences(self, parts: Iterable[str], lang: str) -> str:
        """Several sentences as one reply, each of which begins with a capital letter."""
        return self._tables[lang].lists["sentence"].join(dict.fromkeys(_upper(part) for part in parts if part))

    def attribute(self, name: str, lang: str) -> str:
        """The word for an attribute."""
        told = self._tables[lang].attributes.get(name) or settings.said(name, lang) or self._labels(name, lang)
        return told or settings.spaced(name)

    def kind(self, name: str | None, lang: str) -> str:
        """The word for a kind of thing."""
        table = self._tables[lang].kinds
        return table.get(name or "device", table["device"])

    def counted(self, lang: str) -> Mapping[str, str]:
        """The words for several of a kind, by kind; "device" among them."""
        return self._tables[lang].counted

    def measure(self, kind: str, lang: str) -> str:
        """What stands between a number and the word for a kind."""
        table = self._tables[lang].measures
        return table.get(kind, table.get("device", ""))

    def hour(self, hour: int, lang: str) -> str:
        """The word for an hour of the day, on a clock of twelve."""
        return self._tables[lang].hours[str((hour - 1) % 12 + 1)]

    def daypart(self, hour: int, lang: str) -> str:
        """What the part of the day is called that an hour (0 to 23) is in."""
        parts = self._tables[lang].dayparts
        return parts[str(max(int(start) for start in parts if int(start) <= hour))]

    def list_name(self, name: str, lang: str) -> str:
        """What a list is called: the usual ones by a word of the language, any other by its own name."""
        return self.say(self.first(lang, f"list.name.{name}", "list.name"), lang, name=name)

    def topic(self, name: str, lang: str) -> str:
        """The word for what a preference is about: a kind or an attribute by its own name, else the word itself."""
        table = self._tables[lang]
        return table.kinds.get(name) or table.attributes.get(name) or name

    def option(self, key: str, lang: str, **values: object) -> str:
        """One option of a question."""
        return _fill(self._tables[lang].options[key], values)

    def value(self, value: object, lang: str, *, attribute: str = "state", unit: str | None = None) -> str:
        """A value as it is said: a word from the tables, or a number with its unit."""
        table = self._tables[lang]
        if value is None:
            return ""
        if isinstance(value, bool):
            value = str(value).lower()
        if isinstance(value, int | float):
            digits = 1 if abs(value) >= _FEW_DIGITS else 2
            shown = f"{value:.{digits}f}".rstrip("0").rstrip(".") if value == value else "?"  # noqa: PLR0124 - not a number
            return shown if unit is None else _fill(table.units.get(unit, "{value} " + unit), {"value": shown})
        word = str(value)
        told = table.sensor_values.get(f"{attribute}.{word}") or table.values.get(word)
        return told or settings.said_option(word, lang) or word.replace("_", " ")

    def joined(self, items: Sequence[str], lang: str, last: str) -> str:
        """Items as one; `last` says how the last is joined to the others: "or", "one_of", "either", "both", "length".

        Of "facts" about one thing all are joined alike.
        """
        lists, unique = self._tables[lang].lists, list(dict.fromkeys(items))
        if last == "facts" or len(unique) < 2:  # noqa: PLR2004 - a list of one needs no "and"
            return lists["facts"].join(items)
        return lists["separator"].join(unique[:-1]) + lists[last] + unique[-1]


def _says_itself(filled: Mapping[str, str]) -> bool:
    """Whether a name ends with the word for what is told of it: "Study temperature", 大门锁电量."""
    name, attribute = filled.get("name") or filled.get("names", ""), filled.get("attribute", "")
    return attribute != "" and name.casefold().endswith(attribute.casefold())


def _fill(text: str, values: Mapping[str, object]) -> str:
    """Not `str.format`: the values are names and payloads, and must not be read as templates."""

    def filled(place: re.Match[str]) -> str:
        value = str(values.get(place[1], "")).replace("{", "(").replace("}", ")")
        if place.end() < len(text):
            value = value.rstrip(_ENDS) or value
        begins = text[: place.start()].rstrip().endswith(tuple(_ENDS))
        return _upper(value) if begins else value

    return _PLACE.sub(filled, text)


def _upper(text: str) -> str:
    """With a capital letter, unless the first word is written in its own way ("iPad")."""
    return text[:1].upper() + text[1:] if text.partition(" ")[0].islower() else text


class Example(Struct, frozen=True, forbid_unknown_fields=True):
    """Something that can be said where the home has what it needs."""

    text: str
    needs: str | None = None
    """A capability or an attribute that can be read, `scene`, `area`; None: nothing."""
    kinds: tuple[str, ...] = ()


class Topic(Struct, frozen=True, forbid_unknown_fields=True):
    """What can be asked about."""

    about: str
    """Words with commas."""
    say: tuple[Example, ...] = ()
    kinds: tuple[str, ...] = ()
    overview: bool = False

    @property
    def words(self) -> tuple[str, ...]:
        """The words of a question that lead here."""
        return tuple(word.strip() for word in self.about.split(","))


def load_topics(rules: Path) -> dict[str, tuple[Topic, ...]]:
    """The corpus of each language that has one; without one there is nothing to ask about.

    Raises:
        ConfigError: a corpus says what none does.
    """
    files = optional(rules, "help.yaml")
    return {lang: tuple(read_yaml(file).into(dict[str, Topic]).values()) for lang, file in files.items()}

"""What a device lets one set beyond the built-in capabilities, by its own name: a sensitivity, a child lock.

A setting's capability has the device's own name for its attribute. What is said of it is its *concept*: a word of the
tables of common settings (`settings` in `rules/<lang>/names.yaml`), or else that name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Final

from daemon.core.entities import Capability, Entity
from daemon.core.vocabulary import ATTRIBUTES
from daemon.home.names import has_han
from daemon.system.languages import naming, written_in_han

NAME: Final = "setting"
ALSO: Final[Mapping[str, str]] = {"intensity": "brightness", "suction": "speed", "strength": "speed"}
"""Concept -> the built-in attribute that the same word means of a device without such a setting."""
MAIN: Final = ("intensity",)
"""Concepts that are changed where nobody says what of a device is: "turn the diffuser up"."""
NUMERIC: Final = re.compile(r"[\d .]+")
_ON_OFF: Final[Mapping[str, str]] = {"true": "on", "false": "off", "enable": "on", "disable": "off"}
_RANKED: Final = ("quiet", "low", "standard", "medium", "high", "strong", "turbo")
"""Options that are levels, the lowest first."""
_ENDS: Final[Mapping[str, float]] = {"min": -math.inf, "max": math.inf}
"""Options that are below, and above, all levels and all numbers."""
_FINE: Final = 20
"""Steps; what has more of them is not changed by one."""
_TENTH: Final = 10
_MOST_OPTIONS: Final = 64
_LONGEST: Final = 60


def setting(
    name: str,
    options: Sequence[object] = (),
    low: float | None = None,
    high: float | None = None,
    step: float | None = None,
    unit: str | None = None,
    label: str | None = None,
) -> Capability | None:
    """The capability of setting this, by words or by numbers; None where nobody could say it, or what it takes.

    `step` is what "a bit" changes, `label` what its maker calls it, where that is more than its name.
    """
    if not 0 < len(name) <= _LONGEST or not spaced(name):
        return None
    words = tuple(dict.fromkeys(option_word(item) for item in options))
    if words and len(words) <= _MOST_OPTIONS:
        return Capability(NAME, name, options=words, label=label)
    if low is None or high is None or low >= high:
        return None
    unit = _units().get(unit.strip().casefold(), unit) if unit else None
    return Capability(NAME, name, minimum=low, maximum=high, step=step, unit=unit, label=label)


def option_word(item: object) -> str:
    """A word that a device takes, as it is here."""
    word = str(item).strip().casefold()
    return _ON_OFF.get(word, word)


def spaced(name: str) -> str:
    """A name as it is said: "child_lock", "childLock" and "Child-Lock" are "child lock"."""
    apart = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name)
    return " ".join(re.sub(r"[\W_]+", " ", apart).casefold().split())


def concept(name: str) -> str:
    """What a setting of this name is: a word of the tables, or the name itself with underscores."""
    plain = spaced(name)
    return _concepts().get(plain) or _concepts().get(_run_on(plain)) or plain.replace(" ", "_")


def known(name: str) -> bool:
    """Whether it is a word for a common setting, in any language."""
    return spaced(name) in _concepts()


def spoken(capability: Capability) -> Iterator[tuple[str, str]]:
    """What a setting may be called, in any language, each with its concept."""
    own = concept(capability.attribute)
    names = [spaced(capability.attribute), *([spaced(capability.label)] if capability.label else ())]
    yield from ((name, own) for name in names)
    for one in dict.fromkeys(filter(None, (own, _tail(own)))):
        yield from ((word, one) for told in naming().values() for word in told.settings.get(one, ()))


def said(name: str, lang: str) -> str | None:
    """The word for a common setting in a language; None where there is none."""
    words = naming()[lang].settings.get(concept(name), ()) if name not in ATTRIBUTES and lang in naming() else ()
    return words[0] if words else None


def said_option(word: str, lang: str) -> str | None:
    """The word in a language for what is usual for many settings; None where it is nothing usual."""
    words = naming()[lang].options.get(word, ()) if lang in naming() else ()
    return words[0] if words else None


def labels(entities: Iterable[Entity]) -> Mapping[tuple[str, str], str]:
    """What makers call the settings of these devices, by their own name and the language that it is written in."""
    able = (item for entity in entities for item in entity.capabilities if item.name == NAME and item.label is not None)
    langs = {True: written_in_han(), False: tuple(lang for lang in naming() if lang not in written_in_han())}
    return {
        (item.attribute, lang): spaced(item.label) for item in able if item.label for lang in langs[has_han(item.label)]
    }


def is_setting(attribute: str) -> bool:
    """Whether an attribute is none of the built-in ones."""
    return attribute not in ATTRIBUTES


def found(entity: Entity, attribute: str) -> Capability | None:
    """The setting of a device that is so called; where none is just so, the only one that ends so.

    "Sensitivity" is a motion sensitivity where there is no other.
    """
    settings = [item for item in entity.capabilities if item.name == NAME]
    if not settings:
        return None
    asked = concept(attribute)
    just_so = [item for item in settings if item.attribute == attribute]
    if same := just_so or [item for item in settings if concept(item.attribute) == asked]:
        return same[0]
    labelled = [item for item in settings if item.label is not None and concept(item.label) == asked]
    tailed = labelled or [item for item in settings if asked in _tails(item.attribute)]
    return tailed[0] if len(tailed) == 1 else None


def main(entity: Entity) -> Capability | None:
    """The setting that is changed where nobody says what of a device is."""
    return next((item for name in MAIN if (item := found(entity, name)) is not None), None)


def with_option(entity: Entity, word: str) -> Capability | None:
    """The only setting of a device that takes this word; none of those that are on or off."""
    able = [item for item in entity.capabilities if item.name == NAME and not is_switch(item)]
    fitting = [item for item in able if option(word, item.options) is not None]
    return fitting[0] if len(fitting) == 1 else None


def is_switch(capability: Capability) -> bool:
    """Whether it is on or off."""
    return {"on", "off"}.issuperset(map(_option, capability.options)) and bool(capability.options)


def step(capability: Capability) -> float:
    """What "a bit" changes, in its own unit: of what has many steps, about a tenth of all."""
    one = capability.step or 1.0
    if capability.minimum is None or capability.maximum is None:
        return one
    span = capability.maximum - capability.minimum
    return max(1.0, round(span / _TENTH / one)) * one if span / one > _FINE else one


def part(capability: Capability, share: float) -> float | None:
    """What a share of its range comes to, in its own steps; None where it has none."""
    if capability.minimum is None or capability.maximum is None:
        return None
    one = capability.step or 1.0
    return capability.minimum + round((capability.maximum - capability.minimum) * share / one) * one


def levels(capability: Capability) -> tuple[str, ...]:
    """Its options, lowest first; none where they are no levels."""
    ranks = [_rank(item) for item in capability.options]
    known_ = {rank: item for rank, item in zip(ranks, capability.options, strict=True) if rank is not None}
    return tuple(known_[rank] for rank in sorted(known_)) if len(known_) == len(capability.options) > 1 else ()


def _rank(item: str) -> float | None:
    if (word := _option(item)) in _ENDS:
        return _ENDS[word]
    if word in _RANKED:
        return _RANKED.index(word)
    return float(item) if re.fullmatch(r"\d{1,9}(\.\d{1,9})?", item) else None


def is_usual(word: str) -> bool:
    """Whether it is a word for what many settings can be set to, in any language."""
    return spaced(word) in _options()


def option(word: str, options: Sequence[str]) -> str | None:
    """The option that this word means, in whatever language both are, or the only one with these words in its name."""
    meant, said = _option(word), spaced(word)
    within = [item for item in options if said and f" {said} " in f" {spaced(item)} "]
    exact = (item for item in options if _option(item) == meant)
    return next(exact, within[0] if len(within) == 1 and not said.isdigit() else None)


def _option(word: str) -> str:
    plain = spaced(word) or word.strip().casefold()
    return _options().get(plain) or _run_on(plain)


def _run_on(plain: str) -> str:
    return plain.replace(" ", "")


def _tails(name: str) -> tuple[str | None, str]:
    """The common setting that a name ends in, and its last word: a temperature, of a wash temperature."""
    return _tail(concept(name)), spaced(name).rpartition(" ")[2]


def _tail(concept_: str) -> str | None:
    """The common setting that a longer name ends in: a timeout of an occupancy timeout."""
    _, _, last = concept_.rpartition("_")
    found_ = _concepts().get(last)
    return found_ if found_ is not None and found_ != concept_ else None


@cache
def _concepts() -> Mapping[str, str]:
    """Each word for a common setting, and its concept."""
    tables = [told.settings for told in naming().values()]
    named = {spaced(one): one for table in tables for one in table}
    return {spaced(word): one for table in tables for one, words in table.items() for word in words} | named


@cache
def _units() -> Mapping[str, str]:
    """Units as devices write them, in any language, and ours."""
    tables = [told.units for told in naming().values()]
    return {word: unit for table in tables for unit, words in table.items() for word in words}


@cache
def _options() -> Mapping[str, str]:
    """Each word for a usual option, and what it is in the main language."""
    tables = [told.options for told in naming().values()]
    return {spaced(word): one for table in tables for one, words in table.items() for word in (one, *words)}

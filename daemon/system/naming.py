"""How things are spoken of in each language, apart from their names: `rules/<lang>/names.yaml`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import Literal

from msgspec import Struct

from daemon.system.config import Paths
from daemon.system.languages import languages, optional
from daemon.system.nodes import read_yaml

Mark = Literal["garage", "thermostat", "within", "risky"]
"""What a name tells beside its type: the garage's, a thermostat, within the device, a button that needs a yes."""


class Found(Struct, frozen=True, forbid_unknown_fields=True):
    """What devices tell of themselves: patterns over names and descriptions in small letters.

    Raises:
        ValueError: one is no pattern.
    """

    types: dict[str, str] = {}
    marks: dict[Mark, str] = {}
    plain: tuple[str, ...] = ()
    """Words of a part's name that tell only what sort of thing it is."""

    def __post_init__(self) -> None:
        for pattern in (*self.types.values(), *self.marks.values()):
            try:
                re.compile(pattern)
            except re.error as error:
                raise ValueError(f"{pattern!r} is no pattern: {error}") from None


class Naming(Struct, frozen=True, forbid_unknown_fields=True):
    """What stands around names in one language, and how it is written."""

    script: Literal["latin", "han"] = "latin"
    switches: tuple[str, ...] = ()
    """Those of `open` and `close` whose verb is also said of what is switched."""
    numberless: bool = False
    """Its nouns leave open how many are meant: 射灯."""
    plurals: dict[str, str] = {}
    """The ending of a word for several things -> that for one; the first that fits."""
    mine: tuple[str, ...] = ()
    """Said before what is the speaker's own."""
    of: tuple[str, ...] = ()
    """Said between an owner and what is his."""
    spared: tuple[str, ...] = ()
    """Said of what is not meant."""
    shortened: dict[str, tuple[str, ...]] = {}
    """Verbs that an apostrophe and an s stand for -> the words that follow them then, and no name."""
    testing: tuple[str, ...] = ()
    """Words behind which such a verb is said of something: "if the lamp's on"."""
    telling: tuple[str, ...] = ()
    """Words before which it is one wherever they stand: "the blind's still up"."""
    pronouns: tuple[str, ...] = ()
    """Words that the grammar knows with their verb: "it's still on"."""
    settings: dict[str, tuple[str, ...]] = {}
    """What devices let one set beyond what all of their kind do -> the words for it, that to say first."""
    options: dict[str, tuple[str, ...]] = {}
    """What such a setting is usually set to -> the words for it."""
    units: dict[str, tuple[str, ...]] = {}
    """Our units -> how devices of these speakers write them."""
    presses: dict[str, tuple[str, ...]] = {}
    """How a button is pressed, a cube moved -> how makers write that."""
    buttons: dict[str, tuple[str, ...]] = {}
    """Which button of several, or which way -> the words for it, that to say first; `any`: words that tell nothing."""
    found: Found = Found()


@cache
def naming() -> Mapping[str, Naming]:
    """By language of this installation, the main one first.

    Raises:
        ConfigError: a file says what none does.
    """
    rules = Paths.of().rules
    files = optional(rules, "names.yaml")
    return {lang: read_yaml(files[lang]).into(Naming) if lang in files else Naming() for lang in languages(rules)}


_PLAIN = Naming()


def told(lang: str) -> Naming:
    """Of one language; what holds of most where nothing is told of it."""
    return naming().get(lang, _PLAIN)


def singular(word: str) -> str:
    """A Latin word (lower case) without the ending of several things, in any language; itself where it has none."""
    for ending, rest in _endings():
        if word.endswith(ending):
            return word.removesuffix(ending) + rest
    return word


def plurals(word: str) -> Iterator[str]:
    """What several of it may be called, in any language: all whose `singular` it is."""
    for ending, rest in _endings():
        several = word.removesuffix(rest) + ending
        if word.endswith(rest) and singular(several) == word:
            yield several


@cache
def owning() -> tuple[str, ...]:
    """What a Latin name may end in where something is said to be its own: "the living rooms light"."""
    return tuple(word for one in naming().values() if one.script == "latin" for word in one.of)


@cache
def shortened() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Where an apostrophe and an s stand for a verb, and that verb: "if the garage door's still open"."""
    return tuple((_short(before), f" {verb}") for one in naming().values() for verb, before in one.shortened.items())


@cache
def telling() -> tuple[tuple[re.Pattern[str], str], ...]:
    """The same for where nothing is said to depend on it: "Sam's gone and left the lamp on"."""
    return tuple(
        (_short(set(before).intersection(one.telling), one.pronouns), f" {verb}")
        for one in naming().values()
        for verb, before in one.shortened.items()
    )


def _short(before: Iterable[str], but: Iterable[str] = ()) -> re.Pattern[str]:
    """Finds the apostrophe and the s before some words, and behind none of the others."""
    behind = "".join(rf"(?<!\b{re.escape(word)})" for word in but)
    words = "|".join(map(re.escape, before)) or "(?!)"
    return re.compile(rf"(?<=[a-z]){behind}['’]s(?= (?:{words})\b)")


@cache
def testing() -> re.Pattern[str]:
    """Finds where in a text something is said to depend on what follows."""
    words = [re.escape(word) for one in naming().values() for word in one.testing]
    return re.compile(rf"\b(?:{'|'.join(words)})\b" if words else "(?!)")


@cache
def _endings() -> tuple[tuple[str, str], ...]:
    return tuple(item for one in naming().values() for item in one.plurals.items())


@cache
def written_in_han() -> tuple[str, ...]:
    """The languages that are written in Chinese characters."""
    return tuple(lang for lang, told in naming().items() if told.script == "han")

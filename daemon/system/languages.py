"""What is known of each language beside its grammar: its folder, its engines, its script, how things are spoken of.

The latter apart from their names: `rules/<lang>/names.yaml`. ٣, ३, ➂, ❸, ❿ are 3, 3, 3, 3 and 10 to whoever reads them;
zh and z are one to many speakers.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from functools import cache, lru_cache
from pathlib import Path
from typing import Final, Literal, get_args

from msgspec import Struct

from daemon.core.errors import ConfigError
from daemon.system.config import Paths
from daemon.system.nodes import read_yaml

MAIN: Final = "en"
"""The first of them where nothing else tells which one is meant."""
_NAME: Final = re.compile("[a-z]{2,3}")


def languages(rules: Path) -> tuple[str, ...]:
    """The languages of a folder of rules, the main one first."""
    if not rules.is_dir():
        return ()
    found = (folder.name for folder in rules.iterdir() if _NAME.fullmatch(folder.name) and folder.is_dir())
    return tuple(sorted(found, key=lambda lang: (lang != MAIN, lang)))


def required(rules: Path, name: str) -> dict[str, Path]:
    """A file that every language has, by language.

    Raises:
        ConfigError: there is no language, or one of them lacks the file.
    """
    files = {lang: rules / lang / name for lang in languages(rules)}
    if not files:
        raise ConfigError(rules, None, "", "has no language", f"there should be a folder {MAIN} in it")
    for lang, file in files.items():
        if not file.is_file():
            raise ConfigError(file, None, "", "is missing", f"each language has one: write it, or remove {lang}/")
    return files


def optional(rules: Path, name: str) -> dict[str, Path]:
    """A file that a language may have, by language."""
    files = {lang: rules / lang / name for lang in languages(rules)}
    return {lang: file for lang, file in files.items() if file.is_file()}


LANGS: Final = languages(Paths.of().rules)
"""The languages of this installation."""


Sounds = Literal["words", "syllables"]


class Engines(Struct, frozen=True, forbid_unknown_fields=True):
    """What each engine has to know of one language; None: it does not know the language."""

    whisper: str | None = None
    """What stands before the home's names in its prompt."""
    simplified: bool = False
    """Whether what was heard is written in simplified characters."""
    sphinx: Sounds | None = None
    """What its sentences are made of: words of the dictionary in its wheel, or syllables of an installed model."""
    espeak: str | None = None
    """The name of espeak-ng's voice."""


def engines(rules: Path | None = None) -> Mapping[str, Engines]:
    """The engines of every language of a folder of rules; without one, of this installation's.

    Raises:
        ConfigError: a file says what none does.
    """
    return _read(rules or Paths.of().rules)


@lru_cache(maxsize=8)
def _read(rules: Path) -> Mapping[str, Engines]:
    known = f"write whisper, simplified, sphinx ({' or '.join(get_args(Sounds))}) and espeak"
    files = optional(rules, "speech.yaml")
    return {
        lang: read_yaml(files[lang]).into(Engines, known) if lang in files else Engines() for lang in languages(rules)
    }


_NUMERAL = "No"
"""The category of ❿ and ⓫, which stand for a number; that of 五 is a letter's."""


def in_digits(text: str) -> str:
    """The text with every such numeral in 0 to 9; what is no whole number (½), or a word (五), stays as it is."""
    return text if text.isascii() else "".join(map(_plain, text))


def _plain(character: str) -> str:
    if "0" <= character <= "9" or not character.isnumeric():
        return character
    digit = unicodedata.digit(character, None)
    if digit is not None:
        return str(digit)
    value = unicodedata.numeric(character)
    whole = unicodedata.category(character) == _NUMERAL and value >= 0 and value.is_integer()
    return f"{value:.0f}" if whole else character


_INITIALS: Final = (("zh", "z"), ("ch", "c"), ("sh", "s"))
_FINALS: Final = (("ang", "an"), ("eng", "en"), ("ing", "in"))


def syllables(text: str, *, every: bool = False) -> list[list[str]]:
    """The readings of each character as it stands there; with `every`, all that it has, the most usual first."""
    from pypinyin import Style, pinyin  # 55 MiB: not for a home in which nobody speaks Chinese

    found = pinyin(text, style=Style.NORMAL, heteronym=every)
    return [[reading.replace("ü", "v") for reading in readings] for readings in found]


def folded(syllable: str) -> str:
    """A syllable less what many speakers do not tell apart: zh and z, -ng and -n."""
    for written, plain in _INITIALS:
        if syllable.startswith(written):
            syllable = plain + syllable.removeprefix(written)
    for written, plain in _FINALS:
        if syllable.endswith(written):
            syllable = syllable.removesuffix(written) + plain
    return syllable


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
    its: tuple[str, ...] = ()
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

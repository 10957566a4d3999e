"""The languages there are: the folders of `rules/`, and the engines that hear and speak each."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
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

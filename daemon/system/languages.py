"""The languages there are: the folders of `rules/`, and the engines that hear and speak each."""

from __future__ import annotations

import re
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

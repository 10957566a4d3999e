"""The languages there are: the folders of `rules/`, each with what belongs to one language."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from daemon.core.errors import ConfigError
from daemon.system.config import Paths

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

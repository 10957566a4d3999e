"""Phrase banks: what one kind of speaker says for each meaning (README.md beside this file)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final, cast

from daemon.compiler.meanings import Meanings
from daemon.errors import ConfigError
from daemon.ir import KINDS, LANGS, Lang
from daemon.understand.rulefile import line_of, mapping, read

SLOT: Final = re.compile(r"\{(\w+)(?:=([^{}]*))?\}")
_SLOTS: Final = frozenset(
    {"target", "room", "room2", "n", "color", "mode", "source", "title", "duration", "time", "name", "word"}
    | {"cmd", "cmd2", "set", "but"}
    | KINDS
)


@dataclass(frozen=True, slots=True)
class Bank:
    """The phrases of one kind of speaker, by meaning."""

    name: str
    lang: Lang
    phrases: Mapping[str, tuple[str, ...]]

    @property
    def size(self) -> int:
        """How many phrases."""
        return sum(map(len, self.phrases.values()))


def load(file: Path, meanings: Meanings) -> Bank:
    """The bank of a file.

    Raises:
        ConfigError: it is no bank; says the line.
    """
    data = mapping(read(file), file, "")
    lang = data.get("lang")
    if lang not in LANGS:
        raise ConfigError(file, line_of(file, "lang"), "lang", f"{lang!r} is no language", f"known: {', '.join(LANGS)}")
    phrases: dict[str, tuple[str, ...]] = {}
    for meaning, said in mapping(data.get("phrases"), file, "phrases").items():
        if meaning not in meanings.all:
            raise ConfigError(file, line_of(file, meaning), meaning, "is no meaning", "see rules/meanings.yaml")
        phrases[meaning] = tuple(dict.fromkeys(_checked(file, meaning, said or [])))
    return Bank(file.stem, cast("Lang", lang), phrases)


def load_all(folder: Path, meanings: Meanings) -> list[Bank]:
    """The banks of all languages under a folder, in the order of their names."""
    return [load(file, meanings) for file in sorted(folder.glob("*/*.yaml"))]


def _checked(file: Path, meaning: str, said: list[object]) -> Iterator[str]:
    for phrase in said:
        if not isinstance(phrase, str):
            raise ConfigError(file, line_of(file, meaning), meaning, f"{phrase!r} is no text", "quote it")
        for slot in SLOT.finditer(phrase):
            if slot[1] not in _SLOTS:
                raise ConfigError(file, line_of(file, meaning), meaning, f"{slot[0]} is no slot", "see README.md")
        if "{" in SLOT.sub("", phrase):
            raise ConfigError(file, line_of(file, meaning), meaning, f"{phrase!r} has a stray brace", "close it")
        yield phrase

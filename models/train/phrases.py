"""Phrase banks: what one kind of speaker says for each meaning (README.md beside this file)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from daemon.compiler.meanings import NOTHING, UNSURE, Meanings
from daemon.core.errors import ConfigError
from daemon.core.ir import KINDS, Lang
from daemon.core.values import replace
from daemon.system.languages import LANGS
from daemon.system.nodes import Value, read_yaml

SLOT: Final = re.compile(r"\{(\w+)(?:=([^{}]*))?\}")
_MARKS: Final = re.compile(r"[^\w{}]+")
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
    root = read_yaml(file)
    data = root.mapping()
    for key in ("lang", "phrases"):
        if key not in data:
            raise ConfigError(file, root.line, key, "is missing", "a bank has `lang` and `phrases`")
    lang = data["lang"].word(LANGS, "language")
    phrases: dict[str, tuple[str, ...]] = {}
    for meaning, said in data["phrases"].mapping().items():
        if meaning not in meanings.all:
            said.fail("is no meaning", "see rules/meanings.yaml")
        phrases[meaning] = tuple(dict.fromkeys(_checked(said)))
    return Bank(file.stem, lang, phrases)


def load_all(folder: Path, meanings: Meanings) -> list[Bank]:
    """The banks of all languages under a folder, in the order of their names."""
    return [load(file, meanings) for file in sorted(folder.glob("*/*.yaml"))]


def merged(banks: Sequence[Bank], meanings: Meanings) -> list[Bank]:
    """The banks, each phrase of a meaning in the first that has it only.

    What is written out in full and stands under several meanings belongs to that which most banks give it; where as
    many give it another, nobody can tell, and it is left out. Whether a verdict comes as chat or as a near miss makes
    no difference. A phrase with slots may have several meanings: what fills them decides.
    """
    votes: dict[tuple[Lang, str], Counter[str]] = {}
    for bank in banks:
        for meaning, said in bank.phrases.items():
            for phrase in said:
                votes.setdefault((bank.lang, _plain(phrase)), Counter())[_label(meaning, meanings)] += 1
    seen: set[tuple[Lang, str, str]] = set()
    out = []
    for bank in banks:
        kept: dict[str, tuple[str, ...]] = {}
        for meaning, said in bank.phrases.items():
            mine = []
            for phrase in said:
                plain, label = _plain(phrase), _label(meaning, meanings)
                first, *others = votes[bank.lang, plain].most_common(2)
                agreed = "{" in plain or (first[0] == label and all(first[1] > count for _, count in others))
                if agreed and (bank.lang, label, plain) not in seen:
                    seen.add((bank.lang, label, plain))
                    mine.append(phrase)
            kept[meaning] = tuple(mine)
        out.append(replace(bank, phrases=kept))
    return out


def _plain(phrase: str) -> str:
    """A phrase as it is compared: kinds that are written out are words like others."""
    return " ".join(_MARKS.sub(" ", SLOT.sub(lambda match: match[2] or match[0], phrase).lower()).split())


def _label(meaning: str, meanings: Meanings) -> str:
    group = meanings.all[meaning].group
    return group if group in (NOTHING, UNSURE) else meaning


def _checked(said: Value) -> Iterator[str]:
    for item in said.sequence():
        phrase = item.data
        if not isinstance(phrase, str):
            item.fail(f"{phrase!r} is no text", "quote it")
        for slot in SLOT.finditer(phrase):
            if slot[1] not in _SLOTS:
                item.fail(f"{slot[0]} is no slot", "see README.md")
        if "{" in SLOT.sub("", phrase):
            item.fail(f"{phrase!r} has a stray brace", "close it")
        yield phrase

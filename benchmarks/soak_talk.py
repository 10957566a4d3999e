"""What the people of `benchmarks.soak` say: conversations of both languages, about what is there at that moment."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from daemon.core.entities import Entity
from daemon.core.ir import Lang
from daemon.home.registry import Registry

LANGS: Final[tuple[Lang, ...]] = ("en", "zh")
_FILES: Final = {lang: Path(__file__).with_name(f"soak.{lang}.txt") for lang in LANGS}
_SYLLABLES: Final = "ba be bi bo bu da de di do du ka ke ki ko ku la le li lo lu ma me mi mo mu na ne ni no nu ra ri ro"
_FIRST, _LAST = 0x4E00, 0x8FFF
"""Chinese characters that are in use, and many that are not."""


class Talk:
    """Draws conversations; the same dice and home give the same ones."""

    def __init__(self, dice: random.Random) -> None:
        self._dice = dice
        self._lines = {lang: _conversations(path) for lang, path in _FILES.items()}
        self._syllables = _SYLLABLES.split()

    def conversation(self, registry: Registry) -> tuple[Lang, list[str]]:
        """Its language and its turns."""
        lang = self._dice.choice(LANGS)
        turns = self._dice.choice(self._lines[lang])
        filled = _Filled(self._dice, registry, lang, self.word(lang))
        return lang, [turn.format_map(filled) for turn in turns]

    def word(self, lang: Lang) -> str:
        """A name that nothing has yet."""
        if lang == "zh":
            return "小" + _han(self._dice, 2)
        return "".join(self._dice.choices(self._syllables, k=3))


class _Filled(dict[str, str]):
    """The blanks of one conversation; each is drawn once, so that later turns are about the same."""

    def __init__(self, dice: random.Random, registry: Registry, lang: Lang, word: str) -> None:
        super().__init__(word=word, h=str(dice.randint(1, 11)), n=str(dice.randint(1, 99)))
        self._dice, self._registry, self._lang = dice, registry, lang

    def __missing__(self, blank: str) -> str:
        if blank == "noise":
            return self._noise()
        self[blank] = found = self._dice.choice(self._them(blank)).name(self._lang)
        return found

    def _them(self, blank: str) -> Sequence[Entity]:
        if blank == "area":
            return [item for item in self._registry if item.kind == "area"]
        able = {"device": "on_off", "light": "brightness", "cover": "open_close"}[blank]
        return [item for item in self._registry.devices if item.capability(able) is not None]

    def _noise(self) -> str:
        """What nobody could understand, or a name with a slip in it; never the same again."""
        if self._dice.choice((True, False)):
            name = list(self._dice.choice(self._registry.devices).name(self._lang))
            name.insert(self._dice.randrange(len(name) + 1), _letters(self._dice, self._lang, 1))
            return "".join(name)
        return _letters(self._dice, self._lang, self._dice.randint(3, 40))


def _letters(dice: random.Random, lang: Lang, many: int) -> str:
    if lang == "zh":
        return _han(dice, many)
    return "".join(dice.choices("abcdefghijklmnopqrstuvwxyz ", k=many)).strip() or "x"


def _han(dice: random.Random, many: int) -> str:
    return "".join(chr(dice.randint(_FIRST, _LAST)) for _ in range(many))


def _conversations(path: Path) -> Sequence[Sequence[str]]:
    return list(_turns(path.read_text(encoding="utf-8").splitlines()))


def _turns(lines: Iterable[str]) -> Iterator[Sequence[str]]:
    for line in lines:
        if line and not line.startswith("#"):
            yield [turn.strip() for turn in line.split("|")]

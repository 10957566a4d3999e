"""What a speech engine writes when it mishears a name: sounds go wrong, and the words that now fit are written.

An engine knows only real words: "lamp" less its last sound is written "lamb", never "lam". English sounds and words
come from the recogniser's own dictionary (CMU), Chinese ones from pypinyin.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from functools import cache
from pathlib import Path
from typing import Final, Protocol

from daemon.core.ir import Lang

# Sounds of English that are taken for one another, in ARPABET: neighbours in voicing, place or manner for consonants
# (the pairs that Miller and Nicely 1955 found confused most), neighbours in the vowel chart for vowels.
_ALIKE: Final = """
P B T K F/B P D G V/T D P K/D T B G/K G P T/G K B D/M N NG/N M NG/NG N M/F TH V P/V F DH B/TH F T S/DH V D TH/S Z TH SH
Z S ZH DH/SH CH S ZH/ZH SH Z JH/CH JH SH T/JH CH ZH D/L R W/R L W/W V R/Y IY/HH F
IY IH EY/IH IY EH AH/EH IH AE EY/AE EH AA AH/AA AH AO AE/AO AA OW/AH AA IH UH/UH UW AH/UW UH OW/ER AO AH/EY EH IY AY
AY EY OY/OW AO UW AW/AW OW AA/OY AY AO
"""
_CONFUSED: Final = {
    first: others
    for first, *others in (group.split() for line in _ALIKE.split("\n") for group in line.split("/") if group)
}
_VOWELS: Final = frozenset(("IY", "IH", "EH", "AE", "AA", "AO", "AH", "UH", "UW", "ER", "EY", "AY", "OW", "AW", "OY"))
_TRIES: Final = 30
"""So many slips of the ear are tried for one that makes a word."""
_DROPPED: Final = 0.25
"""How often a consonant that goes wrong is not heard at all."""

_SAME: Final = 0.5
"""How often a syllable that goes wrong may still be heard right, and only be written wrong."""
_INITIALS: Final = ("zh", "ch", "sh", *"bpmfdtnlgkhjqxrzcsyw")
# The confusions of Mandarin between its regions: retroflex, n and l, f and h, and the two nasals.
_INITIAL_PAIRS: Final = {
    **{one: other for pair in ("zh z", "ch c", "sh s", "n l", "f h") for one, other in [pair.split()]},
    **{other: one for pair in ("zh z", "ch c", "sh s", "n l", "f h") for one, other in [pair.split()]},
}
_FINAL_PAIRS: Final = {
    **{one: other for pair in ("an ang", "en eng", "in ing") for one, other in [pair.split()]},
    **{other: one for pair in ("an ang", "en eng", "in ing") for one, other in [pair.split()]},
}


class Mishearing(Protocol):
    """Mishears names of one language."""

    def sounds(self, name: str) -> int:
        """How many sounds (phones, or syllables of Chinese) can go wrong; 0 where the name has no pronunciation."""

    def misheard(self, name: str, errors: int, rng: random.Random) -> str | None:
        """The name with so many sounds gone wrong, as it would be written; None where nothing fits that sound."""

    def slipped(self, name: str, rng: random.Random) -> str:
        """The name with one slip of another sort: a doubled, dropped or swapped letter, words split or run together."""


def mishearing(lang: Lang) -> Mishearing:
    """The mishearing of a language."""
    return _English() if lang == "en" else _Mandarin()


class _English:
    def sounds(self, name: str) -> int:
        phones = [self._phones(word) for word in name.split()]
        return sum(map(len, phones)) if all(phones) else 0

    def misheard(self, name: str, errors: int, rng: random.Random) -> str | None:
        words = name.split()
        weights = [len(self._phones(word)) for word in words]
        struck = Counter(rng.choices(range(len(words)), weights, k=errors))
        found = [self._other(word, struck[at], rng) if struck[at] else word for at, word in enumerate(words)]
        text = " ".join(filter(None, found))
        return text if all(found) and text.casefold() != name.casefold() else None

    def _other(self, word: str, errors: int, rng: random.Random) -> str:
        """A real word, or two, with so many sounds other than this one; empty where none is found."""
        for _ in range(_TRIES):
            phones = list(self._phones(word))
            for index in rng.sample(range(len(phones)), min(errors, len(phones))):
                dropped = phones[index] not in _VOWELS and rng.random() < _DROPPED
                phones[index] = "" if dropped else rng.choice(_CONFUSED[phones[index]])
            if text := self._written(tuple(filter(None, phones)), rng):
                return text
        return ""

    def slipped(self, name: str, rng: random.Random) -> str:
        at = rng.randrange(1, len(name) - 1)
        return rng.choice(
            (
                name[:at] + name[at] + name[at:],
                name[:at] + name[at + 1 :],
                name[: at - 1] + name[at] + name[at - 1] + name[at + 1 :],
                name[:at] + " " + name[at:],
                name.replace(" ", "", 1),
            )
        )

    @staticmethod
    def _phones(word: str) -> tuple[str, ...]:
        return _pronunciations().get(word.lower(), ())

    @staticmethod
    def _written(phones: tuple[str, ...], rng: random.Random) -> str:
        """A word that sounds so, else two of them."""
        if words := _spellings().get(phones):
            return rng.choice(words)
        cuts = list(range(2, len(phones) - 1))
        rng.shuffle(cuts)
        for cut in cuts:
            first, second = _spellings().get(phones[:cut]), _spellings().get(phones[cut:])
            if first and second:
                return f"{rng.choice(first)} {rng.choice(second)}"
        return ""


class _Mandarin:
    def sounds(self, name: str) -> int:
        return sum("\u4e00" <= character <= "\u9fff" for character in name)

    def misheard(self, name: str, errors: int, rng: random.Random) -> str | None:
        places = rng.sample(range(len(name)), min(errors, len(name)))
        text = "".join(_other(character, rng) if at in places else character for at, character in enumerate(name))
        return text if text != name else None

    def slipped(self, name: str, rng: random.Random) -> str:
        at = rng.randrange(len(name))
        return rng.choice((name[:at] + name[at] + name[at:], _homophone(name, at, rng)))


def _homophone(name: str, at: int, rng: random.Random) -> str:
    return name[:at] + rng.choice(_characters()[_reading(name[at])] or [name[at]]) + name[at + 1 :]


def _other(character: str, rng: random.Random) -> str:
    """A common character of the same sound, or in half of the cases of one that is confused with it."""
    reading = _reading(character)
    alike = [reading]
    initial = next((item for item in _INITIALS if reading.startswith(item)), "")
    final = reading[len(initial) :]
    if initial in _INITIAL_PAIRS:
        alike.append(_INITIAL_PAIRS[initial] + final)
    if final in _FINAL_PAIRS:
        alike.append(initial + _FINAL_PAIRS[final])
    options = [
        [item for item in _characters().get(sound, ()) if item != character]
        for sound in (alike if rng.random() < _SAME else alike[-1:])
    ]
    options = [item for item in options if item]
    return rng.choice(rng.choice(options)) if options else character


@cache
def _reading(character: str) -> str:
    from pypinyin import lazy_pinyin

    return lazy_pinyin(character)[0].replace("ü", "v")


@cache
def _characters() -> dict[str, list[str]]:
    """Reading -> the common characters (the first level of GB 2312) that are read so."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for row in range(0xB0, 0xD8):
        for cell in range(0xA1, 0xFF):
            try:
                character = bytes((row, cell)).decode("gb2312")
            except UnicodeDecodeError:
                continue
            found[_reading(character)].append(character)
    return found


@cache
def _pronunciations() -> dict[str, tuple[str, ...]]:
    import pocketsphinx

    path = Path(pocketsphinx.__file__).parent / "model" / "en-us" / "cmudict-en-us.dict"
    found: dict[str, tuple[str, ...]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        word, *phones = line.split()
        if word.replace("'", "").isalpha():
            found[word] = tuple(phones)
    return found


@cache
def _spellings() -> dict[tuple[str, ...], list[str]]:
    """A pronunciation -> the words that have it."""
    found: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for word, phones in _pronunciations().items():
        found[phones].append(word)
    return found

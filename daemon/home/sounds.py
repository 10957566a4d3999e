"""How names sound: toneless pinyin for Chinese, a consonant skeleton for the rest.

Speech engines write what they heard with other characters ("老伙计" as "老货机"), and other letters ("rec room" as
"wreck room"); their sound survives.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice, product
from typing import Final

from pypinyin import Style, pinyin

from daemon.home.names import has_han, tokens

_MAX_READINGS: Final = 8
_INITIALS: Final = (("zh", "z"), ("ch", "c"), ("sh", "s"), ("n", "l"), ("f", "h"))
_FINALS: Final = (("ang", "an"), ("eng", "en"), ("ing", "in"))
# Letters that sound alike, in the order in which they are replaced.
_SPELLINGS: Final = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"^kn|^gn", "n"),
        (r"^wr", "r"),
        (r"^ps", "s"),
        (r"^x", "s"),
        (r"mb$", "m"),
        (r"ght", "t"),
        (r"gh", ""),
        (r"ph", "f"),
        (r"tch|ch", "4"),
        (r"sch", "sk"),
        (r"sh|tion|cian", "5"),
        (r"th", "t"),
        (r"dge|g(?=[eiy])", "j"),
        (r"ck|q|c(?![eiyh])", "k"),
        (r"c", "s"),
        (r"x", "ks"),
        (r"z", "s"),
        (r"v", "f"),
    )
)
_VOWELS: Final = re.compile(r"(?<!^)[aeiouyhw]+")
_FIRST_VOWEL: Final = re.compile(r"^[aeiou]+")
_DOUBLED: Final = re.compile(r"(.)\1+")


@lru_cache(maxsize=65_536)
def readings(text: str) -> tuple[str, ...]:
    """Every way the text may sound, toneless, one string each; the most usual first, at most eight."""
    options: list[list[str]] = []
    for token in tokens(text):
        if has_han(token):
            found = pinyin(token, style=Style.NORMAL, heteronym=True)[0]
            options.append([reading.replace("ü", "v") for reading in found])
        else:
            options.append([skeleton(token)])
    # pypinyin knows phrases: what it reads in context is the most usual reading.
    usual = [] if all(len(found) == 1 for found in options) else [_in_context(text)]
    return tuple(dict.fromkeys([*usual, *(" ".join(choice) for choice in islice(product(*options), _MAX_READINGS))]))


@lru_cache(maxsize=65_536)
def confusable(reading: str) -> str:
    """A reading less what Mandarin speakers and engines confuse: n and l, zh and z, -ng and -n, f and h."""
    return " ".join(_confusable(syllable) for syllable in reading.split(" "))


@lru_cache(maxsize=65_536)
def skeleton(word: str) -> str:
    """The consonants of an English word as they sound: "wreck" and "rec" are both "rk"."""
    for pattern, sound in _SPELLINGS:
        word = pattern.sub(sound, word)
    word = _FIRST_VOWEL.sub("a", word)
    # Upper case, so that no consonant is taken for a syllable of pinyin.
    return _DOUBLED.sub(r"\1", _VOWELS.sub("", word)).upper()


def _in_context(text: str) -> str:
    runs = pinyin("".join(token for token in tokens(text) if has_han(token)), style=Style.NORMAL)
    han = iter(reading[0].replace("ü", "v") for reading in runs)
    return " ".join(next(han, "") if has_han(token) else skeleton(token) for token in tokens(text))


def _confusable(syllable: str) -> str:
    for initial, plain in _INITIALS:
        if syllable.startswith(initial):
            syllable = plain + syllable[len(initial) :]
            break
    for final, plain in _FINALS:
        if syllable.endswith(final):
            return syllable[: -len(final)] + plain
    return syllable

"""How names sound: toneless pinyin for Chinese, consonants and places of vowels for the rest.

Speech engines write what they heard with other characters ("老伙计" as "老货机"), and other letters ("rec room" as
"wreck room"); their sound survives.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import islice
from typing import Final

from daemon.home.names import REMEMBERED, has_han, tokens
from daemon.system.languages import folded, syllables

_MAX_READINGS: Final = 12
_MAX_OF_ONE: Final = 2
_N: Final = re.compile("^n")
_F: Final = re.compile(r"^(?:f|hu(?=[ao]))")
"""What begins with f, as those say it who have no f: "fa" is "ha" or "hua", "fen" is "hen" or "hun"."""
_CONTRACTED: Final = {"hui": "hei", "hun": "hen"}
# English letters -> sounds, in the order in which they are replaced. Capitals stand for sounds that take two letters:
# C as in "church" or "shoe" (which sound alike enough), T as in "thin", J as in "judge".
_SPELLINGS: Final = tuple(
    (re.compile(pattern), sound)
    for pattern, sound in (
        (r"^(?:kn|gn|pn)", "n"),
        (r"^wr", "r"),
        (r"^ps", "s"),
        (r"^x", "z"),
        (r"^wh", "w"),
        (r"mb$|mn$", "m"),
        (r"gn$", "n"),
        (r"bt$", "t"),
        (r"(?<=[aeiou])gh(?=t|$|[^aeiou])", ""),
        (r"gh", "g"),
        (r"ph", "f"),
        (r"sch", "sk"),
        (r"sc(?=[eiy])", "s"),
        (r"tch|ch|sh|ti(?=on|a)|ci(?=a|on)|ssi(?=on)|si(?=on)", "C"),
        (r"t(?=ure)", "C"),
        (r"th", "T"),
        (r"dge|dg(?=[eiy])|g(?=[eiy](?!t|r))|j", "J"),
        (r"ck|qu|q|c(?![eiy])", "k"),
        (r"c", "s"),
        (r"x", "ks"),
        (r"(?<=[^aeiou])e$", ""),
    )
)
_VOWELS: Final = re.compile(r"(?!^[hwy][aeiou])[aeiouyhw]+")
"""Runs of vowels; h, w and y are vowels too, but for the one that a word begins with."""
_DOUBLED: Final = re.compile(r"(.)\1+")
# What is taken for one another even where it is heard: voiced and voiceless, the nasals, the liquids, the sibilants.
_CLASSES: Final = str.maketrans("pbtdTkgfvszCJmnlr", "ppttfkkffsszznnll")


def prepare() -> None:
    """Loads the dictionary of readings, which the first name in Chinese characters would otherwise wait for."""
    syllables("\u4e00")


@lru_cache(maxsize=REMEMBERED)
def readings(text: str) -> tuple[str, ...]:
    """Every way the text may sound, toneless, one string each; the most usual first, at most twelve."""
    words = tokens(text)
    usual = _usual(words)
    found = [usual]
    # One character read otherwise at a time: nobody misreads two polyphones of one name.
    for at, word in enumerate(words):
        if has_han(word):
            found += [(*usual[:at], other, *usual[at + 1 :]) for other in _polyphone(word)]
    return tuple(islice(dict.fromkeys(" ".join(item) for item in found), _MAX_READINGS))


@lru_cache(maxsize=REMEMBERED)
def confusable(reading: str) -> str:
    """A reading less what Mandarin speakers and engines confuse: n and l, zh and z, -ng and -n, f and h."""
    return " ".join(_confusable(syllable) for syllable in reading.split(" "))


@lru_cache(maxsize=REMEMBERED)
def phones(text: str) -> str:
    """How the Latin words of a text sound, in one row: every consonant, and "a" for any run of vowels.

    The words are run together, for engines hear where one ends no better than people do: "socket" is "sakat", "suck it"
    too. Chinese characters are left out.
    """
    return _DOUBLED.sub(r"\1", "".join(_sounded(word) for word in tokens(text) if not has_han(word)))


@lru_cache(maxsize=REMEMBERED)
def classes(text: str) -> str:
    """The `phones` of a text, less what is often heard wrong of them: "big" and "pick" are one."""
    return _DOUBLED.sub(r"\1", phones(text).translate(_CLASSES))


@lru_cache(maxsize=REMEMBERED)
def _polyphone(character: str) -> tuple[str, ...]:
    """The readings of a character, the most usual first."""
    return tuple(dict.fromkeys(syllables(character, every=True)[0]))[:_MAX_OF_ONE]


def sound_keys(text: str) -> tuple[str, ...]:
    """Under what sounds a name is looked up: its readings, or its English sounds, each in one row."""
    if has_han(text):
        return tuple(dict.fromkeys(confusable(reading).replace(" ", "") for reading in readings(text)))
    return (phones(text),)


@lru_cache(maxsize=REMEMBERED)
def _sounded(word: str) -> str:
    for pattern, sound in _SPELLINGS:
        word = pattern.sub(sound, word)
    return _VOWELS.sub("a", word)


def _usual(words: tuple[str, ...]) -> tuple[str, ...]:
    """Each word as it sounds here; pypinyin knows phrases, and so which reading of a character is meant."""
    spoken = "".join(word for word in words if has_han(word))
    han = iter([reading[0] for reading in syllables(spoken)] if spoken else [])
    # Upper case, so that no English sound is taken for a syllable of pinyin.
    return tuple(next(han, "") if has_han(word) else _sounded(word).upper() for word in words)


@lru_cache(maxsize=1_024)  # Mandarin has 400 of them; what else is heard must not fill the memory
def _confusable(syllable: str) -> str:
    syllable = _N.sub("l", folded(syllable))
    return _CONTRACTED.get(syllable) or _F.sub("h", syllable)

"""How English words and names are pronounced: the recogniser's dictionary, compounds, single letters, then rules."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

from daemon.core.digits import in_digits

_LETTERS = {
    "a": "EY", "b": "B IY", "c": "S IY", "d": "D IY", "e": "IY", "f": "EH F", "g": "JH IY", "h": "EY CH", "i": "AY",
    "j": "JH EY", "k": "K EY", "l": "EH L", "m": "EH M", "n": "EH N", "o": "OW", "p": "P IY", "q": "K Y UW",
    "r": "AA R", "s": "EH S", "t": "T IY", "u": "Y UW", "v": "V IY", "w": "D AH B AH L Y UW", "x": "EH K S",
    "y": "W AY", "z": "Z IY",
}  # fmt: skip
_UNITS = [
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),
    *("thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen"),
]
_TENS = ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"]
_WORD = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+")
_MIN_PART = 3
"""Letters of either part of a compound: shorter ones are found in anything."""

LookUp = Callable[[str], str | None]


def spoken_words(text: str) -> tuple[str, ...] | None:
    """The words of a phrase as spoken, lower case, numbers in words; None if it is not written in Latin letters.

    "Café lamp 2" is ("cafe", "lamp", "two").
    """
    plain = in_digits(unicodedata.normalize("NFKD", text.casefold())).replace("’", "'").replace("&", " and ")
    plain = "".join(character for character in plain if not unicodedata.combining(character))
    if any(character.isalpha() and not "a" <= character <= "z" for character in plain):
        return None
    words: list[str] = []
    for word in _WORD.findall(plain):
        words += number_words(int(word)) if word.isdigit() else [word]
    return tuple(words) or None


def number_words(number: int) -> list[str]:
    """0 to 999 in words; what is longer is said digit by digit. 101 is one hundred one."""
    if number < len(_UNITS):
        return [_UNITS[number]]
    if number < 100:  # noqa: PLR2004 - tens and units
        return [_TENS[number // 10], *([_UNITS[number % 10]] if number % 10 else [])]
    if number < 1000:  # noqa: PLR2004 - hundreds
        return [_UNITS[number // 100], "hundred", *(number_words(number % 100) if number % 100 else [])]
    return [_UNITS[int(digit)] for digit in str(number)]


def pronunciation(word: str, look_up: LookUp) -> str:
    """The phones of a word, set apart by spaces: as the dictionary has it, else as it is spelled."""
    known = look_up(word)
    if known:
        return known
    if word.endswith("'s"):
        return f"{pronunciation(word[:-2], look_up)} Z"
    word = word.replace("'", "")
    known = look_up(word) or _compound(word, look_up)
    if known:
        return known
    if len(word) == 1 or not set(word) & set("aeiouy"):
        return " ".join(_LETTERS[letter] for letter in word)
    return by_letters(word)


def by_letters(word: str) -> str:
    """The phones of a word by the rules of `data/letters.en.txt`."""
    rules, longest = _rules()
    text = f"^{word}$"
    phones: list[str] = []
    at = 0
    while at < len(text):
        for size in range(min(longest, len(text) - at), 0, -1):
            sound = rules.get(text[at : at + size])
            if sound is not None:
                phones += sound
                at += size
                break
        else:
            at += 1  # the marks of beginning and end themselves
    return " ".join(_joined(phones)) or _LETTERS[word[0]]


def _compound(word: str, look_up: LookUp) -> str | None:
    """The two dictionary words that make this one up: the longest first part that leaves a second."""
    for cut in range(len(word) - _MIN_PART, _MIN_PART - 1, -1):
        first, second = look_up(word[:cut]), look_up(word[cut:])
        if first and second:
            return f"{first} {second}"
    return None


def _joined(phones: list[str]) -> list[str]:
    """Without the same sound twice in a row."""
    return [phone for index, phone in enumerate(phones) if index == 0 or phone != phones[index - 1]]


@cache
def _rules() -> tuple[Mapping[str, tuple[str, ...]], int]:
    path = Path(__file__).parent / "data" / "letters.en.txt"
    rules: dict[str, tuple[str, ...]] = {}
    for line in path.read_text(encoding="ascii").splitlines():
        if line.strip() and not line.startswith("#"):
            letters, *phones = line.split()
            rules[letters] = () if phones == ["-"] else tuple(phones)
    return rules, max(map(len, rules))

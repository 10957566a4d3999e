"""What scripts are read as: numbers in the digits of any, and Chinese characters without tones.

٣, ३, ➂, ❸, ❿ are 3, 3, 3, 3 and 10 to whoever reads them; zh and z are one to many speakers.
"""

from __future__ import annotations

import unicodedata
from typing import Final

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

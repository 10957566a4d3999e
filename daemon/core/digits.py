"""Numbers in the digits of any script: ٣, ३, ➂, ❸, ❿ are 3, 3, 3, 3 and 10 to whoever reads them."""

from __future__ import annotations

import unicodedata

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

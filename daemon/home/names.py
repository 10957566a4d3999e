"""How names are compared: one folded form for everything that should count as the same spelling."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from daemon.core.digits import in_digits

if TYPE_CHECKING:
    from opencc import OpenCC

_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_APOSTROPHES: Final = re.compile(r"['’‘`´]")
_NO_WORD: Final = re.compile(r"(?:[^\w%]|_)+")
_TOKEN: Final = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[0-9]+|[^\W\d_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|%"
)
_POSSESSIVES: Final = ("my ", "我的", "我家的", "我")
_SIBILANT: Final = ("ses", "xes", "zes", "ches", "shes")
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_RAW: Final = 1_000
_LONGEST: Final = 200
"""Of a longer name only so many characters are compared."""
REMEMBERED: Final = 1_024
"""So many texts each function of names remembers: more than a home has names for, and full within a day."""


@lru_cache(maxsize=REMEMBERED)
def key(text: str) -> str:
    """The spelling without case, width, accents of punctuation, script variant and doubled blanks."""
    plain = in_digits(unicodedata.normalize("NFKC", text[:_LONGEST])).casefold()
    plain = _NO_WORD.sub(" ", _APOSTROPHES.sub("", plain)).strip()
    return "".join(_simplified(char) for char in plain) if _HAN.search(plain) else plain


@lru_cache(maxsize=REMEMBERED)
def tokens(text: str) -> tuple[str, ...]:
    """The words of a name, Latin ones without a plural ending, each Chinese character by itself."""
    return tuple(_stem(word) for word in _TOKEN.findall(key(text)))


def spelt(text: str) -> tuple[str, ...]:
    """As `tokens`, with the endings that were said."""
    return tuple(_TOKEN.findall(key(text)))


def fold(text: str) -> str:
    """The strongest form: all tokens in a row, so that "bed lamps", "Bed-Lamp" and "bedlamp" are one."""
    return "".join(tokens(text))


def has_han(text: str) -> bool:
    """Whether there is a Chinese character in it."""
    return _HAN.search(text) is not None


def possessed(text: str) -> str | None:
    """What is left of "my lamp" without "my"; None where nobody's is claimed."""
    plain = key(text)
    return next((plain.removeprefix(word) for word in _POSSESSIVES if plain.startswith(word) and plain != word), None)


def presentable(name: str) -> str:
    """A name as it may be shown, said and logged: one line, at most 200 characters, nothing that hides or turns text.

    What is left of it stays as it is, markup and orders to nobody included: it is a name.
    """
    plain = "".join(" " if char.isspace() else char for char in name[:_RAW] if char.isspace() or not _hidden(char))
    return " ".join(plain.split())[:_LONGEST].strip()


def without(words: tuple[str, ...], runs: frozenset[tuple[str, ...]], longest: int) -> tuple[str, ...]:
    """The tokens less the longest of these runs found in them, the last one where there are several."""
    for length in range(min(longest, len(words)), 0, -1):
        for start in range(len(words) - length, -1, -1):
            if words[start : start + length] in runs:
                return words[:start] + words[start + length :]
    return words


def _hidden(char: str) -> bool:
    """Control characters, joiners, marks of direction, and what is no character."""
    return unicodedata.category(char) in _HIDDEN


def _stem(word: str) -> str:
    if not word.isascii() or len(word) < 4 or not word.endswith("s") or word.endswith("ss"):  # noqa: PLR2004 - "gas", "bus"
        return word
    return word[:-2] if word.endswith(_SIBILANT) else word[:-1]


@lru_cache(maxsize=2_048)  # of the hundred thousand characters there are, a home uses few
def _simplified(char: str) -> str:
    return _converter().convert(char) if _HAN.match(char) else char


@cache
def _converter() -> OpenCC:
    # Imported late: a home without Chinese names never needs it.
    from opencc import OpenCC

    return OpenCC("t2s")

"""How names are compared: one folded form for everything that should count as the same spelling."""

from __future__ import annotations

import re
import unicodedata
from functools import cache, lru_cache
from itertools import takewhile
from typing import TYPE_CHECKING, Final

from daemon.system.languages import in_digits, naming, singular, written_in_han

if TYPE_CHECKING:
    from opencc import OpenCC

_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")
_APOSTROPHES: Final = re.compile(r"['’‘`´]")
_NO_WORD: Final = re.compile(r"(?:[^\w%]|_)+")
_TOKEN: Final = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]|[0-9]+|[^\W\d_\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+|%"
)
_SHORT: Final = 3
"""A word of so many letters is never taken for several things: "gas", "bus"."""
_HIDDEN: Final = frozenset({"Cc", "Cf", "Cs", "Co", "Cn"})
_RAW: Final = 1_000
_LONGEST: Final = 200
"""Of a longer name only so many characters are compared."""
REMEMBERED: Final = 4_096
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


def ending(one: str, other: str) -> int:
    """How many words two names share at their ends: "left lamp" and "right lamp" one, 左床头灯 and 右床头灯 three."""
    pairs = zip(reversed(tokens(one)), reversed(tokens(other)), strict=False)
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))


def possessed(text: str) -> str | None:
    """What is left of "my lamp" without "my"; None where nobody's is claimed."""
    plain = key(text)
    return next((plain.removeprefix(word) for word in _possessives() if plain.startswith(word) and plain != word), None)


def owned(name: str, owner: str) -> str | None:
    """What is left of "amal s lamp" or 小美的台灯 without its owner; None where it is nobody's."""
    words, named = tokens(name), tokens(owner)
    if not named or words[: len(named)] != named or len(words) == len(named):
        return None
    rest = words[len(named) :]
    joined = any(rest[0] in told.of for told in naming().values()) and len(rest) > 1
    return (" " if rest[0].isascii() else "").join(rest[1:] if joined else rest)


@lru_cache(maxsize=REMEMBERED)
def owner(name: str) -> tuple[str, str] | None:
    """Whose a thing is by its name, and how that is said: nana, nanas of "Nana's lamp"; 奶奶, 奶奶的 of 奶奶的台灯."""
    words = tuple(_TOKEN.findall(_APOSTROPHES.sub(" ", name).casefold()))
    marks = {mark for told in naming().values() for mark in told.of}
    at = next((place for place, word in enumerate(words) if place and word in marks), len(words))
    whose = key(joined(words[:at]))
    return (whose, whose + words[at]) if at + 1 < len(words) else None


def contains(text: str, words: str) -> bool:
    """Whether these words stand in a text, Latin ones whole."""
    at, whole = text.find(words), has_han(words)
    while at >= 0 and not whole:
        beside = text[max(at - 1, 0) : at] + text[at + len(words) :][:1]
        whole = not any(one.isalnum() or one == "_" for one in beside)
        at = at if whole else text.find(words, at + 1)
    return at >= 0


def spares(text: str) -> bool:
    """Whether a text says of something that it is not meant: "all but the lamp"."""
    plain = _APOSTROPHES.sub("", text)
    return any(contains(plain, word) for told in naming().values() for word in told.spared)


def is_written(name: str, lang: str) -> bool:
    """Whether a name is written as this language is."""
    return has_han(name) == (lang in written_in_han())


def presentable(name: str) -> str:
    """A name as it may be shown, said and logged: one line, at most 200 characters, nothing that hides or turns text.

    What is left of it stays as it is, markup and orders to nobody included: it is a name.
    """
    plain = name[:_RAW]
    if not plain.isprintable():  # most are: nothing in them hides
        plain = "".join(" " if char.isspace() else char for char in plain if char.isspace() or not _hidden(char))
    return " ".join(plain.split())[:_LONGEST].strip()


def has_run(words: tuple[str, ...], run: tuple[str, ...]) -> bool:
    """Whether these words have a run in them, side by side."""
    if run and run[0] not in words:  # as of most
        return False
    return any(words[start : start + len(run)] == run for start in range(len(words) - len(run) + 1))


def joined(words: tuple[str, ...]) -> str:
    """The words as they are written."""
    return "".join(words) if any(has_han(word) for word in words) else " ".join(words)


def without(words: tuple[str, ...], runs: frozenset[tuple[str, ...]], longest: int) -> tuple[str, ...]:
    """The tokens less the longest of these runs found in them, the last one where there are several."""
    for length in range(min(longest, len(words)), 0, -1):
        for start in range(len(words) - length, -1, -1):
            if words[start : start + length] in runs:
                return words[:start] + words[start + length :]
    return words


@cache
def _possessives() -> tuple[str, ...]:
    words = [word for told in naming().values() for word in told.mine]
    return tuple(word if has_han(word) else f"{word} " for word in words)


def _hidden(char: str) -> bool:
    """Control characters, joiners, marks of direction, and what is no character."""
    return unicodedata.category(char) in _HIDDEN


def _stem(word: str) -> str:
    return singular(word) if word.isascii() and len(word) > _SHORT else word


@lru_cache(maxsize=2_048)  # of the hundred thousand characters there are, a home uses few
def _simplified(char: str) -> str:
    return _converter().convert(char) if _HAN.match(char) else char


@cache
def _converter() -> OpenCC:
    # Imported late: a home without Chinese names never needs it.
    from opencc import OpenCC

    return OpenCC("t2s")

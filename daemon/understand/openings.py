"""What a text begins with, at each of its places: decides which choices of a grammar are worth trying there.

The opening of a text is its first word and a space where it begins in a Latin letter, else its first two characters.
A set of openings may also hold single characters, which stand for everything that begins so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from typing import TypeVar

_WORD = re.compile(r"[a-z][a-z0-9]*")
_WORDS = re.compile(r"(?<![a-z])(?=([a-z][a-z0-9]*))")
PLACES = re.compile(r"(?<![a-z])[a-z][a-z0-9]*|[^a-z ]")
"""Where a word can begin: a Latin word, or any other character."""
NONE = ""
"""The opening of what nothing in the grammar begins with."""

_Found = TypeVar("_Found")


def opening(text: str) -> str:
    """The opening of a text: "turn " of "turn on", 打开 of 打开灯."""
    word = _WORD.match(text)
    return word.group() + " " if word else text[:2]


def fits(said: str, openings: frozenset[str] | None) -> bool:
    """Whether what begins so can be one of these; None is anything."""
    return openings is None or said in openings or said[:1] in openings


class Openings:
    """Finds the known openings in texts.

    Args:
        known: All that the grammar can begin with anywhere; others are not told apart.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._known = {item: item for item in known if item}

    def of(self, text: str) -> list[str]:
        """The opening at each place of a text; at a space, that of what follows."""
        known = self._known
        found = [known.get(text[at : at + 2]) or known.get(text[at], NONE) for at in range(len(text))]
        for word in _WORDS.finditer(text):
            found[word.start()] = known.get(word[1] + " ") or known.get(word[1][0], NONE)
        at = text.find(" ")
        while at >= 0:
            found[at] = found[at + 1]
            at = text.find(" ", at + 1)
        return found


class ByOpening(dict[str, _Found]):
    """What there is for each opening, made when it is first asked for."""

    def __init__(self, make: Callable[[str], _Found]) -> None:
        super().__init__()
        self._make = make

    def __missing__(self, said: str) -> _Found:
        made = self[said] = self._make(said)
        return made

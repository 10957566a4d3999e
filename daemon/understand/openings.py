"""What a text begins with, at each of its places: decides which choices of a grammar are worth trying there.

The opening of a text is its first word and a space where it begins in a Latin letter, else its first two characters, or
only the first where nothing in the grammar begins with both. Sets of openings are bit masks: thousands of them are
joined when a grammar is loaded.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from threading import Lock
from typing import Any, TypeVar
from weakref import ref

_WORD = re.compile(r"[a-z][a-z0-9]*")
_PIECE = re.compile(r"([a-z][a-z0-9]*|..?) *", re.DOTALL)
PLACES = re.compile(r"[a-z][a-z0-9]*|[^ ]")
"""Where a word can begin: a Latin word, or any other character."""
END = "\n"
"""Stands after the text, so that every look-up of a character finds one; no terminal matches it."""
NONE = ""
"""The opening of what nothing in the grammar begins with."""
ANY = -1
"""The mask of all openings."""

_ABSENT = object()
_EMPTY: dict[Any, Any] = {}
"""Of the tables that have not aged, which are most."""

_Key = TypeVar("_Key")
_Found = TypeVar("_Found")
_Table = TypeVar("_Table", bound="Table[Any, Any]")


def opening(text: str) -> str:
    """The opening of a text: "turn " of "turn on", 打开 of 打开灯."""
    word = _WORD.match(text)
    return word.group() + " " if word else text[:2]


def size(said: str) -> int:
    """How many characters of the text an opening tells."""
    return len(said) - 1 if said[-1:] == " " else len(said)


def pieces(text: str) -> list[str]:
    """The openings of a text at its beginning, behind that, and so on to its end: "turn ", "on "; 打开, 灯."""
    return [said + " " if "a" <= said[0] <= "z" else said for said in _PIECE.findall(text)]


class Openings:
    """All the openings of one grammar; others are not told apart.

    Args:
        known: All that anything in the grammar can begin with; single characters stand for everything that begins so.
    """

    def __init__(self, known: Iterable[str]) -> None:
        found = sorted({item for item in known if item} - {END})
        self.bits = {said: 1 << index for index, said in enumerate((NONE, END, *found))}
        """The bit of each opening."""
        self._words = {said[:-1]: said for said in found if len(said) > 1 and said[-1] == " "}
        self._pairs = {said: said for said in found if len(said) > 1 and said[-1] != " "}
        self._characters = {said: said for said in (END, *found) if len(said) == 1}
        self._letters = any(_WORD.match(said) for said in self._characters)
        self._begin: dict[str, int] = {}
        for said, bit in self.bits.items():
            self._begin[said[:1]] = self._begin.get(said[:1], 0) | bit

    def mask(self, begun: Iterable[str]) -> int:
        """The openings of texts that begin with one of these: openings, or single characters. Never too few."""
        found = 0
        for item in begun:
            if item in self._characters:
                found |= self._begin[item]
            elif item in self.bits:
                found |= self.bits[item]
            else:  # not told apart: as what begins so, or as what is unknown
                found |= self._begin.get(item[0], 0) | self.bits[NONE]
        return found

    def of(self, text: str) -> list[str]:
        """The opening at each place of a text; at a space, that of what follows."""
        words, pairs, characters = self._words, self._pairs, self._characters
        found = [NONE] * len(text)
        end = 0
        for said in PLACES.findall(text):
            at = text.index(said, end)
            end = at + len(said)
            if "a" <= said[0] <= "z":
                found[at] = words.get(said) or characters.get(said[0], NONE)
                if self._letters or said[-1] <= "9":  # a set of letters, or a digit, may go on inside of a word
                    found[at + 1 : end] = [characters.get(letter, NONE) for letter in said[1:]]
            else:
                found[at] = pairs.get(text[at : at + 2]) or characters.get(said, NONE)
            if at and text[at - 1] == " ":
                found[at - 1] = found[at]
        return found


class Room:
    """What the tables of one grammar may hold together: where that is used up, what was not asked for lately goes.

    What a home says takes a small part of it. A babble of rare words, of which none comes again, would fill memory.

    Args:
        most: Entries of all tables.
    """

    def __init__(self, most: int) -> None:
        self._most = most // 2
        self._tables: list[ref[Table[Any, Any]]] = []  # those of what is compiled go with it
        self._lock = Lock()
        self._made = 0
        self._same: dict[Any, Any] = {}

    def __len__(self) -> int:
        return sum(map(len, self._alive()))

    def shared(self, table: _Table) -> _Table:
        """The table, which forgets with the others."""
        with self._lock:
            self._tables.append(ref(table))
        return table

    def same(self, value: _Found) -> _Found:
        """A value that is equal, and the same wherever it stands: of a hundred thousand entries few differ."""
        return self._same.setdefault(value, value)  # type: ignore[no-any-return]

    def take(self, entries: int = 1) -> None:
        """So many more were made."""
        self._made += entries
        if self._made > self._most:
            self._made = 0
            self._same.clear()
            for table in self._alive():
                table.age()
            with self._lock:
                self._tables = [item for item in self._tables if item() is not None]

    def _alive(self) -> list[Table[Any, Any]]:
        return [table for item in tuple(self._tables) if (table := item()) is not None]


class Table(dict[_Key, _Found]):
    """What there is for each key, made when it is first asked for, in the `room` that there is.

    What was asked for since the room was last used up is held, and what had been asked for before that time; so what is
    in use stays, and nothing needs to be counted where it is read.
    """

    __slots__ = ("__weakref__", "_before", "_make", "_room")

    def __init__(self, make: Callable[[_Key], _Found], room: Room) -> None:
        super().__init__()
        self._make = make
        self._room = room
        self._before: dict[_Key, Any] = _EMPTY

    def __missing__(self, key: _Key) -> _Found:
        before = self._before.pop(key, _ABSENT)  # at once: another thread may ask for the same
        made = self[key] = self._make(key) if before is _ABSENT else before
        self._room.take()
        return made

    def age(self) -> None:
        """What was asked for from now on is held apart from what was before."""
        self._before = dict(self) if self else _EMPTY
        self.clear()


class Needs:
    """The needs of one grammar, each a bit; a need is filled by any of some openings.

    New needs and new openings turn up while texts are read, in any thread; what is known of them changes under a lock.
    """

    def __init__(self, openings: Openings) -> None:
        self._openings = openings
        self._bits: dict[int, int] = {}
        self._filled: dict[str, int] = {}
        self._all = 0
        self._lock = Lock()

    def of(self, masks: Iterable[int]) -> int:
        """The bits of these needs, each given as the mask of the openings that fill it."""
        found = 0
        for mask in masks:
            found |= self._bits.get(mask) or self._new(mask)
        return found

    def lacking(self, openings: Iterable[str]) -> int:
        """The bits of the needs that none of these openings fills. A need that is not known yet is none of them."""
        known, filled = self._all, 0
        for said in openings:
            filled |= self._filled[said] if said in self._filled else self._filling(said)
        return known & ~filled

    def _new(self, mask: int) -> int:
        with self._lock:
            bit = self._bits.get(mask)
            if bit is None:
                bit = 1 << len(self._bits)
                for said in self._filled:
                    if mask & self._openings.bits[said]:
                        self._filled[said] |= bit
                self._bits[mask] = bit
                self._all |= bit
            return bit

    def _filling(self, said: str) -> int:
        with self._lock:
            opening = self._openings.bits[said]
            filled = 0
            for mask, bit in self._bits.items():
                if mask & opening:
                    filled |= bit
            self._filled[said] = filled
            return filled

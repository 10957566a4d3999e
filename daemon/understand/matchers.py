"""The functions that the ends of a grammar are compiled to: literals, sets of characters, words.

Each takes a text (which ends in `END`) and a place in it, appends the nodes it made, and returns where its match ends,
or -1; what fails leaves no nodes behind. A space before what is matched is skipped.
"""
# ruff: noqa: ARG001 - every matcher is called alike, whether it makes nodes or not

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from msgspec import Struct

from daemon.understand.openings import END, opening

DIGITS = frozenset("0123456789")
LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz")
WORD = LETTERS | DIGITS


class Node(Struct, frozen=True, gc=False):
    """What a capital or `__` rule matched: `text[start:end]`, with what was found inside."""

    rule: str
    start: int
    end: int
    children: tuple[Node, ...]


class Terminal(Protocol):
    """A rule that is not in the grammar: a class of words, the names of the home, a number."""

    @property
    def first(self) -> frozenset[str] | None:
        """The openings it can have; None for any."""

    def match(self, text: str, at: int) -> int:
        """Where the longest match that begins at `at` ends, or -1. `text` ends in `END`."""


class Run(Struct):
    """What one parse knows of its text."""

    closed: str
    """It, with `END` behind it."""
    openings: list[str]
    """At each place."""
    lacking: int
    """The bits of the needs that nothing in it fills."""
    memo: dict[int, tuple[int, list[Node]]] = {}
    """What rules have come to where."""


Matcher = Callable[[str, int, list[Node], Run], int]


def nothing(text: str, at: int, nodes: list[Node], run: Run) -> int:
    """Matches nothing at all, everywhere."""
    return at


def mark(name: str) -> Matcher:
    """Matches nothing at all, everywhere, and makes a node of it."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        nodes.append(Node(name, at, at, ()))
        return at

    return match


def end_of_text(text: str, at: int, nodes: list[Node], run: Run) -> int:
    """Matches where only a space, if anything, is left."""
    return at if run.openings[at] == END else -1


def literal(quoted: str) -> Matcher:
    """Matches this text; where it begins or ends in a Latin letter, only at the edge of a word."""
    if not quoted:
        return nothing
    if quoted[0] not in DIGITS and WORD.issuperset(quoted):
        return _word(quoted)
    length = len(quoted)
    after = frozenset() if quoted[-1] not in WORD else DIGITS if quoted[-1] in DIGITS else WORD
    before = WORD - DIGITS if quoted[0] in WORD - DIGITS else frozenset()

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        if text[at] == " ":
            at += 1
        end = at + length
        if text.startswith(quoted, at) and not (text[end] in after or (at and text[at - 1] in before)):
            return end
        return -1

    return match


def _word(quoted: str) -> Matcher:
    """Matches this one Latin word."""
    said = opening(quoted)
    length = len(quoted)

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        if run.openings[at] != said:
            return -1
        return at + length + 1 if text[at] == " " else at + length

    return match


def one_of(members: frozenset[str]) -> Matcher:
    """Matches one of these characters."""
    members -= {END}

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        if text[at] == " ":
            at += 1
        return at + 1 if text[at] in members else -1

    return match


def anything(text: str, at: int, nodes: list[Node], run: Run) -> int:
    """Matches one character, whichever."""
    if text[at] == " ":
        at += 1
    return -1 if text[at] == END else at + 1


def terminal(name: str, found: Terminal, *, makes_node: bool) -> Matcher:
    """Matches what the terminal does."""
    find = found.match

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        if text[at] == " ":
            at += 1
        end = find(text, at)
        if makes_node and end >= 0:
            nodes.append(Node(name, at, end, ()))
        return end

    return match

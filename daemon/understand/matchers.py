"""The functions that a grammar is compiled to.

Each takes a text (which ends in `END`) and a place in it, appends the nodes it made, and returns where its match ends,
or -1; what fails leaves no nodes behind.
"""
# ruff: noqa: ARG001 - every matcher is called alike, whether it makes nodes or not

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from daemon.understand.openings import ByOpening, opening

END = "\n"
"""Stands after the text, so that every look-up of a character finds one; no terminal matches it."""
DIGITS = frozenset("0123456789")
WORD = frozenset("abcdefghijklmnopqrstuvwxyz") | DIGITS


class Node(NamedTuple):
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


@dataclass(slots=True)
class Furthest:
    """How far a parse came, and what would have let it go on."""

    at: int = 0
    expected: set[str] = field(default_factory=set)
    muted: int = 0
    """Above 0 inside of what must not come: its failures are no expectations."""

    def note(self, at: int, label: str) -> None:
        """One terminal that failed at `at`."""
        if self.muted:
            return
        if at > self.at:
            self.at = at
            self.expected.clear()
        if at == self.at:
            self.expected.add(label)

    def forget(self) -> None:
        """Begins anew."""
        self.at = 0
        self.expected.clear()


@dataclass(slots=True)
class Run:
    """What one parse knows of its text."""

    openings: list[str]
    """At each place."""
    present: frozenset[str]
    """All of them, and all characters."""
    memo: dict[int, tuple[int, tuple[Node, ...]]] = field(default_factory=dict)
    """What rules have come to where."""


Matcher = Callable[[str, int, list[Node], Run], int]


def nothing(text: str, at: int, nodes: list[Node], run: Run) -> int:
    """Matches nothing at all, everywhere."""
    return at


def end_of_text(furthest: Furthest | None) -> Matcher:
    """Matches where only a space, if anything, is left."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        if text[at] == END or text[at : at + 2] == " " + END:
            return at
        if furthest is not None:
            furthest.note(at, "the end")
        return -1

    return match


def literal(quoted: str, furthest: Furthest | None) -> Matcher:
    """Matches this text; where it begins or ends in a Latin letter, only at the edge of a word."""
    length = len(quoted)
    after = frozenset() if quoted[-1] not in WORD else DIGITS if quoted[-1] in DIGITS else WORD
    before = WORD - DIGITS if quoted[0] in WORD - DIGITS else frozenset()

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        if text[at] == " ":
            at += 1
        end = at + length
        if text.startswith(quoted, at) and not (text[end] in after or (at and text[at - 1] in before)):
            return end
        if furthest is not None:
            furthest.note(at, f'"{quoted}"')
        return -1

    return match


def word(quoted: str) -> Matcher:
    """Matches this one Latin word."""
    said = opening(quoted)
    length = len(quoted)

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        if run.openings[at] != said:
            return -1
        return at + length + 1 if text[at] == " " else at + length

    return match


def mark(name: str) -> Matcher:
    """Matches nothing at all, everywhere, and makes a node of it."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        nodes.append(Node(name, at, at, ()))
        return at

    return match


def one_of(members: frozenset[str], furthest: Furthest | None) -> Matcher:
    """Matches one of these characters."""
    members -= {END}

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        if text[at] == " ":
            at += 1
        if text[at] in members:
            return at + 1
        if furthest is not None:
            furthest.note(at, "a character")
        return -1

    return match


def anything(text: str, at: int, nodes: list[Node], run: Run) -> int:
    """Matches one character, whichever."""
    if text[at] == " ":
        at += 1
    return -1 if text[at] == END else at + 1


def terminal(name: str, found: Terminal, furthest: Furthest | None, *, makes_node: bool) -> Matcher:
    """Matches what the terminal does."""
    find = found.match

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        if text[at] == " ":
            at += 1
        end = find(text, at)
        if end >= 0:
            if makes_node:
                nodes.append(Node(name, at, end, ()))
        elif furthest is not None:
            furthest.note(at, name)
        return end

    return match


def sequence(items: Sequence[Matcher]) -> Matcher:
    """Matches all of them, one after another."""
    first, *others = items
    rest = tuple(others)

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        mark = len(nodes)
        at = first(text, at, nodes, run)
        if at < 0:
            return -1
        for item in rest:
            at = item(text, at, nodes, run)
            if at < 0:
                del nodes[mark:]
                return -1
        return at

    return match


def choice(fitting_for: Callable[[str], tuple[Matcher, ...]]) -> Matcher:
    """Matches the first that does, of those that can have the opening that there is."""
    fitting = ByOpening(fitting_for)

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        for item in fitting[run.openings[at]]:
            end = item(text, at, nodes, run)
            if end >= 0:
                return end
        return -1

    return match


def guarded(can_begin: Callable[[str], bool], item: Matcher) -> Matcher:
    """Matches the item, which is only tried where it can have the opening that there is."""
    fitting = ByOpening(can_begin)

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        return item(text, at, nodes, run) if fitting[run.openings[at]] else -1

    return match


def optional(item: Matcher) -> Matcher:
    """Matches it, or nothing."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        end = item(text, at, nodes, run)
        return at if end < 0 else end

    return match


def repeat(item: Matcher, low: int) -> Matcher:
    """Matches it as often as it can, `low` times at least."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        count = 0
        while (end := item(text, at, nodes, run)) > at:
            at = end
            count += 1
        return at if count >= low or end == at else -1

    return match


def named(name: str, item: Matcher, furthest: Furthest) -> Matcher:
    """Matches the item; where it fails at its very beginning, what was expected is told by its name."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        start = at + 1 if text[at] == " " else at
        before = set(furthest.expected) if furthest.at == start else set()
        end = item(text, at, nodes, run)
        if end < 0 and furthest.at == start and furthest.expected - before:
            furthest.expected = before | {name}
        return end

    return match


def unexpected(item: Matcher, furthest: Furthest) -> Matcher:
    """Matches the item, and notes nothing."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        furthest.muted += 1
        end = item(text, at, nodes, run)
        furthest.muted -= 1
        return end

    return match


def look(item: Matcher, *, negated: bool) -> Matcher:
    """Matches nothing, where the item matches (or does not)."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        mark = len(nodes)
        end = item(text, at, nodes, run)
        del nodes[mark:]
        return at if (end < 0) is negated else -1

    return match


def node(name: str, item: Matcher) -> Matcher:
    """Matches the item, and makes a node of it with its nodes inside."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        mark = len(nodes)
        end = item(text, at, nodes, run)
        if end >= 0:
            children = tuple(nodes[mark:])
            del nodes[mark:]
            nodes.append(Node(name, at, end, children))
        return end

    return match


def needing(openings: Callable[[], frozenset[str] | None], item: Matcher) -> Matcher:
    """Matches the item, which is only tried where one of these, if there are any, stands anywhere in the text."""
    needed: list[frozenset[str] | None] = []

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        if not needed:
            needed.append(openings())
        openings_needed = needed[0]
        if openings_needed is not None and openings_needed.isdisjoint(run.present):
            return -1
        return item(text, at, nodes, run)

    return match


def memoised(index: int, count: int, can_begin: Callable[[str], bool], item: Matcher) -> Matcher:
    """Matches the item, once per place and parse, where it can have the opening that there is.

    Args:
        index: Its number among `count` rules.
        count: How many rules there are.
        can_begin: Whether it can have an opening.
        item: What to match.
    """
    fitting = ByOpening(can_begin)

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        if not fitting[run.openings[at]]:
            return -1
        key = at * count + index
        known = run.memo.get(key)
        if known is not None:
            end, made = known
            if made:
                nodes.extend(made)
            return end
        mark = len(nodes)
        end = item(text, at, nodes, run)
        run.memo[key] = (end, tuple(nodes[mark:]) if end >= 0 else ())
        return end

    return match

"""How far each rule came in a text, and what was expected next, in words for people who write grammars.

A parser that explains wraps its matchers in those here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from daemon.understand import peg
from daemon.understand.matchers import Matcher, Node, Run

_SORTS: Final[Mapping[str, tuple[str, ...]]] = {
    "a name": ("DEVICE", "GROUP", "SCENE", "PERSON"),
    "a kind": ("KIND", "KINDS", "NAMEKIND", "NAMEKINDS"),
    "a room": ("AREA", "FLOOR", "ROOM", "LEVEL", "WHOLE"),
    "a number": ("NUMBER", "INTEGER", "ABOUT"),
    "a value": ("COLOR", "WHITE", "MODE", "STEPPED", "SOURCE", "EFFECT", "MAX", "MIN", "FRACTION"),
    "a comparison": ("MORE", "BIT"),
    "a state": ("STATE", "DETECTED", "GRADE"),
    "something to set or to measure": ("ATTR", "MEASURE", "SENSOR"),
    "a time": ("TIMEUNIT", "DAY", "DAYTIME"),
    "a unit": ("UNIT",),
    "any words": ("word", "a character"),
}
_SORT_OF: Final = {name: sort for sort, names in _SORTS.items() for name in names}
_MOST_WORDS: Final = 6
"""More of the words that the grammar quotes are only counted."""


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one rule came in a text, and what would have let it go on."""

    rule: str
    reached: str
    """The part of the text that it read."""
    expected: tuple[str, ...]
    """Sorts of words ("a name", "a room"), then words in quotes."""
    whole: bool
    """Whether it read all of it."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a text was read as it was, or not at all."""

    text: str
    """What was parsed: the names in angle brackets."""
    rules: tuple[Progress, ...]
    """The furthest first."""

    @property
    def furthest(self) -> str:
        """The part of the text that the furthest rules read."""
        return self.rules[0].reached if self.rules else ""

    @property
    def expected(self) -> tuple[str, ...]:
        """What was expected where the furthest rules stopped."""
        best = len(self.furthest)
        return _ordered(word for rule in self.rules if len(rule.reached) == best for word in rule.expected)

    def __str__(self) -> str:
        """What was expected where no rule came further, then a line per rule that came anywhere."""
        lines = [self.text]
        if self.furthest and self.expected:
            lines.append(f"  after {self.furthest!r}: {_listed(self.expected)}")
        for rule in self.rules:
            if rule.reached:
                expected = "" if rule.whole else f", then {_listed(rule.expected) or 'the end'}"
                lines.append(f"    {rule.rule}: {rule.reached!r}{expected}")
        return "\n".join(lines)


class Beginnings:
    """What the rules of a grammar can begin with, told in words.

    Args:
        rules: The grammar.
    """

    def __init__(self, rules: Mapping[str, peg.Expression]) -> None:
        self._rules = rules
        self._known: dict[str, tuple[frozenset[str], bool]] = {}

    def told(self, labels: Iterable[str]) -> tuple[str, ...]:
        """The sorts of words and the words that what has these labels (rules, classes, quoted words) begins with."""
        return _ordered(word for label in labels for word in self._of(label)[0])

    def _of(self, label: str) -> tuple[frozenset[str], bool]:
        """What a rule begins with, and whether it may match nothing."""
        if label not in self._rules:
            return frozenset((_SORT_OF.get(label, label),)), False
        if label not in self._known:
            self._known[label] = (frozenset(), False)  # what begins with itself says nothing more
            self._known[label] = self._first(self._rules[label])
        return self._known[label]

    def _first(self, item: peg.Expression) -> tuple[frozenset[str], bool]:
        match item:
            case peg.Literal(text=text):
                return (frozenset((f'"{text}"',)), False) if text else (frozenset(), True)
            case peg.Ref(rule=rule):
                return self._of(rule)
            case peg.Repeat(item=inner, low=low):
                found, empty = self._first(inner)
                return found, empty or low == 0
            case peg.Choice(items=items):
                parts = [self._first(part) for part in items]
                return frozenset().union(*(found for found, _ in parts)), any(empty for _, empty in parts)
            case peg.Sequence(items=items):
                words: frozenset[str] = frozenset()
                for part in items:
                    found, empty = self._first(part)
                    words |= found
                    if not empty:
                        return words, False
                return words, True
            case peg.Look():
                return frozenset(), True
            case _:
                return frozenset(("any words",)), False


def _ordered(words: Iterable[str]) -> tuple[str, ...]:
    """Each once: sorts in the order of their table, then words, the short ones first."""
    order = {sort: at for at, sort in enumerate(_SORTS)}
    return tuple(sorted(set(words), key=lambda word: (order.get(word, len(order)), len(word), word)))


def _listed(expected: tuple[str, ...]) -> str:
    words = [word for word in expected if word not in _SORTS]
    more = len(words) - _MOST_WORDS
    shown = [*(word for word in expected if word in _SORTS), *words[:_MOST_WORDS]]
    return ", ".join(shown) + (f" or one of {more} other words" if more > 0 else "")


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


def noted(label: str, item: Matcher, furthest: Furthest) -> Matcher:
    """Matches the item; where it fails, that is noted."""

    def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
        end = item(text, at, nodes, run)
        if end < 0:
            furthest.note(at + 1 if text[at] == " " else at, label)
        return end

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

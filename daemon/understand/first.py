"""What each part of a grammar can begin with: lets a choice try only what can fit the next word."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from daemon.errors import ConfigError
from daemon.understand.openings import opening
from daemon.understand.peg import Choice, Expression, Literal, Look, OneOf, Ref, Repeat, Sequence, literals

if TYPE_CHECKING:
    from daemon.understand.matchers import Terminal

_NOTHING: frozenset[str] = frozenset()


class Firsts:
    """The openings of the expressions of one grammar.

    Raises:
        ConfigError: a rule is used and never defined, or begins with itself.
    """

    def __init__(self, rules: Mapping[str, Expression], terminals: Mapping[str, Terminal], file: Path) -> None:
        self._rules = rules
        self._terminals = terminals
        self._file = file
        self._known: dict[str, tuple[frozenset[str] | None, bool]] = {}
        self._needs: dict[str, frozenset[str] | None] = {}
        self._open: list[str] = []
        self._of: dict[int, frozenset[str] | None] = {}  # by identity: the rules live as long as this
        for name, expression in rules.items():
            for ref in _refs(expression):
                if ref.rule not in rules and ref.rule not in terminals:
                    raise ConfigError(
                        file, ref.line, name, f"{ref.rule} is not defined", "define it, or correct the name"
                    )
        for name in rules:
            self._rule(name, 1)

    def of(self, expression: Expression) -> frozenset[str] | None:
        """The openings that a match can have (spaces apart); None where any may, or none is needed."""
        key = id(expression)
        if key not in self._of:
            first, empty = self._first(expression)
            self._of[key] = None if empty else first
        return self._of[key]

    def needed(self, expression: Expression) -> frozenset[str] | None:
        """Openings of which one at least stands in every match; None where there are no such."""
        match expression:
            case Literal():
                return frozenset({opening(expression.text)}) if expression.text else None
            case OneOf():
                return None if expression.negated else expression.characters
            case Ref():
                return self._needed_by(expression.rule)
            case Repeat():
                return self.needed(expression.item) if expression.low else None
            case Choice():
                return _union([self.needed(item) for item in expression.items])
            case Sequence():
                sets = [found for item in expression.items if (found := self.needed(item)) is not None]
                return min(sets, key=len, default=None)
            case _:
                return None

    def _needed_by(self, name: str) -> frozenset[str] | None:
        if name in self._terminals:
            return self._terminals[name].first
        if name not in self._needs:
            self._needs[name] = None  # while it is looked for: a rule that uses itself
            self._needs[name] = self.needed(self._rules[name])
        return self._needs[name]

    def known(self) -> set[str]:
        """Every opening that anything in the grammar has."""
        found = {opening(text) for text in literals(self._rules)}
        sets = [terminal.first for terminal in self._terminals.values()]
        sets += [first for first, _ in self._known.values()]
        return found.union(*(item for item in sets if item))

    def _rule(self, name: str, line: int) -> tuple[frozenset[str] | None, bool]:
        if name in self._terminals:
            return self._terminals[name].first, False
        if name not in self._known:
            if name in self._open:
                circle = " > ".join([*self._open[self._open.index(name) :], name])
                raise ConfigError(
                    self._file, line, name, f"begins with itself ({circle})", "let something else come first"
                )
            self._open.append(name)
            self._known[name] = self._first(self._rules[name])
            self._open.pop()
        return self._known[name]

    def _first(self, expression: Expression) -> tuple[frozenset[str] | None, bool]:
        """The openings (None: any), and whether it can match nothing at all."""
        match expression:
            case Literal():
                return frozenset({opening(expression.text)} - {""}), not expression.text
            case OneOf():
                return (None if expression.negated else expression.characters), False
            case Ref():
                return self._rule(expression.rule, expression.line)
            case Repeat():
                first, empty = self._first(expression.item)
                return first, empty or not expression.low
            case Look():
                self._first(expression.item)
                return _NOTHING, True
            case Choice():
                firsts = [self._first(item) for item in expression.items]
                return _union(first for first, _ in firsts), any(empty for _, empty in firsts)
            case Sequence():
                found: list[frozenset[str] | None] = []
                for item in expression.items:
                    first, empty = self._first(item)
                    found.append(first)
                    if not empty:
                        return _union(found), False
                return _union(found), True


def _union(sets: Iterator[frozenset[str] | None] | list[frozenset[str] | None]) -> frozenset[str] | None:
    together: frozenset[str] = _NOTHING
    for item in sets:
        if item is None:
            return None
        together |= item
    return together


def _refs(expression: Expression) -> Iterator[Ref]:
    match expression:
        case Ref():
            yield expression
        case Sequence() | Choice():
            for item in expression.items:
                yield from _refs(item)
        case Repeat() | Look():
            yield from _refs(expression.item)

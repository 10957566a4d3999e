"""Runs a grammar over a text: packrat parsing to a tree of nodes.

Two things differ from a character grammar, so that a grammar of sentences stays readable: spaces before a terminal are
skipped, and a literal that begins or ends in a Latin letter or digit does so at a word's edge ("on" is not in "one").
Each rule whose name begins with a capital, or contains `__`, makes a node; other rules are helpers.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple, Protocol

from daemon.understand.first import Firsts
from daemon.understand.peg import Choice, Expression, Literal, Look, OneOf, Ref, Repeat, Sequence

END = "\n"
"""Stands after the text, so that every look-up of a character finds one; no terminal matches it."""
WORD = frozenset("abcdefghijklmnopqrstuvwxyz0123456789")


class Node(NamedTuple):
    """What a capital or `__` rule matched: `text[start:end]`, with what was found inside."""

    rule: str
    start: int
    end: int
    children: tuple[Node, ...]


class Terminal(Protocol):
    """A rule that is not in the grammar: a class of words, the names of the home, a number."""

    first: frozenset[str] | None
    """The characters it can begin with; None for any."""

    def match(self, text: str, at: int) -> int:
        """Where the longest match that begins at `at` ends, or -1. `text` ends in `END`."""


_Memo = dict[int, tuple[int, tuple[Node, ...]]]
_Matcher = Callable[[str, int, list[Node], _Memo], int]


@dataclass(slots=True)
class Furthest:
    """How far a parse came, and what would have let it go on."""

    at: int = 0
    expected: set[str] = field(default_factory=set)

    def note(self, at: int, label: str) -> None:
        """One terminal that failed at `at`."""
        if at > self.at:
            self.at = at
            self.expected.clear()
        if at == self.at:
            self.expected.add(label)


def makes_node(rule: str) -> bool:
    """Whether what this rule matches stands in the tree."""
    return rule[0].isupper() or "__" in rule


class Parser:
    """Compiled once; afterwards `parse` may be called from any thread.

    Args:
        rules: The grammar.
        terminals: Rules from outside of it.
        file: The grammar's file, for errors.
        furthest: Where to note how far each parse comes. This makes it slow, and no longer fit for several threads.

    Raises:
        ConfigError: a rule is used and never defined, or begins with itself.
    """

    def __init__(
        self,
        rules: Mapping[str, Expression],
        terminals: Mapping[str, Terminal],
        file: Path,
        furthest: Furthest | None = None,
    ) -> None:
        self._rules = rules
        self._terminals = terminals
        self._file = file
        self._furthest = furthest
        self._firsts = Firsts(rules, terminals, file)
        self._indices = {name: index for index, name in enumerate([*rules, *terminals])}
        self._compiled: dict[str, _Matcher] = {}
        self._quiet: dict[str, bool] = {}
        self._open: list[str] = []

    def compile(self, *starts: str) -> None:
        """Compiles these rules and all that they use, now rather than at their first use."""
        for start in starts:
            self._rule(start)

    def parse(self, rule: str, text: str) -> Node | None:
        """The tree of the whole `text` (lower case, single spaces, no `END`), or None."""
        nodes: list[Node] = []
        end = self._rule(rule)(text + END, 0, nodes, {})
        if end < 0 or text[end:].strip():
            return None
        return Node(rule, 0, end, tuple(nodes))

    def reach(self, rule: str, text: str) -> int:
        """Where the match of `rule` at the start of `text` ends, or -1."""
        return self._rule(rule)(text + END, 0, [], {})

    # -- compiling

    def _rule(self, name: str) -> _Matcher:
        if (made := self._compiled.get(name)) is not None:
            return made
        if name in self._open:
            return self._later(name)
        if name in self._terminals:
            matcher = self._terminal(name, self._terminals[name])
        else:
            self._open.append(name)
            expression = self._rules[name]
            matcher = self._expression(expression)
            if makes_node(name):
                matcher = _node(name, matcher)
            if makes_node(name) or _worth_a_memo(expression):
                matcher = _memoised(self._indices[name], len(self._indices), matcher)
            self._open.pop()
        self._compiled[name] = matcher
        return matcher

    def _later(self, name: str) -> _Matcher:
        compiled = self._compiled

        def match(text: str, at: int, nodes: list[Node], memo: _Memo) -> int:
            return compiled[name](text, at, nodes, memo)

        return match

    def _expression(self, expression: Expression) -> _Matcher:
        match expression:
            case Literal(text=""):
                return lambda _text, at, _nodes, _memo: at
            case Literal():
                return self._literal(expression.text)
            case OneOf():
                return self._one_of(expression)
            case Ref():
                return self._rule(expression.rule)
            case Sequence():
                return self._sequence(expression)
            case Choice():
                return self._choice(expression)
            case Repeat():
                return _repeat(self._expression(expression.item), expression.low, many=expression.many)
            case Look():
                return self._look(expression)

    def _literal(self, literal: str) -> _Matcher:
        length = len(literal)
        after, before = literal[-1] in WORD, literal[0] in WORD and not literal[0].isdigit()
        furthest = self._furthest

        def match(text: str, at: int, nodes: list[Node], memo: _Memo) -> int:
            if text[at] == " ":
                at += 1
            end = at + length
            if text.startswith(literal, at) and not (
                (after and text[end] in WORD) or (before and at and text[at - 1] in WORD)
            ):
                return end
            if furthest is not None:
                furthest.note(at, f'"{literal}"')
            return -1

        return match

    def _one_of(self, expression: OneOf) -> _Matcher:
        if expression.negated:

            def match_any(text: str, at: int, nodes: list[Node], memo: _Memo) -> int:
                if text[at] == " ":
                    at += 1
                return -1 if text[at] == END else at + 1

            return match_any

        members = expression.characters - {END}
        furthest = self._furthest

        def match(text: str, at: int, nodes: list[Node], memo: _Memo) -> int:
            if text[at] == " ":
                at += 1
            if text[at] in members:
                return at + 1
            if furthest is not None:
                furthest.note(at, "a character")
            return -1

        return match

    def _terminal(self, name: str, terminal: Terminal) -> _Matcher:
        furthest, find = self._furthest, terminal.match

        def match(text: str, at: int, nodes: list[Node], memo: _Memo) -> int:
            if text[at] == " ":
                at += 1
            end = find(text, at)
            if end >= 0:
                nodes.append(Node(name, at, end, ()))
            elif furthest is not None:
                furthest.note(at, name)
            return end

        return match

    def _sequence(self, expression: Sequence) -> _Matcher:
        items = tuple(self._expression(item) for item in expression.items)

        def match(text: str, at: int, nodes: list[Node], memo: _Memo) -> int:
            mark = len(nodes)
            for item in items:
                at = item(text, at, nodes, memo)
                if at < 0:
                    del nodes[mark:]
                    return -1
            return at

        return match

    def _choice(self, expression: Choice) -> _Matcher:
        options = [(self._firsts.of(item), self._expression(item)) for item in expression.items]
        if self._furthest is not None:
            options = [(None, matcher) for _, matcher in options]
        tables: dict[str, tuple[_Matcher, ...]] = {}

        def match(text: str, at: int, nodes: list[Node], memo: _Memo) -> int:
            first = text[at]
            if first == " ":
                first = text[at + 1]
            fitting = tables.get(first)
            if fitting is None:
                fitting = tables[first] = tuple(item for can, item in options if can is None or first in can)
            for item in fitting:
                end = item(text, at, nodes, memo)
                if end >= 0:
                    return end
            return -1

        return match

    def _look(self, expression: Look) -> _Matcher:
        matcher = self._expression(expression.item)
        negated = expression.negated
        if negated and expression.item == OneOf(frozenset(), negated=True):
            furthest = self._furthest

            def match_end(text: str, at: int, nodes: list[Node], memo: _Memo) -> int:
                if text[at] == END or text[at : at + 2] == " " + END:
                    return at
                if furthest is not None:
                    furthest.note(at, "the end")
                return -1

            return match_end

        def match(text: str, at: int, nodes: list[Node], memo: _Memo) -> int:
            mark = len(nodes)
            end = matcher(text, at, nodes, memo)
            del nodes[mark:]
            return at if (end < 0) is negated else -1

        return match


def _repeat(item: _Matcher, low: int, *, many: bool) -> _Matcher:
    if not many:

        def match_optional(text: str, at: int, nodes: list[Node], memo: _Memo) -> int:
            end = item(text, at, nodes, memo)
            return at if end < 0 else end

        return match_optional

    def match(text: str, at: int, nodes: list[Node], memo: _Memo) -> int:
        count = 0
        while (end := item(text, at, nodes, memo)) > at:
            at = end
            count += 1
        return at if count >= low or end == at else -1

    return match


def _node(name: str, matcher: _Matcher) -> _Matcher:
    def match(text: str, at: int, nodes: list[Node], memo: _Memo) -> int:
        mark = len(nodes)
        end = matcher(text, at, nodes, memo)
        if end >= 0:
            children = tuple(nodes[mark:])
            del nodes[mark:]
            nodes.append(Node(name, at, end, children))
        return end

    return match


def _memoised(index: int, count: int, matcher: _Matcher) -> _Matcher:
    def match(text: str, at: int, nodes: list[Node], memo: _Memo) -> int:
        key = at * count + index
        known = memo.get(key)
        if known is not None:
            end, made = known
            if made:
                nodes.extend(made)
            return end
        mark = len(nodes)
        end = matcher(text, at, nodes, memo)
        memo[key] = (end, tuple(nodes[mark:]) if end >= 0 else ())
        return end

    return match


def _worth_a_memo(expression: Expression) -> bool:
    match expression:
        case Ref() | Repeat():
            return True
        case Sequence() | Choice():
            return any(_worth_a_memo(item) for item in expression.items)
        case Look():
            return _worth_a_memo(expression.item)
        case _:
            return False

"""Runs a grammar over a text: packrat parsing to a tree of nodes.

Two things differ from a character grammar, so that a grammar of sentences stays readable: spaces before a terminal are
skipped, and a literal that begins or ends in a Latin letter does so at a word's edge ("on" is not in "one").
Each rule whose name begins with a capital, or contains `__`, makes a node; other rules are helpers.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from daemon.understand import matchers
from daemon.understand.first import Firsts
from daemon.understand.matchers import DIGITS, END, WORD, Furthest, Matcher, Node, Run, Terminal
from daemon.understand.openings import Openings, fits
from daemon.understand.peg import Choice, Expression, Literal, Look, OneOf, Ref, Repeat, Sequence

_ANYTHING = OneOf(frozenset(), negated=True)


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
        self._furthest = furthest
        self._firsts = Firsts(rules, terminals, file)
        self._openings = Openings(self._firsts.known())
        self._indices = {name: index for index, name in enumerate([*rules, *terminals])}
        self._compiled: dict[str, Matcher] = {}
        self._open: list[str] = []

    def compile(self, *starts: str) -> None:
        """Compiles these rules and all that they use, now rather than at their first use."""
        for start in starts:
            self._rule(start)

    def parse(self, rule: str, text: str) -> Node | None:
        """The tree of the whole `text` (lower case, single spaces, no `END`), or None."""
        nodes: list[Node] = []
        closed = text + END
        end = self._rule(rule)(closed, 0, nodes, self._run(closed))
        if end < 0 or text[end:].strip():
            return None
        return Node(rule, 0, end, tuple(nodes))

    def reach(self, rule: str, text: str) -> int:
        """Where the match of `rule` at the start of `text` ends, or -1."""
        closed = text + END
        return self._rule(rule)(closed, 0, [], self._run(closed))

    def _run(self, text: str) -> Run:
        openings = self._openings.of(text)
        return Run(openings, frozenset(openings).union(text))

    def _rule(self, name: str) -> Matcher:
        if (made := self._compiled.get(name)) is not None:
            return made
        if name in self._open:
            return self._later(name)
        if name in self._terminals:
            matcher = matchers.terminal(name, self._terminals[name], self._furthest, makes_node=makes_node(name))
        else:
            self._open.append(name)
            expression = self._rules[name]
            matcher = self._expression(expression)
            if makes_node(name):
                matcher = matchers.node(name, matcher)
            if self._furthest is not None:
                matcher = matchers.named(name, matcher, self._furthest)
            if expression == Literal("") and makes_node(name):
                matcher = matchers.mark(name)
            elif _worth_a_memo(expression):
                matcher = self._memoised(name, expression, matcher)
            self._open.pop()
        self._compiled[name] = matcher
        return matcher

    def _memoised(self, name: str, expression: Expression, matcher: Matcher) -> Matcher:
        """The matcher of a rule: once per place, and only where its words are said. What those are is found at need."""
        index, count = self._indices[name], len(self._indices)
        if self._furthest is not None:
            return matchers.memoised(index, count, lambda _said: True, matcher)
        needing = matchers.needing(lambda: self._firsts.needed(expression), matcher)
        return matchers.memoised(index, count, lambda said: fits(said, self._firsts.of(expression)), needing)

    def _fitting(self, choice: Choice, items: list[Matcher], said: str) -> tuple[Matcher, ...]:
        """Those of the choice's items that can have this opening."""
        pairs = zip(choice.items, items, strict=True)
        return tuple(item for expression, item in pairs if fits(said, self._firsts.of(expression)))

    def _guarded(self, expression: Expression, matcher: Matcher) -> Matcher:
        """The matcher, not even tried where it cannot fit; choices and rules see to that themselves."""
        if self._furthest is not None or not isinstance(expression, Sequence):
            return matcher
        return matchers.guarded(lambda said: fits(said, self._firsts.of(expression)), matcher)

    def _later(self, name: str) -> Matcher:
        """A rule that is being compiled: looked up when it is called."""
        compiled = self._compiled

        def match(text: str, at: int, nodes: list[Node], run: Run) -> int:
            return compiled[name](text, at, nodes, run)

        return match

    def _literal(self, quoted: str) -> Matcher:
        if not quoted:
            return matchers.nothing
        if self._furthest is None and quoted[0] not in DIGITS and WORD.issuperset(quoted):
            return matchers.word(quoted)
        return matchers.literal(quoted, self._furthest)

    def _expression(self, expression: Expression) -> Matcher:  # noqa: C901, PLR0911 - one per kind of expression
        match expression:
            case Literal():
                return self._literal(expression.text)
            case OneOf():
                if expression.negated:
                    return matchers.anything
                return matchers.one_of(expression.characters, self._furthest)
            case Ref():
                return self._rule(expression.rule)
            case Sequence():
                return matchers.sequence([self._expression(item) for item in expression.items])
            case Choice():
                items = [self._expression(item) for item in expression.items]
                if self._furthest is not None:  # to tell what was expected, all must be tried
                    return matchers.choice(lambda _said: tuple(items))
                return matchers.choice(lambda said: self._fitting(expression, items, said))
            case Repeat():
                item = self._guarded(expression.item, self._expression(expression.item))
                return matchers.repeat(item, expression.low) if expression.many else matchers.optional(item)
            case Look():
                if expression.negated and isinstance(expression.item, OneOf) and expression.item == _ANYTHING:
                    return matchers.end_of_text(self._furthest)
                item = self._expression(expression.item)
                if self._furthest is not None and expression.negated:
                    item = matchers.unexpected(item, self._furthest)
                return matchers.look(item, negated=expression.negated)


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

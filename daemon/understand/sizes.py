"""How much an expression of a grammar matches, where the opening of a text alone tells: "the", nothing at the end."""

from __future__ import annotations

from collections.abc import Mapping

from daemon.understand.first import Firsts
from daemon.understand.openings import Openings
from daemon.understand.peg import Choice, Expression, Literal, Look, OneOf, Ref, Repeat, Sequence


def makes_node(rule: str) -> bool:
    """Whether what this rule matches stands in the tree."""
    return rule[0].isupper() or "__" in rule


class Sizes:
    """The sizes of the sure matches of the expressions of one grammar.

    Args:
        rules: The grammar.
        openings: All that there are.
        firsts: What its expressions begin with.
    """

    def __init__(self, rules: Mapping[str, Expression], openings: Openings, firsts: Firsts) -> None:
        self._rules = rules
        self._openings = openings
        self._firsts = firsts
        self._known: dict[tuple[str, str], int | None] = {}

    def of(self, expression: Expression, said: str) -> int | None:
        """How many characters it surely matches where a text begins so, without making a node; None if in doubt.

        A space before them counts for nothing. 0 is a match of nothing.
        """
        bit = self._openings.bits[said]
        match expression:
            case Literal() | OneOf():
                length = len(expression.text) if isinstance(expression, Literal) else 1
                return length if self._firsts.surely(expression) & bit else None
            case Ref(name):
                return self._of_rule(name, said)
            case Choice(items):
                return self._of_first(items, said) if self._firsts.can_begin(expression) & bit else None
            case Sequence(items):
                return self._of_all(items, said)
            case Repeat(item, low, many):
                nothing = not low and not self._firsts.can_begin(item) & bit
                return 0 if nothing else None if many else self.of(item, said)
            case Look(item, negated):
                sure = self._firsts.surely(item) & bit or self.of(item, said) is not None
                return 0 if (not self._firsts.can_begin(item) & bit if negated else sure) else None

    def _of_rule(self, name: str, said: str) -> int | None:
        if name not in self._rules or makes_node(name):
            return None
        if (name, said) not in self._known:
            self._known[name, said] = self.of(self._rules[name], said)
        return self._known[name, said]

    def _of_first(self, items: tuple[Expression, ...], said: str) -> int | None:
        """That of the first that can match at all."""
        bit = self._openings.bits[said]
        for item in items:
            if self._firsts.can_begin(item) & bit:
                return self.of(item, said)
        return None

    def _of_all(self, items: tuple[Expression, ...], said: str) -> int | None:
        """As long as nothing is matched, the opening stays the same."""
        for item in items[:-1]:
            if self.of(item, said) != 0:
                return None
        return self.of(items[-1], said)

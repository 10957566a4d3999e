"""Rules that begin with themselves: a parser would never come to an end with them."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from daemon.core.errors import ConfigError
from daemon.understand.peg import AnyOrder, Choice, Expression, Literal, Look, OneOf, Ref, Sequence


def refuse_circles(rules: Mapping[str, Expression], where: Mapping[str, Path]) -> None:
    """Goes through what each rule can begin with.

    Args:
        rules: The grammar; other rules that they use match something.
        where: The file of each rule, for errors.

    Raises:
        ConfigError: a rule begins with itself.
    """
    check = _Check(rules, where)
    for name in rules:
        check.rule(name, 1)


class _Check:
    def __init__(self, rules: Mapping[str, Expression], where: Mapping[str, Path]) -> None:
        self._rules = rules
        self._where = where
        self._open: list[str] = []
        self._known: dict[str, bool] = {}

    def rule(self, name: str, line: int) -> bool:
        """Whether this rule can match nothing; every rule that it can begin with is looked at, too."""
        if name not in self._rules:
            return False
        known = self._known.get(name)
        if known is None:
            if name in self._open:
                circle = " > ".join([*self._open[self._open.index(name) :], name])
                raise ConfigError(
                    self._where[self._open[-1]],
                    line,
                    name,
                    f"begins with itself ({circle})",
                    "let something else come first",
                )
            self._open.append(name)
            known = self._known[name] = self._nothing(self._rules[name])
            self._open.pop()
        return known

    def _nothing(self, expression: Expression) -> bool:
        # Ten thousand of them are asked for: a `match` takes twice as long.
        if isinstance(expression, Literal):
            return not expression.text
        if isinstance(expression, Sequence):
            return all(map(self._nothing, expression.items))
        if isinstance(expression, Ref):
            return self.rule(expression.rule, expression.line)
        if isinstance(expression, Choice):
            found = False
            for item in expression.items:  # each of them, and not until the first
                found = self._nothing(item) or found
            return found
        if isinstance(expression, AnyOrder):
            list(map(self._nothing, expression.items))
            return False
        if isinstance(expression, OneOf):
            return False
        nothing = self._nothing(expression.item)
        return nothing or isinstance(expression, Look) or not expression.low

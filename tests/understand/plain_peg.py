"""A parser that tries everything, in order, and remembers nothing: what the compiled one is held against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from daemon.understand import matchers, peg
from daemon.understand.first import makes_node
from daemon.understand.matchers import LETTERS, WORD, Matcher, Node, Run, Terminal
from daemon.understand.openings import END

Made = tuple[int, tuple[Node, ...]] | None
"""Where a match ends and the nodes that it made; None where there is none."""
_RUN = Run(END, [], 0)


class PlainParser:
    """Parses as `Parser` does."""

    def __init__(self, rules: Mapping[str, peg.Expression], terminals: Mapping[str, Terminal]) -> None:
        self._rules = rules
        self._terminals = terminals

    def parse(self, rule: str, text: str) -> Node | None:
        made = self._match(self._rules[rule], text + END, 0)
        return Node(rule, 0, *made) if made is not None and not text[made[0] :].strip() else None

    def _match(self, expression: peg.Expression, text: str, at: int) -> Made:
        match expression:
            case peg.Literal(said):
                return _literal(said, text, at) if said else (at, ())
            case peg.OneOf():
                one = matchers.anything if expression.negated else matchers.one_of(expression.characters)
                return _leaf(one, text, at)
            case peg.Ref(name):
                return self._rule(name, text, at)
            case peg.Sequence(items):
                return self._all(items, text, at)
            case peg.Choice(items):
                return next((made for item in items if (made := self._match(item, text, at)) is not None), None)
            case peg.Repeat():
                return self._repeat(expression, text, at)
            case peg.AnyOrder():
                return self._any_order(expression, expression.frames, text, at, 0)
            case peg.Look(item, negated):
                return None if (self._match(item, text, at) is not None) is negated else (at, ())

    def _rule(self, name: str, text: str, at: int) -> Made:
        if name in self._terminals:
            return _leaf(matchers.terminal(name, self._terminals[name], makes_node=makes_node(name)), text, at)
        made = self._match(self._rules[name], text, at)
        return (made[0], (Node(name, at, *made),)) if made is not None and makes_node(name) else made

    def _all(self, items: tuple[peg.Expression, ...], text: str, at: int) -> Made:
        nodes: tuple[Node, ...] = ()
        for item in items:
            made = self._match(item, text, at)
            if made is None:
                return None
            at, nodes = made[0], nodes + made[1]
        return at, nodes

    def _any_order(self, row: peg.AnyOrder, fitting: Sequence[peg.Frame], text: str, at: int, used: int) -> Made:
        made: list[Any] = [(at, ())] if any(not frame.must & ~used for frame in fitting) else []
        for index, item in enumerate(row.items):
            now = used | 1 << index
            left = [frame for frame in fitting if frame.may_have(now)] if now != used else []
            one = self._match(item, text, at) if left else None
            rest = self._any_order(row, left, text, one[0], now) if one is not None and one[0] > at else None
            if one is not None and rest is not None:
                made.append((rest[0], one[1] + rest[1]))
        return max(made, key=lambda item: item[0], default=None)

    def _repeat(self, repeat: peg.Repeat, text: str, at: int) -> Made:
        nodes: tuple[Node, ...] = ()
        count = 0
        while (count == 0 or repeat.many) and (made := self._match(repeat.item, text, at)) is not None:
            count += 1
            if made[0] == at:
                return at, nodes + made[1]
            at, nodes = made[0], nodes + made[1]
        return (at, nodes) if count >= repeat.low else None


def _literal(said: str, text: str, at: int) -> Made:
    """These characters; where the first or the last is a Latin letter, at the edge of a word."""
    at += text[at] == " "
    end = at + len(said)
    if not text.startswith(said, at) or (at and said[0] in LETTERS and text[at - 1] in LETTERS):
        return None
    inside = WORD - LETTERS if said[-1] in WORD - LETTERS else WORD if said[-1] in WORD else frozenset()
    return None if text[end] in inside else (end, ())


def _leaf(matcher: Matcher, text: str, at: int) -> Made:
    nodes: list[Node] = []
    end = matcher(text, at, nodes, _RUN)
    return (end, tuple(nodes)) if end >= 0 else None

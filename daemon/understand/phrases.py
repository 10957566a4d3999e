"""What a language says by itself, so that no name may take it over: "all the lights", "the other one", 所有灯."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import lru_cache

from daemon.understand.matchers import Node
from daemon.understand.parser import Parser

_FREE = "Span"
"""A part that is no word of the language."""
_SAYS = ("quantifier__", "reference__")
_ANSWERS = ("move__select", "move__value", "move__time")
"""Moves that hold somebody's words."""
_MOST = 80
"""Characters; what is longer is no such phrase."""


class Phrases:
    """Knows them. Safe to use from any thread.

    Args:
        parser: The grammar of all languages.
        langs: These languages; those that have no such rule say nothing by themselves.
    """

    def __init__(self, parser: Parser, langs: Iterable[str]) -> None:
        self._parser = parser
        self._targets = parser.known(f"{lang}_targets" for lang in langs)
        self._moves = parser.known(f"Move_{lang}" for lang in langs)
        self.own = lru_cache(maxsize=1024)(self._own)
        """Whether a normalized text says by itself of how many, or of what that was spoken of before, or answers."""

    def _own(self, text: str) -> bool:
        if len(text) > _MOST:
            return False
        trees = (self._parser.parse(rule, text) for rule in self._targets)
        if any(tree is not None and _of_a_set(tree) for tree in trees):
            return True
        moves = (self._parser.parse(rule, text) for rule in self._moves)
        return any(tree is not None and _answers(tree) for tree in moves)


def _of_a_set(tree: Node) -> bool:
    said = [node.rule for node in _inside(tree)]
    return any(rule.startswith(_SAYS) for rule in said) and not any(rule.startswith(_FREE) for rule in said)


def _answers(tree: Node) -> bool:
    marks = {node.rule for node in _inside(tree) if node.rule.startswith("move__")}
    return bool(marks) and marks.isdisjoint(_ANSWERS)


def _inside(tree: Node) -> Iterator[Node]:
    for child in tree.children:
        yield child
        yield from _inside(child)

"""The tree of a parse, sorted: marks, words and parts of one rule, without a language and without an order of words."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from operator import attrgetter

from msgspec import Struct

from daemon.understand.confidence import Confidences
from daemon.understand.lexicon import Lexicon
from daemon.understand.matchers import Node
from daemon.understand.names import NameTable, Spotted
from daemon.understand.numbers import Numbers


def _no_times(_text: str) -> Sequence[Node]:
    return ()


class Reading(Struct, frozen=True):
    """What is needed to turn the nodes of one parse into values."""

    spotted: Spotted
    names: NameTable
    lexicon: Lexicon
    numbers: Numbers
    sure: Confidences
    times: Callable[[str], Sequence[Node]] = _no_times
    """What a text tells of times, wherever it does."""

    def told_before(self, node: Node) -> Node | None:
        """What was told of a time last before a node: "dinner is at eight, *ten minutes before that* ..."."""
        told = [item for item in self.times(self.spotted.text) if item.end <= node.start]
        last = max((item.end for item in told), default=0)
        return next((item for item in sorted(told, key=attrgetter("start")) if item.end == last), None)

    def text(self, node: Node) -> str:
        """What was said there, with the names in it."""
        return self.spotted.restore(self.spotted.text[node.start : node.end]).strip(" ,")

    def meaning(self, name: str, node: Node) -> str:
        """What a word of a class means; a setting of this home is its name, and an option what the device calls it."""
        said = self.spotted.mentions.get(self.spotted.text[node.start : node.end].strip())
        if said is None:
            return self.lexicon.value(name, self.text(node))
        return self.names.meanings[said.text] if said.roles[0] == "setting" else said.text

    def between(self, start: int, end: int) -> str:
        """What was said from `start` to `end`."""
        return self.spotted.restore(self.spotted.text[start:end]).strip(" ,")

    def joint(self, start: int, end: int) -> str:
        """What stands there and joins what is around it, less the spaces."""
        return self.spotted.text[start:end].strip()

    def is_afterthought(self, node: Node) -> bool:
        """Whether a node is a place or a thing alone, behind a comma."""
        if any(child.rule == "afterthought__yes" for child in node.children):
            return True
        named = [child for child in node.children if child.rule.partition("_")[0] in ("Target", "Scope")]
        return (
            len(named) == 1
            and self.text(named[0]) == self.text(node)
            and self.spotted.text[: node.start].rstrip().endswith(",")
        )


class Parts(Struct):
    """What stands in one node: `field__value` marks, words of lexicon classes, and parts (capital rules), in order."""

    node: Node
    marks: dict[str, list[str]] = {}
    words: dict[str, list[Node]] = {}
    parts: dict[str, list[Node]] = {}

    def mark(self, name: str) -> str | None:
        """The last value of a mark: what stands later says more."""
        found = self.marks.get(name)
        return found[-1] if found else None

    def has(self, name: str) -> bool:
        """Whether there is such a mark."""
        return name in self.marks

    def word(self, name: str) -> Node | None:
        """The last word of a class."""
        found = self.words.get(name)
        return found[-1] if found else None

    def part(self, name: str) -> Node | None:
        """The first part of a kind."""
        found = self.parts.get(name)
        return found[0] if found else None

    def all(self, *names: str) -> list[Node]:
        """The parts of these kinds, in the order in which they were said."""
        found = [node for name in names for node in self.parts.get(name, ())]
        return sorted(found, key=lambda node: (node.start, node.end)) if len(found) > 1 else found


def any_has(items: Iterable[Parts], name: str) -> bool:
    """Whether one of them has such a mark."""
    for item in items:  # noqa: SIM110 - a generator takes three times as long, and every clause asks
        if name in item.marks:
            return True
    return False


def parts_of(node: Node) -> Parts:
    """The parts of a node. Marks pass on what stands in them; the insides of a part stay its own."""
    out = Parts(node)
    for child in node.children:
        _sort(child, out)
    return out


def _sort(node: Node, out: Parts) -> None:
    name, value, is_word = _said_by(node.rule)
    if value:
        out.marks.setdefault(name, []).append(value)
        for child in node.children:
            _sort(child, out)
    elif is_word:
        out.words.setdefault(name, []).append(node)
    else:
        out.parts.setdefault(name, []).append(node)


@cache
def _said_by(rule: str) -> tuple[str, str, bool]:
    """The field and the value of a mark; the class of a word (True); the kind of a part, without its language."""
    if "__" in rule:
        name, _, value = rule.partition("__")
        return name, value, False
    return (rule, "", True) if rule.isupper() else (rule.partition("_")[0], "", False)

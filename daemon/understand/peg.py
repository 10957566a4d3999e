"""Reads parsing expression grammars in the standard notation (Ford 2004): text -> rules.

rule <- "literal" [a-z] . other_rule (group) / choice   and the marks ? * + & !   and # comments
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from daemon.errors import ConfigError


class Literal(NamedTuple):
    """Exactly this text."""

    text: str


class OneOf(NamedTuple):
    """One character of (or, `negated`, outside) a set; `.` is everything but the empty set."""

    characters: frozenset[str]
    negated: bool = False


class Ref(NamedTuple):
    """What another rule matches."""

    rule: str
    line: int


class Sequence(NamedTuple):
    """All of them, one after another."""

    items: tuple[Expression, ...]


class Choice(NamedTuple):
    """The first of them that matches."""

    items: tuple[Expression, ...]


class Repeat(NamedTuple):
    """As often as it matches: from `low` times, once at most unless `many`."""

    item: Expression
    low: int
    many: bool


class Look(NamedTuple):
    """Whether it would match here (or, `negated`, would not); consumes nothing."""

    item: Expression
    negated: bool


Expression = Literal | OneOf | Ref | Sequence | Choice | Repeat | Look

_TOKEN = re.compile(
    r"""(?:[ \t\r\n]+|\#[^\n]*)*+
    (?: (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<arrow><-)
      | (?P<literal>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<set>\[(?:[^\]\\\n]|\\.)+\])
      | (?P<mark>[/&!?*+().])
      | (?P<wrong>.) | (?P<end>\Z))""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_SUFFIXES = {"?": (0, False), "*": (0, True), "+": (1, True)}


def read(text: str, file: Path) -> dict[str, Expression]:
    """The rules of a grammar by name, in the order of the text.

    Raises:
        ConfigError: not a grammar; a rule is defined twice, or used and never defined (`external` ones apart).
    """
    return _Reader(text, file).rules()


class _Reader:
    def __init__(self, text: str, file: Path) -> None:
        self._file = file
        self._lines = [found.start() for found in re.finditer("\n", text)]
        tokens = list(self._scan(text))
        self._kinds = [kind for kind, _, _ in tokens]
        self._texts = [said for _, said, _ in tokens]
        self._offsets = [offset for _, _, offset in tokens]
        self._at = 0

    def rules(self) -> dict[str, Expression]:
        rules: dict[str, Expression] = {}
        while self._kind() != "end":
            line = self._line()
            if not self._at_rule():
                raise self._error(f"expected a rule, not {self._text()!r}", "begin each rule with its name and <-")
            name = self._take()
            if name in rules:
                raise ConfigError(self._file, line, name, "this rule is defined twice", "give one of them another name")
            self._take()
            rules[name] = self._choice()
        return rules

    def _scan(self, text: str) -> Iterator[tuple[str, str, int]]:
        """Kind, text and offset of each token."""
        for found in _TOKEN.finditer(text):
            kind = found.lastgroup or ""
            if kind == "wrong":
                at = found.start(kind)
                raise ConfigError(
                    self._file,
                    bisect_right(self._lines, at) + 1,
                    "",
                    f"cannot read {text[at : at + 12].splitlines()[0]!r}",
                    'a rule is a name, <- and literals "..", sets [..], names, ( ) / ? * + & ! .',
                )
            yield kind, found[kind] or "the end of the file", found.start(kind)

    def _at_rule(self) -> bool:
        return self._kinds[self._at] == "name" and self._kinds[self._at + 1] == "arrow"

    def _kind(self) -> str:
        return self._kinds[self._at]

    def _text(self) -> str:
        return self._texts[self._at]

    def _line(self) -> int:
        return bisect_right(self._lines, self._offsets[self._at]) + 1

    def _take(self) -> str:
        self._at += 1
        return self._texts[self._at - 1]

    def _error(self, problem: str, remedy: str) -> ConfigError:
        return ConfigError(self._file, self._line(), "", problem, remedy)

    def _choice(self) -> Expression:
        items = [self._sequence()]
        while self._text() == "/" and self._kind() == "mark":
            self._take()
            items.append(self._sequence())
        return items[0] if len(items) == 1 else Choice(tuple(items))

    def _sequence(self) -> Expression:
        items = []
        while True:
            kind, text = self._kinds[self._at], self._texts[self._at]
            if kind == "name":
                if self._at_rule():
                    break
            elif kind not in ("literal", "set") and not (kind == "mark" and text in "(&!."):
                break
            items.append(self._prefix())
        if not items:
            raise self._error(f"nothing stands before {self._text()!r}", 'write "" where nothing at all is meant')
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _prefix(self) -> Expression:
        if self._texts[self._at] in ("&", "!"):
            negated = self._take() == "!"
            return Look(self._suffix(), negated)
        return self._suffix()

    def _suffix(self) -> Expression:
        item = self._primary()
        while self._texts[self._at] in _SUFFIXES:
            low, many = _SUFFIXES[self._take()]
            item = Repeat(item, low, many)
        return item

    def _primary(self) -> Expression:
        kind = self._kind()
        if kind == "name":
            line = self._line()
            return Ref(self._take(), line)
        line = self._line() if self._text() == "(" else 0
        text = self._take()
        if kind == "literal":
            return Literal(_unescaped(text[1:-1]))
        if kind == "set":
            return OneOf(_members(text[1:-1]))
        if text == ".":
            return OneOf(frozenset(), negated=True)
        item = self._choice()
        if self._text() != ")":
            raise self._error(f"expected ) before {self._text()!r}", f"close the ( of line {line}")
        self._take()
        return item


def _unescaped(text: str) -> str:
    return _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPED.get(m[2], m[2]), text)


def _members(text: str) -> frozenset[str]:
    characters = [_unescaped(item) for item in re.findall(r"\\u[0-9a-fA-F]{4}|\\.|.", text, re.DOTALL)]
    out: set[str] = set()
    at = 0
    while at < len(characters):
        if at + 2 < len(characters) and characters[at + 1] == "-":
            out.update(map(chr, range(ord(characters[at]), ord(characters[at + 2]) + 1)))
            at += 3
        else:
            out.add(characters[at])
            at += 1
    return frozenset(out)


@dataclass(slots=True)
class Survey:
    """What stands in a grammar, wherever it is."""

    literals: set[str] = field(default_factory=set)
    """All that is quoted."""
    characters: set[str] = field(default_factory=set)
    """All members of sets."""
    uses: list[tuple[str, Ref]] = field(default_factory=list)
    """Each use of a rule, with the rule that it is in."""


def survey(rules: Mapping[str, Expression]) -> Survey:
    """Goes through all the rules once."""
    found = Survey()
    for name, expression in rules.items():
        todo: list[Expression] = [expression]
        while todo:
            match todo.pop():
                case Literal(text):
                    found.literals.add(text)
                case Ref() as ref:
                    found.uses.append((name, ref))
                case Sequence(items) | Choice(items):
                    todo.extend(items)
                case Repeat(item) | Look(item):
                    todo.append(item)
                case OneOf(characters):
                    found.characters |= characters
    return found


def choices(rules: Mapping[str, Expression], *names: str) -> list[str]:
    """The rules that these ones choose between."""
    found: list[str] = []
    for name in names:
        expression = rules[name]
        for item in expression.items if isinstance(expression, Choice) else (expression,):
            first = item.items[0] if isinstance(item, Sequence) else item
            if isinstance(first, Ref) and first.rule not in names:
                found.append(first.rule)
    return found

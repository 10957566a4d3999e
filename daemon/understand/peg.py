"""Reads parsing expression grammars in the standard notation (Ford 2004): text -> rules.

rule <- "literal" [a-z] . other_rule (group) / choice   and the marks ? * + & !   and # comments
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from daemon.errors import ConfigError


@dataclass(frozen=True, slots=True)
class Literal:
    """Exactly this text."""

    text: str


@dataclass(frozen=True, slots=True)
class OneOf:
    """One character of (or, `negated`, outside) a set; `.` is everything but the empty set."""

    characters: frozenset[str]
    negated: bool = False


@dataclass(frozen=True, slots=True)
class Ref:
    """What another rule matches."""

    rule: str
    line: int


@dataclass(frozen=True, slots=True)
class Sequence:
    """All of them, one after another."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """The first of them that matches."""

    items: tuple[Expression, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """As often as it matches: from `low` times, once at most unless `many`."""

    item: Expression
    low: int
    many: bool


@dataclass(frozen=True, slots=True)
class Look:
    """Whether it would match here (or, `negated`, would not); consumes nothing."""

    item: Expression
    negated: bool


Expression = Literal | OneOf | Ref | Sequence | Choice | Repeat | Look

_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n]+|\#[^\n]*)
      | (?P<rule>[A-Za-z_][A-Za-z0-9_]*)(?=(?:[ \t\r\n]|\#[^\n]*(?:\n|$))*<-)
      | (?P<name>[A-Za-z_][A-Za-z0-9_]*)
      | (?P<arrow><-)
      | (?P<literal>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*')
      | (?P<set>\[(?:[^\]\\\n]|\\.)+\])
      | (?P<mark>[/&!?*+().])""",
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
        self._tokens = list(self._scan(text))
        self._at = 0

    def rules(self) -> dict[str, Expression]:
        rules: dict[str, Expression] = {}
        while self._kind() != "end":
            line = self._line()
            if self._kind() != "rule":
                raise self._error(f"expected a rule, not {self._text()!r}", "begin each rule with its name and <-")
            name = self._take()
            if name in rules:
                raise ConfigError(self._file, line, name, "this rule is defined twice", "give one of them another name")
            self._take()
            rules[name] = self._choice()
        return rules

    def _scan(self, text: str) -> Iterator[tuple[str, str, int]]:
        at, line = 0, 1
        while at < len(text):
            match = _TOKEN.match(text, at)
            if match is None:
                snippet = text[at : at + 12].split("\n", maxsplit=1)[0]
                raise ConfigError(
                    self._file,
                    line,
                    "",
                    f"cannot read {snippet!r}",
                    'a rule is a name, <- and literals "..", sets [..], names, ( ) / ? * + & ! .',
                )
            kind = match.lastgroup or ""
            if kind != "space":
                yield kind, match.group(), line
            line += match.group().count("\n")
            at = match.end()
        yield "end", "the end of the file", line

    def _kind(self) -> str:
        return self._tokens[self._at][0]

    def _text(self) -> str:
        return self._tokens[self._at][1]

    def _line(self) -> int:
        return self._tokens[self._at][2]

    def _take(self) -> str:
        self._at += 1
        return self._tokens[self._at - 1][1]

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
        while self._kind() in ("name", "literal", "set") or (self._kind() == "mark" and self._text() in "(&!."):
            items.append(self._prefix())
        if not items:
            raise self._error(f"nothing stands before {self._text()!r}", 'write "" where nothing at all is meant')
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _prefix(self) -> Expression:
        if self._kind() == "mark" and self._text() in "&!":
            negated = self._take() == "!"
            return Look(self._suffix(), negated)
        return self._suffix()

    def _suffix(self) -> Expression:
        item = self._primary()
        while self._kind() == "mark" and self._text() in _SUFFIXES:
            low, many = _SUFFIXES[self._take()]
            item = Repeat(item, low, many)
        return item

    def _primary(self) -> Expression:
        kind, line = self._kind(), self._line()
        text = self._take()
        if kind == "name":
            return Ref(text, line)
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


def literals(rules: Mapping[str, Expression]) -> set[str]:
    """All that is quoted in a grammar."""
    found: set[str] = set()

    def walk(expression: Expression) -> None:
        match expression:
            case Literal():
                found.add(expression.text)
            case Sequence() | Choice():
                for item in expression.items:
                    walk(item)
            case Repeat() | Look():
                walk(expression.item)

    for expression in rules.values():
        walk(expression)
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

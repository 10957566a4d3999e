"""Reads parsing expression grammars in the standard notation (Ford 2004): text -> rules.

rule <- "literal" [a-z] . other_rule (group) / choice   and the marks ? * + & !   and # comments
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from msgspec import Struct

from daemon.core.errors import ConfigError


class Literal(Struct, frozen=True, gc=False):
    """Exactly this text."""

    text: str


class OneOf(Struct, frozen=True, gc=False):
    """One character of (or, `negated`, outside) a set; `.` is everything but the empty set."""

    characters: frozenset[str]
    negated: bool = False


class Ref(Struct, frozen=True, gc=False):
    """What another rule matches."""

    rule: str
    line: int


class Sequence(Struct, frozen=True, gc=False):
    """All of them, one after another."""

    items: tuple[Expression, ...]


class Choice(Struct, frozen=True, gc=False):
    """The first of them that matches."""

    items: tuple[Expression, ...]


class Repeat(Struct, frozen=True, gc=False):
    """As often as it matches: from `low` times, once at most unless `many`."""

    item: Expression
    low: int
    many: bool


class Look(Struct, frozen=True, gc=False):
    """Whether it would match here (or, `negated`, would not); consumes nothing."""

    item: Expression
    negated: bool


class Frame(Struct, frozen=True, gc=False):
    """Which items belong together, as bits."""

    order: tuple[int, ...]
    """What is there of those that come in one order: nothing at first, then the first of them, and so on to all."""
    must: int
    """All that must be there, these and what may stand anywhere."""
    all: int
    """The same, and what may be there."""

    def may_have(self, used: int) -> bool:
        """Whether these may be some of it, as far as they have been said."""
        return not used & ~self.all and used & self.order[-1] in self.order


class AnyOrder(Struct, frozen=True, gc=False):
    """As far as they go: some of its items, each once, in whatever order. No notation has it: tables make it."""

    items: tuple[Expression, ...]
    frames: tuple[Frame, ...]
    least: Expression
    """What must be there, in some order."""


Expression = Literal | OneOf | Ref | Sequence | Choice | Repeat | Look | AnyOrder

_TOKEN = re.compile(
    r"""[ ]*( "[^"\\]*(?:\\.[^"\\]*)*"
      | \("[^"\\]*"(?:[ ]/[ ]"[^"\\]*")+\)   # a choice of words: most of a grammar is in them
      | [A-Za-z_][A-Za-z0-9_]* | [/&!?*+().] | <-
      | '[^'\\]*(?:\\.[^'\\]*)*'
      | \#.*
      | \[(?:[^\]\\]|\\.)+\]          # a set
      | \S )""",
    re.VERBOSE,
)
_QUOTED = re.compile(r'"([^"]*)"')
_NAME = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_")
_MARKS = frozenset("/&!?*+().") | _NAME
_END = ""
"""Stands behind the last token."""
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))")
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}
_SUFFIXES = {"?": (0, False), "*": (0, True), "+": (1, True)}


def load(files: Iterable[Path]) -> tuple[dict[str, Expression], dict[str, Path]]:
    """The rules of a grammar that is written in several files, and where each of them stands.

    Raises:
        ConfigError: a file cannot be read or is no grammar, or a rule is defined twice.
    """
    rules: dict[str, Expression] = {}
    where: dict[str, Path] = {}
    for file in files:
        try:
            found = read(file.read_text(encoding="utf-8"), file)
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(file, None, "", f"cannot be read ({error})", "it should be text in UTF-8") from None
        if twice := sorted(rules.keys() & found):
            problem = f"this rule is also defined in {where[twice[0]]}"
            raise ConfigError(file, None, twice[0], problem, "give one of them another name")
        rules |= found
        where |= dict.fromkeys(found, file)
    return rules, where


def read(text: str, file: Path) -> dict[str, Expression]:
    """The rules of a grammar by name, in the order of the text.

    Raises:
        ConfigError: not a grammar, or a rule is defined twice.
    """
    return _Reader(text, file).rules()


class _Reader:
    def __init__(self, text: str, file: Path) -> None:
        self._file = file
        self._tokens: list[str] = []
        self._lines: list[int] = []
        for number, line in enumerate(text.split("\n"), 1):
            found = _TOKEN.findall(line)
            if found and found[-1][0] == "#":
                found.pop()
            self._tokens += found
            self._lines += [number] * len(found)
        self._tokens.append(_END)
        self._lines.append(text.count("\n") + 1)
        wrong = {token for token in set(self._tokens) if len(token) == 1 and token not in _MARKS}
        if wrong:
            raise self._unreadable(wrong, text)
        self._at = 0
        self._words: dict[str, Literal | Choice] = {
            token: Choice(tuple(map(Literal, _QUOTED.findall(token))))
            if token[0] == "("
            else Literal(_unescaped(token[1:-1]))
            for token in set(self._tokens)
            if len(token) > 1 and token[0] in "\"'("
        }

    def rules(self) -> dict[str, Expression]:
        rules: dict[str, Expression] = {}
        while (name := self._tokens[self._at]) != _END:
            line = self._lines[self._at]
            if not self._at_rule(self._at):
                raise self._error(f"expected a rule, not {name!r}", "begin each rule with its name and <-")
            if name in rules:
                raise ConfigError(self._file, line, name, "this rule is defined twice", "give one of them another name")
            self._at += 2
            rules[name] = self._choice()
        return rules

    def _at_rule(self, at: int) -> bool:
        return self._tokens[at][:1] in _NAME and self._tokens[at + 1] == "<-"

    def _choice(self) -> Expression:
        tokens = self._tokens
        items: list[Expression] = []
        while True:
            # Most are words alone, and there are thousands of them.
            words = self._words.get(tokens[self._at])
            if words is not None and tokens[self._at + 1] in ("/", ")"):
                items.append(words)
                self._at += 1
            else:
                items.append(self._sequence())
            if tokens[self._at] != "/":
                break
            self._at += 1
        return items[0] if len(items) == 1 else Choice(tuple(items))

    def _sequence(self) -> Expression:
        tokens = self._tokens
        items: list[Expression] = []
        while True:
            look = tokens[self._at]
            if look in ("&", "!"):
                self._at += 1
            token = tokens[self._at]
            item: Expression | None = self._words.get(token)
            if item is not None:
                self._at += 1
            elif (item := self._primary(token)) is None:
                break
            while (suffix := tokens[self._at]) in _SUFFIXES:
                self._at += 1
                item = Repeat(item, *_SUFFIXES[suffix])
            items.append(Look(item, look == "!") if look in ("&", "!") else item)
        if not items or look in ("&", "!"):
            raise self._error(
                f"nothing stands before {tokens[self._at] or 'the end of the file'!r}",
                'write "" where nothing at all is meant',
            )
        return items[0] if len(items) == 1 else Sequence(tuple(items))

    def _primary(self, token: str) -> Expression | None:
        """What begins at this token, no quoted words, which is passed; None where nothing does."""
        first = token[:1]
        item: Expression
        if first in _NAME:
            if self._tokens[self._at + 1] == "<-":
                return None
            item = Ref(token, self._lines[self._at])
        elif first == "(":
            line = self._lines[self._at]
            self._at += 1
            item = self._choice()
            if self._tokens[self._at] != ")":
                found = self._tokens[self._at] or "the end of the file"
                raise self._error(f"expected ) before {found!r}", f"close the ( of line {line}")
        elif first == "[":
            item = OneOf(_members(token[1:-1]))
        elif first == ".":
            item = OneOf(frozenset(), negated=True)
        else:
            return None
        self._at += 1
        return item

    def _error(self, problem: str, remedy: str) -> ConfigError:
        return ConfigError(self._file, self._lines[self._at], "", problem, remedy)

    def _unreadable(self, wrong: set[str], text: str) -> ConfigError:
        index = next(index for index, token in enumerate(self._tokens) if token in wrong)
        line = self._lines[index]
        said = text.split("\n")[line - 1]
        at = next(found.start(1) for found in _TOKEN.finditer(said) if found[1] in wrong)
        return ConfigError(
            self._file,
            line,
            "",
            f"cannot read {said[at : at + 12]!r}",
            'a rule is a name, <- and literals "..", sets [..], names, ( ) / ? * + & ! .',
        )


def _unescaped(text: str) -> str:
    if "\\" not in text:
        return text
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
    literals, uses = found.literals, found.uses
    for name, expression in rules.items():
        waiting: list[Expression] = [expression]
        for item in waiting:  # which grows meanwhile; there are tens of thousands, most of them literals
            if isinstance(item, Literal):
                literals.add(item.text)
            elif isinstance(item, Ref):
                uses.append((name, item))
            elif isinstance(item, (Sequence, Choice, AnyOrder)):
                waiting += item.items
            elif isinstance(item, (Repeat, Look)):
                waiting.append(item.item)
            elif isinstance(item, OneOf):
                found.characters |= item.characters
    return found

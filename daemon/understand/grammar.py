"""Normalized text + the home's names -> readings, best first."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import cast

from daemon.errors import ConfigError
from daemon.ir import KINDS, Kind, Lang, Program
from daemon.understand import peg
from daemon.understand.build import SURE_ENOUGH, build_program
from daemon.understand.lexicon import Lexicon
from daemon.understand.names import ROLES, NamedThing, NameTable, RoleClass, Spotted
from daemon.understand.normalize import MAX_LENGTH, Normalized
from daemon.understand.numbers import Numbers
from daemon.understand.parser import END, Furthest, Parser
from daemon.understand.parts import Reading
from daemon.understand.tidy import Tidy

_NAMELIKE = frozenset({"ROOM", "LEVEL", "NAMEKIND", "NAMEKINDS"})
"""Classes whose words are names rather than grammar."""
_CLEAR = 0.9
"""A reading this sure needs no second one in which plain words are names."""
_STARTS: tuple[Lang, ...] = ("en", "zh")


@dataclass(frozen=True, slots=True)
class Progress:
    """How far one rule came in a text, and what would have let it go on."""

    rule: str
    reached: str
    """The part of the text that it read."""
    expected: tuple[str, ...]
    whole: bool
    """Whether it read all of it."""


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a text was read as it was, or not at all."""

    text: str
    """What was parsed: the names in angle brackets."""
    rules: tuple[Progress, ...]
    """The furthest first."""

    @property
    def expected(self) -> tuple[str, ...]:
        """What was expected where the furthest rules stopped."""
        best = max((len(rule.reached) for rule in self.rules), default=0)
        found = [word for rule in self.rules if len(rule.reached) == best for word in rule.expected]
        return tuple(dict.fromkeys(found))


class _Whole:
    """The terminal INTEGER."""

    def __init__(self, numbers: Numbers) -> None:
        self.first: frozenset[str] | None = numbers.first
        self.match = numbers.match_whole


class _Number:
    """The terminal NUMBER."""

    def __init__(self, numbers: Numbers) -> None:
        self.first: frozenset[str] | None = numbers.first
        self.match = numbers.match


class _Word:
    """The terminal `word`: up to the next space or comma."""

    first: frozenset[str] | None = None
    _find = re.compile(r"[^ ,\n]+")

    def match(self, text: str, at: int) -> int:
        found = self._find.match(text, at)
        return found.end() if found else -1


@dataclass(slots=True)
class Grammar:
    """The grammar of all languages, ready to read. Safe to use from any thread once it is loaded."""

    lexicon: Lexicon
    numbers: Numbers
    rules: Mapping[str, peg.Expression]
    file: Path
    _parser: Parser
    _tidy: dict[str, Tidy] = field(default_factory=dict)
    _plain: frozenset[str] = frozenset()

    @classmethod
    def load(cls, rules: Path) -> Grammar:
        """The grammar and the word lists of this folder: `*.peg` and `lexicon.*.yaml`.

        Raises:
            ConfigError: one of them is missing or wrong; names the file and the line.
        """
        files = sorted(rules.glob("*.peg"))
        if not files:
            raise ConfigError(rules, None, "", "has no grammar", "there should be a grammar.peg in it")
        lexicon = Lexicon.load(sorted(rules.glob("lexicon.*.yaml")))
        numbers = Numbers(lexicon.numbers)
        definitions: dict[str, peg.Expression] = {}
        for file in files:
            try:
                definitions |= peg.read(file.read_text(encoding="utf-8"), file)
            except (OSError, UnicodeDecodeError) as error:
                raise ConfigError(file, None, "", f"cannot be read ({error})", "it should be text in UTF-8") from None
        starts = [start for start in _STARTS if start in definitions]
        if not starts:
            raise ConfigError(files[0], None, "", "has no rule to start from", f"name one of {', '.join(_STARTS)}")
        parser = Parser(definitions, _terminals(lexicon, numbers), files[0])
        parser.compile(*starts)
        plain = frozenset(
            word for name, words in lexicon.classes.items() if name not in _NAMELIKE for word in words.values
        )
        return cls(
            lexicon=lexicon,
            numbers=numbers,
            rules=definitions,
            file=files[0],
            _parser=parser,
            _tidy={lang: Tidy(lexicon.rewrites, fillers) for lang, fillers in lexicon.fillers.items()},
            _plain=plain | frozenset(peg.literals(definitions)),
        )

    @property
    def kind_words(self) -> dict[str, Kind]:
        """Every word for a kind of thing, in all languages, and the kind."""
        found: dict[str, Kind] = {}
        for name in ("NAMEKINDS", "NAMEKIND", "KINDS", "KIND"):
            if name in self.lexicon.classes:
                values = self.lexicon.classes[name].values
                found |= {word: cast("Kind", kind) for word, kind in values.items() if kind in KINDS}
        return found

    def names(self, things: list[NamedThing]) -> NameTable:
        """A name table that also knows the names with their numbers in the other spelling."""
        return NameTable(things, self.numbers.spellings)

    def read(self, normalized: Normalized, names: NameTable) -> tuple[Program, ...]:
        """The readings of a text, the surest first; none where it is not understood or not for us."""
        if not normalized.text or len(normalized.text) > MAX_LENGTH:
            return ()
        found: list[Program] = []
        for skip in (self._is_plain, _nothing):
            if found and found[0].confidence >= _CLEAR:
                break
            spotted = names.spot(normalized.text, skip)
            if skip is _nothing and not any(self._is_plain(mention.text) for mention in spotted.mentions.values()):
                break
            program = self._program(spotted, normalized, names)
            if program is not None:
                found.append(program)
        found.sort(key=lambda program: -program.confidence)
        return tuple(dict.fromkeys(found))

    def explain(self, normalized: Normalized, names: NameTable) -> Explanation:
        """How far each kind of sentence came in a text. Slow: compiles a tracing parser."""
        spotted = names.spot(normalized.text[:MAX_LENGTH], self._is_plain)
        text = self._tidied(spotted.text, normalized.lang)
        furthest = Furthest()
        parser = Parser(self.rules, _terminals(self.lexicon, self.numbers), self.file, furthest)
        progress = []
        for rule in peg.choices(self.rules, f"{normalized.lang}_body", f"{normalized.lang}_act"):
            furthest.at = 0
            furthest.expected.clear()
            end = parser.reach(rule, text)
            at = max(end, furthest.at)
            progress.append(
                Progress(
                    rule,
                    spotted.restore(text[:at]).strip(),
                    tuple(sorted(furthest.expected)) if furthest.at >= end else (),
                    whole=end >= 0 and not text[end:].strip(),
                )
            )
        progress.sort(key=lambda item: (-len(item.reached), item.rule))
        shown = "".join(
            f"<{spotted.mentions[char].text}>" if char in spotted.mentions else char for char in text
        )
        return Explanation(shown, tuple(progress))

    def _program(self, spotted: Spotted, normalized: Normalized, names: NameTable) -> Program | None:
        other: Lang = "en" if normalized.lang == "zh" else "zh"
        for lang in (normalized.lang, other):
            if lang not in self.rules:
                continue
            text = self._tidied(spotted.text, lang)
            tree = self._parser.parse(lang, text) if text else None
            if tree is None:
                continue
            reading = Reading(replace(spotted, text=text), names, self.lexicon, self.numbers)
            program = build_program(tree, reading, normalized.lang, spotted.restore(text))
            if program is not None:
                return program
        return None

    def _tidied(self, text: str, lang: str) -> str:
        tidy = self._tidy.get(lang)
        return tidy(text) if tidy is not None else text

    def _is_plain(self, name: str) -> bool:
        """Whether a name is also a word of the language."""
        return name in self._plain


def _nothing(_name: str) -> bool:
    return False


def _terminals(lexicon: Lexicon, numbers: Numbers) -> dict[str, object]:
    terminals: dict[str, object] = dict(lexicon.classes)
    terminals |= {role.upper(): RoleClass(role) for role in ROLES}
    return terminals | {"NUMBER": _Number(numbers), "INTEGER": _Whole(numbers), "word": _Word()}

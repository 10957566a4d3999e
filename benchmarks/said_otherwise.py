"""Our own sentences as they may reach us: as they were said, misheard, with a word missing; and what is not for us.

Each comes with what was meant, so that it can be told whether a reading of it is right.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, cast
from zlib import crc32

import yaml

from benchmarks.mishearing import mishearing
from benchmarks.spoken_names import House
from daemon.core.ir import Clause, Inquiry, Lang, Order, Program, Target
from daemon.core.resolution import Context
from daemon.core.trace import Trace
from daemon.core.values import replace
from daemon.resolve.comprehension import Comprehension
from daemon.resolve.readings import Heard, Readings
from daemon.understand.grammar import Grammar
from daemon.understand.names import NamedThing, NameTable, Role
from daemon.understand.normalize import normalize

ROOT: Final = Path(__file__).resolve().parent.parent
TABLES: Final = ROOT / "tests" / "understand" / "tables"
LANGS: Final[tuple[Lang, ...]] = ("en", "zh")
SIZE: Final = 80
"""Devices of the homes in which names are looked for."""

How = Literal["said", "misheard", "cut", "foreign"]


@dataclass(frozen=True, slots=True)
class Judged:
    """One sentence, and what was made of it."""

    text: str
    how: How
    program: Program | None
    """None where it was read as no command, or breaks off."""
    right: bool
    first: bool
    """Whether its sentence is of the half that is learnt from."""


class Sayings:
    """All that is said, as a grammar reads it."""

    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        listed = yaml.safe_load((TABLES / "names.yaml").read_text(encoding="utf-8"))
        self._names = grammar.names(
            [NamedThing(text, cast("Role", role)) for role, texts in listed.items() for text in texts]
        )
        self._homes = {lang: _Home(grammar, lang) for lang in LANGS}

    def all(self) -> Iterator[Judged]:
        """Every sentence with its reading; seeded."""
        for lang in LANGS:
            yield from self._tables(lang, random.Random(3))
            yield from self._named(lang, random.Random(4))
            yield from self._foreign(lang)

    def _tables(self, lang: Lang, rng: random.Random) -> Iterator[Judged]:
        """The sentences of the tables: each in two homes (one has none of its names), once misheard, once cut."""
        hears = mishearing(lang)
        for sentence in _sentences(lang):
            first = _is_first(sentence)
            meant = self._read(sentence, lang)
            if meant is None:
                continue
            yield Judged(sentence, "said", meant, right=True, first=first)
            if (strange := self._read(sentence, lang, _NOBODYS)) is not None:
                same = list(map(_bare, strange.clauses)) == list(map(_bare, meant.clauses))
                yield Judged(sentence, "said", strange, right=same, first=first)  # its names may be kinds here
            words = sentence.split() if lang == "en" else list(sentence)
            at = rng.randrange(len(words))
            heard = hears.misheard(words[at], 1, rng) if hears.sounds(words[at]) else None
            for how, word in (("misheard", heard), ("cut", "")):
                if word is None or len(words) == 1:
                    continue
                text = (" " if lang == "en" else "").join(filter(None, (*words[:at], word, *words[at + 1 :])))
                program = self._read(text, lang)
                right = program is not None and _alike(program, meant)
                yield Judged(text, cast("How", how), program, right=right, first=first)

    def _named(self, lang: Lang, rng: random.Random) -> Iterator[Judged]:
        """Commands to devices of a made home, and to such as it has not, by their names as an ear takes them."""
        home = self._homes[lang]
        for errors in (0, 1, 2, None):
            for index, spoken in enumerate(home.house.spoken(2 * SIZE, "name", errors, rng)):
                verb, actions = _VERBS[lang][index % len(_VERBS[lang])]
                text = verb.format(spoken.target.mention)
                program = home.read(text, lang)
                right = program is not None and len(program.clauses) == len(program.clauses[0].targets) == 1
                right = right and program is not None and program.clauses[0].action in actions
                how: How = "said" if errors == 0 else "misheard"
                yield Judged(text, how, program, right=right, first=_is_first(spoken.said))

    def _foreign(self, lang: Lang) -> Iterator[Judged]:
        file = ROOT / "benchmarks" / f"not_for_us.{lang}.txt"
        told = _sentences(lang, nothing=True)
        for text in (*file.read_text(encoding="utf-8").splitlines(), *told):
            for read in (self._read, self._homes[lang].read):
                program = read(text, lang)
                if program is not None and all(clause.negated for clause in program.clauses):
                    program = None
                yield Judged(text, "foreign", program, right=False, first=_is_first(text))

    def _read(self, text: str, lang: Lang, names: NameTable | None = None) -> Program | None:
        return _whole(self._grammar.read(normalize(text, lang), self._names if names is None else names))


class _Home:
    """A made home, and what it makes of texts."""

    def __init__(self, grammar: Grammar, lang: Lang) -> None:
        self.house = House.made(SIZE, lang, grammar)
        self._comprehension = Comprehension(grammar, self.house.registry)
        self._readings = Readings(self._comprehension, self.house.resolver)

    def read(self, text: str, lang: Lang) -> Program | None:
        normalized = normalize(text, lang)
        heard = Heard(normalized.text, lang, self._comprehension.read(normalized), 1.0)
        choice = self._readings.chosen(heard, iter(()), Context(lang=lang), Trace())
        return _whole((choice.program,)) if choice is not None else None


_NOBODYS: Final = NameTable()
"""Of a home that has nothing of what the tables speak of."""
_ON: Final = frozenset({"turn_on", "open"})
_OFF: Final = frozenset({"turn_off", "close"})
_VERBS: Final[dict[Lang, tuple[tuple[str, frozenset[str]], ...]]] = {
    "en": (("switch on {}", _ON), ("turn off the {}", _OFF), ("please turn the {} on", _ON)),
    "zh": (("打开{}", _ON), ("把{}关掉", _OFF), ("麻烦把{}开一下", _ON)),
}


def _sentences(lang: Lang, *, nothing: bool = False) -> list[str]:
    """Those of the tables that mean something; or those that mean nothing."""
    return [
        sentence
        for path in sorted(TABLES.glob(f"*.{lang}.yaml"))
        for entry in yaml.safe_load(path.read_text(encoding="utf-8"))
        if (entry["means"] == "nothing") is nothing
        for sentence in entry["say"]
    ]


def _is_first(sentence: str) -> bool:
    return crc32(sentence.encode()) % 2 == 0


def _whole(readings: Sequence[Program]) -> Program | None:
    """The best reading, where it is a command or a question that does not break off."""
    if not readings or readings[0].missing is not None:
        return None
    return readings[0] if any(isinstance(clause, Order | Inquiry) for clause in readings[0].clauses) else None


def _alike(read: Program, meant: Program) -> bool:
    """Whether one reading says what another does, but for the words of names: those are the home's to know."""
    if len(read.clauses) != len(meant.clauses):
        return False
    return all(_same(one, other) for one, other in zip(read.clauses, meant.clauses, strict=True))


def _same(one: Clause, other: Clause) -> bool:
    if len(one.targets) != len(other.targets) or not all(map(_same_target, one.targets, other.targets)):
        return False
    if len(one.excluded) != len(other.excluded) or len(one.conditions) != len(other.conditions):
        return False
    for test, meant in zip(one.conditions, other.conditions, strict=True):
        if not _same_target(test.target, meant.target):
            return False
        if replace(test, target=meant.target, confidence=1.0) != replace(meant, confidence=1.0):
            return False
    return _bare(one) == _bare(other)


def _bare(clause: Clause) -> Clause:
    if not isinstance(clause, Order | Inquiry):
        return replace(clause, conditions=(), confidence=1.0)
    parameter = replace(clause.parameter, confidence=1.0) if clause.parameter is not None else None
    if parameter is not None and parameter.attribute == "media":
        parameter = replace(parameter, value=None)
    return replace(clause, targets=(), excluded=(), conditions=(), parameter=parameter, confidence=1.0)


def _same_target(one: Target, other: Target) -> bool:
    """Whether it is the same, or a name that may be heard for it."""
    if replace(one, confidence=other.confidence) == other:
        return True
    return one.mention is not None and other.reference is None and one.reference is None

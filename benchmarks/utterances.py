"""Utterances that nobody planned for: words at random, sentences bent and broken, any Unicode, far too long ones."""

from __future__ import annotations

import random
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

from daemon.core.ir import Lang
from daemon.system.languages import LANGS
from daemon.understand import peg
from daemon.understand.grammar import Grammar
from daemon.understand.terminals import terminals_of

ROOT: Final = Path(__file__).resolve().parent.parent
# As text throughout: "yes" and "no" are words here.
PHRASES: Final[dict[str, dict[Lang, list[str]]]] = yaml.load(
    (ROOT / "benchmarks" / "fuzzing.yaml").read_text(encoding="utf-8"), yaml.BaseLoader
)
_HAN: Final = re.compile("[\u4e00-\u9fff]")
_NAME: Final = "{name}"
_DEEPEST: Final = 30
"""A derivation that is deeper takes what is shortest."""
_LONG: Final = 12_000
"""Characters."""
_MOST_WORDS: Final = 14
_MOST_NESTED: Final = 60
_SIGNS: Final = ",.;:!?-'\"()[]{}<>/\\|@#$%^&*+=~`_，。？！、：；…“”《》°"

_NUMBERS: Final = frozenset({"NUMBER", "INTEGER", "ABOUT"})

Make = Callable[[random.Random, Sequence[str]], str]


class Utterances:
    """Makes utterances in one language, or in both at once.

    Args:
        grammar: Whose words and rules are used.
        lang: The language; None mixes them.
    """

    def __init__(self, grammar: Grammar, lang: Lang | None) -> None:
        self._langs: tuple[Lang, ...] = LANGS if lang is None else (lang,)
        self._derivations = _Derivations(grammar)
        found = peg.survey(grammar.rules).literals
        words = {word for name, item in grammar.lexicon.classes.items() if name for word in item.values} | found
        self._words = [sorted(word for word in words if word.strip() and _is(word, one)) for one in self._langs]
        self._sentences = [_sentences(one) for one in self._langs]
        self._ways: list[tuple[Make, float]] = [
            (self._sentence, 20),
            (self._bent, 30),
            (self._spliced, 8),
            (self._at_random, 8),
            (self._derived, 10),
            (self._risky, 10),
            (self._mixed, 4),
            (self._strange, 6),
            (self._nested, 4),
            (self._long, 1),
            (self._nothing, 1),
        ]

    def one(self, rng: random.Random, names: Sequence[str]) -> str:
        """One utterance; names of the home are put into some."""
        return _made(self._ways, rng, names)

    def answer(self, rng: random.Random, names: Sequence[str]) -> str:
        """What somebody may say while a question is open."""
        lang = rng.choice(self._langs)
        yes, other = rng.choice(PHRASES["yes"][lang]), rng.choice(PHRASES["answers"][lang])
        ways: list[tuple[Make, float]] = [
            (lambda _, __: yes, 2),
            (lambda _, __: other, 4),
            (lambda _, __: self._bend(rng.choice((yes, other)), rng), 1),
            (lambda _, __: rng.choice(names), 1),
            (self._risky, 1),
            (self._at_random, 1),
        ]
        return _made(ways, rng, names)

    def _sentence(self, rng: random.Random, names: Sequence[str]) -> str:
        text = rng.choice(rng.choice(self._sentences))
        return _with_name(text, rng, names) if chance(rng, 0.3) else text

    def _bent(self, rng: random.Random, names: Sequence[str]) -> str:
        return self._bend(self._sentence(rng, names), rng)

    def _bend(self, text: str, rng: random.Random) -> str:
        for _ in range(rng.choice((1, 1, 1, 2, 2, 3, 6))):
            bend = rng.choice((_drop, _double, _swap, _misspell, _sign, _case, _strange_character, self._replace))
            text = bend(text, rng)
        return text

    def _replace(self, text: str, rng: random.Random) -> str:
        words = _words_of(text)
        words[rng.randrange(len(words))] = rng.choice(rng.choice(self._words))
        return _joined(words, text)

    def _spliced(self, rng: random.Random, names: Sequence[str]) -> str:
        one, other = self._sentence(rng, names), self._sentence(rng, names)
        if chance(rng, 0.5):
            return one + rng.choice((" ", " and ", ", ", "，", "然后", ". ", "")) + other
        return one[: rng.randrange(len(one) + 1)] + other[rng.randrange(len(other) + 1) :]

    def _at_random(self, rng: random.Random, names: Sequence[str]) -> str:
        pool = rng.choice(self._words)
        some = [rng.choice(names if chance(rng, 0.1) else pool) for _ in range(rng.randint(1, _MOST_WORDS))]
        return _joined(some, some[0])

    def _derived(self, rng: random.Random, names: Sequence[str]) -> str:
        return self._derivations.one(rng.choice(self._langs), rng, names)

    def _risky(self, rng: random.Random, names: Sequence[str]) -> str:
        text = rng.choice(PHRASES["risky"][rng.choice(self._langs)])
        while _NAME in text:
            text = text.replace(_NAME, rng.choice(names), 1)
        return self._bend(text, rng) if chance(rng, 0.2) else text

    def _mixed(self, rng: random.Random, _: Sequence[str]) -> str:
        some = [rng.choice(rng.choice(self._words)) for _ in range(rng.randint(2, 8))]
        return rng.choice(("", " ")).join(some)

    def _strange(self, rng: random.Random, names: Sequence[str]) -> str:
        if chance(rng, 0.3):
            return "".join(rng.choice(rng.choice(_alphabets())) for _ in range(rng.randint(1, 40)))
        text = self._sentence(rng, names)
        for _ in range(rng.randint(1, 8)):
            text = _strange_character(text, rng)
        return text

    def _nested(self, rng: random.Random, _: Sequence[str]) -> str:
        first, *others = PHRASES["nested"][rng.choice(self._langs)]
        few = rng.sample(others, rng.randint(1, 3))
        return first + "".join(rng.choice(few) for _ in range(rng.randint(2, _MOST_NESTED)))

    def _long(self, rng: random.Random, names: Sequence[str]) -> str:
        piece = rng.choice((self._sentence, self._at_random, self._nested, self._strange))(rng, names) + " "
        if chance(rng, 0.3):
            piece = rng.choice(piece)
        return (piece * (_LONG // len(piece) + 1))[: rng.randint(300, _LONG)]

    def _nothing(self, rng: random.Random, _: Sequence[str]) -> str:
        return rng.choice(("", " ", "\t\n", "\u3000", "...", "？", "\u200b", "''", "-", "\x00"))


def chance(rng: random.Random, share: float) -> bool:
    """True in so many cases."""
    return rng.random() < share


def _made(ways: Sequence[tuple[Make, float]], rng: random.Random, names: Sequence[str]) -> str:
    return rng.choices([make for make, _ in ways], [weight for _, weight in ways])[0](rng, names)


class _Derivations:
    """Sentences that a grammar allows, looks ahead aside."""

    def __init__(self, grammar: Grammar) -> None:
        self._rules = grammar.rules
        self._terminals: dict[str, Any] = dict(terminals_of(grammar.lexicon, grammar.numbers))

    def one(self, lang: Lang, rng: random.Random, names: Sequence[str]) -> str:
        return _joined([item for item in self._of(self._rules[lang], 0, rng, names) if item.strip()], _SAMPLES[lang])

    def _of(self, item: peg.Expression, depth: int, rng: random.Random, names: Sequence[str]) -> Iterator[str]:
        """The words of an expression, in one of its ways."""
        if isinstance(item, peg.Literal):
            yield item.text
        elif isinstance(item, peg.OneOf):
            yield rng.choice(sorted(item.characters)) if item.characters and not item.negated else "x"
        elif isinstance(item, peg.Ref) and item.rule not in self._rules:
            yield self._terminal(item.rule, rng, names)
        else:
            for part in self._parts(item, depth, rng):
                yield from self._of(part, depth + 1, rng, names)

    def _parts(self, item: peg.Expression, depth: int, rng: random.Random) -> Sequence[peg.Expression]:
        if isinstance(item, peg.Sequence):
            return item.items
        if isinstance(item, peg.Choice):
            plain = [one for one in item.items if isinstance(one, peg.Literal)]
            return [rng.choice(plain if plain and depth > _DEEPEST else item.items)]
        if isinstance(item, peg.Repeat):
            return [item.item] * max(item.low, int(chance(rng, 0.3 if depth < _DEEPEST else 0.02)))
        return [self._rules[item.rule]] if isinstance(item, peg.Ref) and depth < 3 * _DEEPEST else []

    def _terminal(self, name: str, rng: random.Random, names: Sequence[str]) -> str:
        values = getattr(self._terminals[name], "values", None)
        if values:
            return str(rng.choice(sorted(values)))
        if name in _NUMBERS:
            return rng.choice((str(rng.randint(-5, 120)), f"{rng.random() * 40:.1f}", "twenty", "二十五", "half", "半"))
        return rng.choice(names)


_SAMPLES: Final[dict[Lang, str]] = {"en": "on", "zh": "开"}


def _is(text: str, lang: Lang) -> bool:
    return (lang == "zh") is bool(_HAN.search(text))


def _sentences(lang: Lang) -> list[str]:
    return sorted(text for text in _told() if text.strip() and _is(text, lang))


@cache
def _told() -> frozenset[str]:
    """All that the project's own tables and lists say."""
    found: set[str] = set()
    for folder in ("tests/understand/tables", "tests/conversations"):
        for path in sorted((ROOT / folder).glob("*.yaml")):
            found.update(_said(yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)))
    for path in sorted((ROOT / "benchmarks").glob("*.txt")):
        found.update(path.read_text(encoding="utf-8").splitlines())
    return frozenset(found)


def _said(data: object, *, here: bool = False) -> Iterator[str]:
    """What stands under the keys `say`, wherever they are."""
    if isinstance(data, dict):
        for key, value in data.items():
            yield from _said(value, here=key == "say")
    elif isinstance(data, list):
        for value in data:
            yield from _said(value, here=here)
    elif here and isinstance(data, str):
        yield data


def _words_of(text: str) -> list[str]:
    return (text.split() if " " in text or not _HAN.search(text) else list(text)) or [text]


def _joined(words: Sequence[str], like: str) -> str:
    return ("" if _HAN.search(like) else " ").join(words)


def _with_name(text: str, rng: random.Random, names: Sequence[str]) -> str:
    words = _words_of(text)
    at = rng.randrange(len(words))
    words[at : at + rng.randint(0, 2)] = [rng.choice(names)]
    return _joined(words, text)


def _drop(text: str, rng: random.Random) -> str:
    words = _words_of(text)
    del words[rng.randrange(len(words))]
    return _joined(words, text)


def _double(text: str, rng: random.Random) -> str:
    words = _words_of(text)
    at = rng.randrange(len(words))
    return _joined([*words[: at + 1], *words[at:]], text)


def _swap(text: str, rng: random.Random) -> str:
    words = _words_of(text)
    one, other = rng.randrange(len(words)), rng.randrange(len(words))
    words[one], words[other] = words[other], words[one]
    return _joined(words, text)


def _misspell(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    letter = rng.choice("abcdefghijklmnopqrstuvwxyz ")
    return text[:at] + rng.choice(("", letter)) + text[at + rng.randint(0, 1) :]


def _sign(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(_SIGNS) + text[at:]


def _case(text: str, rng: random.Random) -> str:
    return rng.choice((str.upper, str.title, str.swapcase, str.capitalize))(text)


def _strange_character(text: str, rng: random.Random) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(rng.choice(_alphabets())) + text[at:]


@cache
def _alphabets() -> tuple[str, ...]:
    """Characters by what is strange about them; none that are half of one, which no text in UTF-8 has."""
    everything = [chr(code) for code in range(sys.maxunicode + 1) if unicodedata.category(chr(code)) != "Cs"]
    by_sort: dict[str, list[str]] = {}
    for character in everything:
        by_sort.setdefault(unicodedata.category(character), []).append(character)
    numbers = [item for item in everything if unicodedata.numeric(item, None) is not None]
    folds = [item for item in everything if len(unicodedata.normalize("NFKC", item)) > 1 or len(item.lower()) > 1]
    few = ("Cc", "Cf", "Mn", "Mc", "Nd", "No", "Nl", "Zs", "Zl", "Zp", "Sk", "Lm", "Co", "Cn")
    return (*("".join(by_sort[sort]) for sort in few), "".join(numbers), "".join(folds), "".join(everything), _SIGNS)

"""Numbers as people say them: "twenty one and a half", 一百二, 零下五, 一点五, 二十一半.

The words are data (`numbers:` of a lexicon); this is how they combine, in any language that counts with units, tens and
multipliers.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from daemon.understand.openings import opening

_NINE, _TEN, _HUNDRED, _THOUSAND, _MYRIAD = 9, 10, 100, 1000, 10_000
_MOST_DIGITS = 9
_DIGITS = re.compile(rf"\d{{1,{_MOST_DIGITS}}}(?:\.\d{{1,6}})?(?!\d)")
"""Nothing at home has more digits than these."""


@dataclass(frozen=True, slots=True)
class NumberWords:
    """One language's words for numbers."""

    units: Mapping[str, int] = field(default_factory=dict)
    """0 to 19."""
    tens: Mapping[str, int] = field(default_factory=dict)
    multipliers: Mapping[str, int] = field(default_factory=dict)
    point: Sequence[str] = ()
    minus: Sequence[str] = ()
    half: Sequence[str] = ()
    """What adds a half, behind the number: "and a half", 半."""
    share: Sequence[str] = ()
    """What looks like a number with a half behind it, and is a share of something: 一半."""
    glue: Sequence[str] = ()
    """What may stand behind a multiplier and means nothing: "and"."""
    spaced: bool = True
    """Whether words are set apart by spaces."""
    short: bool = False
    """Whether a unit after a multiplier may stand for the next lower one: 一百二 is 120."""
    about: bool = False
    """Whether two units in a row, the second one more, are no digits but about so many: 两三, 二十五六."""


class Numbers:
    """Finds and reads the numbers of several languages."""

    def __init__(self, languages: Sequence[NumberWords]) -> None:
        self._languages = [_Language(words) for words in languages]
        self.first = frozenset("-0123456789").union(*(language.first for language in self._languages))
        self._characters = frozenset(begun[0] for begun in self.first)

    def match(self, text: str, at: int) -> int:
        """Where the longest number at `at` ends, or -1. What is only about so many is none."""
        return max(language.number(text, at) for language in self._languages)

    def match_about(self, text: str, at: int) -> int:
        """Where what is about so many ends, or -1: 两三, 七八十."""
        return max(language.about(text, at) for language in self._languages)

    def match_whole(self, text: str, at: int) -> int:
        """As `match`, for a number with no decimals and no half."""
        return max(language.whole(text, at) for language in self._languages)

    def goes_on(self, text: str, start: int, end: int) -> bool:
        """Whether the number in which text[start:end] ends goes on behind it: 二 in 二十, "fifty" in "fifty one".

        Two numbers in a row are two: "desk fifteen, fifty percent".
        """
        behind = end + (text[end] == " ")
        if text[behind : behind + 1] not in self._characters or self.match(text + "\n", behind) < 0:
            return False
        closed = text + "\n"
        for at in range(start, end):
            if self.match(text[at:end] + "\n", 0) == end - at and (whole := self.match(closed, at)) > end:
                return self.value(text[at:whole]) < _HUNDRED
        return False

    def value(self, text: str) -> float:
        """The value of a text that `match` accepted."""
        text = text.strip()
        if len(text) <= _MOST_DIGITS and text.isascii() and text.isdecimal():
            return float(text)
        for language in self._languages:
            if language.reads(text):
                return language.value(text)
        raise ValueError(text)

    def least(self, text: str) -> float:
        """The lower of the two values of a text that `match_about` accepted."""
        text = text.strip()
        for language in self._languages:
            if language.about(text + "\n", 0) == len(text):
                return language.least(text)
        raise ValueError(text)

    def spellings(self, name: str) -> tuple[str, ...]:
        """The name with its numbers in digits, where that makes a difference: "room one" -> "room 1"."""
        out = []
        for language in self._languages:
            digits = language.in_digits(name)
            if digits != name:
                out.append(digits)
            spoken = language.in_words(name)
            if spoken != name:
                out.append(spoken)
        return tuple(dict.fromkeys(out))


class _Patterns:
    """How the numbers of one language are found in a text."""

    def __init__(self, words: NumberWords) -> None:
        edge = r"(?![a-z0-9])" if words.spaced else ""
        gap = " " if words.spaced else ""
        word = _any([*words.units, *words.tens, *words.multipliers]) + edge
        small = _any([unit for unit, value in words.units.items() if value < _TEN]) + edge
        # "Two hundred and five" is one number, "between three and five" are two.
        glue = f"{gap}{_any(words.glue)}" if words.glue else "(?!)"
        follows, ones = f"(?:{gap}{_any(words.multipliers)}{glue})?{gap}{word}", ""
        behind_digits = follows
        if words.spaced:
            # "Fifteen one five" and "twenty five six" are no single numbers; "one fifty" and "nineteen eighty" are.
            tens = f"{_any(words.tens)}{edge}(?:{gap}{small})?"
            teens = _any([unit for unit, value in words.units.items() if value >= _TEN]) + edge
            ones = f"(?:{tens}|{teens}|{small}(?:{gap}{teens}|(?:{gap}{small})*))"
            follows = f"{gap}(?:{_any(words.multipliers)}{edge}(?:(?:{glue})?{gap}{ones})?|{tens})"
        minus = f"(?:(?:{_any(words.minus)}){gap}|-)?"
        start = f"(?:{_any([*words.units, *words.tens])}{edge}|" + (
            f"{_any([w for w, m in words.multipliers.items() if m == _TEN])})" if words.short else "(?!))"
        )
        spoken = f"{ones or start}(?:{follows})*"
        mixed = rf"{_DIGITS.pattern}(?: ?{_any(words.multipliers)}{edge}(?:{glue}{gap}{word})?(?:{behind_digits})*)?"
        decimals = f"(?:{gap}{_any(words.point)}{gap}{small}(?:{gap}{small})*)?"
        half = f"(?: ?{_any(words.half)}{edge})?"
        share = f"(?!{_any(words.share)}{edge})" if words.share else ""
        self.number = re.compile(f"{share}{minus}(?:{spoken}{decimals}|{mixed}){half}")
        self.whole = re.compile(rf"{minus}(?:{spoken}|\d{{1,9}}(?!\d))")
        self.token = re.compile(_any([*words.minus, *words.half, *words.point, *words.units, *words.tens,
                                      *words.multipliers, *words.glue]) + edge + r"|-|\d+(?:\.\d+)?")  # fmt: skip
        self.run = re.compile(f"(?<![a-z0-9]){spoken}" if words.spaced else spoken)
        digits = {unit: value for unit, value in words.units.items() if value < _TEN}
        self.about = About(digits, words.multipliers, words.point) if words.about else None


class _Language:
    def __init__(self, words: NumberWords) -> None:
        self._words = words
        self._names = {str(value): word for word, value in reversed([*words.units.items(), *words.tens.items()])}
        starts = [*words.units, *words.tens, *words.multipliers, *words.minus]
        self.first = frozenset(opening(word) if words.spaced else word[0] for word in starts)

    @cached_property
    def _patterns(self) -> _Patterns:
        # Not before a number is looked for: to compile them takes a part of what it takes to load a grammar.
        return _Patterns(self._words)

    def number(self, text: str, at: int) -> int:
        found = self._patterns.number.match(text, at)
        return found.end() if found and self.about(text, at) < 0 else -1

    def reads(self, text: str) -> bool:
        """Whether a text is a number; also where that is so only by what follows it: the 一二 of 一二1."""
        found = self._patterns.number.match(text + "\n")
        return found is not None and found.end() == len(text)

    def whole(self, text: str, at: int) -> int:
        found = self._patterns.whole.match(text, at)
        return found.end() if found and self.about(text, at) < 0 else -1

    def about(self, text: str, at: int) -> int:
        about = self._patterns.about
        return about.match(text, at) if about is not None else -1

    def least(self, text: str) -> float:
        about = self._patterns.about
        return self.value(about.least(text)) if about is not None else self.value(text)

    def in_digits(self, name: str) -> str:
        return self._patterns.run.sub(lambda m: f"{self.value(m.group()):g}", name)

    def in_words(self, name: str) -> str:
        return _DIGITS.sub(lambda m: self._names.get(m.group(), m.group()), name)

    def value(self, text: str) -> float:
        words = self._words
        whole: list[str] = []
        decimals: list[str] | None = None
        sign, half = 1, 0.0
        for token in self._patterns.token.findall(text):
            if token in (*words.minus, "-"):
                sign = -1
            elif token in words.half:
                half = 0.5
            elif token in words.point:
                decimals = []
            elif token not in words.glue:
                (whole if decimals is None else decimals).append(token)
        value = self._whole_value(whole)
        if decimals:
            value += float("0." + "".join(str(words.units[token]) for token in decimals))
        return sign * (value + half)

    def _whole_value(self, tokens: list[str]) -> float:
        words = self._words
        if len(tokens) > 1 and all(words.units.get(token, _TEN) < _TEN for token in tokens):
            return float("".join(str(words.units[token]) for token in tokens))
        total, current, last = 0.0, 0.0, 0
        for index, token in enumerate(tokens):
            if (factor := words.multipliers.get(token)) is not None:
                if factor >= _THOUSAND and total and not current:
                    total *= factor
                elif factor >= _MYRIAD:
                    total = (total + current) * factor
                else:
                    total += (current or 1.0) * factor
                current, last = 0.0, factor
                continue
            part = self._part(token)
            if self._is_short(tokens, index, last, part):
                part *= last / _TEN
            elif current and (part >= _TEN or current < _TEN):
                current *= _HUNDRED  # "one fifty", "twenty twenty"
            current += part
        return total + current

    def _part(self, token: str) -> float:
        """A unit, a ten, or digits."""
        words = self._words
        return float(words.units.get(token, words.tens.get(token, token)))

    def _is_short(self, tokens: list[str], index: int, last: int, part: float) -> bool:
        """Whether this is the 二 of 一百二: the last word, a unit, right behind a multiplier."""
        if not self._words.short or last < _HUNDRED or not 0 < part < _TEN or index != len(tokens) - 1:
            return False
        return index > 0 and tokens[index - 1] in self._words.multipliers


class About:
    """Finds numbers that are only about so, in a language that is not set apart by spaces: 两三, 二十五六, 七八十.

    Two units in a row, the second one more, are no digits.

    Args:
        units: Words for 0 to 9 and their values.
        multipliers: Words for ten, a hundred, ...
        point: What comes before decimals: 二三点五 is none of these.
    """

    def __init__(self, units: Mapping[str, int], multipliers: Mapping[str, int], point: Sequence[str] = ()) -> None:
        pairs = [a + b for a, low in units.items() for b, high in units.items() if 0 < low < high == low + 1 <= _NINE]
        unit, factor = _any(units), _any(multipliers)
        digit = f"(?!{unit}|[0-9]|{_any(point)}{unit})"
        self._found = re.compile(f"(?P<front>(?:{unit}?{factor})*)(?P<pair>{_any(pairs)})(?P<factor>{factor}?){digit}")
        self._first = re.compile(unit)

    def match(self, text: str, at: int) -> int:
        """Where the one at `at` ends, or -1."""
        found = self._found.match(text, at)
        return found.end() if found else -1

    def least(self, text: str) -> str:
        """The lower of the two, in words: 七十 of 七八十.

        Raises:
            ValueError: `match` did not accept this.
        """
        found = self._found.fullmatch(text)
        lower = self._first.match(found["pair"]) if found else None
        if found is None or lower is None:
            raise ValueError(text)
        return found["front"] + lower.group() + found["factor"]


def _any(words: Sequence[str] | Mapping[str, int]) -> str:
    if not words:
        return "(?!)"
    return "(?:" + "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) + ")"

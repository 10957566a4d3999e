"""Takes out of a spotted text what means nothing: fillers, politeness, stammering. Names are hidden by now."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise
from operator import eq

from daemon.understand.lexicon import Lexicon, WordClass
from daemon.understand.matchers import WORD, Terminal
from daemon.understand.names import Spotted
from daemon.understand.numbers import Numbers
from daemon.understand.openings import END, PLACES

_COMMA = ", "
_UNIT = 4
"""Characters; what stands behind a number and is longer is no unit."""
_MOST = 3
"""Words, or Chinese characters; what is longer is a command of its own."""


class Echoes:
    """Leaves out what is said twice between commas. What stands there is a request less its end, or more of one.

    Args:
        numbers: Which texts are numbers.
        bare: A text between commas less what means nothing there: "twenty then".
    """

    def __init__(self, numbers: Terminal, bare: Callable[[str], str]) -> None:
        self._numbers = numbers
        self._bare = bare

    def __call__(self, text: str, restore: Callable[[str], str]) -> str:
        """The text without them; `restore` puts the names back that are hidden in it."""
        said, kept = text.split(_COMMA), list[tuple[str, str]]()
        if len(set(said)) == 1:
            return text  # "next, next" is twice
        for one in said:
            bare = self._bare(one)
            if kept and _is_short(bare) and self._is_again(kept[-1][1], bare, restore):
                continue
            if len(kept) == 1 and _is_short(kept[0][1]) and _is_more(bare, kept[0][1], restore):
                kept.pop()  # "the lamp, the hall lamp": the second says which
            kept.append((one, bare))
        return _COMMA.join(one for one, _ in kept) if len(kept) < len(said) else text

    def _is_again(self, before: str, bare: str, restore: Callable[[str], str]) -> bool:
        return _says_end(before, bare, restore) or self._is_number_of(before, bare)

    def _is_number_of(self, before: str, bare: str) -> bool:
        """Whether it is the last number that was said before: "to 27 degrees, 27"."""
        at = before.rfind(bare)
        if at < 0 or not self._is_number(bare + END, 0, len(bare)):
            return False
        end = at + len(bare)
        begins = any(self._is_number(before + END, start, end) for start in range(at))
        return not begins and self._is_number(before + END, at, end) and len(before) - end <= _UNIT

    def _is_number(self, text: str, start: int, end: int) -> bool:
        return self._numbers.match(text, start) == end


def _is_short(said: str) -> bool:
    return len(PLACES.findall(said)) <= _MOST


def _is_more(text: str, said: str, restore: Callable[[str], str]) -> bool:
    """Whether a text is another with something before or behind it."""
    goes_on = text.startswith(said) and not (text[len(said) : len(said) + 1] in WORD and said[-1:] in WORD)
    return bool(said) and (goes_on or _says_end(text, said, restore))


def _says_end(text: str, end: str, restore: Callable[[str], str]) -> bool:
    """Whether a text ends so; "lamp" is no end of "the desk lamp" where something here is called nothing but that."""
    return _ends(text, end) or (restore(end) == end and _ends(restore(text), end))


def _ends(text: str, end: str) -> bool:
    """Whether a text ends with whole words, or is nothing but these."""
    at = len(text) - len(end)
    return bool(end) and text.endswith(end) and (at == 0 or text[at] not in WORD or text[at - 1] not in WORD)


_COMMAS = re.compile(r" ?,[ ,]*")
_HAN = re.compile(r"[\u4e00-\u9fff]")
_HIDDEN = r"[\ue000-\uf8ff]"
_GOES_ON = r"(?=[\u4e00-\u9fff\ue000-\uf8ff])"
_NEVER = "(?!)"


class Tidy:
    """For one language. It never empties a text.

    Args:
        lexicon: The words of all languages.
        lang: Whose fillers are left out.
        numbers: Which texts are numbers.
    """

    def __init__(self, lexicon: Lexicon, lang: str, numbers: Numbers) -> None:
        rewrites, fillers = lexicon.rewrites, lexicon.fillers[lang]
        stammers, hedges = lexicon.stammers, lexicon.hedges
        rightly = "|".join(map(re.escape, stammers.rightly)) or _NEVER
        once = "|".join(map(re.escape, stammers.once)) or _NEVER
        self._repeated = re.compile(rf"\b(?!(?:{rightly})\b)([a-z]{{2,}})(?: \1\b)+")
        self._stammered = re.compile(rf"{rightly}|({once})\1+{_GOES_ON}")
        self._repeated_han = re.compile(rf"{rightly}|([\u4e00-\u9fff]{{2,4}}|[\ue000-\uf8ff])\1+")
        self._rewrites = WordClass(rewrites)
        self._anywhere = WordClass(dict.fromkeys(fillers.anywhere, ""))
        named = lexicon.words("KIND", "KINDS", "NAMEKIND", "NAMEKINDS", "ATTR")
        behind, things, words, loose = (
            "|".join(map(re.escape, sorted(items, key=len, reverse=True))) or _NEVER
            for items in (hedges.behind, named, hedges.words, hedges.loose)
        )
        self._hedged = re.compile(
            rf"((?<![a-z])(?:{behind})|,|(?:(?<![a-z])(?:{things})|{_HIDDEN})(?= ?(?:{loose})))"
            rf"(?: ?,)?( ?)(?:(?P<loose>{loose})|{words})(?![a-z]) ?,? ?"
        )
        self._numbers = numbers
        self._amounts = WordClass(dict.fromkeys((*lexicon.words("FRACTION"), *hedges.amounts), ""))
        self._less_echoes = Echoes(numbers, lambda said: self._without_end(self._without_start(said)))
        self._words, self._pairs = _beginnings((*rewrites, *fillers.anywhere))
        self._requests = WordClass(fillers.requests)
        self._forms = fillers.forms
        more = "|".join(map(re.escape, fillers.forms)) or _NEVER
        joints = "|".join(map(re.escape, fillers.joints)) or _NEVER
        self._formed = re.compile(rf"\b(?:{more})\b")
        self._chained = re.compile(rf"((?:,|\b(?:{joints})) (?:\w+ )?)({more})\b")
        self._start = WordClass(dict.fromkeys(fillers.start, "") | dict(fillers.openings))
        self._end = frozenset(fillers.end)
        self._joined = tuple(f" {joint}" for joint in fillers.joints)
        self._end_lengths = _lengths(fillers.end)

    def __call__(self, text: str, restore: Callable[[str], str] = str) -> str:
        """The text that the grammar is to read; `restore` puts the names back that are hidden in it."""
        return self._without_end(self._asked(self._without_start(self.inside(text, restore))))

    def inside(self, text: str, restore: Callable[[str], str] = str) -> str:
        """The same with what stands at its start and its end: "and the fan too"."""
        places = PLACES.findall(text)
        if not self._words.isdisjoint(places) or not self._pairs.isdisjoint(pairwise(places)):
            text = self._rewrites.replaced(text)
            text = self._anywhere.replaced(text) or text
            places = PLACES.findall(text)
        text = " ".join(text.split())
        if "," in text:
            text = _COMMAS.sub(", ", text).strip(" ,")
        text = self._exact(text)
        if any(map(eq, places, places[1:])):
            text = self._repeated.sub(r"\1", text)
        if not text.isascii() and _HAN.search(text) and len(set(text)) < len(text):
            for repeated in (self._stammered, self._repeated_han):
                text = repeated.sub(lambda found: found[1] or found[0], text)
        return self._less_echoes(text, restore) if "," in text else text

    def less(self, tidied: str, spotted: Spotted) -> Iterator[str]:
        """The tidied text, then with what stands at its start and end, then as it was said."""
        text = spotted.text
        inside = self.inside(text, spotted.restore) if tidied != text else tidied
        yield from dict.fromkeys((tidied, inside, text))

    def _exact(self, text: str) -> str:
        """The text less what is said before an amount that is meant as exactly as any: "to, say, forty"."""
        closed = text + END

        def plain(found: re.Match[str]) -> str:
            at, loosely = found.end(), found["loose"] is not None
            end = self._amounts.match(closed, at)
            amount = end > at and (loosely or self._numbers.match(closed, end) < 0)  # "around half seven" is a time
            return found[1] + found[2] if amount or self._numbers.match(closed, at) > at else found[0]

        return self._hedged.sub(plain, text)

    def _without_start(self, text: str) -> str:
        while text and (end := self._start.match(text + END, 0)) > 0:
            rest = text[end:].lstrip(" ,")
            if not rest:
                break
            meant = self._start.values[text[:end]]
            if meant and text[:end].rpartition(" ")[2] in self._forms:
                rest = self._as_verbs(rest)
            text = f"{meant} {rest}" if meant and meant[-1] in WORD else meant + rest
            if meant:
                break
        return text

    def _asked(self, text: str) -> str:
        """The text with its requests and the verbs behind them as plain verbs."""
        places = [found.start() for found in PLACES.finditer(text)] if self._formed.search(text) else ()
        for place in places:
            if (end := self._requests.match(text + END, place)) > 0:
                return text[:place] + self._requests.values[text[place:end]] + self._as_verbs(text[end:])
        return text

    def _as_verbs(self, text: str) -> str:
        return self._chained.sub(lambda found: found[1] + self._forms[found[2]], text)

    def _without_end(self, text: str) -> str:
        found = True
        while found:
            found = False
            for length in self._end_lengths.get(text[-1:], ()):
                at = len(text) - length
                if at <= 0 or text[at:] not in self._end or (text[at] in WORD and text[at - 1] in WORD):
                    continue
                rest = text[:at].rstrip(" ,")
                if rest and not rest.endswith(self._joined):  # "tea and honey"
                    text, found = rest, True
                    break
        return text


def _beginnings(words: Iterable[str]) -> tuple[frozenset[str], frozenset[tuple[str, str]]]:
    """What tells that none of some words stands in a text: those of one place, and how the others begin."""
    alone, pairs = set[str](), set[tuple[str, str]]()
    for word in words:
        first, *others = PLACES.findall(word)
        if others:
            pairs.add((first, others[0]))
        else:
            alone.add(first)
    return frozenset(alone), frozenset(pairs)


def _lengths(words: Iterable[str]) -> dict[str, tuple[int, ...]]:
    """The lengths of the words that end in each character, the longest first."""
    found: dict[str, set[int]] = {}
    for word in words:
        found.setdefault(word[-1], set()).add(len(word))
    return {last: tuple(sorted(sizes, reverse=True)) for last, sizes in found.items()}

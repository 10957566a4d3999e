"""What is a yes where something is at stake: a closed set of sentences, of which all that was said must be one.

And how an answer begins that says more than yes or no: "yes, but only half", "no, until ten", 对开到二十五度.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from daemon.core.values import replace
from daemon.understand.normalize import plain_text

_APART = "(?:, ?| )"
"""What stands between two sentences that are said in a row."""
_MOST = 3
"""So many of them are said in a row: "yes, yes, go ahead", 对对对."""
_HAN = re.compile(r"[\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class ConsentWords:
    """One language's sentences that say yes, and the courtesy that may stand before and after one.

    `told` may stand behind an act that is told again, and only there: 对，打开吧.
    """

    said: Sequence[str] = ()
    before: Sequence[str] = ()
    after: Sequence[str] = ()
    told: Sequence[str] = ()


class Consent:
    """Knows a yes, in every language of the house. Nothing that it does not know is one: "yeah right", 对了."""

    def __init__(self, languages: Iterable[ConsentWords]) -> None:
        self._languages = [_Language(words) for words in languages]

    def given(self, said: str) -> bool:
        """Whether the whole utterance, as it was said, is a yes."""
        text = _stated(said)
        return text is not None and any(language.whole.fullmatch(text) for language in self._languages)

    def behind(self, said: str) -> str | None:
        """What follows the yes that an utterance begins with, as "open it" in "yes, open it, please"; else None."""
        text = _stated(said)
        found = [language.begun.match(text) for language in self._languages] if text is not None else []
        return next((match["rest"] for match in found if match is not None), None)


class _Language:
    def __init__(self, words: ConsentWords) -> None:
        # Characters stand side by side without a blank; two sentences that do so may say a third thing: 要好.
        beside = f"{_APART}?" if any(map(_HAN.search, words.said)) else _APART
        one = rf"(?:{_any(words.said)})"
        again = rf"(?P<one>{one})(?:(?P=one)){{0,{_MOST - 1}}}"
        before = f"(?:(?:{_any(words.before)}){beside})*"
        after = f"(?:{beside}(?:{_any(words.after)}))*"
        row = f"{before}{again}(?:{_APART}{one}){{0,{_MOST - 1}}}"
        self.whole = re.compile(row + after)
        told = f"(?:{beside}(?:{_any([*words.after, *words.told])}))*"
        self.begun = re.compile(rf"{row}{after}{_APART}(?P<rest>.+?){told}$")


@dataclass(frozen=True, slots=True)
class AnswerWords:
    """One language's words around an answer.

    `weak`: a yes that may as well begin a command of its own ("ok, turn it on"). `drop`: a no that a pause parts from
    what is wanted instead. `joined`: before what is wanted besides. `meant`: before what is meant, and changes nothing.
    `hedged`: what changes nothing behind a yes. `by`: before an amount that is no value.
    """

    yes: Sequence[str] = ()
    weak: Sequence[str] = ()
    no: Sequence[str] = ()
    drop: Sequence[str] = ()
    joined: Sequence[str] = ()
    meant: Sequence[str] = ()
    hedged: Sequence[str] = ()
    by: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class Head:
    """What an answer begins with, and what it says besides."""

    yes: bool
    said: str
    rest: str
    """What is said besides, less the word that joins it; empty where that is nothing."""
    joined: str
    """The same with that word; empty where there is none."""
    weak: bool = False
    """It may as well begin what follows."""
    drops: bool = False
    """Behind it stands a command of its own, or nothing."""


class Heads:
    """Knows how answers begin, in every language of the house."""

    def __init__(self, languages: Iterable[AnswerWords]) -> None:
        self._languages = [_Answering(words) for words in languages]

    def of(self, said: str) -> Iterator[Head]:
        """How an utterance may be parted into a yes, or a no, and more."""
        text = _stated(said)
        for language in self._languages if text is not None else ():
            assert text is not None
            for yes, begun in ((True, language.yes), (False, language.no)):
                if (match := begun.fullmatch(text)) is not None:
                    yield language.head(match, yes=yes)
            if (match := language.drop.fullmatch(text)) is not None:
                yield replace(language.head(match, yes=False), drops=True)

    def meant(self, text: str) -> str:
        """A normalized text less the words that stand before what is meant."""
        for language in self._languages:
            text = language.meant.sub("", text)
        return text

    def amount(self, text: str) -> str | None:
        """What follows the word for "by" that a text begins with; None where it does not."""
        found = (language.by.fullmatch(text) for language in self._languages)
        return next((match["rest"] for match in found if match is not None), None)


class _Answering:
    def __init__(self, words: AnswerWords) -> None:
        close = any(map(_HAN.search, words.yes))
        # Characters stand side by side without a blank.
        beside = f"{_APART}?" if close else _APART
        end = "" if close else r"(?=$|[ ,])"

        def begun(words: Sequence[str]) -> re.Pattern[str]:
            one = f"(?:{_any(words)}){end}"
            return re.compile(rf"(?P<said>{one}(?:{beside}{one}){{0,{_MOST - 1}}})(?:(?P<apart>{beside})(?P<rest>.+))?")

        self.yes, self.no = begun([*words.yes, *words.weak]), begun(words.no)
        one = f"(?:{_any(words.no)}){end}"
        self.drop = re.compile(f"(?P<said>(?:{one}(?:{beside}))*(?:{_any(words.drop)})), ?(?P<rest>.+)")
        self._weak = re.compile(f"(?:^|.*{beside})(?:{_any(words.weak)})")
        self.meant = re.compile(f"^(?:(?:{_any(words.meant)}){end}(?:{beside}|$))+")
        self._joined = re.compile(f"(?:{_any(words.joined)}){end}{beside}(?P<rest>.+)")
        self._hedged = re.compile(f"(?:(?:{_any(words.hedged)}){end}(?:{beside}|$))+")
        self.by = re.compile(f"(?:{_any(words.by)}){end}{beside}(?P<rest>.+)")

    def head(self, match: re.Match[str], *, yes: bool) -> Head:
        rest = match["rest"] or ""
        if yes and (hedged := self._hedged.match(rest)) is not None:
            rest = rest[hedged.end() :]
        joined = self._joined.fullmatch(rest)
        plain = joined["rest"] if joined is not None else self.meant.sub("", rest)
        return Head(
            yes,
            match["said"],
            plain,
            rest if joined is not None else "",
            self._weak.fullmatch(match["said"]) is not None,
        )


def _stated(said: str) -> str | None:
    """The plain form of what is no question and bears no picture, which may turn it round; else None."""
    wide = unicodedata.normalize("NFKC", said)
    if "?" in wide or any(unicodedata.category(character) == "So" for character in wide):
        return None
    return plain_text(said)


def _any(words: Sequence[str]) -> str:
    """A pattern for any of these words, the longest first; one that fits nothing where there are none."""
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) or "(?!)"

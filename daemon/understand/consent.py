"""What is a yes where something is at stake: a closed set of sentences, of which all that was said must be one."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from daemon.understand.normalize import plain_text

_APART = "(?:, ?| )"
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


def _stated(said: str) -> str | None:
    """The plain form of what is no question and bears no picture, which may turn it round; else None."""
    wide = unicodedata.normalize("NFKC", said)
    if "?" in wide or any(unicodedata.category(character) == "So" for character in wide):
        return None
    return plain_text(said)


def _any(words: Sequence[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) or "(?!)"

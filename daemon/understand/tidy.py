"""Takes out of a spotted text what means nothing: fillers, politeness, stammering. Names are hidden by now."""

from __future__ import annotations

import re
from collections.abc import Mapping

from daemon.understand.lexicon import Fillers
from daemon.understand.matchers import WORD

_COMMAS = re.compile(r" ?,[ ,]*")
_REPEATED_WORD = re.compile(r"\b(?!on\b|off\b|in\b|to\b|that\b)([a-z]{2,})(?: \1\b)+")
_REPEATED_HAN = re.compile(r"([\u4e00-\u9fff]{2,4})\1+")
_STAMMER_HAN = re.compile(r"(把|将|打|关|开|调|我|我要)\1+(?=[\u4e00-\u9fff\ue000-\uf8ff])")


class Tidy:
    """For one language. Idempotent for practical purposes; never empties a text."""

    def __init__(self, rewrites: Mapping[str, str], fillers: Fillers) -> None:
        self._rewrites = dict(rewrites)
        self._rewrite = _any(rewrites)
        self._anywhere = _any(fillers.anywhere)
        self._start = re.compile(f"(?:{_any(fillers.start).pattern})[ ,]*")
        self._end = re.compile(f"[ ,]*(?:{_any(fillers.end).pattern})$")

    def __call__(self, text: str) -> str:
        """The text that the grammar is to read."""
        text = self._rewrite.sub(lambda match: self._rewrites[match.group()], text)
        text = self._keep(text, self._anywhere.sub("", text))
        text = _COMMAS.sub(", ", " ".join(text.split())).strip(" ,")
        text = _REPEATED_HAN.sub(r"\1", _STAMMER_HAN.sub(r"\1", _REPEATED_WORD.sub(r"\1", text)))
        while (found := self._start.match(text)) is not None and found.end() < len(text):
            text = text[found.end() :]
        while (found := self._end.search(text)) is not None and found.start() > 0:
            text = text[: found.start()]
        return text

    @staticmethod
    def _keep(before: str, after: str) -> str:
        return after if after.strip(" ,") else before


def _any(words: Mapping[str, str] | tuple[str, ...]) -> re.Pattern[str]:
    """Any of these, the longest first, Latin ones as whole words."""
    if not words:
        return re.compile("(?!)")
    patterns = [
        (r"(?<![a-z0-9])" if word[0] in WORD else "") + re.escape(word) + ("(?![a-z0-9])" if word[-1] in WORD else "")
        for word in sorted(words, key=len, reverse=True)
    ]
    return re.compile("|".join(patterns))

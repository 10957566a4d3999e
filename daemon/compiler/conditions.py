"""What a command depends on, where the small model has not understood that part: `rules/<lang>/conditions.yaml`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from daemon.compiler.draft import Draft, outside
from daemon.core.errors import ConfigError
from daemon.core.ir import Lang
from daemon.system.languages import optional
from daemon.system.nodes import read_yaml

FILE: Final = "conditions.yaml"
_KEYS: Final = ("depends", "measures", "harmless", "framing")
_DIGIT: Final = re.compile("[0-9]")
_NONE: Final = re.compile("(?!)")
_AMOUNTS: Final = frozenset({"n", "duration", "time"})
"""Slots for how much, how long and when."""


class Conditions:
    """Tells whether a draft leaves out what the command depends on.

    Args:
        depends: By language, where it has any, a pattern of words that make a command depend on something.
        measures: Of words for how much, how long and when.
        harmless: Of what looks like that, and is no condition and no amount.
        framing: Of words that a time or a condition that was understood begins or ends with.
    """

    def __init__(
        self,
        depends: Mapping[Lang, re.Pattern[str]],
        measures: Mapping[Lang, re.Pattern[str]],
        harmless: Mapping[Lang, re.Pattern[str]],
        framing: Mapping[Lang, re.Pattern[str]],
    ) -> None:
        self._depends = depends
        self._measures = measures
        self._harmless = harmless
        self._framing = framing

    @classmethod
    def load(cls, rules: Path) -> Conditions:
        """Those of the folder of rules; a language without such a file has none.

        Raises:
            ConfigError: a file is wrong; says the line.
        """
        found: dict[str, dict[Lang, re.Pattern[str]]] = {key: {} for key in _KEYS}
        for lang, file in optional(rules, FILE).items():
            root = read_yaml(file)
            words = root.mapping(_KEYS)
            for key in _KEYS:
                if key not in words:
                    raise ConfigError(file, root.line, key, "is missing", "see the head of the file")
                found[key][lang] = _pattern([word.text() for word in words[key].sequence()])
        return cls(found["depends"], found["measures"], found["harmless"], found["framing"])

    def left_out(self, text: str, lang: Lang, draft: Draft) -> bool:
        """Whether something is said that the command depends on, or an amount, and the draft has neither of it."""
        if not draft.parts:
            return False
        rest = self._harmless.get(lang, _NONE).sub(" ", outside(draft, text))
        if any(part.frames for part in draft.parts):
            # A frame has words of its own: one, which "unless" and its like never are.
            return (
                self._depends.get(lang, _NONE).search(self._framing.get(lang, _NONE).sub(" ", rest, count=1))
                is not None
            )
        amounts = any(item.slot in _AMOUNTS for part in draft.parts for item in part.said)
        amount = None if amounts else self._measures.get(lang, _NONE).search(rest) or _DIGIT.search(rest)
        return amount is not None or self._depends.get(lang, _NONE).search(rest) is not None


def _pattern(words: list[str]) -> re.Pattern[str]:
    either = (
        "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True)) or "(?!)"
    )  # no word: nothing is found
    return re.compile(rf"(?<![a-z0-9'])(?:{either})(?![a-z0-9'])")

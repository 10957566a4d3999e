"""What a grammar may use and does not define: numbers, classes of words, the names of the home, any word."""

from __future__ import annotations

import re

from daemon.understand.lexicon import Lexicon
from daemon.understand.matchers import Terminal
from daemon.understand.names import ROLES, RoleClass
from daemon.understand.numbers import Numbers


def terminals_of(lexicon: Lexicon, numbers: Numbers) -> dict[str, Terminal]:
    """By name, all that a grammar may use and does not define."""
    terminals: dict[str, Terminal] = dict(lexicon.classes)
    terminals |= {role.upper(): RoleClass(role) for role in ROLES}
    return terminals | {
        "NUMBER": _Number(numbers),
        "INTEGER": _Whole(numbers),
        "ABOUT": _About(numbers),
        "word": _Word(),
    }


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


class _About:
    """The terminal ABOUT: 两三, 七八十."""

    def __init__(self, numbers: Numbers) -> None:
        self.first: frozenset[str] | None = numbers.first
        self.match = numbers.match_about


class _Word:
    """The terminal `word`: up to the next space or comma."""

    first: frozenset[str] | None = None
    _find = re.compile(r"[^ ,\n]+")

    def match(self, text: str, at: int) -> int:
        found = self._find.match(text, at)
        return found.end() if found else -1

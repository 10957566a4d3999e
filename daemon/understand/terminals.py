"""What a grammar may use and does not define: numbers, classes of words, the names of the home, any word."""

from __future__ import annotations

import re
from collections.abc import Callable

from daemon.understand.lexicon import Lexicon
from daemon.understand.matchers import Terminal
from daemon.understand.names import ROLES, Role, RoleClass
from daemon.understand.numbers import Numbers


def terminals_of(lexicon: Lexicon, numbers: Numbers) -> dict[str, Terminal]:
    """By name, all that a grammar may use and does not define."""
    terminals: dict[str, Terminal] = dict(lexicon.classes)
    terminals |= {role.upper(): RoleClass(role) for role in ROLES}
    terminals |= {name: _Or(terminals[name], RoleClass(role)) for name, role in _WITH.items() if name in terminals}
    return terminals | {
        "NUMBER": _Number(numbers, numbers.match),
        "INTEGER": _Number(numbers, numbers.match_whole),
        "ABOUT": _Number(numbers, numbers.match_about),
        "word": _Word(),
    }


_WITH: dict[str, Role] = {"ATTR": "setting", "MODE": "option", "SOURCE": "input"}
"""Classes whose words this home has more of."""


class _Or:
    """A class of words, and what this home has of the sort."""

    def __init__(self, words: Terminal, own: RoleClass) -> None:
        self._words, self._own = words, own
        assert words.first is not None
        assert own.first is not None
        self.first: frozenset[str] | None = words.first | own.first

    def match(self, text: str, at: int) -> int:
        end = self._own.match(text, at)
        return end if end > at else self._words.match(text, at)


class _Number:
    """A terminal of numbers: any, whole ones, or about how many (两三, 七八十)."""

    def __init__(self, numbers: Numbers, match: Callable[[str, int], int]) -> None:
        self.first: frozenset[str] | None = numbers.first
        self.match = match


class _Word:
    """The terminal `word`: up to the next space or comma."""

    first: frozenset[str] | None = None
    _find = re.compile(r"[^ ,\n]+")

    def match(self, text: str, at: int) -> int:
        found = self._find.match(text, at)
        return found.end() if found else -1

"""Sentences that break off behind a word that leads on: "turn off the lamp and", "turn on the light in the"."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from daemon.core.ir import Chat, DialogueMove, Help, Program, Timer
from daemon.core.values import replace
from daemon.understand.matchers import WORD


class Cut(NamedTuple):
    """A text less the words behind which it breaks off, and what they lead to."""

    rest: str
    missing: str


class Unfinished:
    """Finds such words.

    Args:
        endings: The words -> what is missing behind them: "more", "place", "time", "except" or "condition".
    """

    def __init__(self, endings: Mapping[str, str]) -> None:
        self._endings = sorted(endings.items(), key=lambda item: -len(item[0]))

    def cuts(self, text: str) -> Iterator[Cut]:
        """What may be a whole sentence before the words at the end of `text`; the longest of them first."""
        for words, missing in self._endings:
            at = len(text) - len(words)
            if at > 0 and text.endswith(words) and not (words[0] in WORD and text[at - 1] in WORD):
                rest = text[:at].rstrip(" ,")
                if rest:
                    yield Cut(rest, missing)


def left_open(program: Program, text: str, missing: str) -> Program | None:
    """A whole program that was to go on; None where it says nothing that could.

    Args:
        program: What stands before the words at the end.
        text: All that was said.
        missing: What they lead to.
    """
    if program.missing is not None or program.needs_fallback:
        return None
    if any(isinstance(clause, DialogueMove | Chat | Help) or clause.implicit for clause in program.clauses):
        return None
    match program.clauses[-1]:
        case Timer(op="start", seconds=None):
            return program  # how long is asked anyway
    return replace(program, text=text, missing=missing, needs_fallback=True)

"""What nobody understood: wishes that no such home fulfils (a TV guide, history, calls), sentences that break off.

Told so, nobody asks again. Only what nobody understood is looked up here, so that it takes nothing away from what the
home can do.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from daemon.core.ir import Chat, DialogueMove, Help, Program, Timer
from daemon.core.values import replace
from daemon.system.languages import optional
from daemon.system.nodes import Value, read_yaml
from daemon.understand.lexicon import WordClass
from daemon.understand.matchers import WORD
from daemon.understand.normalize import plain_text
from daemon.understand.openings import END, PLACES

FILE = "unable.yaml"
_BEHIND, _PAUSE, _OVER = ">", ",", "."
_LONGEST = 2_000
Row = tuple[WordClass | None, ...]
"""The words of each step; None where nothing is to follow."""


@dataclass(frozen=True, slots=True)
class Unable:
    """The sorts of wishes, each with rows of words that say so: the first begins it, the others follow in order."""

    wishes: Mapping[str, Sequence[Row]]

    @classmethod
    def load(cls, rules: Path) -> Unable:
        """What the languages of a folder of rules say.

        Raises:
            ConfigError: a file of it cannot be read.
        """
        wishes: dict[str, list[Row]] = {}
        for file in optional(rules, FILE).values():
            for sort, rows in read_yaml(file).mapping().items():
                wishes.setdefault(sort, []).extend(map(_row, rows.sequence()))
        return cls(wishes)

    def of(self, text: str) -> str | None:
        """The sort of wish that a normalized text is; None where it is none of them."""
        begun = [0, *(at + 1 for at, sign in enumerate(text) if sign == _PAUSE)]
        return next((sort for sort, rows in self.wishes.items() if any(_says(row, text, begun) for row in rows)), None)


def _row(said: Value) -> Row:
    groups = (group.split(",") for group in said.text(_LONGEST).replace("，", ",").split(_BEHIND))
    steps = ([word.strip() for word in words] for words in groups)
    return tuple(None if words == [_OVER] else WordClass(dict.fromkeys(map(plain_text, words), "")) for words in steps)


def _says(row: Row, text: str, begun: Sequence[int]) -> bool:
    """Whether words of all the classes stand in a text in their order, the first of them at one of these places."""
    closed = text + END
    firsts = (at + (closed[at] == " ") for at in begun)
    opening = row[0] or WordClass({})
    ends = [end for at in firsts if closed[at] != END and (end := opening.match(closed, at)) > 0]
    return any(_follows(row[1:], closed, end) for end in ends)


def _follows(row: Row, closed: str, at: int) -> bool:
    for words in row:
        if words is None:
            return not closed[at:].strip(f" {_PAUSE}{END}")
        found = (words.match(closed, place.start()) for place in PLACES.finditer(closed, at, len(closed) - 1))
        at = next((end for end in found if end > 0), -1)
        if at < 0:
            return False
    return True


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

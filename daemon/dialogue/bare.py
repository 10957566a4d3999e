"""What an utterance says once its talk is taken away: "well, that is still loud, a bit less" is "a bit less".

Where something was just done or asked, few words say what is meant, and people say around them why. What is talk, the
segmenter and the tagger say, as of long utterances; of that nothing is taken away that names anything of the home,
counts anything, takes back or limits what is said, or that anybody can read as a command.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from daemon.compiler.segmenter import Atom
from daemon.core.ir import Lang
from daemon.core.thresholds import Thresholds
from daemon.dialogue.cutting import MOST_READ, Read, effort, joined, talk_in
from daemon.resolve.comprehension import Comprehension, language
from daemon.resolve.readings import Heard
from daemon.understand.normalize import Normalized, paused

_FEWEST: Final = 2
_MOST: Final = 8
"""Atoms of what goes on from what was done; more are a story."""


@dataclass(frozen=True, slots=True)
class Bare:
    """Takes the talk away from utterances in one home.

    Args:
        comprehension: Reads texts.
        thresholds: How sure of talk the model must be.
        atoms: What the clauses of a text are made of; nothing where that cannot be told.
        told: What can be read in words, of this language.
    """

    _comprehension: Comprehension
    _thresholds: Thresholds
    _atoms: Callable[[str], Awaitable[Sequence[Atom]]]
    _told: Callable[[str, Lang], Awaitable[Read]]

    async def of(self, first: Heard) -> AsyncIterator[Heard]:
        """What may be said without the talk around it, that with most words first; nothing where all of it is said."""
        lang = language(first.lang)
        said = Normalized(first.text, lang, first.said)
        text = (paused(said) or said).text
        atoms = joined(await self._atoms(text), self._comprehension.spans(text))
        if not _FEWEST <= len(atoms) <= _MOST:
            return
        idle = [await self._is_idle(text[atom.start : atom.end].strip(" ,"), atom, lang) for atom in atoms]
        read = 0
        for start, end in left(idle):
            words = text[atoms[start].start : atoms[end - 1].end].strip(" ,")
            read += effort([words])
            if read > MOST_READ:
                return
            yield Heard(words, lang, tuple(self._comprehension.read_text(words, lang)), first.confidence, words)

    async def _is_idle(self, words: str, atom: Atom, lang: Lang) -> bool:
        """Whether these words change nothing of what is said beside them."""
        known, limits = self._comprehension, self._thresholds
        if known.unsettles(words) or known.concerns(words) or known.spans(words):
            return False
        read = await self._told(words, lang)
        if read.program is not None and not read.tells and read.chance >= limits.rather_talk:
            return False
        return talk_in(atom, read) >= (limits.talk_that_bears if known.bears(words) else limits.talk)


def left(idle: Sequence[bool]) -> list[tuple[int, int]]:
    """From where to where everything lies that is not idle, the longest first; neither all of it nor nothing."""
    kept = [at for at, one in enumerate(idle) if not one]
    first, last = (kept[0], kept[-1] + 1) if kept else (len(idle), 0)
    runs = [
        (start, end)
        for start in range(len(idle))
        for end in range(start + 1, len(idle) + 1)
        if start <= first and end >= last and end - start < len(idle)
    ]
    return sorted(runs, key=lambda run: (run[0] - run[1], -run[0]))

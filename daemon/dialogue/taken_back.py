"""What somebody takes back while he still speaks: "turn on the fan oh what am I saying not that one the lamp".

There is no end of ways to say that; what they have in common a model has learnt. The words with which it is done are
put as the grammar knows them ("turn on the fan, no, the lamp"), and all of it is read again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from msgspec import Struct

from daemon.compiler.compiler import Compiler
from daemon.compiler.segmenter import Atom, Segment
from daemon.core.thresholds import Thresholds
from daemon.core.trace import Trace
from daemon.core.values import replace
from daemon.resolve.comprehension import Comprehension, language
from daemon.resolve.readings import Choice, Heard
from daemon.understand.normalize import Normalized, paused

Kept = tuple[tuple[int, int, int], ...]
"""What stays of an utterance, in order: `said[start:end]`, and from where on it stands in what is heard instead."""


class Plain(Struct, frozen=True):
    """An utterance with each taking back in plain words."""

    heard: Heard
    said: str
    """What was said."""
    kept: Kept
    chance: float
    """How likely the least sure of it is taken back, 0 to 1."""


class TakenBack(Struct, frozen=True):
    """Finds what is taken back.

    Args:
        comprehension: Reads texts.
        thresholds: How sure it must be.
        compiler: The small models; None: nothing is found.
    """

    comprehension: Comprehension
    thresholds: Thresholds
    compiler: Compiler | None

    async def plainly(self, first: Heard, trace: Trace) -> Plain | None:
        """The same with each taking back in plain words; None where nothing is taken back."""
        lang = language(first.lang)
        word = self.comprehension.instead.get(lang)
        if self.compiler is None or word is None:
            return None
        said = Normalized(first.text, lang, first.said)
        text = self.comprehension.asked(paused(said) or said).text
        standing = await self.compiler.standing(text)
        found = [item for item in standing.corrects if item.chance >= self.thresholds.corrects]
        found = between(text, found)
        if not found:
            return None
        plain, kept = put(text, found, word)
        trace.note("taken_back", words=[text[item.start : item.end] for item in found], plain=plain)
        heard = Heard(plain, lang, tuple(self.comprehension.read_text(plain, lang)), first.confidence, plain)
        return Plain(heard, text, kept, min(item.chance for item in found))

    def weighed(self, choice: Choice | None, plain: Plain | None) -> Choice | None:
        """The reading of what was put plainly; to be asked back where it is not sure that something was taken back."""
        if choice is None or plain is None or plain.chance >= self.thresholds.corrects_surely:
            return choice
        sure = self.thresholds.doubted(choice.program.confidence)
        return replace(choice, program=replace(choice.program, confidence=sure))


def between(text: str, found: Sequence[Segment]) -> list[Segment]:
    """What was found between words of a text, with nothing but words between: "oh, what am I saying" is one."""
    joined: list[Segment] = []
    for item in found:
        if joined and not text[joined[-1].end : item.start].strip(" ,"):
            joined[-1] = replace(joined[-1], end=item.end)
        else:
            joined.append(item)
    return [item for item in joined if text[: item.start].strip(" ,") and text[item.end :].strip(" ,")]


def put(text: str, found: Sequence[Segment], word: str) -> tuple[str, Kept]:
    """The text with `word`, between commas, in place of what was found; and what stays of it, and where."""
    gap = " " if word.isascii() else ""
    bounds = [0, *(bound for item in found for bound in (item.start, item.end)), len(text)]
    plain, kept = "", list[tuple[int, int, int]]()
    for low, high in list(pairwise(bounds))[::2]:
        words = text[low:high].strip(" ,")
        plain += f",{gap}{word},{gap}" if kept else ""
        start = text.index(words, low)
        kept.append((start, start + len(words), len(plain)))
        plain += words
    return plain, tuple(kept)


def moved(kept: Kept, atoms: Sequence[Atom]) -> tuple[Atom, ...]:
    """The atoms of what was said, as they lie in what is heard instead.

    What is taken back, and what is said in its place, are of one: nothing begins between them.
    """
    found: list[Atom] = []
    before = 0
    for piece, atom in _inside(kept, atoms):
        if found and piece != before:
            found[-1] = replace(found[-1], end=atom.end, talk=min(found[-1].talk, atom.talk))
        else:
            found.append(atom)
        before = piece
    return tuple(found)


def _inside(kept: Kept, atoms: Sequence[Atom]) -> Iterator[tuple[int, Atom]]:
    """The parts of atoms that stay, as they lie now, and of which piece they are."""
    for atom in atoms:
        for piece, (low, high, at) in enumerate(kept):
            start, end = max(atom.start, low), min(atom.end, high)
            if start < end:
                yield piece, replace(atom, start=at + start - low, end=at + end - low)

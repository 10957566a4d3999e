"""The likeliest clauses of an utterance by the segmenter alone: what it is scored by."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from daemon.compiler.draft import pieces
from daemon.compiler.segmenter import SORTS, TALK, Segment, Segmenter

Floats = NDArray[np.float32]


def segments(segmenter: Segmenter, text: str) -> tuple[Segment, ...]:
    """The clauses of a normalized utterance, in order; none where it is too long.

    A remark goes on through the next one: talk is never cut.
    """
    words = pieces(text)
    ran = segmenter.told(text, words)
    if ran is None:
        return ()
    told, cuts = ran
    found: list[Segment] = []
    for first, last, best in _likeliest(told, cuts):
        sure = float(np.exp(told[first:last, best].mean()))
        start, end = words[first][0], words[last - 1][1]
        if found and found[-1].sort == SORTS[best] == TALK:
            found[-1] = Segment(found[-1].start, end, TALK, min(found[-1].chance, sure))
        else:
            found.append(Segment(start, end, SORTS[best], sure))
    return tuple(found)


def _likeliest(told: Floats, cuts: Floats) -> list[tuple[int, int, int]]:
    """The likeliest clauses: first word, the one behind the last, and the number of its sort.

    Viterbi's path over the sorts of the words, where another sort is only another clause.

    Args:
        told: (words, sorts): the logarithm of how likely a word is of a clause of a sort.
        cuts: (words, 2): the logarithms of how likely no clause begins there, and one does.
    """
    best, came = told[0].copy(), np.zeros((len(told), told.shape[1], 2), np.int64)
    for at in range(1, len(told)):
        before = int(best.argmax())
        goes_on, begins = best + cuts[at, 0], best[before] + cuts[at, 1]
        came[at, :, 0] = np.where(goes_on >= begins, np.arange(told.shape[1]), before)
        came[at, :, 1] = goes_on < begins
        best = np.maximum(goes_on, begins) + told[at]
    sort, end = int(best.argmax()), len(told)
    clauses: list[tuple[int, int, int]] = []
    for at in range(len(told) - 1, 0, -1):
        before, fresh = came[at, sort]
        if fresh:
            clauses.append((at, end, sort))
            end = at
        sort = int(before)
    return [(0, end, sort), *reversed(clauses)]

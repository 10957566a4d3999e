"""What is near among the encoder's vectors, found with words for things that it has not learnt."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

_TIGHT: Final = np.arange(0.03, 0.13, 0.005)
_RIGHT: Final = 0.9
"""Of what is asked about, so much is meant ..."""
_FEWEST: Final = 20
"""... told by at least so many words."""
_LIKELY: Final = 0.5
_FIRST: Final = 5


def limits(near: Any, meant: Any) -> tuple[dict[str, float], dict[str, float]]:
    """The limits of `daemon.resolve.meaning.limits`, by name, and how good they are.

    Of all `alike` and `tight` with which nine in ten of the questions are about what is meant, those that ask most of
    them. A share of few is not believed: each is told as if there had been one more right and one more wrong. Where
    what is meant is not in the home, as little is asked: what it has is as far from the words as here. `same` is where
    the nearest thing is the right one nine times in ten, whatever else is near.

    Args:
        near: (words, things), the cosine of each word and the nearest one for each thing.
        meant: (words,): the thing that each is for.
    """
    top, right = near.max(1), near.argmax(1) == meant
    order = np.argsort(-top)
    best = (0, 1.0, float(_TIGHT[0]))
    for tight in _TIGHT:
        chosen = order[_chances(near, tight).max(1)[order] >= _LIKELY]
        hits = np.cumsum(right[chosen])
        count = np.arange(1, len(chosen) + 1)
        whole = np.append(np.diff(top[chosen]) < 0, True)[: len(chosen)]  # of one cosine: all or none
        good = np.flatnonzero(whole & (count >= _FEWEST) & ((hits + 1) / (count + 2) >= _RIGHT))
        if len(good) and hits[good[-1]] > best[0]:
            best = (int(hits[good[-1]]), float(top[chosen[good[-1]]]), float(tight))
    _, alike, tight = best
    asked = (_chances(near, tight).max(1) >= _LIKELY) & (top >= alike)
    shares = np.cumsum(right[order]) / np.arange(1, len(order) + 1)
    sure = np.flatnonzero((shares >= _RIGHT) & np.append(np.diff(top[order]) < 0, True))
    same = max(alike, float(top[order[sure[-1]]]) if len(sure) else 1.0)
    five = [thing in row for thing, row in zip(meant, np.argsort(-near, axis=1)[:, :_FIRST], strict=True)]
    told = {
        "words": len(meant),
        "recall_at_1": float(right.mean()),
        "recall_at_5": float(np.mean(five)),
        "asked_right": float((asked & right).mean()),
        "asked_wrong": float((asked & ~right).mean()),
    }
    return (
        {"alike": round(alike, 3), "tight": round(tight, 4), "same": round(same, 3)},
        {name: round(value, 3) for name, value in told.items()},
    )


def nearest(words: Any, table: Any, sizes: Sequence[int]) -> Any:
    """(words, things): the cosine of each word and the nearest of each thing's.

    Args:
        words: (words, width).
        table: (all words for things, width), those of one thing beside each other.
        sizes: How many each thing has, at least one.
    """
    starts = np.cumsum([0, *sizes])[:-1]
    return np.maximum.reduceat(words @ table.T, starts, axis=1)


def _chances(near: Any, tight: float) -> Any:
    grown = np.exp((near - near.max(1, keepdims=True)) / tight)
    return grown / grown.sum(1, keepdims=True)

"""From where on two texts mean the same, in the space of one encoder.

Ours was trained so that what has nothing in common is at right angles, and its card says what is near. In the space of
a public encoder all texts are alike, in one language more than across two. There what all texts of a script share is
taken away first; what is near is then found with the words for things that our card lists: each is looked for by the
others, as if it had never been heard of.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from msgspec import Struct

from daemon.home.names import has_han

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

_WIDTHS: Final = (0.01, 0.2, 0.0025)
"""The least and the greatest `tight` that are tried, and by what they grow."""
_FLOORS: Final = (0.2, 0.95, 0.01)
"""So for `alike` and `same`."""
_RIGHT: Final = 0.75
"""So many of those that are asked about are meant, where what is meant is known ..."""
_STRAY: Final = 0.1
"""... and at most so many words for what is not known lead to a question."""
_MISTAKEN: Final = 0.02
"""At most so many of these are taken for a word for a known thing."""
_FEWEST: Final = 10
"""Words by which a share can be told."""
_LIKELY: Final = 0.5
"""The chance from which on a thing is worth a question."""
_TINY: Final = 1e-6
_AT_ONCE: Final = 512
"""Rows that are compared with all others at once: thousands would need as much memory as the encoder."""


class Limits(Struct, frozen=True):
    """What is near in a space. `alike` and `same` are cosines, -1 to 1."""

    alike: float
    """Below it, two names do not mean the same."""
    tight: float
    """By which cosines are divided to be the logits of what is meant, of several things."""
    same: float = 0.75
    """From it on, a name is one for a known thing."""


def centred(texts: Sequence[str], rows: NDArray[np.float32], centres: NDArray[np.float32]) -> NDArray[np.float32]:
    """Each text's row less what all of its script share, of length one again; zeros stay zeros."""
    import numpy as np

    read = np.linalg.norm(rows, axis=1, keepdims=True) > _TINY
    moved = np.where(read, rows - centres[scripts(texts)], 0.0)
    return np.asarray(moved / np.maximum(np.linalg.norm(moved, axis=1, keepdims=True), _TINY), np.float32)


def centres(texts: Sequence[str], rows: NDArray[np.float32]) -> NDArray[np.float32]:
    """What the rows of each script share: (scripts, width)."""
    import numpy as np

    of = scripts(texts)
    means = [rows[of == script].mean(0) if (of == script).any() else rows.mean(0) for script in (0, 1)]
    return np.stack(means).astype(np.float32)


def scripts(texts: Sequence[str]) -> NDArray[np.int64]:
    """For each text, 1 where it has a Chinese character, otherwise 0."""
    import numpy as np

    return np.array([int(has_han(text)) for text in texts], np.int64)


def fitted(rows: NDArray[np.float32], starts: NDArray[np.int64]) -> Limits | None:
    """The limits of a space by words for known things; None where too little can be told by them.

    `tight` is where what is meant surprises least; `alike` and `same` are the lowest cosines from which on little
    enough is wrong.

    Args:
        rows: Of words for things, centred, those of one thing beside each other.
        starts: Where those of each thing begin.
    """
    import numpy as np

    things = np.repeat(np.arange(len(starts)), np.diff(np.append(starts, len(rows))))
    near = np.concatenate([_nearest(rows, at, starts) for at in range(0, len(rows), _AT_ONCE)])
    several = np.bincount(things, minlength=len(starts))[things] > 1
    near, meant = near[several], things[several]
    if len(meant) < _FEWEST:
        return None
    at = np.arange(len(meant))
    tight = min(np.arange(*_WIDTHS), key=lambda width: -np.log(_chances(near, width)[at, meant] + _TINY).mean())
    # As if nobody had heard of what is meant: then whatever is nearest is wrong.
    without = near.copy()
    without[at, meant] = -1.0
    asked, strays = (
        np.where(_chances(item, float(tight)).max(1) >= _LIKELY, item.max(1), -1) for item in (near, without)
    )
    right = near.argmax(1) == meant
    for floor in np.arange(*_FLOORS):
        chosen = asked >= floor
        if chosen.sum() < _FEWEST:
            break
        if right[chosen].mean() >= _RIGHT and (strays >= floor).mean() <= _STRAY:
            same = max(float(floor), float(np.quantile(without.max(1), 1 - _MISTAKEN)))
            return Limits(round(float(floor), 3), round(float(tight), 4), round(same, 3))
    return None


def _nearest(rows: NDArray[np.float32], first: int, starts: NDArray[np.int64]) -> NDArray[np.float32]:
    """How like each thing some rows are, by other rows than themselves: (`_AT_ONCE` or what is left, things)."""
    import numpy as np

    some = np.arange(first, min(first + _AT_ONCE, len(rows)))
    likeness = rows[some] @ rows.T
    likeness[some - first, some] = -1.0
    return np.asarray(np.maximum.reduceat(likeness, starts, axis=1), np.float32)


def _chances(near: NDArray[np.float32], width: float) -> NDArray[np.float32]:
    import numpy as np

    grown = np.exp((near - near.max(1, keepdims=True)) / width)
    return np.asarray(grown / grown.sum(1, keepdims=True), np.float32)
